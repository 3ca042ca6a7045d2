package com.intellij.openapi.actionSystem;

import com.intellij.openapi.editor.Editor;
import com.intellij.openapi.vfs.VirtualFile;

/** Stands for platform/editor-ui-api/src/com/intellij/openapi/actionSystem/CommonDataKeys.java. */
public class CommonDataKeys {
    public static final DataKey<Editor> EDITOR = null;
    public static final DataKey<VirtualFile> VIRTUAL_FILE = null;
}
