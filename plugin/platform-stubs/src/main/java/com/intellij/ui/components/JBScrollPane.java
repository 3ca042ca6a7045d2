package com.intellij.ui.components;

import java.awt.Component;
import javax.swing.JScrollPane;

/** Stands for platform/platform-api/src/com/intellij/ui/components/JBScrollPane.java. */
public class JBScrollPane extends JScrollPane {
    public JBScrollPane(Component view) {
        throw new UnsupportedOperationException();
    }
}
