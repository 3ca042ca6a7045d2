package com.intellij.ui;

/** Stands for platform/platform-api/src/com/intellij/ui/OnePixelSplitter.java. */
public class OnePixelSplitter extends JBSplitter {
    public OnePixelSplitter(boolean vertical, float proportion) {
        throw new UnsupportedOperationException();
    }
}
