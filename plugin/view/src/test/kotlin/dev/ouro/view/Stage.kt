package dev.ouro.view

import dev.ouro.bridge.LearningRecord
import dev.ouro.bridge.ProjectEvent
import dev.ouro.bridge.Question
import dev.ouro.view.ask.AskPanel
import dev.ouro.view.base.Components
import dev.ouro.view.base.Engine
import dev.ouro.view.base.EngineState
import dev.ouro.view.base.Formats
import dev.ouro.view.base.Messages
import dev.ouro.view.base.engineOrNull
import dev.ouro.view.failures.FailuresPanel
import dev.ouro.view.log.LogPanel
import dev.ouro.view.overview.OverviewPanel
import dev.ouro.view.records.RecordsPanel
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.cancel
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import java.util.Locale
import javax.swing.JComponent
import javax.swing.JTable
import javax.swing.SwingUtilities

/** The real view over an engine, with panels that show what the models say once they said it. */
class Stage(state: EngineState, locale: Locale = Locale.ENGLISH) : AutoCloseable {
    constructor(engine: Engine, locale: Locale = Locale.ENGLISH) : this(EngineState.Ready(engine), locale)

    private val scope = CoroutineScope(SupervisorJob() + Dispatchers.Default)
    val host = RecordingHost(state)
    val messages = Messages(locale)
    val formats = Formats(messages, Recorded.CLOCK)
    val view = OuroView(scope, host, messages, formats)
    private val widgets = TestComponents(messages)

    override fun close() = scope.cancel()

    fun overview(question: String = ""): JComponent {
        val memory = host.engine.value.engineOrNull as? MemoryEngine
        if (question.isNotEmpty()) memory?.events?.tryEmit(ProjectEvent.QuestionTaken("ouro", Question(question), 0))
        val state =
            wait(view.overview.state) {
                it.notice != null ||
                    (
                        it.phase.isNotEmpty() &&
                            (it.activity.isNotEmpty() || question.isEmpty()) &&
                            memory.isShownBy(it.recordsPerDay.sumOf { day -> day.count })
                        )
            }
        return onUi { OverviewPanel(scope, view.overview, host, widgets, messages, formats).also { it.render(state) } }
    }

    fun rowWithSources(): Int = 4

    fun records(select: Int? = null, widgets: Components = this.widgets): JComponent {
        val state =
            wait(view.records.state) { state ->
                state.notice != null || (state.rows.isNotEmpty() && READING !in state.summary)
            }
        select?.let { view.records.select(state.rows[it].id) }
        val detail = wait(view.records.detail) { select == null || it.record != null }
        return onUi {
            RecordsPanel(scope, view.records, host, widgets, messages, formats).also { panel ->
                panel.render(state)
                panel.render(detail)
                select?.let { find<JTable>(panel).setRowSelectionInterval(it, it) }
            }
        }
    }

    fun ask(question: String): JComponent {
        view.ask.ask(question)
        val state = wait(view.ask.state) { !it.isAsking && it.question == question }
        return onUi { AskPanel(scope, view.ask, host, widgets, messages).also { it.render(state) } }
    }

    fun log(): JComponent {
        val state = wait(view.log.state) { it.rows.isNotEmpty() || it.notice != null }
        return onUi { LogPanel(scope, view.log, host, widgets, messages, formats).also { it.render(state) } }
    }

    fun failures(): JComponent {
        val state = wait(view.failures.state) { it.rows.isNotEmpty() || it.notice != null }
        return onUi {
            FailuresPanel(scope, view.failures, host, widgets, messages, formats).also {
                it.render(state)
                if (state.rows.isNotEmpty()) find<JTable>(it).setRowSelectionInterval(0, 0)
            }
        }
    }

    private fun MemoryEngine?.isShownBy(count: Int) = this == null || records.isEmpty() || count > 0

    companion object {
        private const val READING = "…"

        /** A scope in which nothing runs. */
        fun idleScope(): CoroutineScope = CoroutineScope(Job().apply { cancel() })

        fun <T> wait(flow: Flow<T>, until: (T) -> Boolean): T = runBlocking {
            withTimeout(10_000) { flow.first(until) }
        }
    }
}

/** Runs [make] on the UI thread, as Swing wants it. */
fun <T> onUi(make: () -> T): T {
    var made: Result<T>? = null
    SwingUtilities.invokeAndWait { made = runCatching(make) }
    return checkNotNull(made).getOrThrow()
}

/** The first component of this kind. */
inline fun <reified T> find(root: java.awt.Component): T = all(root).filterIsInstance<T>().first()

/** A component and everything in it. */
fun all(root: java.awt.Component): List<java.awt.Component> =
    listOf(root) + if (root is java.awt.Container) root.components.flatMap(::all) else emptyList()

/** So many records of the kind of [records]. */
fun many(records: List<LearningRecord>, count: Int): List<LearningRecord> = List(count) { index ->
    records[index % records.size].copy(
        id = "%026d".format(count - index),
        createdAt = records[0].createdAt - index * 60_000L,
    )
}
