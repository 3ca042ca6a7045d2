package dev.ouro.bridge

import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.TimeoutCancellationException
import kotlinx.coroutines.cancel
import kotlinx.coroutines.job
import kotlinx.coroutines.launch
import kotlinx.serialization.Serializable
import kotlinx.serialization.json.JsonObject
import java.util.concurrent.ConcurrentHashMap

/** A line of the native library's log. */
public data class LogLine(
    /** 1 (error) to 5 (trace). */
    val level: Int,
    /** The part of the library that says it. */
    val target: String,
    /** What it says. */
    val message: String,
)

/** The one host of the loaded library: passes what it says on to the engine that it is about. */
internal object NativeHost : NativeCallbacks {
    private val engines = ConcurrentHashMap<String, EngineCallbacks>()
    private val running = ConcurrentHashMap<Long, Job>()
    private var scope: CoroutineScope? = null

    @Volatile
    var log: (LogLine) -> Unit = {}

    /** What one engine wants to know. */
    interface EngineCallbacks {
        fun tool(name: String): Tool?

        fun event(event: ProjectEvent)
    }

    /** Loads the library and connects to it, the first time. */
    @Synchronized
    fun start() {
        if (scope != null) return
        NativeLibrary.load()
        NativeApi.init(this)
        scope = CoroutineScope(SupervisorJob() + Dispatchers.Default)
    }

    /** Ends the library's threads, in about two seconds and [limitMs]. */
    @Synchronized
    fun stop(limitMs: Long) {
        val scope = this.scope ?: return
        NativeApi.shutdown(limitMs)
        scope.cancel()
        this.scope = null
        running.clear()
        engines.clear()
    }

    fun add(project: String, engine: EngineCallbacks) {
        engines[project] = engine
    }

    fun remove(project: String, engine: EngineCallbacks) {
        engines.remove(project, engine)
    }

    override fun onToolCall(callId: Long, project: String, name: String, argumentsJson: ByteArray) {
        val tool = engines[project]?.tool(name)
        val scope = this.scope
        if (tool == null || scope == null) {
            complete(callId, Failure("not_found", "the host has no tool $name"))
            return
        }
        // On this thread as far as it goes: a handover to another one costs more than all else of a call.
        scope.launch(start = CoroutineStart.UNDISPATCHED) {
            val job = coroutineContext.job
            running[callId] = job
            job.invokeOnCompletion { running.remove(callId) }
            // A cancellation that came before the line above found nothing to cancel.
            if (NativeApi.toolAwaited(callId)) complete(callId, run(callId, tool, argumentsJson))
        }
    }

    override fun onToolCancel(callId: Long) {
        running.remove(callId)?.cancel()
    }

    override fun onEvent(json: ByteArray) {
        val event = Wire.read<ProjectEvent>("an event", json)
        engines[event.project]?.event(event)
    }

    override fun onLog(level: Int, target: String, message: String): Unit = log(LogLine(level, target, message))

    // Errors too: nobody else hears of them, and the exploration waits.
    @Suppress("TooGenericExceptionCaught")
    private suspend fun run(callId: Long, tool: Tool, arguments: ByteArray): Any = try {
        tool.call(Wire.read<JsonObject>("the arguments", arguments))
    } catch (timeout: TimeoutCancellationException) {
        Failure("timeout", "the tool ${tool.name} failed: $timeout")
    } catch (cancelled: CancellationException) {
        // While the call is awaited nobody cancelled it but the tool itself, or work that it waited for.
        if (!NativeApi.toolAwaited(callId)) throw cancelled
        Failure("internal", "the tool ${tool.name} failed: $cancelled")
    } catch (error: EngineException) {
        Failure.of(error)
    } catch (error: Throwable) {
        Failure("internal", "the tool ${tool.name} failed: $error")
    }

    private fun complete(callId: Long, outcome: Any) {
        val json = when (outcome) {
            is ToolResult -> Wire.write(outcome)
            is Failure -> Wire.write(FailedCall(outcome))
            else -> error("neither a result nor a failure")
        }
        NativeApi.toolComplete(callId, json)
    }

    @Serializable
    private data class FailedCall(val error: Failure)
}
