// Stands for platform/platform-impl/src/com/intellij/ui/dsl/builder/builder.kt.
package com.intellij.ui.dsl.builder

import com.intellij.openapi.ui.DialogPanel

@Suppress("UNUSED_PARAMETER")
public fun panel(init: Panel.() -> Unit): DialogPanel = throw UnsupportedOperationException()
