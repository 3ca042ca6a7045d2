package dev.ouro.view

import dev.ouro.view.ask.AskModel
import dev.ouro.view.ask.AskPanel
import dev.ouro.view.base.Components
import dev.ouro.view.base.Formats
import dev.ouro.view.base.Host
import dev.ouro.view.base.Messages
import dev.ouro.view.failures.FailuresModel
import dev.ouro.view.failures.FailuresPanel
import dev.ouro.view.log.LogModel
import dev.ouro.view.log.LogPanel
import dev.ouro.view.overview.OverviewModel
import dev.ouro.view.overview.OverviewPanel
import dev.ouro.view.records.CatalogReader
import dev.ouro.view.records.RecordsModel
import dev.ouro.view.records.RecordsPanel
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.combine
import kotlinx.coroutines.flow.distinctUntilChanged
import javax.swing.JComponent

/**
 * The view models of one project, and the tabs over them. The models live as long as [scope], do their work on its
 * dispatcher, and cost nothing while no tab is shown. [tabs] makes panels and is called on the UI thread.
 */
public class OuroView(
    private val scope: CoroutineScope,
    private val host: Host,
    private val messages: Messages = Messages(),
    private val formats: Formats = Formats(messages),
) {
    private val catalog = CatalogReader(scope, host.engine)

    /** The Overview's state. */
    public val overview: OverviewModel = OverviewModel(scope, host, catalog.state, messages, formats)

    /** The records. */
    public val records: RecordsModel = RecordsModel(scope, host, catalog, messages, formats)

    /** The questions that the user asks. */
    public val ask: AskModel = AskModel(scope, host, messages, formats)

    /** The loop's log. */
    public val log: LogModel = LogModel(scope, host, messages, formats)

    /** What failed. */
    public val failures: FailuresModel = FailuresModel(scope, host, messages, formats)

    /** What the status bar shows. */
    public val status: Flow<StatusText> = combine(host.engine, overview.state) { engine, overview ->
        StatusText.of(engine, overview, messages)
    }.distinctUntilChanged()

    /** A tab of the tool window. */
    public class Tab(
        /** `overview`, `records`, `ask`, `log` or `failures`. */
        public val id: String,
        /** The tab's name. */
        public val title: String,
        /** The panel. */
        public val component: JComponent,
        /** What has the focus when the tab is opened. */
        public val preferredFocus: JComponent,
    )

    /** New panels of all tabs, in their order. */
    public fun tabs(components: Components): List<Tab> {
        val overviewPanel = OverviewPanel(scope, overview, host, components, messages, formats)
        val recordsPanel = RecordsPanel(scope, records, host, components, messages, formats)
        val askPanel = AskPanel(scope, ask, host, components, messages)
        val logPanel = LogPanel(scope, log, host, components, messages, formats)
        val failuresPanel = FailuresPanel(scope, failures, host, components, messages, formats)
        return listOf(
            Tab("overview", messages.text("tab.overview"), overviewPanel, overviewPanel),
            Tab("records", messages.text("tab.records"), recordsPanel, recordsPanel.preferredFocus),
            Tab("ask", messages.text("tab.ask"), askPanel, askPanel.preferredFocus),
            Tab("log", messages.text("tab.log"), logPanel, logPanel.preferredFocus),
            Tab("failures", messages.text("tab.failures"), failuresPanel, failuresPanel.preferredFocus),
        )
    }
}
