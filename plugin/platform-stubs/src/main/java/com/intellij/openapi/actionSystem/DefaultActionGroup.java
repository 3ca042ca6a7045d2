package com.intellij.openapi.actionSystem;

import org.jetbrains.annotations.NotNull;

/** Stands for platform/platform-api/src/com/intellij/openapi/actionSystem/DefaultActionGroup.java. */
public class DefaultActionGroup extends ActionGroup {
    public final void add(@NotNull AnAction action) {
        throw new UnsupportedOperationException();
    }

    public final void addSeparator() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void actionPerformed(@NotNull AnActionEvent event) {
        throw new UnsupportedOperationException();
    }
}
