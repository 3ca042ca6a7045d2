package dev.ouro.ide.loop

import dev.ouro.bridge.EngineSettings
import dev.ouro.bridge.Tool
import dev.ouro.view.base.Engine

/** The engine of one project, as its loop needs it. Its functions throw `EngineException`. */
internal interface LoopEngine : Engine {
    /** Runs the loop, for so many [iterations] or until it is told otherwise. Does nothing where it runs. */
    suspend fun start(iterations: Int? = null)

    /** Only keeps the analysis of the project up to date, until it is told otherwise. */
    suspend fun analyze()

    /** Stops the loop and the analysis; what was begun is resumed by [start]. */
    suspend fun stop()

    /** Says that files of the project changed. */
    suspend fun projectChanged()

    /** Replaces the settings; a loop that runs goes on with the new ones. */
    suspend fun configure(settings: EngineSettings)

    /** A tool that the native library brings itself, whether the IDE replaced it or not. */
    fun nativeTool(name: String): Tool?

    /** Stops everything and releases the project, within two seconds. */
    suspend fun close()
}

/** Opens the engine of the project. */
internal fun interface EngineOpener {
    suspend fun open(settings: EngineSettings): LoopEngine
}
