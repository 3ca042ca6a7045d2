package dev.ouro.view.base

import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Job
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import java.awt.event.HierarchyEvent
import javax.swing.JComponent

/**
 * Renders the states of [flow] while this component is on the screen: a hidden tab costs nothing. States that follow
 * each other faster than they are painted are skipped when the flow is conflated, as a `StateFlow` is.
 */
internal fun <T> JComponent.renderWhileShowing(
    scope: CoroutineScope,
    widgets: Components,
    flow: Flow<T>,
    render: (T) -> Unit,
) {
    var job: Job? = null
    fun update() {
        if (isShowing && job == null) {
            job = scope.launch { flow.collect { withContext(widgets.ui) { render(it) } } }
        } else if (!isShowing) {
            job?.cancel()
            job = null
        }
    }
    addHierarchyListener { if (it.changeFlags and HierarchyEvent.SHOWING_CHANGED.toLong() != 0L) update() }
    update()
}
