package dev.ouro.view.overview

import dev.ouro.view.base.Formats
import dev.ouro.view.base.Messages
import dev.ouro.view.base.Palette
import dev.ouro.view.base.named
import dev.ouro.view.base.unit
import java.awt.Dimension
import java.awt.Graphics
import java.awt.event.MouseEvent
import javax.accessibility.AccessibleContext
import javax.accessibility.AccessibleRole
import javax.swing.JComponent
import javax.swing.ToolTipManager
import javax.swing.UIManager

/** A bar for each day's records. */
internal class RecordsChart(private val messages: Messages, private val formats: Formats) : JComponent() {
    private var days: List<DayCount> = emptyList()

    init {
        updateUI()
        ToolTipManager.sharedInstance().registerComponent(this)
    }

    override fun updateUI() {
        font = UIManager.getFont("Label.font")
    }

    fun render(days: List<DayCount>) {
        if (days == this.days) return
        this.days = days
        named(
            messages.text("overview.chart"),
            days
                .filter { it.count > 0 }
                .joinToString { messages.text("overview.chart.day", formats.shortDay(it.day), it.count) },
        )
        repaint()
    }

    override fun getPreferredSize(): Dimension = Dimension(DAYS_WIDE * unit, LINES_HIGH * unit)

    override fun getMinimumSize(): Dimension = Dimension(unit, LINES_HIGH * unit)

    override fun getToolTipText(event: MouseEvent): String? =
        days.getOrNull(event.x * days.size / width.coerceAtLeast(1))
            ?.let { messages.text("overview.chart.day", formats.shortDay(it.day), it.count) }

    override fun paintComponent(g: Graphics) {
        if (days.isEmpty()) return
        val metrics = g.getFontMetrics(font)
        g.font = font
        val bottom = height - metrics.height
        val top = metrics.height
        val max = days.maxOf(DayCount::count).coerceAtLeast(1)
        val slot = width.toDouble() / days.size
        val gap = (slot / GAP_SHARE).toInt()
        g.color = Palette.line
        g.drawLine(0, bottom, width, bottom)
        days.forEachIndexed { index, day ->
            val left = (index * slot).toInt()
            val bar = ((index + 1) * slot).toInt() - left - gap
            if (day.count > 0) {
                // Few records beside many are still some.
                val high = ((bottom - top) * day.count / max).coerceAtLeast(1)
                g.color = Palette.accent
                g.fillRect(left, bottom - high, bar, high)
                val label = day.count.toString()
                g.color = Palette.muted
                if (metrics.stringWidth(label) <= slot) {
                    g.drawString(label, left + (bar - metrics.stringWidth(label)) / 2, bottom - high - metrics.descent)
                }
            }
        }
        g.color = Palette.muted
        val first = formats.shortDay(days.first().day)
        val last = formats.shortDay(days.last().day)
        val baseline = height - metrics.descent
        g.drawString(first, 0, baseline)
        if (metrics.stringWidth(first + last) < width) g.drawString(last, width - metrics.stringWidth(last), baseline)
    }

    override fun getAccessibleContext(): AccessibleContext {
        if (accessibleContext == null) {
            accessibleContext = object : AccessibleJComponent() {
                override fun getAccessibleRole(): AccessibleRole = AccessibleRole.PANEL
            }
        }
        return accessibleContext
    }

    private companion object {
        const val DAYS_WIDE = 30
        const val LINES_HIGH = 9
        const val GAP_SHARE = 5
    }
}
