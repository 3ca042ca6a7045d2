package com.intellij.openapi.ui;

import javax.swing.JComponent;
import javax.swing.JPanel;
import org.jetbrains.annotations.Nullable;

/** Stands for platform/util/ui/src/com/intellij/openapi/ui/Splitter.java. */
public class Splitter extends JPanel {
    public void setFirstComponent(@Nullable JComponent component) {
        throw new UnsupportedOperationException();
    }

    public void setSecondComponent(@Nullable JComponent component) {
        throw new UnsupportedOperationException();
    }
}
