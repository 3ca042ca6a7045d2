package dev.ouro.view.base

import kotlinx.coroutines.CoroutineDispatcher
import java.awt.Font
import javax.swing.Action
import javax.swing.Icon
import javax.swing.JComponent
import javax.swing.JTable
import javax.swing.JTextField
import javax.swing.table.TableModel
import javax.swing.text.JTextComponent

/**
 * The widgets that an IDE has its own kind of. Everything else the panels take from plain Swing, which the IDE's look
 * paints. Called on the UI thread.
 */
public interface Components {
    /** Runs on the UI thread. */
    public val ui: CoroutineDispatcher

    /** The font of code; its size is that of labels. */
    public val codeFont: Font

    /** A table over rows of one height. */
    public fun table(model: TableModel): JTable

    /** Scrolls [view], without a border of its own. */
    public fun scroll(view: JComponent): JComponent

    /** A field to search with: [component] is to be laid out, [text] holds the words. */
    public fun searchField(placeholder: String): SearchField

    /** A field of one line; [placeholder] is what holds while it is empty. */
    public fun textField(placeholder: String): JTextField

    /** Two parts, one above the other, with a border that can be moved; the upper gets [share] of the height. */
    public fun split(upper: JComponent, lower: JComponent, share: Double): JComponent

    /** A row of [actions]; `null` separates. Their icons are named by [ICON]. */
    public fun toolbar(actions: List<Action?>): JComponent

    /** The icon `icons/<name>.svg`, or `null` where none can be shown. */
    public fun icon(name: String): Icon?

    /** Whether the user says yes; [verb] is the button. */
    public fun confirm(parent: JComponent, title: String, question: String, verb: String): Boolean

    /** A text that the user may change, or `null` when it was given up; [verb] is the button. */
    public fun editText(parent: JComponent, title: String, text: String, verb: String): String?

    /** What a [searchField] is made of. */
    public class SearchField(
        /** The whole field. */
        public val component: JComponent,
        /** What is typed into. */
        public val text: JTextComponent,
    )

    /** Names of what actions carry. */
    public companion object {
        /** The key of an [Action]'s icon name. */
        public const val ICON: String = "ouro.icon"
    }
}
