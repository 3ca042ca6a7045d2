package dev.ouro.view

import dev.ouro.view.base.EngineState
import dev.ouro.view.base.Messages
import dev.ouro.view.overview.OverviewState

/** What the status bar shows: a few words, and the whole of it as a tooltip. */
public data class StatusText(
    /** A few words. */
    val text: String,
    /** The whole of it. */
    val tooltip: String,
) {
    /** Words it. */
    public companion object {
        /** The text of the Overview's state. */
        public fun of(engine: EngineState, overview: OverviewState, messages: Messages): StatusText {
            val notice = overview.notice
            val text = when {
                engine is EngineState.Off -> messages.text("status.off")
                notice != null -> notice.title
                else -> listOf(overview.phase, overview.timer).filter(String::isNotEmpty).joinToString(" ")
            }
            val more = notice?.text ?: overview.activity
            return StatusText(messages.text("status.text", text), if (more.isEmpty()) text else "$text — $more")
        }
    }
}
