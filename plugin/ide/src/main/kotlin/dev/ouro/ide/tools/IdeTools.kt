package dev.ouro.ide.tools

import com.intellij.openapi.project.Project
import dev.ouro.bridge.Tool
import dev.ouro.bridge.ToolRegistry
import java.nio.file.Path

/**
 * The IDE's tools of one project, which take the place of the native library's own.
 *
 * @param native finds a tool that the native library brings itself.
 */
internal fun ideTools(project: Project, root: Path, native: (String) -> Tool?): ToolRegistry {
    val files = IdeProjectFiles(project, root)
    val own = NativeTools(native)
    // Only where the IDE knows Java.
    val calls: CallResolver? = project.getService(CallResolver::class.java)
    return ToolRegistry(
        listOf(
            ReadFileTool(files, own),
            GrepFileTool(files, own),
            FindFileTool(files, own),
            CallChainTool(calls, own),
            ExpertConsultTool(own),
        ),
    )
}
