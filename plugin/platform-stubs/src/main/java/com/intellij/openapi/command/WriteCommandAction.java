package com.intellij.openapi.command;

import com.intellij.openapi.project.Project;
import org.jetbrains.annotations.NotNull;

/** Stands for platform/core-api/src/com/intellij/openapi/command/WriteCommandAction.java. */
public abstract class WriteCommandAction {
    public static void runWriteCommandAction(Project project, @NotNull Runnable runnable) {
        throw new UnsupportedOperationException();
    }
}
