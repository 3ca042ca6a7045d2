package dev.ouro.ide

import com.intellij.DynamicBundle
import com.intellij.openapi.application.ApplicationManager
import com.intellij.openapi.components.Service
import com.intellij.openapi.project.Project
import dev.ouro.bridge.EngineException
import dev.ouro.bridge.EngineSettings
import dev.ouro.ide.loop.BridgeEngine
import dev.ouro.ide.loop.LoopEngine
import dev.ouro.ide.loop.ProjectLoop
import dev.ouro.ide.settings.SettingsStore
import dev.ouro.ide.tools.ideTools
import dev.ouro.view.base.EngineState
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.flow.StateFlow
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import java.nio.file.Path
import java.util.concurrent.atomic.AtomicBoolean

/**
 * Keeps the analysis of one project up to date in the background as long as it is open, and learns it where the user
 * wants that.
 */
@Service(Service.Level.PROJECT)
internal class ProjectAnalysisScheduler(private val project: Project, private val scope: CoroutineScope) {
    private val begun = AtomicBoolean()

    /** What is set for the project. */
    val settings = SettingsStore(project)

    private val loop = ProjectLoop(
        settings.stored.map { it.loop(DynamicBundle.getLocale().toLanguageTag()) },
        IdeSignalsOfProject(project, scope),
        ::open,
    )

    /** How the engine stands. */
    val state: StateFlow<EngineState> get() = loop.state

    /** Starts to work, the first time it is called, and goes on until the project is closed. */
    fun begin() {
        if (!begun.compareAndSet(false, true)) return
        scope.launch { loop.run() }
        scope.launch { Notices(project, this@ProjectAnalysisScheduler).run() }
    }

    /** Lets the loop run until [pause]. */
    fun start(): Unit = loop.start()

    /** Lets the loop rest until [start]. */
    fun pause(): Unit = loop.pause()

    /** One iteration. */
    fun runOnce(): Unit = loop.runOnce()

    /** Opens the engine again. */
    fun retry(): Unit = loop.retry()

    private suspend fun open(settings: EngineSettings): LoopEngine {
        val root = project.basePath?.let(Path::of)
            ?: throw EngineException.NotFound("this project has no folder, so there is nothing to learn")
        withContext(Dispatchers.IO) { ApplicationManager.getApplication().getService(NativeEngine::class.java).load() }
        val tools = ideTools(project, root) { name -> loop.open?.nativeTool(name) }
        return BridgeEngine.open(root, settings, tools)
    }
}
