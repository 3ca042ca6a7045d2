package dev.ouro.ide

import dev.ouro.bridge.EngineSettings
import dev.ouro.bridge.EvolutionConfig
import dev.ouro.bridge.EvolutionEngine
import dev.ouro.bridge.Tool
import dev.ouro.bridge.ToolRegistry
import dev.ouro.ide.code.PsiProject
import dev.ouro.ide.loop.BridgeEngine
import dev.ouro.ide.loop.IdeSignals
import dev.ouro.ide.loop.LoopSettings
import dev.ouro.ide.loop.ProjectLoop
import dev.ouro.ide.tools.CallChainTool
import dev.ouro.ide.tools.CallResolver
import dev.ouro.ide.tools.ExpertConsultTool
import dev.ouro.ide.tools.FindFileTool
import dev.ouro.ide.tools.GrepFileTool
import dev.ouro.ide.tools.NativeTools
import dev.ouro.ide.tools.ReadFileTool
import dev.ouro.view.OuroView
import dev.ouro.view.Painter
import dev.ouro.view.TestComponents
import dev.ouro.view.Theme
import dev.ouro.view.all
import dev.ouro.view.base.EngineState
import dev.ouro.view.base.Host
import dev.ouro.view.base.Messages
import dev.ouro.view.find
import dev.ouro.view.onUi
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.flow.MutableStateFlow
import kotlinx.coroutines.flow.StateFlow
import kotlinx.coroutines.flow.emptyFlow
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import kotlinx.coroutines.yield
import kotlinx.serialization.json.JsonObject
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir
import java.awt.image.BufferedImage
import java.nio.file.Path
import java.util.Locale
import java.util.concurrent.CopyOnWriteArrayList
import javax.swing.JComponent
import javax.swing.JEditorPane
import javax.swing.JLabel
import javax.swing.JTable
import javax.swing.UIManager
import javax.swing.event.CaretListener
import javax.swing.text.JTextComponent
import kotlin.io.path.createDirectories
import kotlin.io.path.writeText
import kotlin.time.Duration.Companion.seconds

/** The IDE's tools on syntax trees of Java and Kotlin, the real engine, its loop, and the panels over it. */
internal class EndToEndTest {
    @TempDir
    lateinit var folder: Path

    private val sources = mapOf(
        "shop/Order.java" to """
            package shop;
            /** An order of a customer, with what it costs. */
            public class Order {
                private final Price price = new Price();
                /** The price of so many items. */
                public int total(int count) { return price.of(count); }
                /** The price of one item. */
                public int total() { return total(1); }
            }
        """.trimIndent(),
        "shop/Price.java" to """
            package shop;
            /** What an item costs. */
            public class Price {
                /** The price of so many. */
                int of(int count) {
                    if (count < 0) throw new IllegalArgumentException("no such count");
                    return count * 3;
                }
            }
        """.trimIndent(),
        "shop/Cart.kt" to """
            package shop

            /** What a customer is about to buy. */
            class Cart {
                /** Pays for everything in the cart. */
                fun checkout(): Int = Order().total(2)
            }
        """.trimIndent(),
    )

    /** Writes down which tools were called and what they said. */
    private class Noted(private val tool: Tool, private val notes: MutableList<String>) : Tool by tool {
        override suspend fun call(arguments: JsonObject) =
            tool.call(arguments).also { notes += "${tool.name} $arguments: ${it.summary}" }
    }

    private object Signals : IdeSignals {
        override val powerSave = MutableStateFlow(false)
        override val indexing = MutableStateFlow(false)
        override val typing = emptyFlow<Unit>()
        override val fileChanges = emptyFlow<Unit>()

        override suspend fun awaitSmartMode() = Unit
    }

    private class PanelHost(private val loop: ProjectLoop) : Host {
        override val engine: StateFlow<EngineState> get() = loop.state

        override fun turnOn() = Unit

        override fun start() = loop.start()

        override fun pause() = loop.pause()

        override fun runOnce() = loop.runOnce()

        override fun stop() = Unit

        override fun retry() = loop.retry()

        override fun openSettings() = Unit

        override fun openSource(path: String, line: Int?) = Unit

        override fun copy(text: String) = Unit

        override fun save(suggestedName: String, text: String) = Unit
    }

    @Test
    fun `the IDE's tools explore a project, the records are in the tool window, and closing ends everything`() =
        runBlocking {
            val root = folder.resolve("project")
            for ((path, text) in sources) root.resolve(path).also { it.parent.createDirectories() }.writeText(text)
            val notes = CopyOnWriteArrayList<String>()
            PsiProject(root).use { psi ->
                val loop = loop(root, psi, notes)
                val life = Job()
                val scope = CoroutineScope(Dispatchers.Default + life)
                val running = scope.launch { loop.run() }
                withTimeout(60.seconds) {
                    val ready = loop.state.first { it is EngineState.Ready } as EngineState.Ready
                    ready.engine.stats.first { it.totalLearningRecords >= 2 }
                }
                assertTrue(notes.any { it.startsWith("read_file") && "Price.java" in it && "unsaved" in it }, "$notes")
                assertTrue(notes.any { it.startsWith("call_chain") }, "$notes")
                assertTrue(loop.open!!.records(null, 0).all { it.sourceFiles.isNotEmpty() && it.answer.isNotBlank() })
                // From here on nothing changes under the picture.
                loop.pause()
                withTimeout(30.seconds) { shown(OuroView(scope, PanelHost(loop), MESSAGES)) }
                running.cancelAndJoin()
                assertEquals(null, loop.open)
                life.cancelAndJoin()
            }
        }

    /** The loop over the real engine, with the IDE's tools on the syntax trees of the project. */
    private fun loop(root: Path, psi: PsiProject, notes: MutableList<String>): ProjectLoop {
        lateinit var loop: ProjectLoop
        val native = NativeTools { loop.open?.nativeTool(it) }
        val price = "shop/Price.java"
        val files = psi.projectFiles(mapOf(price to sources.getValue(price) + "\n// not saved yet\n"))
        val calls = CallResolver { symbol, direction, limits -> psi.chain.follow(symbol, direction, limits) }
        val tools = listOf(
            ReadFileTool(files, native),
            GrepFileTool(files, native),
            FindFileTool(files, native),
            CallChainTool(calls, native),
            ExpertConsultTool(native),
        )
        val engine = EngineSettings(EvolutionConfig(enabled = true, intervalMs = 0))
        val settings = LoopSettings(true, engine, pauseWhileTyping = false, pauseInPowerSaveMode = false)
        loop = ProjectLoop(MutableStateFlow(settings), Signals) {
            BridgeEngine.open(root, it, ToolRegistry(tools.map { tool -> Noted(tool, notes) }), folder.resolve("data"))
        }
        return loop
    }

    /** The tool window's panels show what was learnt, as a user would see it. */
    private suspend fun shown(view: OuroView) {
        Theme.LIGHT.install(Locale.ENGLISH)
        val tabs = onUi { view.tabs(TestComponents(MESSAGES)).associate { it.id to it.component } }
        val (overview, records) = listOf("overview", "records").map(tabs::getValue)
        // A panel without a parent is on the screen as soon as it has a peer, which without a display takes no pixels.
        onUi {
            // Assistive technology asks a text where on the screen it is, and without a display there is none.
            listOf(overview, records).flatMap { all(it) }.filterIsInstance<JTextComponent>().forEach {
                it.removeCaretListener(it.accessibleContext as CaretListener)
            }
            listOf(overview, records).forEach(JComponent::addNotify)
        }
        val known = view.records.state.first { it.rows.size >= 2 }.rows
        val table = find<JTable>(records)
        awaitUi { table.rowCount >= known.size }
        val empty = Painter.paint(records, WIDE, HIGH)
        onUi { table.setRowSelectionInterval(0, 0) }
        val page = find<JEditorPane>(records)
        awaitUi { "shop/" in page.document.run { getText(0, length) } }
        val picture = Painter.paint(records, WIDE, HIGH)
        assertTrue(inked(picture, links()) > inked(empty, links()), "the picture shows no link to a source")
        awaitUi { all(overview).filterIsInstance<JLabel>().any { it.text == "Paused" } }
        assertTrue(colours(Painter.paint(overview, WIDE, HIGH)) > 1)
        assertTrue(view.status.first { it.text.isNotEmpty() }.text.startsWith("Ouro"))
        onUi { listOf(overview, records).forEach(JComponent::removeNotify) }
    }

    private suspend fun awaitUi(isSo: () -> Boolean) {
        while (!onUi(isSo)) yield()
    }

    private fun links(): Int = UIManager.getColor("Component.linkColor").rgb

    private fun inked(image: BufferedImage, colour: Int): Int = pixels(image).count { it == colour }

    private fun colours(image: BufferedImage): Int = pixels(image).distinct().size

    private fun pixels(image: BufferedImage): List<Int> =
        image.getRGB(0, 0, image.width, image.height, null, 0, image.width).asList()

    companion object {
        private val MESSAGES = Messages(Locale.ENGLISH)
        private const val WIDE = 640
        private const val HIGH = 620

        @JvmStatic
        @AfterAll
        fun `the library's threads end`() {
            EvolutionEngine.shutdown()
        }
    }
}
