package com.intellij.openapi.roots;

import com.intellij.openapi.vfs.VirtualFile;
import org.jetbrains.annotations.NotNull;

/** Stands for platform/projectModel-api/src/com/intellij/openapi/roots/ContentIterator.java. */
@FunctionalInterface
public interface ContentIterator {
    boolean processFile(@NotNull VirtualFile fileOrDir);
}
