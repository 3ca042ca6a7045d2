package dev.ouro.bridge

import kotlinx.serialization.ExperimentalSerializationApi
import kotlinx.serialization.MissingFieldException
import kotlinx.serialization.Serializable
import kotlinx.serialization.SerializationException
import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonNamingStrategy

/** The JSON that crosses the border: unknown fields are ignored, missing ones are an error that names them. */
internal object Wire {
    const val SCHEMA_VERSION: Int = 1

    @OptIn(ExperimentalSerializationApi::class)
    val json: Json = Json {
        ignoreUnknownKeys = true
        encodeDefaults = true
        explicitNulls = false
        namingStrategy = JsonNamingStrategy.SnakeCase
    }

    @OptIn(ExperimentalSerializationApi::class)
    inline fun <reified T> read(what: String, bytes: ByteArray): T =
        try {
            json.decodeFromString<T>(bytes.decodeToString())
        } catch (error: MissingFieldException) {
            throw EngineException.BadReply("$what can't be read: ${missing(error)}")
        } catch (error: SerializationException) {
            throw EngineException.BadReply("$what can't be read: ${error.message}")
        }

    /** Names fields as they are called in JSON, not as the properties are. */
    @OptIn(ExperimentalSerializationApi::class)
    fun missing(error: MissingFieldException): String = error.missingFields
        .joinToString(prefix = "missing ") { field ->
            "`${field.replace(Regex("[A-Z]")) { "_" + it.value.lowercase() }}`"
        }

    inline fun <reified T> write(value: T): ByteArray = json.encodeToString(value).encodeToByteArray()
}

/** A failure as it crosses the border. */
@Serializable
internal data class Failure(
    val code: String,
    val message: String,
    val retryAfterMs: Long? = null,
) {
    companion object {
        fun of(error: EngineException) = Failure(error.code, error.message.orEmpty(), error.retryAfterMs)
    }
}
