package dev.ouro.ide.loop

import dev.ouro.view.base.EngineState
import dev.ouro.view.base.engineOrNull
import dev.ouro.view.overview.Controls

/** What the user can tell the loop of a project. */
internal enum class Command(private val isOffered: (Controls) -> Boolean) {
    TURN_ON(Controls::turnOn),
    TURN_OFF(Controls::stop),
    PAUSE(Controls::pause),
    RESUME(Controls::start),
    RUN_ONCE(Controls::runOnce),
    ;

    /** Whether it makes sense while the engine stands so: where the Overview offers it. */
    fun isPossible(state: EngineState): Boolean = isOffered(Controls.of(state))
}
