package com.intellij.openapi.editor;

import org.jetbrains.annotations.Nullable;

/** Stands for platform/editor-ui-api/src/com/intellij/openapi/editor/SelectionModel.java. */
public interface SelectionModel {
    @Nullable String getSelectedText();

    boolean hasSelection();
}
