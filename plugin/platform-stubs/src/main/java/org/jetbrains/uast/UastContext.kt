// Stands for uast/uast-common/src/org/jetbrains/uast/UastContext.kt.
package org.jetbrains.uast

import com.intellij.psi.PsiElement

@Suppress("UNUSED_PARAMETER", "UnusedReceiverParameter")
public fun <T : UElement> PsiElement?.toUElement(cls: Class<out T>): T? = throw UnsupportedOperationException()

@Suppress("UNUSED_PARAMETER", "UnusedReceiverParameter")
public fun <T : UElement> PsiElement?.getUastParentOfType(cls: Class<out T>, strict: Boolean = false): T? =
    throw UnsupportedOperationException()
