package dev.ouro.bridge

import kotlinx.serialization.KSerializer
import kotlinx.serialization.SerialName
import kotlinx.serialization.Serializable
import kotlinx.serialization.SerializationException
import kotlinx.serialization.builtins.ListSerializer
import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonNull
import kotlinx.serialization.serializer
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.nio.file.Files
import java.nio.file.Path

internal class WireDecoderTest {
    @Serializable
    private data class Everything(
        val text: String = "",
        val small: Int = 0,
        val large: Long = 0,
        val single: Float = 0f,
        val double: Double = 0.0,
        val yes: Boolean = false,
        val state: Freshness.State = Freshness.State.FRESH,
        val nothing: String? = null,
        val free: JsonElement = JsonNull,
        val lists: List<List<Int>> = emptyList(),
        @SerialName("in") val inner: Everything? = null,
    )

    private fun golden(name: String): String =
        Files.readString(Path.of(System.getProperty("ouro.fixtures"), "wire", "$name.json"))

    private fun <T> read(serializer: KSerializer<T>, json: String): T =
        WireDecoder.read(serializer, json.encodeToByteArray())

    private inline fun <reified T> agrees(json: String) {
        val serializer = serializer<T>()
        val expected = Wire.json.decodeFromString(serializer, json)
        assertEquals(expected, read(serializer, json))
        val compact = Json.parseToJsonElement(json).toString()
        assertEquals(List(3) { expected }, read(ListSerializer(serializer), "[$compact,$compact, $compact]"))
    }

    @Test
    fun `every message says what the JSON library reads in it`() {
        agrees<LearningRecord>(golden("record"))
        agrees<EvolutionStats>(golden("stats"))
        agrees<FailureRecord>(golden("failure"))
        agrees<Answer>(golden("answer"))
        agrees<ToolResult>(golden("tool_result"))
        agrees<List<ProjectEvent>>(golden("events"))
        agrees<List<Verdict>>(golden("verdicts"))
    }

    @Test
    fun `everything that JSON can say is read`() {
        agrees<Everything>("""{}""")
        agrees<Everything>(
            """ { "yes" : true , "text":"a \"b\" \\ \n \u5929\ud83c\udf24 天🌤","lists" : [ [ ] , [1, -2],[ 0 ]],
            "unknown": {"a": ["}", "\"", {"b": [1.5e3, null, false]}]}, "state":"asked_again", "other": -1e9,
            "in": {"in": {"large": 9223372036854775807}, "large": -9223372036854775808, "nothing": null},
            "free":{"deep":[{"er":"天"}]},"double":-1.25e-3,"single":0.5,"small":-7, "nothing":"x" } """,
        )
        // A name may be written with escapes; the library never does it, and what is not known is ignored.
        assertEquals(Everything(), read(serializer<Everything>(), """{"te\u0078t": "a"}"""))
    }

    @Test
    fun `what is wrong is an error that says where`() {
        val wrong = listOf(
            "", "[", "[]", "{", "null", "7", "{]", "{}}", "{} 1", """{"text"}""", """{"text":}""", """{"text":7}""",
            """{"text":"a""", """{"text":"a\""", """{"text":"\x"}""", """{"text":null}""", """{"small":"a"}""",
            """{"small":1.5}""", """{"small":-}""", """{"small":2147483648}""", """{"large":9223372036854775808}""",
            """{"yes":1}""", """{"yes":tru}""", """{"single":x}""", """{"state":"sour"}""", """{"lists":[[1}]}""",
            """{"lists":[1 2]}""", """{"lists":{}}""", """{"x":}""", """{"x":,"text":"a"}""", """{"free":{a}}""",
            """{"text":"a" "small":1}""", """{text:"a"}""", """{"nothing":nul}""",
        )
        for (json in wrong) {
            assertThrows(SerializationException::class.java, { read(serializer<Everything>(), json) }, json)
        }
        val error = assertThrows(EngineException.BadReply::class.java) {
            Wire.read<Everything>("the answer", """{"small":"a"}""".encodeToByteArray())
        }
        assertTrue("the answer can't be read" in error.message!! && "at byte 9" in error.message!!, "$error")
    }

    @Test
    fun `what is cut or changed anywhere is read or an error, and never anything else`() {
        val record = Json.parseToJsonElement(golden("record")).toString().encodeToByteArray()
        for (end in record.indices) {
            val cut = record.copyOf(end)
            assertThrows(EngineException.BadReply::class.java, { Wire.read<LearningRecord>("it", cut) }, "$end bytes")
        }
        var refused = 0
        for (at in record.indices) {
            for (byte in "\"\\{}[],:0-n \u0000".encodeToByteArray() + (-1).toByte()) {
                val changed = record.copyOf().also { it[at] = byte }
                try {
                    Wire.read<LearningRecord>("it", changed)
                } catch (_: EngineException.BadReply) {
                    refused++
                }
            }
        }
        assertTrue(refused > record.size, "$refused")
    }
}
