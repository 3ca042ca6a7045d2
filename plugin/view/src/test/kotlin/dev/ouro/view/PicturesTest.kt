package dev.ouro.view

import dev.ouro.bridge.Endpoint
import dev.ouro.bridge.EngineException
import dev.ouro.bridge.EngineSettings
import dev.ouro.bridge.EvolutionConfig
import dev.ouro.bridge.Phase
import dev.ouro.bridge.StopReason
import dev.ouro.view.base.EngineState
import dev.ouro.view.base.Messages
import dev.ouro.view.settings.Field
import dev.ouro.view.settings.FormSettings
import dev.ouro.view.settings.SettingsModel
import dev.ouro.view.settings.SettingsPanel
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test
import java.util.Locale
import javax.swing.JComponent
import javax.swing.SwingUtilities

/** Every tab as it looks, compared with the pictures of the user guide. */
class PicturesTest {
    private val different = ArrayList<String>()

    @Test
    fun `every tab looks as it does in the user guide`() {
        for (theme in Theme.entries) {
            for (
            (locale, recorded) in
            listOf(Locale.ENGLISH to Recorded.ENGLISH, Locale.SIMPLIFIED_CHINESE to Recorded.CHINESE)
            ) {
                // The Chinese guide shows the light theme.
                if (locale != Locale.ENGLISH && theme == Theme.DARK) continue
                theme.install(locale)
                val name = "-${theme.name.lowercase()}" + if (locale == Locale.ENGLISH) "" else "-zh"
                val engine = MemoryEngine(recorded)
                engine.stats.value = exploring(recorded)
                Stage(engine, locale).use { stage ->
                    compare("overview$name", stage.overview(recorded.log.first().question.orEmpty()))
                    compare("records$name", stage.records(select = stage.rowWithSources()))
                    compare(
                        "ask$name",
                        stage.ask(if (locale == Locale.ENGLISH) ENGLISH_QUESTION else CHINESE_QUESTION),
                    )
                    compare("log$name", stage.log())
                    compare("failures$name", stage.failures())
                    compare("settings$name", settings(Messages(locale)), SETTINGS_HEIGHT)
                }
            }
        }
        assertEquals(emptyList<String>(), different)
    }

    @Test
    fun `a panel that is there when the theme changes looks like a new one`() {
        Theme.LIGHT.install(Locale.ENGLISH)
        val engine = MemoryEngine(Recorded.ENGLISH).apply { stats.value = exploring(Recorded.ENGLISH) }
        Stage(engine).use { stage ->
            val panels =
                mapOf(
                    "overview-dark" to stage.overview(Recorded.ENGLISH.log.first().question.orEmpty()),
                    "records-dark" to stage.records(select = stage.rowWithSources()),
                    "log-dark" to stage.log(),
                )
            val form = settings(stage.messages)
            Theme.DARK.install(Locale.ENGLISH)
            onUi { (panels.values + form).forEach(SwingUtilities::updateComponentTreeUI) }
            panels.forEach { (name, panel) -> compare(name, panel) }
            compare("settings-dark", form, SETTINGS_HEIGHT)
        }
        assertEquals(emptyList<String>(), different)
    }

    @Test
    fun `empty, failed and crowded tabs look as they were looked at`() {
        Theme.LIGHT.install(Locale.ENGLISH)
        val nothing = MemoryEngine(Recorded.ENGLISH, emptyList()).apply { failures.clear() }
        Stage(nothing).use {
            compare("state-empty-records", it.records(), SMALL)
            compare("state-empty-failures", it.failures(), SMALL)
        }
        val native = "There is no native library for linux-riscv64: looked at /opt/idea/plugins/ouro/native."
        Stage(EngineState.Unavailable(native, nativeLibrary = true)).use {
            compare("state-native-unavailable", it.overview(), SMALL)
        }
        val off = MemoryEngine(Recorded.ENGLISH, emptyList())
        off.stats.value = off.stats.value.copy(totalLearningRecords = 0, totalQuestions = 0, lastEvolutionTime = null)
        Stage(EngineState.Off(off)).use { compare("state-off", it.overview()) }
        val stopped = MemoryEngine(Recorded.ENGLISH)
        stopped.stats.value = stopped.stats.value.copy(
            consecutiveErrors = 3,
            stopReason = StopReason("too_many_errors", lastError = Recorded.ENGLISH.failures.first().error),
        )
        Theme.DARK.install(Locale.ENGLISH)
        Stage(stopped).use { compare("state-stopped-narrow", it.overview(), TALL, NARROW) }
        Stage(MemoryEngine(Recorded.ENGLISH)).use {
            compare("state-records-narrow", it.records(select = 3), TALL, NARROW)
        }
        Theme.LIGHT.install(Locale.ENGLISH)
        Stage(MemoryEngine(Recorded.ENGLISH, many(Recorded.ENGLISH.records, MANY))).use {
            compare("state-records-10000", it.records(select = 1), SMALL)
        }
        assertEquals(emptyList<String>(), different)
    }

    private fun settings(messages: Messages): JComponent {
        val model = SettingsModel(Stage.idleScope(), messages) { throw EngineException.InvalidInput("not asked") }
        model.reset(
            FormSettings(
                EngineSettings(
                    EvolutionConfig(enabled = true, maxDailyQuestions = 80),
                    model = Endpoint("http://localhost:11434/v1", "qwen3:8b"),
                    excluded = listOf("generated/", "*.min.js"),
                ),
            ),
        )
        model.edit { it.with(Field.INTERVAL, "soon") }
        return onUi { SettingsPanel(Stage.idleScope(), model, TestComponents(messages), messages) }
    }

    private fun exploring(recorded: Recorded) = recorded.stats.copy(
        currentPhase = Phase.EXPLORING,
        phaseSince = Recorded.CLOCK.millis() - SINCE,
    )

    private fun compare(name: String, component: JComponent, height: Int = HEIGHT, width: Int = WIDTH) {
        Painter.difference(name, Painter.paint(component, width, height))?.let(different::add)
    }

    private companion object {
        const val ENGLISH_QUESTION = "How does the guard stop a loop?"
        const val CHINESE_QUESTION = "store 模块是做什么的？"
        const val WIDTH = 640
        const val HEIGHT = 620
        const val SETTINGS_HEIGHT = 940
        const val SMALL = 300
        const val TALL = 640
        const val NARROW = 300
        const val MANY = 10_000
        const val SINCE = 7_000
    }
}
