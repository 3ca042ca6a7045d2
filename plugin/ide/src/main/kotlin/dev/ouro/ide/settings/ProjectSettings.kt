package dev.ouro.ide.settings

import com.intellij.openapi.components.SerializablePersistentStateComponent
import com.intellij.openapi.components.Service
import com.intellij.openapi.components.State
import com.intellij.openapi.components.Storage
import com.intellij.openapi.components.StoragePathMacros
import kotlinx.coroutines.flow.MutableStateFlow
import kotlinx.coroutines.flow.StateFlow
import kotlinx.coroutines.flow.asStateFlow

/** Keeps what is set for one project. */
@Service(Service.Level.PROJECT)
@State(name = "Ouro", storages = [Storage(StoragePathMacros.WORKSPACE_FILE)])
internal class ProjectSettings : SerializablePersistentStateComponent<ProjectState>(ProjectState()) {
    private val current = MutableStateFlow(ProjectState())

    /** What is set now. */
    val now: StateFlow<ProjectState> = current.asStateFlow()

    /** Changes what is set. */
    fun update(change: (ProjectState) -> ProjectState) {
        current.value = updateState(change)
    }

    override fun loadState(state: ProjectState) {
        super.loadState(state)
        current.value = state
    }
}
