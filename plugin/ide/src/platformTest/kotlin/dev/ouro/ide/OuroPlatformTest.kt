package dev.ouro.ide

import com.intellij.openapi.actionSystem.ActionManager
import com.intellij.openapi.command.WriteCommandAction
import com.intellij.openapi.fileEditor.FileDocumentManager
import com.intellij.testFramework.fixtures.BasePlatformTestCase
import com.intellij.util.xmlb.XmlSerializer
import dev.ouro.ide.settings.AppState
import dev.ouro.ide.settings.OuroConfigurable
import dev.ouro.ide.settings.ProjectSettings
import dev.ouro.ide.settings.ProjectState

/** What can only be seen in an IDE: services, settings and actions as the platform makes them. */
internal class OuroPlatformTest : BasePlatformTestCase() {
    fun `test the services of a project are there`() {
        assertNotNull(project.getService(ProjectAnalysisScheduler::class.java))
        assertNotNull(project.getService(ProjectHost::class.java))
    }

    fun `test the settings are off at first and survive being written and read`() {
        val settings = project.getService(ProjectSettings::class.java)
        assertFalse(settings.now.value.enabled)
        val before = settings.getStateModificationCount()
        settings.update { it.copy(dailyQuestions = 7) }
        assertEquals(7, settings.getState().dailyQuestions)
        assertTrue("the change is not saved", settings.getStateModificationCount() > before)
        settings.update { ProjectState() }
        val changed = ProjectState(enabled = true, dailyQuestions = 7, excluded = listOf("build/**"), deepMode = true)
        val read = XmlSerializer.deserialize(XmlSerializer.serialize(changed), ProjectState::class.java)
        assertEquals(changed, read)
        val app = AppState("https://models.example.org/v1", "big")
        assertEquals(app, XmlSerializer.deserialize(XmlSerializer.serialize(app), AppState::class.java))
    }

    fun `test the form of the settings can be shown and closed`() {
        val form = OuroConfigurable(project)
        assertNotNull(form.createComponent())
        assertFalse(form.isModified)
        form.disposeUIResources()
    }

    fun `test every action is registered with a text`() {
        for (name in listOf("TurnOn", "TurnOff", "Pause", "Resume", "RunOnce", "Ask", "Show")) {
            val action = ActionManager.getInstance().getAction("dev.ouro.$name")
            assertNotNull("dev.ouro.$name", action)
            assertFalse(action.templatePresentation.text.isNullOrEmpty())
        }
    }

    fun `test an unsaved change is what the user sees`() {
        val file = myFixture.configureByText("A.txt", "old").virtualFile
        val documents = FileDocumentManager.getInstance()
        val document = documents.getDocument(file)!!
        WriteCommandAction.runWriteCommandAction(project) { document.setText("new") }
        assertTrue(documents.isDocumentUnsaved(document))
        assertEquals("new", documents.getCachedDocument(file)?.immutableCharSequence?.toString())
    }
}
