package dev.ouro.view.base

import java.awt.CardLayout
import java.awt.GridBagConstraints
import java.awt.GridBagLayout
import javax.swing.JButton
import javax.swing.JComponent
import javax.swing.JPanel

/** Shows a [Notice]: title, text, and a button for each step. */
internal class NoticePanel(private val host: Host, private val messages: Messages) : JPanel(GridBagLayout()) {
    private val title = ToneLabel(scale = TITLE_SCALE, bold = true)
    private val text = ToneText().named(messages.text("name"))
    private val buttons = JPanel(WrapLayout())
    private var shown: Notice? = null

    init {
        isOpaque = false
        buttons.isOpaque = false
        border = Space(2.0, 2.0)
        text.border = Space(0.5, 0.0, 1.0)
        val at = GridBagConstraints().apply {
            gridx = 0
            weightx = 1.0
            anchor = GridBagConstraints.FIRST_LINE_START
            fill = GridBagConstraints.HORIZONTAL
        }
        add(title, at)
        add(text, at)
        add(buttons, at.apply { weighty = 1.0 })
    }

    fun render(notice: Notice) {
        if (notice == shown) return
        shown = notice
        title.text = notice.title
        title.tone = if (notice.isError) Tone.ERROR else Tone.PLAIN
        text.text = notice.text
        text.named(notice.title)
        buttons.removeAll()
        notice.actions.forEach { step ->
            buttons.add(
                JButton().apply {
                    label(messages.text("notice.step.${step.name.lowercase()}"))
                    addActionListener { step.perform(host) }
                },
            )
        }
        revalidate()
        repaint()
    }

    private companion object {
        const val TITLE_SCALE = 1.15
    }
}

/** [content], or a notice in its place. */
internal class NoticeOr(private val content: JComponent, host: Host, messages: Messages) : JPanel(CardLayout()) {
    private val notice = NoticePanel(host, messages)

    init {
        isOpaque = false
        add(content, CONTENT)
        add(notice, NOTICE)
    }

    fun render(instead: Notice?) {
        instead?.let(notice::render)
        (layout as CardLayout).show(this, if (instead == null) CONTENT else NOTICE)
    }

    private companion object {
        const val CONTENT = "content"
        const val NOTICE = "notice"
    }
}
