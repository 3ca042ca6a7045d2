package com.intellij.openapi.editor;

import org.jetbrains.annotations.NotNull;

/** Stands for platform/editor-ui-api/src/com/intellij/openapi/editor/Editor.java. */
public interface Editor {
    @NotNull SelectionModel getSelectionModel();
}
