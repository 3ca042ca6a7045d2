package dev.ouro.ide

import com.intellij.DynamicBundle
import com.intellij.openapi.application.ApplicationManager
import com.intellij.openapi.application.ModalityState
import com.intellij.openapi.components.Service
import com.intellij.openapi.fileChooser.FileChooserFactory
import com.intellij.openapi.fileChooser.FileSaverDescriptor
import com.intellij.openapi.fileEditor.OpenFileDescriptor
import com.intellij.openapi.ide.CopyPasteManager
import com.intellij.openapi.options.ShowSettingsUtil
import com.intellij.openapi.project.Project
import com.intellij.openapi.vfs.LocalFileSystem
import com.intellij.openapi.vfs.VirtualFile
import dev.ouro.ide.settings.OuroConfigurable
import dev.ouro.ide.settings.Stored
import dev.ouro.view.OuroView
import dev.ouro.view.StatusText
import dev.ouro.view.base.EngineState
import dev.ouro.view.base.Host
import dev.ouro.view.base.Messages
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.flow.StateFlow
import kotlinx.coroutines.isActive
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import java.awt.datatransfer.StringSelection
import java.io.IOException
import java.nio.file.Files
import java.nio.file.InvalidPathException
import java.nio.file.Path

/** What the panels ask of the IDE, and the view over one project. */
@Service(Service.Level.PROJECT)
internal class ProjectHost(private val project: Project, private val scope: CoroutineScope) : Host {
    private val scheduler = project.getService(ProjectAnalysisScheduler::class.java)

    /** What asks the user for consent: two questions about the same would be one too many. */
    private val consent = LatestJob(scope)

    /** The texts of the panels, in the IDE's language. */
    val messages = Messages(DynamicBundle.getLocale())

    /** The view models of the project. */
    val view: OuroView by lazy { OuroView(scope, this, messages) }

    override val engine: StateFlow<EngineState> get() = scheduler.state

    override fun turnOn(): Unit = consent.launch { Permission(project, messages).turnOn() }

    override fun start(): Unit = scheduler.start()

    override fun pause(): Unit = scheduler.pause()

    override fun runOnce(): Unit = scheduler.runOnce()

    override fun stop(): Unit = scheduler.settings.update { it.copy(enabled = false) }

    override fun retry(): Unit = scheduler.retry()

    override fun openSettings(): Unit =
        ShowSettingsUtil.getInstance().showSettingsDialog(project, OuroConfigurable::class.java)

    override fun openSource(path: String, line: Int?) {
        scope.launch {
            val file = withContext(Dispatchers.IO) { find(path) }
            onUi {
                when (file) {
                    null -> warn(OuroIdeBundle.message("source.missing", path))
                    else -> OpenFileDescriptor(project, file, (line ?: 1) - 1, 0).navigate(true)
                }
            }
        }
    }

    override fun copy(text: String): Unit = CopyPasteManager.getInstance().setContents(StringSelection(text))

    override fun save(suggestedName: String, text: String): Unit = onUi {
        val title = OuroIdeBundle.message("save.title")
        val descriptor = FileSaverDescriptor(title, "", suggestedName.substringAfterLast('.'))
        val chosen = FileChooserFactory.getInstance().createSaveFileDialog(descriptor, project)
            .save(null as VirtualFile?, suggestedName)
        chosen?.let { write(it.file.toPath(), text) }
    }

    private fun write(file: Path, text: String) {
        scope.launch {
            try {
                withContext(Dispatchers.IO) { Files.writeString(file, text) }
            } catch (failure: IOException) {
                val problem = OuroIdeBundle.message("save.failed", failure.message ?: failure.toString())
                onUi { warn(problem) }
            }
        }
    }

    /** A scope for a part of the IDE that comes and goes. */
    fun childScope(): CoroutineScope =
        CoroutineScope(scope.coroutineContext + SupervisorJob(scope.coroutineContext[Job]))

    /** Reads what is set and hands it over on the UI thread, unless [scope] ended before. */
    fun readSettings(scope: CoroutineScope, then: (Stored) -> Unit) {
        scope.launch {
            val stored = scheduler.settings.read()
            // Also while a dialog is open: the settings are one.
            ApplicationManager.getApplication().invokeLater({ if (scope.isActive) then(stored) }, ModalityState.any())
        }
    }

    /** Keeps what is set, and asks before anything is sent where it was not sent before. */
    fun writeSettings(stored: Stored): Unit = consent.launch {
        withContext(NonCancellable) { scheduler.settings.write(stored) }
        Permission(project, messages).confirmDestination()
    }

    /** Tells what the status bar shows, on the UI thread, until it is closed. */
    fun whenStatusChanges(show: (StatusText) -> Unit): AutoCloseable {
        val job = scope.launch { view.status.collect { onUi { show(it) } } }
        return AutoCloseable { job.cancel() }
    }

    private fun find(path: String): VirtualFile? {
        val root = project.basePath ?: return null
        return try {
            LocalFileSystem.getInstance().findFileByNioFile(Path.of(root).resolve(path))
        } catch (_: InvalidPathException) {
            null
        }
    }

    private fun warn(text: String): Unit = Balloon.warn(project, OuroIdeBundle.message("ouro"), text)

    private fun onUi(action: () -> Unit): Unit =
        ApplicationManager.getApplication().invokeLater({ if (!project.isDisposed) action() }, project.disposed)
}
