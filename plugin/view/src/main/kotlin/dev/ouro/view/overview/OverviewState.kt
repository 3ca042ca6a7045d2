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
    val phaseTone: Tone = Tone.PLAIN,
    /** `0:42`: since when the phase lasts, or until when it waits. */
    val timer: String = "",
    /** Why it waits or ended, or what it does at the moment. */
    val activity: String = "",
    val quotas: List<Quota> = emptyList(),
    /** Oldest first. */
    val recordsPerDay: List<DayCount> = emptyList(),
    val figures: List<Figure> = emptyList(),
    val health: Health = Health(Tone.PLAIN, "", ""),
    val controls: Controls = Controls(),
)

/** One of the day's quotas. */
public data class Quota(val name: String, val used: Int, val limit: Int, val text: String)

/** How many records a day brought. */
public data class DayCount(val day: LocalDate, val count: Int)

/** A number with its name. */
public data class Figure(val name: String, val value: String)

/** How the loop is doing: [text] says what, [advice] what to do about it. */
public data class Health(val tone: Tone, val text: String, val advice: String)

/** What the user can tell the loop: which buttons work, and which actions are shown. */
public data class Controls(
    /** In place of [start]: learning is off, and the user is asked before it begins. */
    val turnOn: Boolean = false,
    val start: Boolean = false,
    val pause: Boolean = false,
    val runOnce: Boolean = false,
    val stop: Boolean = false,
) {
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
