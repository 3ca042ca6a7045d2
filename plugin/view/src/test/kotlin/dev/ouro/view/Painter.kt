package dev.ouro.view

import java.awt.Component
import java.awt.Container
import java.awt.RenderingHints
import java.awt.event.ComponentEvent
import java.awt.image.BufferedImage
import java.awt.image.DataBuffer
import java.awt.image.IndexColorModel
import java.io.File
import javax.imageio.ImageIO
import javax.swing.JComponent
import javax.swing.JTable
import javax.swing.SwingUtilities
import javax.swing.UIManager
import kotlin.math.abs

/** Paints components without a screen, and compares the pictures with those that were looked at. */
object Painter {
    /** `docs/images` at the root of the repository. */
    private val folder = File(System.getProperty("ouro.pictures", "../../docs/images")).canonicalFile
    private val bless = System.getenv("OURO_BLESS") == "1"

    fun paint(component: JComponent, width: Int, height: Int): BufferedImage {
        val image = BufferedImage(width, height, BufferedImage.TYPE_INT_RGB)
        SwingUtilities.invokeAndWait {
            component.setSize(width, height)
            // Wrapped texts know their height once they know their width.
            repeat(LAYOUT_PASSES) {
                layOut(component)
                all(component).filterIsInstance<JTable>().forEach(::told)
            }
            val g = image.createGraphics()
            g.setRenderingHint(RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON)
            g.setRenderingHint(RenderingHints.KEY_FRACTIONALMETRICS, RenderingHints.VALUE_FRACTIONALMETRICS_OFF)
            g.color = UIManager.getColor("Panel.background")
            g.fillRect(0, 0, width, height)
            component.paint(g)
            g.dispose()
        }
        return image
    }

    /**
     * `null` when [image] looks like the picture of this name, else how it differs. With `OURO_BLESS=1` it becomes that
     * picture.
     */
    fun difference(name: String, image: BufferedImage): String? {
        val file = File(folder, "$name.png")
        if (bless) {
            folder.mkdirs()
            ImageIO.write(indexed(image), "png", file)
            return null
        }
        if (!file.exists()) return "there is no $file; look at it and run with OURO_BLESS=1"
        val golden = ImageIO.read(file)
        if (golden.width != image.width || golden.height != image.height) {
            return "$name is ${image.width}x${image.height}, not ${golden.width}x${golden.height}"
        }
        val differing = (0 until image.height).sumOf { y ->
            (0 until image.width).count { x -> distance(image.getRGB(x, y), golden.getRGB(x, y)) > SHADE }
        }
        if (differing <= image.width * image.height * SHARE) return null
        val actual = File("target/pictures/$name.png").apply { parentFile.mkdirs() }
        ImageIO.write(image, "png", actual)
        return "$name differs in $differing pixels; see ${actual.absolutePath}"
    }

    /** With a palette of the most frequent colours a picture takes a third of the space. */
    private fun indexed(image: BufferedImage): BufferedImage {
        val pixels = image.getRGB(0, 0, image.width, image.height, null, 0, image.width)
        val palette =
            pixels
                .toList()
                .groupingBy { it }
                .eachCount()
                .entries
                .sortedByDescending { it.value }
                .take(PALETTE)
                .map { it.key }
        val nearest = HashMap<Int, Int>()
        val model = IndexColorModel(8, palette.size, palette.toIntArray(), 0, false, -1, DataBuffer.TYPE_BYTE)
        val small = BufferedImage(image.width, image.height, BufferedImage.TYPE_BYTE_INDEXED, model)
        pixels.forEachIndexed { at, color ->
            val index = nearest.getOrPut(color) { palette.indices.minBy { distance(palette[it], color) } }
            small.raster.setSample(at % image.width, at / image.width, 0, index)
        }
        return small
    }

    fun layOut(component: Component) {
        component.doLayout()
        if (component is Container) component.components.forEach(::layOut)
    }

    /** Without a window nobody tells a table that it has a size now. */
    private fun told(table: JTable) = table.componentListeners.forEach {
        it.componentResized(ComponentEvent(table, ComponentEvent.COMPONENT_RESIZED))
    }

    /** The largest distance of a channel. */
    private fun distance(a: Int, b: Int): Int = (0..16 step 8).maxOf { abs((a shr it and 0xff) - (b shr it and 0xff)) }

    private const val LAYOUT_PASSES = 4
    private const val PALETTE = 256

    /** Font rasterizers round the edges of letters differently; a letter in another place or colour is far more. */
    private const val SHADE = 48
    private const val SHARE = 0.002
}
