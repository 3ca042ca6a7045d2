package dev.ouro.ide.loop

import dev.ouro.bridge.EngineException
import dev.ouro.bridge.EngineSettings
import dev.ouro.bridge.EvolutionConfig
import dev.ouro.bridge.StopReason
import dev.ouro.view.base.EngineState
import dev.ouro.view.base.EngineState.Pause
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.flow.MutableSharedFlow
import kotlinx.coroutines.flow.MutableStateFlow
import kotlinx.coroutines.launch
import kotlinx.coroutines.test.TestScope
import kotlinx.coroutines.test.advanceTimeBy
import kotlinx.coroutines.test.runCurrent
import kotlinx.coroutines.test.runTest
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertInstanceOf
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

@OptIn(ExperimentalCoroutinesApi::class)
internal class ProjectLoopTest {
    private class Signals : IdeSignals {
        override val powerSave = MutableStateFlow(false)
        override val indexing = MutableStateFlow(false)
        override val typing = MutableSharedFlow<Unit>(extraBufferCapacity = 100)
        override val fileChanges = MutableSharedFlow<Unit>(extraBufferCapacity = 100)
        val smart = CompletableDeferred<Unit>()

        override suspend fun awaitSmartMode() = smart.await()
    }

    private val journal = mutableListOf<String>()
    private val signals = Signals()
    private val settings = MutableStateFlow(settings(enabled = true))
    private var failure: EngineException? = null
    private lateinit var engine: FakeEngine
    private val loop = ProjectLoop(settings, signals) {
        failure?.let { throw it }
        journal += "open"
        FakeEngine(journal).also { engine = it }
    }

    private fun settings(enabled: Boolean, intervalMs: Long = 1, excluded: List<String> = emptyList()) = LoopSettings(
        enabled,
        EngineSettings(EvolutionConfig(enabled = enabled, intervalMs = intervalMs), excluded = excluded),
        pauseWhileTyping = true,
        pauseInPowerSaveMode = true,
    )

    /** What was told to the engine since the last time. */
    private fun TestScope.told(): List<String> {
        runCurrent()
        return journal.toList().also { journal.clear() }
    }

    private fun running(body: suspend TestScope.() -> Unit) = runTest {
        val job = backgroundScope.launch { loop.run() }
        signals.smart.complete(Unit)
        assertEquals(listOf("open", "start"), told())
        body()
        job.cancel()
        job.join()
        assertEquals("close", journal.lastOrNull())
    }

    private val pause: Pause? get() = (loop.state.value as EngineState.Ready).pause

    @Test
    fun `nothing is opened before the indexes are there`() = runTest {
        backgroundScope.launch { loop.run() }
        assertEquals(emptyList<String>(), told())
        assertEquals(EngineState.Opening, loop.state.value)
        signals.smart.complete(Unit)
        assertEquals(listOf("open", "start"), told())
        assertInstanceOf(EngineState.Ready::class.java, loop.state.value)
    }

    @Test
    fun `a project that is not to be learnt is open for reading and only analysed`() = runTest {
        settings.value = settings(enabled = false)
        backgroundScope.launch { loop.run() }
        signals.smart.complete(Unit)
        assertEquals(listOf("open", "analyze"), told())
        assertInstanceOf(EngineState.Off::class.java, loop.state.value)
        signals.fileChanges.emit(Unit)
        advanceTimeBy(2.seconds + 1.milliseconds)
        assertEquals(listOf("changed"), told())
        settings.value = settings(enabled = true)
        assertEquals(listOf("configure 1", "start"), told())
        settings.value = settings(enabled = false)
        assertEquals(listOf("configure 1", "analyze"), told())
    }

    @Test
    fun `the analysis rests in power save mode and while the user types, and not when the loop is paused`() = runTest {
        settings.value = settings(enabled = false)
        backgroundScope.launch { loop.run() }
        signals.smart.complete(Unit)
        told()
        signals.powerSave.value = true
        assertEquals(listOf("stop"), told())
        assertInstanceOf(EngineState.Off::class.java, loop.state.value)
        signals.powerSave.value = false
        assertEquals(listOf("analyze"), told())
        signals.typing.emit(Unit)
        assertEquals(listOf("stop"), told())
        advanceTimeBy(5.seconds + 1.milliseconds)
        assertEquals(listOf("analyze"), told())
        loop.pause()
        assertEquals(emptyList<String>(), told())
    }

    @Test
    fun `it rests while the user types and goes on after five quiet seconds`() = running {
        repeat(20) {
            signals.typing.emit(Unit)
            advanceTimeBy(1.seconds)
        }
        assertEquals(listOf("stop"), told())
        assertEquals(Pause.TYPING, pause)
        advanceTimeBy(3.seconds)
        assertEquals(emptyList<String>(), told())
        advanceTimeBy(1.seconds + 1.milliseconds)
        assertEquals(listOf("start"), told())
        assertEquals(null, pause)
    }

    @Test
    fun `who doesn't want pauses while typing has none`() = running {
        settings.value = settings.value.copy(pauseWhileTyping = false)
        signals.typing.emit(Unit)
        assertEquals(emptyList<String>(), told())
    }

    @Test
    fun `it rests in power save mode, and the user's pause outlasts it`() = running {
        signals.powerSave.value = true
        assertEquals(listOf("stop"), told())
        assertEquals(Pause.POWER_SAVE, pause)
        loop.pause()
        assertEquals(
            Pause.USER,
            run {
                runCurrent()
                pause
            },
        )
        signals.powerSave.value = false
        runCurrent()
        assertEquals(Pause.USER, pause)
        told()
        loop.start()
        assertEquals(listOf("start"), told())
    }

    @Test
    fun `it rests while the IDE builds its indexes, which the tools need`() = running {
        signals.indexing.value = true
        assertEquals(listOf("stop"), told())
        assertEquals(Pause.INDEXING, pause)
        signals.indexing.value = false
        assertEquals(listOf("start"), told())
    }

    @Test
    fun `a loop that ended in trouble stays so until somebody starts it or mends the settings`() = running {
        engine.stats.value = engine.stats.value.copy(stopReason = StopReason("too_many_errors"))
        signals.typing.emit(Unit)
        advanceTimeBy(6.seconds)
        assertEquals(listOf("stop"), told())
        assertEquals(null, pause)
        settings.value = settings(enabled = true, intervalMs = 2)
        assertEquals(listOf("configure 2", "start"), told())
        loop.start()
        assertEquals(listOf("start"), told())
    }

    @Test
    fun `one iteration of a loop that ended in trouble doesn't set it going again`() = running {
        engine.stats.value = engine.stats.value.copy(stopReason = StopReason("too_many_errors"))
        loop.runOnce()
        assertEquals(listOf("start 1"), told())
        engine.stats.value = engine.stats.value.copy(stopReason = StopReason("iterations_done"))
        repeat(2) {
            signals.typing.emit(Unit)
            advanceTimeBy(6.seconds)
            assertEquals(listOf("stop"), told())
        }
        loop.start()
        assertEquals(listOf("start"), told())
        signals.typing.emit(Unit)
        advanceTimeBy(6.seconds)
        assertEquals(listOf("stop", "start"), told())
    }

    @Test
    fun `a burst of changed files is told once, when it is over`() = running {
        repeat(50) {
            signals.fileChanges.emit(Unit)
            advanceTimeBy(100.milliseconds)
        }
        assertEquals(emptyList<String>(), told())
        advanceTimeBy(2.seconds)
        assertEquals(listOf("changed"), told())
    }

    @Test
    fun `new settings reach the engine without opening it anew`() = running {
        settings.value = settings(enabled = true, intervalMs = 2)
        assertEquals(listOf("configure 2", "start"), told())
    }

    @Test
    fun `one iteration runs even while the loop rests`() = running {
        loop.pause()
        assertEquals(listOf("stop"), told())
        loop.runOnce()
        assertEquals(listOf("start 1"), told())
    }

    @Test
    fun `no iteration runs in a project that is not to be learnt`() = runTest {
        settings.value = settings(enabled = false)
        backgroundScope.launch { loop.run() }
        signals.smart.complete(Unit)
        told()
        loop.runOnce()
        assertEquals(emptyList<String>(), told())
    }

    @Test
    fun `a loop that ended by itself is started again when the user says so`() = running {
        loop.start()
        assertEquals(listOf("start"), told())
    }

    @Test
    fun `an engine that can't be opened says why, and is tried again on demand`() = runTest {
        failure = EngineException.NativeUnavailable("no library: reinstall")
        backgroundScope.launch { loop.run() }
        signals.smart.complete(Unit)
        runCurrent()
        assertEquals(EngineState.Unavailable("no library: reinstall", nativeLibrary = true), loop.state.value)
        failure = null
        loop.retry()
        assertEquals(listOf("open", "start"), told())
    }

    @Test
    fun `a setting that the engine refuses is shown, the engine is closed and the next setting mends it`() = running {
        settings.value = settings(enabled = true, excluded = listOf("wrong"))
        assertEquals(listOf("close"), told())
        assertEquals(EngineState.Unavailable("excluded: wrong", nativeLibrary = false), loop.state.value)
        settings.value = settings(enabled = true, intervalMs = 3)
        assertEquals(listOf("open", "start"), told())
    }

    @Test
    fun `closing the project in any phase closes the engine and leaves nothing running`() = runTest {
        for (phase in listOf("indexing", "opening", "running", "typing", "paused", "off")) {
            journal.clear()
            val signals = Signals()
            val settings = MutableStateFlow(settings(enabled = phase != "off"))
            val loop = ProjectLoop(settings, signals) {
                if (phase == "opening") awaitCancellation()
                FakeEngine(journal)
            }
            val job = launch { loop.run() }
            runCurrent()
            if (phase != "indexing") signals.smart.complete(Unit)
            runCurrent()
            if (phase == "typing") signals.typing.emit(Unit)
            if (phase == "paused") loop.pause()
            runCurrent()
            job.cancel()
            job.join()
            assertEquals(phase !in setOf("indexing", "opening"), journal.lastOrNull() == "close", "$phase: $journal")
            assertTrue(loop.open == null)
        }
    }
}
