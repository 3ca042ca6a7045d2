package dev.ouro.view

import dev.ouro.bridge.Answer
import dev.ouro.bridge.AvoidStrategy
import dev.ouro.bridge.Endpoint
import dev.ouro.bridge.EngineException
import dev.ouro.bridge.Freshness
import dev.ouro.bridge.SourceRef
import dev.ouro.bridge.TokenUsage
import dev.ouro.view.Stage.Companion.wait
import dev.ouro.view.base.Messages
import kotlinx.coroutines.CompletableDeferred
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.util.Locale

/** Ask, Log, Failures and the consent. */
class OtherModelsTest {
    private val engine = MemoryEngine(Recorded.ENGLISH)

    @Test
    fun `an answer shows its records and links their sources`() = Stage(engine).use { stage ->
        stage.view.ask.ask(" How does the guard stop a loop? ")
        val state = wait(stage.view.ask.state) { !it.isAsking && it.question.isNotEmpty() }
        assertEquals("How does the guard stop a loop?", state.question)
        assertTrue("href=\"source:native%2Fffi%2Fsrc%2Fengine.rs#54\">" in state.html, state.html)
    }

    @Test
    fun `a model's answer tells its sources, what is doubtful about its records, and what it cost`() =
        Stage(engine).use { stage ->
            val contradicted = Freshness(Freshness.State.CONTRADICTED, by = "later")
            val doubtful = engine.records.first().copy(freshness = contradicted)
            val sources = listOf(SourceRef("src/guard.rs", 3, 12))
            engine.answer = { Answer("It counts.", sources, TokenUsage(310, 24), listOf(doubtful), code = emptyList()) }
            stage.view.ask.ask("How?")
            val html = wait(stage.view.ask.state) { !it.isAsking && it.question == "How?" }.html
            assertTrue("href=\"source:src%2Fguard.rs#3\">3-12</a>" in html, html)
            assertTrue("334 tokens" in html && "Doubtful: a later answer says otherwise" in html, html)
        }

    @Test
    fun `an answer that comes too late does not replace the newer one`() = Stage(engine).use { stage ->
        val slow = CompletableDeferred<Answer>()
        engine.answer = {
            if (it == "first") slow.await() else Answer("second answer", records = emptyList(), code = emptyList())
        }
        stage.view.ask.ask("first")
        stage.view.ask.ask("second")
        slow.complete(Answer("first answer", records = emptyList(), code = emptyList()))
        assertTrue("second answer" in wait(stage.view.ask.state) { !it.isAsking && it.question == "second" }.html)
    }

    @Test
    fun `a question can be given up`() = Stage(engine).use { stage ->
        engine.answer = { CompletableDeferred<Answer>().await() }
        stage.view.ask.ask("why?")
        assertTrue(wait(stage.view.ask.state) { it.isAsking }.isAsking)
        stage.view.ask.cancel()
        assertTrue("Given up" in wait(stage.view.ask.state) { !it.isAsking }.html)
    }

    @Test
    fun `where nothing is known, the nearest questions are offered`() = Stage(engine).use { stage ->
        engine.answer = {
            Answer(records = emptyList(), code = emptyList(), nearestQuestions = listOf("What is `Clock`?"))
        }
        stage.view.ask.ask("qqq")
        val html = wait(stage.view.ask.state) { !it.isAsking && it.question == "qqq" }.html
        assertTrue("Nothing is known" in html && "<li>What is <code>Clock</code>?</li>" in html, html)
    }

    @Test
    fun `a question that fails says why`() = Stage(engine).use { stage ->
        engine.answer = { throw EngineException.Unavailable("timeout", "The model took <too> long.", null) }
        stage.view.ask.ask("why?")
        val html = wait(stage.view.ask.state) { !it.isAsking && it.question == "why?" }.html
        assertTrue("The model took &lt;too&gt; long." in html, html)
    }

    @Test
    fun `the log shows what went wrong only, if that is wanted`() = Stage(engine).use { stage ->
        val all = wait(stage.view.log.state) { it.rows.isNotEmpty() }
        assertEquals(engine.log.size, all.rows.size)
        stage.view.log.showTroubleOnly(true)
        val trouble = wait(stage.view.log.state) { it.rows.size < all.rows.size }
        assertEquals(engine.log.count { !it.success }, trouble.rows.size)
        assertFalse(trouble.rows.any { it.success })
    }

    @Test
    fun `a failure shows cause, avoidance and what a retry needs, and can be forgotten`() = Stage(engine).use { stage ->
        val strategy = AvoidStrategy("The server is down.", "Ask only while it answers.", "After a minute.")
        engine.failures[0] = engine.failures[0].copy(strategy = strategy)
        val row = wait(stage.view.failures.state) { it.rows.isNotEmpty() }.rows.single()
        assertTrue(
            listOf(strategy.cause, strategy.avoidStrategy, strategy.retrySuggestion).all { it in row.html },
            row.html,
        )
        stage.view.failures.forget(row.signature)
        assertEquals("Nothing has failed", wait(stage.view.failures.state) { it.notice != null }.notice?.title)
    }

    @Test
    fun `the consent names every host that something is sent to, and only then`() {
        val messages = Messages(Locale.ENGLISH)
        val offline = Consent.of("shop", null, null, messages)
        assertTrue("nothing leaves this machine" in offline.text, offline.text)
        val model = Endpoint("https://api.example.com/v1", "large")
        val hosted = Consent.of("shop", model, Endpoint("http://localhost:11434", "bge-m3"), messages)
        assertTrue("api.example.com" in hosted.text && "localhost" in hosted.text, hosted.text)
        assertFalse("nothing leaves" in hosted.text, hosted.text)
    }
}
