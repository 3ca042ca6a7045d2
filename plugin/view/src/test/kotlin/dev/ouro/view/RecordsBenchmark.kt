package dev.ouro.view

import dev.ouro.view.base.EngineState
import dev.ouro.view.records.RecordColumn
import dev.ouro.view.records.RecordsPanel
import java.awt.Rectangle
import java.awt.image.BufferedImage
import java.lang.management.ManagementFactory
import java.util.Locale
import javax.swing.JComponent
import javax.swing.JTable
import javax.swing.SwingUtilities

/**
 * Measures what ten thousand records cost the UI thread: `java -cp ... dev.ouro.view.RecordsBenchmarkKt`. The user
 * guide's developers' part says how to run it and what it gave.
 */
fun main() {
    Theme.LIGHT.install(Locale.ENGLISH)
    val engine = MemoryEngine(Recorded.ENGLISH, many(Recorded.ENGLISH.records, ROWS))
    Stage(EngineState.Ready(engine)).use { stage ->
        val model = stage.view.records
        val panel = stage.records(select = 1) as RecordsPanel
        val shown = Stage.wait(model.state) { it.rows.size == ROWS && "…" !in it.summary }
        Painter.paint(panel, WIDE, HIGH)
        val table = find<JTable>(panel)
        val image = BufferedImage(WIDE, HIGH, BufferedImage.TYPE_INT_RGB)

        report("show all rows, sorted otherwise") { round ->
            val rows = if (round % 2 == 0) shown.rows.reversed() else shown.rows
            time { panel.render(shown.copy(rows = rows)) }
        }
        report("show a page (a record of 2,000 characters)") { round ->
            val record = engine.records[round % 40]
            model.select(record.id)
            val detail = Stage.wait(model.detail) { it.record?.id == record.id }
            time { panel.render(detail) }
        }
        report("paint the whole tab") { time { paint(panel, image) } }
        report("paint after scrolling the table by a page") { round ->
            time {
                table.scrollRectToVisible(Rectangle(0, round * HIGH % table.height, 1, HIGH / 2))
                paint(panel, image)
            }
        }
        report("off the UI thread: filter and sort") { round ->
            val column = RecordColumn.entries[round % RecordColumn.entries.size]
            val start = System.nanoTime()
            model.sortBy(column)
            Stage.wait(model.state) { it.column == column }
            System.nanoTime() - start
        }
    }
    System.exit(0)
}

private fun report(what: String, once: (Int) -> Long) {
    repeat(WARM_UP) { once(it) }
    val times = LongArray(ROUNDS) { once(it) }.sorted()
    fun ms(share: Double) = "%.1f".format(times[((ROUNDS - 1) * share).toInt()] / 1e6)
    println("%-45s median %6s ms, 95 %% %6s ms, most %6s ms".format(what, ms(0.5), ms(0.95), ms(1.0)))
}

private fun time(work: () -> Unit): Long {
    var took = 0L
    SwingUtilities.invokeAndWait {
        // What the thread worked, not what it waited for others: the machine may have more to do.
        val start = THREADS.currentThreadCpuTime
        work()
        took = THREADS.currentThreadCpuTime - start
    }
    return took
}

private fun paint(panel: JComponent, image: BufferedImage) {
    val g = image.createGraphics()
    panel.paint(g)
    g.dispose()
}

private val THREADS = ManagementFactory.getThreadMXBean()

private const val ROWS = 10_000
private const val WIDE = 640
private const val HIGH = 620
private const val WARM_UP = 40
private const val ROUNDS = 100
