package dev.ouro.view

import dev.ouro.bridge.FailureRecord
import dev.ouro.bridge.OperationKind
import dev.ouro.bridge.Phase
import dev.ouro.bridge.QuotaKind
import dev.ouro.view.base.EngineState
import dev.ouro.view.base.Labelled
import dev.ouro.view.base.Messages
import dev.ouro.view.base.Notice
import dev.ouro.view.records.Standing
import dev.ouro.view.settings.Field
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.io.File
import java.text.MessageFormat
import java.util.Locale
import java.util.Properties

class MessagesTest {
    private val english = read("")
    private val chinese = read("_zh_CN")

    @Test
    fun `both languages have the same keys and the same placeholders`() {
        assertEquals(english.keys, chinese.keys)
        val different = english.keys.filter { placeholders(english.getValue(it)) != placeholders(chinese.getValue(it)) }
        assertEquals(emptyList<String>(), different)
    }

    @Test
    fun `every text is a valid pattern without a stray quote`() {
        for ((key, text) in english.entries + chinese.entries) {
            MessageFormat(text)
            assertTrue(text.replace("''", "").none { it == '\'' }, "$key: a single quote hides what follows it")
        }
    }

    @Test
    fun `a button has the same mnemonic in both languages, or none in both`() {
        val marked = { text: String -> Labelled(text).mnemonic != null }
        assertEquals(english.filterValues(marked).keys, chinese.filterValues(marked).keys)
    }

    @Test
    fun `no two labels of the settings share a mnemonic`() {
        for (bundle in listOf(english, chinese)) {
            val mnemonics = bundle.filterKeys { it.startsWith("settings.") }.values.mapNotNull { Labelled(it).mnemonic }
            assertEquals(mnemonics.toSet().size, mnemonics.size, "$mnemonics")
        }
    }

    @Test
    fun `every key that the plugin names exists`() {
        val sources = listOf("src/main/kotlin", "../ide/src/main/kotlin").map(::File).filter(File::exists)
        val named = sources.flatMap { it.walk().filter(File::isFile).toList() }.flatMap { file ->
            NAMED.findAll(file.readText()).map { it.groupValues[1] }.filter { '$' !in it && '.' in it }.toList()
        }
        assertTrue(named.size > LEAST_NAMED, "only ${named.size} keys were found in the sources")
        assertEquals(
            emptyList<String>(),
            named.filter { it !in english && english.keys.none { key -> key.startsWith("$it.") } },
        )
    }

    @Test
    fun `everything that has a name of its own has a text`() {
        val names = Phase.entries.map { "phase.${it.key}" } +
            EngineState.Pause.entries.map { "pause.${it.key}" } +
            Notice.Step.entries.map { "notice.step.${it.key}" } +
            QuotaKind.entries.map { "wait.quota_exhausted.${it.key}" } +
            Standing.entries.map { "freshness.${it.key}" } +
            OperationKind.entries.map { "failure.kind.${it.key}" } +
            FailureRecord.Status.entries.map { "failure.status.${it.key}" } +
            Field.entries.map { "settings.field.${it.key}" } +
            Recorded.ENGLISH.records.map { "type.${it.questionType}" }.distinct()
        assertEquals(emptyList<String>(), names.filter { it !in english })
    }

    @Test
    fun `one of something is not said as many`() {
        val messages = Messages(Locale.ENGLISH)
        assertEquals("1 line, 0 failed", messages.text("log.summary", 1, 0))
        assertEquals("1,000 lines, 1 failed", messages.text("log.summary", 1000, 1))
        assertEquals("0 of 1 record", messages.text("records.summary.some", 0, 1))
        assertEquals("2 of 310 records", messages.text("records.summary.some", 2, 310))
        assertEquals("Reading… 1 record so far", messages.text("records.summary.loading", 1))
    }

    @Test
    fun `a language that is not there is shown in English`() {
        assertEquals("Overview", Messages(Locale.FRENCH).text("tab.overview"))
        assertEquals("概览", Messages(Locale.SIMPLIFIED_CHINESE).text("tab.overview"))
    }

    private val Enum<*>.key get() = name.lowercase()

    private fun placeholders(text: String): Set<String> =
        PLACEHOLDER.findAll(text).mapTo(sortedSetOf()) { it.groupValues[1] }

    private fun read(suffix: String): Map<String, String> {
        val properties = Properties()
        val name = "/messages/OuroBundle$suffix.properties"
        checkNotNull(MessagesTest::class.java.getResourceAsStream(name)).reader().use(properties::load)
        return properties.entries.associate { (key, value) -> key.toString() to value.toString() }
    }

    private companion object {
        val PLACEHOLDER = Regex("""\{(\d)""")

        /** A string of lower-case words with dots is a key where it stands first in a call. */
        val NAMED =
            Regex(
                """(?:text|textOr|action|section|heading|comment|button|hint|part|quota)\((?:messages, )?"([a-z_.]+)"""",
            )
        const val LEAST_NAMED = 80
    }
}
