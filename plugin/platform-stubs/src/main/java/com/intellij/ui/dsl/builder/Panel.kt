// Stands for platform/platform-impl/src/com/intellij/ui/dsl/builder/Panel.kt.
package com.intellij.ui.dsl.builder

import javax.swing.JLabel

public interface Panel {
    public fun row(label: String, init: Row.() -> Unit): Row

    public fun row(label: JLabel? = null, init: Row.() -> Unit): Row

    public fun group(title: String? = null, indent: Boolean = true, init: Panel.() -> Unit): Row

    public fun collapsibleGroup(title: String, indent: Boolean = true, init: Panel.() -> Unit): CollapsibleRow
}

public interface CollapsibleRow : Row
