package dev.ouro.bridge

import org.junit.jupiter.api.Assertions.assertArrayEquals
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir
import java.nio.file.Files
import java.nio.file.Path

internal class NativeLibraryTest {
    @Test
    fun `the property's folder comes before the plugin's folders`() {
        val root = Path.of("plugin")
        val name = NativeLibrary.fileName
        val property = Path.of(System.getProperty(NativeLibrary.DIRECTORY_PROPERTY), name)
        val own = root.resolve("native").resolve(NativeLibrary.platform).resolve(name)
        assertEquals(listOf(property, own, root.resolve(name)), NativeLibrary.candidates(root))
    }

    @Test
    fun `a library is extracted once for each content`(@TempDir cache: Path) {
        val first = NativeLibrary.extract(byteArrayOf(1, 2, 3), cache)
        assertArrayEquals(byteArrayOf(1, 2, 3), Files.readAllBytes(first))
        val modified = Files.getLastModifiedTime(first)
        assertEquals(first, NativeLibrary.extract(byteArrayOf(1, 2, 3), cache))
        assertEquals(modified, Files.getLastModifiedTime(first))
        val other = NativeLibrary.extract(byteArrayOf(1, 2, 4), cache)
        assertArrayEquals(byteArrayOf(1, 2, 4), Files.readAllBytes(other))
        assertEquals(2, Files.walk(cache).use { all -> all.filter(Files::isRegularFile).count() })
    }
}
