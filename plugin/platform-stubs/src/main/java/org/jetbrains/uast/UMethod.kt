// Stands for uast/uast-common/src/org/jetbrains/uast/declarations/UMethod.kt.
package org.jetbrains.uast

import com.intellij.psi.PsiMethod

public interface UMethod : UElement {
    public val javaPsi: PsiMethod
}
