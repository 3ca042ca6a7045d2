package dev.ouro.bridge

import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.buildJsonObject
import kotlinx.serialization.json.put

/**
 * Watches one session of an agent for loops: in the reply, in the reasoning and in its tool calls. Needs no engine.
 *
 * Each function that takes something in says whether the session is in a loop now; [found] tells more. Safe to use from
 * any thread.
 *
 * @constructor A session by this configuration, JSON of which anything may be left out.
 */
public class LoopDetector
@Throws(EngineException::class)
public constructor(config: String = "") : AutoCloseable {
    private val handle: Long

    init {
        NativeLibrary.load()
        handle = NativeApi.detectorOpen(config)
    }

    /** Reads more of the reply. A chunk may end inside a surrogate pair. */
    public fun content(text: String): Boolean = push(0, text)

    /** Reads more of the reasoning. */
    public fun reasoning(text: String): Boolean = push(1, text)

    /** The model is about to be asked. */
    public fun turnStarted(): Boolean = event(buildJsonObject { put("type", "turn_started") })

    /** The model called a tool. */
    public fun toolCall(name: String, arguments: JsonElement, callId: String? = null): Boolean = event(
        buildJsonObject {
            put("type", "tool_call")
            put("name", name)
            put("args", arguments)
            callId?.let { put("call_id", it) }
        },
    )

    /** A tool answered. */
    public fun toolResult(name: String, text: String, isError: Boolean = false, callId: String? = null): Boolean =
        event(
            buildJsonObject {
                put("type", "tool_result")
                put("name", name)
                put("text", text)
                put("is_error", isError)
                callId?.let { put("call_id", it) }
            },
        )

    /** The loop that the session is in. */
    public fun found(): DetectedLoop? = Wire.read("a detected loop", NativeApi.detectorFound(handle))

    /** Goes on after the loop was dealt with; the same one is found again sooner. */
    public fun acknowledge(): Unit = NativeApi.detectorAcknowledge(handle)

    /** Begins anew, with the prompt of this id. */
    public fun reset(promptId: String = ""): Unit = NativeApi.detectorReset(handle, promptId)

    /** Ends the session. Closing twice is no error; using it afterwards is [EngineException.Closed]. */
    override fun close() {
        try {
            NativeApi.detectorClose(handle)
        } catch (_: EngineException.Closed) {
            // Closed already.
        }
    }

    private fun push(channel: Int, text: String): Boolean {
        val length = text.length
        if (length > 2 * UNITS) return NativeApi.detectorPush(handle, channel, text, length)
        val first = packed(text, 0, minOf(length, UNITS))
        return NativeApi.detectorPushShort(handle, channel, length, first, packed(text, UNITS, length))
    }

    /** The code units from [start] to [end], the first in the lowest bits. */
    private fun packed(text: String, start: Int, end: Int): Long {
        var units = 0L
        for (at in end - 1 downTo start) units = (units shl Char.SIZE_BITS) or text[at].code.toLong()
        return units
    }

    private fun event(event: JsonElement): Boolean =
        NativeApi.detectorEvent(handle, event.toString().encodeToByteArray())

    private companion object {
        /** Code units that a number holds. */
        const val UNITS = Long.SIZE_BITS / Char.SIZE_BITS
    }
}
