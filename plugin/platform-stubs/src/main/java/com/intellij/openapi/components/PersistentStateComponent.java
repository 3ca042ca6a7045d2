package com.intellij.openapi.components;

import org.jetbrains.annotations.NotNull;
import org.jetbrains.annotations.Nullable;

/** Stands for platform/projectModel-api/src/com/intellij/openapi/components/PersistentStateComponent.java. */
public interface PersistentStateComponent<T> {
    @Nullable T getState();

    void loadState(@NotNull T state);
}
