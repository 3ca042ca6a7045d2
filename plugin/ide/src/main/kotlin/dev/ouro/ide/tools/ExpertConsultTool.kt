package dev.ouro.ide.tools

import dev.ouro.bridge.Tool
import dev.ouro.bridge.ToolResult
import kotlinx.serialization.json.JsonObject

/** Asks what is already known: the search over records and code is the native library's. */
internal class ExpertConsultTool(private val native: NativeTools) : Tool {
    override val name: String = "expert_consult"
    override val description: String =
        "Searches what was learnt about this project and its code for a question in plain words."
    override val parameters: JsonObject = schema(
        Parameter("query", "string", "what to look for"),
        Parameter("top_k", "integer", "most passages, 1 to 20"),
    )

    override suspend fun call(arguments: JsonObject): ToolResult {
        Arguments(name, arguments).text("query")
        return native.call(name, arguments)
    }
}
