package dev.ouro.zip

import com.jetbrains.plugin.structure.base.plugin.PluginCreationFail
import com.jetbrains.plugin.structure.base.plugin.PluginCreationSuccess
import com.jetbrains.plugin.structure.intellij.plugin.IdePluginManager
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.fail
import org.junit.jupiter.api.Test
import java.nio.file.Path

internal class StructureTest {
    @Test
    fun `the archive has no error and no warning that a marketplace refuses`() {
        when (val result = IdePluginManager.createManager().createPlugin(Path.of(System.getProperty("ouro.zip")))) {
            is PluginCreationSuccess -> {
                assertEquals(emptyList<Any>(), result.unacceptableWarnings.map { it.message })
                assertEquals(emptyList<Any>(), result.warnings.map { it.message })
                val plugin = result.plugin
                assertEquals("dev.ouro.analysis", plugin.pluginId)
                assertEquals(System.getProperty("ouro.version"), plugin.pluginVersion)
                assertEquals(261, plugin.sinceBuild?.baselineVersion)
                assertEquals(null, plugin.untilBuild)
            }
            is PluginCreationFail -> fail(result.errorsAndWarnings.joinToString("\n") { it.message })
        }
    }
}
