package dev.ouro.ide.loop

import dev.ouro.bridge.EngineSettings
import dev.ouro.bridge.EvolutionEngine
import dev.ouro.bridge.Tool
import dev.ouro.view.base.Engine
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.withContext
import dev.ouro.view.BridgeEngine as ViewedEngine

/** The native engine as the loop and the view use it. */
internal class BridgeEngine(private val engine: EvolutionEngine, private val own: Map<String, Tool>) :
    LoopEngine,
    Engine by ViewedEngine(engine) {
    override suspend fun start(iterations: Int?): Unit = engine.start(iterations)

    override suspend fun stop(): Unit = engine.stop()

    override suspend fun projectChanged(): Unit = engine.projectChanged()

    override suspend fun configure(settings: EngineSettings): Unit = engine.configure(settings)

    override fun nativeTool(name: String): Tool? = own[name]

    override suspend fun close(): Unit = withContext(Dispatchers.IO) { engine.close() }
}
