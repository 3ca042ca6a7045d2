package dev.ouro.view.base

import java.awt.Component
import java.awt.Container
import java.awt.Dimension
import java.awt.LayoutManager

/**
 * Puts components beside each other, and into further rows where a row is full; unlike `FlowLayout` it asks for their
 * height.
 */
internal class WrapLayout : LayoutManager {
    override fun addLayoutComponent(name: String?, component: Component?): Unit = Unit

    override fun removeLayoutComponent(component: Component?): Unit = Unit

    override fun preferredLayoutSize(parent: Container): Dimension {
        val width = if (parent.width > 0) parent.width else Int.MAX_VALUE
        return arrange(parent, width) { _, _, _ -> }
    }

    override fun minimumLayoutSize(parent: Container): Dimension {
        val widest = parent.components.filter(Component::isVisible).maxOfOrNull { it.preferredSize.width } ?: 0
        return Dimension(widest, preferredLayoutSize(parent).height)
    }

    override fun layoutContainer(parent: Container) {
        arrange(parent, parent.width) { component, x, y ->
            val size = component.preferredSize
            component.setBounds(x, y, size.width, size.height)
        }
    }

    private fun arrange(parent: Container, width: Int, place: (Component, Int, Int) -> Unit): Dimension {
        val insets = parent.insets
        val gap = parent.unit / 2
        var x = insets.left
        var y = insets.top
        var row = 0
        var widest = 0
        for (component in parent.components.filter(Component::isVisible)) {
            val size = component.preferredSize
            if (x > insets.left && x + size.width > width - insets.right) {
                x = insets.left
                y += row + gap
                row = 0
            }
            place(component, x, y)
            x += size.width + gap
            row = maxOf(row, size.height)
            widest = maxOf(widest, x - gap)
        }
        return Dimension(widest + insets.right, y + row + insets.bottom)
    }
}
