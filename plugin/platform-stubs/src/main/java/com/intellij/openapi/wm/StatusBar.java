package com.intellij.openapi.wm;

import org.jetbrains.annotations.NotNull;

/** Stands for platform/ide-core/src/com/intellij/openapi/wm/StatusBar.kt. */
public interface StatusBar {
    void updateWidget(@NotNull String id);
}
