package dev.ouro.view.base

import java.awt.Color
import java.awt.Font
import javax.swing.JEditorPane
import javax.swing.KeyStroke
import javax.swing.UIManager
import javax.swing.event.HyperlinkEvent
import javax.swing.text.html.StyleSheet

/** Shows a page in the theme's fonts and colours. Links open sources; nothing is ever loaded from anywhere. */
internal class HtmlView(private val codeFont: () -> Font, private val openSource: (SourceLink) -> Unit) :
    JEditorPane() {
    private var page = ""

    init {
        isEditable = false
        isOpaque = false
        fill()
        putClientProperty(HONOR_DISPLAY_PROPERTIES, true)
        addHyperlinkListener { event ->
            if (event.eventType == HyperlinkEvent.EventType.ACTIVATED) SourceLink.of(event.description)?.let(openSource)
        }
        inputMap.put(KeyStroke.getKeyStroke("alt DOWN"), "next-link-action")
        inputMap.put(KeyStroke.getKeyStroke("alt UP"), "previous-link-action")
        inputMap.put(KeyStroke.getKeyStroke("ENTER"), "activate-link-action")
    }

    fun show(html: String) {
        if (html == page) return
        page = html
        fill()
    }

    override fun updateUI() {
        super.updateUI()
        @Suppress("SENSELESS_COMPARISON")
        if (page != null) fill()
    }

    private fun fill() {
        border = Space(0.5, 1.0)
        editorKit = WrappingKit(style())
        text = "<html><body>$page</body></html>"
        caretPosition = 0
    }

    override fun getScrollableTracksViewportWidth(): Boolean = true

    private fun style(): StyleSheet {
        val font = UIManager.getFont("Label.font")
        val code = codeFont()
        val size = font.size
        val sheet = StyleSheet()
        listOf(
            "body { font-family: '${font.family}'; font-size: ${size}pt; color: ${hex(Palette.text)}; margin: 0 }",
            "h2 { font-size: ${Math.round(size * 1.15f)}pt; margin: 0 0 ${size / 4} 0 }",
            "h3 { font-size: ${size}pt; margin: ${size * 2 / 3} 0 ${size / 4} 0 }",
            "h1, h4, h5, h6 { font-size: ${size}pt; margin: $size 0 ${size / 4} 0 }",
            "p { margin: ${size / 3} 0 ${size / 3} 0 }",
            "ul, ol { margin: ${size / 4} 0 ${size / 4} ${size * 2} }",
            "li { margin: 0 0 ${size / 6} 0 }",
            "code, pre { font-family: '${code.family}'; font-size: ${code.size}pt }",
            "blockquote { margin: 0 0 0 ${size * 2}; color: ${hex(Palette.muted)} }",
            "a { color: ${hex(Palette.link)}; text-decoration: none }",
            ".meta { color: ${hex(Palette.muted)} }",
            ".warning { font-weight: bold }",
            ".error { color: ${hex(Palette.error)} }",
        ).forEach(sheet::addRule)
        return sheet
    }

    private fun hex(color: Color) = "#%02x%02x%02x".format(color.red, color.green, color.blue)
}
