package dev.ouro.ide.loop

import dev.ouro.bridge.Answer
import dev.ouro.bridge.EngineSettings
import dev.ouro.bridge.EvolutionEngine
import dev.ouro.bridge.EvolutionLog
import dev.ouro.bridge.FailureRecord
import dev.ouro.bridge.LearningRecord
import dev.ouro.bridge.Tool
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.withContext

/** The native engine as the loop and the view use it. */
internal class BridgeEngine(private val engine: EvolutionEngine, private val own: Map<String, Tool>) : LoopEngine {
    override val stats get() = engine.stats
    override val events get() = engine.events

    override suspend fun start(iterations: Int?): Unit = engine.start(iterations)

    override suspend fun stop(): Unit = engine.stop()

    override suspend fun projectChanged(): Unit = engine.projectChanged()

    override suspend fun configure(settings: EngineSettings): Unit = engine.configure(settings)

    override fun nativeTool(name: String): Tool? = own[name]

    override suspend fun close(): Unit = withContext(Dispatchers.IO) { engine.close() }

    override suspend fun records(before: String?, limit: Int): List<LearningRecord> = engine.records(before, limit)

    override suspend fun record(id: String): LearningRecord = engine.record(id)

    override suspend fun search(query: String): List<LearningRecord> = engine.search(query)

    override suspend fun pin(id: String, pinned: Boolean): LearningRecord = engine.markRecord(id, pinned = pinned)

    override suspend fun correct(id: String, text: String): LearningRecord = engine.markRecord(id, correction = text)

    override suspend fun askAgain(id: String): LearningRecord = engine.askAgain(id)

    override suspend fun export(): String = engine.exportMarkdown()

    override suspend fun delete(id: String): Unit = engine.deleteRecord(id)

    override suspend fun ask(question: String): Answer = engine.ask(question)

    override suspend fun log(limit: Int): List<EvolutionLog> = engine.log(limit)

    override suspend fun failures(): List<FailureRecord> = engine.failures()

    override suspend fun forgetFailure(signature: String): Unit = engine.forgetFailure(signature)
}
