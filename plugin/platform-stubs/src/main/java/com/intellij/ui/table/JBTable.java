package com.intellij.ui.table;

import javax.swing.JTable;
import javax.swing.table.TableModel;

/** Stands for platform/platform-api/src/com/intellij/ui/table/JBTable.java. */
public class JBTable extends JTable {
    public JBTable(TableModel model) {
        throw new UnsupportedOperationException();
    }

    public void setShowGrid(boolean showGrid) {
        throw new UnsupportedOperationException();
    }
}
