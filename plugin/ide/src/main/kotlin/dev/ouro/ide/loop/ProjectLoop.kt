package dev.ouro.ide.loop

import dev.ouro.bridge.EngineException
import dev.ouro.bridge.EngineSettings
import dev.ouro.view.base.EngineState
import dev.ouro.view.base.EngineState.Pause
import kotlinx.coroutines.FlowPreview
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.MutableStateFlow
import kotlinx.coroutines.flow.StateFlow
import kotlinx.coroutines.flow.asStateFlow
import kotlinx.coroutines.flow.collectLatest
import kotlinx.coroutines.flow.combine
import kotlinx.coroutines.flow.debounce
import kotlinx.coroutines.flow.distinctUntilChanged
import kotlinx.coroutines.flow.filter
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.receiveAsFlow
import kotlinx.coroutines.flow.stateIn
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import kotlin.time.Duration.Companion.seconds

/** What the loop hears from the IDE. */
internal interface IdeSignals {
    /** Whether the IDE saves power. */
    val powerSave: StateFlow<Boolean>

    /** Whether the IDE builds its indexes, which the tools need. */
    val indexing: StateFlow<Boolean>

    /** One for each change that the user types. */
    val typing: Flow<Unit>

    /** One for each batch of changed files. */
    val fileChanges: Flow<Unit>

    /** Returns as soon as the IDE's indexes are there. */
    suspend fun awaitSmartMode()
}

/**
 * Keeps the engine of one project open and its analysis or its loop running, as the settings, the user and the IDE want
 * it.
 *
 * Knows nothing of the IDE's classes. Everything happens in [run]; the other functions only say what is wanted and
 * return at once.
 */
internal class ProjectLoop(
    private val settings: Flow<LoopSettings>,
    private val signals: IdeSignals,
    private val opener: EngineOpener,
) {
    private val current = MutableStateFlow<EngineState>(EngineState.Opening)
    private val pausedByUser = MutableStateFlow(false)
    private val typing = MutableStateFlow(false)
    private val attempt = MutableStateFlow(0)
    private val starts = MutableStateFlow(0)
    private val single = Channel<Unit>(Channel.CONFLATED)

    @Volatile
    private var engine: LoopEngine? = null

    /** How the engine stands. */
    val state: StateFlow<EngineState> = current.asStateFlow()

    /** The engine, while it is open. */
    val open: LoopEngine? get() = engine

    /** Lets the loop run until [pause], also where it had ended by itself. */
    fun start() {
        pausedByUser.value = false
        starts.value++
    }

    /** Lets the loop rest until [start]. */
    fun pause() {
        pausedByUser.value = true
    }

    /** One iteration, even if the loop rests; nothing where the project is not to be learnt. */
    fun runOnce() {
        single.trySend(Unit)
    }

    /** Opens the engine again. */
    fun retry() {
        attempt.value++
    }

    /** Keeps the project's engine until it is cancelled; then everything is closed when it returns. */
    suspend fun run(): Unit = coroutineScope {
        val settings = settings.stateIn(this)
        launch { watchTyping() }
        attempt.collectLatest { serve(settings) }
    }

    private suspend fun watchTyping() {
        signals.typing.collectLatest {
            typing.value = true
            delay(QUIET)
            typing.value = false
        }
    }

    private suspend fun serve(settings: StateFlow<LoopSettings>) {
        while (true) {
            current.value = EngineState.Opening
            signals.awaitSmartMode()
            try {
                keepOpen(settings)
            } catch (failure: EngineException.NativeUnavailable) {
                current.value = EngineState.Unavailable(failure.message.orEmpty(), nativeLibrary = true)
            } catch (failure: EngineException) {
                current.value = EngineState.Unavailable(failure.message.orEmpty(), nativeLibrary = false)
            }
            // Other settings may mend it; otherwise the user says when to try again.
            val failed = settings.value.engine
            settings.first { it.engine != failed }
        }
    }

    private suspend fun keepOpen(settings: StateFlow<LoopSettings>) {
        val opened = settings.value.engine
        val engine = opener.open(opened)
        try {
            this.engine = engine
            drive(engine, opened, settings)
        } finally {
            this.engine = null
            withContext(NonCancellable) { engine.close() }
        }
    }

    @OptIn(FlowPreview::class)
    private suspend fun drive(engine: LoopEngine, opened: EngineSettings, settings: StateFlow<LoopSettings>): Unit =
        coroutineScope {
            launch { signals.fileChanges.debounce(SETTLED).collect { engine.projectChanged() } }
            // One iteration more is not the start of a loop that ended in trouble.
            val hasEnded = MutableStateFlow(false)
            launch {
                single.receiveAsFlow().filter { settings.value.enabled }.collect {
                    if (engine.hasTrouble) hasEnded.value = true
                    engine.start(iterations = 1)
                }
            }
            var configured = opened
            var begun: Pair<Wish, EngineSettings>? = null
            wanted(settings).collectLatest { (wish, wanted) ->
                if (wanted != configured) {
                    engine.configure(wanted)
                    configured = wanted
                }
                // What ended in trouble is the user's to start or to mend: that a pause is over does neither.
                val isNew = begun != wish to wanted
                if (isNew || (!engine.hasTrouble && !hasEnded.value)) fulfil(engine, wish)
                current.value = wish.stateOf(engine)
                if (wish.pause == null) {
                    if (isNew) hasEnded.value = false
                    begun = wish to wanted
                }
            }
        }

    private val LoopEngine.hasTrouble: Boolean get() = stats.value.stopReason?.isTrouble == true

    /** What is wanted of the loop now, and the settings that it is to work with. */
    private fun wanted(settings: Flow<LoopSettings>): Flow<Pair<Wish, EngineSettings>> =
        combine(settings, pausedByUser, starts, ideBusy()) { now, byUser, starts, ide ->
            val pause = when {
                byUser && now.enabled -> Pause.USER
                ide.powerSave && now.pauseInPowerSaveMode -> Pause.POWER_SAVE
                ide.indexing -> Pause.INDEXING
                ide.typing && now.pauseWhileTyping -> Pause.TYPING
                else -> null
            }
            Wish(now.enabled, pause, starts) to now.engine
        }.distinctUntilChanged()

    private class IdeBusy(val powerSave: Boolean, val indexing: Boolean, val typing: Boolean)

    private fun ideBusy(): Flow<IdeBusy> = combine(signals.powerSave, signals.indexing, typing, ::IdeBusy)

    private suspend fun fulfil(engine: LoopEngine, wish: Wish) {
        // What stops may take its time: who looks is told of it before.
        if (wish.pause != null) current.value = wish.stateOf(engine)
        when {
            wish.pause != null -> engine.stop()
            wish.learn -> engine.start()
            else -> engine.analyze()
        }
    }

    /**
     * What is wanted of the engine.
     *
     * @property learn whether the project is learnt; otherwise it is only analysed.
     * @property pause why nothing is done at the moment.
     * @property starts another number starts once more what ended by itself.
     */
    private data class Wish(val learn: Boolean, val pause: Pause?, val starts: Int) {
        fun stateOf(engine: LoopEngine): EngineState =
            if (learn) EngineState.Ready(engine, pause) else EngineState.Off(engine)
    }

    internal companion object {
        /** So long nothing must have been typed before the loop goes on. */
        val QUIET = 5.seconds

        /** So long no file must have changed before the engine is told. */
        val SETTLED = 2.seconds
    }
}
