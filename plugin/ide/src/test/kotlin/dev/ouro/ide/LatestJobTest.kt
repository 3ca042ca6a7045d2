package dev.ouro.ide

import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.delay
import kotlinx.coroutines.test.advanceTimeBy
import kotlinx.coroutines.test.runCurrent
import kotlinx.coroutines.test.runTest
import kotlinx.coroutines.withContext
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

@OptIn(ExperimentalCoroutinesApi::class)
internal class LatestJobTest {
    @Test
    fun `who is asked twice is asked about the latest, after what was begun for the first is done`() = runTest {
        val journal = mutableListOf<String>()
        val answers = listOf(CompletableDeferred<Boolean>(), CompletableDeferred())
        val job = LatestJob(backgroundScope)
        answers.forEachIndexed { number, answer ->
            job.launch {
                withContext(NonCancellable) {
                    journal += "write $number"
                    delay(1.milliseconds)
                    journal += "written $number"
                }
                if (answer.await()) journal += "accepted $number"
            }
            runCurrent()
        }
        advanceTimeBy(1.seconds)
        assertEquals(listOf("write 0", "written 0", "write 1", "written 1"), journal)
        answers.forEach { it.complete(true) }
        runCurrent()
        assertEquals("accepted 1", journal.last())
        assertEquals(5, journal.size)
    }

    @Test
    fun `who comes third waits for the first one, too`() = runTest {
        val journal = mutableListOf<String>()
        val job = LatestJob(backgroundScope)
        for (number in 0..2) {
            job.launch {
                withContext(NonCancellable) {
                    journal += "write $number"
                    delay(1.milliseconds)
                    journal += "written $number"
                }
            }
            runCurrent()
        }
        advanceTimeBy(1.seconds)
        assertEquals(listOf("write 0", "written 0", "write 2", "written 2"), journal)
    }
}
