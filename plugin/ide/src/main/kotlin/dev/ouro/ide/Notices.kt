package dev.ouro.ide

import com.intellij.openapi.project.Project
import dev.ouro.ide.loop.Notice
import dev.ouro.ide.loop.NoticeRules
import dev.ouro.ide.window.OuroToolWindowFactory
import dev.ouro.view.base.Engine
import dev.ouro.view.base.EngineState
import dev.ouro.view.base.engineOrNull
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.flow.collectLatest
import kotlinx.coroutines.flow.distinctUntilChanged
import kotlinx.coroutines.flow.filterIsInstance
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.launch

/** Tells the user what should be heard of without looking. */
internal class Notices(private val project: Project, private val scheduler: ProjectAnalysisScheduler) {
    private val rules = NoticeRules()
    private val host: ProjectHost get() = project.getService(ProjectHost::class.java)

    /** Goes on until it is cancelled. */
    suspend fun run(): Unit = coroutineScope {
        launch { welcome() }
        launch { missing() }
        scheduler.state.map { it.engineOrNull }.distinctUntilChanged()
            .collectLatest { it?.let { engine -> follow(engine) } }
    }

    /** Asks as soon as the engine is there: before, there would be nothing to turn on. */
    private suspend fun welcome() {
        scheduler.state.first { it.engineOrNull != null }
        Permission(project, host.messages).welcome(host::openSettings)
    }

    private suspend fun missing() {
        val state = scheduler.state.filterIsInstance<EngineState.Unavailable>().first { it.nativeLibrary }
        val retry = OuroIdeBundle.message("notice.retry") to host::retry
        Balloon.warn(project, OuroIdeBundle.message("notice.native.title"), state.problem, retry)
    }

    private suspend fun follow(engine: Engine) {
        engine.events.collect { event ->
            rules.of(event, engine.stats.value.totalLearningRecords)?.let(::tell)
        }
    }

    private fun tell(notice: Notice) {
        val show = OuroIdeBundle.message("notice.records") to { OuroToolWindowFactory.activate(project) }
        val settings = OuroIdeBundle.message("notice.settings") to host::openSettings
        when (notice.kind) {
            Notice.Kind.FIRST_RECORD ->
                Balloon.say(project, OuroIdeBundle.message("notice.first.title"), notice.text, show)
            Notice.Kind.QUOTA_REACHED ->
                Balloon.say(project, OuroIdeBundle.message("notice.quota.title"), notice.text, show, settings)
            Notice.Kind.MODEL_UNREACHABLE ->
                Balloon.warn(project, OuroIdeBundle.message("notice.unreachable.title"), notice.text, settings)
            Notice.Kind.LOOP_STOPPED ->
                Balloon.warn(project, OuroIdeBundle.message("notice.stopped.title"), notice.text, show)
        }
    }
}
