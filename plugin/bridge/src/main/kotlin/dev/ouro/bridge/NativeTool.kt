package dev.ouro.bridge

import kotlinx.serialization.Serializable
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.put

@Serializable
internal class NativeToolSpec(val name: String, val description: String, val parameters: JsonObject)

/**
 * One of the library's own tools over the project's files.
 *
 * There is no second implementation of them in Kotlin: a host without an IDE leaves explorations to these, which know
 * the project's exclusions, stamp what they read and call nothing back.
 */
internal class NativeTool(private val engine: EvolutionEngine, private val spec: NativeToolSpec) : Tool {
    override val name: String get() = spec.name
    override val description: String get() = spec.description
    override val parameters: JsonObject get() = spec.parameters

    override suspend fun call(arguments: JsonObject): ToolResult = engine.call("call_tool") {
        put("name", name)
        put("arguments", arguments)
        put("time_limit_ms", timeLimitMs)
    }
}
