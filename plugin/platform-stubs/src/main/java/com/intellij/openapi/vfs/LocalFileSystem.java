package com.intellij.openapi.vfs;

import java.nio.file.Path;
import org.jetbrains.annotations.NotNull;
import org.jetbrains.annotations.Nullable;

/** Stands for platform/analysis-api/src/com/intellij/openapi/vfs/LocalFileSystem.java. */
public abstract class LocalFileSystem {
    public static LocalFileSystem getInstance() {
        throw new UnsupportedOperationException();
    }

    public abstract @Nullable VirtualFile findFileByNioFile(@NotNull Path file);
}
