package com.intellij.ui;

import com.intellij.ui.components.JBTextField;
import javax.swing.JPanel;

/** Stands for platform/platform-api/src/com/intellij/ui/SearchTextField.java. */
public class SearchTextField extends JPanel {
    public SearchTextField(boolean historyPopupEnabled) {
        throw new UnsupportedOperationException();
    }

    public JBTextField getTextEditor() {
        throw new UnsupportedOperationException();
    }
}
