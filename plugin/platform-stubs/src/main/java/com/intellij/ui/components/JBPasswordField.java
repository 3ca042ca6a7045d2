package com.intellij.ui.components;

import javax.swing.JPasswordField;

/** Stands for platform/platform-api/src/com/intellij/ui/components/JBPasswordField.java. */
public class JBPasswordField extends JPasswordField {
}
