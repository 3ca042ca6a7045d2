package dev.ouro.ide

import com.intellij.ide.plugins.PluginManagerCore
import com.intellij.openapi.Disposable
import com.intellij.openapi.application.PathManager
import com.intellij.openapi.components.Service
import com.intellij.openapi.diagnostic.Logger
import com.intellij.openapi.extensions.PluginId
import dev.ouro.bridge.EvolutionEngine
import dev.ouro.bridge.LogLine
import dev.ouro.bridge.NativeLibrary
import java.nio.file.Path
import kotlin.time.Duration.Companion.seconds

/** The native library in this IDE: loaded from the plugin, with its log in the IDE's, and ended with the IDE. */
@Service(Service.Level.APP)
internal class NativeEngine : Disposable {
    /** Loads the library, the first time; blocks on the disk. Throws `EngineException.NativeUnavailable`. */
    fun load() {
        val plugin = PluginManagerCore.getPlugin(PluginId.getId(PLUGIN_ID))?.pluginPath
        NativeLibrary.load(plugin, Path.of(PathManager.getSystemPath(), "ouro", "native"))
        EvolutionEngine.logTo(::write)
    }

    override fun dispose(): Unit = EvolutionEngine.shutdown(1.seconds)

    private fun write(line: LogLine) {
        val text = "${line.target}: ${line.message}"
        when (line.level) {
            // An error of the library's is no defect for the IDE's error reporter.
            ERROR, WARNING -> LOG.warn(text)
            INFO -> LOG.info(text)
            else -> LOG.debug(text)
        }
    }

    private companion object {
        const val PLUGIN_ID = "dev.ouro.analysis"
        const val ERROR = 1
        const val WARNING = 2
        const val INFO = 3
        val LOG: Logger = Logger.getInstance("dev.ouro.native")
    }
}
