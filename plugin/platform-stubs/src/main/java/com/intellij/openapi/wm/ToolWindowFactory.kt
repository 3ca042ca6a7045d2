// Stands for platform/platform-api/src/com/intellij/openapi/wm/ToolWindowFactory.kt.
package com.intellij.openapi.wm

import com.intellij.openapi.project.PossiblyDumbAware
import com.intellij.openapi.project.Project

public interface ToolWindowFactory : PossiblyDumbAware {
    public fun createToolWindowContent(project: Project, toolWindow: ToolWindow)
}
