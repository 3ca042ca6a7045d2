package dev.ouro.ide.window

import com.intellij.openapi.project.DumbAware
import com.intellij.openapi.project.Project
import com.intellij.openapi.wm.ToolWindow
import com.intellij.openapi.wm.ToolWindowFactory
import com.intellij.openapi.wm.ToolWindowManager
import com.intellij.ui.content.ContentFactory
import dev.ouro.ide.ProjectAnalysisScheduler
import dev.ouro.ide.ProjectHost

/** Fills the tool window with a tab for each part of the view. */
internal class OuroToolWindowFactory :
    ToolWindowFactory,
    DumbAware {
    override fun createToolWindowContent(project: Project, toolWindow: ToolWindow) {
        project.getService(ProjectAnalysisScheduler::class.java).begin()
        val host = project.getService(ProjectHost::class.java)
        val contents = toolWindow.contentManager
        for (tab in host.view.tabs(IdeComponents(host.messages))) {
            val content = ContentFactory.getInstance().createContent(tab.component, tab.title, false)
            content.setCloseable(false)
            content.setPreferredFocusableComponent(tab.preferredFocus)
            contents.addContent(content)
        }
    }

    internal companion object {
        /** The tool window's id in the plugin's descriptor. */
        const val ID = "Ouro"

        /** The place of the tab for questions. */
        const val ASK_TAB = 2

        /** Shows the tool window and, if it is named, one of its tabs by its place; on the UI thread. */
        fun activate(project: Project, tab: Int? = null, then: () -> Unit = {}) {
            val window = ToolWindowManager.getInstance(project).getToolWindow(ID) ?: return
            window.activate {
                val contents = window.contentManager
                tab?.let { contents.getContent(it) }?.let { contents.setSelectedContent(it) }
                then()
            }
        }
    }
}
