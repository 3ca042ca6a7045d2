package dev.ouro.view.records

import dev.ouro.bridge.EngineException
import dev.ouro.bridge.LearningRecord
import dev.ouro.bridge.ProjectEvent
import dev.ouro.view.base.Engine
import dev.ouro.view.base.EngineState
import dev.ouro.view.base.engineOrNull
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.flow.MutableStateFlow
import kotlinx.coroutines.flow.StateFlow
import kotlinx.coroutines.flow.asStateFlow
import kotlinx.coroutines.flow.collectLatest
import kotlinx.coroutines.flow.distinctUntilChanged
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.flow.receiveAsFlow
import kotlinx.coroutines.flow.update
import kotlinx.coroutines.launch

/** Every record's row, newest first. */
public data class Catalog(
    /** Those read so far. */
    val rows: List<RecordRow> = emptyList(),
    /** Whether more are being read. */
    val isLoading: Boolean = true,
    /** Why reading ended early. */
    val error: EngineException? = null,
)

/** Reads the project's records once, page by page, and follows what changes. */
internal class CatalogReader(scope: CoroutineScope, engine: StateFlow<EngineState>) {
    private val catalog = MutableStateFlow(Catalog())

    /** What was saved since the last reading began, newest first: its page may have been read before. */
    private val recent = MutableStateFlow(emptyList<RecordRow>())
    private val again = Channel<Unit>(Channel.CONFLATED)
    private val marks = MutableStateFlow(0)

    val state: StateFlow<Catalog> = catalog.asStateFlow()

    /** Another number when the engine itself changed what records are worth. */
    val markings: StateFlow<Int> = marks.asStateFlow()

    init {
        scope.launch {
            engine.map { it.engineOrNull }.distinctUntilChanged().collectLatest { access ->
                catalog.value = Catalog(isLoading = access != null)
                if (access != null) follow(access)
            }
        }
    }

    /** Reads everything again. */
    fun reload() {
        again.trySend(Unit)
    }

    /** Takes over a record that was changed. */
    fun changed(record: LearningRecord) = catalog.update { now ->
        now.copy(rows = now.rows.map { if (it.id == record.id) RecordRow(record) else it })
    }

    /** Drops a record that was deleted. */
    fun deleted(id: String) = catalog.update { now -> now.copy(rows = now.rows.filter { it.id != id }) }

    private suspend fun follow(engine: Engine) = coroutineScope {
        // Listens before it reads: what is saved after a page was read is told, and what is told before is in the page.
        launch(start = CoroutineStart.UNDISPATCHED) { engine.events.collect { happened(engine, it) } }
        read(engine)
        again.receiveAsFlow().collect { read(engine) }
    }

    private suspend fun happened(engine: Engine, event: ProjectEvent) {
        when (event) {
            is ProjectEvent.RecordSaved -> {
                saved(event.record)
                event.record.supersedes?.let { replaced(engine, it) }
            }
            is ProjectEvent.RecordsMarked -> {
                marks.value++
                reload()
            }
            else -> Unit
        }
    }

    private suspend fun replaced(engine: Engine, id: String) {
        try {
            changed(engine.record(id))
            marks.value++
        } catch (_: EngineException) {
            // It was deleted, or the next reading shows it.
        }
    }

    /** A renewed record takes its old row's place at the top. */
    private fun saved(record: LearningRecord) {
        val row = RecordRow(record)
        recent.update { listOf(row) + it }
        catalog.update { it.copy(rows = listOf(row).before(it.rows)) }
    }

    private suspend fun read(engine: Engine) {
        recent.value = emptyList()
        catalog.update { it.copy(isLoading = true, error = null) }
        try {
            val rows = ArrayList<RecordRow>()
            var before: String? = null
            do {
                val page = engine.records(before, PAGE)
                page.mapTo(rows, ::RecordRow)
                before = page.lastOrNull()?.id
                catalog.update { it.copy(rows = merged(it.rows, rows)) }
            } while (page.size == PAGE)
            catalog.update { it.copy(rows = recent.value.before(rows), isLoading = false) }
        } catch (error: EngineException) {
            catalog.update { it.copy(isLoading = false, error = error) }
        }
    }

    /** These rows, then the [others]. */
    private fun List<RecordRow>.before(others: List<RecordRow>): List<RecordRow> {
        val ids = mapTo(HashSet(), RecordRow::id)
        return distinctBy(RecordRow::id) + others.filter { it.id !in ids }
    }

    /** While pages come in, what is shown already doesn't vanish. */
    private fun merged(shown: List<RecordRow>, read: List<RecordRow>): List<RecordRow> =
        if (shown.size > read.size) shown else read.toList()

    private companion object {
        const val PAGE = 500
    }
}
