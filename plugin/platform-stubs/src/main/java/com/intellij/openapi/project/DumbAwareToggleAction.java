package com.intellij.openapi.project;

import com.intellij.openapi.actionSystem.ToggleAction;

/** Stands for platform/platform-api/src/com/intellij/openapi/project/DumbAwareToggleAction.java. */
public abstract class DumbAwareToggleAction extends ToggleAction implements DumbAware {
}
