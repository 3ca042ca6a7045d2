package com.intellij.notification;

import com.intellij.openapi.actionSystem.AnAction;
import com.intellij.openapi.project.Project;
import org.jetbrains.annotations.NotNull;
import org.jetbrains.annotations.Nullable;

/** Stands for platform/ide-core/src/com/intellij/notification/Notification.java. */
public class Notification {
    public @NotNull Notification addAction(@NotNull AnAction action) {
        throw new UnsupportedOperationException();
    }

    public void notify(@Nullable Project project) {
        throw new UnsupportedOperationException();
    }
}
