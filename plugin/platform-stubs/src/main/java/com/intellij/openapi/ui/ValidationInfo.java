package com.intellij.openapi.ui;

import javax.swing.JComponent;
import org.jetbrains.annotations.NotNull;
import org.jetbrains.annotations.Nullable;

/** Stands for platform/ide-core/src/com/intellij/openapi/ui/ValidationInfo.java. */
public final class ValidationInfo {
    public ValidationInfo(@NotNull String message, @Nullable JComponent component) {
        throw new UnsupportedOperationException();
    }
}
