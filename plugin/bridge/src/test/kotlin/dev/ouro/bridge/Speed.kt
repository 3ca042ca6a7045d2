package dev.ouro.bridge

import com.sun.management.OperatingSystemMXBean
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
import kotlin.random.Random

/**
 * What crossing the border costs. No test, so nothing runs it by itself; with a release build of the library that has
 * the feature `testing`:
 * `mvn test -pl bridge -Dtest=Speed -Dtest.jvm.options=-Xmx512m -Douro.native.dir=../target/release`
 *
 * CPU time of the calling thread, or of all where several do the work, because it hardly depends on what else the
 * machine does; the median of [ROUNDS] rounds after as many to warm up.
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

    /** Made-up prose that never loops, in pieces of this length. */
    private fun push(length: Int) {
        val dice = Random(7)
        fun word() = (0..dice.nextInt(3)).joinToString("") { SYLLABLES.random(dice) }
        val text = buildString {
            while (this.length < 200_000) append((0..5 + dice.nextInt(12)).joinToString(" ") { word() }).append(". ")
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
        val process = ManagementFactory.getOperatingSystemMXBean() as OperatingSystemMXBean
        val request = """{"tool":"echo","arguments":{},"count":$CALLBACKS,"at_once":1}""".encodeToByteArray()
        val rounds = List(ROUNDS * 2) {
            val begin = process.processCpuTime
            val answer = NativeApi.testingCallTools(handleOf(engine), request).decodeToString()
            val cpu = process.processCpuTime - begin
            val called = Json.parseToJsonElement(answer).jsonObject
            check(called["done"] == JsonObject(mapOf("done" to JsonPrimitive(CALLBACKS)))) { answer }
            Pair(cpu, called.getValue("nanos").jsonPrimitive.long)
        }.drop(ROUNDS)
        say("a callback there and back (all threads)", median(rounds.map { it.first / CALLBACKS }))
        say("a callback there and back (wall time)", median(rounds.map { it.second / CALLBACKS }))
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

        /** The CPU time of a process is counted in hundredths of a second. */
        const val CALLBACKS = 20_000

        val SYLLABLES = "ta re mi lon der a is con ver st o ing pel u qua ne ro".split(' ')
    }
}
