package dev.ouro.ide

import com.intellij.ide.PowerSaveMode
import com.intellij.openapi.Disposable
import com.intellij.openapi.application.ApplicationManager
import com.intellij.openapi.application.smartReadAction
import com.intellij.openapi.editor.EditorFactory
import com.intellij.openapi.editor.event.DocumentEvent
import com.intellij.openapi.editor.event.DocumentListener
import com.intellij.openapi.project.Project
import com.intellij.openapi.util.Disposer
import com.intellij.openapi.vfs.VirtualFileManager
import com.intellij.openapi.vfs.newvfs.BulkFileListener
import com.intellij.openapi.vfs.newvfs.events.VFileEvent
import dev.ouro.ide.loop.IdeSignals
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.channels.ProducerScope
import kotlinx.coroutines.channels.awaitClose
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.SharingStarted
import kotlinx.coroutines.flow.StateFlow
import kotlinx.coroutines.flow.callbackFlow
import kotlinx.coroutines.flow.conflate
import kotlinx.coroutines.flow.stateIn

/** What the loop hears from the IDE: each listener lives as long as somebody collects its flow. */
internal class IdeSignalsOfProject(private val project: Project, scope: CoroutineScope) : IdeSignals {
    override val powerSave: StateFlow<Boolean> = listening<Boolean>("power save mode") { parent ->
        ApplicationManager.getApplication().messageBus.connect(parent)
            .subscribe(PowerSaveMode.TOPIC, PowerSaveMode.Listener { trySend(PowerSaveMode.isEnabled()) })
    }.stateIn(scope, SharingStarted.Eagerly, PowerSaveMode.isEnabled())

    override val typing: Flow<Unit> = listening<Unit>("typing") { parent ->
        val listener = object : DocumentListener {
            override fun documentChanged(event: DocumentEvent) {
                trySend(Unit)
            }
        }
        EditorFactory.getInstance().eventMulticaster.addDocumentListener(listener, parent)
    }.conflate()

    override val fileChanges: Flow<Unit> = listening<Unit>("files") { parent ->
        val root = project.basePath?.let { "$it/" } ?: return@listening
        val listener = object : BulkFileListener {
            override fun after(events: List<VFileEvent>) {
                if (events.any { it.path.startsWith(root) }) trySend(Unit)
            }
        }
        ApplicationManager.getApplication().messageBus.connect(parent)
            .subscribe(VirtualFileManager.VFS_CHANGES, listener)
    }.conflate()

    override suspend fun awaitSmartMode() {
        smartReadAction(project) {}
    }

    private fun <T> listening(name: String, listen: ProducerScope<T>.(Disposable) -> Unit): Flow<T> = callbackFlow {
        val parent = Disposer.newDisposable("Ouro: $name")
        listen(parent)
        awaitClose { Disposer.dispose(parent) }
    }
}
