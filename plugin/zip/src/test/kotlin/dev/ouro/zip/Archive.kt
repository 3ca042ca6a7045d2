package dev.ouro.zip

import org.w3c.dom.Element
import java.io.ByteArrayInputStream
import java.nio.file.Path
import java.util.Properties
import java.util.zip.ZipFile
import java.util.zip.ZipInputStream
import javax.xml.parsers.DocumentBuilderFactory

/** The plugin's archive, its jars opened. */
internal object Archive {
    private val file = Path.of(System.getProperty("ouro.zip"))

    /** The files in the archive itself. */
    val entries: List<String> =
        ZipFile(file.toFile()).use { zip -> zip.entries().asSequence().map { it.name }.toList() }

    /** The files in its jars, by the jar's name. */
    private val jars: Map<String, Map<String, ByteArray>> = ZipFile(file.toFile()).use { zip ->
        zip.entries().asSequence().filter { it.name.endsWith(".jar") }.associate { jar ->
            jar.name.substringAfterLast('/') to ZipInputStream(zip.getInputStream(jar)).use { inner ->
                generateSequence(inner::getNextEntry).filterNot { it.isDirectory }
                    .associate { it.name to inner.readBytes() }
            }
        }
    }

    /** Every file in a jar. */
    val files: Map<String, ByteArray> = jars.values.fold(emptyMap()) { all, jar -> all + jar }

    /** The project's own files. */
    val own: Map<String, ByteArray> =
        jars.filterKeys { it.startsWith("ouro-") }.values.fold(emptyMap()) { all, jar -> all + jar }

    /** The elements of a descriptor that are called [name]; `*` for all. */
    fun elements(descriptor: String, name: String = "*"): List<Element> {
        val bytes = files.getValue("META-INF/$descriptor")
        val document = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(ByteArrayInputStream(bytes))
        val all = document.getElementsByTagName(name)
        return (0 until all.length).map { all.item(it) as Element }
    }

    /** A bundle of messages. */
    fun bundle(name: String): Map<String, String> {
        val properties = Properties()
        files.getValue("messages/$name.properties").inputStream().reader().use(properties::load)
        return properties.entries.associate { (key, value) -> key.toString() to value.toString() }
    }
}
