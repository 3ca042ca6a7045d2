package dev.ouro.view.overview

import dev.ouro.bridge.EvolutionStats
import dev.ouro.bridge.HealthIssue
import dev.ouro.bridge.Phase
import dev.ouro.bridge.RunState
import dev.ouro.bridge.StopReason
import dev.ouro.bridge.SuggestedAction
import dev.ouro.bridge.WaitReason
import dev.ouro.view.base.EngineState
import dev.ouro.view.base.Formats
import dev.ouro.view.base.Messages
import dev.ouro.view.base.Tone

/** The engine's states in words: what the Overview, the status bar and the log say alike. */
internal class Wording(private val messages: Messages, private val formats: Formats) {
    fun phase(phase: Phase): String = messages.text("phase.${phase.name.lowercase()}")

    /** The phase as a headline, with the host's pause and the loop's end taken in. */
    fun headline(state: EngineState, stats: EvolutionStats): Pair<String, Tone> {
        val idle = stats.currentPhase == Phase.IDLE
        val pause =
            (state as? EngineState.Ready)?.pause ?: EngineState.Pause.USER.takeIf { stats.run == RunState.PAUSED }
        return when {
            state is EngineState.Off -> messages.text("overview.off") to Tone.MUTED
            isInTrouble(stats) -> messages.text("overview.stopped") to Tone.ERROR
            pause != null && idle -> messages.text("pause.${pause.name.lowercase()}") to Tone.MUTED
            idle && stats.stopReason?.reason == "fully_covered" -> messages.text("overview.covered") to Tone.PLAIN
            else -> phase(stats.currentPhase) to Tone.PLAIN
        }
    }

    fun wait(wait: WaitReason): String = when (wait.reason) {
        "in_backoff" -> messages.text("wait.in_backoff", wait.consecutiveErrors ?: 1)
        "quota_exhausted" ->
            messages.text("wait.quota_exhausted" + wait.which?.let { ".${it.name.lowercase()}" }.orEmpty())
        else -> messages.textOr("wait.${wait.reason}", wait.reason)
    }

    /** Why the loop ended and what to do about it, with the engine's own words on what went wrong. */
    fun stop(stop: StopReason): String =
        listOfNotNull(messages.textOr("stop.${stop.reason}", stop.reason), stop.lastError ?: stop.why ?: stop.what)
            .joinToString("\n")

    fun health(stats: EvolutionStats): Health {
        if (isInTrouble(stats)) {
            return Health(
                Tone.ERROR,
                messages.text("health.consecutive_errors", stats.consecutiveErrors),
                messages.text("advice.check_model"),
            )
                .takeIf { stats.consecutiveErrors > 0 } ?: Health(Tone.ERROR, messages.text("overview.stopped"), "")
        }
        if (stats.health.healthy) return Health(Tone.PLAIN, messages.text("health.good"), "")
        return Health(
            Tone.ERROR,
            stats.health.issues.joinToString("\n", transform = ::issue),
            advice(stats.health.suggestedAction),
        )
    }

    private fun isInTrouble(stats: EvolutionStats): Boolean =
        stats.currentPhase == Phase.IDLE && stats.stopReason?.isTrouble == true

    private fun issue(issue: HealthIssue): String = when (issue.issue) {
        "consecutive_errors" -> messages.text("health.consecutive_errors", issue.count ?: 1)
        "no_progress", "idle_too_long" -> messages.text("health.${issue.issue}", formats.span(issue.forMs ?: 0))
        "phase_overdue" ->
            messages.text("health.phase_overdue", phase(issue.phase ?: Phase.IDLE), formats.span(issue.forMs ?: 0))
        "over_token_budget" -> messages.text("health.over_token_budget", issue.used ?: 0, issue.budget ?: 0)
        "store_near_limit" ->
            messages.text("health.store_near_limit", (issue.bytes ?: 0) / MIB, (issue.limit ?: 0) / MIB)
        else -> issue.issue
    }

    private fun advice(action: SuggestedAction): String = when (action.action) {
        "wait_until" -> messages.text("advice.wait_until", formats.time(action.at ?: formats.now()))
        else -> messages.textOr("advice.${action.action}", "")
    }

    private companion object {
        const val MIB = 1024 * 1024
    }
}
