package dev.ouro.example

import dev.ouro.bridge.EngineSettings
import dev.ouro.bridge.EvolutionConfig
import dev.ouro.bridge.EvolutionEngine
import dev.ouro.bridge.SourceLine
import dev.ouro.bridge.Tool
import dev.ouro.bridge.ToolRegistry
import dev.ouro.bridge.ToolResult
import kotlinx.coroutines.runBlocking
import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.jsonObject
import kotlinx.serialization.json.jsonPrimitive
import java.nio.file.Files
import java.nio.file.Path
import kotlin.time.Duration.Companion.minutes

/** Finds lines by a regular expression, in place of the native tool. */
private class GrepFile(private val root: Path) : Tool {
    var calls = 0
    override val name = "grep_file"
    override val description = "Finds the lines that match a regular expression"
    override val parameters = Json.parseToJsonElement(
        """{"type": "object", "properties": {"pattern": {"type": "string"}}, "required": ["pattern"]}""",
    ).jsonObject

    override suspend fun call(arguments: JsonObject): ToolResult {
        calls++
        val pattern = Regex(arguments.getValue("pattern").jsonPrimitive.content)
        val files = Files.walk(root).use { all -> all.filter { it.toString().endsWith(".py") }.sorted().toList() }
        val lines = files.flatMap { file ->
            val path = root.relativize(file).joinToString("/")
            Files.readAllLines(file).mapIndexed { at, text -> SourceLine(path, at + 1, text) }
        }.filter { pattern.containsMatchIn(it.text) }
        val content = lines.joinToString("\n") { "${it.path}:${it.line}: ${it.text}" }
        return ToolResult("${lines.size} lines", content, lines)
    }
}

/** `Evolve PROJECT DATA`: learns five things about a project, offline, and prints them. */
internal fun main(arguments: Array<String>) {
    val (project, data) = arguments.map { Path.of(it).toRealPath() }
    runBlocking {
        val settings = EngineSettings(EvolutionConfig(enabled = true, intervalMs = 0))
        val grep = GrepFile(project)
        EvolutionEngine.open(project, settings, ToolRegistry(listOf(grep)), data).use { engine ->
            engine.start(iterations = 5)
            println("Ended: ${engine.awaitEnd(2.minutes)?.reason}, after ${grep.calls} calls of our own tool")
            engine.records().forEach { println("\n${it.question}\n${it.effectiveAnswer}") }
        }
    }
}
