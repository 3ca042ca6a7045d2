package dev.ouro.ide.settings

import com.intellij.openapi.application.ApplicationManager
import com.intellij.openapi.project.Project
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.combine
import kotlinx.coroutines.flow.distinctUntilChanged
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.mapLatest

/** Everything that is set for a project, put together from where it is kept. */
internal class SettingsStore(project: Project) {
    private val ofProject = project.getService(ProjectSettings::class.java)
    private val ofApp = ApplicationManager.getApplication().getService(AppSettings::class.java)

    /** What is set; the latest first, then every change. Reads the key off the UI thread. */
    @OptIn(ExperimentalCoroutinesApi::class)
    val stored: Flow<Stored> = combine(ofProject.now, ofApp.now, ofApp.keyChanges) { project, app, _ -> project to app }
        .mapLatest { (project, app) -> Stored(project, app, ofApp.key(app)) }
        .distinctUntilChanged()

    /** What is set now. */
    suspend fun read(): Stored = stored.first()

    /** Keeps what the form says. */
    suspend fun write(stored: Stored) {
        ofApp.update(stored.app, stored.apiKey)
        ofProject.update { now -> stored.project.answeredAs(now) }
    }

    /** Changes what is set for the project. */
    fun update(change: (ProjectState) -> ProjectState): Unit = ofProject.update(change)
}
