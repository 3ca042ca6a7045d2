package com.intellij.openapi.wm;

import com.intellij.ui.content.ContentManager;
import org.jetbrains.annotations.NotNull;
import org.jetbrains.annotations.Nullable;

/** Stands for platform/ide-core/src/com/intellij/openapi/wm/ToolWindow.java. */
public interface ToolWindow {
    void activate(@Nullable Runnable runnable);

    @NotNull ContentManager getContentManager();
}
