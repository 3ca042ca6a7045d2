package com.intellij.openapi.fileChooser;

import com.intellij.openapi.vfs.VirtualFile;
import com.intellij.openapi.vfs.VirtualFileWrapper;
import org.jetbrains.annotations.Nullable;

/** Stands for platform/platform-api/src/com/intellij/openapi/fileChooser/FileSaverDialog.java. */
public interface FileSaverDialog {
    @Nullable VirtualFileWrapper save(@Nullable VirtualFile baseDir, @Nullable String filename);
}
