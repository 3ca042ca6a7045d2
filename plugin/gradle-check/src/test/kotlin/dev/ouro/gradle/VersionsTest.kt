package dev.ouro.gradle

import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test

internal class VersionsTest {
    private val parent = "plugin/pom.xml"

    @Test
    fun `Gradle and Maven build with the same versions`() {
        val gradle = BuildFiles.catalog("versions")
        val maven = mapOf(
            "kotlin" to BuildFiles.mavenValue(parent, "kotlin.version"),
            "coroutines" to BuildFiles.mavenValue(parent, "coroutines.version"),
            "serialization" to BuildFiles.mavenValue(parent, "serialization.version"),
            "junit" to BuildFiles.mavenValue(parent, "junit.version"),
            "junit4" to BuildFiles.mavenValue(parent, "junit4.version"),
            "commonmark" to BuildFiles.mavenValue("plugin/view/pom.xml", "commonmark.version"),
            "intellij-platform" to BuildFiles.mavenValue("plugin/gradle-check/pom.xml", "intellij.platform.version"),
        )
        assertEquals(maven, gradle.filterKeys(maven::containsKey))
        assertEquals(setOf("opentest4j"), gradle.keys - maven.keys, "Maven has no version of it")
    }

    @Test
    fun `the plugin has one version everywhere`() {
        val version = BuildFiles.gradleProperties.getValue("pluginVersion")
        assertEquals(setOf(version), BuildFiles.maven("plugin/ide/src/main/resources/META-INF/plugin.xml", "version").map { it.textContent }.toSet())
        for (module in listOf("", "bridge/", "view/", "ide/", "zip/", "example/", "platform-stubs/", "gradle-check/")) {
            assertEquals(version, BuildFiles.mavenValue("plugin/${module}pom.xml", "version"), module)
        }
    }

    @Test
    fun `both compile for the same Java and the same Kotlin`() {
        val kotlin = "KOTLIN_" + BuildFiles.mavenValue(parent, "kotlin.api.version").replace('.', '_')
        val libraries = BuildFiles.mavenValue(parent, "java.release")
        val plugin = BuildFiles.mavenValue("plugin/ide/pom.xml", "java.release")
        for ((module, java) in mapOf("bridge" to libraries, "view" to libraries, "example" to libraries, "ide" to plugin)) {
            val script = BuildFiles.text("plugin/$module/build.gradle.kts")
            assertEquals(1, Regex("JvmTarget.JVM_$java\\b").findAll(script).count(), module)
            assertTrue("options.release = $java" in script, module)
            assertEquals(2, Regex("KotlinVersion.$kotlin\\b").findAll(script).count(), module)
        }
    }

    @Test
    fun `both name the same oldest IDE and the same modules`() {
        val since = BuildFiles.maven("plugin/ide/src/main/resources/META-INF/plugin.xml", "idea-version").single().getAttribute("since-build")
        assertTrue("sinceBuild = \"$since\"" in BuildFiles.text("plugin/ide/build.gradle.kts"))
        val branch = BuildFiles.gradleProperties.getValue("platformVersion").split('.').let { (year, number) -> year.takeLast(2) + number }
        assertEquals(since, branch)
        val modules = BuildFiles.maven(parent, "module").map { it.textContent }
        val included = Regex("\"plugin:([a-z-]+)\"").findAll(BuildFiles.text("settings.gradle.kts")).map { it.groupValues[1] }.toList()
        // Stand-ins and checks are for a machine without Gradle.
        assertEquals(modules.toSet() - setOf("platform-stubs", "zip", "gradle-check"), included.toSet())
    }

    @Test
    fun `every folder that a script names is there`() {
        for (folder in listOf("plugin/ide/src/platformTest/kotlin", "plugin/ide/src/test/kotlin/dev/ouro/ide/code")) {
            assertTrue(BuildFiles.exists(folder), folder)
        }
        assertTrue(BuildFiles.exists("gradle/wrapper/gradle-wrapper.jar") && BuildFiles.exists("gradlew") && BuildFiles.exists("gradlew.bat"))
        val gradle = Regex("gradle-([0-9.]+)-bin").find(BuildFiles.text("gradle/wrapper/gradle-wrapper.properties"))!!.groupValues[1]
        assertTrue(gradle.substringBefore('.').toInt() >= 9, gradle)
    }
}
