package dev.ouro.ide.tools

import dev.ouro.bridge.EngineException
import dev.ouro.bridge.Tool
import dev.ouro.bridge.ToolResult
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.buildJsonObject
import kotlinx.serialization.json.put

/**
 * The native library's own tools. They are asked where the IDE knows nothing better, and before the IDE's text of a
 * file is handed out: what they refuse (secrets, ignored files, what the settings exclude) the IDE's tools refuse,
 * too.
 */
internal class NativeTools(private val find: (String) -> Tool?) {
    /** Calls the tool of this name. */
    suspend fun call(name: String, arguments: JsonObject): ToolResult {
        val tool = find(name)
            ?: throw EngineException.Unavailable("unavailable", "the engine is being opened: try again", 1_000)
        return tool.call(arguments)
    }

    /** Throws what the native library says against reading a file. */
    suspend fun requireReadable(path: String) {
        call(
            "read_file",
            buildJsonObject {
                put("path", path)
                put("start_line", 1)
                put("end_line", 1)
            },
        )
    }

    /** Whether a file may be read. */
    suspend fun isReadable(path: String): Boolean = try {
        requireReadable(path)
        true
    } catch (_: EngineException.Refused) {
        false
    } catch (_: EngineException.NotFound) {
        false
    } catch (_: EngineException.InvalidInput) {
        // It has no first line: it is empty on the disk.
        true
    }
}
