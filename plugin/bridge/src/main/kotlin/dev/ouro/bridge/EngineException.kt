package dev.ouro.bridge

/**
 * What the native library answers instead of a result. [code] is stable and the same for C programs; the message says
 * what, where and how to mend it.
 */
public sealed class EngineException(
    /** Stable, and the same for C programs: `invalid_input`, `in_use`, `timeout` and so on. */
    public val code: String,
    message: String,
    /** The pause that the other side asked for, milliseconds. */
    public val retryAfterMs: Long? = null,
) : RuntimeException(message) {
    /** The input or the configuration is wrong: mend it, don't retry. */
    public class InvalidInput(message: String) : EngineException("invalid_input", message)

    /** What was asked for doesn't exist. */
    public class NotFound(message: String) : EngineException("not_found", message)

    /** Access was refused. */
    public class Refused(message: String) : EngineException("refused", message)

    /** Another process, or another engine of this one, holds the project's data. */
    public class InUse(message: String) : EngineException("in_use", message)

    /** The other side is down, overloaded or slow: retry after a pause. Its [code] says which. */
    public class Unavailable(code: String, message: String, retryAfterMs: Long?) :
        EngineException(code, message, retryAfterMs)

    /** The other side answered with something that can't be used. */
    public class BadReply(message: String) : EngineException("bad_reply", message)

    /** Stored data is damaged, too new, or can't be written. Its [code] says which. */
    public class Storage(code: String, message: String) : EngineException(code, message)

    /** The work was cancelled on purpose. */
    public class Cancelled(message: String) : EngineException("cancelled", message)

    /** The engine or the detector is closed. */
    public class Closed(message: String) : EngineException("closed", message)

    /** A defect of the library, of this code or of another that this version doesn't know. */
    public class Internal(code: String, message: String) : EngineException(code, message)

    /** The native library can't be used at all; the message says what to do. */
    public class NativeUnavailable(message: String) : EngineException("native_unavailable", message)

    internal companion object {
        /** The exception of a code; a negative pause is none. */
        fun of(code: String, message: String, retryAfterMs: Long): EngineException = when (code) {
            "invalid_input" -> InvalidInput(message)
            "not_found" -> NotFound(message)
            "refused" -> Refused(message)
            "in_use" -> InUse(message)
            "unavailable", "rate_limited", "timeout" ->
                Unavailable(code, message, retryAfterMs.takeIf { it >= 0 })
            "bad_reply" -> BadReply(message)
            "damaged", "too_new", "storage" -> Storage(code, message)
            "cancelled" -> Cancelled(message)
            "closed" -> Closed(message)
            else -> Internal(code, message)
        }
    }
}
