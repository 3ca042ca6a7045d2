package dev.ouro.gradle

import org.jetbrains.kotlin.cli.common.ExitCode
import org.jetbrains.kotlin.cli.jvm.K2JVMCompiler
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir
import java.io.ByteArrayOutputStream
import java.io.File
import java.io.PrintStream
import java.nio.file.Path
import kotlin.io.path.writeText

/**
 * Compiles the build scripts against Gradle's API and the real plugins: a name or a type that is wrong is found without
 * Gradle, which no package registry has. What tasks do when they run is not seen.
 */
internal class ScriptsTest {
    @TempDir
    lateinit var folder: Path

    private val scripts = listOf("build.gradle.kts") +
        listOf("bridge", "example", "view", "ide").map { "plugin/$it/build.gradle.kts" }

    /** What scripts are compiled against. */
    private val api: List<String> =
        listOf("stdlib", "kotlin", "kotlinApi", "kotlinTooling", "intellij", "groovy", "gradle")
            .map { System.getProperty("ouro.api.$it") }
    private val classPath: List<String> =
        (System.getProperty("surefire.test.class.path") ?: System.getProperty("java.class.path"))
            .split(File.pathSeparator)

    @Test
    fun `every name in the build scripts exists and has the right type`() {
        val (code, messages) = compile(scripts.map(BuildFiles::text))
        assertEquals(ExitCode.OK, code, messages)
    }

    @Test
    fun `a name that is wrong is found`() {
        val (root, ide) = listOf("build.gradle.kts", "plugin/ide/build.gradle.kts").map(BuildFiles::text)
        for ((script, right, wrong) in listOf(
            Triple(ide, "sinceBuild", "sinceBild"),
            Triple(ide, "libs.junit.jupiter", "libs.junit.jupyter"),
            Triple(root, "explicitApi", "explicitAPI"),
        )) {
            val (code, messages) = compile(listOf(script.replace(right, wrong)))
            assertEquals(ExitCode.COMPILATION_ERROR, code)
            assertTrue("unresolved reference '${wrong.substringAfterLast('.')}'" in messages, messages)
        }
    }

    private fun compile(scripts: List<String>): Pair<ExitCode, String> {
        val sources = scripts.mapIndexed { index, script -> "Script$index" to asFunction("script$index", script) } +
            ("KotlinDsl" to resource("KotlinDsl.kt.txt")) + ("Catalog" to catalog())
        val files = sources.map { (name, text) -> folder.resolve("$name.kt").also { it.writeText(text) } }
        val output = ByteArrayOutputStream()
        val code = K2JVMCompiler().exec(
            PrintStream(output),
            "-no-stdlib", "-no-reflect", "-nowarn", "-Xskip-metadata-version-check",
            "-d", folder.resolve("classes").toString(),
            "-cp", api.joinToString(File.pathSeparator),
            "-Xplugin=${jar("kotlin-sam-with-receiver-compiler-plugin-embeddable")}",
            "-P", "plugin:org.jetbrains.kotlin.samWithReceiver:annotation=org.gradle.api.HasImplicitReceiver",
            "-Xplugin=${jar("kotlin-assignment-compiler-plugin-embeddable")}",
            "-P",
            "plugin:org.jetbrains.kotlin.assignment:annotation=org.gradle.api.SupportsKotlinAssignmentOverloading",
            *files.map(Path::toString).toTypedArray(),
        )
        return code to output.toString()
    }

    /** A script is a function of its project; what its `plugins` block adds is in the DSL's stand-in. */
    private fun asFunction(name: String, script: String): String {
        val lines = script.lines()
        val start = lines.indexOf("plugins {")
        val end = start + lines.drop(start).indexOf("}")
        val body = lines.filterIndexed { index, line -> index !in start..end && !line.startsWith("import ") }
        val imports = lines.filter { it.startsWith("import ") } + IMPLICIT.map { "import $it" }
        return (imports.distinct() + "fun Project.$name() {" + body + "}").joinToString("\n")
    }

    /** The accessors that Gradle makes of the version catalog. */
    private fun catalog(): String {
        val names = BuildFiles.catalog("libraries").keys.map { it.split('-') }
        fun type(path: List<String>): String = "Libs" + path.joinToString("") { it.replaceFirstChar(Char::uppercase) }
        val groups = names.flatMap { name -> name.indices.map { name.take(it) } }.distinct()
        val classes = groups.map { group ->
            val within = names.filter { it.size > group.size && it.take(group.size) == group }
            val children = within.map { it[group.size] }.distinct()
            val members = children.joinToString("\n") { child ->
                val path = group + child
                val isLeaf = path in names
                val kind = if (isLeaf) DEPENDENCY else type(path)
                "    val $child: $kind get() = throw UnsupportedOperationException()"
            }
            "class ${type(group)} {\n$members\n}"
        }
        return (classes + "val libs: Libs = Libs()").joinToString("\n")
    }

    private fun jar(artifact: String): String = classPath.single { File(it).name.startsWith("$artifact-") }

    private fun resource(name: String): String = javaClass.getResource("/$name")!!.readText()

    private companion object {
        const val DEPENDENCY =
            "org.gradle.api.provider.Provider<org.gradle.api.artifacts.MinimalExternalModuleDependency>"

        /** What Gradle imports into every script, as far as it is used. */
        val IMPLICIT = listOf(
            "org.gradle.api.Project",
            "org.gradle.api.tasks.*",
            "org.gradle.api.tasks.compile.JavaCompile",
            "org.gradle.api.tasks.testing.Test",
        )
    }
}
