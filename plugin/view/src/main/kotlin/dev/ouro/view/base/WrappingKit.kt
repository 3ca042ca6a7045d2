package dev.ouro.view.base

import javax.swing.text.Document
import javax.swing.text.Element
import javax.swing.text.Segment
import javax.swing.text.View
import javax.swing.text.ViewFactory
import javax.swing.text.html.HTMLDocument
import javax.swing.text.html.HTMLEditorKit
import javax.swing.text.html.InlineView
import javax.swing.text.html.ParagraphView
import javax.swing.text.html.StyleSheet

/**
 * Shows HTML in a style of its own, as narrow as it has to be: a path that is wider than its line is broken at a
 * separator, where Swing would make the whole page as wide as the path.
 */
internal class WrappingKit(private val sheet: StyleSheet) : HTMLEditorKit() {
    override fun createDefaultDocument(): Document {
        // The kit's own sheet is shared by the whole program.
        val styles = StyleSheet()
        styles.addStyleSheet(super.getStyleSheet())
        styles.addStyleSheet(sheet)
        return HTMLDocument(styles).apply {
            // Loaded at once, not on a thread of its own.
            asynchronousLoadPriority = -1
        }
    }

    override fun getViewFactory(): ViewFactory = Factory

    private object Factory : HTMLFactory() {
        override fun create(element: Element): View {
            val view = super.create(element)
            return when (view.javaClass) {
                InlineView::class.java -> BreakingInline(element)
                ParagraphView::class.java -> NarrowParagraph(element)
                else -> view
            }
        }
    }

    private class NarrowParagraph(element: Element) : ParagraphView(element) {
        override fun getMinimumSpan(axis: Int): Float = if (axis == X_AXIS) 0f else super.getMinimumSpan(axis)

        override fun calculateMinorAxisRequirements(
            axis: Int,
            requirements: javax.swing.SizeRequirements?,
        ): javax.swing.SizeRequirements = super.calculateMinorAxisRequirements(axis, requirements).apply { minimum = 0 }
    }

    private class BreakingInline(element: Element) : InlineView(element) {
        override fun getMinimumSpan(axis: Int): Float = if (axis == X_AXIS) 0f else super.getMinimumSpan(axis)

        override fun getBreakWeight(axis: Int, position: Float, length: Float): Int {
            if (axis != X_AXIS) return super.getBreakWeight(axis, position, length)
            val end = fitting(startOffset, position, length)
            return when {
                end == startOffset -> BadBreakWeight
                lastBreak(startOffset, end, ' ') != null -> ExcellentBreakWeight
                else -> GoodBreakWeight
            }
        }

        override fun breakView(axis: Int, offset: Int, position: Float, length: Float): View {
            if (axis != X_AXIS) return super.breakView(axis, offset, position, length)
            val end = fitting(offset, position, length)
            if (end <= offset) return this
            return createFragment(offset, lastBreak(offset, end, ' ') ?: lastBreak(offset, end, *SEPARATORS) ?: end)
        }

        private fun fitting(offset: Int, position: Float, length: Float): Int {
            checkPainter()
            return glyphPainter.getBoundedPosition(this, offset, position, length)
        }

        /** Behind the last of [separators] in this part of the text. */
        private fun lastBreak(start: Int, end: Int, vararg separators: Char): Int? {
            val text = Segment()
            document.getText(start, end - start, text)
            val index = (text.count - 1 downTo 0).firstOrNull { text[it] in separators }
            return index?.let { start + it + 1 }
        }

        private companion object {
            val SEPARATORS = charArrayOf('/', '.', ':', '_', '-', '(', ',')
        }
    }
}
