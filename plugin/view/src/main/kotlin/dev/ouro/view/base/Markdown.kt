package dev.ouro.view.base

import org.commonmark.node.AbstractVisitor
import org.commonmark.node.Code
import org.commonmark.node.Image
import org.commonmark.node.Link
import org.commonmark.node.Node
import org.commonmark.node.Text
import org.commonmark.parser.Parser
import org.commonmark.renderer.html.HtmlRenderer

/**
 * Markdown as HTML that is safe to show: tags are escaped, images become their text, and links lead to the project's own
 * files only. A span of code that names a place, such as `src/a.rs:12-30`, becomes such a link.
 */
internal object Markdown {
    private val parser = Parser.builder().build()
    private val renderer = HtmlRenderer.builder().escapeHtml(true).sanitizeUrls(true).build()
    private val place = Regex("""(.+?):(\d+)(?:-\d+)?""")

    /** [isSource] says whether a path is one of the project's files. */
    fun html(markdown: String, isSource: (String) -> Boolean): String {
        val document = parser.parse(markdown)
        document.accept(Safe(isSource))
        return renderer.render(document)
    }

    private class Safe(private val isSource: (String) -> Boolean) : AbstractVisitor() {
        override fun visit(image: Image) {
            visitChildren(image)
            image.replaceBy(Text("[" + textOf(image).ifEmpty { image.destination } + "]"))
        }

        override fun visit(link: Link) {
            visitChildren(link)
            val text = textOf(link)
            link.replaceBy(Text(if (link.destination in text || text.isEmpty()) link.destination else "$text (${link.destination})"))
        }

        override fun visit(code: Code) {
            val (path, line) = place.matchEntire(code.literal)?.destructured ?: return
            if (!isSource(path)) return
            val link = Link(SourceLink(path, line.toInt()).href, null)
            code.insertBefore(link)
            link.appendChild(code)
        }

        private fun Node.replaceBy(other: Node) {
            insertBefore(other)
            unlink()
        }

        private fun textOf(node: Node): String {
            val text = StringBuilder()
            node.accept(object : AbstractVisitor() {
                override fun visit(part: Text) {
                    text.append(part.literal)
                }

                override fun visit(part: Code) {
                    text.append(part.literal)
                }
            })
            return text.toString()
        }
    }
}

/** A place in a file of the project, as a link of a page. */
internal data class SourceLink(val path: String, val line: Int?) {
    val href: String get() = SCHEME + java.net.URLEncoder.encode(path, Charsets.UTF_8) + (line?.let { "#$it" } ?: "")

    companion object {
        private const val SCHEME = "source:"

        /** The place that a link leads to, or `null` for a link of another kind. */
        fun of(href: String?): SourceLink? {
            if (href == null || !href.startsWith(SCHEME)) return null
            val path = href.removePrefix(SCHEME).substringBefore('#')
            return SourceLink(java.net.URLDecoder.decode(path, Charsets.UTF_8), href.substringAfter('#', "").toIntOrNull())
        }
    }
}

/** [text] as HTML. */
internal fun escaped(text: String): String = buildString(text.length) {
    text.forEach { c ->
        when (c) {
            '<' -> append("&lt;")
            '>' -> append("&gt;")
            '&' -> append("&amp;")
            '"' -> append("&quot;")
            else -> append(c)
        }
    }
}
