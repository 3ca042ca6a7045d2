package dev.ouro.ide.actions

import com.intellij.openapi.actionSystem.ActionUpdateThread
import com.intellij.openapi.actionSystem.AnActionEvent
import com.intellij.openapi.actionSystem.CommonDataKeys
import com.intellij.openapi.project.DumbAwareAction
import dev.ouro.ide.OuroIdeBundle
import dev.ouro.ide.ProjectHost
import dev.ouro.ide.window.OuroToolWindowFactory
import dev.ouro.view.base.engineOrNull

/** Asks about the code that is selected. */
internal class AskAction : DumbAwareAction() {
    override fun getActionUpdateThread(): ActionUpdateThread = ActionUpdateThread.BGT

    override fun update(event: AnActionEvent) {
        val host = event.project?.getService(ProjectHost::class.java)
        val hasSelection = event.getData(CommonDataKeys.EDITOR)?.selectionModel?.hasSelection() == true
        event.presentation.isEnabledAndVisible =
            hasSelection && host?.engine?.value?.engineOrNull != null
    }

    override fun actionPerformed(event: AnActionEvent) {
        val project = event.project ?: return
        val selected = event.getData(CommonDataKeys.EDITOR)?.selectionModel?.selectedText ?: return
        val file = event.getData(CommonDataKeys.VIRTUAL_FILE)?.name.orEmpty()
        val question = OuroIdeBundle.message("ask.selection", selectionAsText(selected, file))
        val host = project.getService(ProjectHost::class.java)
        OuroToolWindowFactory.activate(project, OuroToolWindowFactory.ASK_TAB) { host.view.ask.ask(question) }
    }
}
