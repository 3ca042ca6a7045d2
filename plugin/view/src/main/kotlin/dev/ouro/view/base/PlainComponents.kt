package dev.ouro.view.base

import kotlinx.coroutines.CoroutineDispatcher
import java.awt.Font
import java.awt.event.ActionEvent
import javax.swing.AbstractAction
import javax.swing.Action
import javax.swing.BorderFactory
import javax.swing.Icon
import javax.swing.JButton
import javax.swing.JComponent
import javax.swing.JOptionPane
import javax.swing.JScrollPane
import javax.swing.JSplitPane
import javax.swing.JTable
import javax.swing.JTextArea
import javax.swing.JTextField
import javax.swing.JToolBar
import javax.swing.KeyStroke
import javax.swing.SwingUtilities
import javax.swing.UIManager
import javax.swing.table.TableModel
import kotlin.coroutines.CoroutineContext

/** [Components] of plain Swing. */
public open class PlainComponents(private val messages: Messages) : Components {
    override val ui: CoroutineDispatcher = SwingDispatcher

    override val codeFont: Font
        get() = UIManager.getFont("monospaced.font")
            ?: Font(Font.MONOSPACED, Font.PLAIN, UIManager.getFont("Label.font").size)

    override fun table(model: TableModel): JTable = JTable(model)

    override fun scroll(view: JComponent): JComponent =
        JScrollPane(view).apply { border = BorderFactory.createEmptyBorder() }

    override fun searchField(placeholder: String): Components.SearchField {
        val field = textField(placeholder)
        field.putClientProperty("JTextField.showClearButton", true)
        field.inputMap.put(KeyStroke.getKeyStroke("ESCAPE"), "clear")
        field.actionMap.put(
            "clear",
            object : AbstractAction() {
                override fun actionPerformed(event: ActionEvent) {
                    field.text = ""
                }
            },
        )
        return Components.SearchField(field, field)
    }

    override fun textField(placeholder: String): JTextField =
        JTextField().apply { putClientProperty("JTextField.placeholderText", placeholder) }

    override fun split(upper: JComponent, lower: JComponent, share: Double): JComponent =
        object : JSplitPane(VERTICAL_SPLIT, true, upper, lower) {
            private var isPlaced = false

            override fun doLayout() {
                // A share of the height can only be given once there is one.
                if (!isPlaced && height > 0) {
                    isPlaced = true
                    setDividerLocation(share)
                }
                super.doLayout()
            }
        }.apply {
            resizeWeight = share
            border = BorderFactory.createEmptyBorder()
        }

    override fun toolbar(actions: List<Action?>): JComponent = JToolBar().apply {
        isFloatable = false
        isOpaque = false
        border = BorderFactory.createEmptyBorder()
        actions.forEach { if (it == null) addSeparator() else add(button(it)) }
    }

    override fun icon(name: String): Icon? = null

    override fun confirm(parent: JComponent, title: String, question: String, verb: String): Boolean {
        val options = arrayOf(verb, messages.text("dialog.cancel"))
        return JOptionPane.showOptionDialog(
            parent,
            question,
            title,
            JOptionPane.OK_CANCEL_OPTION,
            JOptionPane.WARNING_MESSAGE,
            null,
            options,
            options[1],
        ) == 0
    }

    override fun editText(parent: JComponent, title: String, text: String, verb: String): String? {
        val area = JTextArea(text, EDIT_ROWS, EDIT_COLUMNS).apply {
            lineWrap = true
            wrapStyleWord = true
        }
        val options = arrayOf(verb, messages.text("dialog.cancel"))
        val chosen =
            JOptionPane.showOptionDialog(
                parent,
                JScrollPane(area),
                title,
                JOptionPane.OK_CANCEL_OPTION,
                JOptionPane.PLAIN_MESSAGE,
                null,
                options,
                options[0],
            )
        return area.text.takeIf { chosen == 0 }
    }

    private fun button(action: Action): JButton = JButton(action).apply {
        (action.getValue(Components.ICON) as? String)?.let { icon = icon(it) }
        hideActionText = icon != null
        isFocusable = true
        accessibleContext.accessibleName = action.getValue(Action.NAME) as String
    }

    /** Always queues, so that a long row of updates leaves room for input between two of them. */
    private object SwingDispatcher : CoroutineDispatcher() {
        override fun dispatch(context: CoroutineContext, block: Runnable) = SwingUtilities.invokeLater(block)
    }

    private companion object {
        const val EDIT_ROWS = 14
        const val EDIT_COLUMNS = 60
    }
}
