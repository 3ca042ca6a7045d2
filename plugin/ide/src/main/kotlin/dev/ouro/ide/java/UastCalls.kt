package dev.ouro.ide.java

import com.intellij.psi.PsiElement
import com.intellij.psi.PsiMethod
import dev.ouro.ide.code.Call
import dev.ouro.ide.code.CallLanguage
import dev.ouro.ide.code.methodName
import org.jetbrains.uast.UCallExpression
import org.jetbrains.uast.UMethod
import org.jetbrains.uast.getUastParentOfType
import org.jetbrains.uast.toUElement
import org.jetbrains.uast.visitor.AbstractUastVisitor

/**
 * The calls of Kotlin and of other languages that have a uniform syntax tree. Declarations are methods as Java sees
 * them.
 */
internal object UastCalls : CallLanguage {
    override fun owns(element: PsiElement): Boolean =
        element is PsiMethod || element.getUastParentOfType(UMethod::class.java) != null

    override fun calls(declaration: PsiElement): Sequence<Call> {
        val calls = ArrayList<Call>()
        val visitor = object : AbstractUastVisitor() {
            override fun visitCallExpression(node: UCallExpression): Boolean {
                val site = node.sourcePsi
                val callee = node.resolve()
                if (site != null && callee != null) calls += Call(site, declaration, callee)
                return false
            }
        }
        declaration.toUElement(UMethod::class.java)?.accept(visitor)
        return calls.asSequence()
    }

    override fun enclosing(site: PsiElement): PsiElement? = site.getUastParentOfType(UMethod::class.java)?.javaPsi

    override fun name(declaration: PsiElement): String =
        (declaration as? PsiMethod)?.let(::methodName) ?: declaration.text
}
