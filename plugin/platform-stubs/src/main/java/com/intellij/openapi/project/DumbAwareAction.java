package com.intellij.openapi.project;

import com.intellij.openapi.actionSystem.AnAction;

/** Stands for platform/platform-api/src/com/intellij/openapi/project/DumbAwareAction.java. */
public abstract class DumbAwareAction extends AnAction implements DumbAware {
}
