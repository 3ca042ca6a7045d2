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
import dev.ouro.ide.tools.FakeFiles
import dev.ouro.ide.tools.FindFileTool
import dev.ouro.ide.tools.GrepFileTool
import dev.ouro.ide.tools.NativeTools
import dev.ouro.ide.tools.ReadFileTool
import dev.ouro.view.OuroView
import dev.ouro.view.base.EngineState
import dev.ouro.view.base.Host
import dev.ouro.view.base.Messages
import dev.ouro.view.base.PlainComponents
import java.nio.file.Path
import java.util.Locale
import java.util.concurrent.CopyOnWriteArrayList
import javax.swing.SwingUtilities
import kotlin.io.path.createDirectories
import kotlin.io.path.writeText
import kotlin.time.Duration.Companion.seconds
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
import kotlinx.serialization.json.JsonObject
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir

/** The IDE's tools on a project of Java and Kotlin, the real engine, the loop that drives it, and the panels over it. */
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
                int of(int count) { if (count < 0) throw new IllegalArgumentException("no such count"); return count * 3; }
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
    fun `tools of the IDE explore a project, the records are in the tool window, and closing ends everything`() = runBlocking {
        val root = folder.resolve("project")
        for ((path, text) in sources) root.resolve(path).also { it.parent.createDirectories() }.writeText(text)
        val notes = CopyOnWriteArrayList<String>()
        PsiProject(root).use { psi ->
            lateinit var loop: ProjectLoop
            val native = NativeTools { loop.open?.nativeTool(it) }
            val unsaved = mapOf("shop/Price.java" to sources.getValue("shop/Price.java") + "\n// not saved yet\n")
            val files = FakeFiles(sources, unsaved)
            val calls = CallResolver { symbol, direction, limits -> psi.chain.follow(symbol, direction, limits) }
            val tools = listOf(
                ReadFileTool(files, native),
                GrepFileTool(files, native),
                FindFileTool(files, native),
                CallChainTool(calls, native),
                ExpertConsultTool(native),
            )
            val evolution = EvolutionConfig(enabled = true, intervalMs = 0)
            val settings = LoopSettings(true, EngineSettings(evolution), pauseWhileTyping = false, pauseInPowerSaveMode = false)
            loop = ProjectLoop(MutableStateFlow(settings), Signals) {
                val registry = ToolRegistry(tools.map { tool -> Noted(tool, notes) })
                val engine = EvolutionEngine.open(root, it, registry, folder.resolve("data"))
                BridgeEngine(engine, engine.nativeTools().associateBy(Tool::name))
            }
            val life = Job()
            val scope = CoroutineScope(Dispatchers.Default + life)
            val running = scope.launch { loop.run() }
            withTimeout(60.seconds) {
                val ready = loop.state.first { it is EngineState.Ready } as EngineState.Ready
                ready.engine.stats.first { it.totalLearningRecords >= 2 }
            }
            assertTrue(notes.any { it.startsWith("read_file") && "Price.java" in it && "unsaved" in it }, "$notes")
            val messages = Messages(Locale.ENGLISH)
            val view = OuroView(scope, PanelHost(loop), messages)
            show(view, messages)
            assertTrue(loop.open!!.records(null, 0).all { it.sourceFiles.isNotEmpty() && it.answer.isNotBlank() })
            running.cancelAndJoin()
            assertEquals(null, loop.open)
            life.cancelAndJoin()
        }
    }

    /** Waits until the models of the tool window show the records and what they rest on. */
    private suspend fun show(view: OuroView, messages: Messages): Unit = withTimeout(30.seconds) {
        SwingUtilities.invokeAndWait { assertEquals(5, view.tabs(PlainComponents(messages)).size) }
        val rows = view.records.state.first { it.rows.size >= 2 }.rows
        view.records.select(rows.first().id)
        val page = view.records.detail.first { it.record?.id == rows.first().id }
        assertTrue("shop/" in page.html && rows.first().question.split(" ").first() in page.html, page.html)
        val overview = view.overview.state.first { it.recordsPerDay.sumOf { day -> day.count } >= 2 }
        assertEquals(null, overview.notice)
        assertTrue(view.status.first { it.text.isNotEmpty() }.text.startsWith("Ouro"))
    }

    companion object {
        @JvmStatic
        @AfterAll
        fun `the library's threads end`() {
            EvolutionEngine.shutdown()
        }
    }
}
