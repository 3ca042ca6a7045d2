package dev.ouro.view

import dev.ouro.bridge.Endpoint
import dev.ouro.view.base.Messages
import java.net.URI

/** What the user is asked before learning starts: what is read, what is sent where, and what is never sent. */
public data class Consent(
    /** The question. */
    val title: String,
    /** What is read, what is sent where, and what is never sent. */
    val text: String,
    /** The yes button's text. */
    val accept: String,
    /** The no button's text. */
    val decline: String,
    /** The text of the button that opens the settings. */
    val settings: String,
) {
    /** Words the question. */
    public companion object {
        /** The question for a project and the servers that are chosen. Without one, nothing is sent. */
        public fun of(project: String, model: Endpoint?, embedder: Endpoint?, messages: Messages): Consent {
            val sent = listOfNotNull(
                model?.let { messages.text("consent.model", host(it)) },
                embedder?.let { messages.text("consent.embedder", host(it)) },
            ).ifEmpty { listOf(messages.text("consent.offline")) }
            return Consent(
                messages.text("consent.title", project),
                (listOf(messages.text("consent.text")) + sent + messages.text("consent.never")).joinToString(" "),
                messages.text("consent.accept"),
                messages.text("consent.decline"),
                messages.text("consent.settings"),
            )
        }

        private fun host(endpoint: Endpoint): String =
            runCatching { URI(endpoint.baseUrl).host }.getOrNull() ?: endpoint.baseUrl
    }
}
