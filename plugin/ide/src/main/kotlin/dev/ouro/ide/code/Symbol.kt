package dev.ouro.ide.code

/** What somebody means by `name`, `Type.method`, `Type::method(String)` or `path#name`. */
internal data class Symbol(val name: String, val type: String?, val path: String?) {
    internal companion object {
        /** Reads it; `null` when there is no name in it. */
        fun parse(text: String): Symbol? {
            val path = text.substringBefore('#', "").ifEmpty { null }
            val whole = text.substringAfter('#').substringBefore('(').trim()
            val parts = whole.split(Regex("::|[.#]")).filter(String::isNotEmpty)
            val name = parts.lastOrNull()?.takeIf { it.all(Character::isJavaIdentifierPart) }
            return name?.let { Symbol(it, parts.dropLast(1).lastOrNull(), path) }
        }
    }
}
