package dev.ouro.view.base

import dev.ouro.bridge.ProjectEvent
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.channelFlow
import kotlinx.coroutines.flow.conflate
import kotlinx.coroutines.flow.filter
import kotlinx.coroutines.flow.transform
import kotlinx.coroutines.launch
import kotlin.time.Duration.Companion.milliseconds

/** Time between two readings: nobody reads faster. */
private val PAUSE = 500.milliseconds

/** Time between two states that are shown: ten a second are as good as all of them. */
private val FRAME = 100.milliseconds

/** The newest of these, at most ten a second. */
internal fun <T> Flow<T>.paced(): Flow<T> = conflate().transform {
    emit(it)
    delay(FRAME)
}

/**
 * What [read] gives at once, and once more after events that [matters] names; those that come meanwhile are one.
 * Listens before it reads, so that none is missed.
 */
internal fun <T> Flow<ProjectEvent>.readings(matters: (ProjectEvent) -> Boolean, read: suspend () -> T): Flow<T> =
    channelFlow {
        launch(start = CoroutineStart.UNDISPATCHED) { filter(matters).collect { send(Unit) } }
        send(Unit)
    }.conflate().transform {
        emit(read())
        delay(PAUSE)
    }
