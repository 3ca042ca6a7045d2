package dev.ouro.ide.settings

import com.intellij.openapi.options.ConfigurationException
import com.intellij.openapi.options.SearchableConfigurable
import com.intellij.openapi.project.Project
import dev.ouro.bridge.EvolutionEngine
import dev.ouro.ide.OuroIdeBundle
import dev.ouro.ide.ProjectHost
import dev.ouro.ide.window.IdeComponents
import dev.ouro.view.settings.SettingsModel
import dev.ouro.view.settings.SettingsPanel
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.cancel
import javax.swing.JComponent

/** Tools > Ouro. */
internal class OuroConfigurable(private val project: Project) : SearchableConfigurable {
    private var form: Form? = null

    override fun getId(): String = "dev.ouro.settings"

    override fun getDisplayName(): String = OuroIdeBundle.message("ouro")

    override fun createComponent(): JComponent = Form(project).also { form = it }.panel

    override fun isModified(): Boolean = form?.isModified == true

    override fun apply() {
        form?.apply()
    }

    override fun reset() {
        form?.reset()
    }

    override fun disposeUIResources() {
        form?.close()
        form = null
    }

    /**
     * The form while it is shown. What is stored is read in the background: the key may need the system's key chain.
     */
    private class Form(project: Project) {
        private val host = project.getService(ProjectHost::class.java)
        private val scope: CoroutineScope = host.childScope()
        private val model = SettingsModel(scope, host.messages, EvolutionEngine::checkEndpoint)
        private var stored: Stored? = null

        val panel = SettingsPanel(scope, model, IdeComponents(host.messages), host.messages)
        val isModified: Boolean get() = stored != null && model.isModified

        init {
            reset()
        }

        fun reset(): Unit = host.readSettings(scope) { read ->
            stored = read
            model.reset(read.form())
            panel.refresh()
        }

        fun apply() {
            val before = stored ?: return
            val said = model.apply() ?: throw ConfigurationException(model.state.value.errors.values.firstOrNull())
            val after = before.with(said)
            stored = after
            host.writeSettings(after)
        }

        fun close(): Unit = scope.cancel()
    }
}
