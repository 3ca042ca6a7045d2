package com.intellij.ui.components;

import javax.swing.JLabel;

/** Stands for platform/platform-api/src/com/intellij/ui/components/JBLabel.java. */
public class JBLabel extends JLabel {
}
