package dev.ouro.bridge

import kotlinx.coroutines.runBlocking
import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
import kotlinx.serialization.json.buildJsonObject
import kotlinx.serialization.json.jsonObject
import kotlinx.serialization.json.jsonPrimitive
import kotlinx.serialization.json.long
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout
import org.junit.jupiter.api.io.TempDir
import java.lang.management.ManagementFactory
import java.nio.file.Files
import java.nio.file.Path
import java.util.concurrent.TimeUnit

/**
 * What crossing the border costs. No test, so nothing runs it by itself; with a release build of the library that has the
 * feature `testing`:
 * `mvn test -pl bridge -Dtest=Speed -Dtest.jvm.options=-Xmx512m -Douro.native.dir=../target/release`
 *
 * CPU time of the calling thread where one thread does all the work, because it hardly depends on what else the machine
 * does; the median of [ROUNDS] rounds after as many to warm up.
 */
internal class Speed {
    private val threads = ManagementFactory.getThreadMXBean()

    @Test
    @Timeout(10, unit = TimeUnit.MINUTES)
    fun `what crossing the border costs`(@TempDir data: Path) {
        val detector = NativeLibrary.load().let { NativeApi.detectorOpen("") }
        cost("an operation that does nothing (acknowledge)", 2_000_000) { NativeApi.detectorAcknowledge(detector) }
        NativeApi.detectorClose(detector)
        for (length in listOf(4, 20, 200)) push(length)

        val fixtures = Path.of(System.getProperty("ouro.fixtures"))
        val tools = ToolRegistry(listOf(Echo))
        runBlocking {
            EvolutionEngine.open(fixtures.resolve("weather"), tools = tools, dataDir = data).use { engine ->
                val arguments = buildJsonObject { put("path", JsonPrimitive("src/main/kotlin/Main.kt")) }
                cost("a tool-call check", 200_000) { engine.guard.checkToolCall("read_file", arguments) }
                callbacks(engine)
                listing(engine, Files.readAllBytes(fixtures.resolve("wire/record.json")))
            }
        }
    }

    /** Prose that never loops, in pieces of this length. */
    private fun push(length: Int) {
        val words = listOf("parser", "reads", "empty", "lines", "where", "tokens", "begin", "because", "nothing", "else")
        var seed = 7
        val text = buildString {
            while (this.length < 1_000_000) {
                seed = seed * 1_103_515_245 + 12_345
                append(words[(seed ushr 16) % words.size]).append(seed ushr 24).append(if (seed and 7 == 0) ". " else " ")
            }
        }
        val pieces = text.chunked(length)
        LoopDetector("""{"profile": "adaptive"}""").use { detector ->
            var next = 0
            cost("a push of $length characters", 5_000_000 / length) {
                detector.content(pieces[next])
                next = (next + 1) % pieces.size
            }
            check(detector.found() == null) { "the prose loops" }
        }
    }

    private fun callbacks(engine: EvolutionEngine) {
        val times = LongArray(ROUNDS * 2) {
            val request = """{"tool":"echo","count":5000,"at_once":1}""".encodeToByteArray()
            val answer = NativeApi.testingCallTools(handleOf(engine), request).decodeToString()
            Json.parseToJsonElement(answer).jsonObject.getValue("nanos").jsonPrimitive.long / 5_000
        }
        say("a callback there and back (wall time)", median(times.drop(ROUNDS)))
    }

    private fun listing(engine: EvolutionEngine, record: ByteArray) {
        NativeApi.testingAddRecords(handleOf(engine), record, 1_000)
        val request = """{"op":"records","limit":1000}""".encodeToByteArray()
        cost("1,000 records as JSON", 20) { NativeApi.engineCall(handleOf(engine), request) }
        cost("1,000 records as objects", 20) {
            Wire.read<List<LearningRecord>>("the answer", NativeApi.engineCall(handleOf(engine), request))
        }
    }

    private fun handleOf(engine: EvolutionEngine): Long =
        EvolutionEngine::class.java.getDeclaredField("handle").apply { isAccessible = true }.getLong(engine)

    private inline fun cost(what: String, calls: Int, work: () -> Unit) {
        val times = LongArray(ROUNDS * 2) {
            val begin = threads.currentThreadCpuTime
            repeat(calls) { work() }
            (threads.currentThreadCpuTime - begin) / calls
        }
        say(what, median(times.drop(ROUNDS)))
    }

    private fun median(times: List<Long>): Long = times.sorted()[times.size / 2]

    private fun say(what: String, nanos: Long) = println("%-50s %,12d ns".format(what, nanos))

    private object Echo : Tool {
        override val name = "echo"
        override val description = "Answers"
        override val parameters = buildJsonObject { put("type", JsonPrimitive("object")) }

        override suspend fun call(arguments: JsonObject) = ToolResult("done", "")
    }

    private companion object {
        const val ROUNDS = 9
    }
}
