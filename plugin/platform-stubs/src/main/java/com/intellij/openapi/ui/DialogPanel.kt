// Stands for platform/platform-api/src/com/intellij/openapi/ui/DialogPanel.kt.
package com.intellij.openapi.ui

import com.intellij.openapi.Disposable
import javax.swing.JPanel

@Suppress("UNUSED_PARAMETER")
public class DialogPanel : JPanel() {
    public fun registerValidators(parentDisposable: Disposable): Unit = throw UnsupportedOperationException()
}
