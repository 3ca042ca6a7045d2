package dev.ouro.ide.loop

import dev.ouro.bridge.EngineSettings
import dev.ouro.bridge.EvolutionEngine
import dev.ouro.bridge.Tool
import dev.ouro.bridge.ToolRegistry
import dev.ouro.view.base.Engine
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.withContext
import java.nio.file.Path
import dev.ouro.view.BridgeEngine as ViewedEngine

/** The native engine as the loop and the view use it. */
internal class BridgeEngine private constructor(
    private val engine: EvolutionEngine,
    private val own: Map<String, Tool>,
) : LoopEngine,
    Engine by ViewedEngine(engine) {
    override suspend fun start(iterations: Int?): Unit = engine.start(iterations)

    override suspend fun analyze(): Unit = engine.analyze()

    override suspend fun stop(): Unit = engine.stop()

    override suspend fun projectChanged(): Unit = engine.projectChanged()

    override suspend fun configure(settings: EngineSettings): Unit = engine.configure(settings)

    override fun nativeTool(name: String): Tool? = own[name]

    override suspend fun close(): Unit = withContext(Dispatchers.IO) { engine.close() }

    internal companion object {
        /** Opens the engine of the project at [root], with the IDE's [tools]; see [EvolutionEngine.open]. */
        @Suppress("TooGenericExceptionCaught")
        suspend fun open(
            root: Path,
            settings: EngineSettings,
            tools: ToolRegistry,
            dataDir: Path? = null,
        ): BridgeEngine {
            val engine = EvolutionEngine.open(root, settings, tools, dataDir)
            try {
                return BridgeEngine(engine, engine.nativeTools().associateBy(Tool::name))
            } catch (failure: Throwable) {
                // Whoever was cancelled, too: nobody else can close it.
                withContext(NonCancellable + Dispatchers.IO) { engine.close() }
                throw failure
            }
        }
    }
}
