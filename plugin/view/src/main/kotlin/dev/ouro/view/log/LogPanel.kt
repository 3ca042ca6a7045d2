package dev.ouro.view.log

import dev.ouro.view.base.Components
import dev.ouro.view.base.FittingColumns
import dev.ouro.view.base.Formats
import dev.ouro.view.base.Host
import dev.ouro.view.base.Messages
import dev.ouro.view.base.NoticeOr
import dev.ouro.view.base.RowsModel
import dev.ouro.view.base.Space
import dev.ouro.view.base.Tone
import dev.ouro.view.base.ToneLabel
import dev.ouro.view.base.forReading
import dev.ouro.view.base.label
import dev.ouro.view.base.renderWhileShowing
import dev.ouro.view.base.say
import kotlinx.coroutines.CoroutineScope
import java.awt.BorderLayout
import javax.swing.JCheckBox
import javax.swing.JComponent
import javax.swing.JPanel
import javax.swing.JTable

/** The loop's log. */
public class LogPanel(
    scope: CoroutineScope,
    model: LogModel,
    host: Host,
    widgets: Components,
    private val messages: Messages,
    private val formats: Formats,
) : JPanel(BorderLayout()) {
    private val columns = columns()
    private val rows = RowsModel(columns)
    private val table: JTable = widgets.table(rows).forReading(messages.text("log.table"))
    private val summary = ToneLabel(tone = Tone.MUTED)
    private val troubleOnly = JCheckBox().apply { label(messages.text("log.trouble_only")) }
    private val body: NoticeOr

    /** What is to have the focus first. */
    public val preferredFocus: JComponent get() = table

    init {
        troubleOnly.addActionListener { model.showTroubleOnly(troubleOnly.isSelected) }
        FittingColumns(table, columns)
        body = NoticeOr(
            JPanel(BorderLayout()).apply {
                add(
                    JPanel(BorderLayout()).apply {
                        border = Space(0.5, 0.75)
                        add(troubleOnly)
                    },
                    BorderLayout.NORTH,
                )
                add(widgets.scroll(table))
                add(
                    JPanel(BorderLayout()).apply {
                        border = Space(0.25, 0.75)
                        add(summary)
                    },
                    BorderLayout.SOUTH,
                )
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
        RowsModel.Column(messages.text("log.column.time"), formats.time(formats.now() - DAY), 1, LogRow::time),
        RowsModel.Column(messages.text("log.column.outcome"), messages.text("log.outcome.failed"), 2) {
            messages.text(if (it.success) "log.outcome.done" else "log.outcome.failed")
        },
        RowsModel.Column(
            messages.text("log.column.phase"),
            messages.text("phase.loading_memory"),
            RANK_OF_PHASE,
            LogRow::phase,
        ),
        RowsModel.Column(messages.text("log.column.text"), null, 0, LogRow::text),
        RowsModel.Column(
            messages.text("log.column.duration"),
            formats.span(LONG),
            RANK_OF_DURATION,
            LogRow::duration,
        ),
    )

    private companion object {
        const val DAY = 86_400_000L
        const val RANK_OF_PHASE = 3
        const val RANK_OF_DURATION = 4
        const val LONG = 59_999L
    }
}
