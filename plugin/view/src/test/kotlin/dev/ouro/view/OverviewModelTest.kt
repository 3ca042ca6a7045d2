package dev.ouro.view

import dev.ouro.bridge.EvolutionStats
import dev.ouro.bridge.HealthIssue
import dev.ouro.bridge.HealthReport
import dev.ouro.bridge.Phase
import dev.ouro.bridge.QuotaKind
import dev.ouro.bridge.RunState
import dev.ouro.bridge.StopReason
import dev.ouro.bridge.SuggestedAction
import dev.ouro.bridge.WaitReason
import dev.ouro.view.Stage.Companion.wait
import dev.ouro.view.base.EngineState
import dev.ouro.view.base.Tone
import dev.ouro.view.overview.Controls
import dev.ouro.view.overview.OverviewState
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test

class OverviewModelTest {
    private val now = Recorded.CLOCK.millis()

    @Test
    fun `a phase shows how long it lasts`() {
        val state = show { copy(currentPhase = Phase.EXPLORING, phaseSince = now - 67_000) }
        assertEquals("Exploring" to "1:07", state.phase to state.timer)
    }

    @Test
    fun `a rest shows what is left of it and why`() {
        val state = show {
            copy(
                currentPhase = Phase.WAITING,
                waitingUntil = now + 42_000,
                waitReason = WaitReason("quota_exhausted", which = QuotaKind.QUESTIONS),
            )
        }
        assertEquals("0:42 left", state.timer)
        assertTrue(state.activity.startsWith("Today's questions are used up"), state.activity)
    }

    @Test
    fun `a loop that stopped for errors says so in red with the last of them`() {
        val state = show {
            copy(consecutiveErrors = 5, stopReason = StopReason("too_many_errors", lastError = "Connection refused"))
        }
        assertEquals(Tone.ERROR, state.phaseTone)
        assertTrue("Connection refused" in state.activity, state.activity)
        assertEquals(Tone.ERROR, state.health.tone)
        assertTrue(state.health.advice.isNotEmpty())
    }

    @Test
    fun `an unhealthy loop says what is wrong and what to do`() {
        val issues =
            listOf(
                HealthIssue("no_progress", forMs = 600_000),
                HealthIssue("phase_overdue", phase = Phase.EXPLORING, forMs = 130_000),
            )
        val state = show {
            copy(currentPhase = Phase.EXPLORING, health = HealthReport(false, issues, SuggestedAction("check_model")))
        }
        assertEquals("No record for 10 min.\n“Exploring” takes 2 min, longer than its limit.", state.health.text)
        assertEquals("Test the connection to the model in the settings.", state.health.advice)
    }

    @Test
    fun `words that only a newer engine knows are shown as they are`() {
        val state = show { copy(stopReason = StopReason("moon_phase")) }
        assertEquals("moon_phase", state.activity)
    }

    @Test
    fun `the chart counts the records of each of the last fourteen days`() {
        val state = show { this }
        assertEquals(14, state.recordsPerDay.size)
        assertEquals(listOf(3, 2, 4, 2, 5, 0, 0, 3, 6, 2, 4, 5, 0, 4), state.recordsPerDay.map { it.count })
    }

    @Test
    fun `quotas show what is used`() {
        assertEquals(listOf("4 of 50", "4 of 100"), show { this }.quotas.map { it.text })
    }

    @Test
    fun `only buttons that do something can be pressed`() {
        val running = show { copy(currentPhase = Phase.EXPLORING, run = RunState.RUNNING) }
        assertEquals(Controls(pause = true, stop = true), running.controls)
        assertEquals(Controls(start = true, runOnce = true, stop = true), show { this }.controls)
        val engine = MemoryEngine(Recorded.ENGLISH)
        Stage(EngineState.Off(engine)).use { stage ->
            assertEquals(Controls(turnOn = true), wait(stage.view.overview.state) { it.phase.isNotEmpty() }.controls)
        }
    }

    @Test
    fun `what rests for the IDE's sake can be paused and not be started`() {
        Stage(EngineState.Ready(MemoryEngine(Recorded.ENGLISH), EngineState.Pause.TYPING)).use { stage ->
            val controls = wait(stage.view.overview.state) { it.phase.isNotEmpty() }.controls
            assertEquals(Controls(pause = true, runOnce = true, stop = true), controls)
        }
    }

    @Test
    fun `that the user types doesn't hide that the loop stopped for errors`() {
        val engine = MemoryEngine(Recorded.ENGLISH)
        engine.stats.value = engine.stats.value.copy(stopReason = StopReason("too_many_errors", lastError = "refused"))
        Stage(EngineState.Ready(engine, EngineState.Pause.TYPING)).use { stage ->
            assertEquals("Stopped", wait(stage.view.overview.state) { it.phase.isNotEmpty() }.phase)
        }
    }

    @Test
    fun `while learning is off what is analysed is not shown as work`() {
        val engine = MemoryEngine(Recorded.ENGLISH)
        engine.stats.value = engine.stats.value.copy(currentPhase = Phase.LOADING_MEMORY, run = RunState.RUNNING)
        Stage(EngineState.Off(engine)).use { stage ->
            val state = wait(stage.view.overview.state) { it.phase.isNotEmpty() }
            assertEquals("Learning is off" to "", state.phase to state.timer)
            assertTrue(state.activity.startsWith("The code is analysed"), state.activity)
        }
    }

    @Test
    fun `a pause of the host shows its reason`() {
        Stage(EngineState.Ready(MemoryEngine(Recorded.ENGLISH), EngineState.Pause.POWER_SAVE)).use { stage ->
            assertEquals("Paused in power save mode", wait(stage.view.overview.state) { it.phase.isNotEmpty() }.phase)
        }
    }

    @Test
    fun `an engine that cannot be used is told in place of everything else`() {
        Stage(EngineState.Unavailable("libouro.so was not found.", nativeLibrary = true)).use { stage ->
            val notice = wait(stage.view.overview.state) { it.notice != null }.notice
            assertEquals("The native engine is unavailable", notice?.title)
            assertTrue(notice?.text.orEmpty().startsWith("libouro.so was not found."))
        }
    }

    @Test
    fun `the status bar says phase and time, and the rest in its tooltip`() {
        val engine = MemoryEngine(Recorded.ENGLISH)
        engine.stats.value =
            engine.stats.value.copy(
                currentPhase = Phase.WAITING,
                waitingUntil = now + 5_000,
                waitReason = WaitReason("interval"),
            )
        Stage(engine).use { stage ->
            val status = wait(stage.view.status) { "Resting" in it.text }
            assertEquals("Ouro: Resting 0:05 left", status.text)
            assertTrue("next question" in status.tooltip, status.tooltip)
        }
    }

    private fun show(change: EvolutionStats.() -> EvolutionStats): OverviewState {
        val engine = MemoryEngine(Recorded.ENGLISH)
        engine.stats.value = engine.stats.value.change()
        return Stage(engine).use { stage ->
            wait(stage.view.overview.state) { it.recordsPerDay.sumOf { day -> day.count } == 40 }
        }
    }
}
