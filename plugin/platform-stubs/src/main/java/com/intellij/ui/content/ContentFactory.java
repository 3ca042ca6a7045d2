package com.intellij.ui.content;

import javax.swing.JComponent;
import org.jetbrains.annotations.NotNull;
import org.jetbrains.annotations.Nullable;

/** Stands for platform/ide-core/src/com/intellij/ui/content/ContentFactory.java. */
public interface ContentFactory {
    static ContentFactory getInstance() {
        throw new UnsupportedOperationException();
    }

    @NotNull Content createContent(@Nullable JComponent component, @Nullable String displayName, boolean isLockable);
}
