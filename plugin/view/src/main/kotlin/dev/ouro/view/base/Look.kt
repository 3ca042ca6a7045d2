package dev.ouro.view.base

import java.awt.Color
import java.awt.Component
import java.awt.Font
import java.awt.Insets
import javax.swing.JComponent
import javax.swing.JLabel
import javax.swing.SwingConstants
import javax.swing.UIManager
import javax.swing.border.AbstractBorder
import kotlin.math.pow
import kotlin.math.roundToInt

/**
 * The half of the height of a line in the component's font: the unit of all spaces, so that they grow with the font.
 */
internal val Component.unit: Int get() = font?.let { (getFontMetrics(it).height / 2.0).roundToInt() } ?: FALLBACK_UNIT

private const val FALLBACK_UNIT = 8

/** Empty space in [unit]s of the component's font. */
internal class Space(
    private val top: Double,
    private val left: Double = top,
    private val bottom: Double = top,
    private val right: Double = left,
) : AbstractBorder() {
    override fun getBorderInsets(component: Component, insets: Insets): Insets {
        val unit = component.unit
        insets.set(
            (top * unit).roundToInt(),
            (left * unit).roundToInt(),
            (bottom * unit).roundToInt(),
            (right * unit).roundToInt(),
        )
        return insets
    }
}

/**
 * The colours of the theme; each falls back to one that every look has. Where a theme's own are too faint for a text,
 * they are mixed with the colour of texts until they can be read.
 */
internal object Palette {
    val text: Color get() = color("Label.foreground") ?: Color.BLACK
    val muted: Color get() = legible(color("Label.infoForeground", "Label.disabledForeground"))
    val line: Color get() = color("Component.borderColor", "Separator.foreground") ?: muted
    val accent: Color get() = color("ProgressBar.foreground", "Component.focusColor") ?: text
    val link: Color
        get() = legible(color("Component.linkColor", "Hyperlink.linkColor", "Link.activeForeground") ?: accent)
    val error: Color
        get() = legible(color("Label.errorForeground", "Actions.Red", "Component.error.focusedBorderColor"))

    /** The contrast of two colours as WCAG 2 defines it, from 1 to 21. */
    fun contrast(one: Color, other: Color): Double {
        val (dark, light) = listOf(luminance(one), luminance(other)).sorted()
        return (light + 0.05) / (dark + 0.05)
    }

    private fun color(vararg keys: String): Color? = keys.firstNotNullOfOrNull { UIManager.getColor(it) }

    private fun legible(color: Color?): Color {
        val ground = color("Panel.background")
        if (color == null || ground == null) return color ?: text
        // On a dark ground a colour glows before it pales.
        val vivid = if (luminance(ground) < luminance(text)) brightest(color) else color
        return (between(color, vivid) + between(vivid, text))
            .firstOrNull { contrast(it, ground) >= LEAST_CONTRAST } ?: text
    }

    private fun brightest(color: Color): Color {
        val most = maxOf(color.red, color.green, color.blue, 1)
        return Color(color.red * FULL / most, color.green * FULL / most, color.blue * FULL / most)
    }

    private fun between(one: Color, other: Color): List<Color> =
        (0 until STEPS).map { mixed(one, other, it / STEPS.toDouble()) }

    private fun mixed(one: Color, other: Color, share: Double): Color {
        fun channel(of: (Color) -> Int) = (of(one) * (1 - share) + of(other) * share).roundToInt()
        return Color(channel(Color::getRed), channel(Color::getGreen), channel(Color::getBlue))
    }

    private fun luminance(color: Color): Double {
        fun linear(channel: Int): Double {
            val value = channel / 255.0
            return if (value <= 0.04045) value / 12.92 else ((value + 0.055) / 1.055).pow(2.4)
        }
        return 0.2126 * linear(color.red) + 0.7152 * linear(color.green) + 0.0722 * linear(color.blue)
    }

    /** What WCAG 2 asks for of texts at its level AA. */
    const val LEAST_CONTRAST = 4.5

    private const val STEPS = 10
    private const val FULL = 255
}

/** How much something needs the user's eye. */
public enum class Tone {
    /** As text is. */
    PLAIN,

    /** Less than text. */
    MUTED,

    /** Something is wrong. */
    ERROR,
}

internal val Tone.color: Color
    get() = when (this) {
        Tone.PLAIN -> Palette.text
        Tone.MUTED -> Palette.muted
        Tone.ERROR -> Palette.error
    }

/** A label that follows the theme: its colour is looked up when it is painted with another look. */
internal open class ToneLabel(
    text: String = "",
    tone: Tone = Tone.PLAIN,
    private val scale: Double = 1.0,
    private val bold: Boolean = false,
) : JLabel(text, SwingConstants.LEADING) {
    var tone: Tone = tone
        set(value) {
            field = value
            foreground = value.color
        }

    init {
        putClientProperty(HTML_DISABLED, true)
        restyle()
    }

    override fun updateUI() {
        super.updateUI()
        @Suppress("SENSELESS_COMPARISON", "UNNECESSARY_SAFE_CALL")
        if (tone != null) restyle()
    }

    private fun restyle() {
        foreground = tone.color
        val base = UIManager.getFont("Label.font") ?: return
        font = base.deriveFont(if (bold) Font.BOLD else Font.PLAIN, (base.size2D * scale).toFloat())
    }
}

/** The key under which Swing keeps that a text is shown as it is, even if it begins as HTML does. */
internal const val HTML_DISABLED: String = "html.disable"

/** Sets [text] and what a screen reader says of it. */
internal fun JLabel.say(text: String) {
    this.text = text
    toolTipText = text.takeIf { it.isNotEmpty() }
}

/** Names a component for screen readers. */
internal fun <T : JComponent> T.named(name: String, description: String? = null): T = apply {
    accessibleContext.accessibleName = name
    description?.let { accessibleContext.accessibleDescription = it }
}
