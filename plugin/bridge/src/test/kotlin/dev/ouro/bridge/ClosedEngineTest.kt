package dev.ouro.bridge

import kotlinx.coroutines.runBlocking
import kotlinx.serialization.json.JsonObject
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir
import java.lang.reflect.Modifier
import java.nio.file.Path
import kotlin.coroutines.Continuation
import kotlin.time.Duration.Companion.seconds

internal class ClosedEngineTest {
    private val nothing = JsonObject(emptyMap())

    private fun operations(engine: EvolutionEngine): Map<String, suspend () -> Any?> = mapOf(
        "configure" to { engine.configure(EngineSettings()) },
        "start" to { engine.start() },
        "runOnce" to { engine.runOnce() },
        "pause" to { engine.pause() },
        "resume" to { engine.resume() },
        "stop" to { engine.stop() },
        "awaitEnd" to { engine.awaitEnd(1.seconds) },
        "projectChanged" to { engine.projectChanged() },
        "analyze" to { engine.analyze() },
        "refreshStats" to { engine.refreshStats() },
        "records" to { engine.records() },
        "record" to { engine.record("id") },
        "search" to { engine.search("words") },
        "markRecord" to { engine.markRecord("id") },
        "rateRecord" to { engine.rateRecord("id", Rating.USEFUL) },
        "knowledge" to { engine.knowledge("Why?") },
        "deleteRecord" to { engine.deleteRecord("id") },
        "askAgain" to { engine.askAgain("id") },
        "exportMarkdown" to { engine.exportMarkdown() },
        "failures" to { engine.failures() },
        "forgetFailure" to { engine.forgetFailure("signature") },
        "log" to { engine.log(1) },
        "ask" to { engine.ask("Why?") },
        "nativeTools" to { engine.nativeTools() },
    )

    private fun operations(guard: DoomLoopGuard, taken: QuotaTaken): Map<String, suspend () -> Any?> = mapOf(
        "checkQuestion" to { guard.checkQuestion("Why?") },
        "recordToolResult" to { guard.recordToolResult("read_file", nothing, ToolResult("", "")) },
        "recordFailure" to { guard.recordFailure(OperationKind.TOOL_CALL, "t", EngineException.NotFound("")) },
        "recordSuccess" to { guard.recordSuccess(OperationKind.TOOL_CALL, "t") },
        "consume" to { guard.consume(QuotaKind.QUESTIONS) },
        "release" to { guard.release(taken) },
        "quota" to { guard.quota() },
        "backoff" to { guard.backoff() },
        "failures" to { guard.failures() },
    )

    /** The suspending functions of a class. */
    private fun suspending(type: Class<*>): Set<String> = type.declaredMethods
        .filter { Modifier.isPublic(it.modifiers) && it.parameterTypes.lastOrNull() == Continuation::class.java }
        // What Kotlin adds to a name is no part of it: `awaitEnd-VtjQ1oo`, `call$bridge`.
        .filter { '$' !in it.name }
        .map { it.name.substringBefore('-') }
        .toSet()

    @Test
    fun `every operation on a closed engine says so`(@TempDir data: Path) {
        val weather = Path.of(System.getProperty("ouro.fixtures"), "weather")
        val engine = runBlocking { EvolutionEngine.open(weather, dataDir = data) }
        val taken = runBlocking { engine.guard.consume(QuotaKind.QUESTIONS) }
        val tool = runBlocking { engine.nativeTools().first() }
        engine.close()
        val (own, guard) = operations(engine) to operations(engine.guard, taken)
        assertEquals(suspending(EvolutionEngine::class.java), own.keys)
        assertEquals(suspending(DoomLoopGuard::class.java), guard.keys)
        val others = mapOf<String, suspend () -> Any?>(
            "checkToolCall" to { engine.guard.checkToolCall("read_file", nothing) },
            "a native tool" to { tool.call(nothing) },
        )
        for ((name, operation) in own.toList() + guard.toList() + others.toList()) {
            assertThrows(EngineException.Closed::class.java, { runBlocking { operation() } }, name)
        }
        EvolutionEngine.shutdown()
    }
}
