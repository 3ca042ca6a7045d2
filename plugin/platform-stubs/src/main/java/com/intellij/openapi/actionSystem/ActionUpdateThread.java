package com.intellij.openapi.actionSystem;

/** Stands for platform/editor-ui-api/src/com/intellij/openapi/actionSystem/ActionUpdateThread.java. */
public enum ActionUpdateThread {
    BGT,
    EDT
}
