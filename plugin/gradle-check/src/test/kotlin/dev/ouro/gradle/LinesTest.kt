package dev.ouro.gradle

import kotlin.io.path.extension
import kotlin.io.path.invariantSeparatorsPathString
import kotlin.io.path.readLines
import kotlin.io.path.walk
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test

internal class LinesTest {
    @Test
    fun `no line of the sources is longer than 120 columns`() {
        val sources = BuildFiles.root.resolve("plugin").walk()
            .filter { it.extension in setOf("kt", "kts", "java") }
            .filter { file -> BUILT.none { it in file.invariantSeparatorsPathString } }
            .toList()
        assertTrue(sources.size > 100)
        val long = sources.flatMap { file ->
            file.readLines().withIndex().filter { it.value.length > MOST }.map { "$file:${it.index + 1}" }
        }
        assertEquals(emptyList<String>(), long)
    }

    private companion object {
        const val MOST = 120

        /** Folders of what is made of the sources. */
        val BUILT = listOf("/target/", "/build/")
    }
}
