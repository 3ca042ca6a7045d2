package dev.ouro.view.failures

import dev.ouro.bridge.EngineException
import dev.ouro.bridge.FailureRecord
import dev.ouro.bridge.OperationKind
import dev.ouro.bridge.ProjectEvent
import dev.ouro.view.base.Engine
import dev.ouro.view.base.Formats
import dev.ouro.view.base.Host
import dev.ouro.view.base.Markdown
import dev.ouro.view.base.Messages
import dev.ouro.view.base.Notice
import dev.ouro.view.base.engineOrNull
import dev.ouro.view.base.escaped
import dev.ouro.view.base.failed
import dev.ouro.view.base.notice
import dev.ouro.view.base.readings
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.flow.MutableStateFlow
import kotlinx.coroutines.flow.SharingStarted
import kotlinx.coroutines.flow.StateFlow
import kotlinx.coroutines.flow.asStateFlow
import kotlinx.coroutines.flow.combine
import kotlinx.coroutines.flow.flatMapLatest
import kotlinx.coroutines.flow.flowOf
import kotlinx.coroutines.flow.stateIn
import kotlinx.coroutines.flow.update
import kotlinx.coroutines.launch

/** What the Failures tab shows. */
public data class FailuresState(
    /** In place of everything else. */
    val notice: Notice? = null,
    /** The last that failed first. */
    val rows: List<FailureRow> = emptyList(),
    /** Why the last action failed. */
    val error: String? = null,
)

/** A failure in words. */
public data class FailureRow(
    /** Identifies the operation. */
    val signature: String,
    /** What failed, in words. */
    val operation: String,
    /** The last error. */
    val error: String,
    /** How often it failed. */
    val attempts: Int,
    /** When it failed last, in words. */
    val last: String,
    /** The whole of it as a page. */
    val html: String,
)

/** What failed, and how it will be avoided. */
public class FailuresModel(
    private val scope: CoroutineScope,
    private val host: Host,
    private val messages: Messages,
    private val formats: Formats,
) {
    private val again = MutableStateFlow(0)
    private val error = MutableStateFlow<String?>(null)

    /** Newest first. Only read while it is collected. */
    @OptIn(ExperimentalCoroutinesApi::class)
    public val state: StateFlow<FailuresState> =
        combine(host.engine, again) { engine, _ -> engine }
            .flatMapLatest { engine ->
                val access = engine.engineOrNull ?: return@flatMapLatest flowOf(FailuresState(engine.notice(messages)))
                val states = access.events.readings(::matters) { read(access) }
                combine(states, error.asStateFlow()) { state, error -> state.copy(error = error) }
            }
            .stateIn(scope, SharingStarted.WhileSubscribed(), FailuresState(host.engine.value.notice(messages)))

    /** Lets a failure be tried again. */
    public fun forget(signature: String) {
        val engine = host.engine.value.engineOrNull ?: return
        scope.launch {
            error.value = try {
                engine.forgetFailure(signature)
                null
            } catch (error: EngineException) {
                error.message
            }
            again.update { it + 1 }
        }
    }

    private fun matters(event: ProjectEvent): Boolean =
        event is ProjectEvent.Failed || event is ProjectEvent.RecordSaved || event is ProjectEvent.Finished

    private suspend fun read(engine: Engine): FailuresState = try {
        state(engine.failures())
    } catch (error: EngineException) {
        FailuresState(failed(messages, "failures.failed", error))
    }

    internal fun state(failures: List<FailureRecord>): FailuresState {
        if (failures.isEmpty()) {
            return FailuresState(Notice(messages.text("failures.empty.title"), messages.text("failures.empty.text")))
        }
        return FailuresState(rows = failures.map(::row))
    }

    private fun row(failure: FailureRecord) = FailureRow(
        failure.signature,
        name(failure),
        Markdown.plain(failure.error),
        failure.attempts,
        formats.time(failure.lastAt),
        page(failure),
    )

    /** Looking for questions has no object to name. */
    private fun name(failure: FailureRecord): String = if (failure.operationKind == OperationKind.GENERATE_QUESTIONS) {
        messages.text(KIND_OF_QUESTIONS)
    } else {
        Markdown.plain(failure.operation)
    }

    private fun page(failure: FailureRecord): String = buildString {
        append("<h2>").append(escaped(name(failure))).append("</h2>")
        val meta = listOfNotNull(
            messages.text("failure.kind.${failure.operationKind.name.lowercase()}")
                .takeIf { failure.operationKind != OperationKind.GENERATE_QUESTIONS },
            messages.text("failure.tried", failure.attempts, formats.dateTime(failure.lastAt)),
            messages.textOr("failure.class.${failure.errorClass}", failure.errorClass),
            messages.text("failure.status.${failure.status.name.lowercase()}"),
        )
        append("<p class='meta'>").append(escaped(meta.joinToString(" · "))).append("</p>")
        append("<p class='error'>").append(Markdown.line(failure.error)).append("</p>")
        failure.strategy?.let {
            part("failure.cause", it.cause)
            part("failure.avoid", it.avoidStrategy)
            part("failure.retry", it.retrySuggestion)
        } ?: append("<p class='meta'>").append(escaped(messages.text("failure.no_strategy"))).append("</p>")
    }

    private fun StringBuilder.part(key: String, text: String) {
        if (text.isBlank()) return
        append("<h3>").append(escaped(messages.text(key))).append("</h3><p>").append(escaped(text)).append("</p>")
    }

    private companion object {
        const val KIND_OF_QUESTIONS = "failure.kind.generate_questions"
    }
}
