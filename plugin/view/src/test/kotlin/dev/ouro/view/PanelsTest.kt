package dev.ouro.view

import dev.ouro.view.ask.AskPanel
import dev.ouro.view.ask.AskState
import dev.ouro.view.base.Components
import dev.ouro.view.base.EngineState
import dev.ouro.view.base.Formats
import dev.ouro.view.base.HtmlView
import dev.ouro.view.base.Messages
import dev.ouro.view.base.Notice
import dev.ouro.view.base.Palette
import dev.ouro.view.base.SourceLink
import dev.ouro.view.base.ToneLabel
import dev.ouro.view.base.say
import dev.ouro.view.overview.DayCount
import dev.ouro.view.overview.RecordsChart
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.BeforeEach
import org.junit.jupiter.api.Test
import java.awt.Color
import java.awt.Component
import java.awt.Container
import java.awt.event.KeyEvent
import java.util.Locale
import javax.swing.AbstractButton
import javax.swing.JComponent
import javax.swing.JLabel
import javax.swing.JTable
import javax.swing.JTextField
import javax.swing.KeyStroke
import javax.swing.SwingUtilities
import javax.swing.UIManager
import javax.swing.event.HyperlinkEvent
import javax.swing.plaf.basic.BasicHTML
import javax.swing.text.JTextComponent

/** What the panels do with keys, screen readers, links and long texts. */
class PanelsTest {
    @BeforeEach
    fun look() = Theme.LIGHT.install(Locale.ENGLISH)

    @Test
    fun `a screen reader has a name for everything that can have the focus`() {
        Stage(MemoryEngine(Recorded.ENGLISH)).use { stage ->
            val panels = onUi { stage.view.tabs(TestComponents(stage.messages)) }.map { it.component }
            val nameless = panels.flatMap(::all).filter { it is AbstractButton || it is JTable || it is JTextComponent }
                .filter { it.isFocusable && it !is javax.swing.plaf.UIResource && it.parent !is javax.swing.JScrollBar }
                .filter { (it as JComponent).isNamed().not() }
            assertEquals(emptyList<Component>(), nameless)
        }
    }

    @Test
    fun `every text can be read in both themes`() {
        for (theme in Theme.entries) {
            theme.install(Locale.ENGLISH)
            val ground = UIManager.getColor("Panel.background")
            for ((name, color) in mapOf("muted" to Palette.muted, "link" to Palette.link, "error" to Palette.error)) {
                val contrast = Palette.contrast(color, ground)
                assertTrue(contrast >= Palette.LEAST_CONTRAST, "$theme: $name has $contrast")
            }
        }
        assertEquals(21.0, Palette.contrast(Color.BLACK, Color.WHITE), 0.01)
    }

    @Test
    fun `turning on asks, and a project that is learnt starts`() {
        Stage(EngineState.Off(MemoryEngine(Recorded.ENGLISH))).use { stage ->
            val buttons = all(stage.overview()).filterIsInstance<AbstractButton>()
            val shown = buttons.filter { it.isVisible && !it.text.isNullOrEmpty() }
            assertEquals(listOf("Turn On Learning", "Pause", "Run Once", "Stop"), shown.map { it.text })
            onUi { shown.forEach { it.doClick() } }
            assertEquals(listOf("turn on"), stage.host.calls)
        }
    }

    @Test
    fun `the keys of the selected record work from the whole tab`() {
        val engine = MemoryEngine(Recorded.ENGLISH)
        Stage(engine).use { stage ->
            val corrected = ArrayList<String>()
            val asking = object : Components by TestComponents(stage.messages) {
                override fun editText(parent: JComponent, title: String, text: String, verb: String): String? {
                    corrected += text
                    return null
                }
            }
            val panel = stage.records(select = 2, widgets = asking)
            val record = checkNotNull(stage.view.records.detail.value.record)
            press(panel, "F4")
            val place = record.sourceFiles.first()
            assertEquals("open ${place.path}:${place.startLine}", stage.host.calls.single())
            press(panel, "F2")
            assertEquals(listOf(record.effectiveAnswer), corrected)
            press(panel, "ctrl shift P")
            assertTrue(checkNotNull(Stage.wait(stage.view.records.detail) { it.record?.pinned == true }.record).pinned)
        }
    }

    @Test
    fun `deleting asks first`() {
        val engine = MemoryEngine(Recorded.ENGLISH)
        Stage(engine).use { stage ->
            val asked = ArrayList<String>()
            val refusing = object : Components by TestComponents(stage.messages) {
                override fun confirm(parent: JComponent, title: String, question: String, verb: String): Boolean {
                    asked += title
                    return false
                }
            }
            val panel = stage.records(select = 0, widgets = refusing)
            press(panel, "DELETE")
            assertEquals(listOf("Delete Record"), asked)
            assertEquals(Recorded.ENGLISH.records.size, engine.records.size)
        }
    }

    @Test
    fun `a link of a page opens its file and line`() {
        val opened = ArrayList<SourceLink>()
        val view = onUi { HtmlView({ TestComponents(Messages(Locale.ENGLISH)).codeFont }, opened::add) }
        val link = SourceLink("src/a.rs", 7)
        onUi { view.fireHyperlinkUpdate(HyperlinkEvent(view, HyperlinkEvent.EventType.ACTIVATED, null, link.href)) }
        onUi {
            view.fireHyperlinkUpdate(
                HyperlinkEvent(view, HyperlinkEvent.EventType.ACTIVATED, null, "http://example.org"),
            )
        }
        assertEquals(listOf(link), opened)
    }

    @Test
    fun `a page is never wider than its window, however long a path is`() {
        val view = onUi { HtmlView({ TestComponents(Messages(Locale.ENGLISH)).codeFont }) {} }
        onUi {
            view.show("<p>See <code>" + "com/example/deeply/nested".repeat(20) + "</code> " + "x".repeat(400) + "</p>")
            view.setSize(240, 10)
        }
        val last = onUi { view.modelToView2D(view.document.length - 1) }
        assertTrue(last.maxX <= 240, "$last")
        assertTrue(last.y > 100, "the text does not wrap: $last")
    }

    @Test
    fun `a narrow table shows the question and drops what matters less`() {
        Stage(MemoryEngine(Recorded.ENGLISH)).use { stage ->
            val panel = stage.records()
            Painter.paint(panel, 260, 400)
            assertEquals(listOf("Question"), headers(panel))
            Painter.paint(panel, 300, 400)
            assertEquals(listOf("Question", "Learned"), headers(panel))
            Painter.paint(panel, 900, 400)
            assertEquals(5, headers(panel).size)
        }
    }

    @Test
    fun `no text is taken for HTML`() {
        val marked = "<html><b>Bold</b>"
        val records = Recorded.ENGLISH.records.map { it.copy(question = marked) }
        Stage(MemoryEngine(Recorded.ENGLISH, records)).use { stage ->
            val table = find<JTable>(stage.records())
            val cell = onUi { table.prepareRenderer(table.getCellRenderer(0, 0), 0, 0) as JLabel }
            assertEquals(marked, cell.text)
            assertNull(cell.getClientProperty(BasicHTML.propertyKey))
        }
        val label = onUi { ToneLabel().apply { say(marked) } }
        assertNull(label.getClientProperty(BasicHTML.propertyKey))
    }

    @Test
    fun `a question that is being typed outlasts an engine that is opened again`() {
        Stage(MemoryEngine(Recorded.ENGLISH)).use { stage ->
            val panel = stage.ask("How are records kept?") as AskPanel
            val field = find<JTextField>(panel)
            onUi {
                field.text = "And who reads"
                panel.render(AskState(notice = Notice("Getting ready", "The project is being opened.")))
                panel.render(stage.view.ask.state.value)
            }
            assertEquals("And who reads", field.text)
        }
    }

    @Test
    fun `a day of few records has a bar beside a day of many`() {
        val formats = Formats(Messages(Locale.ENGLISH), Recorded.CLOCK)
        val today = formats.day(formats.now())
        val chart = onUi { RecordsChart(Messages(Locale.ENGLISH), formats) }
        onUi { chart.render(listOf(DayCount(today.minusDays(1), 1), DayCount(today, 1_000))) }
        val picture = Painter.paint(chart, 200, 80)
        val color = UIManager.getColor("ProgressBar.foreground").rgb
        val isBar = { x: Int -> (0 until 80).any { picture.getRGB(x, it) == color } }
        assertTrue(isBar(150))
        assertTrue(isBar(50))
    }

    @Test
    fun `the arrow down leads from the search to the first row`() {
        Stage(MemoryEngine(Recorded.ENGLISH)).use { stage ->
            val panel = stage.records()
            val search = find<JTextField>(panel)
            val name = search.inputMap.get(KeyStroke.getKeyStroke("DOWN"))
            onUi { search.actionMap[name].actionPerformed(null) }
            assertEquals(0, find<JTable>(panel).selectedRow)
        }
    }

    @Test
    fun `the buttons of a notice do what they say`() {
        Stage(EngineState.Off(null)).use { stage ->
            val panel = stage.overview()
            val button = all(panel).filterIsInstance<AbstractButton>().first { it.text == "Turn On Learning" }
            onUi { button.doClick() }
            assertEquals(listOf("turn on"), stage.host.calls)
        }
    }

    private fun headers(panel: Container): List<String> =
        find<JTable>(panel).columnModel.columns.toList().map { it.headerValue.toString() }

    /** Presses a key while the focus is in the table. */
    private fun press(panel: JComponent, key: String) {
        val (stroke, table) = KeyStroke.getKeyStroke(key) to find<JTable>(panel)
        val id = KeyEvent.KEY_PRESSED
        val event = KeyEvent(table, id, 0, stroke.modifiers, stroke.keyCode, KeyEvent.CHAR_UNDEFINED)
        assertTrue(onUi { SwingUtilities.processKeyBindings(event) }, "$key does nothing")
    }

    private fun JComponent.isNamed() = !accessibleContext.accessibleName.isNullOrBlank()
}
