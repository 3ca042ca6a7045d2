package dev.ouro.view

import dev.ouro.bridge.Answer
import dev.ouro.bridge.EvolutionEngine
import dev.ouro.bridge.EvolutionLog
import dev.ouro.bridge.EvolutionStats
import dev.ouro.bridge.FailureRecord
import dev.ouro.bridge.LearningRecord
import dev.ouro.bridge.ProjectEvent
import dev.ouro.bridge.Rating
import dev.ouro.view.base.Engine
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.StateFlow

/** The real engine, as the view models see it. */
public class BridgeEngine(private val engine: EvolutionEngine) : Engine {
    override val stats: StateFlow<EvolutionStats> get() = engine.stats

    override val events: Flow<ProjectEvent> get() = engine.events

    override suspend fun records(before: String?, limit: Int): List<LearningRecord> = engine.records(before, limit)

    override suspend fun record(id: String): LearningRecord = engine.record(id)

    override suspend fun search(query: String): List<LearningRecord> = engine.search(query)

    override suspend fun pin(id: String, pinned: Boolean): LearningRecord = engine.markRecord(id, pinned = pinned)

    override suspend fun correct(id: String, text: String): LearningRecord = engine.markRecord(id, correction = text)

    override suspend fun rate(id: String, rating: Rating?): LearningRecord = engine.rateRecord(id, rating)

    override suspend fun askAgain(id: String): LearningRecord = engine.askAgain(id)

    override suspend fun export(): String = engine.exportMarkdown()

    override suspend fun delete(id: String): Unit = engine.deleteRecord(id)

    override suspend fun ask(question: String): Answer = engine.ask(question)

    override suspend fun log(limit: Int): List<EvolutionLog> = engine.log(limit)

    override suspend fun failures(): List<FailureRecord> = engine.failures()

    override suspend fun forgetFailure(signature: String): Unit = engine.forgetFailure(signature)
}
