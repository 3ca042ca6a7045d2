package dev.ouro.view.settings

import java.net.URI
import java.net.URISyntaxException

/** Whether both URLs lead to one server over one protocol: only then may the key for one be sent to the other. */
public fun isSameServer(one: String, other: String): Boolean {
    val server = server(one) ?: return false
    return server == server(other)
}

private fun server(url: String): Pair<String, String>? = try {
    URI(url.trim()).run { scheme?.lowercase()?.let { scheme -> authority?.let { scheme to it.lowercase() } } }
} catch (_: URISyntaxException) {
    null
}
