package dev.ouro.view.overview

import dev.ouro.bridge.EvolutionStats
import dev.ouro.bridge.Phase
import dev.ouro.bridge.ProjectEvent
import dev.ouro.view.base.EngineState
import dev.ouro.view.base.Formats
import dev.ouro.view.base.Host
import dev.ouro.view.base.Markdown
import dev.ouro.view.base.Messages
import dev.ouro.view.base.engineOrNull
import dev.ouro.view.base.notice
import dev.ouro.view.base.paced
import dev.ouro.view.records.Catalog
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.SharingStarted
import kotlinx.coroutines.flow.StateFlow
import kotlinx.coroutines.flow.combine
import kotlinx.coroutines.flow.filterNotNull
import kotlinx.coroutines.flow.flatMapLatest
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.flowOf
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.flow.onStart
import kotlinx.coroutines.flow.stateIn
import java.time.LocalDate
import kotlin.time.Duration.Companion.seconds

/** Makes what the Overview shows out of the engine's statistics, once a second while somebody looks. */
public class OverviewModel(
    scope: CoroutineScope,
    host: Host,
    catalog: StateFlow<Catalog>,
    private val messages: Messages,
    private val formats: Formats,
) {
    private val wording = Wording(messages, formats)

    /** What to show. Only worked out while it is collected. */
    @OptIn(ExperimentalCoroutinesApi::class)
    public val state: StateFlow<OverviewState> = host.engine.flatMapLatest { engine ->
        val access = engine.engineOrNull
            ?: return@flatMapLatest flowOf(OverviewState(notice = engine.notice(messages)))
        combine(access.stats, activity(engine), catalog, EVERY_SECOND) { stats, activity, records, _ ->
            state(engine, stats, activity, records)
        }.paced()
    }.stateIn(scope, SharingStarted.WhileSubscribed(), OverviewState(notice = host.engine.value.notice(messages)))

    private fun activity(engine: EngineState): Flow<String> = requireNotNull(engine.engineOrNull).events
        .map { event ->
            when (event) {
                is ProjectEvent.QuestionTaken -> Markdown.plain(event.question.question)
                is ProjectEvent.RecordSaved -> messages.text("activity.record", Markdown.plain(event.record.question))
                is ProjectEvent.Failed -> event.message
                else -> null
            }
        }
        .filterNotNull()
        .onStart { emit("") }

    internal fun state(engine: EngineState, stats: EvolutionStats, activity: String, catalog: Catalog): OverviewState {
        val (phase, tone) = wording.headline(engine, stats)
        val waiting = engine !is EngineState.Off && stats.currentPhase == Phase.WAITING
        val off = engine is EngineState.Off
        // What is analysed while learning is off is nothing to watch.
        val idle = off || stats.currentPhase == Phase.IDLE
        val now = formats.now()
        return OverviewState(
            phase = phase,
            phaseTone = tone,
            timer =
            when {
                idle -> ""
                waiting && stats.waitingUntil != null ->
                    messages.text(
                        "overview.timer.left",
                        formats.clockTime(requireNotNull(stats.waitingUntil) - now),
                    )
                else -> messages.text("overview.timer.since", formats.clockTime(now - stats.phaseSince))
            },
            activity =
            when {
                off -> messages.text("overview.off.hint")
                waiting -> stats.waitReason?.let(wording::wait).orEmpty()
                idle ->
                    stats.stopReason?.let { Markdown.plain(wording.stop(it)) }
                        ?: messages.text("overview.idle.hint")
                else -> activity
            },
            quotas = quotas(stats),
            recordsPerDay = perDay(catalog),
            figures = figures(stats),
            health = wording.health(stats),
            controls = Controls.of(engine),
        )
    }

    private fun quotas(stats: EvolutionStats): List<Quota> {
        val quota = stats.quota
        fun quota(key: String, left: Int, limit: Int) =
            Quota(messages.text(key), limit - left, limit, messages.text("overview.quota.used", limit - left, limit))
        return listOf(
            quota("overview.quota.questions", quota.questionsRemaining, quota.questionsLimit),
            quota("overview.quota.explorations", quota.explorationsRemaining, quota.explorationsLimit),
        )
    }

    private fun figures(stats: EvolutionStats): List<Figure> = listOf(
        Figure(messages.text("overview.figure.records"), messages.text("unit.count", stats.totalLearningRecords)),
        Figure(messages.text("overview.figure.questions"), messages.text("unit.count", stats.totalQuestions)),
        Figure(
            messages.text("overview.figure.tokens"),
            messages.text("overview.figure.tokens.value", stats.tokensToday.prompt, stats.tokensToday.completion),
        ),
        Figure(
            messages.text("overview.figure.last"),
            stats.lastEvolutionTime?.let(formats::time) ?: messages.text("unit.never"),
        ),
        Figure(messages.text("overview.figure.loops"), messages.text("unit.count", stats.loopsDetected)),
    )

    private fun perDay(catalog: Catalog): List<DayCount> {
        val today = formats.day(formats.now())
        val counts =
            catalog.rows
                .asSequence()
                .map { formats.day(it.createdAt) }
                .filter { it > today.minusDays(DAYS.toLong()) }
                .groupingBy(LocalDate::toEpochDay)
                .eachCount()
        return (DAYS - 1 downTo 0)
            .map { today.minusDays(it.toLong()) }
            .map { DayCount(it, counts[it.toEpochDay()] ?: 0) }
    }

    private companion object {
        const val DAYS = 14
        val EVERY_SECOND: Flow<Unit> = flow {
            while (true) {
                emit(Unit)
                delay(1.seconds)
            }
        }
    }
}
