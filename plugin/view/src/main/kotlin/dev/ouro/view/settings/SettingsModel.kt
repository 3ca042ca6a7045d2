package dev.ouro.view.settings

import dev.ouro.bridge.Endpoint
import dev.ouro.bridge.EndpointReport
import dev.ouro.bridge.EngineException
import dev.ouro.view.base.Messages
import dev.ouro.view.base.Tone
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Job
import kotlinx.coroutines.flow.MutableStateFlow
import kotlinx.coroutines.flow.StateFlow
import kotlinx.coroutines.flow.asStateFlow
import kotlinx.coroutines.flow.update
import kotlinx.coroutines.launch
import java.net.URI
import java.net.URISyntaxException

/** What the form shows. */
public data class SettingsState(
    /** What was typed. */
    val draft: Draft = Draft(),
    /** What is wrong, at its field. */
    val errors: Map<Field, String> = emptyMap(),
    /** What the test of the connection said. */
    val test: TestResult? = null,
)

/** The test of a connection in a sentence or two. */
public data class TestResult(
    /** How it is shown. */
    val tone: Tone,
    /** What was found. */
    val text: String,
    /** Whether it still runs. */
    val isRunning: Boolean = false,
)

/**
 * Asks an endpoint what it serves; throws `EngineException` when it can't be used. `EvolutionEngine.checkEndpoint`
 * does.
 */
public fun interface EndpointCheck {
    /** Asks [endpoint]. */
    public suspend fun check(endpoint: Endpoint): EndpointReport
}

/** The form of the settings: what was typed, what is wrong with it, and whether it differs from what holds. */
public class SettingsModel(
    private val scope: CoroutineScope,
    private val messages: Messages,
    private val check: EndpointCheck,
) {
    private var saved = Draft()
    private val current = MutableStateFlow(SettingsState())
    private var test: Job? = null

    /** What to show. */
    public val state: StateFlow<SettingsState> = current.asStateFlow()

    /** Whether there is something to apply. */
    public val isModified: Boolean get() = !current.value.draft.sameAs(saved)

    /** Shows [settings], which hold. */
    public fun reset(settings: FormSettings) {
        test?.cancel()
        saved = Draft.of(settings)
        current.value = SettingsState(saved)
    }

    /** What is to hold from now on, or `null` when something is wrong: the state says what. */
    public fun apply(): FormSettings? {
        val state = current.value
        if (state.errors.isNotEmpty()) return null
        saved = state.draft
        return state.draft.form()
    }

    /** Takes over what was typed. */
    public fun edit(change: (Draft) -> Draft): Unit = current.update { now ->
        val draft = change(now.draft)
        if (draft == now.draft) now else SettingsState(draft, errors(draft))
    }

    /** Asks the model's and the embedder's server whether they answer. */
    public fun testConnection() {
        val state = current.value
        val (model, embedder) = state.draft.settings().let { it.model to it.embedder }
        test?.cancel()
        val wrong =
            listOf(Field.MODEL_URL, Field.MODEL_NAME, Field.EMBEDDER_URL, Field.EMBEDDER_NAME)
                .mapNotNull(state.errors::get)
        when {
            wrong.isNotEmpty() -> show(TestResult(Tone.ERROR, wrong.first()))
            model == null && embedder == null -> show(TestResult(Tone.PLAIN, messages.text("settings.test.offline")))
            else -> {
                show(TestResult(Tone.MUTED, messages.text("settings.test.running"), isRunning = true))
                test = scope.launch {
                    show(
                        try {
                            result(listOfNotNull(model, embedder).map { check.check(it) })
                        } catch (error: EngineException) {
                            TestResult(Tone.ERROR, error.message.orEmpty())
                        },
                    )
                }
            }
        }
    }

    private fun result(reports: List<EndpointReport>): TestResult {
        val problems = reports.flatMap { it.problems }
        if (problems.isNotEmpty()) return TestResult(Tone.ERROR, problems.joinToString("\n"))
        return TestResult(
            Tone.PLAIN,
            reports.joinToString("\n") { report ->
                report.model?.let { messages.text("settings.test.good", report.baseUrl, it) }
                    ?: messages.text("settings.test.reached", report.baseUrl)
            },
        )
    }

    private fun show(result: TestResult) = current.update { it.copy(test = result) }

    private fun errors(draft: Draft): Map<Field, String> = buildMap {
        Field.entries.forEach { field -> wrong(field.rule, draft[field])?.let { put(field, it) } }
        required(draft, Field.MODEL_URL, Field.MODEL_NAME)
        required(draft, Field.EMBEDDER_URL, Field.EMBEDDER_NAME)
        val first = draft.settings().evolution.baseBackoffMs
        val longest = draft.settings().evolution.maxBackoffMs
        if (first != null && longest != null && first > longest) {
            put(Field.LONGEST_BACKOFF, messages.text("settings.error.backoff"))
        }
    }

    private fun MutableMap<Field, String>.required(draft: Draft, url: Field, name: Field) {
        if (draft[url].isEmpty() && draft[name].isNotEmpty()) put(url, messages.text("settings.error.no_url"))
    }

    private fun wrong(rule: Rule, text: String): String? = when {
        text.isEmpty() -> null
        rule is Rule.Url && !isUrl(text) -> messages.text("settings.error.url")
        rule is Rule.Number && text.toLongOrNull().let { it == null || it !in rule.least..rule.most } ->
            messages.text("settings.error.number", rule.least, rule.most)
        else -> null
    }

    private fun isUrl(text: String): Boolean = try {
        val uri = URI(text)
        uri.scheme in setOf("http", "https") && !uri.host.isNullOrEmpty()
    } catch (_: URISyntaxException) {
        false
    }
}
