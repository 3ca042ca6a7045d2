package dev.ouro.bridge

/** What the native library calls. Nothing in it waits for the end of a method; all but the first return at once. */
internal interface NativeCallbacks {
    /**
     * Answer with [NativeApi.toolComplete], now or later, from any thread. Called on a thread that may be taken for a
     * while, at the same time as others and the other methods: [NativeApi.toolAwaited] tells of an earlier
     * cancellation.
     */
    fun onToolCall(callId: Long, project: String, name: String, argumentsJson: ByteArray)

    /** Nobody waits for this call's answer any more. */
    fun onToolCancel(callId: Long)

    /** Something happened in a project: JSON with `schema_version`, `project` and `event`. */
    fun onEvent(json: ByteArray)

    /** A line of the log, of level 1 (error) to 5 (trace). */
    fun onLog(level: Int, target: String, message: String)
}

/** The native library's functions and nothing else. Compound values are JSON in UTF-8. */
internal object NativeApi {
    @JvmStatic external fun abiVersion(): Int

    @JvmStatic external fun init(callbacks: NativeCallbacks)

    @JvmStatic external fun shutdown(limitMs: Long)

    @JvmStatic external fun diagnostics(): ByteArray

    @JvmStatic external fun checkEndpoint(request: ByteArray): ByteArray

    @JvmStatic external fun engineOpen(request: ByteArray): Long

    @JvmStatic external fun engineCall(engine: Long, request: ByteArray): ByteArray

    /** The verdict, or `null` when nothing stands in the way. */
    @JvmStatic external fun guardCheckToolCall(engine: Long, tool: String, arguments: ByteArray): ByteArray?

    @JvmStatic external fun engineClose(engine: Long)

    /** Whether somebody still waits for the answer of this call. */
    @JvmStatic external fun toolAwaited(callId: Long): Boolean

    @JvmStatic external fun toolComplete(callId: Long, result: ByteArray): Boolean

    @JvmStatic external fun detectorOpen(config: String): Long

    /** Takes the text's length along: to ask for it from there costs as much as to read a short text. */
    @JvmStatic external fun detectorPush(detector: Long, channel: Int, text: String, length: Int): Boolean

    /**
     * A text of at most eight code units, the first four in [first] and the others in [second], each from the lowest
     * bits on: the library needs nothing of the JVM to read it, which costs more than to pack it.
     */
    @JvmStatic
    external fun detectorPushShort(detector: Long, channel: Int, length: Int, first: Long, second: Long): Boolean

    @JvmStatic external fun detectorEvent(detector: Long, event: ByteArray): Boolean

    @JvmStatic external fun detectorFound(detector: Long): ByteArray

    @JvmStatic external fun detectorAcknowledge(detector: Long)

    @JvmStatic external fun detectorReset(detector: Long, promptId: String)

    @JvmStatic external fun detectorClose(detector: Long)

    /** Only in a testing build of the library: the next operation panics at this point. */
    @JvmStatic external fun testingArm(point: String)

    /** Only in a testing build of the library: calls a tool many times. */
    @JvmStatic external fun testingCallTools(engine: Long, request: ByteArray): ByteArray

    /** Only in a testing build of the library: adds copies of a record. */
    @JvmStatic external fun testingAddRecords(engine: Long, record: ByteArray, count: Int)

    /** Called by the library: what it throws. */
    @JvmStatic
    fun error(code: String, message: String, retryAfterMs: Long): Throwable =
        EngineException.of(code, message, retryAfterMs)
}
