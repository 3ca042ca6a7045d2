package dev.ouro.ide.tools

import dev.ouro.bridge.EngineException
import dev.ouro.bridge.Tool
import dev.ouro.bridge.ToolResult
import kotlinx.serialization.json.JsonObject

/** Shows a file as the user sees it: with changes that were not saved yet. */
internal class ReadFileTool(private val files: ProjectFiles, private val native: NativeTools) : Tool {
    override val name: String = "read_file"
    override val description: String =
        "Shows a file of the project, or some of its lines, each with its number; unsaved changes included."
    override val parameters: JsonObject = schema(
        Parameter("path", "string", "the file, relative to the project's folder"),
        Parameter("start_line", "integer", "first line, from 1"),
        Parameter("end_line", "integer", "last line, inclusive"),
    )

    override suspend fun call(arguments: JsonObject): ToolResult {
        val given = Arguments(name, arguments)
        val path = given.text("path").replace('\\', '/').removePrefix("./")
        val first = given.number("start_line", 1, 1..Int.MAX_VALUE)
        val last = given.number("end_line", Int.MAX_VALUE, 1..Int.MAX_VALUE)
        if (first > last) {
            throw EngineException.InvalidInput("$name: argument `start_line`: $first is after `end_line` $last")
        }
        return when (val state = files.state(path)) {
            FileState.Saved, FileState.Unknown -> native.call(name, arguments)
            FileState.Outside ->
                throw EngineException.Refused("`$path` is not read: it is excluded from the project in the IDE")
            is FileState.Unsaved -> {
                native.requireReadable(path)
                show(path, state.text, first, last)
            }
        }
    }

    private fun show(path: String, text: String, first: Int, last: Int): ToolResult {
        val lines = text.lines().let { if (it.last().isEmpty()) it.dropLast(1) else it }
        if (first > maxOf(lines.size, 1)) {
            val has = count(lines.size, "line")
            val what = "argument `start_line`: $first is behind the end of $path, which has $has"
            throw EngineException.InvalidInput("$name: $what")
        }
        val page = Page()
        val end = minOf(last, lines.size)
        var shown = first - 1
        while (shown < end) {
            val line = lines[shown].take(LINE)
            if (!page.pushSource("${(shown + 1).toString().padStart(NUMBER)}| $line", path, shown + 1, line)) break
            shown++
        }
        val cut = if (shown < end) "lines ${shown + 1}-$end are cut; read on with start_line ${shown + 1}" else null
        return page.finish("$path: lines $first-$shown of ${lines.size}, with unsaved changes", cut)
    }

    private companion object {
        /** Most characters of a line that are shown. */
        const val LINE = 500

        /** The width of a line's number. */
        const val NUMBER = 5
    }
}
