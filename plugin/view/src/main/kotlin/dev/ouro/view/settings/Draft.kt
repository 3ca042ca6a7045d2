package dev.ouro.view.settings

import dev.ouro.bridge.Endpoint
import dev.ouro.bridge.EngineSettings
import dev.ouro.bridge.EvolutionConfig

/** A field of one line of the form. */
public enum class Field(internal val rule: Rule = Rule.Text) {
    /** The chat model's server; empty works offline. */
    MODEL_URL(Rule.Url),

    /** The chat model. */
    MODEL_NAME,

    /** The key for the model's server. */
    API_KEY,

    /** The embedder's server; empty takes the built-in one. */
    EMBEDDER_URL(Rule.Url),

    /** The embedder. */
    EMBEDDER_NAME,

    /** Rest between two iterations, seconds. */
    INTERVAL(Rule.Number(0, 86_400, 60)),

    /** Questions a local day. */
    DAILY_QUESTIONS(Rule.Number(0, 10_000, 50)),

    /** Explorations a local day. */
    DAILY_EXPLORATIONS(Rule.Number(0, 10_000, 100)),

    /** Tokens a local day. */
    DAILY_TOKENS(Rule.Number(0, 1_000_000_000, 800_000)),

    /** Tokens in one iteration. */
    TOKENS(Rule.Number(500, 10_000_000, 8_000)),

    /** Tool calls in one exploration. */
    STEPS(Rule.Number(1, 100, 10)),

    /** Time for one exploration, seconds. */
    TIMEOUT(Rule.Number(1, 3_600, 120)),

    /** First pause after an error, seconds. */
    FIRST_BACKOFF(Rule.Number(1, 3_600, 1)),

    /** Longest pause after errors, seconds. */
    LONGEST_BACKOFF(Rule.Number(1, 86_400, 3_600)),

    /** Errors in a row after which the loop stops. */
    ERRORS(Rule.Number(1, 100, 5)),
}

/** What a field takes. */
internal sealed interface Rule {
    data object Text : Rule

    data object Url : Rule

    /** Empty is [default], which is the engine's own. Times are in seconds. */
    data class Number(val least: Long, val most: Long, val default: Long) : Rule
}

/** Everything that the form sets. */
public data class FormSettings(
    /** What the engine is told. */
    val engine: EngineSettings,
    /** Whether it rests while the user types. */
    val pauseWhileTyping: Boolean = true,
    /** Whether it rests while the host saves power. */
    val pauseInPowerSaveMode: Boolean = true,
)

/** The form as it is being filled in. */
public data class Draft(
    /** Whether the loop may learn this project. */
    val enabled: Boolean = false,
    /** Ask more, look longer, cite line ranges. */
    val deepMode: Boolean = false,
    /** Whether it rests while the user types. */
    val pauseWhileTyping: Boolean = true,
    /** Whether it rests while the host saves power. */
    val pauseInPowerSaveMode: Boolean = true,
    /** `null` follows the IDE. */
    val language: String? = null,
    /** One path a line. */
    val excluded: String = "",
    /** What was typed into the fields of one line. */
    val fields: Map<Field, String> = emptyMap(),
) {
    /** What [field] holds. */
    public operator fun get(field: Field): String = fields[field].orEmpty().trim()

    internal fun with(field: Field, text: String): Draft = copy(fields = fields + (field to text))

    /** Whether both say the same, however it is written. */
    internal fun sameAs(other: Draft): Boolean = settings().let { mine ->
        val theirs = other.settings()
        mine.evolution == theirs.evolution &&
            mine.excluded == theirs.excluded &&
            pauseWhileTyping == other.pauseWhileTyping &&
            pauseInPowerSaveMode == other.pauseInPowerSaveMode &&
            Field.entries.all { this[it] == other[it] }
    }

    /** What all of it says; see [settings]. */
    public fun form(): FormSettings = FormSettings(settings(), pauseWhileTyping, pauseInPowerSaveMode)

    /** What it tells the engine. Fields that hold no number count as empty; ask for the errors first. */
    public fun settings(): EngineSettings = EngineSettings(
        EvolutionConfig(
            enabled = enabled,
            intervalMs = seconds(Field.INTERVAL),
            maxExplorationSteps = number(Field.STEPS)?.toInt(),
            explorationTimeoutMs = seconds(Field.TIMEOUT),
            maxDailyQuestions = number(Field.DAILY_QUESTIONS)?.toInt(),
            maxDailyExplorations = number(Field.DAILY_EXPLORATIONS)?.toInt(),
            maxDailyTokens = number(Field.DAILY_TOKENS),
            baseBackoffMs = seconds(Field.FIRST_BACKOFF),
            maxBackoffMs = seconds(Field.LONGEST_BACKOFF),
            maxConsecutiveErrors = number(Field.ERRORS)?.toInt(),
            maxTokensPerIteration = number(Field.TOKENS),
            language = language,
            deepMode = deepMode.takeIf { it },
        ),
        endpoint(Field.MODEL_URL, Field.MODEL_NAME, this[Field.API_KEY]),
        endpoint(Field.EMBEDDER_URL, Field.EMBEDDER_NAME, embedderKey()),
        excluded.lines().map(String::trim).filter(String::isNotEmpty),
    )

    /** The key is the model's: another server doesn't get it. */
    private fun embedderKey(): String =
        if (isSameServer(this[Field.MODEL_URL], this[Field.EMBEDDER_URL])) this[Field.API_KEY] else ""

    private fun endpoint(url: Field, name: Field, key: String): Endpoint? = this[url].takeIf(String::isNotEmpty)?.let {
        Endpoint(it, this[name].takeIf(String::isNotEmpty), key.takeIf(String::isNotEmpty))
    }

    private fun number(field: Field): Long? = this[field].toLongOrNull()

    private fun seconds(field: Field): Long? = number(field)?.times(MS)

    /** Fills the form in. */
    public companion object {
        private const val MS = 1000L

        /** The form of what is set. */
        public fun of(form: FormSettings): Draft = of(form.engine)
            .copy(pauseWhileTyping = form.pauseWhileTyping, pauseInPowerSaveMode = form.pauseInPowerSaveMode)

        private fun of(settings: EngineSettings): Draft = Draft(
            settings.evolution.enabled,
            settings.evolution.deepMode == true,
            language = settings.evolution.language,
            excluded = settings.excluded.joinToString("\n"),
            fields = buildMap {
                fun set(field: Field, value: Any?) {
                    value?.let { put(field, it.toString()) }
                }
                set(Field.MODEL_URL, settings.model?.baseUrl)
                set(Field.MODEL_NAME, settings.model?.model)
                set(Field.API_KEY, settings.model?.apiKey)
                set(Field.EMBEDDER_URL, settings.embedder?.baseUrl)
                set(Field.EMBEDDER_NAME, settings.embedder?.model)
                set(Field.INTERVAL, settings.evolution.intervalMs?.div(MS))
                set(Field.DAILY_QUESTIONS, settings.evolution.maxDailyQuestions)
                set(Field.DAILY_EXPLORATIONS, settings.evolution.maxDailyExplorations)
                set(Field.DAILY_TOKENS, settings.evolution.maxDailyTokens)
                set(Field.TOKENS, settings.evolution.maxTokensPerIteration)
                set(Field.STEPS, settings.evolution.maxExplorationSteps)
                set(Field.TIMEOUT, settings.evolution.explorationTimeoutMs?.div(MS))
                set(Field.FIRST_BACKOFF, settings.evolution.baseBackoffMs?.div(MS))
                set(Field.LONGEST_BACKOFF, settings.evolution.maxBackoffMs?.div(MS))
                set(Field.ERRORS, settings.evolution.maxConsecutiveErrors)
            },
        )
    }
}
