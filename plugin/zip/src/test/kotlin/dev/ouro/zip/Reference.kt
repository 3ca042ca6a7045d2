package dev.ouro.zip

import java.io.ByteArrayInputStream
import java.io.DataInputStream

/** A method that a class calls: `com/intellij/Some.method(I)V`. */
internal data class Reference(val owner: String, val name: String, val descriptor: String) {
    override fun toString(): String = "$owner.$name$descriptor"
}

/** The methods that a class file names, by the format of class files in the JVM's specification. */
internal fun references(classFile: ByteArray): List<Reference> {
    val input = DataInputStream(ByteArrayInputStream(classFile))
    input.skipBytes(MAGIC_AND_VERSION)
    val size = input.readUnsignedShort()
    val texts = HashMap<Int, String>()
    val pairs = HashMap<Int, Pair<Int, Int>>()
    val methods = ArrayList<Int>()
    var index = 1
    while (index < size) {
        when (val tag = input.readUnsignedByte()) {
            UTF8 -> texts[index] = input.readUTF()
            CLASS, STRING, METHOD_TYPE, MODULE, PACKAGE -> pairs[index] = input.readUnsignedShort() to 0
            METHOD_HANDLE -> input.skipBytes(METHOD_HANDLE_SIZE)
            LONG, DOUBLE -> {
                input.skipBytes(Long.SIZE_BYTES)
                // They take two places.
                index++
            }
            INTEGER, FLOAT -> input.skipBytes(Int.SIZE_BYTES)
            else -> {
                pairs[index] = input.readUnsignedShort() to input.readUnsignedShort()
                if (tag == METHOD || tag == INTERFACE_METHOD) methods += index
            }
        }
        index++
    }
    return methods.map { method ->
        val (owner, signature) = pairs.getValue(method)
        val (name, descriptor) = pairs.getValue(signature)
        Reference(texts.getValue(pairs.getValue(owner).first), texts.getValue(name), texts.getValue(descriptor))
    }
}

private const val MAGIC_AND_VERSION = 8
private const val UTF8 = 1
private const val INTEGER = 3
private const val FLOAT = 4
private const val LONG = 5
private const val DOUBLE = 6
private const val CLASS = 7
private const val STRING = 8
private const val METHOD = 10
private const val INTERFACE_METHOD = 11
private const val METHOD_HANDLE = 15
private const val METHOD_HANDLE_SIZE = 3
private const val METHOD_TYPE = 16
private const val MODULE = 19
private const val PACKAGE = 20
