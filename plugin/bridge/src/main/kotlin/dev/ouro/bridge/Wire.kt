package dev.ouro.bridge

import kotlinx.serialization.ExperimentalSerializationApi
import kotlinx.serialization.MissingFieldException
import kotlinx.serialization.SerialName
import kotlinx.serialization.Serializable
import kotlinx.serialization.SerializationException
import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.encodeToJsonElement
import kotlinx.serialization.serializer

/** The JSON that crosses the border: unknown fields are ignored, missing ones are an error that names them. */
internal object Wire {
    const val SCHEMA_VERSION: Int = 1

    // Names are given at each property: a naming strategy would look every one up again, for every object.
    @OptIn(ExperimentalSerializationApi::class)
    val json: Json = Json {
        ignoreUnknownKeys = true
        encodeDefaults = true
        explicitNulls = false
        useAlternativeNames = false
    }

    @OptIn(ExperimentalSerializationApi::class)
    inline fun <reified T> read(what: String, bytes: ByteArray): T = try {
        WireDecoder.read(serializer<T>(), bytes)
    } catch (error: MissingFieldException) {
        val fields = error.missingFields.joinToString { "`$it`" }
        throw EngineException.BadReply("$what can't be read: missing $fields")
    } catch (error: SerializationException) {
        throw EngineException.BadReply("$what can't be read: ${error.message}")
    }

    inline fun <reified T> write(value: T): ByteArray = json.encodeToString(value).encodeToByteArray()

    /** For what the host gives: JSON has no infinite numbers. What the error says further shows all of it, keys too. */
    inline fun <reified T> tree(value: T): JsonElement = try {
        json.encodeToJsonElement(value)
    } catch (error: SerializationException) {
        val why = error.message.orEmpty().substringBefore(". ")
        throw EngineException.InvalidInput("what was given can't be written as JSON: $why")
    }
}

/** A failure as it crosses the border. */
@Serializable
internal data class Failure(
    val code: String,
    val message: String,
    @SerialName("retry_after_ms") val retryAfterMs: Long? = null,
) {
    companion object {
        fun of(error: EngineException) = Failure(error.code, error.message.orEmpty(), error.retryAfterMs)
    }
}
