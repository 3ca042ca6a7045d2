package com.intellij.ui.content;

import com.intellij.openapi.Disposable;
import javax.swing.JComponent;
import org.jetbrains.annotations.NotNull;

/** Stands for platform/ide-core/src/com/intellij/ui/content/Content.java. */
public interface Content {
    void setDisposer(@NotNull Disposable disposer);

    void setPreferredFocusableComponent(JComponent component);

    void setCloseable(boolean closeable);
}
