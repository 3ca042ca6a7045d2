// Stands for uast/uast-common/src/org/jetbrains/uast/baseElements/UElement.kt.
package org.jetbrains.uast

import com.intellij.psi.PsiElement
import org.jetbrains.uast.visitor.UastVisitor

public interface UElement {
    public val sourcePsi: PsiElement?

    public fun accept(visitor: UastVisitor)
}
