package com.intellij.openapi.actionSystem;

import org.jetbrains.annotations.NotNull;

/** Stands for platform/editor-ui-api/src/com/intellij/openapi/actionSystem/AnAction.java. */
public abstract class AnAction {
    public void update(@NotNull AnActionEvent event) {
        throw new UnsupportedOperationException();
    }

    public abstract void actionPerformed(@NotNull AnActionEvent event);

    public @NotNull ActionUpdateThread getActionUpdateThread() {
        throw new UnsupportedOperationException();
    }
}
