// Stands for platform/ide-core/src/com/intellij/openapi/wm/StatusBarWidget.kt.
package com.intellij.openapi.wm

import com.intellij.openapi.Disposable
import com.intellij.util.Consumer
import java.awt.event.MouseEvent

@Suppress("FunctionName")
public interface StatusBarWidget : Disposable {
    public fun ID(): String

    public fun getPresentation(): WidgetPresentation? = null

    public fun install(statusBar: StatusBar) {}

    override fun dispose() {}

    public interface WidgetPresentation {
        public fun getTooltipText(): String?

        public fun getClickConsumer(): Consumer<MouseEvent>? = null
    }

    public interface TextPresentation : WidgetPresentation {
        public fun getText(): String

        public fun getAlignment(): Float
    }
}
