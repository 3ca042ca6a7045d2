package com.intellij.notification;

import com.intellij.openapi.actionSystem.AnAction;
import org.jetbrains.annotations.NotNull;

/** Stands for platform/ide-core/src/com/intellij/notification/NotificationAction.java. */
public abstract class NotificationAction extends AnAction {
    public static @NotNull NotificationAction createSimpleExpiring(
        @NotNull String text, @NotNull Runnable performAction) {
        throw new UnsupportedOperationException();
    }
}
