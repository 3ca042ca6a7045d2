package dev.ouro.ide

import com.intellij.DynamicBundle
import org.jetbrains.annotations.PropertyKey

/** The texts of the plugin outside its tool window, in the IDE's language. */
internal object OuroIdeBundle {
    private const val BUNDLE = "messages.OuroIdeBundle"
    private val bundle = DynamicBundle(OuroIdeBundle::class.java, BUNDLE)

    /** The text of [key]. */
    fun message(@PropertyKey(resourceBundle = BUNDLE) key: String, vararg parameters: Any): String =
        bundle.getMessage(key, *parameters)
}
