package dev.ouro.zip

import dev.ouro.bridge.NativeLibrary
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir
import java.nio.file.Files
import java.nio.file.Path
import java.util.zip.ZipFile

internal class ContentTest {
    @Test
    fun `nothing that the IDE brings is in the archive, and no stand-in of it`() {
        val foreign = listOf(
            "com/intellij/",
            "org/jetbrains/uast/",
            "org/intellij/",
            "org/jetbrains/annotations/",
            "kotlin/",
            "kotlinx/coroutines/",
        )
        assertEquals(emptyList<String>(), Archive.files.keys.filter { file -> foreign.any(file::startsWith) })
    }

    @Test
    fun `the archive has one folder with its jars and its library`() {
        assertTrue(Archive.entries.all { it.startsWith("ouro/") })
        assertTrue("ouro/LICENSE" in Archive.entries)
        val native = Archive.entries.filter { it.startsWith("ouro/native/") && !it.endsWith("/") }
        assertEquals(1, native.size, "${Archive.entries}")
    }

    @Test
    fun `the classes run on the Java of the oldest IDE`() {
        val classes = Archive.files.filterKeys { it.endsWith(".class") && !it.startsWith("META-INF/") }
        val newest = classes.maxOf { (_, bytes) -> bytes[7].toInt() }
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

    @Test
    fun `nothing that only a stand-in has is called`() {
        val called = Archive.own.filterKeys { it.endsWith(".class") }.values.flatMap(::references)
            .filter { it.owner.startsWith("com/intellij/") || it.owner.startsWith("org/jetbrains/uast/") }
        assertTrue(called.any { "ToolWindowManager" in it.owner }, "nothing of the platform is called")
        // A default value makes the compiler call a function that the real class has only if it has the same default.
        val real = setOf("getUastParentOfType\$default")
        val made = called.filter { it.name.endsWith("\$default") || "DefaultConstructorMarker" in it.descriptor }
        assertEquals(emptyList<Reference>(), made.filterNot { it.name in real }.distinct())
    }

    private companion object {
        /** The version of class files of Java 21. */
        const val JAVA_21 = 65
    }
}
