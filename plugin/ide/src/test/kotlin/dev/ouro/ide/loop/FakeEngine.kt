package dev.ouro.ide.loop

import dev.ouro.bridge.Answer
import dev.ouro.bridge.EngineException
import dev.ouro.bridge.EngineSettings
import dev.ouro.bridge.EvolutionLog
import dev.ouro.bridge.EvolutionStats
import dev.ouro.bridge.FailureRecord
import dev.ouro.bridge.HealthReport
import dev.ouro.bridge.LearningRecord
import dev.ouro.bridge.Phase
import dev.ouro.bridge.ProjectEvent
import dev.ouro.bridge.QuotaStatus
import dev.ouro.bridge.Rating
import dev.ouro.bridge.SuggestedAction
import dev.ouro.bridge.Tool
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.MutableStateFlow
import kotlinx.coroutines.flow.emptyFlow

/** An engine that writes down what it is told. */
internal class FakeEngine(private val journal: MutableList<String>) : LoopEngine {
    override val stats: MutableStateFlow<EvolutionStats> = MutableStateFlow(
        EvolutionStats(
            projectKey = "p",
            totalQuestions = 0,
            todayQuestions = 0,
            totalLearningRecords = 0,
            consecutiveErrors = 0,
            currentPhase = Phase.IDLE,
            phaseSince = 0,
            quota = QuotaStatus(1, 1, 1, 1, 0),
            health = HealthReport(true, emptyList(), SuggestedAction("none")),
        ),
    )
    override val events: Flow<ProjectEvent> = emptyFlow()

    override suspend fun start(iterations: Int?) {
        journal += if (iterations == null) "start" else "start $iterations"
    }

    override suspend fun analyze() {
        journal += "analyze"
    }

    override suspend fun stop() {
        journal += "stop"
    }

    override suspend fun projectChanged() {
        journal += "changed"
    }

    override suspend fun configure(settings: EngineSettings) {
        if (settings.excluded == listOf("wrong")) throw EngineException.InvalidInput("excluded: wrong")
        journal += "configure ${settings.evolution.intervalMs}"
    }

    override suspend fun close() {
        journal += "close"
    }

    override fun nativeTool(name: String): Tool? = null

    override suspend fun records(before: String?, limit: Int): List<LearningRecord> = emptyList()

    override suspend fun record(id: String): LearningRecord = throw EngineException.NotFound(id)

    override suspend fun search(query: String): List<LearningRecord> = emptyList()

    override suspend fun pin(id: String, pinned: Boolean): LearningRecord = record(id)

    override suspend fun correct(id: String, text: String): LearningRecord = record(id)

    override suspend fun rate(id: String, rating: Rating?): LearningRecord = record(id)

    override suspend fun askAgain(id: String): LearningRecord = record(id)

    override suspend fun export(): String = ""

    override suspend fun delete(id: String) = Unit

    override suspend fun ask(question: String): Answer = throw EngineException.NotFound(question)

    override suspend fun log(limit: Int): List<EvolutionLog> = emptyList()

    override suspend fun failures(): List<FailureRecord> = emptyList()

    override suspend fun forgetFailure(signature: String) = Unit
}
