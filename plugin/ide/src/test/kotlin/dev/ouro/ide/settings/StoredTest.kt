package dev.ouro.ide.settings

import dev.ouro.bridge.Endpoint
import dev.ouro.view.settings.Draft
import dev.ouro.view.settings.Field
import dev.ouro.view.settings.FormSettings
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.lang.reflect.Modifier

internal class StoredTest {
    private val url = "https://models.example.org/v1"
    private val project = ProjectState(
        enabled = true,
        consent = url,
        welcomed = true,
        intervalMs = 5_000,
        dailyQuestions = 7,
        dailyExplorations = 8,
        dailyTokens = 90_000,
        tokensPerIteration = 9_000,
        explorationSteps = 4,
        explorationMs = 30_000,
        firstBackoffMs = 2_000,
        longestBackoffMs = 60_000,
        errorsInARow = 3,
        deepMode = true,
        language = "zh-CN",
        excluded = listOf("build/**", "*.lock"),
        pauseWhileTyping = false,
        pauseInPowerSaveMode = false,
    )
    private val app = AppState(url, "big", "http://localhost:11434/v1", "small")
    private val stored = Stored(project, app, "secret")

    @Test
    fun `what the form shows and takes back is what was kept`() {
        val draft = Draft.of(stored.form())
        assertEquals("7", draft[Field.DAILY_QUESTIONS])
        assertEquals("secret", draft[Field.API_KEY])
        assertEquals(stored, stored.with(draft.form()))
        val fresh = Stored(ProjectState(), AppState())
        assertEquals(fresh, fresh.with(Draft.of(fresh.form()).form()))
    }

    @Test
    fun `the IDE's serializer finds a constructor without arguments and fields of types that it knows`() {
        val known = setOf(
            Boolean::class.java,
            String::class.java,
            Int::class.javaObjectType,
            Long::class.javaObjectType,
            List::class.java,
        )
        for (state in listOf(ProjectState::class.java, AppState::class.java)) {
            state.getConstructor()
            for (field in state.declaredFields) {
                assertTrue(Modifier.isPublic(field.modifiers) && field.type in known, "$field")
            }
        }
    }

    @Test
    fun `no key is in anything that is kept in a file or shown`() {
        val kept = app.toString() + project.toString() + stored.toString() + stored.loop("en").toString()
        assertFalse("secret" in kept)
    }

    @Test
    fun `nothing is sent to a server that the user did not agree to`() {
        val agreed = Destination(app).key
        assertNull(stored.loop("en").engine.model)
        assertNull(stored.loop("en").engine.embedder)
        val loop = stored.copy(project = project.copy(consent = agreed)).loop("en")
        assertEquals(url, loop.engine.model?.baseUrl)
        assertEquals("small", loop.engine.embedder?.model)
        val elsewhere = app.copy(modelUrl = "https://other.example.org")
        val moved = stored.copy(project = project.copy(consent = agreed), app = elsewhere)
        assertNull(moved.loop("en").engine.model)
        assertTrue(Destination(AppState()).isAllowedBy(ProjectState()))
    }

    @Test
    fun `a form that was open while the user agreed does not take the consent back`() {
        val form = project.copy(consent = "", welcomed = false, dailyQuestions = 9)
        assertEquals(project.copy(dailyQuestions = 9), form.answeredAs(project))
    }

    @Test
    fun `the key goes to the server that it belongs to and to no other`() {
        assertEquals("secret", stored.settings().model?.apiKey)
        assertNull(stored.settings().embedder?.apiKey)
        val same = stored.copy(app = app.copy(embedderUrl = "https://MODELS.example.org/embed"))
        assertEquals("secret", same.settings().embedder?.apiKey)
        val open = stored.copy(app = app.copy(embedderUrl = "http://models.example.org/embed"))
        assertNull(open.settings().embedder?.apiKey, "not over a line that anybody can read")
    }

    @Test
    fun `the language follows the IDE unless another one is chosen`() {
        val following = stored.copy(project = project.copy(language = null))
        assertEquals("zh-CN", following.loop("zh-Hans-CN").engine.evolution.language)
        assertEquals("en", following.loop("de").engine.evolution.language)
        assertEquals("zh-CN", stored.loop("en").engine.evolution.language)
    }

    @Test
    fun `a model without a name is the only one that its server has`() {
        val nameless = stored.with(FormSettings(stored.settings().copy(model = Endpoint(url))))
        assertEquals("", nameless.app.model)
        assertNull(nameless.settings().model?.model)
    }
}
