package dev.ouro.ide.loop

import dev.ouro.bridge.ProjectEvent
import kotlin.time.Duration
import kotlin.time.Duration.Companion.hours
import kotlin.time.TimeMark
import kotlin.time.TimeSource

/** Something that the user should hear of without looking. [text] is plain and in the user's language. */
internal data class Notice(val kind: Kind, val text: String) {
    /** What it is about. */
    enum class Kind { FIRST_RECORD, QUOTA_REACHED, MODEL_UNREACHABLE, LOOP_STOPPED }
}

/** Decides which events the user is told of, and how often at most. Used by one coroutine. */
internal class NoticeRules(private val time: TimeSource = TimeSource.Monotonic) {
    private val told = mutableMapOf<Notice.Kind, TimeMark>()

    /**
     * What to say of [event].
     *
     * @param records how many records the project has now.
     */
    fun of(event: ProjectEvent, records: Long): Notice? {
        val notice = when (event) {
            is ProjectEvent.RecordSaved ->
                Notice(Notice.Kind.FIRST_RECORD, event.record.question.replace("`", "")).takeIf { records <= 1 }
            is ProjectEvent.Waiting ->
                Notice(Notice.Kind.QUOTA_REACHED, event.message).takeIf { event.reason == "quota_exhausted" }
            is ProjectEvent.Failed ->
                Notice(Notice.Kind.MODEL_UNREACHABLE, event.message).takeIf { event.kind in UNREACHABLE }
            is ProjectEvent.Finished ->
                Notice(Notice.Kind.LOOP_STOPPED, event.message).takeIf { event.reason !in EXPECTED }
            else -> null
        }
        return notice?.takeIf { isDue(it.kind) }
    }

    private fun isDue(kind: Notice.Kind): Boolean {
        val last = told[kind]
        if (last != null && last.elapsedNow() < REST.getValue(kind)) return false
        told[kind] = time.markNow()
        return true
    }

    private companion object {
        val UNREACHABLE = setOf("unavailable", "timeout", "rate_limited")

        /** Ends that the user asked for or needs not act on. */
        val EXPECTED = setOf("user_stopped", "iterations_done", "fully_covered", "project_unchanged", "quota_exhausted")

        /** So long the same is not said again. */
        val REST: Map<Notice.Kind, Duration> = mapOf(
            Notice.Kind.FIRST_RECORD to Duration.INFINITE,
            Notice.Kind.QUOTA_REACHED to 12.hours,
            Notice.Kind.MODEL_UNREACHABLE to 1.hours,
            Notice.Kind.LOOP_STOPPED to 1.hours,
        )
    }
}
