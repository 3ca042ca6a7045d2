package dev.ouro.ide.java

import com.intellij.openapi.application.smartReadAction
import com.intellij.openapi.project.Project
import com.intellij.psi.PsiElement
import com.intellij.psi.PsiMethod
import com.intellij.psi.search.GlobalSearchScope
import com.intellij.psi.search.PsiShortNamesCache
import com.intellij.psi.search.searches.MethodReferencesSearch
import com.intellij.util.Processor
import dev.ouro.bridge.ToolResult
import dev.ouro.ide.code.CallChain
import dev.ouro.ide.code.CallGraph
import dev.ouro.ide.code.CallLimits
import dev.ouro.ide.code.Direction
import dev.ouro.ide.code.JavaCalls
import dev.ouro.ide.tools.CallResolver
import dev.ouro.ide.tools.relativePath
import java.nio.file.Path

/** Follows calls with the indexes of the IDE; there only where the IDE knows Java. */
internal class IndexedCalls(private val project: Project) : CallResolver {
    override suspend fun follow(symbol: String, direction: Direction, limits: CallLimits): ToolResult? {
        val root = Path.of(project.basePath ?: return null)
        return smartReadAction(project) {
            val scope = GlobalSearchScope.projectScope(project)
            val names = PsiShortNamesCache.getInstance(project)
            val graph = CallGraph(listOf(JavaCalls, UastCalls)) { declaration -> callSites(declaration, scope) }
            CallChain(
                graph,
                { name -> names.getMethodsByName(name, scope).asSequence() },
                { file -> file.originalFile.virtualFile?.let { relativePath(root, it) } },
            ).follow(symbol, direction, limits)
        }
    }

    private fun callSites(declaration: PsiElement, scope: GlobalSearchScope): Sequence<PsiElement> {
        val method = declaration as? PsiMethod ?: return emptySequence()
        val sites = ArrayList<PsiElement>()
        MethodReferencesSearch.search(method, scope, true).forEach(
            Processor { reference ->
                sites += reference.element
                sites.size < MOST_SITES
            },
        )
        return sites.asSequence()
    }

    private companion object {
        /** A method that is called more often than this is no question of who calls it. */
        const val MOST_SITES = 2_000
    }
}
