package com.intellij.openapi.ui;

import javax.swing.JComboBox;

/** Stands for platform/platform-api/src/com/intellij/openapi/ui/ComboBox.java. */
public class ComboBox<E> extends JComboBox<E> {
}
