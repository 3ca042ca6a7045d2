package dev.ouro.view.base

import java.text.MessageFormat
import java.util.Locale
import java.util.MissingResourceException
import java.util.ResourceBundle

/** The texts that users read, in one language: `messages/OuroBundle*.properties`. */
public class Messages(
    /** The language; one that the bundle lacks is shown in English. */
    public val locale: Locale = Locale.getDefault(),
) {
    private val bundle = ResourceBundle.getBundle(BUNDLE, locale, Messages::class.java.classLoader, NoFallback)

    /** The text of [key], with `{0}`, `{1}` and so on replaced by [arguments]. */
    public fun text(key: String, vararg arguments: Any): String =
        MessageFormat(bundle.getString(key), locale).format(arguments)

    /** The text of [key], or [otherwise] where there is none: for words that the engine may learn later. */
    public fun textOr(key: String, otherwise: String): String = try {
        text(key)
    } catch (_: MissingResourceException) {
        otherwise
    }

    /** A language that the bundle doesn't have is shown in English, not in the machine's language. */
    private object NoFallback : ResourceBundle.Control() {
        override fun getFallbackLocale(baseName: String, locale: Locale): Locale? = null
    }

    /** Names the bundle. */
    public companion object {
        /** The bundle's name. */
        public const val BUNDLE: String = "messages.OuroBundle"
    }
}
