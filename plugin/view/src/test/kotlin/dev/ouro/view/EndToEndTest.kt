package dev.ouro.view

import dev.ouro.bridge.EngineSettings
import dev.ouro.bridge.EvolutionConfig
import dev.ouro.bridge.EvolutionEngine
import dev.ouro.view.Stage.Companion.wait
import kotlinx.coroutines.runBlocking
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Assumptions.assumeTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir
import java.nio.file.Path
import java.util.Locale
import javax.swing.JTable
import kotlin.io.path.createDirectories
import kotlin.io.path.writeText
import kotlin.time.Duration.Companion.seconds

/** The real engine learns a project, and the tool window shows it. */
class EndToEndTest {
    @Test
    fun `what the native engine learns stands in the table, in the page and in the picture`(@TempDir folder: Path) {
        assumeTrue(
            !System.getProperty("ouro.native.dir").isNullOrEmpty(),
            "no native library: run `cargo xtask test --only jvm`",
        )
        Theme.LIGHT.install(Locale.ENGLISH)
        val project = folder.resolve("shop").createDirectories()
        project.resolve("Cart.java").writeText(CART)
        val engine = runBlocking {
            EvolutionEngine.open(
                project,
                EngineSettings(EvolutionConfig(enabled = true, intervalMs = 0)),
                dataDir = folder.resolve("data"),
            )
        }
        engine.use {
            Stage(BridgeEngine(engine)).use { stage ->
                wait(stage.view.records.state) { it.notice != null }
                val learned = runBlocking {
                    engine.start(iterations = 2)
                    engine.awaitEnd(30.seconds)
                    engine.records()
                }
                assertTrue(learned.isNotEmpty())
                val rows = wait(stage.view.records.state) { it.rows.size == learned.size }.rows
                assertTrue(
                    rows.any { "Cart" in it.question || "shop" in it.question },
                    rows.map { it.question }.toString(),
                )
                val panel = stage.records(select = 0)
                assertTrue("Cart.java" in stage.view.records.detail.value.html)
                val before = Painter.paint(stage.failures(), WIDE, WIDE)
                assertEquals(rows.size, find<JTable>(panel).rowCount)
                assertTrue(colours(Painter.paint(panel, WIDE, WIDE)) > colours(before), "the record was not painted")
            }
        }
        EvolutionEngine.shutdown()
    }

    private fun colours(image: java.awt.image.BufferedImage): Int =
        image.getRGB(0, 0, image.width, image.height, null, 0, image.width).distinct().size

    private companion object {
        const val WIDE = 480
        val CART = """
            package shop;

            /** The items that a customer is about to buy. */
            public class Cart {
                private int total;

                /** Adds an item's price, in cents. */
                public void add(int cents) {
                    if (cents < 0) throw new IllegalArgumentException("a price is never negative");
                    total += cents;
                }

                /** The sum of all prices, in cents. */
                public int total() {
                    return total;
                }
            }
        """.trimIndent()
    }
}
