package dev.ouro.bridge

import kotlinx.serialization.json.Json
import kotlinx.serialization.json.int
import kotlinx.serialization.json.jsonArray
import kotlinx.serialization.json.jsonObject
import kotlinx.serialization.json.jsonPrimitive
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertInstanceOf
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.BeforeEach
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir
import java.lang.reflect.InvocationTargetException
import java.lang.reflect.Modifier
import java.nio.file.Files
import java.nio.file.Path
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.CountDownLatch
import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicInteger

/** The native functions themselves, with a host that does everything wrong; needs a testing build of the library. */
internal class BorderTest {
    @TempDir
    lateinit var data: Path

    private val weather: Path = Path.of(System.getProperty("ouro.fixtures"), "weather")

    /** A host whose every answer can be chosen. */
    private class Host(
        val called: (Long) -> Unit = {},
        val cancelled: (Long) -> Unit = {},
        val told: () -> Unit = {},
    ) : NativeCallbacks {
        override fun onToolCall(callId: Long, project: String, name: String, argumentsJson: ByteArray) = called(callId)

        override fun onToolCancel(callId: Long) = cancelled(callId)

        override fun onEvent(json: ByteArray) = told()

        override fun onLog(level: Int, target: String, message: String) = told()
    }

    /** How many calls came back with what. */
    private data class Called(val done: Map<String, Int>, val failed: Map<String, Int>)

    @BeforeEach
    fun `no other host`() {
        NativeLibrary.load()
        EvolutionEngine.shutdown()
    }

    @AfterEach
    fun `shut down`() = NativeApi.shutdown(1_000)

    private fun openRequest() = Wire.write(
        EvolutionEngine.OpenRequest(
            schemaVersion = 1,
            projectRoot = "$weather",
            dataDir = "$data",
            settings = EngineSettings(EvolutionConfig(enabled = true, intervalMs = 0)),
            tools = listOf(ToolSpec("ask_host", "Asks the host", Json.parseToJsonElement("{}"), 60_000)),
        ),
    )

    private fun callTools(engine: Long, count: Int = 1, atOnce: Int = 1, limitMs: Long = 30_000): Called {
        val request = """{"tool":"ask_host","count":$count,"at_once":$atOnce,"time_limit_ms":$limitMs}"""
        val answer = NativeApi.testingCallTools(engine, request.encodeToByteArray()).decodeToString()
        val counts = Json.parseToJsonElement(answer).jsonObject
        fun of(name: String) = counts.getValue(name).jsonObject.mapValues { it.value.jsonPrimitive.int }
        return Called(of("done"), of("failed"))
    }

    private fun complete(callId: Long, summary: String = "done"): Boolean =
        NativeApi.toolComplete(callId, """{"summary":"$summary","content":""}""".encodeToByteArray())

    private fun ignored(): Int {
        val counts = Json.parseToJsonElement(NativeApi.diagnostics().decodeToString()).jsonObject
        assertEquals(0, counts.getValue("waiting_calls").jsonPrimitive.int, "calls are left over")
        return counts.getValue("ignored_completions").jsonPrimitive.int
    }

    private fun withEngine(host: Host = Host(), work: (Long) -> Unit) {
        NativeApi.init(host)
        val engine = NativeApi.engineOpen(openRequest())
        try {
            work(engine)
        } finally {
            NativeApi.engineClose(engine)
        }
    }

    private fun operations(engine: Long, detector: Long): Map<String, () -> Any?> {
        val stats = """{"op":"stats"}""".encodeToByteArray()
        val none = "{}".encodeToByteArray()
        return mapOf(
            "diagnostics" to { NativeApi.diagnostics() },
            "checkEndpoint" to {
                val endpoint = """{"schema_version":1,"endpoint":{"base_url":"http://127.0.0.1:9"}}"""
                NativeApi.checkEndpoint(endpoint.encodeToByteArray())
            },
            "engineOpen" to { NativeApi.engineOpen(openRequest()) },
            "engineCall" to { NativeApi.engineCall(engine, stats) },
            "guardCheckToolCall" to { NativeApi.guardCheckToolCall(engine, "read_file", none) },
            "toolAwaited" to { NativeApi.toolAwaited(1) },
            "toolComplete" to { NativeApi.toolComplete(1, none) },
            "detectorOpen" to { NativeApi.detectorOpen("") },
            "detectorPush" to { NativeApi.detectorPush(detector, 0, "text", 4) },
            "detectorPushShort" to { NativeApi.detectorPushShort(detector, 0, 1, 'x'.code.toLong(), 0) },
            "detectorEvent" to { NativeApi.detectorEvent(detector, """{"type":"turn_started"}""".encodeToByteArray()) },
            "detectorFound" to { NativeApi.detectorFound(detector) },
            "detectorAcknowledge" to { NativeApi.detectorAcknowledge(detector) },
            "detectorReset" to { NativeApi.detectorReset(detector, "next") },
            "detectorClose" to { NativeApi.detectorClose(detector) },
            "engineClose" to { NativeApi.engineClose(engine) },
            "init" to { NativeApi.init(Host()) },
            "shutdown" to { NativeApi.shutdown(100) },
        )
    }

    private fun requests(): List<String> {
        val file = Path.of(System.getProperty("ouro.fixtures"), "wire", "requests.json")
        return Json.parseToJsonElement(Files.readString(file)).jsonArray.map { it.toString() }
    }

    @Test
    fun `a panic in any operation is an exception with its message, and the next call works`() = withEngine { engine ->
        val detector = NativeApi.detectorOpen("")
        for ((name, operation) in operations(engine, detector) - "engineClose" - "shutdown" - "detectorClose") {
            NativeApi.testingArm("call")
            val panic = assertThrows(EngineException.Internal::class.java, { operation() }, name)
            assertEquals("panic", panic.code, name)
            assertTrue("armed at Call" in panic.message!!, "$name: $panic")
            NativeApi.diagnostics()
        }
        val closing = operations(engine, detector).filterKeys { it in setOf("detectorClose", "shutdown") }
        for ((name, operation) in closing) {
            NativeApi.testingArm("call")
            assertThrows(EngineException.Internal::class.java, { operation() }, name)
        }
        NativeApi.detectorClose(detector)
    }

    @Test
    fun `a panic in the asynchronous part of any request is an exception too`() = withEngine { engine ->
        for (request in requests()) {
            NativeApi.testingArm("async")
            val panic = assertThrows(
                EngineException.Internal::class.java,
                { NativeApi.engineCall(engine, request.encodeToByteArray()) },
                request,
            )
            assertTrue("armed at Async" in panic.message!!, "$request: $panic")
        }
        assertTrue("\"run\":\"stopped\"" in NativeApi.engineCall(engine, STATS).decodeToString())
    }

    @Test
    fun `an operation on what is closed, or never was, says so`() {
        NativeApi.init(Host())
        val closed = operations(engine = 0, detector = Long.MAX_VALUE).filterKeys {
            (it.startsWith("engine") && it != "engineOpen") || it.startsWith("guard") ||
                (it.startsWith("detector") && it != "detectorOpen")
        }
        assertEquals(10, closed.size)
        for ((name, operation) in closed) assertThrows(EngineException.Closed::class.java, { operation() }, name)
    }

    @Test
    fun `garbage is refused, and null is no crash`() = withEngine { engine ->
        val detector = NativeApi.detectorOpen("")
        val garbage = byteArrayOf(-1, -2, 0, 34)
        val refused = mapOf<String, () -> Any?>(
            "engineOpen" to { NativeApi.engineOpen(garbage) },
            "engineCall" to { NativeApi.engineCall(engine, garbage) },
            "checkEndpoint" to { NativeApi.checkEndpoint(garbage) },
            "guardCheckToolCall" to { NativeApi.guardCheckToolCall(engine, "read_file", garbage) },
            "guardCheckToolCall, no object" to {
                NativeApi.guardCheckToolCall(engine, "read_file", "[1]".encodeToByteArray())
            },
            "detectorOpen" to { NativeApi.detectorOpen("\uD800") },
            "detectorEvent" to { NativeApi.detectorEvent(detector, garbage) },
            "detectorPush" to { NativeApi.detectorPush(detector, 2, "", 0) },
            "detectorPushShort, channel" to { NativeApi.detectorPushShort(detector, 2, 0, 0, 0) },
            "detectorPushShort, length" to { NativeApi.detectorPushShort(detector, 0, 9, 0, 0) },
            "detectorPushShort, negative length" to { NativeApi.detectorPushShort(detector, 0, -1, 0, 0) },
        )
        for ((name, operation) in refused) assertThrows(EngineException.InvalidInput::class.java, { operation() }, name)
        assertThrows(StringIndexOutOfBoundsException::class.java) { NativeApi.detectorPush(detector, 0, "text", 5) }
        // Only Java code can hand in null.
        for (method in NativeApi::class.java.declaredMethods) {
            val modifiers = method.modifiers
            val takesObjects = method.parameterTypes.any { !it.isPrimitive }
            if (!Modifier.isNative(modifiers) || !takesObjects) continue
            method.isAccessible = true
            val arguments = method.parameterTypes.map { type ->
                mapOf<Class<*>, Any>(Long::class.java to engine, Int::class.java to 0)[type]
            }
            val thrown = assertThrows(
                InvocationTargetException::class.java,
                { method.invoke(null, *arguments.toTypedArray()) },
                method.name,
            )
            assertInstanceOf(EngineException::class.java, thrown.cause, method.name)
        }
        NativeApi.detectorClose(detector)
    }

    @Test
    fun `ten thousand callbacks are answered from many threads`() {
        val threads = Executors.newFixedThreadPool(8)
        val accepted = AtomicInteger()
        val told = CountDownLatch(10_000)
        val host = Host(called = { id ->
            threads.execute {
                if (complete(id)) accepted.incrementAndGet()
                told.countDown()
            }
        })
        withEngine(host) { engine ->
            assertEquals(Called(mapOf("done" to 10_000), emptyMap()), callTools(engine, 10_000, atOnce = 64))
            assertTrue(told.await(10, TimeUnit.SECONDS))
            assertEquals(10_000, accepted.get())
            assertEquals(0, ignored())
        }
        threads.shutdown()
    }

    @Test
    fun `completions that are late, double or unknown are ignored and counted`() {
        val late = CountDownLatch(1)
        val answered = CountDownLatch(1)
        val lateAccepted = AtomicInteger()
        val host = Host(
            called = { id ->
                Thread {
                    late.await()
                    if (complete(id)) lateAccepted.incrementAndGet()
                    answered.countDown()
                }.start()
            },
            cancelled = { late.countDown() },
        )
        withEngine(host) { engine ->
            assertEquals(Called(emptyMap(), mapOf("timeout" to 1)), callTools(engine, limitMs = 50))
            assertTrue(answered.await(10, TimeUnit.SECONDS))
            assertEquals(Pair(0, 1), Pair(lateAccepted.get(), ignored()))
        }
        NativeApi.shutdown(1_000)
        val doubled = ConcurrentHashMap<Boolean, AtomicInteger>()
        val told = CountDownLatch(200)
        val twice = Host(called = { id ->
            repeat(2) {
                doubled.computeIfAbsent(complete(id, "answer $it")) { AtomicInteger() }.incrementAndGet()
                told.countDown()
            }
        })
        withEngine(twice) { engine ->
            assertEquals(Called(mapOf("answer 0" to 100), emptyMap()), callTools(engine, 100, atOnce = 10))
            // A call ends with its first completion, before the second is made.
            assertTrue(told.await(10, TimeUnit.SECONDS))
            assertEquals(mapOf(true to 100, false to 100), doubled.mapValues { it.value.get() })
            assertFalse(complete(Long.MAX_VALUE))
            assertEquals(101, ignored())
        }
    }

    @Test
    fun `a callback that throws fails its call at once and nothing else`() {
        val host = Host(
            called = { throw IllegalStateException("out of paper") },
            cancelled = { throw IllegalStateException("out of paper") },
            told = { throw IllegalStateException("out of paper") },
        )
        withEngine(host) { engine ->
            assertEquals(Called(emptyMap(), mapOf("internal" to 50)), callTools(engine, 50, atOnce = 5))
            NativeApi.engineCall(engine, """{"op":"start","iterations":1}""".encodeToByteArray())
            val end = NativeApi.engineCall(engine, """{"op":"wait","timeout_ms":30000}""".encodeToByteArray())
            assertTrue("iterations_done" in end.decodeToString(), end.decodeToString())
        }
    }

    @Test
    fun `a callback that hangs holds up neither its call nor the shutdown`() {
        val release = CountDownLatch(1)
        NativeApi.init(Host(called = { release.await() }))
        val engine = NativeApi.engineOpen(openRequest())
        assertEquals(Called(emptyMap(), mapOf("timeout" to 3)), callTools(engine, 3, atOnce = 3, limitMs = 100))
        NativeApi.shutdown(100)
        assertThrows(EngineException.Closed::class.java) { NativeApi.engineCall(engine, STATS) }
        release.countDown()
    }

    @Test
    fun `a callback that takes its time holds up no other call`() {
        val next = AtomicInteger()
        val last = CountDownLatch(1)
        val host = Host(called = { id ->
            if (next.incrementAndGet() < 5) last.await() else last.countDown()
            complete(id)
        })
        withEngine(host) { engine ->
            assertEquals(Called(mapOf("done" to 5), emptyMap()), callTools(engine, 5, atOnce = 5))
        }
    }

    @Test
    fun `a call is awaited until it is completed or too late`() {
        val awaited = ConcurrentHashMap<String, Boolean>()
        val told = CountDownLatch(1)
        val host = Host(
            called = { id ->
                awaited["at first"] = NativeApi.toolAwaited(id)
                if (complete(id)) awaited["completed"] = NativeApi.toolAwaited(id)
            },
        )
        withEngine(host) { callTools(it) }
        NativeApi.shutdown(1_000)
        val late = Host(cancelled = { id ->
            awaited["too late"] = NativeApi.toolAwaited(id)
            told.countDown()
        })
        withEngine(late) { engine ->
            callTools(engine, limitMs = 50)
            assertTrue(told.await(10, TimeUnit.SECONDS))
        }
        assertEquals(mapOf("at first" to true, "completed" to false, "too late" to false), awaited.toMap())
    }

    @Test
    fun `an answer that is garbage fails its call`() {
        val garbage = listOf("", "{}", "null", "\"text\"", """{"summary":1}""", """{"error":{}}""", "\u0000")
        val next = AtomicInteger()
        val host = Host(called = { id ->
            val answer = garbage[next.getAndIncrement() % garbage.size]
            NativeApi.toolComplete(id, answer.encodeToByteArray())
        })
        withEngine(host) { engine ->
            assertEquals(Called(emptyMap(), mapOf("bad_reply" to 70)), callTools(engine, 70))
        }
    }

    @Test
    fun `a panic while the host is told something loses that message alone`() {
        withEngine(Host(called = { complete(it) })) { engine ->
            NativeApi.testingArm("delivery")
            assertEquals(Called(emptyMap(), mapOf("timeout" to 1)), callTools(engine, limitMs = 100))
            assertEquals(Called(mapOf("done" to 1), emptyMap()), callTools(engine))
        }
    }

    @Test
    fun `closing while calls run ends them, and nothing is left over`() {
        val called = CountDownLatch(8)
        NativeApi.init(Host(called = { called.countDown() }))
        val engine = NativeApi.engineOpen(openRequest())
        val callers = Executors.newFixedThreadPool(8)
        val ends = (1..8).map { callers.submit<Any> { callTools(engine, limitMs = 1_000) } }
        assertTrue(called.await(10, TimeUnit.SECONDS))
        NativeApi.engineClose(engine)
        assertThrows(EngineException.Closed::class.java) { NativeApi.engineCall(engine, STATS) }
        ends.forEach { assertEquals(Called(emptyMap(), mapOf("timeout" to 1)), it.get(10, TimeUnit.SECONDS)) }
        callers.shutdown()
        assertEquals(0, ignored())
        // The last call has given the store back.
        NativeApi.engineClose(NativeApi.engineOpen(openRequest()))
    }

    private companion object {
        val STATS = """{"op":"stats"}""".encodeToByteArray()
    }
}
