package dev.ouro.ide

import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Job
import kotlinx.coroutines.launch
import kotlinx.coroutines.sync.Mutex
import kotlinx.coroutines.sync.withLock
import java.util.concurrent.atomic.AtomicReference

/** One thing at a time: what is begun ends what was begun before, and waits until that has ended. */
internal class LatestJob(private val scope: CoroutineScope) {
    private val current = AtomicReference<Job?>()
    private val turn = Mutex()

    /** Runs [block] in place of what runs. */
    fun launch(block: suspend () -> Unit) {
        val job = scope.launch { turn.withLock { block() } }
        current.getAndSet(job)?.cancel()
    }
}
