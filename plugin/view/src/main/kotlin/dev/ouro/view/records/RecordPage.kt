package dev.ouro.view.records

import dev.ouro.bridge.LearningRecord
import dev.ouro.bridge.SourceRef
import dev.ouro.bridge.ToolCallStep
import dev.ouro.view.base.Formats
import dev.ouro.view.base.Markdown
import dev.ouro.view.base.Messages
import dev.ouro.view.base.SourceLink
import dev.ouro.view.base.escaped
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive

/** A record as a page: question, answer, sources, and how it was found out. */
internal class RecordPage(private val messages: Messages, private val formats: Formats) {
    /** The page of a record; [later] is the one that says otherwise, if one does: only together can they be judged. */
    fun of(record: LearningRecord, later: LearningRecord?): String = buildString {
        append("<h2>").append(Markdown.line(record.question)).append("</h2>")
        append("<p class='meta'>").append(escaped(meta(record))).append("</p>")
        staleness(record)?.let { append("<p class='warning'>").append(escaped(it)).append("</p>") }
        append(answer(record))
        correction(record)?.let { append("<p class='meta'>").append(escaped(it)).append("</p>") }
        later?.let {
            heading("record.later")
            append("<p>").append(Markdown.line(it.question)).append("</p>")
            append(answer(it))
        }
        append(sources(record.sourceFiles))
        path(record.explorationPath)
    }

    /** A record among others that an answer rests on: what it says, and what there is to doubt about it. */
    fun inBrief(record: LearningRecord): String = buildString {
        append("<h3>").append(Markdown.line(record.question)).append("</h3>")
        val confidence = messages.text("record.confidence", formats.percent(record.confidence))
        append("<p class='meta'>").append(escaped(confidence)).append("</p>")
        staleness(record)?.let { append("<p class='warning'>").append(escaped(it)).append("</p>") }
        append(answer(record))
    }

    /** Each file once, with the lines that were read of it; nothing without files. */
    fun sources(sources: List<SourceRef>): String = buildString {
        if (sources.isEmpty()) return@buildString
        heading("record.sources")
        append("<ul>")
        sources.groupBy(SourceRef::path).forEach { (path, places) ->
            append("<li>").append(link(SourceLink(path, places.first().startLine), path))
            places.filter { it.startLine != null }.distinct().sortedBy { it.startLine }.forEachIndexed { index, place ->
                append(if (index == 0) " : " else ", ").append(link(SourceLink(path, place.startLine), lines(place)))
            }
            append("</li>")
        }
        append("</ul>")
    }

    fun nothing(): String = hint("record.none")

    fun gone(): String = hint("record.gone")

    private fun hint(key: String) = "<p class='meta'>${escaped(messages.text(key))}</p>"

    private fun answer(record: LearningRecord): String {
        val paths = record.sourceFiles.mapTo(HashSet(), SourceRef::path)
        return Markdown.html(record.effectiveAnswer) { it in paths }
    }

    private fun meta(record: LearningRecord): String = listOfNotNull(
        messages.text("record.pinned").takeIf { record.pinned },
        record.rating?.let { messages.text("record.${it.name.lowercase()}") },
        messages.questionType(record.questionType),
        messages.text("record.confidence", formats.percent(record.confidence)),
        formats.dateTime(record.createdAt),
        messages.textOr("record.model.${record.model}", record.model),
    ).joinToString(" · ")

    /** Whose words the answer is in, where they are the user's. */
    fun correction(record: LearningRecord): String? =
        record.correction?.let { messages.text("record.corrected", formats.dateTime(it.at)) }

    /** What there is to doubt about a record. */
    fun staleness(record: LearningRecord): String? = when (Standing.of(record)) {
        Standing.FRESH -> null
        Standing.ASKED_AGAIN -> messages.text("record.asked_again")
        Standing.CONTRADICTED -> messages.text("record.contradicted")
        Standing.REPLACED -> messages.text("record.replaced")
        Standing.STALE ->
            messages.text(
                "record.stale",
                record.freshness.path.orEmpty(),
                record.freshness.since?.let(formats::dateTime).orEmpty(),
            )
    }

    private fun lines(place: SourceRef): String = if (place.endLine == null || place.endLine == place.startLine) {
        "${place.startLine}"
    } else {
        "${place.startLine}-${place.endLine}"
    }

    private fun StringBuilder.path(steps: List<ToolCallStep>) {
        if (steps.isEmpty()) return
        heading("record.path")
        append("<ol>")
        steps.forEach { step ->
            append("<li><code>").append(escaped(step.toolName)).append("</code> ").append(escaped(arguments(step)))
            append("<br><span class='").append(if (step.isError) "error" else "meta").append("'>")
            append(escaped(step.resultSummary)).append(" · ").append(escaped(spent(step))).append("</span></li>")
        }
        append("</ol>")
    }

    private fun spent(step: ToolCallStep): String =
        if (step.cached) messages.text("record.cached") else formats.span(step.durationMs)

    private fun arguments(step: ToolCallStep): String = when (val parameters = step.parameters) {
        is JsonObject -> parameters.entries.joinToString { (key, value) ->
            "$key=" + if (value is JsonPrimitive) value.content else value.toString()
        }
        else -> parameters.toString()
    }

    private fun StringBuilder.heading(key: String) {
        append("<h3>").append(escaped(messages.text(key))).append("</h3>")
    }

    private fun link(place: SourceLink, text: String) = "<a href=\"${escaped(place.href)}\">${escaped(text)}</a>"
}
