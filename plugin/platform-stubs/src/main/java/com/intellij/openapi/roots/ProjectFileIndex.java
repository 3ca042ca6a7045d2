package com.intellij.openapi.roots;

import com.intellij.openapi.project.Project;
import com.intellij.openapi.vfs.VirtualFile;
import org.jetbrains.annotations.NotNull;

/** Stands for platform/projectModel-api/src/com/intellij/openapi/roots/ProjectFileIndex.java. */
public interface ProjectFileIndex extends FileIndex {
    static @NotNull ProjectFileIndex getInstance(@NotNull Project project) {
        throw new UnsupportedOperationException();
    }

    boolean isExcluded(@NotNull VirtualFile file);
}
