package com.intellij.openapi.util;

import javax.swing.Icon;
import org.jetbrains.annotations.NotNull;

/** Stands for platform/util/ui/src/com/intellij/openapi/util/IconLoader.kt. */
public final class IconLoader {
    private IconLoader() {
    }

    public static @NotNull Icon getIcon(@NotNull String path, @NotNull Class<?> aClass) {
        throw new UnsupportedOperationException();
    }
}
