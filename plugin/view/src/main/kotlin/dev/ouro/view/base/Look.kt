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

/** The colours of the theme; each falls back to one that every look has. */
internal object Palette {
    val text: Color get() = color("Label.foreground") ?: Color.BLACK
    val muted: Color get() = color("Label.infoForeground", "Label.disabledForeground") ?: text
    val line: Color get() = color("Component.borderColor", "Separator.foreground") ?: muted
    val accent: Color get() = color("ProgressBar.foreground", "Component.focusColor") ?: text
    val link: Color get() = color("Component.linkColor", "Hyperlink.linkColor", "Link.activeForeground") ?: accent
    val error: Color get() = color("Label.errorForeground", "Actions.Red", "Component.error.focusedBorderColor") ?: text

    private fun color(vararg keys: String): Color? = keys.firstNotNullOfOrNull { UIManager.getColor(it) }
}

/** How much something needs the user's eye. */
public enum class Tone { PLAIN, MUTED, ERROR }

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
