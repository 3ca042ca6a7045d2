package dev.ouro.ide.actions

/** Most characters of selected code that a question holds. */
private const val MOST_CHARACTERS = 400

/** Selected code on one line, as a question can hold it, with the name of its file. */
internal fun selectionAsText(selected: String, file: String): String {
    val line = selected.trim().replace(Regex("\\s+"), " ")
    val cut = if (line.length <= MOST_CHARACTERS) line else line.take(MOST_CHARACTERS).trimEnd() + "…"
    return if (file.isEmpty()) "`$cut`" else "`$cut` ($file)"
}
