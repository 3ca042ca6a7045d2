package dev.ouro.ide.tools

import com.intellij.openapi.project.Project
import dev.ouro.bridge.Tool
import dev.ouro.bridge.ToolRegistry
import java.nio.file.Path

/** The IDE's tools of one project, which take the place of the native library's own. */
internal class IdeTools(project: Project, root: Path, private val native: (String) -> Tool?) {
    fun registry(): ToolRegistry = ToolRegistry()
}
