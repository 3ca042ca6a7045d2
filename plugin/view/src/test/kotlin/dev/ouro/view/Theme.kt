package dev.ouro.view

import com.formdev.flatlaf.FlatDarkLaf
import com.formdev.flatlaf.FlatLaf
import com.formdev.flatlaf.FlatLightLaf
import com.formdev.flatlaf.extras.FlatSVGIcon
import com.formdev.flatlaf.fonts.inter.FlatInterFont
import com.formdev.flatlaf.fonts.jetbrains_mono.FlatJetBrainsMonoFont
import dev.ouro.view.base.Messages
import dev.ouro.view.base.PlainComponents
import java.awt.Font
import java.awt.GraphicsEnvironment
import java.util.Locale
import javax.swing.Icon
import javax.swing.JComponent
import javax.swing.JScrollPane
import javax.swing.JTable
import javax.swing.UIManager
import javax.swing.plaf.FontUIResource

/** A look whose every pixel comes from libraries: FlatLaf's colours, Inter for English, Noto Sans SC for Chinese. */
enum class Theme(private val look: () -> FlatLaf) {
    LIGHT(::FlatLightLaf),
    DARK(::FlatDarkLaf),
    ;

    fun install(locale: Locale) {
        UIManager.setLookAndFeel(look())
        UIManager.put(
            "defaultFont",
            FontUIResource(Font(if (locale == Locale.ENGLISH) LATIN else CHINESE, Font.PLAIN, SIZE)),
        )
        UIManager.put("monospaced.font", FontUIResource(Font(MONO, Font.PLAIN, SIZE)))
        UIManager.setLookAndFeel(look())
    }

    companion object {
        private const val SIZE = 13
        private val LATIN = FlatInterFont.FAMILY
        private val MONO = FlatJetBrainsMonoFont.FAMILY
        private const val CHINESE = "Noto Sans SC"

        init {
            FlatInterFont.install()
            FlatJetBrainsMonoFont.install()
            val stream =
                checkNotNull(Theme::class.java.getResourceAsStream("/fonts/ttf/NotoSansSC/NotoSansSC-Regular.ttf"))
            GraphicsEnvironment.getLocalGraphicsEnvironment()
                .registerFont(stream.use { Font.createFont(Font.TRUETYPE_FONT, it) })
        }
    }
}

/** Plain Swing, with the plugin's own icons. */
class TestComponents(messages: Messages) : PlainComponents(messages) {
    override fun icon(name: String): Icon = FlatSVGIcon("icons/$name.svg")

    /** Without a window nobody tells a table to show its header. */
    override fun scroll(view: JComponent): JComponent =
        super.scroll(view).also { if (view is JTable) (it as JScrollPane).setColumnHeaderView(view.tableHeader) }
}
