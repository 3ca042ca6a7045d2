package dev.ouro.ide.tools

import dev.ouro.bridge.SourceLine
import dev.ouro.bridge.ToolResult

/**
 * A result that is being written, cut at its limit line by line, so that what it shows and what may be cited stay the
 * same.
 */
internal class Page(private val limit: Int = MOST_CHARACTERS) {
    private val content = StringBuilder()
    private val lines = ArrayList<SourceLine>()
    private var isFull = false

    /** Adds a line that is no file's; false and nothing when it doesn't fit. A page that is full stays so. */
    fun push(line: String): Boolean {
        if (isFull || content.length + line.length + 1 > limit - NOTE) {
            isFull = true
            return false
        }
        content.append(line).append('\n')
        return true
    }

    /** Adds a line that shows [text], the line [number] of a file. */
    fun pushSource(shown: String, path: String, number: Int, text: String): Boolean =
        push(shown).also { if (it) lines += SourceLine(path, number, text) }

    /** The result. What was cut is said in it, too. */
    fun finish(summary: String, truncated: String?): ToolResult {
        truncated?.let { content.append("[${it.take(NOTE - 2)}]") }
        return ToolResult(summary, content.toString(), lines, truncated)
    }

    internal companion object {
        /** What an exploration reads of one result. */
        const val MOST_CHARACTERS = 16_000

        /** Kept free for what was cut. */
        private const val NOTE = 200
    }
}

/** `1 line`, `2 lines`. */
internal fun count(number: Int, word: String): String = when {
    number == 1 -> "1 $word"
    word.endsWith("ch") -> "$number ${word}es"
    else -> "$number ${word}s"
}
