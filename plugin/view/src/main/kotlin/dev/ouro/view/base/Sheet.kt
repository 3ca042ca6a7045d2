package dev.ouro.view.base

import java.awt.BorderLayout
import java.awt.Dimension
import java.awt.Rectangle
import javax.swing.JComponent
import javax.swing.JPanel
import javax.swing.Scrollable

/** A scrolled page that is as wide as its window, so that texts wrap instead of running out of sight. */
internal class Sheet(content: JComponent) :
    JPanel(BorderLayout()),
    Scrollable {
    init {
        add(content)
    }

    override fun getPreferredScrollableViewportSize(): Dimension = preferredSize

    override fun getScrollableUnitIncrement(visible: Rectangle, orientation: Int, direction: Int): Int = 2 * unit

    override fun getScrollableBlockIncrement(visible: Rectangle, orientation: Int, direction: Int): Int = visible.height

    override fun getScrollableTracksViewportWidth(): Boolean = true

    override fun getScrollableTracksViewportHeight(): Boolean = (parent?.height ?: 0) > preferredSize.height
}
