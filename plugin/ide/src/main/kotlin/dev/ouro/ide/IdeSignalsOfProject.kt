package dev.ouro.ide

import com.intellij.ide.PowerSaveMode
import com.intellij.openapi.Disposable
import com.intellij.openapi.application.ApplicationManager
import com.intellij.openapi.application.smartReadAction
import com.intellij.openapi.editor.EditorFactory
import com.intellij.openapi.editor.event.DocumentEvent
import com.intellij.openapi.editor.event.DocumentListener
import com.intellij.openapi.fileEditor.FileDocumentManager
import com.intellij.openapi.project.DumbService
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
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.flow.stateIn

/** What the loop hears from the IDE: each listener lives as long as somebody collects its flow. */
internal class IdeSignalsOfProject(private val project: Project, scope: CoroutineScope) : IdeSignals {
    override val powerSave: StateFlow<Boolean> =
        scope.state("power save mode", PowerSaveMode::isEnabled) { parent, changed ->
            ApplicationManager.getApplication().messageBus.connect(parent)
                .subscribe(PowerSaveMode.TOPIC, PowerSaveMode.Listener { changed() })
        }

    override val indexing: StateFlow<Boolean> =
        scope.state("indexing", { DumbService.isDumb(project) }) { parent, changed ->
            val listener = object : DumbService.DumbModeListener {
                override fun enteredDumbMode() = changed()

                override fun exitDumbMode() = changed()
            }
            project.messageBus.connect(parent).subscribe(DumbService.DUMB_MODE, listener)
        }

    override val typing: Flow<Unit> = listening<Unit>("typing") { parent ->
        val listener = object : DocumentListener {
            override fun documentChanged(event: DocumentEvent) {
                // Consoles and fields of the IDE are documents, too: what a program prints is nothing that is typed.
                val file = FileDocumentManager.getInstance().getFile(event.document)
                if (file?.isInLocalFileSystem == true) trySend(Unit)
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

    /** What [read] says now, read anew whenever [listen] tells of a change. */
    private fun CoroutineScope.state(
        name: String,
        read: () -> Boolean,
        listen: (parent: Disposable, changed: () -> Unit) -> Unit,
    ): StateFlow<Boolean> = listening<Unit>(name) { parent ->
        listen(parent) { trySend(Unit) }
        // It may have changed before anybody listened.
        trySend(Unit)
    }.conflate().map { read() }.stateIn(this, SharingStarted.Eagerly, read())

    private fun <T> listening(name: String, listen: ProducerScope<T>.(Disposable) -> Unit): Flow<T> = callbackFlow {
        val parent = Disposer.newDisposable("Ouro: $name")
        listen(parent)
        awaitClose { Disposer.dispose(parent) }
    }
}
