package dev.ouro.bridge

import kotlinx.serialization.SerialName
import kotlinx.serialization.Serializable

/** A loop that a [LoopDetector] found. */
@Serializable
public data class DetectedLoop(
    /** `content_chanting`, `consecutive_identical_tool_calls` and so on. */
    val kind: String,
    /** `content`, `reasoning`, `tool_calls` or `session`. */
    val channel: String,
    /** The rule that found it, by the name that its configuration uses. */
    val rule: String,
    /** Where it is in the text. */
    val span: LoopSpan? = null,
    /** Of a loop in a text: one copy of what repeats, cut to 200 characters. */
    val pattern: String? = null,
    /** Length of one repetition: characters of text, or rounds of calls. */
    val period: Long,
    /** How often it was seen. */
    val count: Long,
    /** How often it takes, where the rule counts. */
    val threshold: Long? = null,
    /** One sentence for a person: what repeated, how often, from where, by which rule and threshold. */
    val evidence: String,
    /** What would have kept the rule from firing, in a sentence for a person. */
    @SerialName("cleared_by") val clearedBy: String,
    /** What to do about it. */
    val recovery: LoopRecovery,
)

/** Where a loop is in a text. */
@Serializable
public data class LoopSpan(
    /** Where the first copy begins, in characters. */
    val start: Long,
    /** How far had been read, in characters. */
    val end: Long,
    /** In UTF-16 code units, as a Kotlin `String` counts. */
    @SerialName("start_utf16") val startUtf16: Long,
    /** As [end], in UTF-16 code units. */
    @SerialName("end_utf16") val endUtf16: Long,
)

/** What to do about a loop. */
@Serializable
public data class LoopRecovery(
    /** `continue`, `abort_and_retry`, `abort_with_hint` or `ask_user`. */
    val action: String,
    /** Of `abort_with_hint`: what to tell the model. */
    val hint: String? = null,
)
