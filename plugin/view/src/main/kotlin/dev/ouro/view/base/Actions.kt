package dev.ouro.view.base

import java.awt.event.ActionEvent
import javax.swing.AbstractAction
import javax.swing.Action
import javax.swing.JComponent
import javax.swing.KeyStroke
import javax.swing.event.DocumentEvent
import javax.swing.event.DocumentListener
import javax.swing.text.JTextComponent

/** An action whose name is the bundle's [key], with its tooltip, icon and shortcut. */
internal fun action(
    messages: Messages,
    key: String,
    icon: String,
    shortcut: String? = null,
    perform: () -> Unit,
): Action = object : AbstractAction() {
    override fun actionPerformed(event: ActionEvent?) = perform()
}
    .apply {
        label(messages.text(key))
        val stroke = shortcut?.let(KeyStroke::getKeyStroke)
        putValue(Action.ACCELERATOR_KEY, stroke)
        putValue(
            Action.SHORT_DESCRIPTION,
            getValue(Action.NAME).toString() + (stroke?.let { " (${spoken(it)})" } ?: ""),
        )
        putValue(Components.ICON, icon)
    }

/** Makes [action]'s shortcut work while the focus is in this component. */
internal fun JComponent.shortcut(action: Action) {
    val stroke = action.getValue(Action.ACCELERATOR_KEY) as? KeyStroke ?: return
    val name = action.getValue(Action.NAME)
    getInputMap(JComponent.WHEN_ANCESTOR_OF_FOCUSED_COMPONENT).put(stroke, name)
    actionMap.put(name, action)
}

/** Runs [change] with the text whenever it changes. */
internal fun JTextComponent.onChange(change: (String) -> Unit) {
    document.addDocumentListener(
        object : DocumentListener {
            override fun insertUpdate(event: DocumentEvent) = change(text)

            override fun removeUpdate(event: DocumentEvent) = change(text)

            override fun changedUpdate(event: DocumentEvent) = Unit
        },
    )
}

private fun spoken(stroke: KeyStroke): String {
    val modifiers = java.awt.event.InputEvent.getModifiersExText(stroke.modifiers)
    val key = java.awt.event.KeyEvent.getKeyText(stroke.keyCode)
    return if (modifiers.isEmpty()) key else "$modifiers+$key"
}
