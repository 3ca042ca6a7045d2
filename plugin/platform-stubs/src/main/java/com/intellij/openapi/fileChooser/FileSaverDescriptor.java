package com.intellij.openapi.fileChooser;

import org.jetbrains.annotations.NotNull;

/** Stands for platform/platform-api/src/com/intellij/openapi/fileChooser/FileSaverDescriptor.java. */
public class FileSaverDescriptor {
    public FileSaverDescriptor(@NotNull String title, @NotNull String description, String... extensions) {
        throw new UnsupportedOperationException();
    }
}
