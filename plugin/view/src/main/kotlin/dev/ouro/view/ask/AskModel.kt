package dev.ouro.view.ask

import dev.ouro.bridge.Answer
import dev.ouro.bridge.EngineException
import dev.ouro.bridge.SourceRef
import dev.ouro.view.base.Formats
import dev.ouro.view.base.Host
import dev.ouro.view.base.Markdown
import dev.ouro.view.base.Messages
import dev.ouro.view.base.Notice
import dev.ouro.view.base.SourceLink
import dev.ouro.view.base.codeBlock
import dev.ouro.view.base.engineOrNull
import dev.ouro.view.base.escaped
import dev.ouro.view.base.notice
import dev.ouro.view.records.RecordPage
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Job
import kotlinx.coroutines.flow.MutableStateFlow
import kotlinx.coroutines.flow.SharingStarted
import kotlinx.coroutines.flow.StateFlow
import kotlinx.coroutines.flow.combine
import kotlinx.coroutines.flow.stateIn
import kotlinx.coroutines.flow.update
import kotlinx.coroutines.launch

/** What the Ask tab shows. */
public data class AskState(
    /** In place of everything else. */
    val notice: Notice? = null,
    /** The question that was asked last, or is to be asked. */
    val question: String = "",
    /** Whether the answer is still to come. */
    val isAsking: Boolean = false,
    /** The answer as a page, or what to do. */
    val html: String = "",
)

/** Answers questions from what is known. */
public class AskModel(
    private val scope: CoroutineScope,
    private val host: Host,
    private val messages: Messages,
    formats: Formats,
) {
    private val records = RecordPage(messages, formats)
    private val asked = MutableStateFlow(AskState(html = hint("ask.hint")))
    private var job: Job? = null

    /** What to show. */
    public val state: StateFlow<AskState> = combine(host.engine, asked) { engine, asked ->
        engine.notice(messages)?.let { AskState(notice = it) } ?: asked
    }.stateIn(scope, SharingStarted.Eagerly, AskState(notice = host.engine.value.notice(messages)))

    /** Asks; an earlier question that is still worked on is given up. */
    @Synchronized
    public fun ask(question: String) {
        val engine = host.engine.value.engineOrNull ?: return
        val words = question.trim()
        if (words.isEmpty()) return
        job?.cancel()
        asked.value = AskState(question = words, isAsking = true, html = hint("ask.working"))
        job = scope.launch {
            val page = try {
                page(engine.ask(words))
            } catch (error: EngineException) {
                "<p class='error'>${escaped(messages.text("ask.failed"))}</p><p>${escaped(error.message.orEmpty())}</p>"
            }
            asked.update { if (it.question == words) it.copy(isAsking = false, html = page) else it }
        }
    }

    /** Gives up the question that is worked on. */
    @Synchronized
    public fun cancel() {
        job?.cancel()
        asked.update { it.copy(isAsking = false, html = hint("ask.cancelled")) }
    }

    private fun page(answer: Answer): String = buildString {
        answer.answer?.let { text ->
            val places = answer.sourceFiles + answer.records.flatMap { it.sourceFiles } + answer.code.map { it.source }
            val paths = places.mapTo(HashSet(), SourceRef::path)
            append(Markdown.html(text, paths::contains))
            append(records.sources(answer.sourceFiles))
            val tokens = answer.tokens.run { prompt + completion }
            append("<p class='meta'>").append(escaped(messages.text("ask.tokens", tokens.toString()))).append("</p>")
        }
        if (answer.answer == null && answer.records.isEmpty() && answer.code.isEmpty()) {
            append(hint("ask.nothing"))
            nearest(answer.nearestQuestions)
        }
        answer.records.forEach { append(records.inBrief(it)) }
        if (answer.code.isEmpty()) return@buildString
        append("<h3>").append(escaped(messages.text("ask.code"))).append("</h3>")
        answer.code.forEach { place ->
            val link = SourceLink(place.source.path, place.source.startLine)
            val name = place.source.path + (place.source.startLine?.let { ":$it" } ?: "")
            append("<p><a href=\"").append(escaped(link.href)).append("\">").append(escaped(name)).append("</a></p>")
            append(codeBlock(place.text))
        }
    }

    private fun StringBuilder.nearest(questions: List<String>) {
        if (questions.isEmpty()) return
        append("<h3>").append(escaped(messages.text("ask.nearest"))).append("</h3><ul>")
        questions.forEach { append("<li>").append(Markdown.line(it)).append("</li>") }
        append("</ul>")
    }

    private fun hint(key: String) = "<p class='meta'>${escaped(messages.text(key))}</p>"
}
