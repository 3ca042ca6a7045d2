package com.intellij.testFramework;

import junit.framework.TestCase;

/** Stands for platform/testFramework/src/com/intellij/testFramework/UsefulTestCase.java. */
public abstract class UsefulTestCase extends TestCase {
}
