package dev.ouro.ide.settings

/**
 * What is set for one project. Kept in the workspace file: it is the user's own and never shared by version control.
 * What is `null` keeps the engine's default.
 */
internal data class ProjectState(
    /** Whether this project is learnt. */
    @JvmField val enabled: Boolean = false,
    /** Where the user allowed data to go, as [Destination.key] says it; empty for nowhere. */
    @JvmField val consent: String = "",
    /** Whether the first-run notification was shown. */
    @JvmField val welcomed: Boolean = false,
    @JvmField val intervalMs: Long? = null,
    @JvmField val dailyQuestions: Int? = null,
    @JvmField val dailyExplorations: Int? = null,
    @JvmField val dailyTokens: Long? = null,
    @JvmField val tokensPerIteration: Long? = null,
    @JvmField val explorationSteps: Int? = null,
    @JvmField val explorationMs: Long? = null,
    @JvmField val firstBackoffMs: Long? = null,
    @JvmField val longestBackoffMs: Long? = null,
    @JvmField val errorsInARow: Int? = null,
    @JvmField val deepMode: Boolean = false,
    /** `en` or `zh-CN`; `null` follows the IDE. */
    @JvmField val language: String? = null,
    /** Globs relative to the project's folder. */
    @JvmField val excluded: List<String> = emptyList(),
    @JvmField val pauseWhileTyping: Boolean = true,
    @JvmField val pauseInPowerSaveMode: Boolean = true,
) {
    /** This, with what the user answered when it was [now]: a form may have been open all the while. */
    fun answeredAs(now: ProjectState): ProjectState = copy(consent = now.consent, welcomed = now.welcomed)
}

/** What is set for all projects: who thinks. No key is ever in it. */
internal data class AppState(
    /** An OpenAI-compatible endpoint; empty for the built-in reasoner. */
    @JvmField val modelUrl: String = "",
    @JvmField val model: String = "",
    /** Empty for the built-in embedder. */
    @JvmField val embedderUrl: String = "",
    @JvmField val embedder: String = "",
)
