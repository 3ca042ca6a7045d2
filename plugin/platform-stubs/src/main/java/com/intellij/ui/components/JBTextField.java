package com.intellij.ui.components;

import com.intellij.util.ui.StatusText;
import javax.swing.JTextField;
import org.jetbrains.annotations.NotNull;

/** Stands for platform/platform-api/src/com/intellij/ui/components/JBTextField.java. */
public class JBTextField extends JTextField {
    public @NotNull StatusText getEmptyText() {
        throw new UnsupportedOperationException();
    }
}
