package com.intellij.openapi.actionSystem;

import javax.swing.JComponent;
import org.jetbrains.annotations.NotNull;
import org.jetbrains.annotations.Nullable;

/** Stands for platform/platform-api/src/com/intellij/openapi/actionSystem/ActionToolbar.java. */
public interface ActionToolbar {
    @NotNull JComponent getComponent();

    void setTargetComponent(@Nullable JComponent component);
}
