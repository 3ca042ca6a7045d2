package dev.ouro.bridge

import kotlinx.serialization.DeserializationStrategy
import kotlinx.serialization.ExperimentalSerializationApi
import kotlinx.serialization.SerializationException
import kotlinx.serialization.descriptors.PrimitiveKind
import kotlinx.serialization.descriptors.SerialDescriptor
import kotlinx.serialization.descriptors.SerialKind
import kotlinx.serialization.descriptors.StructureKind
import kotlinx.serialization.descriptors.elementNames
import kotlinx.serialization.encoding.AbstractDecoder
import kotlinx.serialization.encoding.CompositeDecoder
import kotlinx.serialization.modules.EmptySerializersModule
import kotlinx.serialization.modules.SerializersModule
import java.util.concurrent.ConcurrentHashMap

/**
 * Reads the library's JSON where it lies, as bytes. A list of records takes half the time that it takes [Wire.json],
 * which makes one string of all of it first, and another of every field's name.
 *
 * It reads classes, lists, enums and primitives. The rest (free JSON, sealed classes, strings with escapes) is handed
 * to [Wire.json].
 */
@OptIn(ExperimentalSerializationApi::class)
internal class WireDecoder private constructor(private val input: Input, private val end: Char?) : AbstractDecoder() {
    override val serializersModule: SerializersModule = EmptySerializersModule()
    private var count = 0
    private var last = -1

    override fun beginStructure(descriptor: SerialDescriptor): CompositeDecoder {
        val isList = descriptor.kind == StructureKind.LIST
        input.take(if (isList) '[' else '{')
        return WireDecoder(input, if (isList) ']' else '}')
    }

    override fun decodeElementIndex(descriptor: SerialDescriptor): Int {
        while (input.peek() != end) {
            if (count > 0) input.take(',')
            val index = if (end == ']') count else input.name(Names.of(descriptor), last + 1)
            count++
            if (index >= 0) return index.also { last = it }
            input.skip()
        }
        input.take(end)
        return CompositeDecoder.DECODE_DONE
    }

    override fun <T> decodeSerializableValue(deserializer: DeserializationStrategy<T>): T =
        when (deserializer.descriptor.kind) {
            StructureKind.CLASS, StructureKind.LIST, SerialKind.ENUM, is PrimitiveKind -> deserializer.deserialize(this)
            else -> Wire.json.decodeFromString(deserializer, input.value())
        }

    override fun decodeNotNullMark(): Boolean = input.peek() != 'n'

    override fun decodeNull(): Nothing? = null.also { input.word("null") }

    override fun decodeBoolean(): Boolean = (input.peek() == 't').also { input.word(if (it) "true" else "false") }

    override fun decodeInt(): Int {
        val number = decodeLong()
        return number.toInt().also { if (it.toLong() != number) input.fail("$number is too large") }
    }

    override fun decodeLong(): Long = input.integer()

    override fun decodeFloat(): Float = input.value().let { it.toFloatOrNull() ?: input.fail("$it is no number") }

    override fun decodeDouble(): Double = input.value().let { it.toDoubleOrNull() ?: input.fail("$it is no number") }

    override fun decodeString(): String = input.string()

    override fun decodeEnum(enumDescriptor: SerialDescriptor): Int {
        val name = input.string()
        val index = enumDescriptor.getElementIndex(name)
        if (index < 0) input.fail("$name is no ${enumDescriptor.serialName}")
        return index
    }

    /** The names of a class's fields as bytes. */
    private class Names(descriptor: SerialDescriptor) {
        private val all = descriptor.elementNames.map { "\"$it\"".encodeToByteArray() }

        /** Which of them stands [at] this place, or -1. They mostly come in their order: [next] is tried first. */
        fun find(bytes: ByteArray, at: Int, next: Int): Int {
            for (tried in all.indices) {
                val index = if (next + tried < all.size) next + tried else next + tried - all.size
                if (bytes.holds(all[index], at)) return index
            }
            return -1
        }

        fun length(index: Int): Int = all[index].size

        companion object {
            private val known = ConcurrentHashMap<SerialDescriptor, Names>()

            fun of(descriptor: SerialDescriptor): Names =
                known[descriptor] ?: Names(descriptor).also { known[descriptor] = it }
        }
    }

    /** The bytes, and how far they are read. */
    private class Input(private val bytes: ByteArray) {
        private var at = 0

        fun fail(what: String): Nothing = throw SerializationException("$what, at byte $at")

        /** The next character but space, which is not taken. */
        fun peek(): Char {
            while (at < bytes.size && bytes[at] in 0..SPACE) at++
            if (at == bytes.size) fail("it ends too early")
            return bytes[at].toInt().toChar()
        }

        /** Says that nothing but space may follow. */
        fun end() {
            while (at < bytes.size && bytes[at] in 0..SPACE) at++
            if (at < bytes.size) fail("something follows the end")
        }

        fun take(char: Char?) {
            val there = peek()
            if (there != char) fail("$there stands where $char must")
            at++
        }

        fun word(word: String) {
            if (!bytes.holds(word.encodeToByteArray(), at)) fail("$word is missing")
            at += word.length
        }

        fun integer(): Long {
            val isNegative = peek() == '-'
            val first = at
            if (isNegative) at++
            var number = 0L
            while (at < bytes.size && bytes[at] in ZERO..NINE) number = number * 10 + (bytes[at++] - ZERO)
            return when (at - first) {
                in 2..SAFE_DIGITS -> if (isNegative) -number else number
                // None, one alone, or so many that they may not fit.
                else -> text(first, at).let { it.toLongOrNull() ?: fail("$it is no whole number") }
            }
        }

        fun string(): String {
            if (peek() != '"') fail("a string is missing")
            val first = at
            val plain = skipString()
            return if (plain) text(first + 1, at - 1) else Wire.json.decodeFromString(text(first, at))
        }

        /** Takes a name and its colon: which of the known ones it is, or -1. */
        fun name(names: Names, next: Int): Int {
            if (peek() != '"') fail("a name is missing")
            val index = names.find(bytes, at, next)
            if (index >= 0) at += names.length(index) else skipString()
            take(':')
            return index
        }

        /** Takes a whole value, whatever it is, and gives its text. */
        fun value(): String {
            peek()
            val first = at
            skip()
            return text(first, at)
        }

        /** Takes a whole value. */
        fun skip() {
            var depth = 0
            do {
                val first = peek()
                if (depth == 0 && first in "}],:") fail("a value is missing")
                when (first) {
                    '"' -> skipString()
                    '{', '[' -> depth++.also { at++ }
                    '}', ']' -> depth--.also { at++ }
                    ',', ':' -> at++
                    else -> while (at < bytes.size && bytes[at] !in ENDS) at++
                }
            } while (depth > 0)
        }

        /** Takes a string; whether its text is what stands there. */
        private fun skipString(): Boolean {
            var plain = true
            at++
            while (true) {
                if (at >= bytes.size) fail("a string has no end")
                when (bytes[at++]) {
                    QUOTE -> return plain
                    ESCAPE -> {
                        plain = false
                        at++
                    }
                }
            }
        }

        private fun text(first: Int, end: Int) = String(bytes, first, end - first, Charsets.UTF_8)
    }

    companion object {
        private const val SPACE = ' '.code.toByte()
        private const val QUOTE = '"'.code.toByte()
        private const val ESCAPE = '\\'.code.toByte()
        private const val ZERO = '0'.code.toByte()
        private const val NINE = '9'.code.toByte()

        /** So many always fit into a [Long]. */
        private const val SAFE_DIGITS = 18

        /** What a number and a word end with. */
        private val ENDS = ",:]} \n\r\t".encodeToByteArray()

        fun <T> read(deserializer: DeserializationStrategy<T>, bytes: ByteArray): T {
            val input = Input(bytes)
            return WireDecoder(input, null).decodeSerializableValue(deserializer).also { input.end() }
        }

        private fun ByteArray.holds(part: ByteArray, at: Int): Boolean {
            if (at + part.size > size) return false
            for (index in part.indices) if (this[at + index] != part[index]) return false
            return true
        }
    }
}
