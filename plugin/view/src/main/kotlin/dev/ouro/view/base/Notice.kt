package dev.ouro.view.base

import dev.ouro.bridge.EngineException

/** What stands where there is nothing to show, or where something failed: what, why, and what to do next. */
public data class Notice(
    /** What, in a few words. */
    val title: String,
    /** Why, in sentences. */
    val text: String,
    /** What to do next, a button for each. */
    val actions: List<Step> = emptyList(),
    /** Whether something failed. */
    val isError: Boolean = false,
) {
    /** Something to do next; `notice.step.<name>` is its button's text. */
    public enum class Step(
        /** Has the host do it. */
        public val perform: (Host) -> Unit,
    ) {
        /** Lets the loop learn this project. */
        TURN_ON(Host::turnOn),

        /** Starts the loop. */
        START(Host::start),

        /** Lets it do one iteration. */
        RUN_ONCE(Host::runOnce),

        /** Opens the settings. */
        SETTINGS(Host::openSettings),

        /** Tries to open the engine again. */
        RETRY(Host::retry),
    }
}

/** The notice of an engine that can't be asked, or `null` when it can. */
internal fun EngineState.notice(messages: Messages): Notice? = when (this) {
    is EngineState.Ready -> null
    is EngineState.Off -> Notice(
        messages.text("notice.off.title"),
        messages.text("notice.off.text"),
        listOf(Notice.Step.TURN_ON, Notice.Step.SETTINGS),
    ).takeIf { engine == null }
    is EngineState.Opening -> Notice(messages.text("notice.opening.title"), messages.text("notice.opening.text"))
    is EngineState.Unavailable -> {
        val kind = if (nativeLibrary) "notice.native" else "notice.unavailable"
        Notice(
            messages.text("$kind.title"),
            problem + "\n\n" + messages.text("$kind.text"),
            listOf(Notice.Step.RETRY, Notice.Step.SETTINGS),
            isError = true,
        )
    }
}

/** The notice of an operation that failed. */
internal fun failed(messages: Messages, titleKey: String, error: EngineException): Notice =
    Notice(messages.text(titleKey), error.message.orEmpty(), listOf(Notice.Step.RETRY), isError = true)
