package dev.ouro.bridge

import java.io.IOException
import java.net.URI
import java.nio.file.FileAlreadyExistsException
import java.nio.file.Files
import java.nio.file.Path
import java.nio.file.StandardCopyOption
import java.security.MessageDigest

/** Finds and loads the native library, once in the life of this class. */
public object NativeLibrary {
    /** The interface that this code was written for; the library must say the same number. */
    internal const val ABI_VERSION: Int = 1

    /** The system property that names the folder of the library, before all other places. */
    public const val DIRECTORY_PROPERTY: String = "ouro.native.dir"

    private var loaded = false

    /**
     * Loads the library from the first place that has it: the folder of [DIRECTORY_PROPERTY],
     * `<pluginRoot>/native/<os>-<arch>/`, `<pluginRoot>` itself (where this class lies in a jar in a folder called
     * `lib`, its parent is the root by itself), and the resource `/native/<os>-<arch>/`, which is extracted into
     * [cache] under a name made of its content. Does nothing when it is loaded already.
     *
     * @throws EngineException.NativeUnavailable when no place has it, it can't be loaded, or it is of another version.
     *   The program goes on without it.
     */
    @Synchronized
    public fun load(
        pluginRoot: Path? = ownRoot,
        // Of the user alone: whoever else may write there could put another library in its place.
        cache: Path = Path.of(System.getProperty("user.home"), ".cache", "ouro", "native"),
    ) {
        if (loaded) return
        val file = candidates(pluginRoot).firstOrNull(Files::isRegularFile)
            ?: extracted(cache)
            ?: throw unavailable("no library was found for $platform: reinstall Ouro, or set -D$DIRECTORY_PROPERTY")
        try {
            System.load(file.toAbsolutePath().toString())
        } catch (error: UnsatisfiedLinkError) {
            throw unavailable("$file can't be loaded (${error.message}): restart the program, or reinstall Ouro")
        }
        val version = try {
            NativeApi.abiVersion()
        } catch (error: UnsatisfiedLinkError) {
            throw unavailable("$file is no library of Ouro (${error.message}): reinstall Ouro")
        }
        if (version != ABI_VERSION) {
            throw unavailable("$file speaks version $version, but this program needs $ABI_VERSION: reinstall Ouro")
        }
        loaded = true
    }

    /** `linux-x86_64`, `mac-arm64`, `windows-x86_64` and so on. */
    internal val platform: String by lazy {
        val name = System.getProperty("os.name").lowercase()
        val os = when {
            name.startsWith("mac") -> "mac"
            name.startsWith("windows") -> "windows"
            else -> "linux"
        }
        val arch = when (val machine = System.getProperty("os.arch").lowercase()) {
            "amd64", "x86_64" -> "x86_64"
            "aarch64", "arm64" -> "arm64"
            else -> machine
        }
        "$os-$arch"
    }

    /** The folder of the plugin or program whose `lib` folder holds this class's jar. */
    private val ownRoot: Path? by lazy {
        rootOf(NativeLibrary::class.java.getResource("NativeLibrary.class")?.toString().orEmpty())
    }

    /** The root above `lib` of a class's address such as `jar:file:/opt/ouro/lib/bridge.jar!/dev/...`. */
    internal fun rootOf(address: String): Path? {
        val jar = address.removePrefix("jar:").substringBefore("!/", missingDelimiterValue = "")
        if (!jar.startsWith("file:")) return null
        return Path.of(URI(jar)).parent?.takeIf { it.fileName?.toString() == "lib" }?.parent
    }

    internal val fileName: String get() = System.mapLibraryName("ouro")

    /** Where the library may lie as a file, in the order in which it is looked for. */
    internal fun candidates(pluginRoot: Path?): List<Path> = listOfNotNull(
        System.getProperty(DIRECTORY_PROPERTY)?.takeIf(String::isNotBlank)?.let { Path.of(it, fileName) },
        pluginRoot?.resolve("native")?.resolve(platform)?.resolve(fileName),
        pluginRoot?.resolve(fileName),
    )

    private fun extracted(cache: Path): Path? {
        val resource = NativeLibrary::class.java.getResourceAsStream("/native/$platform/$fileName") ?: return null
        val content = resource.use { it.readBytes() }
        return try {
            extract(content, cache)
        } catch (error: IOException) {
            val why = "the library can't be written to $cache ($error)"
            throw unavailable("$why: make room and give leave to write there, or set -D$DIRECTORY_PROPERTY")
        }
    }

    /** Writes the library under the hash of its content, whole or not at all, and reuses what is there. */
    internal fun extract(content: ByteArray, cache: Path): Path {
        val hash = MessageDigest.getInstance("SHA-256").digest(content).joinToString("") { "%02x".format(it) }
        val target = cache.resolve(hash).resolve(fileName)
        if (Files.isRegularFile(target) && Files.readAllBytes(target).contentEquals(content)) return target
        Files.createDirectories(target.parent)
        val part = Files.createTempFile(target.parent, "part", ".tmp")
        try {
            Files.write(part, content)
            Files.move(part, target, StandardCopyOption.ATOMIC_MOVE)
        } catch (_: FileAlreadyExistsException) {
            // Another process was faster; the content is the same.
        } finally {
            Files.deleteIfExists(part)
        }
        return target
    }

    private fun unavailable(why: String) = EngineException.NativeUnavailable("native engine unavailable: $why")
}
