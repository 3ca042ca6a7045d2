package dev.ouro.ide.tools

import dev.ouro.bridge.Tool
import dev.ouro.bridge.ToolResult
import dev.ouro.ide.code.CallLimits
import dev.ouro.ide.code.Direction
import kotlinx.serialization.json.JsonObject
import kotlin.time.Duration
import kotlin.time.Duration.Companion.seconds

/** Follows calls through the IDE's own syntax trees. */
internal fun interface CallResolver {
    /** The calls from [symbol] on; `null` when the IDE knows no such symbol in a language that it can follow. */
    suspend fun follow(symbol: String, direction: Direction, limits: CallLimits): ToolResult?
}

/** Follows calls as the compiler resolves them; languages that the IDE doesn't resolve go to the native tool. */
internal class CallChainTool(
    private val resolver: CallResolver?,
    private val native: NativeTools,
    private val budget: Duration = 10.seconds,
) : Tool {
    override val name: String = "call_chain"
    override val description: String =
        "Follows the calls of a function as the compiler resolves them: who calls it, or what it calls."
    override val parameters: JsonObject = schema(
        Parameter("symbol", "string", "`name`, `Type.method`, or `path#name` for one of several"),
        Parameter("direction", "string", "callers by default", DIRECTIONS),
        Parameter("depth", "integer", "how many calls to follow, 1 to $DEEPEST, 2 by default"),
    )

    override suspend fun call(arguments: JsonObject): ToolResult {
        val given = Arguments(name, arguments)
        val symbol = given.text("symbol")
        val direction = when (given.choice("direction", DIRECTIONS)) {
            "callees" -> Direction.CALLEES
            else -> Direction.CALLERS
        }
        val depth = given.number("depth", DEFAULT_DEPTH, 1..DEEPEST)
        val found = resolver?.follow(symbol, direction, CallLimits(depth, time = budget))
        val isReadable = found != null && found.lines.map { it.path }.distinct().all { native.isReadable(it) }
        // What was found in a file that must not be read is left to the tool that knows how to leave it out.
        return if (found == null || !isReadable || found.lines.isEmpty()) native.call(name, arguments) else found
    }

    private companion object {
        val DIRECTIONS = listOf("callers", "callees")
        const val DEFAULT_DEPTH = 2
        const val DEEPEST = 5
    }
}
