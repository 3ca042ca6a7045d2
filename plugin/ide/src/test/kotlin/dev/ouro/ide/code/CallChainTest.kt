package dev.ouro.ide.code

import com.intellij.psi.PsiElement
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir
import java.nio.file.Path
import kotlin.io.path.createDirectories
import kotlin.io.path.writeText
import kotlin.time.Duration
import kotlin.time.Duration.Companion.seconds

internal class CallChainTest {
    @TempDir
    lateinit var root: Path

    private fun write(path: String, text: String) {
        val file = root.resolve(path)
        file.parent.createDirectories()
        file.writeText(text)
    }

    private fun follow(symbol: String, direction: Direction, depth: Int, time: Duration = Duration.INFINITE) =
        PsiProject(root).use { it.chain.follow(symbol, direction, CallLimits(depth, time = time)) }

    /** The lines without their code. */
    private fun lines(symbol: String, direction: Direction, depth: Int): List<String> =
        follow(symbol, direction, depth)!!.content.lines().filter { " -> " in it }.map { it.substringBefore(" | ") }

    private fun writeShop() {
        write(
            "shop/Order.java",
            """
            package shop;
            public class Order {
                private final Price price = new Price();
                public int total(int count) { return price.of(count) + price.of("tax"); }
                public int total() { return total(1); }
                public void log() { System.out.println(total()); }
            }
            """.trimIndent(),
        )
        write(
            "shop/Price.java",
            """
            package shop;
            public class Price {
                int of(int count) { return round(count * 3); }
                int of(String name) { return name.length(); }
                private int round(int n) { return n > 10 ? round(n - 10) : n; }
            }
            """.trimIndent(),
        )
        write(
            "shop/Cart.kt",
            """
            package shop
            class Cart {
                fun checkout(): Int = sum() + Order().total(2)
                private fun sum(): Int = Order().total()
            }
            fun buy(): Int = Cart().checkout()
            """.trimIndent(),
        )
    }

    @Test
    fun `callees are followed through Java, overloads told apart, a cycle ended`() {
        writeShop()
        assertEquals(
            listOf(
                "shop/Order.java:4: Order.total(int) -> Price.of(int)",
                "  shop/Price.java:3: Price.of(int) -> Price.round(int)",
                "    shop/Price.java:5: Price.round(int) -> Price.round(int) (cycle)",
                "shop/Order.java:4: Order.total(int) -> Price.of(String)",
            ),
            lines("shop/Order.java#Order.total", Direction.CALLEES, 3),
        )
    }

    @Test
    fun `callers are followed from Java into Kotlin and on`() {
        writeShop()
        assertEquals(
            listOf(
                "shop/Order.java:4: Order.total(int) -> Price.of(int)",
                "  shop/Cart.kt:3: Cart.checkout() -> Order.total(int)",
                "    shop/Cart.kt:6: buy() -> Cart.checkout()",
                "  shop/Order.java:5: Order.total() -> Order.total(int)",
                "    shop/Cart.kt:4: Cart.sum() -> Order.total()",
                "    shop/Order.java:6: Order.log() -> Order.total()",
            ),
            lines("Price::of", Direction.CALLERS, 3).sortedWithin(),
        )
    }

    /** Siblings in the order of their text: which file is searched first doesn't matter. */
    private fun List<String>.sortedWithin(): List<String> {
        val blocks = ArrayList<MutableList<String>>()
        val depth = minOfOrNull { it.indentation() } ?: return this
        for (line in this) if (line.indentation() == depth) blocks += mutableListOf(line) else blocks.last() += line
        return blocks.sortedBy { it.first() }.flatMap { listOf(it.first()) + it.drop(1).sortedWithin() }
    }

    private fun String.indentation() = takeWhile { it == ' ' }.length

    @Test
    fun `callees are followed from Kotlin into Java`() {
        writeShop()
        assertEquals(
            listOf(
                "shop/Cart.kt:6: buy() -> Cart.checkout()",
                "  shop/Cart.kt:3: Cart.checkout() -> Cart.sum()",
                "  shop/Cart.kt:3: Cart.checkout() -> Order.total(int)",
            ),
            lines("buy", Direction.CALLEES, 2),
        )
    }

    @Test
    fun `a call is followed where it is nearest, so that no line lies deeper than the depth`() {
        write(
            "a/Steps.java",
            """
            package a;
            class Steps {
                void first() { second(); third(); }
                void second() { third(); }
                void third() { fourth(); }
                void fourth() { }
            }
            """.trimIndent(),
        )
        assertEquals(
            listOf(
                "a/Steps.java:3: Steps.first() -> Steps.second()",
                "  a/Steps.java:4: Steps.second() -> Steps.third() (shown below)",
                "a/Steps.java:3: Steps.first() -> Steps.third()",
                "  a/Steps.java:5: Steps.third() -> Steps.fourth()",
            ),
            lines("first", Direction.CALLEES, 2),
        )
        assertEquals(
            listOf(
                "a/Steps.java:3: Steps.first() -> Steps.third()",
                "a/Steps.java:4: Steps.second() -> Steps.third()",
                "  a/Steps.java:3: Steps.first() -> Steps.second()",
            ),
            lines("third", Direction.CALLERS, 3),
        )
    }

    @Test
    fun `the lines that are shown can be cited, and calls of libraries are counted and left out`() {
        writeShop()
        val found = follow("Order.log", Direction.CALLEES, 1)!!
        assertEquals("    public void log() { System.out.println(total()); }", found.lines.single().text)
        assertEquals("1 call of libraries left out", found.truncated)
        assertEquals("1 call shown: calls made by `Order.log()`, depth 1", found.summary)
    }

    @Test
    fun `an ambiguous name says which others there are, an unknown one is none`() {
        writeShop()
        val content = follow("total", Direction.CALLERS, 1)!!.content
        assertTrue("ambiguous: this is `Order.total(int)`; others: `Order.total()`" in content, content)
        assertNull(follow("nowhere", Direction.CALLERS, 1))
        assertNull(follow("Wrong.total", Direction.CALLERS, 1))
        assertNull(follow("  ", Direction.CALLERS, 1))
    }

    @Test
    fun `a method without calls says so`() {
        writeShop()
        assertTrue("no callers of `Order.log()` are known" in follow("log", Direction.CALLERS, 2)!!.content)
    }

    @Test
    fun `limits cut what is far and say what they cut`() {
        val calls = (0 until 60).joinToString(" ") { "leaf();" }
        write("a/Many.java", "package a; class Many { void all() { $calls } void leaf() { } }")
        val found = follow("all", Direction.CALLEES, 2)!!
        assertEquals(25, found.lines.size)
        assertTrue("35 more calls left out" in found.truncated!!, found.truncated)
        val hurried = follow("all", Direction.CALLEES, 2, Duration.ZERO - 1.seconds)!!
        assertTrue("time was up" in hurried.truncated!!, hurried.truncated)
    }

    @Test
    fun `however many calls there are, those of one declaration are looked for once`() {
        for (i in 0 until CLASSES) {
            val next = if (i + 1 < CLASSES) "new C${i + 1}().step(x + 1)" else "Util.leaf(x)"
            val methods = "public int step(int x) { return $next; } int name() { return Util.leaf($i); }"
            write("a/C$i.java", "package a; public class C$i { $methods }")
        }
        val overloads = "static int leaf(int x) { return x; } static int leaf(String x) { return 0; }"
        write("a/Util.java", "package a; final class Util { $overloads }")
        PsiProject(root).use { project ->
            val down = project.chain.follow("a/C0.java#C0.step", Direction.CALLEES, CallLimits(5))!!
            assertEquals(5, down.lines.size)
            assertEquals(emptyList<PsiElement>(), project.searched)
            val all = CallLimits(5, calls = 1_000, callsOfOne = 1_000)
            val up = project.chain.follow("Util.leaf", Direction.CALLERS, all)!!
            assertTrue("callers of `Util.leaf(int)`" in up.summary, up.summary)
            // They are more than a page holds.
            assertTrue("left out" in up.truncated.orEmpty(), up.summary)
            assertTrue(project.searched.size > CLASSES, "${project.searched.size} were looked for")
            assertEquals(project.searched.size, project.searched.distinct().size)
        }
    }

    private companion object {
        const val CLASSES = 300
    }
}
