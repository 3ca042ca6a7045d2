package dev.ouro.view.ask

import dev.ouro.view.base.Components
import dev.ouro.view.base.Host
import dev.ouro.view.base.HtmlView
import dev.ouro.view.base.Messages
import dev.ouro.view.base.NoticeOr
import dev.ouro.view.base.Space
import dev.ouro.view.base.label
import dev.ouro.view.base.named
import dev.ouro.view.base.renderWhileShowing
import kotlinx.coroutines.CoroutineScope
import java.awt.BorderLayout
import javax.swing.JButton
import javax.swing.JComponent
import javax.swing.JLabel
import javax.swing.JPanel
import javax.swing.JTextField

/** A question, and its answer from what is known. */
public class AskPanel(
    scope: CoroutineScope,
    private val model: AskModel,
    host: Host,
    widgets: Components,
    messages: Messages,
) : JPanel(BorderLayout()) {
    private val question = JTextField()
    private val ask = JButton().apply { label(messages.text("ask.ask")) }
    private val cancel = JButton().apply { label(messages.text("ask.cancel")) }
    private val page = HtmlView({ widgets.codeFont }) { host.openSource(it.path, it.line) }
    private val body: NoticeOr
    private var shown = AskState()

    /** What is to have the focus first. */
    public val preferredFocus: JComponent get() = question

    init {
        val prompt = JLabel().apply {
            label(messages.text("ask.question"))
            labelFor = question
            border = Space(0.0, 0.0, 0.5)
        }
        val buttons = JPanel(BorderLayout()).apply {
            border = Space(0.0, 0.5, 0.0, 0.0)
            add(ask, BorderLayout.LINE_START)
            add(cancel, BorderLayout.LINE_END)
        }
        val top = JPanel(BorderLayout()).apply {
            border = Space(0.75, 1.0, 0.0)
            add(prompt, BorderLayout.NORTH)
            add(question)
            add(buttons, BorderLayout.LINE_END)
        }
        page.named(messages.text("ask.answer"))
        body = NoticeOr(
            JPanel(BorderLayout()).apply {
                add(top, BorderLayout.NORTH)
                add(widgets.scroll(page))
            },
            host,
            messages,
        )
        add(body)
        question.addActionListener { model.ask(question.text) }
        ask.addActionListener { model.ask(question.text) }
        cancel.addActionListener { model.cancel() }
        cancel.isVisible = false
        renderWhileShowing(scope, widgets, model.state, ::render)
    }

    internal fun render(state: AskState) {
        body.render(state.notice)
        // What is being typed outlasts an engine that is opened again.
        if (state.notice != null) return
        if (state.question != shown.question) question.text = state.question
        cancel.isVisible = state.isAsking
        page.show(state.html)
        shown = state
    }
}
