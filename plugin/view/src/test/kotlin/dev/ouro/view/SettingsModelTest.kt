package dev.ouro.view

import dev.ouro.bridge.Endpoint
import dev.ouro.bridge.EndpointReport
import dev.ouro.bridge.EngineException
import dev.ouro.bridge.EngineSettings
import dev.ouro.bridge.EvolutionConfig
import dev.ouro.view.Stage.Companion.wait
import dev.ouro.view.base.Messages
import dev.ouro.view.base.Tone
import dev.ouro.view.settings.Draft
import dev.ouro.view.settings.EndpointCheck
import dev.ouro.view.settings.Field
import dev.ouro.view.settings.FormSettings
import dev.ouro.view.settings.SettingsModel
import dev.ouro.view.settings.SettingsPanel
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.util.Locale
import javax.swing.JCheckBox
import javax.swing.JTextField

class SettingsModelTest {
    private val messages = Messages(Locale.ENGLISH)
    private val settings = EngineSettings(
        EvolutionConfig(
            enabled = true,
            intervalMs = 90_000,
            maxExplorationSteps = 12,
            explorationTimeoutMs = 60_000,
            maxDailyQuestions = 80,
            maxDailyExplorations = 160,
            maxDailyTokens = 500_000,
            baseBackoffMs = 2_000,
            maxBackoffMs = 600_000,
            maxConsecutiveErrors = 4,
            maxTokensPerIteration = 9_000,
            language = "zh-CN",
            deepMode = true,
        ),
        Endpoint("http://localhost:11434/v1", "qwen3:8b", "key"),
        Endpoint("http://localhost:11434/v1", "bge-m3", "key"),
        listOf("generated/", "*.min.js"),
    )

    private val form = FormSettings(settings, pauseWhileTyping = false, pauseInPowerSaveMode = true)

    private fun model(check: EndpointCheck = EndpointCheck { throw AssertionError("not asked") }) =
        SettingsModel(CoroutineScope(Dispatchers.Default), messages, check)

    @Test
    fun `settings come back as they went in`() {
        val model = model()
        model.reset(form)
        assertFalse(model.isModified)
        val said = checkNotNull(model.apply())
        assertEquals(form, said.copy(engine = settings))
        val applied = said.engine
        assertEquals(settings.evolution, applied.evolution)
        assertEquals(settings.excluded, applied.excluded)
        assertEquals(
            listOf(settings.model, settings.embedder).map(::parts),
            listOf(applied.model, applied.embedder).map(::parts),
        )
    }

    @Test
    fun `the key goes to the server that it belongs to and to no other`() {
        for (other in listOf("http://vectors.example.org/v1", "https://localhost:11434/v1", "http://localhost:8080")) {
            val draft = Draft.of(FormSettings(settings.copy(embedder = Endpoint(other, "bge-m3"))))
            assertEquals("key", draft.settings().model?.apiKey)
            assertNull(draft.settings().embedder?.apiKey, other)
        }
    }

    @Test
    fun `empty fields leave the engine its defaults`() {
        val model = model()
        model.reset(FormSettings(EngineSettings()))
        assertEquals(FormSettings(EngineSettings()), model.apply())
    }

    @Test
    fun `what is wrong is told at its field, and nothing is applied`() {
        val model = model()
        model.reset(form)
        model.edit { it.with(Field.INTERVAL, "soon").with(Field.STEPS, "0").with(Field.MODEL_URL, "localhost:11434") }
        model.edit { it.with(Field.FIRST_BACKOFF, "30").with(Field.LONGEST_BACKOFF, "10").with(Field.EMBEDDER_URL, "") }
        val wrong = setOf(Field.INTERVAL, Field.STEPS, Field.MODEL_URL, Field.LONGEST_BACKOFF, Field.EMBEDDER_URL)
        assertEquals(wrong, model.state.value.errors.keys)
        assertEquals("Enter a whole number from 0 to 86,400.", model.state.value.errors[Field.INTERVAL])
        assertNull(model.apply())
    }

    @Test
    fun `a field that says the same in other spaces is no change`() {
        val model = model()
        model.reset(form)
        model.edit { it.with(Field.STEPS, " 12 ") }
        assertFalse(model.isModified)
        model.edit { it.with(Field.STEPS, "13") }
        assertTrue(model.isModified)
        model.apply()
        assertFalse(model.isModified)
    }

    @Test
    fun `a test of the connection says which model answers, or why none does`() {
        val good = model { EndpointReport(it.baseUrl, it.model, listOf("qwen3:8b"), emptyList()) }
        good.reset(form)
        good.testConnection()
        val answer = wait(good.state) { it.test?.isRunning == false }.test
        assertEquals(Tone.PLAIN, answer?.tone)
        assertTrue("with the model qwen3:8b" in answer?.text.orEmpty(), answer?.text)

        val bad = model {
            throw EngineException.Unavailable("unavailable", "Connection refused; is the server running?", null)
        }
        bad.reset(form)
        bad.testConnection()
        val refusal = wait(bad.state) { it.test?.isRunning == false }.test
        assertEquals(Tone.ERROR, refusal?.tone)
        assertEquals("Connection refused; is the server running?", refusal?.text)
    }

    @Test
    fun `without a server there is nothing to test`() {
        val model = model()
        model.reset(FormSettings(EngineSettings()))
        model.testConnection()
        assertEquals("No server is chosen: Ouro works offline.", model.state.value.test?.text)
    }

    @Test
    fun `typing into the form reaches the model, and its error reaches the field`() {
        Theme.LIGHT.install(Locale.ENGLISH)
        val model = model()
        model.reset(form)
        val panel = onUi { SettingsPanel(Stage.idleScope(), model, TestComponents(messages), messages) }
        val field =
            all(panel).filterIsInstance<JTextField>().first { it.accessibleContext.accessibleName == "Questions a day" }
        onUi { field.text = "many" }
        assertEquals("many", model.state.value.draft[Field.DAILY_QUESTIONS])
        assertEquals("error", field.getClientProperty("JComponent.outline"))
        assertEquals("Enter a whole number from 0 to 10,000.", field.accessibleContext.accessibleDescription)
        onUi { field.text = "70" }
        assertNull(field.getClientProperty("JComponent.outline"))
        model.reset(form)
        val box = all(panel).filterIsInstance<JCheckBox>().first { it.text == "Rest in power save mode" }
        onUi { box.doClick() }
        assertFalse(checkNotNull(model.apply()).pauseInPowerSaveMode)
    }

    private fun parts(endpoint: Endpoint?) = endpoint?.let { Triple(it.baseUrl, it.model, it.apiKey) }
}
