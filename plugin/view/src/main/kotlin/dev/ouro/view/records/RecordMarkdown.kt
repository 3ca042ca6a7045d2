package dev.ouro.view.records

import dev.ouro.bridge.LearningRecord
import dev.ouro.bridge.SourceRef
import dev.ouro.view.base.Messages

/** Records as a Markdown document, to copy and to export. */
internal class RecordMarkdown(private val messages: Messages) {
    fun of(records: List<LearningRecord>): String =
        records.joinToString("\n\n---\n\n", postfix = "\n", transform = ::of)

    private fun of(record: LearningRecord): String = buildString {
        append("## ").append(record.question).append("\n\n").append(record.effectiveAnswer.trim())
        if (record.sourceFiles.isEmpty()) return@buildString
        append("\n\n").append(messages.text("record.sources")).append("\n\n")
        append(record.sourceFiles.distinct().joinToString("\n") { "- `${place(it)}`" })
    }

    private fun place(source: SourceRef): String = when {
        source.startLine == null -> source.path
        source.endLine == null || source.endLine == source.startLine -> "${source.path}:${source.startLine}"
        else -> "${source.path}:${source.startLine}-${source.endLine}"
    }
}
