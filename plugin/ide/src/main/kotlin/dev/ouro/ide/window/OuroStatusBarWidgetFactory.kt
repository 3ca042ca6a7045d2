package dev.ouro.ide.window

import com.intellij.openapi.project.Project
import com.intellij.openapi.wm.StatusBar
import com.intellij.openapi.wm.StatusBarWidget
import com.intellij.openapi.wm.StatusBarWidgetFactory
import com.intellij.util.Consumer
import dev.ouro.ide.OuroIdeBundle
import dev.ouro.ide.ProjectHost
import dev.ouro.view.StatusText
import java.awt.Component
import java.awt.event.MouseEvent

/** Makes the part of the status bar that tells what Ouro does. */
internal class OuroStatusBarWidgetFactory : StatusBarWidgetFactory {
    override fun getId(): String = ID

    override fun getDisplayName(): String = OuroIdeBundle.message("status.name")

    override fun isAvailable(project: Project): Boolean = true

    override fun createWidget(project: Project): StatusBarWidget = Widget(project)

    override fun disposeWidget(widget: StatusBarWidget): Unit = widget.dispose()

    override fun canBeEnabledOn(statusBar: StatusBar): Boolean = true

    private class Widget(private val project: Project) :
        StatusBarWidget,
        StatusBarWidget.TextPresentation {
        private var shown = StatusText("", "")
        private var updates: AutoCloseable? = null

        override fun ID(): String = ID

        override fun getPresentation(): StatusBarWidget.WidgetPresentation = this

        override fun install(statusBar: StatusBar) {
            updates = project.getService(ProjectHost::class.java).whenStatusChanges {
                shown = it
                statusBar.updateWidget(ID)
            }
        }

        override fun getText(): String = shown.text

        override fun getTooltipText(): String = shown.tooltip

        override fun getAlignment(): Float = Component.CENTER_ALIGNMENT

        override fun getClickConsumer(): Consumer<MouseEvent> = Consumer { OuroToolWindowFactory.activate(project) }

        override fun dispose() {
            updates?.close()
            updates = null
        }
    }

    private companion object {
        const val ID = "dev.ouro.status"
    }
}
