package com.intellij.notification;

import org.jetbrains.annotations.NotNull;

/** Stands for platform/ide-core/src/com/intellij/notification/NotificationGroupManager.java. */
public interface NotificationGroupManager {
    static NotificationGroupManager getInstance() {
        throw new UnsupportedOperationException();
    }

    NotificationGroup getNotificationGroup(@NotNull String groupId);
}
