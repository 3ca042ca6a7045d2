package dev.ouro.view.base

import java.awt.event.ComponentAdapter
import java.awt.event.ComponentEvent
import javax.swing.JTable
import javax.swing.table.TableColumn

/** Shows as many columns of a table as there is room for: a tool window is often narrow. */
internal class FittingColumns<R>(private val table: JTable, private val columns: List<RowsModel.Column<R>>) :
    ComponentAdapter() {
    private var shown: List<Int> = emptyList()

    init {
        table.autoCreateColumnsFromModel = false
        table.autoResizeMode = JTable.AUTO_RESIZE_SUBSEQUENT_COLUMNS
        table.addComponentListener(this)
        fit()
    }

    override fun componentResized(event: ComponentEvent) = fit()

    /** Only takes columns away or puts them back when it has to, so that the user's own widths and order stay. */
    fun fit() {
        val wanted = wanted(table.width)
        if (wanted == shown) return
        shown = wanted
        val model = table.columnModel
        while (model.columnCount > 0) model.removeColumn(model.getColumn(0))
        wanted.forEach { index ->
            val column = columns[index]
            model.addColumn(
                TableColumn(index).apply {
                    identifier = index
                    headerValue = column.title
                    preferredWidth = width(column)
                    if (column.sample != null) maxWidth = 2 * width(column)
                },
            )
        }
    }

    private fun wanted(width: Int): List<Int> {
        val all = columns.indices.toMutableList()
        if (width <= 0) return all
        while (all.size > 1 && all.sumOf { width(columns[it]) } > width) {
            all.remove(
                all.filter { it > 0 }.maxBy { columns[it].rank },
            )
        }
        return all
    }

    private fun width(column: RowsModel.Column<R>): Int {
        val metrics = table.getFontMetrics(table.font)
        if (column.sample == null) return metrics.charWidth('n') * FLEXIBLE_CHARS
        return maxOf(metrics.stringWidth(column.sample), metrics.stringWidth(column.title)) + 2 * table.unit
    }

    private companion object {
        /** As many characters as tell one question from another. */
        const val FLEXIBLE_CHARS = 24
    }
}
