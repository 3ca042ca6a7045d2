package dev.ouro.ide.tools

import java.nio.file.FileSystems
import java.nio.file.Path
import java.nio.file.PathMatcher
import java.util.regex.PatternSyntaxException

/** Which files somebody means by `*.kt`, globs over paths, `src/` or `guard`. */
internal class PathPattern private constructor(
    private val plain: String,
    private val matcher: PathMatcher?,
    private val overPath: Boolean,
) {
    /**
     * Whether a file is meant where the pattern says in which files to look: wildcards, a file, its name, or a folder.
     */
    fun selects(path: String): Boolean {
        if (matcher != null) return matches(path)
        val lower = path.lowercase()
        val isBelow = lower.startsWith("${plain.trimEnd('/')}/")
        return plain.isEmpty() || lower == plain || lower.substringAfterLast('/') == plain || isBelow
    }

    /**
     * Whether a file is meant where the pattern says which files to find: wildcards, or a part of the path in any
     * case.
     */
    fun finds(path: String): Boolean = if (matcher != null) matches(path) else plain in path.lowercase()

    /** Whether a file of this name can be meant at all, wherever it lies. */
    fun canBeNamed(name: String): Boolean = when {
        matcher == null -> '/' in plain || plain in name.lowercase()
        overPath -> true
        else -> matches(name)
    }

    private fun matches(path: String): Boolean =
        matcher!!.matches(Path.of(if (overPath) path else path.substringAfterLast('/')))

    internal companion object {
        /** Reads a pattern; `null` for one that can't be read. */
        fun parse(pattern: String): PathPattern? {
            val trimmed = pattern.trim().removePrefix("./").trimStart('/')
            if (trimmed.none { it in "*?[{" }) return PathPattern(trimmed.lowercase(), null, false)
            val whole = if (trimmed.endsWith('/')) "$trimmed**" else trimmed
            // `**/` means any folder or none; in Java's globs it means at least one.
            val glob = whole.replace("**/", "{**/,}")
            return try {
                PathPattern("", FileSystems.getDefault().getPathMatcher("glob:$glob"), '/' in whole)
            } catch (_: PatternSyntaxException) {
                null
            }
        }
    }
}
