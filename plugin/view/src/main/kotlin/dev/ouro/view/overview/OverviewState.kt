package dev.ouro.view.overview

import dev.ouro.bridge.Phase
import dev.ouro.view.base.EngineState
import dev.ouro.view.base.Notice
import dev.ouro.view.base.Tone
import java.time.LocalDate

/** What the Overview shows. */
public data class OverviewState(
    /** In place of everything else. */
    val notice: Notice? = null,
    /** `Exploring`. */
    val phase: String = "",
    /** How the phase is shown. */
    val phaseTone: Tone = Tone.PLAIN,
    /** `0:42`: since when the phase lasts, or until when it waits. */
    val timer: String = "",
    /** Why it waits or ended, or what it does at the moment. */
    val activity: String = "",
    /** What is left of the day, a bar for each kind. */
    val quotas: List<Quota> = emptyList(),
    /** Oldest first. */
    val recordsPerDay: List<DayCount> = emptyList(),
    /** Numbers beside the chart. */
    val figures: List<Figure> = emptyList(),
    /** How the loop is doing. */
    val health: Health = Health(Tone.PLAIN, "", ""),
    /** What the user can tell it. */
    val controls: Controls = Controls(),
)

/** One of the day's quotas. */
public data class Quota(
    /** What is counted, in words. */
    val name: String,
    /** How much of it is used. */
    val used: Int,
    /** How much there is a day. */
    val limit: Int,
    /** Both, as the bar says it. */
    val text: String,
)

/** How many records a day brought. */
public data class DayCount(
    /** The local day. */
    val day: LocalDate,
    /** Records written on it. */
    val count: Int,
)

/** A number with its name. */
public data class Figure(
    /** What it counts, in words. */
    val name: String,
    /** The number as text. */
    val value: String,
)

/** How the loop is doing: [text] says what, [advice] what to do about it. */
public data class Health(
    /** How it is shown. */
    val tone: Tone,
    /** What is wrong, or that all is well. */
    val text: String,
    /** What to do about it; empty when nothing has to be done. */
    val advice: String,
)

/** What the user can tell the loop: which buttons work, and which actions are shown. */
public data class Controls(
    /** In place of [start]: learning is off, and the user is asked before it begins. */
    val turnOn: Boolean = false,
    /** It can be started, or go on. */
    val start: Boolean = false,
    /** It can be paused. */
    val pause: Boolean = false,
    /** It can do one iteration. */
    val runOnce: Boolean = false,
    /** It can be stopped. */
    val stop: Boolean = false,
) {
    /** Tells them from the engine's state. */
    public companion object {
        /** What can be told to an engine that stands so. */
        public fun of(state: EngineState): Controls = when (state) {
            is EngineState.Off -> Controls(turnOn = true)
            is EngineState.Ready -> {
                val idle = state.engine.stats.value.currentPhase == Phase.IDLE
                // What rests for the IDE's sake goes on by itself.
                val ended = idle && state.pause == null
                val pausedByUser = state.pause == EngineState.Pause.USER
                Controls(
                    start = pausedByUser || ended,
                    pause = !pausedByUser && !ended,
                    runOnce = idle,
                    stop = true,
                )
            }
            is EngineState.Opening, is EngineState.Unavailable -> Controls()
        }
    }
}
