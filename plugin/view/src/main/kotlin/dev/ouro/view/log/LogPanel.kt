package dev.ouro.view.log

import dev.ouro.view.base.Components
import dev.ouro.view.base.Formats
import dev.ouro.view.base.Host
import dev.ouro.view.base.Messages
import dev.ouro.view.base.NoticeOr
import dev.ouro.view.base.RowsModel
import dev.ouro.view.base.Space
import dev.ouro.view.base.Tone
import dev.ouro.view.base.ToneLabel
import dev.ouro.view.base.label
import dev.ouro.view.base.named
import dev.ouro.view.base.renderWhileShowing
import dev.ouro.view.base.say
import kotlinx.coroutines.CoroutineScope
import java.awt.BorderLayout
import javax.swing.JCheckBox
import javax.swing.JComponent
import javax.swing.JPanel
import javax.swing.JTable
import javax.swing.ListSelectionModel

/** The loop's log. */
public class LogPanel(
    scope: CoroutineScope,
    model: LogModel,
    host: Host,
    widgets: Components,
    private val messages: Messages,
    private val formats: Formats,
) : JPanel(BorderLayout()) {
    private val rows = RowsModel(columns())
    private val table: JTable = widgets.table(rows)
    private val summary = ToneLabel(tone = Tone.MUTED)
    private val troubleOnly = JCheckBox().apply { label(messages.text("log.trouble_only")) }
    private val body: NoticeOr

    /** What is to have the focus first. */
    public val preferredFocus: JComponent get() = table

    init {
        table.apply {
            selectionModel.selectionMode = ListSelectionModel.SINGLE_SELECTION
            autoResizeMode = JTable.AUTO_RESIZE_SUBSEQUENT_COLUMNS
            fillsViewportHeight = true
            named(messages.text("log.table"))
            rows.size(this)
        }
        troubleOnly.addActionListener { model.showTroubleOnly(troubleOnly.isSelected) }
        body = NoticeOr(
            JPanel(BorderLayout()).apply {
                add(JPanel(BorderLayout()).apply { border = Space(0.5, 0.75); add(troubleOnly) }, BorderLayout.NORTH)
                add(widgets.scroll(table))
                add(JPanel(BorderLayout()).apply { border = Space(0.25, 0.75); add(summary) }, BorderLayout.SOUTH)
            },
            host,
            messages,
        )
        add(body)
        renderWhileShowing(scope, widgets, model.state, ::render)
    }

    internal fun render(state: LogState) {
        body.render(state.notice)
        if (state.notice != null) return
        rows.show(table, state.rows) { it }
        summary.say(state.summary)
    }

    private fun columns(): List<RowsModel.Column<LogRow>> = listOf(
        RowsModel.Column(messages.text("log.column.time"), formats.dateTime(0), LogRow::time),
        RowsModel.Column(messages.text("log.column.phase"), messages.text("phase.generating_question"), LogRow::phase),
        RowsModel.Column(messages.text("log.column.outcome"), messages.text("log.outcome.failed")) {
            messages.text(if (it.success) "log.outcome.done" else "log.outcome.failed")
        },
        RowsModel.Column(messages.text("log.column.text"), null, LogRow::text),
        RowsModel.Column(messages.text("log.column.duration"), formats.span(LONG), LogRow::duration),
    )

    private companion object {
        const val LONG = 59_999L
    }
}
