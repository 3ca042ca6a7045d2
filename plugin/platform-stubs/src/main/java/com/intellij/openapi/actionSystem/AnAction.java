package com.intellij.openapi.actionSystem;

import javax.swing.Icon;
import org.jetbrains.annotations.NotNull;
import org.jetbrains.annotations.Nullable;

/** Stands for platform/editor-ui-api/src/com/intellij/openapi/actionSystem/AnAction.java. */
public abstract class AnAction {
    public AnAction() {
        throw new UnsupportedOperationException();
    }

    public AnAction(@Nullable String text, @Nullable String description, @Nullable Icon icon) {
        throw new UnsupportedOperationException();
    }

    public final @NotNull Presentation getTemplatePresentation() {
        throw new UnsupportedOperationException();
    }

    public void update(@NotNull AnActionEvent event) {
        throw new UnsupportedOperationException();
    }

    public abstract void actionPerformed(@NotNull AnActionEvent event);

    public @NotNull ActionUpdateThread getActionUpdateThread() {
        throw new UnsupportedOperationException();
    }
}
