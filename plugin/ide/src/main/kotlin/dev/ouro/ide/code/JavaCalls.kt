package dev.ouro.ide.code

import com.intellij.psi.PsiCallExpression
import com.intellij.psi.PsiElement
import com.intellij.psi.PsiJavaFile
import com.intellij.psi.PsiMethod
import com.intellij.psi.util.PsiTreeUtil

/** The calls of Java. */
internal object JavaCalls : CallLanguage {
    override fun owns(element: PsiElement): Boolean = element.containingFile is PsiJavaFile

    override fun calls(declaration: PsiElement): Sequence<Call> =
        PsiTreeUtil.findChildrenOfType(declaration, PsiCallExpression::class.java).asSequence()
            .mapNotNull { call -> call.resolveMethod()?.let { Call(call, declaration, it) } }

    override fun enclosing(site: PsiElement): PsiElement? = PsiTreeUtil.getParentOfType(site, PsiMethod::class.java)

    override fun name(declaration: PsiElement): String =
        (declaration as? PsiMethod)?.let(::methodName) ?: declaration.text
}

/** `Type.method(String, int)`, also of a method that another language made. */
internal fun methodName(method: PsiMethod): String {
    val type = method.containingClass?.let { it.name ?: it.qualifiedName }
    val parameters = method.parameterList.parameters.joinToString(", ") { it.type.presentableText }
    return listOfNotNull(type, "${method.name}($parameters)").joinToString(".")
}
