package com.intellij.openapi.wm;

import com.intellij.openapi.project.Project;
import org.jetbrains.annotations.NotNull;

/** Stands for platform/platform-api/src/com/intellij/openapi/wm/StatusBarWidgetFactory.java. */
public interface StatusBarWidgetFactory {
    @NotNull String getId();

    @NotNull String getDisplayName();

    boolean isAvailable(@NotNull Project project);

    @NotNull StatusBarWidget createWidget(@NotNull Project project);

    void disposeWidget(@NotNull StatusBarWidget widget);

    boolean canBeEnabledOn(@NotNull StatusBar statusBar);
}
