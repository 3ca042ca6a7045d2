package com.intellij.openapi.actionSystem;

import org.jetbrains.annotations.NotNull;

/** Stands for platform/platform-api/src/com/intellij/openapi/actionSystem/ToggleAction.java. */
public abstract class ToggleAction extends AnAction {
    public abstract boolean isSelected(@NotNull AnActionEvent event);

    public abstract void setSelected(@NotNull AnActionEvent event, boolean state);

    @Override
    public final void actionPerformed(@NotNull AnActionEvent event) {
        throw new UnsupportedOperationException();
    }
}
