package dev.ouro.ide.loop

import dev.ouro.view.base.EngineState
import dev.ouro.view.base.EngineState.Pause

/** What the user can tell the loop of a project. */
internal enum class Command {
    TURN_ON,
    TURN_OFF,
    PAUSE,
    RESUME,
    RUN_ONCE,
    ASK,
    ;

    /** Whether it makes sense while the engine stands so. */
    fun isPossible(state: EngineState): Boolean = when (this) {
        TURN_ON -> state is EngineState.Off
        TURN_OFF -> state is EngineState.Ready
        PAUSE -> state is EngineState.Ready && state.pause != Pause.USER
        RESUME -> state is EngineState.Ready && state.pause == Pause.USER
        RUN_ONCE -> state is EngineState.Ready && state.pause != null
        ASK -> state is EngineState.Ready || state is EngineState.Off && state.engine != null
    }
}
