package dev.ouro.view.records

import dev.ouro.bridge.Rating
import dev.ouro.view.base.Components
import dev.ouro.view.base.FittingColumns
import dev.ouro.view.base.Formats
import dev.ouro.view.base.GivenOrder
import dev.ouro.view.base.Host
import dev.ouro.view.base.HtmlView
import dev.ouro.view.base.Messages
import dev.ouro.view.base.NoticeOr
import dev.ouro.view.base.RowsModel
import dev.ouro.view.base.Space
import dev.ouro.view.base.Tone
import dev.ouro.view.base.ToneLabel
import dev.ouro.view.base.action
import dev.ouro.view.base.forReading
import dev.ouro.view.base.named
import dev.ouro.view.base.onChange
import dev.ouro.view.base.renderWhileShowing
import dev.ouro.view.base.say
import dev.ouro.view.base.shortcut
import kotlinx.coroutines.CoroutineScope
import java.awt.BorderLayout
import javax.swing.Action
import javax.swing.JComponent
import javax.swing.JPanel
import javax.swing.JTable
import javax.swing.KeyStroke

/** The learning records: a table to search and sort, and the selected record as a page. */
public class RecordsPanel(
    scope: CoroutineScope,
    private val model: RecordsModel,
    private val host: Host,
    private val widgets: Components,
    private val messages: Messages,
    private val formats: Formats,
) : JPanel(BorderLayout()) {
    private val columns = columns()
    private val rows = RowsModel(columns)
    private val order = GivenOrder(rows) { model.sortBy(RecordColumn.entries[it]) }
    private val table: JTable = widgets.table(rows).forReading(messages.text("records.table"))
    private val search = widgets.searchField(messages.text("records.search"))
    private val summary = ToneLabel(tone = Tone.MUTED)
    private val error = ToneLabel(tone = Tone.ERROR)
    private val page = HtmlView({ widgets.codeFont }) { host.openSource(it.path, it.line) }
    private val pin = action(messages, "records.pin", "pin", "ctrl shift P", model::togglePin)
    private val useful = action(messages, "records.useful", "useful") { model.toggleRating(Rating.USEFUL) }
    private val useless = action(messages, "records.useless", "useless") { model.toggleRating(Rating.USELESS) }
    private val correct = action(messages, "records.correct", "correct", "F2") { correctSelected() }
    private val ask = action(messages, "records.ask_again", "askAgain", perform = model::askAgain)
    private val copy = action(messages, "records.copy", "copy", perform = model::copy)
    private val delete = action(messages, "records.delete", "delete", "DELETE") { deleteSelected() }
    private val source = action(messages, "records.open_source", "openSource", "F4") { openFirstSource() }
    private val export = action(messages, "records.export", "export", perform = model::export)
    private val refresh = action(messages, "records.refresh", "refresh", perform = model::reload)
    private val ofRecord: List<Action> = listOf(source, pin, useful, useless, correct, ask, copy, delete)
    private val body: NoticeOr
    private var detail = DetailState()

    /** What is to have the focus first. */
    public val preferredFocus: JComponent get() = table

    init {
        table.apply {
            rowSorter = order
            selectionModel.addListSelectionListener { if (!it.valueIsAdjusting) select() }
        }
        search.text.named(messages.text("records.search"))
        search.text.onChange(model::search)
        search.text.inputMap.put(KeyStroke.getKeyStroke("DOWN"), TO_TABLE)
        search.text.actionMap.put(TO_TABLE, action(messages, "records.table", "search") { focusTable() })
        page.named(messages.text("records.page"))
        FittingColumns(table, columns)
        body = NoticeOr(content(), host, messages)
        add(body)
        (ofRecord + export).forEach(::shortcut)
        renderWhileShowing(scope, widgets, model.state, ::render)
        renderWhileShowing(scope, widgets, model.detail, ::render)
    }

    internal fun render(state: RecordsState) {
        body.render(state.notice)
        if (state.notice != null) return
        rows.show(table, state.rows, RecordRow::id)
        order.show(state.column.ordinal, state.ascending)
        summary.say(state.summary)
        export.isEnabled = state.rows.isNotEmpty()
    }

    internal fun render(state: DetailState) {
        detail = state
        page.show(state.html)
        error.say(state.error.orEmpty())
        error.isVisible = state.error != null
        ofRecord.forEach { it.isEnabled = state.record != null }
        source.isEnabled = state.record?.sourceFiles?.isNotEmpty() == true
        val pinned = state.record?.pinned == true
        pin.putValue(Action.SHORT_DESCRIPTION, messages.text(if (pinned) "records.unpin.tip" else "records.pin.tip"))
    }

    private fun content(): JComponent {
        val top =
            JPanel(BorderLayout()).apply {
                border = Space(0.5, 0.5)
                add(search.component)
                add(widgets.toolbar(listOf(refresh, export)), BorderLayout.LINE_END)
            }
        val upper =
            JPanel(BorderLayout()).apply {
                add(top, BorderLayout.NORTH)
                add(widgets.scroll(table))
                add(
                    JPanel(BorderLayout()).apply {
                        border = Space(0.25, 0.75)
                        add(summary)
                    },
                    BorderLayout.SOUTH,
                )
            }
        val lower =
            JPanel(BorderLayout()).apply {
                add(
                    JPanel(BorderLayout()).apply {
                        border = Space(0.25, 0.5)
                        add(widgets.toolbar(ofRecord), BorderLayout.LINE_START)
                        add(error.apply { isVisible = false })
                    },
                    BorderLayout.NORTH,
                )
                add(widgets.scroll(page))
            }
        return widgets.split(upper, lower, UPPER_SHARE)
    }

    private fun columns(): List<RowsModel.Column<RecordRow>> = RecordColumn.entries.map { column ->
        val title = messages.text(column.key)
        when (column) {
            RecordColumn.QUESTION ->
                RowsModel.Column(title) {
                    (if (it.isPinned) messages.text("records.pinned.mark") else "") + it.question
                }
            RecordColumn.TYPE ->
                RowsModel.Column(title, messages.questionType("DesignPattern"), RANK_OF_TYPE) {
                    messages.questionType(it.type)
                }
            RecordColumn.CONFIDENCE ->
                RowsModel.Column(title, formats.percent(1f), RANK_OF_CONFIDENCE) { formats.percent(it.confidence) }
            RecordColumn.FRESHNESS ->
                RowsModel.Column(title, messages.text("freshness.asked_again"), RANK_OF_FRESHNESS) {
                    messages.text("freshness.${it.standing.name.lowercase()}")
                }
            RecordColumn.CREATED ->
                RowsModel.Column(title, formats.time(formats.now() - DAY)) { formats.time(it.createdAt) }
        }
    }

    private fun focusTable() {
        if (table.selectedRow < 0 && table.rowCount > 0) table.setRowSelectionInterval(0, 0)
        table.requestFocusInWindow()
    }

    private fun select() = model.select(rows.rows.getOrNull(table.selectedRow)?.id)

    private fun correctSelected() {
        val record = detail.record ?: return
        val title = messages.text("records.correct.title")
        widgets
            .editText(this, title, record.effectiveAnswer, messages.text("records.correct.verb"))
            ?.takeIf { it.isNotBlank() && it != record.effectiveAnswer }
            ?.let(model::correct)
    }

    private fun deleteSelected() {
        val record = detail.record ?: return
        val question = messages.text("records.delete.question", record.question)
        if (
            widgets.confirm(this, messages.text("records.delete.title"), question, messages.text("records.delete.verb"))
        ) {
            model.delete()
        }
    }

    private fun openFirstSource() {
        detail.record?.sourceFiles?.firstOrNull()?.let { host.openSource(it.path, it.startLine) }
    }

    private companion object {
        const val TO_TABLE = "ouro.table"
        const val UPPER_SHARE = 0.4
        const val DAY = 86_400_000L
        const val RANK_OF_TYPE = 3
        const val RANK_OF_CONFIDENCE = 2
        const val RANK_OF_FRESHNESS = 1
    }
}
