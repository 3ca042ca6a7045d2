import org.jetbrains.intellij.platform.gradle.TestFrameworkType
import org.jetbrains.intellij.platform.gradle.tasks.PrepareSandboxTask
import org.jetbrains.intellij.platform.gradle.tasks.RunIdeTask
import org.jetbrains.kotlin.gradle.dsl.JvmTarget

plugins {
    alias(libs.plugins.kotlin.jvm)
    alias(libs.plugins.intellij.platform)
}

/** An installed IDE in place of one that is downloaded: -PlocalIdePath=/opt/idea */
val localIde = providers.gradleProperty("localIdePath")

/** Release builds have one archive for each system and processor, from the folders in dist-native. */
val allSystems = providers.gradleProperty("nativeVariants").map(String::toBoolean).orElse(false)

val system = System.getProperty("os.name").lowercase().let {
    when {
        "mac" in it -> "mac"
        "win" in it -> "windows"
        else -> "linux"
    }
}
val processor = if (System.getProperty("os.arch") in setOf("amd64", "x86_64")) "x86_64" else "arm64"
val native = rootProject.layout.buildDirectory.dir("native")

repositories {
    intellijPlatform {
        if (localIde.isPresent) localPlatformArtifacts() else defaultRepositories()
    }
}

dependencies {
    implementation(project(":plugin:bridge"))
    implementation(project(":plugin:view"))
    intellijPlatform {
        if (localIde.isPresent) local(localIde) else intellijIdea(providers.gradleProperty("platformVersion"))
        bundledPlugin("com.intellij.java")
        if (localIde.isPresent) {
            testFramework(TestFrameworkType.Bundled)
        } else {
            testFrameworks(TestFrameworkType.Platform, TestFrameworkType.Plugin.Java)
        }
        pluginVerifier()
    }
    testImplementation(libs.coroutines.test) {
        // The IDE's own copy runs.
        exclude("org.jetbrains.kotlinx", "kotlinx-coroutines-core-jvm")
    }
    testImplementation(libs.junit.jupiter)
    testImplementation(libs.junit4)
    testImplementation(libs.opentest4j)
    testRuntimeOnly(libs.junit.launcher)
    testRuntimeOnly(libs.junit.vintage)
}

configurations.runtimeClasspath {
    // The IDE brings them; a second copy would not be the same classes.
    exclude(mapOf("group" to "org.jetbrains.kotlin"))
    exclude(mapOf("group" to "org.jetbrains.kotlinx", "module" to "kotlinx-coroutines-core-jvm"))
}

kotlin {
    // IDEs from 2026.2 on run on it; what is compiled runs on 21, too.
    jvmToolchain(25)
    compilerOptions {
        jvmTarget = JvmTarget.JVM_21
        // A newer IDE may deprecate what the oldest one needs.
        allWarningsAsErrors = false
    }
}

sourceSets {
    test {
        // Tests that need an IDE; the others run with Maven, too.
        kotlin.srcDir("src/platformTest/kotlin")
        // These run in the IDE's core that kotlin-compiler has, which can't be beside the IDE.
        kotlin.exclude("dev/ouro/ide/code/**", "dev/ouro/ide/EndToEndTest.kt")
    }
}

intellijPlatform {
    projectName = "ouro"
    // Starts an IDE, which an installed one may refuse.
    buildSearchableOptions = !localIde.isPresent
    // Needs tools that are published for JetBrains' own repository only.
    instrumentCode = false
    pluginConfiguration {
        version = providers.gradleProperty("pluginVersion")
        ideaVersion {
            sinceBuild = "261"
            untilBuild = provider { null }
        }
    }
    pluginVerification {
        ides {
            if (localIde.isPresent) {
                local(localIde)
            } else {
                current()
                recommended()
            }
        }
    }
    nativeVariants {
        enabled = allSystems
        linux {
            x86_64.from(rootProject.file("dist-native/linux-x86_64"))
            arm64.from(rootProject.file("dist-native/linux-arm64"))
        }
        mac {
            x86_64.from(rootProject.file("dist-native/mac-x86_64"))
            arm64.from(rootProject.file("dist-native/mac-arm64"))
        }
        windows {
            x86_64.from(rootProject.file("dist-native/windows-x86_64"))
            arm64.from(rootProject.file("dist-native/windows-arm64"))
        }
    }
}

tasks.withType<JavaCompile>().configureEach {
    options.release = 21
}

tasks.withType<PrepareSandboxTask>().configureEach {
    if (!allSystems.get()) {
        dependsOn(":stageNative")
        from(native) {
            into(pluginName.map { "$it/native/$system-$processor" })
        }
    }
}

tasks.named<RunIdeTask>("runIde") {
    jvmArgs("-Xmx2g", "--enable-native-access=ALL-UNNAMED")
}
