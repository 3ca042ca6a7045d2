package com.intellij.openapi.vfs;

import java.io.IOException;
import org.jetbrains.annotations.NotNull;

/** Stands for platform/core-api/src/com/intellij/openapi/vfs/VfsUtilCore.java. */
public class VfsUtilCore {
    public static @NotNull String loadText(@NotNull VirtualFile file) throws IOException {
        throw new UnsupportedOperationException();
    }
}
