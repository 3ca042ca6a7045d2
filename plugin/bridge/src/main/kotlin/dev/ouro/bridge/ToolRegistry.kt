package dev.ouro.bridge

import kotlinx.serialization.SerialName
import kotlinx.serialization.Serializable
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonObject
import java.util.concurrent.ConcurrentHashMap

/** Something that an exploration can call in the host. */
public interface Tool {
    /** `[a-z_]+`. One with the name of a native tool replaces it. */
    public val name: String

    /** One sentence for the model. */
    public val description: String

    /** JSON Schema of the arguments; its root is an object. */
    public val parameters: JsonObject

    /** Longest time for one call, milliseconds; the call is cancelled after it. */
    public val timeLimitMs: Long get() = 30_000

    /**
     * Runs it. An [EngineException] keeps its code, a timeout inside the tool is one of the call, and any other
     * exception fails the call as a defect of the tool; the exploration goes on. Cancelled when nobody waits for the
     * result any more. Begins on a thread of the library, which it may block.
     */
    public suspend fun call(arguments: JsonObject): ToolResult
}

/** What a tool found. */
@Serializable
public data class ToolResult(
    /** One sentence. */
    val summary: String,
    /** The whole result as text for a model. */
    val content: String,
    /** The lines of files that [content] shows: the only lines an answer may cite. */
    val lines: List<SourceLine> = emptyList(),
    /** What was cut, in a sentence. */
    val truncated: String? = null,
    /** Whether this is an error that the reasoner should see. */
    @SerialName("is_error") val isError: Boolean = false,
)

/** The host's tools; a later one of the same name replaces the earlier. Safe to use from any thread. */
public class ToolRegistry(tools: Iterable<Tool> = emptyList()) {
    private val tools = ConcurrentHashMap<String, Tool>()

    init {
        tools.forEach(::register)
    }

    /** Adds a tool. An engine takes over those that are there when it is opened. */
    public fun register(tool: Tool) {
        tools[tool.name] = tool
    }

    /** The tool of this name. */
    public operator fun get(name: String): Tool? = tools[name]

    internal fun specs(): List<ToolSpec> = tools.values.sortedBy(Tool::name)
        .map { ToolSpec(it.name, it.description, it.parameters, it.timeLimitMs) }
}

@Serializable
internal data class ToolSpec(
    val name: String,
    val description: String,
    val parameters: JsonElement,
    @SerialName("time_limit_ms") val timeLimitMs: Long,
)
