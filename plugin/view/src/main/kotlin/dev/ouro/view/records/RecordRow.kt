package dev.ouro.view.records

import dev.ouro.bridge.Freshness
import dev.ouro.bridge.LearningRecord
import dev.ouro.view.base.Markdown
import dev.ouro.view.base.Messages

/** What the table shows of a record; the whole of it is read when it is selected. */
public class RecordRow internal constructor(record: LearningRecord) {
    /** The record's id. */
    public val id: String = record.id

    /** When it was written, epoch milliseconds. */
    public val createdAt: Long = record.createdAt

    /** The question as plain text. */
    public val question: String = Markdown.plain(record.question)
    internal val type: String = record.questionType
    internal val confidence: Float = record.confidence
    internal val standing: Standing = Standing.of(record)
    internal val isPinned: Boolean = record.pinned
    private val haystack: String = buildString {
        append(record.question).append('\n').append(record.domain)
        record.tags.forEach { append('\n').append(it) }
        record.sourceFiles.mapTo(sortedSetOf()) { it.path }.forEach { append('\n').append(it) }
    }.lowercase()

    /** Whether every one of [words], in lower case, is in the question, the domain, the tags or the sources' paths. */
    internal fun contains(words: List<String>): Boolean = words.all { it in haystack }
}

/** What an answer is worth now. */
internal enum class Standing {
    FRESH,
    STALE,
    CONTRADICTED,
    ASKED_AGAIN,

    /** A newer record answers the question. */
    REPLACED,
    ;

    internal companion object {
        fun of(record: LearningRecord): Standing = when {
            record.supersededBy != null -> REPLACED
            else -> when (record.freshness.state) {
                Freshness.State.FRESH -> FRESH
                Freshness.State.STALE -> STALE
                Freshness.State.CONTRADICTED -> CONTRADICTED
                Freshness.State.ASKED_AGAIN -> ASKED_AGAIN
            }
        }
    }
}

/** The columns of the table. */
public enum class RecordColumn(internal val key: String, internal val comparator: Comparator<RecordRow>) {
    /** By its letters. */
    QUESTION("records.column.question", compareBy(String.CASE_INSENSITIVE_ORDER, RecordRow::question)),

    /** The question's kind. */
    TYPE("records.column.type", compareBy(RecordRow::type)),

    /** How sure the answer is. */
    CONFIDENCE("records.column.confidence", compareBy(RecordRow::confidence)),

    /** What the answer is worth now. */
    FRESHNESS("records.column.freshness", compareBy(RecordRow::standing)),

    /** When it was written. */
    CREATED("records.column.created", compareBy(RecordRow::createdAt)),
}

/** A question's kind in the user's language. */
internal fun Messages.questionType(name: String): String = textOr("type.$name", name)
