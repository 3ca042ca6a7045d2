package com.intellij.notification;

import org.jetbrains.annotations.NotNull;

/** Stands for platform/ide-core/src/com/intellij/notification/NotificationGroup.kt. */
public final class NotificationGroup {
    public @NotNull Notification createNotification(
        @NotNull String title, @NotNull String content, @NotNull NotificationType type) {
        throw new UnsupportedOperationException();
    }
}
