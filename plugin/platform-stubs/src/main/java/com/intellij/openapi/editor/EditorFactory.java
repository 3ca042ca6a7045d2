package com.intellij.openapi.editor;

import com.intellij.openapi.editor.event.EditorEventMulticaster;
import org.jetbrains.annotations.NotNull;

/** Stands for platform/editor-ui-api/src/com/intellij/openapi/editor/EditorFactory.java. */
public abstract class EditorFactory {
    public static EditorFactory getInstance() {
        throw new UnsupportedOperationException();
    }

    public abstract @NotNull EditorEventMulticaster getEventMulticaster();
}
