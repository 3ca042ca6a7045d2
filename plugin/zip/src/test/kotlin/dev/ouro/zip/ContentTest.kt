package dev.ouro.zip

import dev.ouro.bridge.NativeLibrary
import java.nio.file.Files
import java.nio.file.Path
import java.util.zip.ZipFile
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir

internal class ContentTest {
    @Test
    fun `nothing that the IDE brings is in the archive, and no stand-in of it`() {
        val foreign = listOf("com/intellij/", "org/jetbrains/uast/", "org/intellij/", "org/jetbrains/annotations/", "kotlin/", "kotlinx/coroutines/")
        assertEquals(emptyList<String>(), Archive.files.keys.filter { file -> foreign.any(file::startsWith) })
    }

    @Test
    fun `the archive has one folder with its jars and its library`() {
        assertTrue(Archive.entries.all { it.startsWith("ouro/") })
        assertTrue("ouro/LICENSE" in Archive.entries)
        assertEquals(1, Archive.entries.count { it.startsWith("ouro/native/") && !it.endsWith("/") }, "${Archive.entries}")
    }

    @Test
    fun `the classes run on the Java of the oldest IDE`() {
        val newest = Archive.files.filterKeys { it.endsWith(".class") && !it.startsWith("META-INF/") }.maxOf { (_, bytes) -> bytes[7].toInt() }
        assertTrue(newest <= JAVA_21, "class files of version $newest")
    }

    @Test
    fun `the library is where the plugin looks for it, and loads`(@TempDir folder: Path) {
        ZipFile(System.getProperty("ouro.zip")).use { zip ->
            for (entry in zip.entries().asSequence().filter { it.name.startsWith("ouro/native/") && !it.isDirectory }) {
                val target = folder.resolve(entry.name)
                Files.createDirectories(target.parent)
                zip.getInputStream(entry).use { Files.copy(it, target) }
            }
        }
        System.clearProperty(NativeLibrary.DIRECTORY_PROPERTY)
        NativeLibrary.load(folder.resolve("ouro"), folder.resolve("cache"))
        assertTrue(Files.notExists(folder.resolve("cache")))
    }

    private companion object {
        /** The version of class files of Java 21. */
        const val JAVA_21 = 65
    }
}
