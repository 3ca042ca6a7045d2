package dev.ouro.ide.tools

import dev.ouro.bridge.Tool
import dev.ouro.bridge.ToolResult
import kotlinx.serialization.json.JsonObject

/** Finds files by the IDE's index of names. */
internal class FindFileTool(private val files: ProjectFiles, private val native: NativeTools) : Tool {
    override val name: String = "find_file"
    override val description: String = "Finds files of the project by a glob, or by a part of their path in any case."
    override val parameters: JsonObject =
        schema(Parameter("pattern", "string", "`*.kt`, `src/**/*.py`, or a part of the path such as `guard`"))

    override suspend fun call(arguments: JsonObject): ToolResult {
        val wanted = Arguments(name, arguments).text("pattern")
        val pattern = PathPattern.parse(wanted) ?: return native.call(name, arguments)
        val found = files.named(MOST_LOOKED_AT, pattern::canBeNamed)
            .filter(pattern::finds)
            .sortedWith(compareBy({ it.count { c -> c == '/' } }, { it }))
        val readable = found.take(MOST_NAMED).filter { native.isReadable(it) }
        // It knows near misses, and files that the index doesn't have.
        if (readable.isEmpty()) return native.call(name, arguments)
        val page = Page()
        val shown = readable.takeWhile(page::push).size
        val missing = found.size - readable.size + (readable.size - shown)
        val isCut = found.size > MOST_NAMED || shown < readable.size
        val cut = if (isCut) "$missing more are not named; use a narrower pattern" else null
        return page.finish("${count(readable.size, "file")} for `$wanted`", cut)
    }

    private companion object {
        const val MOST_LOOKED_AT = 20_000
        const val MOST_NAMED = 200
    }
}
