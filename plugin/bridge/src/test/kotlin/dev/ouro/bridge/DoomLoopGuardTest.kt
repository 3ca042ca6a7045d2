package dev.ouro.bridge

import kotlinx.coroutines.runBlocking
import kotlinx.serialization.json.JsonPrimitive
import kotlinx.serialization.json.buildJsonObject
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir
import java.nio.file.Path
import kotlin.time.Duration.Companion.seconds

internal class DoomLoopGuardTest {
    @TempDir
    lateinit var data: Path

    private val weather: Path = Path.of(System.getProperty("ouro.fixtures"), "weather")
    private val arguments = buildJsonObject { put("path", JsonPrimitive("a.kt")) }

    private fun withGuard(
        evolution: EvolutionConfig = EvolutionConfig(enabled = true, intervalMs = 0),
        work: suspend (EvolutionEngine, DoomLoopGuard) -> Unit,
    ) = runBlocking {
        EvolutionEngine.open(weather, EngineSettings(evolution), dataDir = data).use { work(it, it.guard) }
    }

    @Test
    fun `a call that ran is answered from memory, also after a restart`() {
        val result = ToolResult("2 lines", "a\nb", listOf(SourceLine("a.kt", 1, "a")))
        withGuard { _, guard ->
            assertFalse(guard.checkToolCall("read_file", arguments).shouldSkip)
            guard.recordToolResult("read_file", arguments, result)
        }
        withGuard { _, guard ->
            val verdict = guard.checkToolCall("read_file", arguments)
            assertEquals(Pair("already_run", result), Pair(verdict.kind, verdict.cachedResult))
            assertFalse(guard.checkToolCall("grep_file", arguments).shouldSkip)
        }
    }

    @Test
    fun `failures are recorded, pause the loop and can be forgotten`() = withGuard { engine, guard ->
        val down = EngineException.Unavailable("unavailable", "the model is down", retryAfterMs = 90_000)
        val failure = guard.recordFailure(OperationKind.EXPLORATION, "Why?", down)!!
        assertEquals(Triple(1, "Why?", "transient"), Triple(failure.attempts, failure.operation, failure.errorClass))
        val backoff = guard.backoff()
        assertEquals(1, backoff.consecutiveErrors)
        assertTrue(backoff.remainingMs in 80_000..100_000, "$backoff")
        val verdict = guard.checkQuestion("What is a forecast?")
        assertEquals("in_backoff", verdict.kind)
        assertTrue(verdict.remainingBackoffMs!! > 80_000, "$verdict")
        guard.recordSuccess(OperationKind.EXPLORATION, "Why?")
        assertEquals(0L, guard.backoff().remainingMs)
        assertEquals(FailureRecord.Status.RESOLVED, guard.failures().single().status)
        engine.forgetFailure(failure.signature)
        assertEquals(emptyList<FailureRecord>(), guard.failures())
        assertThrows(EngineException.NotFound::class.java) { runBlocking { engine.forgetFailure(failure.signature) } }
        assertNull(guard.recordFailure(OperationKind.EXPLORATION, "Why?", EngineException.Cancelled("stopped")))
    }

    @Test
    fun `a call that failed for good is not made again until that is forgotten`() = withGuard { engine, guard ->
        val missing = EngineException.NotFound("there is no a.kt")
        val failure = guard.recordFailure(OperationKind.TOOL_CALL, "read_file", missing, arguments)!!
        val verdict = guard.checkToolCall("read_file", arguments)
        assertEquals("failed_before" to failure.id, verdict.kind to verdict.record?.id)
        engine.forgetFailure(failure.id)
        assertFalse(guard.checkToolCall("read_file", arguments).shouldSkip)
    }

    @Test
    fun `the day's quota ends, and a unit that was not used comes back`() =
        withGuard(EvolutionConfig(maxDailyExplorations = 1)) { _, guard ->
            val taken = guard.consume(QuotaKind.EXPLORATIONS)
            assertFalse(taken.verdict.shouldSkip)
            assertEquals(0, guard.quota().explorationsRemaining)
            val none = guard.consume(QuotaKind.EXPLORATIONS)
            assertEquals("quota_exhausted" to QuotaKind.EXPLORATIONS, none.verdict.kind to none.verdict.which)
            guard.release(none)
            guard.release(taken)
            assertEquals(1, guard.quota().explorationsRemaining)
            assertThrows(EngineException.InvalidInput::class.java) { runBlocking { guard.release(taken) } }
        }

    @Test
    fun `what the loop asked is a duplicate, and stays one when its record is deleted`() = withGuard { engine, guard ->
        engine.start(iterations = 1)
        engine.awaitEnd(60.seconds)
        val record = engine.records().single()
        val verdict = guard.checkQuestion(record.question)
        assertEquals(Triple("duplicate", record.question, 1f), Triple(verdict.kind, verdict.of, verdict.similarity))
        engine.deleteRecord(record.id)
        assertEquals("duplicate", guard.checkQuestion(record.question).kind)
    }
}
