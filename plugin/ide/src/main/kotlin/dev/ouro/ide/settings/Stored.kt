package dev.ouro.ide.settings

import dev.ouro.bridge.Endpoint
import dev.ouro.bridge.EngineSettings
import dev.ouro.bridge.EvolutionConfig
import dev.ouro.ide.loop.LoopSettings
import dev.ouro.view.settings.FormSettings
import dev.ouro.view.settings.isSameServer

/** Everything that is set, as it is kept. */
internal data class Stored(val project: ProjectState, val app: AppState, val apiKey: String? = null) {
    /** Shows no key. */
    override fun toString(): String = "Stored($project, $app)"

    /** As the form shows it. */
    fun form(): FormSettings = FormSettings(settings(), project.pauseWhileTyping, project.pauseInPowerSaveMode)

    /** What of it is the engine's. */
    fun settings(): EngineSettings = EngineSettings(
        EvolutionConfig(
            enabled = project.enabled,
            intervalMs = project.intervalMs,
            maxExplorationSteps = project.explorationSteps,
            explorationTimeoutMs = project.explorationMs,
            maxDailyQuestions = project.dailyQuestions,
            maxDailyExplorations = project.dailyExplorations,
            maxDailyTokens = project.dailyTokens,
            baseBackoffMs = project.firstBackoffMs,
            maxBackoffMs = project.longestBackoffMs,
            maxConsecutiveErrors = project.errorsInARow,
            maxTokensPerIteration = project.tokensPerIteration,
            language = project.language,
            deepMode = project.deepMode,
        ),
        model(),
        embedder(),
        project.excluded,
    )

    /** What is kept once the form says [form]. */
    fun with(form: FormSettings): Stored {
        val settings = form.engine
        val config = settings.evolution
        return Stored(
            project.copy(
                enabled = config.enabled,
                intervalMs = config.intervalMs,
                explorationSteps = config.maxExplorationSteps,
                explorationMs = config.explorationTimeoutMs,
                dailyQuestions = config.maxDailyQuestions,
                dailyExplorations = config.maxDailyExplorations,
                dailyTokens = config.maxDailyTokens,
                firstBackoffMs = config.baseBackoffMs,
                longestBackoffMs = config.maxBackoffMs,
                errorsInARow = config.maxConsecutiveErrors,
                tokensPerIteration = config.maxTokensPerIteration,
                language = config.language,
                deepMode = config.deepMode == true,
                excluded = settings.excluded,
                pauseWhileTyping = form.pauseWhileTyping,
                pauseInPowerSaveMode = form.pauseInPowerSaveMode,
            ),
            AppState(
                settings.model?.baseUrl.orEmpty(),
                settings.model?.model.orEmpty(),
                settings.embedder?.baseUrl.orEmpty(),
                settings.embedder?.model.orEmpty(),
            ),
            settings.model?.apiKey,
        )
    }

    /**
     * What the loop is told. Without the user's consent to where data would go, the project is learnt with what is
     * built in.
     *
     * @param ideLanguage the language of the IDE as a BCP 47 tag.
     */
    fun loop(ideLanguage: String): LoopSettings {
        val allowed = Destination(app).isAllowedBy(project)
        val settings = settings()
        val language = project.language ?: if (ideLanguage.startsWith("zh")) "zh-CN" else "en"
        return LoopSettings(
            enabled = project.enabled,
            engine = settings.copy(
                evolution = settings.evolution.copy(language = language),
                model = settings.model.takeIf { allowed },
                embedder = settings.embedder.takeIf { allowed },
            ),
            pauseWhileTyping = project.pauseWhileTyping,
            pauseInPowerSaveMode = project.pauseInPowerSaveMode,
        )
    }

    private fun model(): Endpoint? = endpoint(app.modelUrl, app.model, apiKey)

    /** The key is the model's: another server doesn't get it. */
    private fun embedder(): Endpoint? =
        endpoint(app.embedderUrl, app.embedder, apiKey.takeIf { isSameServer(app.embedderUrl, app.modelUrl) })

    private fun endpoint(url: String, model: String, key: String?): Endpoint? =
        url.trim().ifEmpty { null }?.let { Endpoint(it, model.trim().ifEmpty { null }, key?.ifEmpty { null }) }
}
