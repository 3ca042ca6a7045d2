package dev.ouro.bridge

import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.channels.BufferOverflow
import kotlinx.coroutines.flow.MutableSharedFlow
import kotlinx.coroutines.flow.MutableStateFlow
import kotlinx.coroutines.flow.SharedFlow
import kotlinx.coroutines.flow.StateFlow
import kotlinx.coroutines.flow.asSharedFlow
import kotlinx.coroutines.flow.asStateFlow
import kotlinx.coroutines.withContext
import kotlinx.serialization.Serializable
import kotlinx.serialization.json.JsonNull
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonObjectBuilder
import kotlinx.serialization.json.JsonPrimitive
import kotlinx.serialization.json.buildJsonObject
import kotlinx.serialization.json.put
import java.nio.file.Path
import java.util.concurrent.atomic.AtomicBoolean
import kotlin.time.Duration
import kotlin.time.Duration.Companion.seconds

/**
 * The engine of one project: learns it in the background with the host's tools, and answers what is known.
 *
 * Open one with [open] and close it when the project closes. Every function may be called from any thread; none of them
 * blocks the caller's. After [close] they throw [EngineException.Closed].
 */
public class EvolutionEngine private constructor(
    private val handle: Long,
    initial: EvolutionStats,
    private val tools: ToolRegistry,
) : AutoCloseable {
    private val closed = AtomicBoolean()
    private val latest = MutableStateFlow(initial)
    private val sink = MutableSharedFlow<ProjectEvent>(
        extraBufferCapacity = 256,
        onBufferOverflow = BufferOverflow.DROP_OLDEST,
    )
    private val callbacks = object : NativeHost.EngineCallbacks {
        override fun tool(name: String): Tool? = tools[name]

        override fun event(event: ProjectEvent) = happened(event)
    }

    /** The project's key. */
    public val project: String = initial.projectKey

    /** How things stand, as of the latest event or the latest [refreshStats]. */
    public val stats: StateFlow<EvolutionStats> = latest.asStateFlow()

    /** What happens. A collector that is too slow misses the oldest. */
    public val events: SharedFlow<ProjectEvent> = sink.asSharedFlow()

    /** Starts the loop, for so many [iterations] or until [stop]. Does nothing where it runs. */
    public suspend fun start(iterations: Int? = null) {
        call<JsonNull?>("start") { iterations?.let { put("iterations", it) } }
        refreshStats()
    }

    /** Stops the loop; it has ended when this returns, within two seconds. What was begun is resumed by [start]. */
    public suspend fun stop() {
        call<JsonNull?>("stop")
        refreshStats()
    }

    /** Waits until the loop has ended, for at most [limit]; why it ended, or `null` when it still runs. */
    public suspend fun awaitEnd(limit: Duration): StopReason? =
        call("wait") { put("timeout_ms", limit.inWholeMilliseconds) }

    /** Says that files of the project changed. */
    public suspend fun projectChanged() {
        call<JsonNull?>("project_changed")
    }

    /** Asks how things stand. */
    public suspend fun refreshStats(): EvolutionStats = call<EvolutionStats>("stats").also { latest.value = it }

    /** A page of records, newest first: those older than [before], at most [limit] of them (0 means all). */
    public suspend fun records(before: String? = null, limit: Int = 0): List<LearningRecord> =
        call("records") {
            before?.let { put("before", it) }
            put("limit", limit)
        }

    /** The records that fit words best. */
    public suspend fun search(query: String): List<LearningRecord> = call("search") { put("query", query) }

    /** Changes a record's marks; what is `null` stays as it is. */
    public suspend fun markRecord(id: String, pinned: Boolean? = null, correction: String? = null): LearningRecord =
        call("mark_record") {
            put("id", id)
            pinned?.let { put("pinned", it) }
            correction?.let { put("correction", it) }
        }

    /** Removes a record. */
    public suspend fun deleteRecord(id: String) {
        call<JsonNull?>("delete_record") { put("id", id) }
    }

    /** What failed, newest first. */
    public suspend fun failures(): List<FailureRecord> = call("failures")

    /** Forgets a failure by its signature, so that it may be tried again. */
    public suspend fun forgetFailure(signature: String) {
        call<JsonNull?>("forget_failure") { put("signature", signature) }
    }

    /** The newest lines of the log, newest first. */
    public suspend fun log(limit: Int): List<EvolutionLog> = call("log") { put("limit", limit) }

    /** Answers a question from what is known. */
    public suspend fun ask(question: String): Answer = call("ask") { put("question", question) }

    /** Stops the loop and releases the project. May take two seconds; closing twice is no error. */
    override fun close() {
        if (!closed.compareAndSet(false, true)) return
        NativeHost.remove(project, callbacks)
        try {
            NativeApi.engineClose(handle)
        } catch (_: EngineException.Closed) {
            // The library was shut down before.
        }
    }

    private fun happened(event: ProjectEvent) {
        sink.tryEmit(event)
        if (closed.get()) return
        try {
            latest.value = Wire.read("the answer", NativeApi.engineCall(handle, STATS))
        } catch (_: EngineException) {
            // Closed in between: the last statistics stay.
        }
    }

    private suspend inline fun <reified T> call(
        op: String,
        crossinline fields: JsonObjectBuilder.() -> Unit = {},
    ): T = withContext(Dispatchers.IO) {
        val request: JsonObject = buildJsonObject {
            put("op", JsonPrimitive(op))
            fields()
        }
        Wire.read("the answer", NativeApi.engineCall(handle, request.toString().encodeToByteArray()))
    }

    /** How a project is opened. */
    @Serializable
    private class OpenRequest(
        val schemaVersion: Int,
        val projectRoot: String,
        val dataDir: String?,
        val evolution: EvolutionConfig,
        val model: Endpoint?,
        val embedder: Endpoint?,
        val excluded: List<String>,
        val tools: List<ToolSpec>,
    )

    public companion object {
        private val STATS = """{"op":"stats"}""".encodeToByteArray()

        /**
         * Opens a project. Without a [model] the built-in reasoner works offline and nothing is sent anywhere. Nothing runs
         * before [start].
         *
         * @throws EngineException.NativeUnavailable when there is no native library.
         * @throws EngineException.InUse when another engine has the project open.
         */
        public suspend fun open(
            projectRoot: Path,
            dataDir: Path? = null,
            config: EvolutionConfig = EvolutionConfig(),
            model: Endpoint? = null,
            embedder: Endpoint? = null,
            excluded: List<String> = emptyList(),
            tools: ToolRegistry = ToolRegistry(),
        ): EvolutionEngine = withContext(Dispatchers.IO) {
            NativeHost.start()
            val request = OpenRequest(
                Wire.SCHEMA_VERSION,
                projectRoot.toString(),
                dataDir?.toString(),
                config,
                model,
                embedder,
                excluded,
                tools.specs(),
            )
            val handle = NativeApi.engineOpen(Wire.write(request))
            val stats = Wire.read<EvolutionStats>("the answer", NativeApi.engineCall(handle, STATS))
            EvolutionEngine(handle, stats, tools).also { NativeHost.add(it.project, it.callbacks) }
        }

        /** Where the native library's log goes; nowhere at first. Called on a thread of the library. */
        public fun logTo(receiver: (LogLine) -> Unit) {
            NativeHost.log = receiver
        }

        /** Stops every engine and ends the native library's threads. The next [open] starts them again. */
        public fun shutdown(limit: Duration = 2.seconds): Unit = NativeHost.stop(limit.inWholeMilliseconds)
    }
}
