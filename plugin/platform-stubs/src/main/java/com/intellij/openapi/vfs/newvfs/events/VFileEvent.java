package com.intellij.openapi.vfs.newvfs.events;

import org.jetbrains.annotations.NotNull;

/** Stands for platform/core-api/src/com/intellij/openapi/vfs/newvfs/events/VFileEvent.java. */
public abstract class VFileEvent {
    public @NotNull String getPath() {
        throw new UnsupportedOperationException();
    }
}
