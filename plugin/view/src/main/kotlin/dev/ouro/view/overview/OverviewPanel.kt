package dev.ouro.view.overview

import dev.ouro.view.base.Components
import dev.ouro.view.base.Formats
import dev.ouro.view.base.Host
import dev.ouro.view.base.Messages
import dev.ouro.view.base.NoticeOr
import dev.ouro.view.base.Sheet
import dev.ouro.view.base.Space
import dev.ouro.view.base.Tone
import dev.ouro.view.base.ToneLabel
import dev.ouro.view.base.ToneText
import dev.ouro.view.base.WrapLayout
import dev.ouro.view.base.label
import dev.ouro.view.base.named
import dev.ouro.view.base.renderWhileShowing
import kotlinx.coroutines.CoroutineScope
import java.awt.BorderLayout
import java.awt.GridBagConstraints
import java.awt.GridBagLayout
import javax.swing.JButton
import javax.swing.JComponent
import javax.swing.JLabel
import javax.swing.JPanel
import javax.swing.JProgressBar

/** The first tab: what the loop does, what it may still do today, what it brought, and how it is. */
public class OverviewPanel(
    scope: CoroutineScope,
    model: OverviewModel,
    private val host: Host,
    widgets: Components,
    private val messages: Messages,
    formats: Formats,
) : JPanel(BorderLayout()) {
    private val phase = ToneLabel(scale = HEADLINE, bold = true)
    private val timer = ToneLabel(tone = Tone.MUTED, scale = HEADLINE)
    private val activity = ToneText().named(messages.text("overview.activity"))
    private val start = button("overview.start", Host::start)
    private val turnOn = button("overview.turn_on", Host::turnOn)
    private val pause = button("overview.pause", Host::pause)
    private val runOnce = button("overview.run_once", Host::runOnce)
    private val stop = button("overview.stop", Host::stop)
    private val quotas = JPanel(GridBagLayout())
    private val chart = RecordsChart(messages, formats)
    private val figures = JPanel(GridBagLayout())
    private val health = ToneText().named(messages.text("overview.health"))
    private val advice = ToneText().named(messages.text("overview.advice"))
    private val body = NoticeOr(widgets.scroll(Sheet(content())), host, messages)
    private var shown: OverviewState? = null

    init {
        add(body)
        renderWhileShowing(scope, widgets, model.state, ::render)
    }

    internal fun render(state: OverviewState) {
        body.render(state.notice)
        phase.text = state.phase
        phase.tone = state.phaseTone
        timer.text = state.timer
        activity.text = state.activity
        chart.render(state.recordsPerDay)
        health.text = state.health.text
        health.tone = state.health.tone
        advice.text = state.health.advice
        advice.isVisible = state.health.advice.isNotEmpty()
        turnOn.isVisible = state.controls.turnOn
        start.isVisible = !state.controls.turnOn
        start.isEnabled = state.controls.start
        pause.isEnabled = state.controls.pause
        runOnce.isEnabled = state.controls.runOnce
        stop.isEnabled = state.controls.stop
        if (state.quotas != shown?.quotas) quotas.refill(state.quotas.map { JLabel(it.name) to bar(it) })
        if (state.figures != shown?.figures) {
            figures.refill(state.figures.map { JLabel(it.name) to ToneLabel(it.value) })
        }
        shown = state
    }

    private fun content(): JComponent {
        val column = JPanel(GridBagLayout()).apply { border = Space(1.0, 1.5) }
        val at = GridBagConstraints().apply {
            gridx = 0
            weightx = 1.0
            fill = GridBagConstraints.HORIZONTAL
            anchor = GridBagConstraints.FIRST_LINE_START
        }
        column.add(
            row(phase, timer).apply { border = Space(0.0, 0.0, 0.5) },
            at,
        )
        column.add(activity, at)
        column.add(row(turnOn, start, pause, runOnce, stop).apply { border = Space(0.75, 0.0, 0.5) }, at)
        column.add(
            section(
                "overview.health",
                JPanel(BorderLayout()).apply {
                    add(health, BorderLayout.NORTH)
                    add(advice, BorderLayout.SOUTH)
                },
            ),
            at,
        )
        column.add(section("overview.quota", quotas), at)
        column.add(section("overview.chart", chart), at)
        column.add(section("overview.figures", figures), at.apply { weighty = 1.0 })
        return column
    }

    private fun section(key: String, content: JComponent) = JPanel(BorderLayout()).apply {
        border = Space(1.5, 0.0, 0.0)
        add(ToneLabel(messages.text(key), bold = true).apply { border = Space(0.0, 0.0, 0.5) }, BorderLayout.NORTH)
        add(content)
    }

    private fun row(vararg parts: JComponent) = JPanel(WrapLayout()).apply { parts.forEach(::add) }

    private fun button(key: String, perform: (Host) -> Unit) = JButton().apply {
        label(messages.text(key))
        addActionListener { perform(host) }
    }

    private fun bar(quota: Quota) = JProgressBar(0, quota.limit.coerceAtLeast(1)).apply {
        value = quota.used
        isStringPainted = true
        string = quota.text
        named(quota.name, quota.text)
    }

    private fun JPanel.refill(rows: List<Pair<JLabel, JComponent>>) {
        removeAll()
        rows.forEachIndexed { row, (name, value) ->
            name.border = Space(0.25, 0.0, 0.25, 1.0)
            name.labelFor = value
            add(
                name,
                GridBagConstraints().apply {
                    gridy = row
                    gridx = 0
                    anchor = GridBagConstraints.LINE_START
                },
            )
            add(
                value,
                GridBagConstraints().apply {
                    gridy = row
                    gridx = 1
                    weightx = 1.0
                    fill = GridBagConstraints.HORIZONTAL
                },
            )
        }
        revalidate()
    }

    private companion object {
        const val HEADLINE = 1.3
    }
}
