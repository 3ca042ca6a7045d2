package dev.ouro.ide.tools

import dev.ouro.bridge.EngineException
import dev.ouro.bridge.SourceLine
import dev.ouro.bridge.Tool
import dev.ouro.bridge.ToolResult
import kotlinx.coroutines.runBlocking
import kotlinx.serialization.json.Json
import kotlinx.serialization.json.jsonObject
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertNull
import org.junit.jupiter.api.Assertions.assertThrows
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import kotlin.time.Duration.Companion.seconds
import kotlin.time.TestTimeSource

internal class IdeToolsTest {
    private val files = FakeFiles(
        saved = mapOf(
            "src/Greeter.kt" to "class Greeter {\n    fun greet() = help()\n}\n",
            "src/Main.java" to "class Main { void run() { new Greeter().greet(); } }\n",
            "doc/guide.md" to "How to greet people\n",
            ".env" to "GREETER_KEY=greet\n",
            "build/Greeter.kt" to "fun greet() = 0\n",
        ),
        unsaved = mapOf("src/Greeter.kt" to "class Greeter {\n    fun greet() = helpMe()\n}\n"),
        excluded = setOf("build/Greeter.kt"),
    )
    private val native = FakeNative(secrets = setOf(".env"))

    private fun call(tool: Tool, arguments: String): ToolResult =
        runBlocking { tool.call(Json.parseToJsonElement(arguments).jsonObject) }

    private fun refusal(tool: Tool, arguments: String): EngineException =
        assertThrows(EngineException::class.java) { call(tool, arguments) }

    private val read = ReadFileTool(files, native.tools)
    private val grep = GrepFileTool(files, native.tools)
    private val find = FindFileTool(files, native.tools)

    @Test
    fun `read_file shows what the user sees, not what was saved`() {
        val result = call(read, """{"path": "src/Greeter.kt", "start_line": 2, "end_line": 2}""")
        assertEquals("    2|     fun greet() = helpMe()\n", result.content)
        assertEquals(listOf(2), result.lines.map { it.line })
    }

    @Test
    fun `read_file leaves what is saved to the native tool, which knows what must not be read`() {
        assertEquals("native read_file", call(read, """{"path": "src/Main.java"}""").summary)
        assertEquals("native read_file", call(read, """{"path": "gone.kt"}""").summary)
        assertTrue(refusal(read, """{"path": ".env"}""") is EngineException.Refused)
    }

    @Test
    fun `an unsaved change to a secret stays secret`() {
        val open = ReadFileTool(FakeFiles(emptyMap(), unsaved = mapOf(".env" to "KEY=1")), native.tools)
        assertTrue(refusal(open, """{"path": ".env"}""") is EngineException.Refused)
    }

    @Test
    fun `what the IDE excludes is not read`() {
        assertTrue("excluded" in refusal(read, """{"path": "build/Greeter.kt"}""").message!!)
    }

    @Test
    fun `read_file says what is wrong with its arguments`() {
        assertTrue("`path`" in refusal(read, "{}").message!!)
        assertTrue("after" in refusal(read, """{"path": "a", "start_line": 3, "end_line": 2}""").message!!)
        assertTrue("behind the end" in refusal(read, """{"path": "src/Greeter.kt", "start_line": 30}""").message!!)
        assertTrue("from 1" in refusal(read, """{"path": "a", "start_line": "zero"}""").message!!)
    }

    @Test
    fun `a long unsaved file is cut with a word on how to go on`() {
        val long = FakeFiles(emptyMap(), unsaved = mapOf("a.txt" to "some words in a line\n".repeat(2_000)))
        val result = call(ReadFileTool(long, native.tools), """{"path": "a.txt"}""")
        assertTrue(result.content.length <= Page.MOST_CHARACTERS)
        assertTrue("read on with start_line ${result.lines.size + 1}" in result.truncated!!, result.truncated)
    }

    @Test
    fun `grep_file searches what the index leaves, unsaved text included, secrets and excluded files not`() {
        val result = call(grep, """{"pattern": "\\bgreet\\b"}""")
        val places = result.lines.map { "${it.path}:${it.line}" }
        assertEquals(listOf("doc/guide.md:1", "src/Greeter.kt:2", "src/Main.java:1"), places)
        assertTrue("helpMe" in result.content)
        assertEquals("3 matches of `\\bgreet\\b` in 3 files", result.summary)
    }

    @Test
    fun `grep_file keeps to its folder and its limit`() {
        val java = call(grep, """{"pattern": "\\bgreet\\b", "glob": "*.java"}""")
        assertEquals(listOf("src/Main.java"), java.lines.map { it.path })
        val one = call(grep, """{"pattern": "\\bgreet\\b", "max": 1}""")
        assertEquals(1, one.lines.size)
        assertTrue("at least 1 match of `\\bgreet\\b` in 1 file" in one.summary, one.summary)
        assertTrue("ended after 1 match" in one.truncated!!)
    }

    @Test
    fun `grep_file looks in the files that are meant, however many others hold the word, and says what it left out`() {
        val notes = (1..2_500).associate { "notes/$it.txt" to if (it % 100 == 0) "greet()\n" else "to greet\n" }
        val many = GrepFileTool(FakeFiles(notes + ("src/Main.java" to "greet();\n")), native.tools)
        val java = call(many, """{"pattern": "\\bgreet\\b", "glob": "*.java"}""")
        assertEquals(listOf("src/Main.java"), java.lines.map { it.path })
        assertNull(java.truncated)
        val everywhere = call(many, """{"pattern": "^greet\\("}""")
        assertTrue("ended after 2000 files" in everywhere.truncated.orEmpty(), "$everywhere")
        assertTrue(everywhere.summary.startsWith("at least "), everywhere.summary)
    }

    @Test
    fun `an argument that is null is one that was left out`() {
        val result = call(grep, """{"pattern": "\\bgreet\\b", "glob": null, "max": null}""")
        assertEquals(3, result.lines.size)
        assertTrue("is missing" in refusal(read, """{"path": null}""").message!!)
    }

    @Test
    fun `grep_file leaves to the native tool what the index can't narrow down`() {
        for (pattern in listOf("gre", "a|b", "greet.*", "[a-z]+", "(?i)greet", "*", "missing_word\\b")) {
            val result = call(grep, """{"pattern": ${Json.encodeToString(pattern)}}""")
            assertEquals("native grep_file", result.summary, pattern)
        }
    }

    @Test
    fun `only words that every match contains whole are looked up`() {
        assertEquals("greet", GrepFileTool.requiredWord("\\bgreet\\b"))
        assertEquals("Greeter", GrepFileTool.requiredWord(" new Greeter\\(\\)"))
        assertEquals("greet", GrepFileTool.requiredWord("\\.greet\\("))
        assertNull(GrepFileTool.requiredWord("greet"))
        assertNull(GrepFileTool.requiredWord(" greet.all"))
        assertNull(GrepFileTool.requiredWord("\\bgreet\\w"))
        assertNull(GrepFileTool.requiredWord("\\bgreet? "))
    }

    @Test
    fun `a search that takes too long ends with what it has`() {
        val time = TestTimeSource()
        val slow = object : ProjectFiles by files {
            override suspend fun text(path: String): String? = files.text(path).also { time += 4.seconds }
        }
        val result = call(GrepFileTool(slow, native.tools, 10.seconds, time), """{"pattern": "\\bgreet\\b"}""")
        assertTrue(result.lines.size in 1..2 && "took too long" in result.truncated!!, "$result")
    }

    @Test
    fun `find_file finds by name, part of a path and glob`() {
        assertEquals("src/Greeter.kt\n", call(find, """{"pattern": "*.kt"}""").content)
        assertEquals("src/Greeter.kt\n", call(find, """{"pattern": "greeter"}""").content)
        assertEquals("src/Greeter.kt\nsrc/Main.java\n", call(find, """{"pattern": "src/"}""").content)
        assertEquals("src/Main.java\n", call(find, """{"pattern": "**/M*.java"}""").content)
        assertEquals("native find_file", call(find, """{"pattern": ".env"}""").summary)
        assertEquals("native find_file", call(find, """{"pattern": "nothing"}""").summary)
    }

    @Test
    fun `find_file says that there were more names than it looked at, and how to look at fewer`() {
        val many = FakeFiles((1..20_001).associate { "notes/$it.txt" to "" } + ("src/Main.java" to ""))
        val tool = FindFileTool(many, native.tools)
        val inFolder = call(tool, """{"pattern": "notes/1000*.txt"}""")
        assertTrue("only the first 20000" in inFolder.truncated.orEmpty(), "$inFolder")
        assertTrue("without its folder" in inFolder.truncated.orEmpty(), "$inFolder")
        assertTrue(inFolder.summary.startsWith("at least "), inFolder.summary)
        assertNull(call(tool, """{"pattern": "*.java"}""").truncated)
    }

    @Test
    fun `call_chain goes to the native tool where the IDE resolves nothing`() {
        val symbol = """{"symbol": "Greeter.greet", "direction": "callees"}"""
        assertEquals("native call_chain", call(CallChainTool(null, native.tools), symbol).summary)
        assertEquals("native call_chain", call(CallChainTool({ _, _, _ -> null }, native.tools), symbol).summary)
        val found = ToolResult("1 call", "a -> b", listOf(SourceLine("src/Main.java", 1, "a")))
        assertEquals("1 call", call(CallChainTool({ _, _, _ -> found }, native.tools), symbol).summary)
        val secret = found.copy(lines = listOf(SourceLine(".env", 1, "a")))
        assertEquals("native call_chain", call(CallChainTool({ _, _, _ -> secret }, native.tools), symbol).summary)
    }

    @Test
    fun `call_chain follows no calls in a direction that it doesn't know`() {
        val tool = CallChainTool({ _, _, _ -> error("not asked") }, native.tools)
        val refused = refusal(tool, """{"symbol": "greet", "direction": "up"}""")
        assertEquals("call_chain: argument `direction` must be one of callers, callees", refused.message)
    }

    @Test
    fun `expert_consult asks what is known`() {
        val result = call(ExpertConsultTool(native.tools), """{"query": "greeting"}""")
        assertEquals("native expert_consult", result.summary)
        assertTrue("`query`" in refusal(ExpertConsultTool(native.tools), "{}").message!!)
    }

    @Test
    fun `while the engine is being opened a tool says so`() {
        val early = NativeTools { null }
        assertTrue(refusal(ExpertConsultTool(early), """{"query": "a"}""") is EngineException.Unavailable)
    }
}
