package dev.ouro.ide

import java.util.concurrent.atomic.AtomicReference
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Job
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.launch

/** One thing at a time: what is begun ends what was begun before, and waits until that has ended. */
internal class LatestJob(private val scope: CoroutineScope) {
    private val current = AtomicReference<Job?>()

    /** Runs [block] in place of what runs. */
    fun launch(block: suspend () -> Unit) {
        var before: Job? = null
        val job = scope.launch(start = CoroutineStart.LAZY) {
            before?.cancelAndJoin()
            block()
        }
        before = current.getAndSet(job)
        job.start()
    }
}
