package dev.ouro.ide

import com.intellij.psi.PsiMethod
import com.intellij.psi.search.GlobalSearchScope
import com.intellij.psi.search.PsiShortNamesCache
import com.intellij.psi.search.searches.MethodReferencesSearch
import com.intellij.testFramework.LightProjectDescriptor
import com.intellij.testFramework.fixtures.LightJavaCodeInsightFixtureTestCase
import dev.ouro.ide.code.CallChain
import dev.ouro.ide.code.CallGraph
import dev.ouro.ide.code.CallLimits
import dev.ouro.ide.code.Direction
import dev.ouro.ide.code.JavaCalls
import dev.ouro.ide.java.UastCalls

/** Calls by the indexes of the IDE. */
internal class IndexedCallsPlatformTest : LightJavaCodeInsightFixtureTestCase() {
    /** The classes refer to nothing but each other: no JDK is needed, which a plugin's tests don't have. */
    override fun getProjectDescriptor(): LightProjectDescriptor = LightProjectDescriptor.EMPTY_PROJECT_DESCRIPTOR

    fun `test callers are found by the index and overloads told apart`() {
        myFixture.addFileToProject(
            "a/Price.java",
            """
            package a;
            public class Price {
                int of(int n) { return n; }
                int of(boolean all) { return 0; }
            }
            """.trimIndent(),
        )
        myFixture.addFileToProject(
            "a/Order.java",
            """
            package a;
            class Order {
                int total() { return new Price().of(1); }
            }
            """.trimIndent(),
        )
        val scope = GlobalSearchScope.projectScope(project)
        val graph = CallGraph(listOf(JavaCalls, UastCalls)) { declaration ->
            val found = MethodReferencesSearch.search(declaration as PsiMethod, scope, true).findAll()
            found.asSequence().map { it.element }
        }
        val names = PsiShortNamesCache.getInstance(project)
        val chain = CallChain(
            graph,
            { name -> names.getMethodsByName(name, scope).asSequence() },
            { file -> file.virtualFile?.path?.removePrefix("/src/") },
        )
        val found = chain.follow("Price.of", Direction.CALLERS, CallLimits(2))!!
        assertEquals(listOf("a/Order.java"), found.lines.map { it.path })
        assertTrue(found.content, "Order.total() -> Price.of(int)" in found.content)
    }
}
