package dev.ouro.gradle

import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test

internal class VersionsTest {
    private val parent = "plugin/pom.xml"
    private val descriptor = "plugin/ide/src/main/resources/META-INF/plugin.xml"

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
        assertEquals(setOf(version), BuildFiles.maven(descriptor, "version").map { it.textContent }.toSet())
        for (module in listOf("", "bridge/", "view/", "ide/", "zip/", "example/", "platform-stubs/", "gradle-check/")) {
            assertEquals(version, BuildFiles.mavenValue("plugin/${module}pom.xml", "version"), module)
        }
    }

    @Test
    fun `both compile for the same Java and the same Kotlin`() {
        val kotlin = "KOTLIN_" + BuildFiles.mavenValue(parent, "kotlin.api.version").replace('.', '_')
        val libraries = BuildFiles.mavenValue(parent, "java.release")
        val plugin = BuildFiles.mavenValue("plugin/ide/pom.xml", "java.release")
        val common = BuildFiles.text("build.gradle.kts")
        for ((script, java) in listOf(common to libraries, BuildFiles.text("plugin/ide/build.gradle.kts") to plugin)) {
            assertEquals(1, Regex("JvmTarget.JVM_$java\\b").findAll(script).count(), script)
            assertTrue("options.release = $java" in script, script)
        }
        assertEquals(2, Regex("KotlinVersion.$kotlin\\b").findAll(common).count())
    }

    @Test
    fun `both name the same oldest IDE and the same modules`() {
        val since = BuildFiles.maven(descriptor, "idea-version").single().getAttribute("since-build")
        assertTrue("sinceBuild = \"$since\"" in BuildFiles.text("plugin/ide/build.gradle.kts"))
        val (year, number) = BuildFiles.gradleProperties.getValue("platformVersion").split('.')
        assertEquals(since, year.takeLast(2) + number)
        val modules = BuildFiles.maven(parent, "module").map { it.textContent }
        val settings = BuildFiles.text("settings.gradle.kts")
        val included = Regex("\"plugin:([a-z-]+)\"").findAll(settings).map { it.groupValues[1] }.toList()
        // Stand-ins and checks are for a machine without Gradle.
        assertEquals(modules.toSet() - setOf("platform-stubs", "zip", "gradle-check"), included.toSet())
    }

    @Test
    fun `every folder that a script names is there`() {
        for (folder in listOf("plugin/ide/src/platformTest/kotlin", "plugin/ide/src/test/kotlin/dev/ouro/ide/code")) {
            assertTrue(BuildFiles.exists(folder), folder)
        }
        for (file in listOf("gradle/wrapper/gradle-wrapper.jar", "gradlew", "gradlew.bat")) {
            assertTrue(BuildFiles.exists(file), file)
        }
        val wrapper = BuildFiles.text("gradle/wrapper/gradle-wrapper.properties")
        val gradle = Regex("gradle-([0-9.]+)-bin").find(wrapper)!!.groupValues[1]
        assertTrue(gradle.substringBefore('.').toInt() >= 9, gradle)
    }
}
