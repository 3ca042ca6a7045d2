package dev.ouro.view

import dev.ouro.bridge.EngineException
import dev.ouro.bridge.Freshness
import dev.ouro.bridge.LearningRecord
import dev.ouro.bridge.ProjectEvent
import dev.ouro.bridge.Rating
import dev.ouro.view.Stage.Companion.wait
import dev.ouro.view.base.Engine
import dev.ouro.view.base.EngineState
import dev.ouro.view.base.Notice
import dev.ouro.view.records.RecordColumn
import dev.ouro.view.records.RecordsState
import dev.ouro.view.records.Standing
import kotlinx.coroutines.CompletableDeferred
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test

class RecordsModelTest {
    private val engine = MemoryEngine(Recorded.ENGLISH)

    @Test
    fun `ten thousand records are read page by page and shown newest first`() {
        val crowded = MemoryEngine(Recorded.ENGLISH, many(Recorded.ENGLISH.records, 10_000))
        Stage(crowded).use { stage ->
            val state = wait(stage.view.records.state) { it.summary == "10,000 records" }
            assertEquals(crowded.records.map { it.id }, state.rows.map { it.id })
            assertTrue(crowded.pages.all { it <= 500 }, "${crowded.pages}")
        }
    }

    @Test
    fun `a search finds words of questions and paths at once, and of answers when the engine has answered`() {
        Stage(engine).use { stage ->
            val model = stage.view.records
            model.search("REASONER core")
            val found = shown(stage) { it.rows.size in 1..10 }
            assertTrue(found.rows.any { "Reasoner" in it.question }, found.rows.map { it.question }.toString())

            val word = "crash never forgets"
            assertTrue(engine.records.none { word in it.question.lowercase() })
            model.search(word)
            val holding = engine.records.filter { word in it.answer }.map { it.id }
            assertTrue(holding.isNotEmpty())
            assertEquals(holding, shown(stage) { state -> state.rows.map { it.id } == holding }.rows.map { it.id })

            model.search("")
            assertEquals(engine.records.size, shown(stage) { it.rows.size > 10 }.rows.size)
        }
    }

    @Test
    fun `a click on a column sorts by it, a second one the other way round`() {
        Stage(engine).use { stage ->
            val model = stage.view.records
            model.sortBy(RecordColumn.CONFIDENCE)
            val best = shown(stage) { it.column == RecordColumn.CONFIDENCE }.rows.map { it.confidence }
            assertEquals(best.sortedDescending(), best)
            model.sortBy(RecordColumn.CONFIDENCE)
            val worst = shown(stage) { it.ascending }.rows.map { it.confidence }
            assertEquals(worst.sorted(), worst)
        }
    }

    @Test
    fun `a pinned record goes to the top and stays selected`() {
        Stage(engine).use { stage ->
            val model = stage.view.records
            val last = shown(stage) { it.rows.size == engine.records.size }.rows.last().id
            model.select(last)
            wait(model.detail) { it.record?.id == last }
            model.togglePin()
            assertEquals(last, shown(stage) { it.rows.first().isPinned }.rows.first().id)
            assertTrue(wait(model.detail) { it.record?.pinned == true }.html.contains("Pinned"))
        }
    }

    @Test
    fun `a rating is shown, and the same again takes it back`() {
        Stage(engine).use { stage ->
            val model = stage.view.records
            model.select(engine.records[0].id)
            wait(model.detail) { it.record != null }
            model.toggleRating(Rating.USELESS)
            assertTrue(wait(model.detail) { it.record?.rating == Rating.USELESS }.html.contains("Useless, you say"))
            model.toggleRating(Rating.USEFUL)
            wait(model.detail) { it.record?.rating == Rating.USEFUL }
            model.toggleRating(Rating.USEFUL)
            wait(model.detail) { it.record?.rating == null }
        }
    }

    @Test
    fun `an action that ends late doesn't bring its record back in the place of another`() {
        val answered = CompletableDeferred<Unit>()
        val slow = object : Engine by engine {
            override suspend fun pin(id: String, pinned: Boolean): LearningRecord {
                answered.await()
                return engine.pin(id, pinned)
            }
        }
        Stage(slow).use { stage ->
            val model = stage.view.records
            val (first, second) = shown(stage) { it.rows.size == engine.records.size }.rows.map { it.id }
            model.select(first)
            wait(model.detail) { it.record?.id == first }
            model.togglePin()
            model.select(second)
            wait(model.detail) { it.record?.id == second }
            answered.complete(Unit)
            shown(stage) { it.rows.first().isPinned }
            // What was done first is done first: this goes to the record that is shown.
            model.correct("mine")
            shown(stage) { engine.records.any { it.correction != null } }
            assertEquals(second, engine.records.single { it.correction != null }.id)
            assertEquals(second, model.detail.value.record?.id)
        }
    }

    @Test
    fun `a correction stands in the answer's place, and an asked-again record says so`() {
        Stage(engine).use { stage ->
            val model = stage.view.records
            model.select(engine.records[3].id)
            wait(model.detail) { it.record != null }
            model.correct("It is **not** so.")
            val corrected = wait(model.detail) { it.record?.correction != null }
            assertTrue("It is <strong>not</strong> so." in corrected.html, corrected.html)
            model.askAgain()
            val again = wait(model.detail) { it.record?.freshness?.state == Freshness.State.ASKED_AGAIN }
            assertTrue("the next iteration answers it anew" in again.html, again.html)
        }
    }

    @Test
    fun `a deleted record is gone from table and detail`() {
        Stage(engine).use { stage ->
            val model = stage.view.records
            val id = engine.records[2].id
            val before = engine.records.size
            model.select(id)
            wait(model.detail) { it.record != null }
            model.delete()
            assertEquals(
                emptyList<String>(),
                shown(stage) { it.rows.size == before - 1 }.rows.map { it.id }.filter { it == id },
            )
            assertNull(wait(model.detail) { it.record == null }.record)
        }
    }

    @Test
    fun `an action that fails says why and changes nothing`() {
        Stage(engine).use { stage ->
            val model = stage.view.records
            shown(stage) { it.rows.isNotEmpty() }
            model.select(engine.records[0].id)
            wait(model.detail) { it.record != null }
            engine.failure = EngineException.Storage("storage", "The disk is full: /data. Free some space.")
            model.togglePin()
            val state = wait(model.detail) { it.error != null }
            assertEquals("The disk is full: /data. Free some space.", state.error)
            assertEquals(false, state.record?.pinned)
        }
    }

    @Test
    fun `a record that the loop saves appears at the top, once`() {
        Stage(engine).use { stage ->
            shown(stage) { it.rows.size == engine.records.size }
            val renewed = engine.records.last().copy(createdAt = MemoryEngine.NOW)
            engine.events.tryEmit(ProjectEvent.RecordSaved("ouro", renewed))
            wait(stage.view.records.state) { it.rows.firstOrNull()?.id == renewed.id }
            assertEquals(engine.records.size, stage.view.records.state.value.rows.map { it.id }.toSet().size)
        }
    }

    @Test
    fun `a record that was renewed stays as one that was replaced`() {
        Stage(engine).use { stage ->
            val at = engine.records.indexOfFirst { it.supersededBy == null }
            val old = engine.records[at]
            shown(stage) { it.rows.size == engine.records.size && "…" !in it.summary }
            stage.view.records.select(old.id)
            wait(stage.view.records.detail) { it.record?.id == old.id }
            val new = old.copy(id = "Z", createdAt = MemoryEngine.NOW, supersedes = old.id)
            engine.records[at] = old.copy(supersededBy = new.id)
            engine.events.tryEmit(ProjectEvent.RecordSaved("ouro", new))
            shown(stage) { state -> state.rows.any { it.id == old.id && it.standing == Standing.REPLACED } }
            wait(stage.view.records.detail) { "a newer record answers" in it.html }
        }
    }

    @Test
    fun `records whose sources changed are shown as outdated at once`() {
        Stage(engine).use { stage ->
            val old = engine.records[2]
            shown(stage) { it.rows.size == engine.records.size && "…" !in it.summary }
            stage.view.records.select(old.id)
            wait(stage.view.records.detail) { it.record?.id == old.id }
            engine.records[2] = old.copy(freshness = Freshness(Freshness.State.STALE, "src/a.rs", MemoryEngine.NOW))
            engine.events.tryEmit(ProjectEvent.RecordsMarked("ouro", 1))
            shown(stage) { state -> state.rows.single { it.id == old.id }.standing == Standing.STALE }
            wait(stage.view.records.detail) { "Outdated: src/a.rs changed" in it.html }
        }
    }

    @Test
    fun `a doubtful record is shown with the answer that says otherwise, as long as that is there`() {
        val (later, doubtful) = engine.records.take(2)
        val freshness = Freshness(Freshness.State.CONTRADICTED, since = MemoryEngine.NOW, by = later.id)
        engine.records[0] = later.copy(question = "What holds since spring?")
        engine.records[1] = doubtful.copy(freshness = freshness)
        Stage(engine).use { stage ->
            val model = stage.view.records
            model.select(doubtful.id)
            val both = wait(model.detail) { it.record?.id == doubtful.id }.html
            assertTrue("Doubtful" in both && "The Later Answer" in both && "What holds since spring?" in both, both)
            engine.records.removeAt(0)
            model.togglePin()
            val alone = wait(model.detail) { it.record?.pinned == true }.html
            assertTrue("Doubtful" in alone && "The Later Answer" !in alone, alone)
        }
    }

    @Test
    fun `records that cannot be read lead to a notice, and back when it works again`() {
        engine.failure = EngineException.Storage("damaged", "The store is damaged.")
        Stage(engine).use { stage ->
            val notice = wait(stage.view.records.state) { it.notice?.isError == true }.notice
            assertTrue("The store is damaged." in notice?.text.orEmpty())
            engine.failure = null
            stage.view.records.reload()
            assertTrue(shown(stage) { it.rows.isNotEmpty() }.rows.isNotEmpty())
        }
    }

    @Test
    fun `without a record the notice says how to get one`() {
        Stage(MemoryEngine(Recorded.ENGLISH, emptyList())).use { stage ->
            val notice = wait(stage.view.records.state) { it.notice?.isError == false }.notice
            assertEquals(listOf(Notice.Step.START, Notice.Step.RUN_ONCE), notice?.actions)
        }
        Stage(EngineState.Off(MemoryEngine(Recorded.ENGLISH, emptyList()))).use { stage ->
            val notice = wait(stage.view.records.state) { it.notice?.isError == false }.notice
            assertEquals(listOf(Notice.Step.TURN_ON), notice?.actions)
        }
    }

    @Test
    fun `what was learnt stays readable when learning is off`() {
        Stage(EngineState.Off(engine)).use { stage ->
            assertEquals(engine.records.size, shown(stage) { it.rows.isNotEmpty() && "…" !in it.summary }.rows.size)
        }
    }

    private fun shown(stage: Stage, until: (RecordsState) -> Boolean): RecordsState =
        wait(stage.view.records.state) { it.notice == null && until(it) }
}
