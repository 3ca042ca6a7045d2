package dev.ouro.ide.loop

import dev.ouro.bridge.EngineSettings

/** What the loop of one project is told by its settings. */
internal data class LoopSettings(
    /** Whether the user wants this project to be learnt. */
    val enabled: Boolean,
    val engine: EngineSettings,
    val pauseWhileTyping: Boolean,
    val pauseInPowerSaveMode: Boolean,
)
