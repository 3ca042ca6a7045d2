package dev.ouro.view.base

import javax.swing.JComponent
import javax.swing.JTable
import javax.swing.KeyStroke
import javax.swing.ListSelectionModel
import javax.swing.RowSorter
import javax.swing.SortOrder
import javax.swing.table.AbstractTableModel

/** A table over an immutable list of rows that is replaced as a whole. */
internal class RowsModel<R>(private val columns: List<Column<R>>) : AbstractTableModel() {
    /**
     * A column: its title, its cell, and a sample of its widest cell. The one without a sample gets the space that is
     * left; where that is too little, the columns go whose [rank] is highest.
     */
    class Column<R>(val title: String, val sample: String? = null, val rank: Int = 0, val value: (R) -> Any)

    var rows: List<R> = emptyList()
        private set

    /** Shows other [rows], and keeps the selected one of [table] selected by its [key] if it is still there. */
    fun show(table: JTable, rows: List<R>, key: (R) -> Any) {
        if (rows === this.rows) return
        val selected = this.rows.getOrNull(table.selectedRow)?.let(key)
        this.rows = rows
        table.selectionModel.valueIsAdjusting = true
        fireTableDataChanged()
        val again = if (selected == null) -1 else rows.indexOfFirst { key(it) == selected }
        if (again >= 0) table.setRowSelectionInterval(again, again)
        table.selectionModel.valueIsAdjusting = false
    }

    override fun getRowCount(): Int = rows.size

    override fun getColumnCount(): Int = columns.size

    override fun getColumnName(column: Int): String = columns[column].title

    override fun getValueAt(row: Int, column: Int): Any = columns[column].value(rows[row])
}

/** Makes this a table to read and to select one row of; a screen reader calls it [name]. */
internal fun JTable.forReading(name: String): JTable = apply {
    selectionModel.selectionMode = ListSelectionModel.SINGLE_SELECTION
    fillsViewportHeight = true
    named(name)
    // Texts come from code, models and servers: none is markup.
    (getDefaultRenderer(Any::class.java) as? JComponent)?.putClientProperty(HTML_DISABLED, true)
    // No cell can be edited, so the key is free for the panel around the table.
    getInputMap(JComponent.WHEN_ANCESTOR_OF_FOCUSED_COMPONENT).put(KeyStroke.getKeyStroke("F2"), "none")
}

/**
 * Lets a table's header show and ask for an order that somebody else makes: rows come sorted from the view model, so
 * that ten thousand of them cost the UI thread nothing.
 */
internal class GivenOrder(private val table: RowsModel<*>, private val sortBy: (Int) -> Unit) :
    RowSorter<RowsModel<*>>() {
    private var keys: List<SortKey> = emptyList()

    fun show(column: Int, ascending: Boolean) {
        val now = listOf(SortKey(column, if (ascending) SortOrder.ASCENDING else SortOrder.DESCENDING))
        if (now == keys) return
        keys = now
        fireSortOrderChanged()
    }

    override fun toggleSortOrder(column: Int): Unit = sortBy(column)

    override fun getModel(): RowsModel<*> = table

    override fun convertRowIndexToModel(index: Int): Int = index

    override fun convertRowIndexToView(index: Int): Int = index

    override fun setSortKeys(keys: List<SortKey>?) {
        this.keys = keys.orEmpty()
    }

    override fun getSortKeys(): List<SortKey> = keys

    override fun getViewRowCount(): Int = table.rowCount

    override fun getModelRowCount(): Int = table.rowCount

    override fun modelStructureChanged(): Unit = Unit

    override fun allRowsChanged(): Unit = Unit

    override fun rowsInserted(first: Int, end: Int): Unit = Unit

    override fun rowsDeleted(first: Int, end: Int): Unit = Unit

    override fun rowsUpdated(first: Int, end: Int): Unit = Unit

    override fun rowsUpdated(first: Int, end: Int, column: Int): Unit = Unit
}
