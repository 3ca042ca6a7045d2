package dev.ouro.view

import dev.ouro.bridge.ProjectEvent
import dev.ouro.bridge.TokenUsage
import dev.ouro.view.base.paced
import dev.ouro.view.base.readings
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.MutableSharedFlow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.launch
import kotlinx.coroutines.test.advanceTimeBy
import kotlinx.coroutines.test.runTest
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

@OptIn(ExperimentalCoroutinesApi::class)
class ReadingsTest {
    private val events = MutableSharedFlow<ProjectEvent>(extraBufferCapacity = 10)

    @Test
    fun `what happens while it is read is read once more, however much it is`() = runTest {
        val seen = mutableListOf<Int>()
        var happening = 5
        val readings = events.readings({ it is ProjectEvent.RecordsMarked }) {
            repeat(happening) { events.tryEmit(ProjectEvent.RecordsMarked("ouro", 1)) }
            happening.also { happening = 0 }
        }
        backgroundScope.launch { readings.collect { seen += it } }
        advanceTimeBy(5.seconds)
        assertEquals(listOf(5, 0), seen)
    }

    @Test
    fun `a user interface sees the newest state ten times a second at most`() = runTest {
        val seen = mutableListOf<Int>()
        val states = flow {
            for (state in 0 until 1_000) {
                emit(state)
                delay(1.milliseconds)
            }
        }
        states.paced().collect { seen += it }
        assertTrue(seen.size in 10..11, "$seen")
        assertEquals(999, seen.last())
    }

    @Test
    fun `what does not matter is no reason to read again`() = runTest {
        var count = 0
        backgroundScope.launch { events.readings({ it is ProjectEvent.RecordsMarked }) { ++count }.collect {} }
        advanceTimeBy(1.seconds)
        events.emit(ProjectEvent.TokensSpent("ouro", TokenUsage(1, 1)))
        advanceTimeBy(1.seconds)
        assertEquals(1, count)
        events.emit(ProjectEvent.RecordsMarked("ouro", 1))
        advanceTimeBy(1.seconds)
        assertEquals(2, count)
    }
}
