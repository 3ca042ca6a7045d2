// Stands for uast/uast-common/src/org/jetbrains/uast/visitor/UastVisitor.kt.
package org.jetbrains.uast.visitor

import org.jetbrains.uast.UCallExpression

public interface UastVisitor {
    public fun visitCallExpression(node: UCallExpression): Boolean
}

public abstract class AbstractUastVisitor : UastVisitor {
    override fun visitCallExpression(node: UCallExpression): Boolean = throw UnsupportedOperationException()
}
