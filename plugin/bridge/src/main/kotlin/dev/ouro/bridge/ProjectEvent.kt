package dev.ouro.bridge

import kotlinx.serialization.DeserializationStrategy
import kotlinx.serialization.SerialName
import kotlinx.serialization.Serializable
import kotlinx.serialization.json.JsonContentPolymorphicSerializer
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.jsonObject
import kotlinx.serialization.json.jsonPrimitive

/** Something that happened in a project. Times are epoch milliseconds, messages are in the user's language. */
@Serializable(with = ProjectEventSerializer::class)
public sealed class ProjectEvent {
    /** The project's key. */
    public abstract val project: String

    /** A new phase. */
    @Serializable
    public data class PhaseChanged(
        override val project: String,
        /** The phase that began. */
        val phase: Phase,
        /** When it began. */
        val at: Long,
    ) : ProjectEvent()

    /** A question was taken up. */
    @Serializable
    public data class QuestionTaken(
        override val project: String,
        /** The question, as it was proposed. */
        val question: Question,
        /** When it was taken up. */
        val at: Long,
    ) : ProjectEvent()

    /** A question was refused. */
    @Serializable
    public data class QuestionRefused(
        override val project: String,
        /** What was proposed. */
        val question: String,
        /** Why it was refused, in a sentence. */
        val reason: String,
    ) : ProjectEvent()

    /** A tool was called. */
    @Serializable
    public data class ToolCalled(
        override val project: String,
        /** Its name. */
        val tool: String,
        /** What it was called with. */
        val arguments: JsonElement,
        /** What came back, in a sentence. */
        val summary: String,
        /** Whether it came from the cache. */
        val cached: Boolean,
        /** Whether the result was an error. */
        @SerialName("is_error") val isError: Boolean,
        /** How long it took, milliseconds. */
        @SerialName("duration_ms") val durationMs: Long,
    ) : ProjectEvent()

    /** A model ran in circles: its reply was broken off, or its calls came around again. */
    @Serializable
    public data class LoopFound(
        override val project: String,
        /** `paragraph`, `alternating_tool_calls` and so on. */
        val kind: String,
        /** What repeated, how often, from where, in a sentence. */
        val evidence: String,
    ) : ProjectEvent()

    /** Tokens were spent. */
    @Serializable
    public data class TokensSpent(
        override val project: String,
        /** The tokens of this iteration so far. */
        val iteration: TokenUsage,
    ) : ProjectEvent()

    /** A record is durable. */
    @Serializable
    public data class RecordSaved(
        override val project: String,
        /** The record, as it can be read from now on. */
        val record: LearningRecord,
    ) : ProjectEvent()

    /** So many records were found to rest on sources that changed, or on sources that are again as they were. */
    @Serializable
    public data class RecordsMarked(
        override val project: String,
        /** How many records changed their freshness. */
        val count: Int,
    ) : ProjectEvent()

    /** The loop rests. */
    @Serializable
    public data class Waiting(
        override val project: String,
        /** As [WaitReason.reason]. */
        val reason: String,
        /** `null` when it waits for no clock. */
        val until: Long? = null,
        /** The reason in a sentence. */
        val message: String,
    ) : ProjectEvent()

    /** Something failed; the loop goes on if it can. */
    @Serializable
    public data class Failed(
        override val project: String,
        /** As [EngineException.code]. */
        val kind: String,
        /** What, where and how to mend it. */
        val message: String,
    ) : ProjectEvent()

    /** The loop ended. */
    @Serializable
    public data class Finished(
        override val project: String,
        /** As [StopReason.reason]. */
        val reason: String,
        /** The reason in a sentence. */
        val message: String,
        /** How things stood at the end. */
        val stats: EvolutionStats,
    ) : ProjectEvent()

    /** Something that only a newer version knows. */
    @Serializable
    public data class Other(
        override val project: String,
        /** What. */
        val event: String,
    ) : ProjectEvent()
}

/** A question, as a reasoner proposes it. */
@Serializable
public data class Question(
    /** What is asked. */
    val question: String,
    /** `CodeStructure`, `DataFlow` and so on. */
    val type: String = "Other",
    /** 1 (can wait) to 10 (first). */
    val priority: Int = 5,
    /** Why it is worth asking. */
    val reason: String = "",
    /** Names of tools that may help. */
    @SerialName("suggested_tools") val suggestedTools: List<String> = emptyList(),
    /** What the answer should contain. */
    @SerialName("expected_outcome") val expectedOutcome: String = "",
)

internal object ProjectEventSerializer : JsonContentPolymorphicSerializer<ProjectEvent>(ProjectEvent::class) {
    override fun selectDeserializer(element: JsonElement): DeserializationStrategy<ProjectEvent> =
        when (element.jsonObject["event"]?.jsonPrimitive?.content) {
            "phase" -> ProjectEvent.PhaseChanged.serializer()
            "question" -> ProjectEvent.QuestionTaken.serializer()
            "question_refused" -> ProjectEvent.QuestionRefused.serializer()
            "tool_call" -> ProjectEvent.ToolCalled.serializer()
            "loop_detected" -> ProjectEvent.LoopFound.serializer()
            "tokens" -> ProjectEvent.TokensSpent.serializer()
            "record_saved" -> ProjectEvent.RecordSaved.serializer()
            "records_marked" -> ProjectEvent.RecordsMarked.serializer()
            "waiting" -> ProjectEvent.Waiting.serializer()
            "error" -> ProjectEvent.Failed.serializer()
            "finished" -> ProjectEvent.Finished.serializer()
            else -> ProjectEvent.Other.serializer()
        }
}
