package com.intellij.testFramework;

/** Stands for platform/testFramework/src/com/intellij/testFramework/LightProjectDescriptor.java. */
public class LightProjectDescriptor {
    public static final LightProjectDescriptor EMPTY_PROJECT_DESCRIPTOR = new LightProjectDescriptor();
}
