package dev.ouro.ide.tools

/** What the IDE knows of a file of the project. */
internal sealed interface FileState {
    /** It is the project's, and the disk has what the user sees. */
    data object Saved : FileState

    /** It is the project's, and the user sees [text]. */
    data class Unsaved(val text: String) : FileState

    /** It is not in the project's content, or is excluded from it. */
    data object Outside : FileState

    /** The IDE knows no such file. */
    data object Unknown : FileState
}

/**
 * The project's files as the IDE has them. Paths are relative to the project's folder and `/`-separated. Reads in
 * short read actions that give way to writes; what is not in the content or excluded is never named.
 */
internal interface ProjectFiles {
    /** What is known of the file at [path]. */
    suspend fun state(path: String): FileState

    /** The text of a file of the project as the user sees it; `null` for what is no text or too large. */
    suspend fun text(path: String): String?

    /**
     * Files that may hold [word], by the index, and whose path [accepts] says yes to; at most [limit]. Waits for the
     * index.
     */
    suspend fun withWord(word: String, limit: Int, accepts: (String) -> Boolean): List<String>

    /** Files whose name [accepts] says yes to, by the index; at most [limit]. Waits for the index. */
    suspend fun named(limit: Int, accepts: (String) -> Boolean): Named
}

/** Files that were found by their name; [isCut] when there may be more. */
internal class Named(val paths: List<String>, val isCut: Boolean)
