package dev.ouro.view

import dev.ouro.view.base.Components
import dev.ouro.view.base.HtmlView
import dev.ouro.view.base.Messages
import dev.ouro.view.base.Palette
import dev.ouro.view.base.SourceLink
import dev.ouro.view.base.EngineState
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertNotNull
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.BeforeEach
import org.junit.jupiter.api.Test
import java.awt.Color
import java.awt.Component
import java.awt.Container
import java.util.Locale
import javax.swing.AbstractButton
import javax.swing.JComponent
import javax.swing.JTable
import javax.swing.JTextField
import javax.swing.KeyStroke
import javax.swing.UIManager
import javax.swing.event.HyperlinkEvent
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
            val panel = stage.records(select = 2)
            val record = checkNotNull(stage.view.records.detail.value.record)
            press(panel, "F4")
            val place = record.sourceFiles.first()
            assertEquals("open ${place.path}:${place.startLine}", stage.host.calls.single())
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
                HyperlinkEvent(view, HyperlinkEvent.EventType.ACTIVATED, null, "http://example.org")
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

    private fun press(panel: JComponent, key: String) {
        val name = panel.getInputMap(JComponent.WHEN_ANCESTOR_OF_FOCUSED_COMPONENT).get(KeyStroke.getKeyStroke(key))
        val action = assertNotNullAction(panel, name)
        onUi { action.actionPerformed(null) }
    }

    private fun assertNotNullAction(panel: JComponent, name: Any?) = panel.actionMap[name].also { assertNotNull(it) }

    private fun JComponent.isNamed() = !accessibleContext.accessibleName.isNullOrBlank()
}
