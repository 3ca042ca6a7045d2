package dev.ouro.bridge

import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.channels.BufferOverflow
import kotlinx.coroutines.flow.MutableSharedFlow
import kotlinx.coroutines.flow.MutableStateFlow
import kotlinx.coroutines.flow.SharedFlow
import kotlinx.coroutines.flow.StateFlow
import kotlinx.coroutines.flow.asSharedFlow
import kotlinx.coroutines.flow.asStateFlow
import kotlinx.coroutines.withContext
import kotlinx.serialization.SerialName
import kotlinx.serialization.Serializable
import kotlinx.serialization.json.JsonNull
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonObjectBuilder
import kotlinx.serialization.json.buildJsonObject
import kotlinx.serialization.json.jsonObject
import kotlinx.serialization.json.put
import java.nio.file.Path
import java.util.concurrent.atomic.AtomicBoolean
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

/**
 * The engine of one project: learns it in the background with the host's tools, and answers what is known.
 *
 * Open one with [open] and close it when the project closes. Every function may be called from any thread; those that
 * suspend don't block the caller's. After [close] they throw [EngineException.Closed].
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

    /** Stands between agents of the host and everything they could do too often in this project. */
    public val guard: DoomLoopGuard = DoomLoopGuard(this)

    /**
     * Replaces the settings. A loop that runs is interrupted and goes on with the new ones; what was begun is resumed.
     * With settings that are wrong everything stays as it was.
     */
    public suspend fun configure(settings: EngineSettings) {
        val given = Wire.tree(settings).jsonObject
        command("configure") { given.forEach { (name, value) -> put(name, value) } }
        refreshStats()
    }

    /** Starts the loop, for so many [iterations] or until [stop]. Does nothing where it runs; ends an [analyze]. */
    public suspend fun start(iterations: Int? = null) {
        command("start") { iterations?.let { put("iterations", it) } }
        refreshStats()
    }

    /** Starts the loop for one iteration. Does nothing where it runs. */
    public suspend fun runOnce(): Unit = start(iterations = 1)

    /**
     * Analyses the project at once and after each [projectChanged], and marks the records whose sources changed, until
     * [stop]; returns at once. Nothing is learnt, so it needs no opt-in. It takes the place of a loop that learns,
     * which does the same by itself; [pause] and [resume] are about it, too.
     */
    public suspend fun analyze() {
        command("analyze")
        refreshStats()
    }

    /**
     * Stops the loop until [resume], within two seconds; what was begun is resumed then. Does nothing where none runs.
     */
    public suspend fun pause() {
        command("pause")
        refreshStats()
    }

    /** Goes on after a [pause], for as many iterations as were left. Does nothing without a pause. */
    public suspend fun resume() {
        command("resume")
        refreshStats()
    }

    /** Stops the loop; it has ended when this returns, within two seconds. What was begun is resumed by [start]. */
    public suspend fun stop() {
        command("stop")
        refreshStats()
    }

    /**
     * Waits until the loop has ended, for at most [limit]; why it ended, or `null` when it still runs. A pause ends it.
     */
    public suspend fun awaitEnd(limit: Duration): StopReason? {
        var left = limit.coerceAtLeast(Duration.ZERO)
        do {
            // In slices, so that a coroutine that is cancelled doesn't wait on.
            val slice = minOf(left, WAIT_SLICE)
            val reason = call<StopReason?>("wait") { put("timeout_ms", slice.inWholeMilliseconds) }
            left -= slice
            if (reason != null) return reason
        } while (left.isPositive())
        return null
    }

    /** Says that files of the project changed. */
    public suspend fun projectChanged(): Unit = command("project_changed")

    /** Asks how things stand. */
    public suspend fun refreshStats(): EvolutionStats = call<EvolutionStats>("stats").also { latest.value = it }

    /** A page of records, newest first: those older than [before], at most [limit] of them (0 means all). */
    public suspend fun records(before: String? = null, limit: Int = 0): List<LearningRecord> = call("records") {
        before?.let { put("before", it) }
        put("limit", limit)
    }

    /** One record. */
    public suspend fun record(id: String): LearningRecord = call("record") { put("id", id) }

    /** The records that fit words best, best first. */
    public suspend fun search(query: String): List<LearningRecord> = call("search") { put("query", query) }

    /**
     * Changes a record's marks: whether it is kept at the top, and the user's own words, which outrank the answer
     * (empty ones take them back). What is `null` stays as it is.
     */
    public suspend fun markRecord(id: String, pinned: Boolean? = null, correction: String? = null): LearningRecord =
        call("mark_record") {
            put("id", id)
            pinned?.let { put("pinned", it) }
            correction?.let { put("correction", it) }
        }

    /** Says what the user thinks of a record; `null` is no opinion. */
    public suspend fun rateRecord(id: String, rating: Rating?): LearningRecord = call("mark_record") {
        put("id", id)
        put("rating", rating?.name?.lowercase() ?: "none")
    }

    /** Removes a record. */
    public suspend fun deleteRecord(id: String): Unit = command("delete_record") { put("id", id) }

    /** Has a record answered anew: the next iteration takes its question up before any other. Starts nothing. */
    public suspend fun askAgain(id: String): LearningRecord = call("ask_again") { put("id", id) }

    /** All records that were not replaced, as one Markdown text. */
    public suspend fun exportMarkdown(): String = call("export")

    /** What failed, newest first. */
    public suspend fun failures(): List<FailureRecord> = call("failures")

    /** Forgets a failure by its signature or its id, so that it may be tried again. */
    public suspend fun forgetFailure(signature: String): Unit =
        command("forget_failure") { put("signature", signature) }

    /** The newest lines of the log, newest first. */
    public suspend fun log(limit: Int): List<EvolutionLog> = call("log") { put("limit", limit) }

    /**
     * Everything that is known about [query] as one Markdown text of at most [tokens] tokens, to put into another
     * assistant's prompt; empty when nothing is known.
     */
    public suspend fun knowledge(query: String, tokens: Long = 4_000): String = call("knowledge") {
        put("query", query)
        put("tokens", tokens)
    }

    /** Answers a question from what is known. */
    public suspend fun ask(question: String): Answer = call("ask") { put("question", question) }

    /**
     * The library's own tools, which work on the project's files: `read_file`, `grep_file`, `find_file`, `call_chain`
     * and `expert_consult`. Explorations use those that the host has not replaced; a host can call all of them, for
     * example where a tool of its own doesn't know a language.
     */
    public suspend fun nativeTools(): List<Tool> = call<List<NativeToolSpec>>("tools").map { NativeTool(this, it) }

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

    internal suspend fun command(op: String, fields: JsonObjectBuilder.() -> Unit = {}) {
        call<JsonNull?>(op, fields)
    }

    internal suspend inline fun <reified T> call(op: String, noinline fields: JsonObjectBuilder.() -> Unit = {}): T =
        Wire.read("the answer", answer(op, fields))

    internal suspend fun answer(op: String, fields: JsonObjectBuilder.() -> Unit): ByteArray =
        withContext(Dispatchers.IO) {
            val request = buildJsonObject {
                put("op", op)
                fields()
            }
            NativeApi.engineCall(handle, request.toString().encodeToByteArray())
        }

    /** Whether a tool may be called; `null` when nothing stands in the way. */
    internal fun checkToolCall(tool: String, arguments: JsonObject): ByteArray? =
        NativeApi.guardCheckToolCall(handle, tool, arguments.toString().encodeToByteArray())

    /** How a project is opened. */
    @Serializable
    internal class OpenRequest(
        @SerialName("schema_version") val schemaVersion: Int,
        @SerialName("project_root") val projectRoot: String,
        @SerialName("data_dir") val dataDir: String?,
        val settings: EngineSettings,
        val tools: List<ToolSpec>,
    )

    @Serializable
    internal class EndpointRequest(@SerialName("schema_version") val schemaVersion: Int, val endpoint: Endpoint)

    /** Opens engines, and tries endpoints out without one. */
    public companion object {
        private val STATS = """{"op":"stats"}""".encodeToByteArray()

        private val WAIT_SLICE = 500.milliseconds

        /**
         * Opens a project. Without a model in its [settings] the built-in reasoner works offline and nothing is sent
         * anywhere. Nothing runs before [start].
         *
         * The project's [tools] take the place of the library's own ones of their names. What is known is kept in
         * [dataDir], the user's data folder where it is `null`.
         *
         * @throws EngineException.NativeUnavailable when there is no native library.
         * @throws EngineException.InUse when another engine has the project open.
         */
        public suspend fun open(
            projectRoot: Path,
            settings: EngineSettings = EngineSettings(),
            tools: ToolRegistry = ToolRegistry(),
            dataDir: Path? = null,
        ): EvolutionEngine {
            // The library doesn't know that an empty path is the current folder.
            val (root, data) = listOf(projectRoot, dataDir).map { it?.toAbsolutePath()?.toString() }
            val request = OpenRequest(Wire.SCHEMA_VERSION, root.orEmpty(), data, settings, tools.specs())
            var opened: EvolutionEngine? = null
            try {
                return withContext(Dispatchers.IO) {
                    NativeHost.start()
                    val handle = NativeApi.engineOpen(Wire.tree(request).toString().encodeToByteArray())
                    val stats = Wire.read<EvolutionStats>("the answer", NativeApi.engineCall(handle, STATS))
                    EvolutionEngine(handle, stats, tools).also {
                        opened = it
                        NativeHost.add(it.project, it.callbacks)
                    }
                }
            } catch (cancelled: CancellationException) {
                // The caller gets nothing that it could close.
                withContext(NonCancellable + Dispatchers.IO) { opened?.close() }
                throw cancelled
            }
        }

        /**
         * Asks a model's endpoint what it serves, within ten seconds. Nothing of any project is sent.
         *
         * @throws EngineException when it can't be used at all: the message says why and what to do.
         */
        public suspend fun checkEndpoint(endpoint: Endpoint): EndpointReport = withContext(Dispatchers.IO) {
            NativeHost.start()
            val request = EndpointRequest(Wire.SCHEMA_VERSION, endpoint)
            Wire.read("the report", NativeApi.checkEndpoint(Wire.write(request)))
        }

        /** Where the native library's log goes; nowhere at first. Called on a thread of the library. */
        public fun logTo(receiver: (LogLine) -> Unit) {
            NativeHost.log = receiver
        }

        /** Stops every engine and ends the native library's threads. The next [open] starts them again. */
        public fun shutdown(limit: Duration = 2.seconds): Unit = NativeHost.stop(limit.inWholeMilliseconds)
    }
}
