package com.intellij.openapi.fileChooser;

import com.intellij.openapi.project.Project;
import org.jetbrains.annotations.NotNull;
import org.jetbrains.annotations.Nullable;

/** Stands for platform/platform-api/src/com/intellij/openapi/fileChooser/FileChooserFactory.java. */
public abstract class FileChooserFactory {
    public static FileChooserFactory getInstance() {
        throw new UnsupportedOperationException();
    }

    public abstract @NotNull FileSaverDialog createSaveFileDialog(
        @NotNull FileSaverDescriptor descriptor, @Nullable Project project);
}
