package com.intellij.openapi.editor.event;

import com.intellij.openapi.Disposable;
import org.jetbrains.annotations.NotNull;

/** Stands for platform/editor-ui-api/src/com/intellij/openapi/editor/event/EditorEventMulticaster.java. */
public interface EditorEventMulticaster {
    void addDocumentListener(@NotNull DocumentListener listener, @NotNull Disposable parentDisposable);
}
