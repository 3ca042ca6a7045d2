package dev.ouro.ide.tools

import com.intellij.openapi.application.readAction
import com.intellij.openapi.application.smartReadAction
import com.intellij.openapi.fileEditor.FileDocumentManager
import com.intellij.openapi.progress.ProgressManager
import com.intellij.openapi.project.Project
import com.intellij.openapi.roots.ProjectFileIndex
import com.intellij.openapi.vfs.LocalFileSystem
import com.intellij.openapi.vfs.VfsUtilCore
import com.intellij.openapi.vfs.VirtualFile
import com.intellij.psi.search.FilenameIndex
import com.intellij.psi.search.GlobalSearchScope
import com.intellij.psi.search.PsiSearchHelper
import com.intellij.psi.search.UsageSearchContext
import java.nio.file.Path

/** The project's files through the virtual file system, the documents and the indexes of the IDE. */
internal class IdeProjectFiles(private val project: Project, private val root: Path) : ProjectFiles {
    private val index get() = ProjectFileIndex.getInstance(project)

    override suspend fun state(path: String): FileState = readAction {
        val file = find(path)
        val unsaved = file?.let(::unsavedText)
        when {
            file == null -> FileState.Unknown
            !isOwn(file) -> FileState.Outside
            unsaved != null -> FileState.Unsaved(unsaved)
            else -> FileState.Saved
        }
    }

    override suspend fun text(path: String): String? = readAction {
        val file = find(path)?.takeIf(::isOwn)
        when {
            file == null || file.isDirectory || file.fileType.isBinary || file.length > MOST_BYTES -> null
            else -> unsavedText(file) ?: VfsUtilCore.loadText(file)
        }
    }

    override suspend fun withWord(word: String, limit: Int, accepts: (String) -> Boolean): List<String> =
        smartReadAction(project) {
            val found = ArrayList<String>()
            PsiSearchHelper.getInstance(project).processCandidateFilesForText(
                GlobalSearchScope.projectScope(project),
                UsageSearchContext.ANY,
                true,
                word,
            ) { file ->
                ProgressManager.checkCanceled()
                pathOf(file)?.takeIf(accepts)?.let(found::add)
                found.size < limit
            }
            found.sorted()
        }

    override suspend fun named(limit: Int, accepts: (String) -> Boolean): Named = smartReadAction(project) {
        val scope = GlobalSearchScope.projectScope(project)
        val names = ArrayList<String>()
        FilenameIndex.processAllFileNames({ name ->
            if (accepts(name)) names += name
            names.size < limit
        }, scope, null)
        val found = ArrayList<String>()
        for (name in names) {
            ProgressManager.checkCanceled()
            FilenameIndex.processFilesByName(name, true, scope) { file ->
                if (!file.isDirectory) pathOf(file)?.let(found::add)
                found.size < limit
            }
            if (found.size >= limit) break
        }
        Named(found.sorted(), isCut = names.size >= limit || found.size >= limit)
    }

    private fun find(path: String): VirtualFile? =
        LocalFileSystem.getInstance().findFileByNioFile(root)?.findFileByRelativePath(path)

    private fun isOwn(file: VirtualFile): Boolean = index.isInContent(file) && !index.isExcluded(file)

    private fun unsavedText(file: VirtualFile): String? {
        val documents = FileDocumentManager.getInstance()
        val document = documents.getCachedDocument(file)?.takeIf(documents::isDocumentUnsaved)
        return document?.immutableCharSequence?.toString()
    }

    private fun pathOf(file: VirtualFile): String? = file.takeIf(::isOwn)?.let { relativePath(root, it) }

    private companion object {
        /** What the native tools read of a file at most. */
        const val MOST_BYTES = 1_048_576L
    }
}

/** The path of a file below [root], `/`-separated; `null` for what lies elsewhere. */
internal fun relativePath(root: Path, file: VirtualFile): String? {
    val prefix = root.toString().replace('\\', '/').trimEnd('/') + "/"
    return file.path.takeIf { it.startsWith(prefix) }?.removePrefix(prefix)
}
