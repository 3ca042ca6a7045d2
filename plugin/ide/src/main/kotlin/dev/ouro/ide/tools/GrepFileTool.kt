package dev.ouro.ide.tools

import dev.ouro.bridge.Tool
import dev.ouro.bridge.ToolResult
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.ensureActive
import kotlinx.serialization.json.JsonObject
import java.util.regex.Pattern
import java.util.regex.PatternSyntaxException
import kotlin.time.Duration
import kotlin.time.Duration.Companion.seconds
import kotlin.time.TimeSource

/** Finds lines by a regular expression, in the files that the IDE's index of words leaves, unsaved changes included. */
internal class GrepFileTool(
    private val files: ProjectFiles,
    private val native: NativeTools,
    private val budget: Duration = 10.seconds,
    private val time: TimeSource = TimeSource.Monotonic,
) : Tool {
    override val name: String = "grep_file"
    override val description: String =
        "Finds the lines of the project's files that match a regular expression; unsaved changes included."
    override val parameters: JsonObject = schema(
        Parameter("pattern", "string", "a regular expression within one line; (?i) for any case"),
        Parameter("glob", "string", "in which files: `*.kt`, `src/**/*.py`, a file or a folder; all by default"),
        Parameter("max", "integer", "most lines to show, 1 to $MOST, $DEFAULT by default"),
    )

    override suspend fun call(arguments: JsonObject): ToolResult {
        val given = Arguments(name, arguments)
        val pattern = given.text("pattern")
        val max = given.number("max", DEFAULT, 1..MOST)
        val glob = PathPattern.parse(given.textOrNull("glob").orEmpty())
        val word = requiredWord(pattern)
        val regex = compile(pattern)
        // Without a word the index is of no use, and the native tool reads the disk faster.
        if (glob == null || word == null || regex == null) return native.call(name, arguments)
        val hits = search(regex, files.withWord(word, MOST_FILES, glob::selects), max)
        if (hits.lines.isEmpty()) return native.call(name, arguments)
        return write(pattern, hits)
    }

    private class Hit(val path: String, val line: Int, val text: String)

    private class Hits(val lines: List<Hit>, val ended: Ended) {
        val files: Int get() = lines.distinctBy(Hit::path).size
    }

    /** Why a search ended. */
    private enum class Ended { ALL_SEARCHED, MOST_FOUND, MOST_FILES_SEARCHED, OUT_OF_TIME }

    private suspend fun search(regex: Pattern, paths: List<String>, max: Int): Hits {
        val hits = ArrayList<Hit>()
        val deadline = time.markNow() + budget
        for (path in paths) {
            currentCoroutineContext().ensureActive()
            val text = files.text(path) ?: continue
            var isFirst = true
            var number = 0
            for (line in text.lineSequence()) {
                number++
                if (deadline.hasPassedNow()) return Hits(hits, Ended.OUT_OF_TIME)
                if (!regex.matcher(line.take(MOST_SEARCHED)).find()) continue
                if (isFirst && !native.isReadable(path)) break
                isFirst = false
                if (hits.size == max) return Hits(hits, Ended.MOST_FOUND)
                hits += Hit(path, number, line.take(MOST_SHOWN))
            }
        }
        return Hits(hits, if (paths.size < MOST_FILES) Ended.ALL_SEARCHED else Ended.MOST_FILES_SEARCHED)
    }

    private fun write(pattern: String, hits: Hits): ToolResult {
        val page = Page()
        val shown = hits.lines.takeWhile {
            page.pushSource("${it.path}:${it.line}: ${it.text}", it.path, it.line, it.text)
        }.size
        val cut = listOfNotNull(
            when (hits.ended) {
                Ended.ALL_SEARCHED -> null
                Ended.MOST_FOUND -> "the search ended after ${count(hits.lines.size, "match")}"
                Ended.MOST_FILES_SEARCHED -> "the search ended after ${count(MOST_FILES, "file")}; use a narrower glob"
                Ended.OUT_OF_TIME -> "the search took too long and was ended"
            },
            "$shown of ${hits.lines.size} matches are shown".takeIf { shown < hits.lines.size },
        ).joinToString("; ").ifEmpty { null }
        val atLeast = if (hits.ended == Ended.ALL_SEARCHED) "" else "at least "
        val (matches, files) = count(hits.lines.size, "match") to count(hits.files, "file")
        return page.finish("$atLeast$matches of `$pattern` in $files", cut)
    }

    private fun compile(pattern: String): Pattern? = try {
        Pattern.compile(pattern)
    } catch (_: PatternSyntaxException) {
        null
    }

    internal companion object {
        private const val DEFAULT = 100
        private const val MOST = 500
        private const val MOST_FILES = 2_000
        private const val MOST_SHOWN = 240

        /** Characters of a line that are searched: a pattern can be slow on long lines. */
        private const val MOST_SEARCHED = 2_000

        private const val BOUNDARY = '\u0001'
        private const val ANYTHING = '\u0002'
        private val WORD = Regex("(?<=[^A-Za-z0-9_$ANYTHING])[A-Za-z_][A-Za-z0-9_]{2,}(?=[^A-Za-z0-9_$ANYTHING])")

        /**
         * The longest word that every match must contain as a whole word, for that is what the index knows; `null`
         * where the pattern has choices, repetitions or no such word.
         */
        fun requiredWord(pattern: String): String? {
            val literal = pattern
                .replace("\\b", "$BOUNDARY").replace("\\s", " ")
                .replace(Regex("""\\([^A-Za-z0-9])"""), "$BOUNDARY")
            if (literal.any { it in "\\|?*+{}[]()" }) return null
            val marked = literal.replace('^', BOUNDARY).replace('$', BOUNDARY).replace('.', ANYTHING)
            return WORD.findAll("$ANYTHING$marked$ANYTHING").map { it.value }.maxByOrNull(String::length)
        }
    }
}
