package dev.ouro.ide.settings

/** Where a project's questions and excerpts of its code would be sent. */
internal class Destination(state: AppState) {
    /** What a consent is kept as; empty when nothing is sent. Another server, or one more, needs another consent. */
    val key: String =
        listOf(state.modelUrl, state.embedderUrl).map(String::trim).filter(String::isNotEmpty).joinToString(" ")

    /** Whether the user agreed to it. To send nothing needs no consent. */
    fun isAllowedBy(state: ProjectState): Boolean = key.isEmpty() || state.consent == key
}
