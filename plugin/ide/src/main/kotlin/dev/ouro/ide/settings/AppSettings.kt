package dev.ouro.ide.settings

import com.intellij.credentialStore.CredentialAttributes
import com.intellij.credentialStore.generateServiceName
import com.intellij.ide.passwordSafe.PasswordSafe
import com.intellij.openapi.components.SerializablePersistentStateComponent
import com.intellij.openapi.components.Service
import com.intellij.openapi.components.SettingsCategory
import com.intellij.openapi.components.State
import com.intellij.openapi.components.Storage
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.flow.MutableStateFlow
import kotlinx.coroutines.flow.StateFlow
import kotlinx.coroutines.flow.asStateFlow
import kotlinx.coroutines.withContext

/** Keeps what is set for all projects; the key lies in the IDE's password store and nowhere else. */
@Service(Service.Level.APP)
@State(name = "Ouro", storages = [Storage("ouro.xml")], category = SettingsCategory.TOOLS)
internal class AppSettings : SerializablePersistentStateComponent<AppState>(AppState()) {
    private val current = MutableStateFlow(AppState())
    private val keyVersion = MutableStateFlow(0)

    /** What is set now. */
    val now: StateFlow<AppState> = current.asStateFlow()

    /** Another number when a key was changed. */
    val keyChanges: StateFlow<Int> = keyVersion.asStateFlow()

    /** Changes what is set, and the key of its model's server. */
    suspend fun update(state: AppState, key: String?) {
        current.value = updateState { state }
        if (state.modelUrl.isNotBlank() && key != key(state)) {
            withContext(Dispatchers.IO) { PasswordSafe.instance.setPassword(attributes(state), key) }
            keyVersion.value++
        }
    }

    /** The key of the model's server; another server has another key. */
    suspend fun key(state: AppState): String? {
        if (state.modelUrl.isBlank()) return null
        return withContext(Dispatchers.IO) { PasswordSafe.instance.getPassword(attributes(state)) }
    }

    override fun loadState(state: AppState) {
        super.loadState(state)
        current.value = state
    }

    private fun attributes(state: AppState) = CredentialAttributes(generateServiceName("Ouro", state.modelUrl.trim()))
}
