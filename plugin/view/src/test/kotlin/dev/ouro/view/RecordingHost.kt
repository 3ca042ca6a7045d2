package dev.ouro.view

import dev.ouro.view.base.EngineState
import dev.ouro.view.base.Host
import kotlinx.coroutines.flow.MutableStateFlow
import java.util.concurrent.CopyOnWriteArrayList

/** A host that writes down what it is asked for. */
class RecordingHost(state: EngineState) : Host {
    override val engine = MutableStateFlow(state)
    val calls = CopyOnWriteArrayList<String>()

    override fun turnOn() = note("turn on")

    override fun start() = note("start")

    override fun pause() = note("pause")

    override fun runOnce() = note("run once")

    override fun stop() = note("stop")

    override fun retry() = note("retry")

    override fun openSettings() = note("settings")

    override fun openSource(path: String, line: Int?) = note("open $path:$line")

    override fun copy(text: String) = note("copy $text")

    override fun save(suggestedName: String, text: String) = note("save $suggestedName $text")

    private fun note(call: String) {
        calls += call
    }
}
