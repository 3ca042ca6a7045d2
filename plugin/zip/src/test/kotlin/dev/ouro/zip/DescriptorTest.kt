package dev.ouro.zip

import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.w3c.dom.Element

/** What the IDE finds out only when it is too late: names in the descriptors that lead nowhere. */
internal class DescriptorTest {
    /** The extension points that are used: the attributes that name a class, and what the class must be. */
    private val points = mapOf(
        "postStartupActivity" to mapOf("implementation" to "com.intellij.openapi.startup.ProjectActivity"),
        "toolWindow" to mapOf("factoryClass" to "com.intellij.openapi.wm.ToolWindowFactory"),
        "statusBarWidgetFactory" to mapOf("implementation" to "com.intellij.openapi.wm.StatusBarWidgetFactory"),
        "projectConfigurable" to mapOf("instance" to "com.intellij.openapi.options.Configurable"),
        "notificationGroup" to emptyMap(),
        "projectService" to mapOf(
            "serviceInterface" to "dev.ouro.ide.tools.CallResolver",
            "serviceImplementation" to "dev.ouro.ide.tools.CallResolver",
        ),
    )
    private val descriptors = listOf("plugin.xml", "ouro-java.xml")

    private fun children(descriptor: String, parent: String): List<Element> =
        Archive.elements(descriptor).filter { (it.parentNode as? Element)?.tagName == parent }

    private fun requireClass(name: String, type: String) {
        assertTrue("${name.replace('.', '/')}.class" in Archive.own, "$name is not in the archive")
        val loader = javaClass.classLoader
        val found = Class.forName(name, false, loader)
        assertTrue(Class.forName(type, false, loader).isAssignableFrom(found), "$name is no $type")
    }

    @Test
    fun `every extension point is known and every class that it names exists and is of its type`() {
        for (descriptor in descriptors) {
            for (extension in children(descriptor, "extensions")) {
                val attributes =
                    points[extension.tagName] ?: error("$descriptor: ${extension.tagName} is no known extension point")
                for ((attribute, type) in attributes) requireClass(extension.getAttribute(attribute), type)
            }
        }
        assertTrue(children("plugin.xml", "extensions").size >= 5)
    }

    @Test
    fun `every action exists, and has a name and a description in both languages`() {
        val actions = Archive.elements("plugin.xml", "action")
        assertTrue(actions.size >= 7)
        val keys = actions.flatMap { listOf("action.${id(it)}.text", "action.${id(it)}.description") } +
            Archive.elements("plugin.xml", "group").map { "group.${id(it)}.text" } +
            Archive.elements("plugin.xml", "toolWindow").map { "toolwindow.stripe.${id(it)}" }
        actions.forEach { requireClass(it.getAttribute("class"), "com.intellij.openapi.actionSystem.AnAction") }
        for (bundle in listOf("OuroIdeBundle", "OuroIdeBundle_zh_CN")) {
            assertEquals(emptyList<String>(), keys - Archive.bundle(bundle).keys, bundle)
        }
    }

    @Test
    fun `every bundle and key that an extension names exists`() {
        for (extension in children("plugin.xml", "extensions").filter { it.hasAttribute("key") }) {
            val bundle = Archive.bundle(extension.getAttribute("bundle").removePrefix("messages."))
            assertTrue(extension.getAttribute("key") in bundle, extension.tagName)
        }
        assertEquals("messages.OuroIdeBundle", Archive.elements("plugin.xml", "resource-bundle").single().textContent)
    }

    @Test
    fun `both languages say the same things with the same blanks`() {
        for (name in listOf("OuroIdeBundle", "OuroBundle")) {
            val english = Archive.bundle(name)
            val chinese = Archive.bundle("${name}_zh_CN")
            assertEquals(english.keys, chinese.keys, name)
            for ((key, text) in english) assertEquals(blanks(text), blanks(chinese.getValue(key)), "$name: $key")
        }
    }

    @Test
    fun `icons have a form for each theme`() {
        for (element in Archive.elements("plugin.xml").filter { it.hasAttribute("icon") }) {
            val icon = element.getAttribute("icon").removePrefix("/")
            for (form in listOf(icon, icon.replace(".svg", "_dark.svg"))) {
                assertTrue(form in Archive.own, "$form is not there")
            }
        }
        assertTrue("META-INF/pluginIcon.svg" in Archive.own && "META-INF/pluginIcon_dark.svg" in Archive.own)
    }

    @Test
    fun `what an optional dependency brings is described`() {
        for (dependency in Archive.elements("plugin.xml", "depends").filter { it.hasAttribute("config-file") }) {
            assertTrue("META-INF/${dependency.getAttribute("config-file")}" in Archive.own)
        }
    }

    private fun id(element: Element) = element.getAttribute("id")

    private fun blanks(text: String): Set<String> = Regex("""\{(\d+)""").findAll(text).map { it.groupValues[1] }.toSet()
}
