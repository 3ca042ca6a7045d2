package com.intellij.openapi.options;

import com.intellij.openapi.project.Project;
import org.jetbrains.annotations.NotNull;
import org.jetbrains.annotations.Nullable;

/** Stands for platform/platform-api/src/com/intellij/openapi/options/ShowSettingsUtil.java. */
public abstract class ShowSettingsUtil {
    public static ShowSettingsUtil getInstance() {
        throw new UnsupportedOperationException();
    }

    public abstract <T extends Configurable> void showSettingsDialog(
        @Nullable Project project, @NotNull Class<T> configurableClass);
}
