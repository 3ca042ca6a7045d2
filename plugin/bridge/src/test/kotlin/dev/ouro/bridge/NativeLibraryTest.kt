package dev.ouro.bridge

import org.junit.jupiter.api.Assertions.assertArrayEquals
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.condition.EnabledOnOs
import org.junit.jupiter.api.condition.OS
import org.junit.jupiter.api.io.TempDir
import java.io.File
import java.nio.file.Files
import java.nio.file.Path
import java.util.jar.JarEntry
import java.util.jar.JarOutputStream
import kotlin.io.path.createDirectories
import kotlin.io.path.createSymbolicLinkPointingTo
import kotlin.io.path.isRegularFile
import kotlin.io.path.outputStream
import kotlin.io.path.writeText

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
        // Damaged, or put there by somebody else: it has the name and the size, but not the content.
        Files.write(first, byteArrayOf(3, 2, 1))
        assertArrayEquals(byteArrayOf(1, 2, 3), Files.readAllBytes(NativeLibrary.extract(byteArrayOf(1, 2, 3), cache)))
    }

    private val library = Path.of(System.getProperty(NativeLibrary.DIRECTORY_PROPERTY)).resolve(NativeLibrary.fileName)

    /** This code as programs have it: in a jar in a folder called `lib`. */
    private fun Path.program(): Path {
        val jar = resolve("lib").createDirectories().resolve("bridge.jar")
        val classes = Path.of(NativeLibrary::class.java.protectionDomain.codeSource.location.toURI())
        JarOutputStream(jar.outputStream()).use { out ->
            Files.walk(classes).use { all -> all.filter(Files::isRegularFile).toList() }.forEach { file ->
                out.putNextEntry(JarEntry(classes.relativize(file).joinToString("/")))
                Files.copy(file, out)
            }
        }
        return jar
    }

    private fun Path.holds(target: Path) {
        parent.createDirectories()
        createSymbolicLinkPointingTo(target)
    }

    /** What a JVM says that finds the library, or doesn't, by itself, with this in front of its class path. */
    private fun said(folder: Path, first: Path): String {
        val output = folder.resolve("output").toFile()
        val path = System.getProperty("surefire.test.class.path") ?: System.getProperty("java.class.path")
        val process = ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Duser.home=${folder.resolve("home").createDirectories()}",
            "-cp",
            "$first${File.pathSeparator}$path",
            LoadMain::class.java.name,
        ).redirectErrorStream(true).redirectOutput(output).redirectInput(File("/dev/null")).start()
        assertEquals(0, process.waitFor(), output::readText)
        return output.readText()
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    fun `a program finds the library beside its own jar, and in its resources`(@TempDir folder: Path) {
        val (name, platform) = NativeLibrary.fileName to "native/${NativeLibrary.platform}"
        val (variant, plain, resources) = listOf("variant", "plain", "resources").map(folder::resolve)
        variant.resolve("$platform/$name").holds(library)
        assertTrue("the library works" in said(variant, variant.program()))
        plain.resolve(name).holds(library)
        assertTrue("the library works" in said(plain, plain.program()))
        resources.resolve("$platform/$name").holds(library)
        assertTrue("the library works" in said(resources, resources))
        val extracted = Files.walk(resources.resolve("home/.cache/ouro/native"))
            .use { all -> all.filter { it.isRegularFile() }.toList() }
        assertEquals(name, extracted.single().fileName.toString())
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    fun `a program without the library, or with something else in its place, goes on and says why`(
        @TempDir folder: Path,
    ) {
        val (none, text, other) = listOf("none", "text", "other").map(folder::resolve)
        val missing = said(none, none.program())
        assertTrue("native engine unavailable: no library was found for ${NativeLibrary.platform}" in missing, missing)
        val jar = text.program()
        text.resolve(NativeLibrary.fileName).writeText("no library")
        val broken = said(text, jar)
        assertTrue("native engine unavailable: " in broken && "can't be loaded" in broken, broken)
        val program = other.program()
        // Any other library; a link to it would be the one that every JVM has loaded.
        val image = Path.of(System.getProperty("java.home"), "lib", System.mapLibraryName("jimage"))
        Files.copy(image, other.resolve(NativeLibrary.fileName))
        val foreign = said(other, program)
        assertTrue("native engine unavailable: " in foreign && "is no library of Ouro" in foreign, foreign)
    }
}

/** A program that uses the library if there is one. */
internal object LoadMain {
    @JvmStatic
    fun main(@Suppress("unused") arguments: Array<String>) {
        val said = try {
            LoopDetector().use { it.content("text") }
            "the library works"
        } catch (error: EngineException.NativeUnavailable) {
            error.message
        }
        println(said)
    }
}
