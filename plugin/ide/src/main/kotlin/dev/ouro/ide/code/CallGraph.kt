package dev.ouro.ide.code

import com.intellij.psi.PsiElement

/** One call: where it stands, what it stands in and what it calls. */
internal data class Call(val site: PsiElement, val caller: PsiElement, val callee: PsiElement)

/** Finds the places that call something. In the IDE its index knows, in a test the files are searched. */
internal fun interface CallerFinder {
    /** The references to [declaration] that call it. */
    fun callSites(declaration: PsiElement): Sequence<PsiElement>
}

/** What a language knows of its own calls. Every function must run in a read action. */
internal interface CallLanguage {
    /** Whether [element] is a declaration of this language, or stands in a file of it. */
    fun owns(element: PsiElement): Boolean

    /** The calls that [declaration] makes, in the order of the text: each with what it calls, overloads told apart. */
    fun calls(declaration: PsiElement): Sequence<Call>

    /** The method or function that [site] stands in. */
    fun enclosing(site: PsiElement): PsiElement?

    /** `Type.method(String, int)`. */
    fun name(declaration: PsiElement): String
}

/** The calls of a project, across its languages. */
internal class CallGraph(private val languages: List<CallLanguage>, private val finder: CallerFinder) {
    /** The calls that [declaration] makes. */
    fun callees(declaration: PsiElement): Sequence<Call> = language(declaration)?.calls(declaration).orEmpty()

    /** The calls of [declaration]. */
    fun callers(declaration: PsiElement): Sequence<Call> = finder.callSites(declaration).mapNotNull { site ->
        language(site)?.enclosing(site)?.let { Call(site, it, declaration) }
    }

    /** How [declaration] is called in a result. */
    fun name(declaration: PsiElement): String =
        language(declaration)?.name(declaration) ?: declaration.text.lines().first()

    private fun language(element: PsiElement): CallLanguage? = languages.firstOrNull { it.owns(element) }
}
