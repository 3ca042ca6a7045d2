package dev.ouro.view.base

import org.commonmark.node.AbstractVisitor
import org.commonmark.node.Code
import org.commonmark.node.FencedCodeBlock
import org.commonmark.node.Image
import org.commonmark.node.IndentedCodeBlock
import org.commonmark.node.Link
import org.commonmark.node.Node
import org.commonmark.node.Text
import org.commonmark.parser.Parser
import org.commonmark.renderer.NodeRenderer
import org.commonmark.renderer.html.DefaultUrlSanitizer
import org.commonmark.renderer.html.HtmlRenderer
import org.commonmark.renderer.html.HtmlWriter
import java.net.URLDecoder
import java.net.URLEncoder

/**
 * Markdown as HTML that is safe to show: tags are escaped, images become their text, and links lead to the project's
 * own files only. A span of code that names a place, such as `src/a.rs:12-30`, becomes such a link.
 */
internal object Markdown {
    private val parser = Parser.builder().build()
    private val renderer = HtmlRenderer.builder().escapeHtml(true).sanitizeUrls(true)
        .urlSanitizer(DefaultUrlSanitizer(setOf(SourceLink.SCHEME)))
        .nodeRendererFactory { CodeBlocks(it.writer) }.build()
    private val place = Regex("""(.+?):(\d+)(?:-\d+)?""")

    /** A question as a line of HTML. */
    fun line(markdown: String): String = html(markdown) { false }.removePrefix("<p>").trimEnd().removeSuffix("</p>")

    /** A question as plain text: the marks of code are of no use where nothing is set in another font. */
    fun plain(markdown: String): String = markdown.replace("`", "")

    /** [isSource] says whether a path is one of the project's files. */
    fun html(markdown: String, isSource: (String) -> Boolean): String {
        val document = parser.parse(markdown)
        document.accept(Safe(isSource))
        return renderer.render(document)
    }

    /** Blocks of code whose long lines wrap: Swing's `pre` would make the whole page as wide as they are. */
    private class CodeBlocks(private val writer: HtmlWriter) : NodeRenderer {
        override fun getNodeTypes(): Set<Class<out Node>> =
            setOf(FencedCodeBlock::class.java, IndentedCodeBlock::class.java)

        override fun render(node: Node) {
            writer.raw(codeBlock(if (node is FencedCodeBlock) node.literal else (node as IndentedCodeBlock).literal))
        }
    }

    private class Safe(private val isSource: (String) -> Boolean) : AbstractVisitor() {
        override fun visit(image: Image) {
            visitChildren(image)
            image.replaceBy(Text("[" + textOf(image).ifEmpty { image.destination } + "]"))
        }

        override fun visit(link: Link) {
            visitChildren(link)
            val text = textOf(link)
            link.replaceBy(
                Text(
                    if (link.destination in text || text.isEmpty()) link.destination else "$text (${link.destination})",
                ),
            )
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
    val href: String get() = "$SCHEME:" + URLEncoder.encode(path, Charsets.UTF_8) + (line?.let { "#$it" } ?: "")

    companion object {
        /** Of links that lead to a file of the project: the only ones of a page. */
        const val SCHEME: String = "source"

        /** The place that a link leads to, or `null` for a link of another kind. */
        fun of(href: String?): SourceLink? {
            if (href == null || !href.startsWith("$SCHEME:")) return null
            val path = href.removePrefix("$SCHEME:").substringBefore('#')
            return SourceLink(URLDecoder.decode(path, Charsets.UTF_8), href.substringAfter('#', "").toIntOrNull())
        }
    }
}

/** Lines of code as HTML. */
internal fun codeBlock(code: String): String =
    code.trimEnd('\n').lines().joinToString("<br>", "<p><code>", "</code></p>") { line ->
        val indent = line.takeWhile { it == ' ' || it == '\t' }
        "&nbsp;".repeat(indent.length) + escaped(line.drop(indent.length))
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
