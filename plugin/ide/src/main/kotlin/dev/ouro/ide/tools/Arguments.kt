package dev.ouro.ide.tools

import dev.ouro.bridge.EngineException
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonNull
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
import kotlinx.serialization.json.add
import kotlinx.serialization.json.buildJsonObject
import kotlinx.serialization.json.contentOrNull
import kotlinx.serialization.json.put
import kotlinx.serialization.json.putJsonArray
import kotlinx.serialization.json.putJsonObject

/** The arguments of a call of [tool]. What is wrong is an error that names the argument. */
internal class Arguments(private val tool: String, private val given: JsonObject) {
    /** A text that must be there. */
    fun text(name: String): String = textOrNull(name) ?: throw wrong(name, "is missing")

    /** A text; `null` where there is none. */
    fun textOrNull(name: String): String? {
        val value = present(name) ?: return null
        val text = (value as? JsonPrimitive)?.contentOrNull ?: throw wrong(name, "must be a text")
        return text.trim().ifEmpty { null }
    }

    /** One of [choices]; `null` where there is none. */
    fun choice(name: String, choices: List<String>): String? = textOrNull(name)?.also {
        if (it !in choices) throw wrong(name, "must be one of ${choices.joinToString()}")
    }

    /** A whole number of [range], also one that is written as a text; [default] where there is none. */
    fun number(name: String, default: Int, range: IntRange): Int {
        val value = present(name) ?: return default
        val number = (value as? JsonPrimitive)?.contentOrNull?.toDoubleOrNull()?.takeIf { it == Math.rint(it) }?.toInt()
        if (number == null || number !in range) throw wrong(name, "must be from ${range.first} to ${range.last}")
        return number
    }

    /** Weak models send `null` for what they leave out. */
    private fun present(name: String): JsonElement? = given[name]?.takeUnless { it is JsonNull }

    private fun wrong(name: String, what: String) = EngineException.InvalidInput("$tool: argument `$name` $what")
}

/** One argument in a tool's JSON Schema. */
internal class Parameter(
    val name: String,
    val type: String,
    val description: String,
    val choices: List<String> = emptyList(),
)

/** The JSON Schema of [parameters], of which the first is required. */
internal fun schema(vararg parameters: Parameter): JsonObject = buildJsonObject {
    put("type", "object")
    putJsonObject("properties") {
        for (parameter in parameters) {
            putJsonObject(parameter.name) {
                put("type", parameter.type)
                put("description", parameter.description)
                if (parameter.choices.isNotEmpty()) putJsonArray("enum") { parameter.choices.forEach { add(it) } }
            }
        }
    }
    putJsonArray("required") { add(parameters.first().name) }
    put("additionalProperties", false)
}
