package com.intellij.ui.components;

import javax.swing.JTextArea;

/** Stands for platform/platform-api/src/com/intellij/ui/components/JBTextArea.java. */
public class JBTextArea extends JTextArea {
    public JBTextArea(String text, int rows, int columns) {
        throw new UnsupportedOperationException();
    }
}
