package dev.ouro.bridge

import kotlinx.serialization.SerialName
import kotlinx.serialization.Serializable

/** How things stand with one project. Times are epoch milliseconds. */
@Serializable
public data class EvolutionStats(
    /** The project, as [EvolutionEngine] was opened for it. */
    @SerialName("project_key") val projectKey: String,
    /** Whether the loop runs. */
    val run: RunState = RunState.STOPPED,
    /** Questions taken up, ever. */
    @SerialName("total_questions") val totalQuestions: Long,
    /** Questions taken up today. */
    @SerialName("today_questions") val todayQuestions: Int,
    /** Records that there are. */
    @SerialName("total_learning_records") val totalLearningRecords: Long,
    /** Loops found in replies and in tool calls, ever. */
    @SerialName("loops_detected") val loopsDetected: Long = 0,
    /** Errors in a row. */
    @SerialName("consecutive_errors") val consecutiveErrors: Int,
    /** When a record was last written. */
    @SerialName("last_evolution_time") val lastEvolutionTime: Long? = null,
    /** Where the loop is. */
    @SerialName("current_phase") val currentPhase: Phase,
    /** Since when it is there. */
    @SerialName("phase_since") val phaseSince: Long,
    /** Until when it waits; `null` when it waits for no clock. */
    @SerialName("waiting_until") val waitingUntil: Long? = null,
    /** Why it rests; `null` when it does not. */
    @SerialName("wait_reason") val waitReason: WaitReason? = null,
    /** Why the loop ended. */
    @SerialName("stop_reason") val stopReason: StopReason? = null,
    /** Tokens spent on this local day. */
    @SerialName("tokens_today") val tokensToday: TokenUsage = TokenUsage(),
    /** What is left of this local day. */
    val quota: QuotaStatus,
    /** How it is doing, as of the moment of asking. */
    val health: HealthReport,
)

/** Whether a project's loop runs. */
@Serializable
public enum class RunState {
    /** It works or rests. */
    @SerialName("running")
    RUNNING,

    /** It was paused and can be resumed. */
    @SerialName("paused")
    PAUSED,

    /** It was never started, has ended or was stopped. */
    @SerialName("stopped")
    STOPPED,
}

/** Where an iteration is. */
@Serializable
public enum class Phase {
    /** Not running. */
    @SerialName("idle")
    IDLE,

    /** Reading what is known. */
    @SerialName("loading_memory")
    LOADING_MEMORY,

    /** Asking for questions. */
    @SerialName("generating_question")
    GENERATING_QUESTION,

    /** Calling tools. */
    @SerialName("exploring")
    EXPLORING,

    /** Writing the answer. */
    @SerialName("summarizing")
    SUMMARIZING,

    /** Resting: see the wait reason. */
    @SerialName("waiting")
    WAITING,
}

/** Why the loop rests; it goes on by itself. */
@Serializable
public data class WaitReason(
    /** `interval`, `in_backoff`, `quota_exhausted`, `project_unchanged` or `consecutive_duplicates`. */
    val reason: String,
    /** Of `in_backoff`: errors in a row. */
    @SerialName("consecutive_errors") val consecutiveErrors: Int? = null,
    /** Of `quota_exhausted`. */
    val which: QuotaKind? = null,
)

/** Why a loop ended. */
@Serializable
public data class StopReason(
    /**
     * `user_stopped`, `iterations_done`, `not_configured`, `quota_exhausted`, `in_backoff`, `project_unchanged`,
     * `fully_covered`, `nothing_to_ask`, `consecutive_duplicates`, `nothing_learned`, `too_many_errors` or
     * `unhealthy`.
     */
    val reason: String,
    /** Of `not_configured`: what is missing. */
    val what: String? = null,
    /** Of `quota_exhausted` and `in_backoff`, epoch milliseconds. */
    val until: Long? = null,
    /** Of `nothing_learned` and `too_many_errors`. */
    @SerialName("last_error") val lastError: String? = null,
    /** Of `unhealthy`. */
    val why: String? = null,
) {
    /** Whether something has to be mended before it makes sense to start the loop again. */
    public val isTrouble: Boolean get() = reason in TROUBLE
}

private val TROUBLE = setOf("too_many_errors", "unhealthy", "not_configured")

/** What can use up quota. */
@Serializable
public enum class QuotaKind {
    /** A question taken up. */
    @SerialName("questions")
    QUESTIONS,

    /** An exploration started. */
    @SerialName("explorations")
    EXPLORATIONS,

    /** Tokens spent: a reason to wait, and no unit that can be taken. */
    @SerialName("tokens")
    TOKENS,
}

/** The day's quota. */
@Serializable
public data class QuotaStatus(
    /** Questions that may still be taken up on this local day. */
    @SerialName("questions_remaining") val questionsRemaining: Int,
    /** Questions a local day. */
    @SerialName("questions_limit") val questionsLimit: Int,
    /** Explorations that may still be started on this local day. */
    @SerialName("explorations_remaining") val explorationsRemaining: Int,
    /** Explorations a local day. */
    @SerialName("explorations_limit") val explorationsLimit: Int,
    /** When it starts anew, epoch milliseconds. */
    @SerialName("resets_at") val resetsAt: Long,
)

/** How the loop is doing. */
@Serializable
public data class HealthReport(
    /** No issue. */
    val healthy: Boolean,
    /** What is wrong; empty when all is well. */
    val issues: List<HealthIssue>,
    /** What to do about it. */
    @SerialName("suggested_action") val suggestedAction: SuggestedAction,
)

/** One thing that is wrong. */
@Serializable
public data class HealthIssue(
    /**
     * `consecutive_errors`, `no_progress`, `idle_too_long`, `phase_overdue`, `over_token_budget` or `store_near_limit`.
     */
    val issue: String,
    /** Of `consecutive_errors`. */
    val count: Int? = null,
    /** Milliseconds that it lasts. */
    @SerialName("for_ms") val forMs: Long? = null,
    /** Of `phase_overdue`. */
    val phase: Phase? = null,
    /** Of `over_token_budget`. */
    val used: Long? = null,
    /** Of `over_token_budget`: allowed. */
    val budget: Long? = null,
    /** Of `store_near_limit`. */
    val bytes: Long? = null,
    /** Of `store_near_limit`: bytes allowed. */
    val limit: Long? = null,
)

/** What to do about it. */
@Serializable
public data class SuggestedAction(
    /** `none`, `restart`, `wait_until`, `check_model` or `stop`. */
    val action: String,
    /** Of `wait_until`, epoch milliseconds. */
    val at: Long? = null,
)

/** One line of the loop's log. */
@Serializable
public data class EvolutionLog(
    /** Epoch milliseconds. */
    val timestamp: Long,
    /** Where the loop was. */
    val phase: Phase,
    /** The question that it was about, if any. */
    val question: String? = null,
    /** Whether it went well. */
    val success: Boolean,
    /** The error, why a question was refused or put aside, why the loop rests or ended. */
    val error: String? = null,
    /** How long it took, milliseconds. */
    @SerialName("duration_ms") val durationMs: Long,
)
