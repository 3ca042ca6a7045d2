package com.intellij.openapi.actionSystem;

/** Stands for platform/editor-ui-api/src/com/intellij/openapi/actionSystem/ActionGroup.java. */
public abstract class ActionGroup extends AnAction {
}
