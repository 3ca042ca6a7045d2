package dev.ouro.ide.code

import com.intellij.openapi.progress.ProgressManager
import com.intellij.psi.PsiElement
import kotlin.time.ComparableTimeMark
import kotlin.time.Duration
import kotlin.time.TimeSource

/** Which way calls are followed. */
internal enum class Direction { CALLERS, CALLEES }

/** How far calls are followed. */
internal data class CallLimits(
    /** Calls in a row. */
    val depth: Int,
    /** Calls in all, and of one declaration. */
    val calls: Int = 200,
    val callsOfOne: Int = 25,
    val time: Duration = Duration.INFINITE,
)

/**
 * The calls from a declaration on, found level by level, so that a limit cuts what is far and not what is near.
 *
 * Made in one read action, which may be cancelled at any step.
 */
internal class CallTree(
    private val graph: CallGraph,
    private val direction: Direction,
    private val limits: CallLimits,
    /** Whether a declaration is the project's own: others are neither shown nor followed. */
    private val isOwn: (PsiElement) -> Boolean,
    time: TimeSource.WithComparableMarks = TimeSource.Monotonic,
) {
    private val deadline: ComparableTimeMark = time.markNow() + limits.time
    private val calls = LinkedHashMap<PsiElement, List<Call>>()

    /** The nearest call to each declaration: there its own calls are shown. */
    private val nearest = HashMap<PsiElement, Call>()
    private var count = 0

    /** Calls of the project's own code that were found but are not in the tree. */
    var leftOut = 0
        private set

    /** Calls of what is not the project's own. */
    var foreign = 0
        private set

    /** Whether the time was up before everything was found. */
    var isOutOfTime = false
        private set

    /** Finds the calls from [start] on. */
    fun grow(start: PsiElement) {
        var level = listOf(start)
        repeat(limits.depth) {
            val next = LinkedHashSet<PsiElement>()
            for (declaration in level) {
                if (declaration in calls) continue
                if (deadline.hasPassedNow()) {
                    isOutOfTime = true
                    return
                }
                val found = callsOf(declaration)
                calls[declaration] = found
                found.forEach { nearest.putIfAbsent(end(it), it) }
                found.mapTo(next, ::end)
            }
            level = next.toList()
        }
    }

    /** One call in the tree. */
    internal class Line(val depth: Int, val call: Call, val mark: Mark)

    /** What became of a call's other end. */
    internal enum class Mark { FOLLOWED, CYCLE, SHOWN_ABOVE, SHOWN_BELOW }

    /** The tree below [start], each call before those of its other end. */
    fun lines(start: PsiElement): List<Line> {
        val lines = ArrayList<Line>()
        write(start, ArrayList(), HashSet(), lines)
        return lines
    }

    private fun write(
        declaration: PsiElement,
        path: MutableList<PsiElement>,
        shown: MutableSet<PsiElement>,
        lines: MutableList<Line>,
    ) {
        shown += declaration
        path += declaration
        for (call in calls[declaration].orEmpty()) {
            val next = end(call)
            val isNearest = nearest[next] === call
            val mark = when {
                next in path -> Mark.CYCLE
                isNearest || calls[next].isNullOrEmpty() -> Mark.FOLLOWED
                next in shown -> Mark.SHOWN_ABOVE
                else -> Mark.SHOWN_BELOW
            }
            lines += Line(path.size - 1, call, mark)
            if (isNearest && next !in path) write(next, path, shown, lines)
        }
        path.removeAt(path.size - 1)
    }

    private fun callsOf(declaration: PsiElement): List<Call> {
        val found = ArrayList<Call>()
        val all = if (direction == Direction.CALLEES) graph.callees(declaration) else graph.callers(declaration)
        for (call in all) {
            ProgressManager.checkCanceled()
            when {
                !isOwn(end(call)) -> foreign++
                found.size == limits.callsOfOne || count == limits.calls -> leftOut++
                else -> {
                    found += call
                    count++
                }
            }
            if (deadline.hasPassedNow()) {
                isOutOfTime = true
                break
            }
        }
        return found
    }

    private fun end(call: Call): PsiElement = if (direction == Direction.CALLEES) call.callee else call.caller
}
