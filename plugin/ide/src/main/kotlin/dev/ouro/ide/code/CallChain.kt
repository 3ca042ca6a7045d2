package dev.ouro.ide.code

import com.intellij.psi.PsiElement
import com.intellij.psi.PsiFile
import com.intellij.psi.PsiMethod
import dev.ouro.bridge.ToolResult
import dev.ouro.ide.tools.Page
import dev.ouro.ide.tools.count

/** Finds declarations by their simple name. */
internal fun interface DeclarationFinder {
    fun named(name: String): Sequence<PsiElement>
}

/** Files as results name them: the path below the project's folder, `null` for what lies outside. */
internal fun interface ProjectPaths {
    fun pathOf(file: PsiFile): String?
}

/** Follows calls through the syntax trees of the IDE. Everything runs in the caller's read action. */
internal class CallChain(
    private val graph: CallGraph,
    private val declarations: DeclarationFinder,
    private val paths: ProjectPaths,
) {
    /** The calls from [symbol] on as a text; `null` when no declaration is called so here. */
    fun follow(symbol: String, direction: Direction, limits: CallLimits): ToolResult? {
        val found = find(Symbol.parse(symbol) ?: return null)
        val chosen = found.firstOrNull() ?: return null
        val tree = CallTree(graph, direction, limits, ::isOwn)
        tree.grow(chosen)
        val name = graph.name(chosen)
        val page = Page()
        if (found.size > 1) {
            val others = found.drop(1).take(MOST_OTHERS).joinToString { "`${graph.name(it)}`" }
            page.push("`$symbol` is ambiguous: this is `$name`; others: $others")
        }
        val lines = tree.lines(chosen)
        val shown = lines.takeWhile { write(page, it) }.size
        val relation = if (direction == Direction.CALLERS) "callers of" else "calls made by"
        val summary = when (lines.size) {
            0 -> "no $relation `$name` are known; calls through reflection or a framework can't be seen"
            else -> "${count(shown, "call")} shown: $relation `$name`, depth ${limits.depth}"
        }
        if (lines.isEmpty()) page.push(summary)
        return page.finish(summary, cut(tree, lines.size - shown, limits))
    }

    private fun find(symbol: Symbol): List<PsiElement> = declarations.named(symbol.name)
        .filter(::isOwn)
        .filter { symbol.path == null || pathOf(it) == symbol.path }
        .filter { symbol.type == null || symbol.type == typeOf(it) }
        .sortedWith(compareBy({ pathOf(it) }, { it.textOffset }))
        .toList()

    /** The type of a method: what stands before the last dot of its name. */
    private fun typeOf(declaration: PsiElement): String = (declaration as? PsiMethod)?.containingClass?.name
        ?: graph.name(declaration).substringBefore('(').substringBeforeLast('.', "").substringAfterLast('.')

    private fun write(page: Page, line: CallTree.Line): Boolean {
        val site = line.call.site
        val file = site.containingFile
        val path = paths.pathOf(file) ?: return true
        val text = file.viewProvider.contents
        val start = site.textRange.startOffset
        val number = 1 + (0 until start).count { text[it] == '\n' }
        val code = text.lineAt(start)
        val mark = when (line.mark) {
            CallTree.Mark.FOLLOWED -> ""
            CallTree.Mark.CYCLE -> " (cycle)"
            CallTree.Mark.SHOWN_ABOVE -> " (shown above)"
            CallTree.Mark.SHOWN_BELOW -> " (shown below)"
        }
        val names = "${graph.name(line.call.caller)} -> ${graph.name(line.call.callee)}"
        val shown = "  ".repeat(line.depth) + "$path:$number: $names$mark | ${code.trim()}"
        return page.pushSource(shown, path, number, code)
    }

    private fun cut(tree: CallTree, unshown: Int, limits: CallLimits): String? = listOfNotNull(
        (tree.leftOut + unshown).takeIf { it > 0 }?.let {
            "${count(it, "more call")} left out (at most ${limits.calls} are shown, ${limits.callsOfOne} of one symbol)"
        },
        tree.foreign.takeIf { it > 0 }?.let { "${count(it, "call")} of libraries left out" },
        "the time was up before all calls were found".takeIf { tree.isOutOfTime },
    ).joinToString("; ").ifEmpty { null }

    private fun isOwn(element: PsiElement): Boolean = pathOf(element) != null

    /** A declaration that another language made stands where it was written. */
    private fun pathOf(element: PsiElement): String? = element.navigationElement.containingFile?.let(paths::pathOf)

    private fun CharSequence.lineAt(offset: Int): String {
        val start = (offset - 1 downTo 0).firstOrNull { this[it] == '\n' }?.plus(1) ?: 0
        val end = (offset until length).firstOrNull { this[it] == '\n' } ?: length
        return substring(start, end).take(MOST_CHARACTERS)
    }

    private companion object {
        /** Other declarations of the same name that are named. */
        const val MOST_OTHERS = 10

        /** Characters of a line of code that are shown. */
        const val MOST_CHARACTERS = 160
    }
}
