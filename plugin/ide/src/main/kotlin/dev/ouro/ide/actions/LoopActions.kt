package dev.ouro.ide.actions

import com.intellij.openapi.actionSystem.ActionUpdateThread
import com.intellij.openapi.actionSystem.AnActionEvent
import com.intellij.openapi.project.DumbAwareAction
import dev.ouro.ide.ProjectHost
import dev.ouro.ide.loop.Command

/** An action that tells the loop of the project something, shown where that makes sense. */
internal abstract class LoopAction(private val command: Command, private val tell: ProjectHost.() -> Unit) :
    DumbAwareAction() {
    final override fun getActionUpdateThread(): ActionUpdateThread = ActionUpdateThread.BGT

    final override fun update(event: AnActionEvent) {
        val host = event.project?.getService(ProjectHost::class.java)
        event.presentation.isEnabledAndVisible = host != null && command.isPossible(host.engine.value)
    }

    final override fun actionPerformed(event: AnActionEvent) {
        event.project?.getService(ProjectHost::class.java)?.tell()
    }
}

/** Turns learning on, after asking. */
internal class TurnOnAction : LoopAction(Command.TURN_ON, ProjectHost::turnOn)

/** Turns learning off; what was learnt stays. */
internal class TurnOffAction : LoopAction(Command.TURN_OFF, ProjectHost::stop)

/** Lets the loop rest. */
internal class PauseAction : LoopAction(Command.PAUSE, ProjectHost::pause)

/** Lets the loop go on. */
internal class ResumeAction : LoopAction(Command.RESUME, ProjectHost::start)

/** One iteration. */
internal class RunOnceAction : LoopAction(Command.RUN_ONCE, ProjectHost::runOnce)
