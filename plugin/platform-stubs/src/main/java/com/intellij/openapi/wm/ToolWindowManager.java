package com.intellij.openapi.wm;

import com.intellij.openapi.project.Project;
import org.jetbrains.annotations.NotNull;
import org.jetbrains.annotations.Nullable;

/** Stands for platform/platform-api/src/com/intellij/openapi/wm/ToolWindowManager.kt. */
public abstract class ToolWindowManager {
    public static ToolWindowManager getInstance(@NotNull Project project) {
        throw new UnsupportedOperationException();
    }

    public abstract @Nullable ToolWindow getToolWindow(@Nullable String id);
}
