package dev.ouro.ide.loop

import dev.ouro.bridge.LearningRecord
import dev.ouro.bridge.ProjectEvent
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Test
import kotlin.time.Duration.Companion.hours
import kotlin.time.Duration.Companion.minutes
import kotlin.time.TestTimeSource

internal class NoticeRulesTest {
    private val time = TestTimeSource()
    private val rules = NoticeRules(time)

    private fun failed(kind: String) = rules.of(ProjectEvent.Failed("p", kind, "down"), 0)

    private fun waiting(reason: String) = rules.of(ProjectEvent.Waiting("p", reason, null, "tomorrow"), 0)

    private fun finished(reason: String) =
        rules.of(ProjectEvent.Finished("p", reason, "why", FakeEngine(mutableListOf()).stats.value), 0)

    @Test
    fun `a model that is down is told at once, and again after an hour at the earliest`() {
        assertEquals(Notice(Notice.Kind.MODEL_UNREACHABLE, "down"), failed("unavailable"))
        time += 59.minutes
        assertNull(failed("timeout"))
        time += 2.minutes
        assertEquals(Notice.Kind.MODEL_UNREACHABLE, failed("timeout")?.kind)
    }

    @Test
    fun `errors of one's own are not the model's`() {
        assertNull(failed("storage"))
        assertNull(failed("internal"))
    }

    @Test
    fun `the first record is told once, as plain text`() {
        val question = "What does `Guard` do?"
        val record = LearningRecord(
            id = "1",
            projectKey = "p",
            createdAt = 0,
            question = question,
            questionType = "Other",
            answer = "It guards.",
            explorationPath = emptyList(),
            confidence = 1f,
            sourceFiles = emptyList(),
            tags = emptyList(),
            domain = "",
            model = "offline",
        )
        val told = Notice(Notice.Kind.FIRST_RECORD, "What does Guard do?")
        assertEquals(told, rules.of(ProjectEvent.RecordSaved("p", record), 1))
        assertNull(rules.of(ProjectEvent.RecordSaved("p", record), 1))
    }

    @Test
    fun `the quota is told once a day`() {
        assertNull(waiting("interval"))
        assertEquals(Notice(Notice.Kind.QUOTA_REACHED, "tomorrow"), waiting("quota_exhausted"))
        time += 11.hours
        assertNull(waiting("quota_exhausted"))
        time += 13.hours
        assertEquals(Notice.Kind.QUOTA_REACHED, waiting("quota_exhausted")?.kind)
    }

    @Test
    fun `only an end that the user should act on is told`() {
        for (expected in listOf("user_stopped", "iterations_done", "fully_covered", "project_unchanged")) {
            assertNull(finished(expected))
        }
        assertEquals(Notice(Notice.Kind.LOOP_STOPPED, "why"), finished("too_many_errors"))
    }
}
