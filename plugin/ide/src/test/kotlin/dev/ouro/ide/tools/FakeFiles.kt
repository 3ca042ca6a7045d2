package dev.ouro.ide.tools

import dev.ouro.bridge.EngineException
import dev.ouro.bridge.SourceLine
import dev.ouro.bridge.Tool
import dev.ouro.bridge.ToolResult
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive

/** Files of an IDE: what the disk has, what is unsaved, and what is excluded. */
internal class FakeFiles(
    private val saved: Map<String, String>,
    private val unsaved: Map<String, String> = emptyMap(),
    private val excluded: Set<String> = emptySet(),
) : ProjectFiles {
    private val own get() = (saved.keys + unsaved.keys - excluded).sorted()

    override suspend fun state(path: String): FileState = when (path) {
        in excluded -> FileState.Outside
        in unsaved -> FileState.Unsaved(unsaved.getValue(path))
        in saved -> FileState.Saved
        else -> FileState.Unknown
    }

    override suspend fun text(path: String): String? = if (path in excluded) null else unsaved[path] ?: saved[path]

    override suspend fun withWord(word: String, limit: Int, accepts: (String) -> Boolean): List<String> =
        own.filter { accepts(it) && Regex("\\b$word\\b").containsMatchIn(text(it).orEmpty()) }.take(limit)

    override suspend fun named(limit: Int, accepts: (String) -> Boolean): Named {
        val all = own.filter { accepts(it.substringAfterLast('/')) }
        return Named(all.take(limit), isCut = all.size > limit)
    }
}

/** The native tools: [secrets] are refused, everything else is answered by naming the call. */
internal class FakeNative(private val secrets: Set<String> = emptySet()) {
    val calls = mutableListOf<String>()
    val tools = NativeTools(::tool)

    private fun tool(name: String) = object : Tool {
        override val name = name
        override val description = ""
        override val parameters = JsonObject(emptyMap())

        override suspend fun call(arguments: JsonObject): ToolResult {
            val path = (arguments["path"] as? JsonPrimitive)?.content.orEmpty()
            if (path in secrets) throw EngineException.Refused("`$path` is not read: files of this name hold secrets")
            calls += "$name $arguments"
            return ToolResult("native $name", "native", listOf(SourceLine(path, 1, "x")))
        }
    }
}
