// Stands for platform/platform-api/src/com/intellij/openapi/ui/MessageDialogBuilder.kt.
package com.intellij.openapi.ui

import com.intellij.openapi.project.Project
import java.awt.Component

@Suppress("UNUSED_PARAMETER")
public sealed class MessageDialogBuilder<T : MessageDialogBuilder<T>> {
    public fun yesText(yesText: String): T = throw UnsupportedOperationException()

    public companion object {
        @JvmStatic
        public fun okCancel(title: String, message: String): OkCancelDialogBuilder =
            throw UnsupportedOperationException()
    }
}

@Suppress("UNUSED_PARAMETER")
public class OkCancelDialogBuilder internal constructor() : MessageDialogBuilder<OkCancelDialogBuilder>() {
    public fun ask(project: Project?): Boolean = throw UnsupportedOperationException()

    public fun ask(parentComponent: Component?): Boolean = throw UnsupportedOperationException()
}
