package dev.ouro.view.base

import kotlinx.coroutines.flow.StateFlow

/**
 * What the panels ask of the program that they live in. Every function may be called on any thread and returns at once.
 */
public interface Host {
    /** The engine of the project. */
    public val engine: StateFlow<EngineState>

    /** Asks for consent, and turns learning on for this project. */
    public fun turnOn()

    /** Lets the loop run until it is paused. */
    public fun start()

    /** Lets the loop rest until [start]. */
    public fun pause()

    /** One iteration. */
    public fun runOnce()

    /** Turns learning off for this project. What was learnt stays. */
    public fun stop()

    /** Opens the engine again after it failed. */
    public fun retry()

    /** Shows the settings. */
    public fun openSettings()

    /** Shows a file of the project; [path] is relative to its root, [line] counts from 1. */
    public fun openSource(path: String, line: Int?)

    /** Puts [text] on the clipboard. */
    public fun copy(text: String)

    /** Lets the user save [text] as a file. */
    public fun save(suggestedName: String, text: String)
}
