package dev.ouro.view.records

import dev.ouro.bridge.LearningRecord
import dev.ouro.bridge.SourceRef
import dev.ouro.view.base.Messages

/** A record as Markdown, to copy: what there is to doubt about it goes along. */
internal class RecordMarkdown(private val messages: Messages, private val page: RecordPage) {
    fun of(record: LearningRecord): String = buildString {
        append("## ").append(record.question).append("\n\n").append(record.effectiveAnswer.trim())
        listOfNotNull(page.correction(record), page.staleness(record)).forEach { append("\n\n> ").append(it) }
        if (record.sourceFiles.isNotEmpty()) {
            append("\n\n").append(messages.text("record.sources")).append("\n\n")
            append(record.sourceFiles.distinct().joinToString("\n") { "- `${place(it)}`" })
        }
        append('\n')
    }

    private fun place(source: SourceRef): String = when {
        source.startLine == null -> source.path
        source.endLine == null || source.endLine == source.startLine -> "${source.path}:${source.startLine}"
        else -> "${source.path}:${source.startLine}-${source.endLine}"
    }
}
