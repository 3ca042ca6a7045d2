package dev.ouro.ide

import com.intellij.openapi.project.Project
import com.intellij.openapi.startup.ProjectActivity

/** Starts the scheduler of a project that was opened. */
internal class OuroStartup : ProjectActivity {
    override suspend fun execute(project: Project) {
        project.getService(ProjectAnalysisScheduler::class.java).begin()
    }
}
