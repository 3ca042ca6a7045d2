package com.intellij.openapi.project;

import com.intellij.openapi.actionSystem.AnAction;
import javax.swing.Icon;
import org.jetbrains.annotations.Nullable;

/** Stands for platform/platform-api/src/com/intellij/openapi/project/DumbAwareAction.java. */
public abstract class DumbAwareAction extends AnAction implements DumbAware {
    protected DumbAwareAction() {
        throw new UnsupportedOperationException();
    }

    protected DumbAwareAction(@Nullable String text, @Nullable String description, @Nullable Icon icon) {
        throw new UnsupportedOperationException();
    }
}
