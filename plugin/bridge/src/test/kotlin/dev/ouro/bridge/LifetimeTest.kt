package dev.ouro.bridge

import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertNotSame
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.condition.EnabledOnOs
import org.junit.jupiter.api.condition.OS
import org.junit.jupiter.api.io.TempDir
import java.io.File
import java.lang.ref.WeakReference
import java.nio.file.Files
import java.nio.file.Path
import java.util.concurrent.TimeUnit
import kotlin.time.Duration.Companion.seconds

/** What a process has when the library is used for long, and what is left of the library when it isn't any more. */
internal class LifetimeTest {
    private val weather: Path = Path.of(System.getProperty("ouro.fixtures"), "weather")
    private val library: Path = Path.of(System.getProperty(NativeLibrary.DIRECTORY_PROPERTY))

    @Test
    @EnabledOnOs(OS.LINUX)
    fun `a thousand engines leave no thread, no file and no object behind`(@TempDir data: Path) {
        fun cycles(count: Int) = runBlocking {
            repeat(count) {
                EvolutionEngine.open(weather, dataDir = data).use { engine -> engine.records() }
                LoopDetector().use { it.content("text") }
            }
        }
        cycles(100)
        val before = Usage.now()
        cycles(1_000)
        val after = Usage.now()
        // A kilobyte for each engine would be seen. Native memory is measured where no JVM is around it.
        assertTrue(after.heap < before.heap + 1_000_000, "$before -> $after")
        assertTrue(after.files <= before.files + 2 && after.threads <= before.threads + 4, "$before -> $after")
    }

    private data class Usage(val heap: Long, val files: Int, val threads: Int) {
        companion object {
            fun now(): Usage {
                repeat(3) { System.gc() }
                val heap = Runtime.getRuntime().run { totalMemory() - freeMemory() }
                val threads = File("/proc/self/task").list()!!.size
                return Usage(heap, File("/proc/self/fd").list()!!.size, threads)
            }
        }
    }

    /** Loads the bridge anew, and everything else from its parent, as a plugin's loader does. */
    private class PluginLoader(parent: ClassLoader) : ClassLoader(parent) {
        override fun loadClass(name: String, resolve: Boolean): Class<*> = synchronized(getClassLoadingLock(name)) {
            if (!name.startsWith("dev.ouro.")) return super.loadClass(name, resolve)
            findLoadedClass(name) ?: run {
                val file = name.replace('.', '/') + ".class"
                val code = parent.getResourceAsStream(file) ?: throw ClassNotFoundException(name)
                val bytes = code.use { it.readBytes() }
                defineClass(name, bytes, 0, bytes.size)
            }
        }
    }

    @Test
    fun `a class loader that used the library can be collected after the shutdown`(@TempDir folder: Path) {
        // One path is loaded by one class loader at a time: another needs a copy.
        val copy = folder.resolve("native").also(Files::createDirectory)
        Files.copy(library.resolve(NativeLibrary.fileName), copy.resolve(NativeLibrary.fileName))
        // A thread remembers who made it, on older JVMs: the pool's must not be made on behalf of the plugin.
        runBlocking { repeat(128) { launch(Dispatchers.IO) { Thread.sleep(10) } } }
        val loader = useInPluginLoader(copy, folder.resolve("data"))
        repeat(100) {
            if (loader.get() == null) return
            System.gc()
            Thread.sleep(50)
        }
        assertEquals(null, loader.get(), "the class loader is still reachable")
    }

    private fun useInPluginLoader(library: Path, data: Path): WeakReference<ClassLoader> {
        val loader = PluginLoader(javaClass.classLoader)
        val visit = loader.loadClass(PluginVisit::class.java.name)
        assertNotSame(PluginVisit::class.java, visit)
        val property = System.setProperty(NativeLibrary.DIRECTORY_PROPERTY, "$library")
        try {
            val learned = visit.getMethod("learn", Path::class.java, Path::class.java).invoke(null, weather, data)
            assertEquals(1, learned)
        } finally {
            System.setProperty(NativeLibrary.DIRECTORY_PROPERTY, property)
        }
        return WeakReference(loader)
    }

    @Test
    fun `a JVM ends within a second when its main returns, with an engine that is open and runs`(@TempDir data: Path) {
        val java = Path.of(System.getProperty("java.home"), "bin", "java")
        val process = ProcessBuilder(
            "$java",
            "-Xcheck:jni",
            "-Xmx256m",
            "-D${NativeLibrary.DIRECTORY_PROPERTY}=$library",
            "-cp",
            System.getProperty("surefire.test.class.path") ?: System.getProperty("java.class.path"),
            UnfinishedMain::class.java.name,
            "$weather",
            "$data",
        ).redirectErrorStream(true).redirectInput(File("/dev/null")).start()
        try {
            val output = process.inputStream.bufferedReader()
            val said = generateSequence { output.readLine() }.takeWhile { it != "main returns" }.toList()
            val returned = System.nanoTime()
            // Ten times as long as it may take, because the machine may be busy.
            assertTrue(process.waitFor(10, TimeUnit.SECONDS), "it still runs: $said")
            println("the JVM ended ${(System.nanoTime() - returned) / 1_000_000} ms after its main returned")
            val rest = output.readText()
            assertEquals(0, process.exitValue(), "$said\n$rest")
            assertTrue("in native method" !in said.joinToString() + rest, "$said\n$rest")
        } finally {
            process.destroyForcibly()
        }
    }
}

/** Runs in the class loader of a plugin. */
internal object PluginVisit {
    @JvmStatic
    fun learn(project: Path, data: Path): Int = runBlocking {
        val settings = EngineSettings(EvolutionConfig(enabled = true, intervalMs = 0))
        val learned = EvolutionEngine.open(project, settings, dataDir = data).use { engine ->
            engine.runOnce()
            engine.awaitEnd(60.seconds)
            engine.records().size
        }
        EvolutionEngine.shutdown()
        learned
    }
}

/** A program that cleans up nothing. */
internal object UnfinishedMain {
    @JvmStatic
    fun main(arguments: Array<String>) {
        val (project, data) = arguments.map(Path::of)
        runBlocking {
            val settings = EngineSettings(EvolutionConfig(enabled = true, intervalMs = 0))
            val engine = EvolutionEngine.open(project, settings, dataDir = data)
            engine.start()
            LoopDetector().content("text")
        }
        println("main returns")
    }
}
