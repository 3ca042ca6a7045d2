package dev.ouro.bridge

import kotlinx.serialization.KSerializer
import kotlinx.serialization.descriptors.elementNames
import kotlinx.serialization.json.JsonArray
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonNull
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
import kotlinx.serialization.json.decodeFromJsonElement
import kotlinx.serialization.json.encodeToJsonElement
import kotlinx.serialization.json.jsonArray
import kotlinx.serialization.json.jsonObject
import kotlinx.serialization.json.jsonPrimitive
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import java.nio.file.Files
import java.nio.file.Path

/** The messages of `tests/fixtures/wire`, which the Rust tests read too. */
internal class WireTest {
    private fun golden(name: String): JsonElement = Wire.json.parseToJsonElement(
        Files.readString(Path.of(System.getProperty("ouro.fixtures"), "wire", "$name.json")),
    )

    private inline fun <reified T> read(message: JsonElement): T =
        Wire.read("the message", message.toString().encodeToByteArray())

    private inline fun <reified T> written(value: T): JsonElement =
        Wire.json.parseToJsonElement(Wire.write(value).decodeToString())

    /** Whether everything of [part] is in [whole]. What a host has no use for is not in its models. */
    private fun assertIn(part: JsonElement, whole: JsonElement?, at: String) {
        when (part) {
            is JsonObject -> part.forEach { (name, value) ->
                if (value != JsonNull) assertIn(value, (whole as JsonObject)[name], "$at.$name")
            }
            is JsonArray -> {
                assertEquals(part.size, (whole as JsonArray).size, at)
                part.forEachIndexed { index, value -> assertIn(value, whole[index], "$at[$index]") }
            }
            is JsonPrimitive -> assertEquals(part, whole, at)
        }
    }

    /** A message with a field that is not known at each of its levels, but for those that are handed on as they are. */
    private fun newer(message: JsonElement): JsonElement = when (message) {
        is JsonObject -> JsonObject(
            message.mapValues { (name, value) -> if (name in setOf("parameters", "context")) value else newer(value) } +
                ("from_the_future" to JsonPrimitive(1)),
        )
        is JsonArray -> JsonArray(message.map(::newer))
        is JsonPrimitive -> message
    }

    private inline fun <reified T> check(name: String) {
        val message = golden(name).jsonObject
        val value = read<T>(message)
        assertIn(written(value), message, name)
        assertEquals(value, read<T>(newer(message)))
        for (field in golden("required").jsonObject.getValue(name).jsonArray.map { it.jsonPrimitive.content }) {
            val error = assertThrows(EngineException.BadReply::class.java) { read<T>(JsonObject(message - field)) }
            assertTrue("`$field`" in error.message!!, "$name without $field: ${error.message}")
        }
    }

    @Test
    fun `every answer is read as agreed, and a field that is missing is named`() {
        check<EvolutionStats>("stats")
        check<LearningRecord>("record")
        check<FailureRecord>("failure")
        check<EvolutionLog>("log")
        check<ToolResult>("tool_result")
        check<Answer>("answer")
        check<EndpointReport>("endpoint_report")
        check<Backoff>("backoff")
    }

    @Test
    fun `every name is in snake case`() {
        val classes = Path.of(Wire::class.java.protectionDomain.codeSource.location.toURI())
        val generated = "\$\$serializer.class"
        val serializers = Files.walk(classes).use { all -> all.filter { "$it".endsWith(generated) }.toList() }
        val names = serializers.flatMap { file ->
            val name = classes.relativize(file).joinToString(".").removeSuffix(".class")
            val serializer = Class.forName(name).getField("INSTANCE").get(null) as KSerializer<*>
            serializer.descriptor.elementNames.map { "${serializer.descriptor.serialName}: $it" }
        }
        assertTrue("dev.ouro.bridge.LearningRecord: project_key" in names, "$names")
        assertEquals(emptyList<String>(), names.filterNot { it.matches(Regex(".*: [a-z0-9_]+")) })
    }

    @Test
    fun `what an answer says arrives`() {
        val record = read<LearningRecord>(golden("record"))
        assertEquals("It averages the last three readings.", record.effectiveAnswer)
        assertEquals("It averages the last readings \uD83C\uDF24.", record.answer)
        assertEquals(Freshness(Freshness.State.STALE, "weather/forecast.py", 1_732_250_002_000), record.freshness)
        assertEquals(SourceRef("weather/forecast.py", 3, 12), record.sourceFiles[0])
        assertEquals(
            Freshness(Freshness.State.CONTRADICTED, since = 1_732_250_002_000, by = "01JDAVB0T0000000000000000B"),
            read<Answer>(golden("answer")).records[0].freshness,
        )
        val stats = read<EvolutionStats>(golden("stats"))
        assertEquals(Pair(RunState.RUNNING, Phase.WAITING), Pair(stats.run, stats.currentPhase))
        assertEquals(WaitReason("in_backoff", consecutiveErrors = 2), stats.waitReason)
        assertEquals(TokenUsage(5_000, 700, estimated = true), stats.tokensToday)
        assertEquals(HealthIssue("phase_overdue", forMs = 130_000, phase = Phase.EXPLORING), stats.health.issues[0])
        assertEquals("look for it with find_file", read<FailureRecord>(golden("failure")).strategy?.avoidStrategy)
    }

    @Test
    fun `every event is read as agreed, and one of a newer library does no harm`() {
        val messages = golden("events").jsonArray
        val events = messages.map { read<ProjectEvent>(newer(it)) }
        assertEquals(
            listOf(
                "PhaseChanged", "QuestionTaken", "QuestionRefused", "ToolCalled", "LoopFound", "TokensSpent",
                "RecordSaved", "RecordsMarked", "Waiting", "Failed", "Finished",
            ),
            events.map { it::class.simpleName },
        )
        assertEquals(read<LearningRecord>(golden("record")), (events[6] as ProjectEvent.RecordSaved).record)
        val unknown = JsonObject(messages[0].jsonObject + ("event" to JsonPrimitive("dream")))
        assertEquals(ProjectEvent.Other(events[0].project, "dream"), read<ProjectEvent>(unknown))
    }

    @Test
    fun `every verdict is read as agreed`() {
        val verdicts = golden("verdicts").jsonArray.map { message ->
            read<Verdict>(newer(message)).also { assertIn(written(it), message, "a verdict") }
        }
        assertEquals(
            listOf(
                null,
                "in_backoff",
                "quota_exhausted",
                "duplicate",
                "already_run",
                "failed_before",
                "guard_unavailable",
            ),
            verdicts.map { it.kind },
        )
        assertEquals(read<ToolResult>(golden("tool_result")), verdicts[4].cachedResult)
    }

    @Test
    fun `requests are written as agreed`() {
        val open = golden("open_request").jsonObject
        val settings = Wire.json.decodeFromJsonElement<EngineSettings>(open.getValue("settings"))
        assertEquals(open.getValue("settings"), Wire.json.encodeToJsonElement(settings).withoutDefaults())
        val tool = open.getValue("tools").jsonArray.single().jsonObject
        val specs = listOf(
            ToolSpec(
                tool.getValue("name").jsonPrimitive.content,
                tool.getValue("description").jsonPrimitive.content,
                tool.getValue("parameters"),
                2_000,
            ),
        )
        val request = EvolutionEngine.OpenRequest(1, "/home/ada/weather", "/home/ada/.ouro", settings, specs)
        assertEquals(open, written(request).withoutDefaults())
        val endpoint = EvolutionEngine.EndpointRequest(1, Endpoint("http://localhost:11434", "qwen3"))
        assertEquals(golden("endpoint_request"), written(endpoint).withoutDefaults())
    }

    /** An empty prefix says nothing. */
    private fun JsonElement.withoutDefaults(): JsonElement = when (this) {
        is JsonObject -> JsonObject(
            filterNot { it.key == "query_prefix" && it.value == JsonPrimitive("") }
                .mapValues { it.value.withoutDefaults() },
        )
        else -> this
    }
}
