package com.intellij.openapi.editor.colors;

import java.awt.Font;
import org.jetbrains.annotations.NotNull;

/** Stands for platform/editor-ui-api/src/com/intellij/openapi/editor/colors/EditorFontType.java. */
public enum EditorFontType {
    PLAIN;

    public static @NotNull Font getGlobalPlainFont() {
        throw new UnsupportedOperationException();
    }
}
