package dev.ouro.view.base

import dev.ouro.bridge.Answer
import dev.ouro.bridge.EvolutionLog
import dev.ouro.bridge.EvolutionStats
import dev.ouro.bridge.FailureRecord
import dev.ouro.bridge.LearningRecord
import dev.ouro.bridge.ProjectEvent
import dev.ouro.bridge.Rating
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.StateFlow

/**
 * What the view models read from and tell the engine of one project. Its functions don't block and throw
 * `EngineException`.
 */
public interface Engine {
    /** How things stand. */
    public val stats: StateFlow<EvolutionStats>

    /** What happens. */
    public val events: Flow<ProjectEvent>

    /** A page of records, newest first: those older than [before], at most [limit] of them. */
    public suspend fun records(before: String?, limit: Int): List<LearningRecord>

    /** One record. */
    public suspend fun record(id: String): LearningRecord

    /** The records that fit words best. */
    public suspend fun search(query: String): List<LearningRecord>

    /** Pins a record, or lets it go. */
    public suspend fun pin(id: String, pinned: Boolean): LearningRecord

    /** Puts the user's words in the answer's place; empty ones bring the answer back. */
    public suspend fun correct(id: String, text: String): LearningRecord

    /** Says what the user thinks of a record; `null` is no opinion. */
    public suspend fun rate(id: String, rating: Rating?): LearningRecord

    /** Has the record's question answered anew, before any other. */
    public suspend fun askAgain(id: String): LearningRecord

    /** All records as one Markdown text. */
    public suspend fun export(): String

    /** Removes a record. */
    public suspend fun delete(id: String)

    /** Answers a question from what is known. */
    public suspend fun ask(question: String): Answer

    /** The newest lines of the log, newest first. */
    public suspend fun log(limit: Int): List<EvolutionLog>

    /** What failed, newest first. */
    public suspend fun failures(): List<FailureRecord>

    /** Lets a failure be tried again. */
    public suspend fun forgetFailure(signature: String)
}

/** How the host stands with the engine of a project. */
public sealed interface EngineState {
    /** Learning is off for this project: the user wasn't asked or said no. */
    public data class Off(
        /** Reads what was learnt, where something was. */
        val engine: Engine?,
    ) : EngineState

    /** It is being opened, or waits for the host's indexes. */
    public data object Opening : EngineState

    /** It can't be used. */
    public data class Unavailable(
        /** What, where and why, in a sentence or two. */
        val problem: String,
        /** Whether it is the native library that can't be loaded. */
        val nativeLibrary: Boolean,
    ) : EngineState

    /** It is open. */
    public data class Ready(
        /** The engine, until the host says otherwise. */
        val engine: Engine,
        /** Why the loop rests on the host's side, if it does. */
        val pause: Pause? = null,
    ) : EngineState

    /** Why the host keeps the loop from running. */
    public enum class Pause {
        /** The user said so. */
        USER,

        /** The host saves power. */
        POWER_SAVE,

        /** The user types. */
        TYPING,

        /** The host reads the project anew. */
        INDEXING,
    }
}

/** The engine, where there is one to ask. */
public val EngineState.engineOrNull: Engine?
    get() = when (this) {
        is EngineState.Ready -> engine
        is EngineState.Off -> engine
        else -> null
    }
