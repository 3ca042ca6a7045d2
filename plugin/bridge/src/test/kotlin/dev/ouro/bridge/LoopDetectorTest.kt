package dev.ouro.bridge

import kotlinx.serialization.json.JsonPrimitive
import kotlinx.serialization.json.buildJsonObject
import kotlinx.serialization.json.decodeFromJsonElement
import kotlinx.serialization.json.jsonObject
import kotlinx.serialization.json.jsonPrimitive
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.nio.file.Files
import java.nio.file.Path

internal class LoopDetectorTest {
    private val sentence = "Round and round we go, once again \uD83D\uDD04. "

    @Test
    fun `a loop is found, wherever the text is cut`() {
        val text = "Healthy words come first. " + sentence.repeat(12)
        val found = listOf(1, 3, 7, 600, text.length).map { size ->
            LoopDetector().use { detector ->
                text.chunked(size).forEach { detector.content(it) }
                detector.found()!!
            }
        }
        assertEquals(1, found.map { it.kind to it.span!!.startUtf16 }.distinct().size, "$found")
        assertTrue("\uD83D\uDD04" in found[0].pattern!!, "$found")
        assertEquals("content", found[0].channel)
    }

    @Test
    fun `a stream cut inside surrogate pairs gives the verdict that the library's own tests agree on`() {
        val file = Path.of(System.getProperty("ouro.fixtures"), "wire", "loop.json")
        val stream = Wire.json.parseToJsonElement(Files.readString(file)).jsonObject
        val agreed = Wire.json.decodeFromJsonElement<DetectedLoop>(stream.getValue("found"))
        val text = stream.getValue("text").jsonPrimitive.content
        assertTrue(text.any(Char::isHighSurrogate))
        for (size in listOf(1, 2, 3, 5, 7, 8, 9, 64, 511, 513, text.length)) {
            LoopDetector().use { detector ->
                text.chunked(size).forEach { detector.content(it) }
                assertEquals(agreed, detector.found(), "in pieces of $size")
            }
        }
    }

    @Test
    fun `healthy text is no loop, and a reset forgets one`() {
        LoopDetector().use { detector ->
            assertFalse(detector.reasoning("Let me think about what the parser does with an empty line."))
            assertNull(detector.found())
            assertTrue((1..20).any { detector.reasoning(sentence) })
            assertEquals("reasoning", detector.found()?.channel)
            detector.reset("next")
            assertNull(detector.found())
            assertFalse(detector.content(""))
        }
    }

    @Test
    fun `the same call again and again is a loop`() {
        LoopDetector().use { detector ->
            val arguments = buildJsonObject { put("path", JsonPrimitive("a.kt")) }
            detector.turnStarted()
            assertTrue((1..20).any { detector.toolCall("read_file", arguments) })
            assertEquals("tool_calls", detector.found()?.channel)
            detector.acknowledge()
            assertNull(detector.found())
        }
    }

    @Test
    fun `a call that always has the same result is a loop, one that has another each time is none`() {
        fun loops(result: (Int) -> String): Boolean = LoopDetector().use { detector ->
            val arguments = buildJsonObject { put("job", JsonPrimitive(7)) }
            (1..12).any {
                detector.toolCall("job_status", arguments, "$it") ||
                    detector.toolResult("job_status", result(it), callId = "$it")
            }
        }
        assertTrue(loops { "waiting" })
        assertFalse(loops { "$it of 100 files done, the last was file_$it.kt" })
    }

    @Test
    fun `a wrong configuration and a closed detector are exceptions`() {
        val wrong = assertThrows(EngineException.InvalidInput::class.java) { LoopDetector("""{"profile": "none"}""") }
        assertTrue("profile" in wrong.message!!, "$wrong")
        val detector = LoopDetector()
        detector.close()
        detector.close()
        assertThrows(EngineException.Closed::class.java) { detector.content("a") }
    }
}
