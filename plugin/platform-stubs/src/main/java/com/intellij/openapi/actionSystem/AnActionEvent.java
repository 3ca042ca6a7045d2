package com.intellij.openapi.actionSystem;

import com.intellij.openapi.project.Project;
import org.jetbrains.annotations.NotNull;
import org.jetbrains.annotations.Nullable;

/** Stands for platform/editor-ui-api/src/com/intellij/openapi/actionSystem/AnActionEvent.java. */
public class AnActionEvent {
    public @Nullable Project getProject() {
        throw new UnsupportedOperationException();
    }

    public @NotNull Presentation getPresentation() {
        throw new UnsupportedOperationException();
    }

    public <T> @Nullable T getData(@NotNull DataKey<T> key) {
        throw new UnsupportedOperationException();
    }
}
