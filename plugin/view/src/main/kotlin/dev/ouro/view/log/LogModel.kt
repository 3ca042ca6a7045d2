package dev.ouro.view.log

import dev.ouro.bridge.EngineException
import dev.ouro.bridge.EvolutionLog
import dev.ouro.bridge.ProjectEvent
import dev.ouro.view.base.Engine
import dev.ouro.view.base.EngineState
import dev.ouro.view.base.Formats
import dev.ouro.view.base.Host
import dev.ouro.view.base.Markdown
import dev.ouro.view.base.Messages
import dev.ouro.view.base.Notice
import dev.ouro.view.base.engineOrNull
import dev.ouro.view.base.failed
import dev.ouro.view.base.notice
import dev.ouro.view.base.readings
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.flow.MutableStateFlow
import kotlinx.coroutines.flow.SharingStarted
import kotlinx.coroutines.flow.StateFlow
import kotlinx.coroutines.flow.combine
import kotlinx.coroutines.flow.flatMapLatest
import kotlinx.coroutines.flow.flowOf
import kotlinx.coroutines.flow.stateIn

/** What the Log shows. */
public data class LogState(
    /** In place of everything else. */
    val notice: Notice? = null,
    /** Newest first. */
    val rows: List<LogRow> = emptyList(),
    /** How many lines there are, in words. */
    val summary: String = "",
)

/** A line of the log in words. */
public data class LogRow(
    /** When, epoch milliseconds. */
    val at: Long,
    /** When, in words. */
    val time: String,
    /** Where the loop was, in words. */
    val phase: String,
    /** The question, or what went wrong. */
    val text: String,
    /** How long it took, in words. */
    val duration: String,
    /** Whether it went well. */
    val success: Boolean,
)

/** Follows the loop's log. */
public class LogModel(
    scope: CoroutineScope,
    host: Host,
    private val messages: Messages,
    private val formats: Formats,
) {
    private val troubleOnly = MutableStateFlow(false)

    /** Newest first. Only read while it is collected. */
    @OptIn(ExperimentalCoroutinesApi::class)
    public val state: StateFlow<LogState> =
        host.engine
            .flatMapLatest { engine ->
                val access = engine.engineOrNull ?: return@flatMapLatest flowOf(LogState(engine.notice(messages)))
                val lines = access.events.readings(::matters) { read(access) }
                combine(lines, troubleOnly) { lines, only ->
                    lines.fold(
                        { state(engine, it, only) },
                        { LogState(failed(messages, "log.failed", it as EngineException)) },
                    )
                }
            }
            .stateIn(scope, SharingStarted.WhileSubscribed(), LogState(host.engine.value.notice(messages)))

    /** Shows only what went wrong. */
    public fun showTroubleOnly(only: Boolean) {
        troubleOnly.value = only
    }

    private fun matters(event: ProjectEvent): Boolean =
        event !is ProjectEvent.TokensSpent && event !is ProjectEvent.PhaseChanged

    /** The log, or why it can't be read. */
    private suspend fun read(engine: Engine): Result<List<EvolutionLog>> = try {
        Result.success(engine.log(LINES))
    } catch (error: EngineException) {
        Result.failure(error)
    }

    internal fun state(engine: EngineState, lines: List<EvolutionLog>, troubleOnly: Boolean): LogState {
        if (lines.isEmpty()) {
            val step = if (engine is EngineState.Off) Notice.Step.TURN_ON else Notice.Step.START
            return LogState(Notice(messages.text("log.empty.title"), messages.text("log.empty.text"), listOf(step)))
        }
        val rows = lines.filter { !troubleOnly || !it.success }.map(::row)
        val trouble = lines.count { !it.success }
        return LogState(rows = rows, summary = messages.text("log.summary", lines.size, trouble))
    }

    private fun row(line: EvolutionLog) = LogRow(
        line.timestamp,
        formats.time(line.timestamp),
        messages.text("phase.${line.phase.name.lowercase()}"),
        listOfNotNull(line.error, line.question).joinToString(" — ", transform = Markdown::plain),
        formats.span(line.durationMs),
        line.success,
    )

    private companion object {
        const val LINES = 1000
    }
}
