package com.intellij.ui.components;

import javax.swing.JCheckBox;

/** Stands for platform/platform-api/src/com/intellij/ui/components/JBCheckBox.java. */
public class JBCheckBox extends JCheckBox {
}
