package dev.ouro.ide.loop

import dev.ouro.bridge.Phase
import dev.ouro.view.base.EngineState
import dev.ouro.view.base.EngineState.Pause
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test

internal class CommandTest {
    private val engine = FakeEngine(mutableListOf())

    private fun possible(state: EngineState): Set<Command> = Command.entries.filter { it.isPossible(state) }.toSet()

    @Test
    fun `each state of the engine offers what makes sense in it and nothing else`() {
        assertEquals(emptySet<Command>(), possible(EngineState.Opening))
        assertEquals(emptySet<Command>(), possible(EngineState.Unavailable("no library", true)))
        assertEquals(setOf(Command.TURN_ON), possible(EngineState.Off(null)))
        assertEquals(setOf(Command.TURN_ON), possible(EngineState.Off(engine)))
        val paused = setOf(Command.TURN_OFF, Command.RESUME, Command.RUN_ONCE)
        assertEquals(paused, possible(EngineState.Ready(engine, Pause.USER)))
        val resting = setOf(Command.TURN_OFF, Command.PAUSE, Command.RUN_ONCE)
        assertEquals(resting, possible(EngineState.Ready(engine, Pause.POWER_SAVE)))
        engine.stats.value = engine.stats.value.copy(currentPhase = Phase.EXPLORING)
        assertEquals(setOf(Command.TURN_OFF, Command.PAUSE), possible(EngineState.Ready(engine)))
    }

    @Test
    fun `a loop that ended by itself can be started from the menu`() {
        assertEquals(setOf(Command.TURN_OFF, Command.RESUME, Command.RUN_ONCE), possible(EngineState.Ready(engine)))
    }
}
