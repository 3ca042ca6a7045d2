package dev.ouro.view

import dev.ouro.bridge.Answer
import dev.ouro.bridge.Correction
import dev.ouro.bridge.EngineException
import dev.ouro.bridge.EvolutionLog
import dev.ouro.bridge.EvolutionStats
import dev.ouro.bridge.FailureRecord
import dev.ouro.bridge.Freshness
import dev.ouro.bridge.LearningRecord
import dev.ouro.bridge.ProjectEvent
import dev.ouro.bridge.Rating
import dev.ouro.view.base.Engine
import kotlinx.coroutines.flow.MutableSharedFlow
import kotlinx.coroutines.flow.MutableStateFlow
import java.util.concurrent.CopyOnWriteArrayList

/** An engine over records in memory. What a test sets [failure] to is thrown by every call. */
class MemoryEngine(private val recorded: Recorded, records: List<LearningRecord> = recorded.records) : Engine {
    override val stats = MutableStateFlow<EvolutionStats>(recorded.stats)
    override val events = MutableSharedFlow<ProjectEvent>(replay = 1)
    val records = CopyOnWriteArrayList(records.sortedByDescending { it.id })
    val failures = CopyOnWriteArrayList(recorded.failures)
    val pages = CopyOnWriteArrayList<Int>()
    var log: List<EvolutionLog> = recorded.log
    var failure: EngineException? = null
    var answer: suspend (String) -> Answer = { recorded.answer }

    override suspend fun records(before: String?, limit: Int): List<LearningRecord> {
        fail()
        return records.filter { before == null || it.id < before }.take(limit).also { pages += it.size }
    }

    override suspend fun record(id: String): LearningRecord {
        fail()
        return records.find { it.id == id } ?: throw EngineException.NotFound("no record $id")
    }

    override suspend fun search(query: String): List<LearningRecord> {
        fail()
        return records.filter { query.lowercase() in it.answer.lowercase() }
    }

    override suspend fun pin(id: String, pinned: Boolean) = change(id) { it.copy(pinned = pinned) }

    override suspend fun correct(id: String, text: String) = change(id) { it.copy(correction = Correction(text, NOW)) }

    override suspend fun rate(id: String, rating: Rating?) = change(id) { it.copy(rating = rating) }

    override suspend fun askAgain(id: String) =
        change(id) { it.copy(freshness = Freshness(Freshness.State.ASKED_AGAIN)) }

    override suspend fun export(): String = records.joinToString("\n") { it.question }

    override suspend fun delete(id: String) {
        fail()
        records.removeIf { it.id == id }
    }

    override suspend fun ask(question: String): Answer {
        fail()
        return answer(question)
    }

    override suspend fun log(limit: Int): List<EvolutionLog> {
        fail()
        return log.take(limit)
    }

    override suspend fun failures(): List<FailureRecord> {
        fail()
        return failures.toList()
    }

    override suspend fun forgetFailure(signature: String) {
        fail()
        failures.removeIf { it.signature == signature }
    }

    private fun change(id: String, change: (LearningRecord) -> LearningRecord): LearningRecord {
        fail()
        val index = records.indexOfFirst { it.id == id }
        return change(records[index]).also { records[index] = it }
    }

    private fun fail() {
        failure?.let { throw it }
    }

    companion object {
        val NOW = Recorded.CLOCK.millis()
    }
}
