package dev.ouro.view.failures

import dev.ouro.view.base.Components
import dev.ouro.view.base.FittingColumns
import dev.ouro.view.base.Formats
import dev.ouro.view.base.Host
import dev.ouro.view.base.HtmlView
import dev.ouro.view.base.Messages
import dev.ouro.view.base.NoticeOr
import dev.ouro.view.base.RowsModel
import dev.ouro.view.base.Space
import dev.ouro.view.base.Tone
import dev.ouro.view.base.ToneLabel
import dev.ouro.view.base.action
import dev.ouro.view.base.escaped
import dev.ouro.view.base.forReading
import dev.ouro.view.base.named
import dev.ouro.view.base.renderWhileShowing
import dev.ouro.view.base.say
import dev.ouro.view.base.shortcut
import kotlinx.coroutines.CoroutineScope
import java.awt.BorderLayout
import javax.swing.Action
import javax.swing.JComponent
import javax.swing.JPanel
import javax.swing.JTable

/** What failed, why, and how it will be avoided. */
public class FailuresPanel(
    scope: CoroutineScope,
    private val model: FailuresModel,
    host: Host,
    private val widgets: Components,
    private val messages: Messages,
    private val formats: Formats,
) : JPanel(BorderLayout()) {
    private val columns = columns()
    private val rows = RowsModel(columns)
    private val table: JTable = widgets.table(rows).forReading(messages.text("failures.table"))
    private val page = HtmlView({ widgets.codeFont }) { host.openSource(it.path, it.line) }
    private val error = ToneLabel(tone = Tone.ERROR)
    private val forget: Action = action(messages, "failures.forget", "forget", "DELETE") { forgetSelected() }
    private val body: NoticeOr

    /** What is to have the focus first. */
    public val preferredFocus: JComponent get() = table

    init {
        table.selectionModel.addListSelectionListener { if (!it.valueIsAdjusting) showSelected() }
        page.named(messages.text("failures.page"))
        val lower = JPanel(BorderLayout()).apply {
            add(
                JPanel(BorderLayout()).apply {
                    border = Space(0.25, 0.5)
                    add(widgets.toolbar(listOf(forget)), BorderLayout.LINE_START)
                    add(error)
                },
                BorderLayout.NORTH,
            )
            add(widgets.scroll(page))
        }
        FittingColumns(table, columns)
        body = NoticeOr(widgets.split(widgets.scroll(table), lower, UPPER_SHARE), host, messages)
        add(body)
        shortcut(forget)
        showSelected()
        renderWhileShowing(scope, widgets, model.state, ::render)
    }

    internal fun render(state: FailuresState) {
        body.render(state.notice)
        if (state.notice != null) return
        rows.show(table, state.rows, FailureRow::signature)
        error.say(state.error.orEmpty())
        showSelected()
    }

    private fun showSelected() {
        val row = rows.rows.getOrNull(table.selectedRow)
        forget.isEnabled = row != null
        page.show(row?.html ?: "<p class='meta'>${escaped(messages.text("failures.none"))}</p>")
    }

    private fun forgetSelected() {
        rows.rows.getOrNull(table.selectedRow)?.let { model.forget(it.signature) }
    }

    private fun columns(): List<RowsModel.Column<FailureRow>> = listOf(
        RowsModel.Column(messages.text("failures.column.operation"), null, 0, FailureRow::operation),
        RowsModel.Column(messages.text("failures.column.error"), null, RANK_OF_ERROR, FailureRow::error),
        RowsModel.Column(messages.text("failures.column.attempts"), "00", 2, FailureRow::attempts),
        RowsModel.Column(messages.text("failures.column.last"), formats.time(formats.now() - DAY), 1, FailureRow::last),
    )

    private companion object {
        const val DAY = 86_400_000L
        const val RANK_OF_ERROR = 3
        const val UPPER_SHARE = 0.5
    }
}
