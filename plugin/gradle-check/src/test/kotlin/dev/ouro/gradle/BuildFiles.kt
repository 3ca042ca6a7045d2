package dev.ouro.gradle

import org.w3c.dom.Element
import java.nio.file.Files
import java.nio.file.Path
import java.util.Properties
import javax.xml.parsers.DocumentBuilderFactory

/** The files of both builds. */
internal object BuildFiles {
    /** The folder of the repository. */
    val root: Path = Path.of(System.getProperty("ouro.root"))

    /** A file's text; the path is relative to the repository. */
    fun text(path: String): String = Files.readString(root.resolve(path))

    /** Whether there is such a file or folder. */
    fun exists(path: String): Boolean = Files.exists(root.resolve(path))

    /** A section of the version catalog. */
    fun catalog(section: String): Map<String, String> {
        val lines = text("gradle/libs.versions.toml").lines().map(String::trim).dropWhile { it != "[$section]" }.drop(1)
        return lines.takeWhile { !it.startsWith("[") }.filter { "=" in it && !it.startsWith("#") }
            .associate { it.substringBefore("=").trim() to it.substringAfter("=").trim().trim('"') }
    }

    /** The properties of the Gradle build. */
    val gradleProperties: Map<String, String> =
        Properties().apply { load(text("gradle.properties").reader()) }
            .entries.associate { (key, value) -> "$key" to "$value" }

    /** The elements of a Maven file that are called [name]. */
    fun maven(path: String, name: String): List<Element> {
        val document = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(root.resolve(path).toFile())
        val found = document.getElementsByTagName(name)
        return (0 until found.length).map { found.item(it) as Element }
    }

    /** The text of the first such element. */
    fun mavenValue(path: String, name: String): String = maven(path, name).first().textContent.trim()
}
