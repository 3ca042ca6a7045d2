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
import java.awt.BorderLayout
import javax.swing.Box
import javax.swing.JCheckBox
import javax.swing.JComponent
import javax.swing.JPanel
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.cancel

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

        private val settings = SettingsPanel(scope, model, IdeComponents(host.messages), host.messages)
        private val typing = JCheckBox(OuroIdeBundle.message("settings.pause.typing"))
        private val powerSave = JCheckBox(OuroIdeBundle.message("settings.pause.powerSave"))

        val panel: JComponent = JPanel(BorderLayout()).apply {
            add(settings)
            add(Box.createVerticalBox().apply { listOf(typing, powerSave).forEach(::add) }, BorderLayout.SOUTH)
        }
        val isModified: Boolean get() = stored?.let { model.isModified || it.project != pauses(it.project) } ?: false

        init {
            reset()
        }

        fun reset(): Unit = host.readSettings(scope) { read ->
            stored = read
            model.reset(read.settings())
            settings.refresh()
            typing.isSelected = read.project.pauseWhileTyping
            powerSave.isSelected = read.project.pauseInPowerSaveMode
        }

        fun apply() {
            val before = stored ?: return
            val said = model.apply() ?: throw ConfigurationException(model.state.value.errors.values.firstOrNull())
            val after = before.with(said).let { it.copy(project = pauses(it.project)) }
            stored = after
            host.writeSettings(after)
        }

        fun close(): Unit = scope.cancel()

        private fun pauses(project: ProjectState): ProjectState =
            project.copy(pauseWhileTyping = typing.isSelected, pauseInPowerSaveMode = powerSave.isSelected)
    }
}
