package dev.ouro.view

import dev.ouro.bridge.Answer
import dev.ouro.bridge.EvolutionLog
import dev.ouro.bridge.EvolutionStats
import dev.ouro.bridge.FailureRecord
import dev.ouro.bridge.LearningRecord
import kotlinx.serialization.json.Json
import java.time.Clock
import java.time.Instant
import java.time.ZoneOffset

/**
 * What Ouro wrote about its own engine in eleven short runs from 9 to 22 November 2026, in one language, without a
 * model.
 */
class Recorded(private val language: String) {
    val records: List<LearningRecord> by lazy { read("records") }
    val log: List<EvolutionLog> by lazy { read("log") }
    val stats: EvolutionStats by lazy { read("stats") }
    val answer: Answer by lazy { read("answer") }

    /** Of a run with a model server that was down. */
    val failures: List<FailureRecord> by lazy { read("failures") }

    private inline fun <reified T> read(name: String): T =
        JSON.decodeFromString(checkNotNull(Recorded::class.java.getResource("/ouro/$language/$name.json")).readText())

    companion object {
        val ENGLISH = Recorded("en")
        val CHINESE = Recorded("zh-CN")

        /** Shortly after the last run. */
        val CLOCK: Clock = Clock.fixed(Instant.parse("2026-11-22T14:21:12Z"), ZoneOffset.UTC)

        private val JSON = Json { ignoreUnknownKeys = true }
    }
}
