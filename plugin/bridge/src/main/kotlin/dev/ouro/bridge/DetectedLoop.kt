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
    val rule: String,
    /** Where it is in the text. */
    val span: LoopSpan? = null,
    val pattern: String? = null,
    val period: Long,
    val count: Long,
    /** One sentence for a person. */
    val evidence: String,
    val recovery: LoopRecovery,
)

/** Where a loop is in a text. */
@Serializable
public data class LoopSpan(
    val start: Long,
    val end: Long,
    /** In UTF-16 code units, as a Kotlin `String` counts. */
    @SerialName("start_utf16") val startUtf16: Long,
    @SerialName("end_utf16") val endUtf16: Long,
)

/** What to do about a loop. */
@Serializable
public data class LoopRecovery(
    /** `continue`, `abort_and_retry`, `abort_with_hint` or `ask_user`. */
    val action: String,
    val hint: String? = null,
)
