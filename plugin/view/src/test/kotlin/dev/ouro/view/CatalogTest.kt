package dev.ouro.view

import dev.ouro.bridge.LearningRecord
import dev.ouro.bridge.ProjectEvent
import dev.ouro.view.base.Engine
import dev.ouro.view.base.EngineState
import dev.ouro.view.records.CatalogReader
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.flow.MutableSharedFlow
import kotlinx.coroutines.flow.MutableStateFlow
import kotlinx.coroutines.test.runCurrent
import kotlinx.coroutines.test.runTest
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Test

@OptIn(ExperimentalCoroutinesApi::class)
class CatalogTest {
    /** Saves [late] as soon as its first page was read. */
    private class Saving(private val engine: MemoryEngine, private val late: LearningRecord) : Engine by engine {
        override val events = MutableSharedFlow<ProjectEvent>(extraBufferCapacity = 1)

        override suspend fun records(before: String?, limit: Int): List<LearningRecord> =
            engine.records(before, limit).also { if (before == null) save() }

        private fun save() {
            engine.records.add(0, late)
            events.tryEmit(ProjectEvent.RecordSaved("ouro", late))
        }
    }

    @Test
    fun `a record that is saved while the others are read is not lost`() = runTest {
        val engine = MemoryEngine(Recorded.ENGLISH)
        val late = engine.records[5].copy(id = "Z", createdAt = MemoryEngine.NOW)
        val before = engine.records.map { it.id }
        val reader = CatalogReader(backgroundScope, MutableStateFlow(EngineState.Ready(Saving(engine, late))))
        runCurrent()
        assertFalse(reader.state.value.isLoading)
        assertEquals(listOf("Z") + before, reader.state.value.rows.map { it.id })
    }
}
