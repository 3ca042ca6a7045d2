// Stands for platform/platform-impl/src/com/intellij/ui/dsl/builder/Row.kt.
package com.intellij.ui.dsl.builder

import com.intellij.ui.components.JBCheckBox
import com.intellij.ui.components.JBPasswordField
import com.intellij.ui.components.JBTextField
import java.awt.event.ActionEvent
import javax.swing.JButton
import javax.swing.JComponent
import javax.swing.JLabel

public interface Row {
    public fun <T : JComponent> cell(component: T): Cell<T>

    public fun checkBox(text: String): Cell<JBCheckBox>

    public fun textField(): Cell<JBTextField>

    public fun passwordField(): Cell<JBPasswordField>

    public fun button(text: String, actionListener: (event: ActionEvent) -> Unit): Cell<JButton>

    public fun label(text: String): Cell<JLabel>
}
