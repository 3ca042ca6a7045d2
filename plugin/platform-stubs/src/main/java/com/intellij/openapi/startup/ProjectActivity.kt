// Stands for platform/core-api/src/com/intellij/openapi/startup/StartupActivity.kt.
package com.intellij.openapi.startup

import com.intellij.openapi.project.Project

public interface ProjectActivity {
    public suspend fun execute(project: Project)
}
