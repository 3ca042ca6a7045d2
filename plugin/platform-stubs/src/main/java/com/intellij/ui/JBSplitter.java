package com.intellij.ui;

import com.intellij.openapi.ui.Splitter;

/** Stands for platform/platform-api/src/com/intellij/ui/JBSplitter.java. */
public class JBSplitter extends Splitter {
}
