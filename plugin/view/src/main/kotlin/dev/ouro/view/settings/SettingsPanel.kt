package dev.ouro.view.settings

import dev.ouro.view.base.Components
import dev.ouro.view.base.Labelled
import dev.ouro.view.base.Messages
import dev.ouro.view.base.Sheet
import dev.ouro.view.base.Space
import dev.ouro.view.base.Tone
import dev.ouro.view.base.ToneLabel
import dev.ouro.view.base.ToneText
import dev.ouro.view.base.label
import dev.ouro.view.base.named
import dev.ouro.view.base.onChange
import dev.ouro.view.base.renderWhileShowing
import kotlinx.coroutines.CoroutineScope
import java.awt.BorderLayout
import java.awt.GridBagConstraints
import java.awt.GridBagLayout
import javax.swing.JButton
import javax.swing.JCheckBox
import javax.swing.JComboBox
import javax.swing.JComponent
import javax.swing.JLabel
import javax.swing.JPanel
import javax.swing.JPasswordField
import javax.swing.JScrollPane
import javax.swing.JTextArea
import javax.swing.text.JTextComponent

/** The form of the settings. */
public class SettingsPanel(
    scope: CoroutineScope,
    private val model: SettingsModel,
    private val widgets: Components,
    private val messages: Messages,
) : JPanel(BorderLayout()) {
    private val enabled = JCheckBox().apply { label(messages.text("settings.enabled")) }
    private val deepMode = JCheckBox().apply { label(messages.text("settings.deep_mode")) }
    private val pauseWhileTyping = JCheckBox().apply { label(messages.text("settings.pause_while_typing")) }
    private val pauseInPowerSaveMode = JCheckBox().apply { label(messages.text("settings.pause_in_power_save_mode")) }
    private val language =
        JComboBox(LANGUAGES.map { messages.text("settings.language.${it ?: "auto"}") }.toTypedArray())
    private val excluded = JTextArea(EXCLUDED_ROWS, 0)
    private val fields: Map<Field, JTextComponent> = Field.entries.associateWith(::field)
    private val errors: Map<Field, ToneLabel> =
        Field.entries.associateWith { ToneLabel(tone = Tone.ERROR).apply { isVisible = false } }
    private val test = JButton().apply { label(messages.text("settings.test")) }
    private val testResult = ToneText()
    private var isRendering = false

    /** What is to have the focus first. */
    public val preferredFocus: JComponent get() = enabled

    init {
        add(widgets.scroll(Sheet(form())))
        enabled.addActionListener { edit { it.copy(enabled = enabled.isSelected) } }
        deepMode.addActionListener { edit { it.copy(deepMode = deepMode.isSelected) } }
        pauseWhileTyping.addActionListener { edit { it.copy(pauseWhileTyping = pauseWhileTyping.isSelected) } }
        pauseInPowerSaveMode.addActionListener {
            edit { it.copy(pauseInPowerSaveMode = pauseInPowerSaveMode.isSelected) }
        }
        language.addActionListener { edit { it.copy(language = LANGUAGES[language.selectedIndex]) } }
        excluded.onChange { text -> edit { it.copy(excluded = text) } }
        fields.forEach { (field, component) -> component.onChange { text -> edit { it.with(field, text) } } }
        testResult.named(test.text)
        excluded.named(Labelled(messages.text("settings.excluded")).text)
        test.addActionListener {
            model.testConnection()
            render(model.state.value)
        }
        render(model.state.value)
        renderWhileShowing(scope, widgets, model.state, ::render)
    }

    /** Shows the model's state at once. */
    public fun refresh(): Unit = render(model.state.value)

    internal fun render(state: SettingsState) {
        isRendering = true
        enabled.isSelected = state.draft.enabled
        deepMode.isSelected = state.draft.deepMode
        pauseWhileTyping.isSelected = state.draft.pauseWhileTyping
        pauseInPowerSaveMode.isSelected = state.draft.pauseInPowerSaveMode
        language.selectedIndex = LANGUAGES.indexOf(state.draft.language).coerceAtLeast(0)
        if (excluded.text != state.draft.excluded) excluded.text = state.draft.excluded
        fields.forEach { (field, component) ->
            if (component.text.trim() != state.draft[field]) component.text = state.draft[field]
            val wrong = state.errors[field]
            component.putClientProperty(OUTLINE, if (wrong == null) null else "error")
            component.accessibleContext.accessibleDescription = wrong
            errors.getValue(field).apply {
                text = wrong
                isVisible = wrong != null
            }
        }
        test.isEnabled = state.test?.isRunning != true
        testResult.text = state.test?.text.orEmpty()
        testResult.tone = state.test?.tone ?: Tone.PLAIN
        isRendering = false
    }

    private fun edit(change: (Draft) -> Draft) {
        if (isRendering) return
        model.edit(change)
        render(model.state.value)
    }

    private fun field(field: Field): JTextComponent {
        val rule = field.rule
        val placeholder =
            if (rule is Rule.Number) {
                messages.text("settings.default", rule.default)
            } else {
                messages.textOr("settings.hint.${name(field)}", "")
            }
        return if (field == Field.API_KEY) JPasswordField() else widgets.textField(placeholder)
    }

    private fun form(): JComponent = JPanel(GridBagLayout()).apply {
        border = Space(1.0)
        wide(enabled)
        wide(comment("settings.enabled.comment"))
        heading("settings.section.model")
        wide(comment("settings.model.comment"))
        listOf(Field.MODEL_URL, Field.MODEL_NAME, Field.API_KEY, Field.EMBEDDER_URL, Field.EMBEDDER_NAME).forEach {
            row(it)
        }
        row(
            null,
            JPanel(BorderLayout()).apply {
                add(test, BorderLayout.LINE_START)
                add(testResult.apply { border = Space(0.25, 0.75) })
            },
        )
        heading("settings.section.pace")
        listOf(
            Field.INTERVAL,
            Field.DAILY_QUESTIONS,
            Field.DAILY_EXPLORATIONS,
            Field.DAILY_TOKENS,
            Field.TOKENS,
            Field.STEPS,
            Field.TIMEOUT,
        )
            .forEach { row(it) }
        listOf(deepMode, pauseWhileTyping, pauseInPowerSaveMode).forEach { wide(it) }
        heading("settings.section.errors")
        listOf(Field.FIRST_BACKOFF, Field.LONGEST_BACKOFF, Field.ERRORS).forEach { row(it) }
        heading("settings.section.what")
        row(
            JLabel().apply {
                label(messages.text("settings.language"))
                labelFor = language
            },
            language,
        )
        row(
            JLabel().apply {
                label(messages.text("settings.excluded"))
                labelFor = excluded
            },
            JScrollPane(excluded),
        )
        add(
            JPanel(),
            GridBagConstraints().apply {
                gridx = 0
                weighty = 1.0
            },
        )
    }

    private fun JPanel.row(field: Field) {
        val component = fields.getValue(field)
        val name = JLabel().apply {
            label(messages.text("settings.field.${name(field)}"))
            labelFor = component
        }
        component.named(name.text)
        row(
            name,
            JPanel(BorderLayout()).apply {
                add(component)
                add(errors.getValue(field), BorderLayout.SOUTH)
            },
        )
    }

    private fun JPanel.row(name: JLabel?, component: JComponent) {
        name?.let {
            it.border = Space(0.4, 0.0, 0.25, 1.0)
            add(
                it,
                GridBagConstraints().apply {
                    gridx = 0
                    anchor = GridBagConstraints.FIRST_LINE_START
                },
            )
        }
        // A border around it, not its own, which belongs to the theme.
        val spaced = JPanel(BorderLayout()).apply {
            border = Space(0.125, 0.0)
            add(component)
        }
        add(
            spaced,
            GridBagConstraints().apply {
                gridx = 1
                weightx = 1.0
                fill = GridBagConstraints.HORIZONTAL
            },
        )
    }

    private fun JPanel.wide(component: JComponent) = add(
        component,
        GridBagConstraints().apply {
            gridx = 0
            gridwidth = 2
            weightx = 1.0
            fill = GridBagConstraints.HORIZONTAL
        },
    )

    private fun JPanel.heading(key: String) =
        wide(ToneLabel(messages.text(key), bold = true).apply { border = Space(1.25, 0.0, 0.4) })

    private fun comment(key: String): JTextComponent = ToneText(Tone.MUTED).apply {
        text = messages.text(key)
        border = Space(0.0, 0.0, 0.5)
        isFocusable = false
    }

    private fun name(field: Field) = field.name.lowercase()

    private companion object {
        /** Known to IntelliJ's and to FlatLaf's borders. */
        const val OUTLINE = "JComponent.outline"
        const val EXCLUDED_ROWS = 4
        val LANGUAGES = listOf(null, "en", "zh-CN")
    }
}
