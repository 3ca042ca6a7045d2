// Stands for platform/platform-impl/src/com/intellij/ui/dsl/builder/Cell.kt.
package com.intellij.ui.dsl.builder

import com.intellij.openapi.ui.ValidationInfo
import com.intellij.ui.layout.ValidationInfoBuilder
import javax.swing.JComponent

public interface Cell<out T : JComponent> {
    public val component: T

    public fun align(align: Align): Cell<T>

    public fun comment(comment: String?): Cell<T>

    public fun validationOnInput(callback: ValidationInfoBuilder.(T) -> ValidationInfo?): Cell<T>
}
