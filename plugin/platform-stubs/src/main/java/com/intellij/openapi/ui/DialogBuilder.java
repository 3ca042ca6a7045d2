package com.intellij.openapi.ui;

import java.awt.Component;
import javax.swing.JComponent;
import org.jetbrains.annotations.NotNull;

/** Stands for platform/platform-api/src/com/intellij/openapi/ui/DialogBuilder.java. */
public class DialogBuilder {
    public DialogBuilder(@NotNull Component parent) {
        throw new UnsupportedOperationException();
    }

    public @NotNull DialogBuilder title(@NotNull String title) {
        throw new UnsupportedOperationException();
    }

    public @NotNull DialogBuilder centerPanel(@NotNull JComponent panel) {
        throw new UnsupportedOperationException();
    }

    public void setPreferredFocusComponent(JComponent component) {
        throw new UnsupportedOperationException();
    }

    public CustomizableAction addOkAction() {
        throw new UnsupportedOperationException();
    }

    public CustomizableAction addCancelAction() {
        throw new UnsupportedOperationException();
    }

    public boolean showAndGet() {
        throw new UnsupportedOperationException();
    }

    public interface CustomizableAction {
        void setText(@NotNull String text);
    }
}
