package com.intellij.util.ui;

import org.jetbrains.annotations.NotNull;

/** Stands for platform/platform-api/src/com/intellij/util/ui/StatusText.java. */
public abstract class StatusText {
    public StatusText setText(@NotNull String text) {
        throw new UnsupportedOperationException();
    }
}
