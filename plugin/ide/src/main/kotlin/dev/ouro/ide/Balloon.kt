package dev.ouro.ide

import com.intellij.notification.Notification
import com.intellij.notification.NotificationAction
import com.intellij.notification.NotificationGroupManager
import com.intellij.notification.NotificationType
import com.intellij.openapi.project.Project
import com.intellij.openapi.util.text.StringUtil

/** Notifications in Ouro's group. Every function may be called from any thread. */
internal object Balloon {
    private const val GROUP = "Ouro"

    /** Says something; each of [actions] is a name and what it does. */
    fun say(project: Project, title: String, text: String, vararg actions: Pair<String, () -> Unit>): Unit =
        show(project, title, text, NotificationType.INFORMATION, actions.asList())

    /** Says that something is wrong. */
    fun warn(project: Project, title: String, text: String, vararg actions: Pair<String, () -> Unit>): Unit =
        show(project, title, text, NotificationType.WARNING, actions.asList())

    private fun show(
        project: Project,
        title: String,
        text: String,
        type: NotificationType,
        actions: List<Pair<String, () -> Unit>>,
    ) {
        val group = NotificationGroupManager.getInstance().getNotificationGroup(GROUP)
        val notification: Notification = group.createNotification(shown(title), shown(text), type)
        for ((name, action) in actions) {
            notification.addAction(NotificationAction.createSimpleExpiring(name) { action() })
        }
        notification.notify(project)
    }

    /** The platform takes both for HTML; what is said here are questions about code, errors and names. */
    private fun shown(text: String): String = StringUtil.escapeXmlEntities(text).replace("\n", "<br>")
}
