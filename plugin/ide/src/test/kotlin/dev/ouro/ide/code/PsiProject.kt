@file:Suppress("DEPRECATION", "DEPRECATION_ERROR")
@file:OptIn(
    org.jetbrains.kotlin.K1Deprecation::class,
    org.jetbrains.kotlin.config.CompilerConfiguration.Internals::class,
)

package dev.ouro.ide.code

import com.intellij.openapi.Disposable
import com.intellij.openapi.project.Project
import com.intellij.openapi.util.Disposer
import com.intellij.openapi.vfs.StandardFileSystems
import com.intellij.openapi.vfs.VirtualFile
import com.intellij.openapi.vfs.VirtualFileManager
import com.intellij.psi.PsiCallExpression
import com.intellij.psi.PsiElement
import com.intellij.psi.PsiFile
import com.intellij.psi.PsiManager
import com.intellij.psi.PsiMethod
import com.intellij.psi.util.PsiTreeUtil
import dev.ouro.ide.tools.FileState
import dev.ouro.ide.tools.Named
import dev.ouro.ide.tools.ProjectFiles
import dev.ouro.ide.tools.relativePath
import org.jetbrains.kotlin.cli.common.config.addKotlinSourceRoot
import org.jetbrains.kotlin.cli.common.messages.MessageCollector
import org.jetbrains.kotlin.cli.create
import org.jetbrains.kotlin.cli.jvm.compiler.EnvironmentConfigFiles
import org.jetbrains.kotlin.cli.jvm.compiler.KotlinCoreEnvironment
import org.jetbrains.kotlin.cli.jvm.compiler.NoScopeRecordCliBindingTrace
import org.jetbrains.kotlin.cli.jvm.compiler.TopDownAnalyzerFacadeForJVM
import org.jetbrains.kotlin.cli.jvm.config.addJavaSourceRoot
import org.jetbrains.kotlin.cli.jvm.config.addJvmClasspathRoot
import org.jetbrains.kotlin.cli.jvm.config.configureJdkClasspathRoots
import org.jetbrains.kotlin.config.CommonConfigurationKeys
import org.jetbrains.kotlin.config.CompilerConfiguration
import org.jetbrains.kotlin.config.JVMConfigurationKeys
import org.jetbrains.kotlin.psi.KtCallExpression
import org.jetbrains.kotlin.psi.KtFile
import org.jetbrains.kotlin.psi.KtNamedFunction
import org.jetbrains.kotlin.psi.psiUtil.containingClassOrObject
import org.jetbrains.kotlin.resolve.BindingContext
import org.jetbrains.kotlin.resolve.DescriptorToSourceUtils
import java.io.File
import java.nio.file.Path

/** A project of Java and Kotlin files in the core of the IDE, without its indexes. */
internal class PsiProject(private val root: Path) : AutoCloseable {
    private val life: Disposable = Disposer.newDisposable()
    private val environment =
        KotlinCoreEnvironment.createForProduction(life, configuration(), EnvironmentConfigFiles.JVM_CONFIG_FILES)
    private val project: Project = environment.project
    private val files: List<PsiFile> = sources()
    private val words: Map<String, List<PsiFile>> = wordIndex()

    /** What K1 resolved in the Kotlin files. Java can only be resolved beside them once this is done. */
    private val bindings: BindingContext = TopDownAnalyzerFacadeForJVM.analyzeFilesWithJavaIntegration(
        project,
        environment.getSourceFiles(),
        NoScopeRecordCliBindingTrace(project),
        environment.configuration,
        environment::createPackagePartProvider,
    ).bindingContext

    /** The declarations whose calls were looked for, each as often as they were. */
    val searched = ArrayList<PsiElement>()

    private val graph = CallGraph(listOf(JavaCalls, KotlinCalls()), ::callSites)

    /** Follows calls in this project. */
    val chain = CallChain(graph, { name -> declarations(name) }, ::pathOf)

    /** The files of this project, some of them with [unsaved] changes. */
    fun projectFiles(unsaved: Map<String, String>): ProjectFiles = object : ProjectFiles {
        private val byPath = files.associateBy { pathOf(it).orEmpty() }

        override suspend fun state(path: String): FileState = when (path) {
            in unsaved -> FileState.Unsaved(unsaved.getValue(path))
            in byPath -> FileState.Saved
            else -> FileState.Unknown
        }

        override suspend fun text(path: String): String? = unsaved[path] ?: byPath[path]?.text

        override suspend fun withWord(word: String, limit: Int, accepts: (String) -> Boolean): List<String> =
            words[word].orEmpty().mapNotNull(::pathOf).filter(accepts).sorted().take(limit)

        override suspend fun named(limit: Int, accepts: (String) -> Boolean): Named {
            val all = byPath.filterValues { accepts(it.name) }.keys.sorted()
            return Named(all.take(limit), isCut = all.size > limit)
        }
    }

    private fun pathOf(file: PsiFile): String? = file.virtualFile?.let { relativePath(root, it) }

    private fun configuration() = CompilerConfiguration.create(messageCollector = MessageCollector.NONE).apply {
        put(CommonConfigurationKeys.MODULE_NAME, "test")
        put(JVMConfigurationKeys.JDK_HOME, File(System.getProperty("java.home")))
        addJavaSourceRoot(root.toFile())
        addKotlinSourceRoot(root.toString())
        addJvmClasspathRoot(File(Unit::class.java.protectionDomain.codeSource.location.toURI()))
        configureJdkClasspathRoots()
    }

    private fun sources(): List<PsiFile> {
        val manager = PsiManager.getInstance(project)
        val found = ArrayList<PsiFile>()
        fun walk(file: VirtualFile) {
            if (file.isDirectory) {
                file.children.sortedBy(VirtualFile::getName).forEach(::walk)
            } else if (file.extension == "java") {
                manager.findFile(file)?.let(found::add)
            }
        }
        val files = VirtualFileManager.getInstance().getFileSystem(StandardFileSystems.FILE_PROTOCOL)
        walk(files.findFileByPath(root.toString())!!)
        return found + environment.getSourceFiles()
    }

    private fun wordIndex(): Map<String, List<PsiFile>> = files
        .flatMap { file -> Regex("[A-Za-z_]\\w*").findAll(file.text).map { it.value }.distinct().map { it to file } }
        .groupBy({ it.first }, { it.second })

    private fun declarations(name: String): Sequence<PsiElement> = words[name].orEmpty().asSequence().flatMap { file ->
        PsiTreeUtil.findChildrenOfAnyType(file, PsiMethod::class.java, KtNamedFunction::class.java)
            .filter { (it as? PsiMethod)?.name == name || (it as? KtNamedFunction)?.name == name }
    }

    private fun callSites(declaration: PsiElement): Sequence<PsiElement> {
        searched += declaration
        val name = when (declaration) {
            is PsiMethod -> if (declaration.isConstructor) declaration.containingClass?.name else declaration.name
            else -> (declaration as KtNamedFunction).name
        }
        return words[name].orEmpty().asSequence().flatMap { file ->
            PsiTreeUtil.findChildrenOfAnyType(file, PsiCallExpression::class.java, KtCallExpression::class.java)
        }.filter { resolve(it) == declaration }
    }

    private fun resolve(call: PsiElement): PsiElement? = when (call) {
        is PsiCallExpression -> call.resolveMethod()
        is KtCallExpression -> resolved(call)
        else -> null
    }

    private fun resolved(call: KtCallExpression): PsiElement? =
        bindings[BindingContext.RESOLVED_CALL, bindings[BindingContext.CALL, call.calleeExpression]]
            ?.let { DescriptorToSourceUtils.getSourceFromDescriptor(it.resultingDescriptor) }

    override fun close(): Unit = Disposer.dispose(life)

    /** Kotlin by the compiler's first front end; the IDE has UAST for it. */
    private inner class KotlinCalls : CallLanguage {
        override fun owns(element: PsiElement): Boolean = element.containingFile is KtFile

        override fun calls(declaration: PsiElement): Sequence<Call> =
            PsiTreeUtil.findChildrenOfType(declaration, KtCallExpression::class.java).asSequence().mapNotNull { call ->
                val callee = resolved(call)?.takeIf { it is PsiMethod || it is KtNamedFunction }
                callee?.let { Call(call, declaration, it) }
            }

        override fun enclosing(site: PsiElement): PsiElement? =
            PsiTreeUtil.getParentOfType(site, KtNamedFunction::class.java)

        override fun name(declaration: PsiElement): String {
            val function = declaration as KtNamedFunction
            val parameters = function.valueParameters.joinToString(", ") { it.typeReference?.text.orEmpty() }
            val type = function.containingClassOrObject?.name
            return listOfNotNull(type, "${function.name}($parameters)").joinToString(".")
        }
    }
}
