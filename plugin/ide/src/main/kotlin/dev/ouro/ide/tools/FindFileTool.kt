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
        val named = files.named(MOST_LOOKED_AT, pattern::canBeNamed)
        val found = named.paths.filter(pattern::finds)
            .sortedWith(compareBy({ it.count { c -> c == '/' } }, { it }))
        val readable = found.take(MOST_NAMED).filter { native.isReadable(it) }
        // It knows near misses, and files that the index doesn't have.
        if (readable.isEmpty()) return native.call(name, arguments)
        val page = Page()
        val shown = readable.takeWhile(page::push).size
        val missing = found.size - readable.size + (readable.size - shown)
        val isShort = found.size > MOST_NAMED || shown < readable.size
        val cut = listOfNotNull(
            "$missing more are not named; use a narrower pattern".takeIf { isShort },
            "only the first $MOST_LOOKED_AT files of such a name were looked at; give more of the name, $WITHOUT_FOLDER"
                .takeIf { named.isCut },
        ).joinToString("; ").ifEmpty { null }
        val least = if (named.isCut) "at least " else ""
        return page.finish("$least${count(readable.size, "file")} for `$wanted`", cut)
    }

    private companion object {
        const val MOST_LOOKED_AT = 20_000
        const val MOST_NAMED = 200

        /** Only names are indexed: with a folder in the pattern, every file has to be looked at. */
        const val WITHOUT_FOLDER = "without its folder"
    }
}
