package dev.ouro.bridge

import com.sun.net.httpserver.HttpServer
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancel
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.flow.filterIsInstance
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
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
import java.net.InetSocketAddress
import java.nio.file.Path
import java.util.concurrent.CountDownLatch
import java.util.concurrent.atomic.AtomicInteger
import kotlin.io.path.writeText
import kotlin.time.Duration.Companion.seconds

internal class EvolutionEngineTest {
    @TempDir
    lateinit var data: Path

    private val weather: Path = Path.of(System.getProperty("ouro.fixtures"), "weather")
    private val config = EvolutionConfig(enabled = true, intervalMs = 0)

    private suspend fun open(tools: ToolRegistry = ToolRegistry(), config: EvolutionConfig = this.config) =
        EvolutionEngine.open(weather, EngineSettings(config), tools, data)

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
            assertEquals(Rating.USELESS, engine.rateRecord(records[0].id, Rating.USELESS).rating)
            assertEquals(null, engine.rateRecord(records[0].id, null).rating)
            assertTrue(records[1].question in engine.knowledge(records[1].question))
            assertEquals("", engine.knowledge("zymurgy of quokkas"))
            engine.deleteRecord(records[1].id)
            assertEquals(listOf(records[0].id), engine.records().map { it.id })
            assertThrows(EngineException.NotFound::class.java) { runBlocking { engine.deleteRecord(records[1].id) } }
        }
        // What was learnt is there when the project is opened again.
        open().use { assertEquals(1, it.records().size) }
    }

    @Test
    fun `an empty path is the current folder`() = runBlocking {
        val here = EvolutionEngine.open(Path.of("").toAbsolutePath(), dataDir = data).use { it.project }
        assertEquals(here, EvolutionEngine.open(Path.of(""), dataDir = data).use { it.project })
    }

    @Test
    fun `events arrive and move the statistics`() = runBlocking {
        open().use { engine ->
            val saved = async(start = CoroutineStart.UNDISPATCHED) {
                engine.events.filterIsInstance<ProjectEvent.RecordSaved>().first()
            }
            engine.start(iterations = 1)
            assertEquals(engine.project, saved.await().project)
            assertEquals(engine.records(), listOf(saved.await().record))
            engine.stats.first { it.totalLearningRecords == 1L && it.stopReason != null }
        }
        Unit
    }

    @Test
    fun `what the library logs arrives`() = runBlocking {
        val ended = CompletableDeferred<LogLine>()
        EvolutionEngine.logTo { line -> if ("the loop ended" in line.message) ended.complete(line) }
        open().use { engine ->
            engine.runOnce()
            assertEquals(3, ended.await().level)
            assertTrue(ended.await().target.startsWith("ouro_engine"), "${ended.await()}")
        }
        EvolutionEngine.logTo {}
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
    fun `a tool without time is refused by its name`() {
        val refused = assertThrows(EngineException.InvalidInput::class.java) {
            runBlocking { open(everyTool(timeLimitMs = 0) { awaitCancellation() }).close() }
        }
        assertTrue("has no time" in refused.message!!, "$refused")
    }

    @Test
    fun `a tool that is cancelled by nobody but itself fails its call at once`() = runBlocking {
        val own = listOf<suspend () -> ToolResult>(
            { withTimeout(1) { awaitCancellation() } },
            { throw CancellationException("the work that it waited for") },
            { currentCoroutineContext().cancel().let { awaitCancellation() } },
        )
        val calls = AtomicInteger()
        // Whoever waited for a time limit would wait for ever.
        val tools = everyTool(timeLimitMs = 3_600_000) { own[calls.getAndIncrement() % own.size]() }
        val patient = config.copy(explorationTimeoutMs = 3_600_000, baseBackoffMs = 1, maxBackoffMs = 1)
        open(tools, patient).use { engine ->
            engine.start(iterations = 1)
            assertNotNull(engine.awaitEnd(60.seconds), "after ${calls.get()} calls")
            assertTrue(calls.get() >= own.size, "$calls calls")
            val errors = engine.failures().map { it.error }
            assertTrue(errors.any { "failed: " in it && "Timed out" in it }, "$errors")
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
    fun `who is cancelled while a project is opened leaves it closed`() = runBlocking {
        val asked = CompletableDeferred<Unit>()
        val answer = CountDownLatch(1)
        val server = HttpServer.create(InetSocketAddress("127.0.0.1", 0), 0)
        server.createContext("/v1/models") { exchange ->
            asked.complete(Unit)
            answer.await()
            val body = """{"data": [{"id": "small"}]}""".encodeToByteArray()
            exchange.sendResponseHeaders(200, body.size.toLong())
            exchange.responseBody.use { it.write(body) }
        }
        server.start()
        val model = Endpoint("http://127.0.0.1:${server.address.port}")
        val opening = async(Dispatchers.Default) {
            EvolutionEngine.open(weather, EngineSettings(config, model), dataDir = data)
        }
        asked.await()
        opening.cancel()
        answer.countDown()
        opening.join()
        open().close()
        server.stop(0)
    }

    @Test
    fun `a project that is not learnt is analysed, and its records follow the files`(@TempDir folder: Path) =
        runBlocking {
            val file = folder.resolve("price.py")
            file.writeText(PRICE)
            val off = EngineSettings(config.copy(enabled = false))
            EvolutionEngine.open(folder, EngineSettings(config), dataDir = data).use { engine ->
                engine.start(iterations = 1)
                assertEquals("iterations_done", engine.awaitEnd(60.seconds)?.reason)
                engine.configure(off)
                analysed(engine) { engine.analyze() }
                assertEquals(Freshness.State.FRESH, engine.records().single().freshness.state)
                file.writeText(PRICE.replace("count * 3", "count * 4 + 1"))
                analysed(engine) { engine.projectChanged() }
                assertEquals(Freshness.State.STALE, engine.records().single().freshness.state)
                assertEquals(1L, engine.stats.value.totalQuestions)
                engine.stop()
                assertEquals(RunState.STOPPED, engine.stats.value.run)
            }
        }

    /** Returns when the analysis that [begin] begins is done. */
    private suspend fun analysed(engine: EvolutionEngine, begin: suspend () -> Unit): Unit = coroutineScope {
        val idle = async(start = CoroutineStart.UNDISPATCHED) {
            engine.events.filterIsInstance<ProjectEvent.PhaseChanged>().first { it.phase == Phase.IDLE }
        }
        begin()
        idle.await()
    }

    @Test
    fun `what the host does wrong is an exception that says so`() {
        fun failure(work: suspend () -> Unit) = assertThrows(EngineException::class.java) { runBlocking { work() } }

        val missing = failure { EvolutionEngine.open(weather.resolve("nowhere"), dataDir = data) }
        assertTrue(missing is EngineException.NotFound && "nowhere" in missing.message!!, "$missing")
        val wrong = failure { open(config = config.copy(questionsPerIteration = 0)) }
        assertTrue(wrong is EngineException.InvalidInput && "questions_per_iteration" in wrong.message!!, "$wrong")
        val infinite = failure { open(config = config.copy(backoffMultiplier = Double.POSITIVE_INFINITY)) }
        assertTrue(infinite is EngineException.InvalidInput && "backoff_multiplier" in infinite.message!!, "$infinite")
        val name = failure { open(ToolRegistry(listOf(TestTool("Read File") { error("never") }))) }
        assertTrue(name is EngineException.InvalidInput && "Read File" in name.message!!, "$name")
        runBlocking {
            open(config = EvolutionConfig()).use { engine ->
                assertTrue(failure { engine.start() } is EngineException.InvalidInput)
                assertTrue(failure { open() } is EngineException.InUse)
                assertTrue(failure { engine.awaitEnd(1.seconds) } is EngineException.InvalidInput)
                val limit = failure { engine.log(-1) }
                assertTrue(limit is EngineException.InvalidInput && "`limit`" in limit.message!!, "$limit")
                val endless = failure { engine.configure(EngineSettings(config.copy(backoffMultiplier = Double.NaN))) }
                assertTrue(endless is EngineException.InvalidInput, "$endless")
            }
        }
    }

    @Test
    fun `a loop is paused, resumed, configured anew and stopped`() = runBlocking {
        open(config = config.copy(intervalMs = 60_000)).use { engine ->
            assertEquals(RunState.STOPPED, engine.stats.value.run)
            engine.pause()
            engine.resume()
            assertEquals(RunState.STOPPED, engine.stats.value.run)
            engine.start()
            engine.start()
            assertEquals(RunState.RUNNING, engine.stats.value.run)
            engine.stats.first { it.totalLearningRecords == 1L }
            engine.pause()
            assertEquals(RunState.PAUSED, engine.stats.value.run)
            assertEquals("user_stopped", engine.awaitEnd(1.seconds)?.reason)
            engine.resume()
            assertEquals(RunState.RUNNING, engine.stats.value.run)
            // Nothing but the new interval lets it go on.
            engine.configure(EngineSettings(config.copy(maxDailyQuestions = 3)))
            assertEquals(RunState.RUNNING, engine.stats.value.run)
            val waiting = engine.stats.first { it.waitReason?.reason == "quota_exhausted" }
            assertEquals(Pair(3, 0), Pair(waiting.quota.questionsLimit, waiting.quota.questionsRemaining))
            engine.stop()
            assertEquals(RunState.STOPPED, engine.stats.value.run)
            engine.resume()
            assertEquals(RunState.STOPPED, engine.stats.value.run)
        }
    }

    @Test
    fun `wrong settings leave everything as it was, and taking consent back stops the loop`() = runBlocking {
        open(config = config.copy(intervalMs = 60_000)).use { engine ->
            engine.start()
            for (wrong in listOf(
                EngineSettings(config.copy(maxBackoffMs = 0)),
                EngineSettings(config, excluded = listOf("a[")),
                EngineSettings(config, embedder = Endpoint("nowhere", "none")),
            )) {
                assertThrows(EngineException::class.java) { runBlocking { engine.configure(wrong) } }
                assertEquals(RunState.RUNNING, engine.refreshStats().run, "$wrong")
            }
            // An embedder that is away is used when it is there.
            engine.configure(EngineSettings(config, embedder = Endpoint("http://127.0.0.1:9", "none")))
            assertEquals(RunState.RUNNING, engine.refreshStats().run)
            engine.configure(EngineSettings(EvolutionConfig(enabled = false)))
            assertEquals(RunState.STOPPED, engine.stats.value.run)
        }
    }

    @Test
    fun `a bounded run goes on after a pause for as many iterations as were left`() = runBlocking {
        open(config = config.copy(intervalMs = 60_000)).use { engine ->
            engine.start(iterations = 2)
            engine.stats.first { it.waitReason?.reason == "interval" }
            engine.pause()
            engine.configure(EngineSettings(config))
            assertEquals(RunState.PAUSED, engine.stats.value.run)
            engine.resume()
            assertEquals("iterations_done", engine.awaitEnd(60.seconds)?.reason)
            assertEquals(2, engine.records().size)
        }
    }

    @Test
    fun `a question is asked again when the user wants it, also one that was corrected`() = runBlocking {
        open().use { engine ->
            engine.start(iterations = 1)
            engine.awaitEnd(60.seconds)
            val old = engine.records().single()
            engine.markRecord(old.id, correction = "No.")
            assertEquals(Freshness.State.ASKED_AGAIN, engine.askAgain(old.id).freshness.state)
            engine.runOnce()
            assertEquals("iterations_done", engine.awaitEnd(60.seconds)?.reason)
            val new = engine.records().first()
            assertEquals(Pair(old.question, old.id), Pair(new.question, new.supersedes))
            assertEquals(new.id, engine.record(old.id).supersededBy)
            assertTrue(new.question in engine.exportMarkdown())
            assertEquals(null, engine.markRecord(old.id, correction = "").correction)
        }
    }

    @Test
    fun `the library's own tools can be called, whether the host replaced them or not`() = runBlocking {
        open(everyTool { error("not asked") }).use { engine ->
            val tools = engine.nativeTools().associateBy(Tool::name)
            assertEquals(
                setOf("call_chain", "expert_consult", "find_file", "grep_file", "read_file"),
                tools.keys,
            )
            val arguments = buildJsonObject { put("path", JsonPrimitive("weather/forecast.py")) }
            val read = tools.getValue("read_file").call(arguments)
            assertTrue(read.lines.any { it.path == "weather/forecast.py" && "def " in it.text }, "$read")
            val outside = buildJsonObject { put("path", JsonPrimitive("../../../etc/passwd")) }
            val refused = runCatching { tools.getValue("read_file").call(outside) }
            assertTrue(refused.exceptionOrNull() is EngineException || refused.getOrThrow().isError, "$refused")
        }
    }

    @Test
    fun `an endpoint says what it serves, or why it can't be used`() {
        val server = HttpServer.create(InetSocketAddress("127.0.0.1", 0), 0)
        server.createContext("/v1/models") { exchange ->
            val body = """{"data": [{"id": "small"}]}""".encodeToByteArray()
            exchange.sendResponseHeaders(200, body.size.toLong())
            exchange.responseBody.use { it.write(body) }
        }
        server.start()
        val url = "http://127.0.0.1:${server.address.port}"
        runBlocking {
            val report = EvolutionEngine.checkEndpoint(Endpoint(url))
            assertEquals(EndpointReport("$url/v1", "small", listOf("small"), emptyList()), report)
            val wrong = EvolutionEngine.checkEndpoint(Endpoint(url, "large"))
            assertTrue("`large`" in wrong.problems.single(), "$wrong")
        }
        server.stop(0)
        val down = assertThrows(EngineException.Unavailable::class.java) {
            runBlocking { EvolutionEngine.checkEndpoint(Endpoint(url)) }
        }
        assertEquals("unavailable", down.code)
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
        private const val PRICE = "def price(count):\n    \"\"\"What so many cost.\"\"\"\n    return count * 3\n"

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
