package com.intellij.openapi.fileEditor;

import com.intellij.openapi.project.Project;
import com.intellij.openapi.vfs.VirtualFile;
import org.jetbrains.annotations.NotNull;

/** Stands for platform/analysis-api/src/com/intellij/openapi/fileEditor/OpenFileDescriptor.java. */
public class OpenFileDescriptor {
    public OpenFileDescriptor(@NotNull Project project, @NotNull VirtualFile file, int logicalLine, int logicalColumn) {
        throw new UnsupportedOperationException();
    }

    public void navigate(boolean requestFocus) {
        throw new UnsupportedOperationException();
    }
}
