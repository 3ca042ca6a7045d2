package dev.ouro.example

import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertFalse
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir
import java.io.File
import java.nio.file.Path
import java.util.concurrent.TimeUnit
import kotlin.io.path.readText

internal class EvolveTest {
    @Test
    fun `the bridge's documentation shows the example as it is`() {
        val plugin = Path.of(System.getProperty("ouro.fixtures"), "..", "..", "plugin")
        val example = plugin.resolve("example/src/main/kotlin/dev/ouro/example/Evolve.kt").readText()
        val shown = plugin.resolve("bridge/README.md").readText()
        assertEquals(
            example.substring(example.indexOf("/** ")),
            shown.substringAfter("```kotlin\n").substringBefore("```"),
        )
    }

    @Test
    fun `the example learns a project with its own tool, and its JVM ends by itself`(@TempDir data: Path) {
        val java = Path.of(System.getProperty("java.home"), "bin", "java")
        val process = ProcessBuilder(
            "$java",
            "-Xcheck:jni",
            "-Xmx256m",
            "-Douro.native.dir=${System.getProperty("ouro.native.dir")}",
            "-cp",
            System.getProperty("surefire.test.class.path") ?: System.getProperty("java.class.path"),
            "dev.ouro.example.EvolveKt",
            System.getProperty("ouro.fixtures") + "/weather",
            "$data",
        ).redirectErrorStream(true).redirectInput(File("/dev/null")).start()
        try {
            val output = process.inputStream.bufferedReader().readText()
            assertTrue(process.waitFor(30, TimeUnit.SECONDS), "it still runs: $output")
            assertEquals(0, process.exitValue(), output)
            val end = Regex("Ended: iterations_done, after [1-9].* calls of our own tool")
            assertTrue(end.containsMatchIn(output), output)
            assertEquals(5, Regex("(?m)^\\S.*\\?$").findAll(output).count(), output)
            assertTrue("weather/" in output, output)
            assertFalse("in native method" in output || "FATAL ERROR" in output, output)
        } finally {
            process.destroyForcibly()
        }
    }
}
