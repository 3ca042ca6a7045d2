package dev.ouro.ide.window

import com.intellij.openapi.actionSystem.ActionManager
import com.intellij.openapi.actionSystem.ActionUpdateThread
import com.intellij.openapi.actionSystem.AnActionEvent
import com.intellij.openapi.actionSystem.DefaultActionGroup
import com.intellij.openapi.editor.colors.EditorFontType
import com.intellij.openapi.project.DumbAwareAction
import com.intellij.openapi.ui.DialogBuilder
import com.intellij.openapi.ui.MessageDialogBuilder
import com.intellij.openapi.util.IconLoader
import com.intellij.ui.OnePixelSplitter
import com.intellij.ui.SearchTextField
import com.intellij.ui.components.JBScrollPane
import com.intellij.ui.components.JBTextArea
import com.intellij.ui.components.JBTextField
import com.intellij.ui.table.JBTable
import dev.ouro.view.base.Components
import dev.ouro.view.base.Host
import dev.ouro.view.base.Messages
import dev.ouro.view.base.PlainComponents
import java.awt.Font
import java.awt.event.ActionEvent
import javax.swing.Action
import javax.swing.BorderFactory
import javax.swing.Icon
import javax.swing.JComponent
import javax.swing.JTable
import javax.swing.JTextField
import javax.swing.table.TableModel

/** The IDE's own widgets. */
internal class IdeComponents(messages: Messages) : PlainComponents(messages) {
    override val codeFont: Font get() = EditorFontType.getGlobalPlainFont()

    override fun table(model: TableModel): JTable = JBTable(model).apply { setShowGrid(false) }

    override fun scroll(view: JComponent): JComponent =
        JBScrollPane(view).apply { border = BorderFactory.createEmptyBorder() }

    override fun searchField(placeholder: String): Components.SearchField {
        val field = SearchTextField(false)
        field.textEditor.emptyText.setText(placeholder)
        return Components.SearchField(field, field.textEditor)
    }

    override fun textField(placeholder: String): JTextField = JBTextField().apply { emptyText.setText(placeholder) }

    override fun split(upper: JComponent, lower: JComponent, share: Double): JComponent =
        OnePixelSplitter(true, share.toFloat()).apply {
            setFirstComponent(upper)
            setSecondComponent(lower)
        }

    override fun toolbar(actions: List<Action?>): JComponent {
        val group = DefaultActionGroup()
        for (action in actions) if (action == null) group.addSeparator() else group.add(SwingAction(action, this))
        val toolbar = ActionManager.getInstance().createActionToolbar("Ouro", group, true)
        toolbar.setTargetComponent(toolbar.component)
        return toolbar.component
    }

    override fun icon(name: String): Icon? = IconLoader.getIcon("/icons/$name.svg", Host::class.java)

    override fun confirm(parent: JComponent, title: String, question: String, verb: String): Boolean =
        MessageDialogBuilder.okCancel(title, question).yesText(verb).ask(parent)

    override fun editText(parent: JComponent, title: String, text: String, verb: String): String? {
        val area = JBTextArea(text, ROWS, COLUMNS).apply {
            lineWrap = true
            wrapStyleWord = true
        }
        val dialog = DialogBuilder(parent).title(title).centerPanel(JBScrollPane(area))
        dialog.addOkAction().setText(verb)
        dialog.addCancelAction()
        dialog.setPreferredFocusComponent(area)
        return if (dialog.showAndGet()) area.text else null
    }

    /** An action of Swing in a toolbar of the IDE. */
    private class SwingAction(private val action: Action, components: Components) :
        DumbAwareAction(
            action.getValue(Action.NAME) as? String,
            action.getValue(Action.SHORT_DESCRIPTION) as? String,
            (action.getValue(Components.ICON) as? String)?.let(components::icon),
        ) {
        // Whether it is enabled, and what it would do now, is the state of a Swing object.
        override fun getActionUpdateThread(): ActionUpdateThread = ActionUpdateThread.EDT

        override fun update(event: AnActionEvent) {
            event.presentation.isEnabled = action.isEnabled
            event.presentation.description = action.getValue(Action.SHORT_DESCRIPTION) as? String
        }

        override fun actionPerformed(event: AnActionEvent): Unit =
            action.actionPerformed(ActionEvent(this, ActionEvent.ACTION_PERFORMED, null))
    }

    private companion object {
        const val ROWS = 14
        const val COLUMNS = 60
    }
}
