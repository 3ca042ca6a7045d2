package dev.ouro.ide

import com.intellij.openapi.application.ApplicationManager
import com.intellij.openapi.project.Project
import com.intellij.openapi.ui.MessageDialogBuilder
import dev.ouro.ide.settings.Destination
import dev.ouro.ide.settings.Stored
import dev.ouro.view.Consent
import dev.ouro.view.base.Messages
import kotlinx.coroutines.suspendCancellableCoroutine
import kotlin.coroutines.resume

/** Asks the user before a project is learnt, and before anything is sent to a server that the user did not agree to. */
internal class Permission(private val project: Project, private val messages: Messages) {
    private val settings = project.getService(ProjectAnalysisScheduler::class.java).settings

    /** Asks, and turns learning on if the user agrees. */
    suspend fun turnOn() {
        val stored = settings.read()
        if (ask(stored)) accept(stored)
    }

    /** Asks whether data may go where the settings say now, if they send any and the user was not asked before. */
    suspend fun confirmDestination() {
        val stored = settings.read()
        if (!stored.project.enabled || Destination(stored.app).isAllowedBy(stored.project)) return
        if (ask(stored)) accept(stored)
    }

    /** Shows what learning means, once for each project, and lets the user choose. */
    suspend fun welcome(openSettings: () -> Unit) {
        val stored = settings.read()
        if (stored.project.welcomed || stored.project.enabled) return
        settings.update { it.copy(welcomed = true) }
        val consent = consent(stored)
        Balloon.say(
            project,
            consent.title,
            consent.text,
            consent.accept to { accept(stored) },
            consent.settings to openSettings,
            consent.decline to {},
        )
    }

    private fun accept(stored: Stored): Unit =
        settings.update { it.copy(enabled = true, welcomed = true, consent = Destination(stored.app).key) }

    private fun consent(stored: Stored): Consent {
        val settings = stored.settings()
        return Consent.of(project.name, settings.model, settings.embedder, messages)
    }

    private suspend fun ask(stored: Stored): Boolean = suspendCancellableCoroutine { answer ->
        val consent = consent(stored)
        val dialog = Runnable {
            if (!answer.isActive) return@Runnable
            val question = MessageDialogBuilder.okCancel(consent.title, consent.text).yesText(consent.accept)
            answer.resume(question.ask(project))
        }
        ApplicationManager.getApplication().invokeLater(dialog, project.disposed)
    }
}
