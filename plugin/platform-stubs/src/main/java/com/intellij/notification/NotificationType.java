package com.intellij.notification;

/** Stands for platform/ide-core/src/com/intellij/notification/NotificationType.java. */
public enum NotificationType {
    INFORMATION,
    WARNING,
    ERROR
}
