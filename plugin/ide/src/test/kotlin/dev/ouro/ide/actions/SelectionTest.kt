package dev.ouro.ide.actions

import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test

internal class SelectionTest {
    @Test
    fun `selected code becomes one line with its file`() {
        assertEquals("`fun a() = b()` (A.kt)", selectionAsText("  fun a() =\n    b()\n", "A.kt"))
        assertEquals("`x`", selectionAsText("x", ""))
    }

    @Test
    fun `a long selection is cut`() {
        val text = selectionAsText("word ".repeat(1_000), "A.kt")
        assertTrue(text.length < 450 && text.endsWith("word…` (A.kt)"), text)
    }
}
