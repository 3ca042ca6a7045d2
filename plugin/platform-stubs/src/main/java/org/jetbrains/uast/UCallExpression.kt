// Stands for uast/uast-common/src/org/jetbrains/uast/expressions/UCallExpression.kt.
package org.jetbrains.uast

import com.intellij.psi.PsiMethod

public interface UCallExpression : UElement {
    public fun resolve(): PsiMethod?
}
