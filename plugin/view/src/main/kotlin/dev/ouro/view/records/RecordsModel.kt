package dev.ouro.view.records

import dev.ouro.bridge.EngineException
import dev.ouro.bridge.LearningRecord
import dev.ouro.bridge.Rating
import dev.ouro.view.base.Engine
import dev.ouro.view.base.EngineState
import dev.ouro.view.base.Formats
import dev.ouro.view.base.Host
import dev.ouro.view.base.Messages
import dev.ouro.view.base.Notice
import dev.ouro.view.base.engineOrNull
import dev.ouro.view.base.failed
import dev.ouro.view.base.notice
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.FlowPreview
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.MutableStateFlow
import kotlinx.coroutines.flow.SharingStarted
import kotlinx.coroutines.flow.StateFlow
import kotlinx.coroutines.flow.asStateFlow
import kotlinx.coroutines.flow.collectLatest
import kotlinx.coroutines.flow.combine
import kotlinx.coroutines.flow.stateIn
import kotlinx.coroutines.flow.transformLatest
import kotlinx.coroutines.flow.update
import kotlinx.coroutines.launch
import kotlin.time.Duration.Companion.milliseconds

/** What the table of records shows. */
public data class RecordsState(
    /** In place of everything else. */
    val notice: Notice? = null,
    /** Filtered and sorted. */
    val rows: List<RecordRow> = emptyList(),
    /** `24 of 310 records`. */
    val summary: String = "",
    /** What the rows are sorted by. */
    val column: RecordColumn = RecordColumn.CREATED,
    /** Whether the smallest is first. */
    val ascending: Boolean = false,
)

/** The record that is selected, as a page. */
public data class DetailState(
    /** `null` when none is selected. */
    val record: LearningRecord? = null,
    /** The page, or what to do when there is none. */
    val html: String = "",
    /** Why the last action on it failed. */
    val error: String? = null,
)

/** Searches, sorts and changes the records; all off the UI thread. */
public class RecordsModel internal constructor(
    private val scope: CoroutineScope,
    private val host: Host,
    private val catalog: CatalogReader,
    private val messages: Messages,
    formats: Formats,
) {
    private data class Order(val column: RecordColumn = RecordColumn.CREATED, val ascending: Boolean = false)

    private data class Found(val query: String, val ids: Set<String>)

    private val page = RecordPage(messages, formats)
    private val markdown = RecordMarkdown(messages, page)
    private val query = MutableStateFlow("")
    private val order = MutableStateFlow(Order())
    private val selected = MutableStateFlow<String?>(null)
    private val detailState = MutableStateFlow(DetailState(html = page.nothing()))

    /** The table. */
    public val state: StateFlow<RecordsState> =
        combine(host.engine, catalog.state, query, order, found()) { engine, catalog, query, order, found ->
            val notice = engine.notice(messages) ?: notice(engine, catalog)
            if (notice != null) return@combine RecordsState(notice)
            val rows = filtered(catalog.rows, query, found)
            RecordsState(null, sorted(rows, order), summary(rows.size, catalog), order.column, order.ascending)
        }.stateIn(scope, SharingStarted.WhileSubscribed(), RecordsState(host.engine.value.notice(messages)))

    /** The selected record. */
    public val detail: StateFlow<DetailState> = detailState.asStateFlow()

    init {
        scope.launch { combine(selected, catalog.markings) { id, _ -> id }.collectLatest(::show) }
    }

    /** Shows what fits [words] only. */
    public fun search(words: String) {
        query.value = words.trim()
    }

    /** Shows the record in the detail. */
    public fun select(id: String?) {
        selected.value = id
    }

    internal fun sortBy(column: RecordColumn) {
        order.value =
            order.value.let {
                Order(column, if (it.column == column) !it.ascending else column == RecordColumn.QUESTION)
            }
    }

    /** Pins the selected record, or lets it go. */
    public fun togglePin(): Unit = change { engine, record -> engine.pin(record.id, !record.pinned) }

    /** Calls the selected record useful or useless, or takes that back. */
    public fun toggleRating(rating: Rating): Unit = change { engine, record ->
        engine.rate(record.id, rating.takeIf { it != record.rating })
    }

    /** Puts the user's words in the place of the selected record's answer. */
    public fun correct(text: String): Unit = change { engine, record -> engine.correct(record.id, text) }

    /** Removes the selected record. */
    public fun delete(): Unit = withSelected { engine, record ->
        engine.delete(record.id)
        catalog.deleted(record.id)
        selected.compareAndSet(record.id, null)
    }

    /** Has the selected record's question answered anew. */
    public fun askAgain(): Unit = change { engine, record -> engine.askAgain(record.id) }

    /** Copies the selected record as Markdown. */
    public fun copy() {
        detailState.value.record?.let { host.copy(markdown.of(it)) }
    }

    /** Lets the user save all records as Markdown. */
    public fun export() {
        val engine = host.engine.value.engineOrNull ?: return
        scope.launch {
            try {
                host.save(EXPORT_NAME, engine.export())
            } catch (error: EngineException) {
                detailState.update { it.copy(error = error.message) }
            }
        }
    }

    /** Reads everything again. */
    public fun reload(): Unit = catalog.reload()

    /** What the engine finds in the answers, once the user rests from typing; empty in between. */
    @OptIn(FlowPreview::class, kotlinx.coroutines.ExperimentalCoroutinesApi::class)
    private fun found(): Flow<Found> = query.transformLatest { words ->
        emit(Found(words, emptySet()))
        val engine = host.engine.value.engineOrNull
        if (words.length < SHORTEST || engine == null) return@transformLatest
        delay(TYPING)
        try {
            emit(Found(words, engine.search(words).mapTo(HashSet()) { it.id }))
        } catch (_: EngineException) {
            // The rows that hold the words themselves are shown all the same.
        }
    }

    private fun filtered(rows: List<RecordRow>, query: String, found: Found): List<RecordRow> {
        if (query.isEmpty()) return rows
        val words = query.lowercase().split(' ').filter(String::isNotEmpty)
        val ids = if (found.query == query) found.ids else emptySet()
        return rows.filter { it.contains(words) || it.id in ids }
    }

    /** Pinned ones first; of equal ones the newest first, as they come. */
    private fun sorted(rows: List<RecordRow>, order: Order): List<RecordRow> {
        val by = if (order.ascending) order.column.comparator else order.column.comparator.reversed()
        return rows.sortedWith(compareByDescending(RecordRow::isPinned).then(by))
    }

    private fun summary(shown: Int, catalog: Catalog): String = when {
        catalog.isLoading -> messages.text("records.summary.loading", catalog.rows.size)
        shown == catalog.rows.size -> messages.text("records.summary.all", shown)
        else -> messages.text("records.summary.some", shown, catalog.rows.size)
    }

    private fun notice(engine: EngineState, catalog: Catalog): Notice? = when {
        catalog.error != null -> failed(messages, "records.failed", catalog.error)
        catalog.rows.isNotEmpty() || catalog.isLoading -> null
        else -> Notice(
            messages.text("records.empty.title"),
            messages.text("records.empty.text"),
            if (engine is EngineState.Off) {
                listOf(Notice.Step.TURN_ON)
            } else {
                listOf(Notice.Step.START, Notice.Step.RUN_ONCE)
            },
        )
    }

    private suspend fun show(id: String?) {
        val engine = host.engine.value.engineOrNull
        detailState.value = try {
            if (id == null || engine == null) DetailState(html = page.nothing()) else detail(engine, engine.record(id))
        } catch (_: EngineException.NotFound) {
            DetailState(html = page.gone())
        } catch (error: EngineException) {
            DetailState(html = page.nothing(), error = error.message)
        }
    }

    private fun change(action: suspend (Engine, LearningRecord) -> LearningRecord) = withSelected { engine, record ->
        val changed = action(engine, record)
        catalog.changed(changed)
        val detail = detail(engine, changed)
        // Another record may have been selected since.
        detailState.update { if (it.record?.id == changed.id) detail else it }
    }

    private suspend fun detail(engine: Engine, record: LearningRecord): DetailState {
        val later = try {
            record.freshness.by?.let { engine.record(it) }
        } catch (_: EngineException.NotFound) {
            null
        }
        return DetailState(record, page.of(record, later))
    }

    private fun withSelected(action: suspend (Engine, LearningRecord) -> Unit) {
        val engine = host.engine.value.engineOrNull ?: return
        val record = detailState.value.record ?: return
        scope.launch {
            try {
                action(engine, record)
            } catch (error: EngineException) {
                detailState.update { it.copy(error = error.message) }
            }
        }
    }

    private companion object {
        const val SHORTEST = 3
        const val EXPORT_NAME = "ouro-records.md"
        val TYPING = 250.milliseconds
    }
}
