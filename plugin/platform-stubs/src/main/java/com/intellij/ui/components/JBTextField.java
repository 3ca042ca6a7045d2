package com.intellij.ui.components;

import javax.swing.JTextField;

/** Stands for platform/platform-api/src/com/intellij/ui/components/JBTextField.java. */
public class JBTextField extends JTextField {
}
