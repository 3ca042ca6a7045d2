package com.intellij.ui.content;

import javax.swing.JComponent;

/** Stands for platform/ide-core/src/com/intellij/ui/content/Content.java. */
public interface Content {
    void setPreferredFocusableComponent(JComponent component);

    void setCloseable(boolean closeable);
}
