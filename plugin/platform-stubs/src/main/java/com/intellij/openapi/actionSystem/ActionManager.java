package com.intellij.openapi.actionSystem;

import org.jetbrains.annotations.NotNull;

/** Stands for platform/editor-ui-api/src/com/intellij/openapi/actionSystem/ActionManager.java. */
public abstract class ActionManager {
    public static ActionManager getInstance() {
        throw new UnsupportedOperationException();
    }

    public abstract AnAction getAction(@NotNull String actionId);

    public abstract @NotNull ActionToolbar createActionToolbar(
        @NotNull String place, @NotNull ActionGroup group, boolean horizontal);
}
