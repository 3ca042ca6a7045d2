package dev.ouro.bridge

import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
import kotlinx.serialization.json.buildJsonObject
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertNotNull
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir
import java.nio.file.Path
import java.util.concurrent.atomic.AtomicInteger
import kotlin.time.Duration.Companion.seconds

internal class EvolutionEngineTest {
    @TempDir
    lateinit var data: Path

    private val weather: Path = Path.of(System.getProperty("ouro.fixtures"), "weather")
    private val config = EvolutionConfig(enabled = true, intervalMs = 0)

    private suspend fun open(tools: ToolRegistry = ToolRegistry(), config: EvolutionConfig = this.config) =
        EvolutionEngine.open(weather, data, config, tools = tools)

    private class TestTool(
        override val name: String,
        override val timeLimitMs: Long = 10_000,
        private val body: suspend (JsonObject) -> ToolResult,
    ) : Tool {
        override val description = "A tool of the host"
        override val parameters = buildJsonObject { put("type", JsonPrimitive("object")) }

        override suspend fun call(arguments: JsonObject) = body(arguments)
    }

    /** In place of every native tool, so that an exploration must come here. */
    private fun everyTool(timeLimitMs: Long = 10_000, body: suspend (JsonObject) -> ToolResult) = ToolRegistry(
        listOf("read_file", "grep_file", "find_file", "call_chain", "expert_consult")
            .map { TestTool(it, timeLimitMs, body) },
    )

    @Test
    fun `a project is learnt, and what is known can be asked`() = runBlocking {
        open().use { engine ->
            engine.start(iterations = 2)
            assertEquals("iterations_done", engine.awaitEnd(60.seconds)?.reason)
            val records = engine.records()
            assertEquals(2, records.size)
            assertTrue(records.all { it.sourceFiles.isNotEmpty() && it.effectiveAnswer.isNotBlank() }, "$records")
            assertEquals(2L, engine.refreshStats().totalLearningRecords)
            assertEquals(records.drop(1), engine.records(before = records[0].id))
            assertTrue(engine.ask(records[0].question).records.any { it.id == records[0].id })
            assertTrue(engine.search(records[1].question).any { it.id == records[1].id })
            assertTrue(engine.log(10).isNotEmpty())
            val marked = engine.markRecord(records[0].id, pinned = true, correction = "No.")
            assertEquals(Pair(true, "No."), Pair(marked.pinned, marked.effectiveAnswer))
            engine.deleteRecord(records[1].id)
            assertEquals(listOf(records[0].id), engine.records().map { it.id })
            assertThrows(EngineException.NotFound::class.java) { runBlocking { engine.deleteRecord(records[1].id) } }
        }
        // What was learnt is there when the project is opened again.
        open().use { assertEquals(1, it.records().size) }
    }

    @Test
    fun `events arrive and move the statistics`() = runBlocking {
        open().use { engine ->
            val saved = CompletableDeferred<ProjectEvent>()
            val listener = launch { saved.complete(engine.events.first { it.kind == "record_saved" }) }
            kotlinx.coroutines.yield()
            engine.start(iterations = 1)
            assertEquals(engine.project, saved.await().project)
            assertNotNull(saved.await().record)
            listener.join()
            engine.stats.first { it.totalLearningRecords == 1L && it.stopReason != null }
        }
        Unit
    }

    @Test
    fun `the host's tools are called, and one that throws fails its call alone`() = runBlocking {
        val calls = AtomicInteger()
        val tools = everyTool { _ ->
            if (calls.incrementAndGet() == 1) error("out of paper")
            ToolResult("one line", "def forecast():", listOf(SourceLine("weather/forecast.py", 1, "def forecast():")))
        }
        open(tools).use { engine ->
            engine.start(iterations = 2)
            assertNotNull(engine.awaitEnd(60.seconds))
            assertTrue(calls.get() > 1, "$calls calls")
        }
    }

    @Test
    fun `a tool that hangs is cancelled after its time limit`() = runBlocking {
        val cancelled = CompletableDeferred<Unit>()
        val tools = everyTool(timeLimitMs = 50) {
            try {
                awaitCancellation()
            } finally {
                cancelled.complete(Unit)
            }
        }
        open(tools).use { engine ->
            engine.start(iterations = 1)
            cancelled.await()
        }
    }

    @Test
    fun `closing while a tool runs cancels it and frees the project`() = runBlocking {
        val called = CompletableDeferred<Unit>()
        val cancelled = CompletableDeferred<Unit>()
        val tools = everyTool {
            called.complete(Unit)
            try {
                awaitCancellation()
            } finally {
                cancelled.complete(Unit)
            }
        }
        val engine = open(tools)
        engine.start()
        called.await()
        engine.close()
        engine.close()
        cancelled.await()
        assertThrows(EngineException.Closed::class.java) { runBlocking { engine.records() } }
        open().close()
    }

    @Test
    fun `what the host does wrong is an exception that says so`() {
        fun failure(work: suspend () -> Unit) =
            assertThrows(EngineException::class.java) { runBlocking { work() } }

        val missing = failure { EvolutionEngine.open(weather.resolve("nowhere"), data) }
        assertTrue(missing is EngineException.NotFound && "nowhere" in missing.message!!, "$missing")
        val wrong = failure { open(config = config.copy(questionsPerIteration = 0)) }
        assertTrue(wrong is EngineException.InvalidInput && "questions_per_iteration" in wrong.message!!, "$wrong")
        val name = failure { open(ToolRegistry(listOf(TestTool("Read File") { error("never") }))) }
        assertTrue(name is EngineException.InvalidInput && "Read File" in name.message!!, "$name")
        runBlocking {
            open(config = EvolutionConfig()).use { engine ->
                assertTrue(failure { engine.start() } is EngineException.InvalidInput)
                assertTrue(failure { open() } is EngineException.InUse)
                assertTrue(failure { engine.awaitEnd(1.seconds) } is EngineException.InvalidInput)
            }
        }
    }

    @Test
    fun `completions that nobody waits for are ignored and counted`() = runBlocking {
        open().use {
            val before = ignored()
            assertFalse(NativeApi.toolComplete(Long.MAX_VALUE, "{}".encodeToByteArray()))
            assertFalse(NativeApi.toolComplete(-1, "garbage".encodeToByteArray()))
            assertEquals(before + 2, ignored())
        }
    }

    private fun ignored(): Int {
        val counts = Wire.read<JsonObject>("the counts", NativeApi.diagnostics())
        return (counts["ignored_completions"] as JsonPrimitive).content.toInt()
    }

    companion object {
        @JvmStatic
        @AfterAll
        fun `the library can be shut down and started again`() {
            EvolutionEngine.shutdown()
            EvolutionEngine.shutdown()
            NativeHost.start()
            EvolutionEngine.shutdown()
        }
    }
}
