package dev.ouro.view.base

import java.awt.Insets
import javax.swing.JTextArea
import javax.swing.UIManager
import javax.swing.plaf.UIResource

/** Text over several lines that wraps, can be selected and copied, and is no field. It follows the theme. */
internal class ToneText(tone: Tone = Tone.PLAIN) : JTextArea() {
    var tone: Tone? = tone
        set(value) {
            field = value
            restyle()
        }

    init {
        isEditable = false
        isOpaque = false
        lineWrap = true
        wrapStyleWord = true
        restyle()
    }

    override fun updateUI() {
        super.updateUI()
        restyle()
    }

    private fun restyle() {
        font = UIManager.getFont("Label.font")
        // Not set yet while the constructor of the class above runs.
        foreground = (tone ?: Tone.PLAIN).color
        // The text begins where that of a label does.
        margin = Insets(0, 0, 0, 0)
        if (border is UIResource?) border = Space(0.0)
    }
}
