package dev.ouro.view

import dev.ouro.view.base.Markdown
import dev.ouro.view.base.SourceLink
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test

class MarkdownTest {
    private fun html(text: String) = Markdown.html(text) { it == "src/a b.rs" }.trim()

    @Test
    fun `a place in a source becomes a link to its first line`() {
        val link = SourceLink("src/a b.rs", 12)
        assertEquals(
            "<p><a rel=\"nofollow\" href=\"${link.href}\"><code>src/a b.rs:12-30</code></a></p>",
            html("`src/a b.rs:12-30`"),
        )
        assertEquals(link, SourceLink.of(link.href))
    }

    @Test
    fun `code that names no source stays code`() {
        assertEquals("<p><code>other.rs:12</code> <code>a:b</code></p>", html("`other.rs:12` `a:b`"))
    }

    @Test
    fun `nothing that a model writes can load or run anything`() {
        val hostile = """
            ![pixel](http://evil.example/p.png) <img src="http://evil.example/q.png"> [click](javascript:alert(1))
            [site](http://evil.example/) <script>x()</script>

            <iframe src="http://evil.example"></iframe>
        """.trimIndent()
        val html = html(hostile)
        assertFalse(Regex("<(img|a|script|iframe)").containsMatchIn(html), html)
        assertTrue("[pixel]" in html && "site (http://evil.example/)" in html, html)
    }

    @Test
    fun `links of other kinds lead nowhere`() {
        assertNull(SourceLink.of("http://example.org"))
        assertNull(SourceLink.of(null))
    }

    @Test
    fun `a block of code keeps its indents and may wrap`() {
        assertEquals("<p><code>if (a &lt; b)<br>&nbsp;&nbsp;f()</code></p>", html("```\nif (a < b)\n  f()\n```"))
    }

    @Test
    fun `a question is set in one line, or without marks`() {
        assertEquals("What does <code>f</code> do?", Markdown.line("What does `f` do?"))
        assertEquals("What does f do?", Markdown.plain("What does `f` do?"))
    }
}
