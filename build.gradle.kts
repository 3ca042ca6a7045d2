import org.jetbrains.kotlin.gradle.dsl.JvmTarget
import org.jetbrains.kotlin.gradle.dsl.KotlinJvmProjectExtension
import org.jetbrains.kotlin.gradle.dsl.KotlinVersion

plugins {
    alias(libs.plugins.kotlin.jvm) apply false
    alias(libs.plugins.kotlin.serialization) apply false
    alias(libs.plugins.intellij.platform) apply false
}

/** The native library of this machine. `-PcargoProfile=dev` builds it faster and slower to run. */
val cargoBuild by tasks.registering(Exec::class) {
    group = "build"
    description = "Builds the native library with cargo."
    val profile = providers.gradleProperty("cargoProfile").getOrElse("release")
    val folder = if (profile == "dev") "debug" else profile
    commandLine("cargo", "build", "--locked", "--package", "ouro-ffi", "--profile", profile)
    inputs.files(
        fileTree("native") { include("**/*.rs", "**/Cargo.toml", "**/*.scm", "**/*.json") },
        "Cargo.toml",
        "Cargo.lock",
        "rust-toolchain.toml",
    ).withPathSensitivity(PathSensitivity.RELATIVE)
    inputs.property("profile", profile)
    outputs.file("target/$folder/${System.mapLibraryName("ouro")}")
}

/** The library alone in a folder, as the loader and the plugin want it. */
val stageNative by tasks.registering(Sync::class) {
    from(cargoBuild)
    into(layout.buildDirectory.dir("native"))
}

// What all modules have in common; the IDE's own says what is different there.
subprojects {
    repositories {
        mavenCentral()
    }
    plugins.withId("org.jetbrains.kotlin.jvm") {
        extensions.configure(KotlinJvmProjectExtension::class.java) {
            explicitApi()
            compilerOptions {
                jvmTarget = JvmTarget.JVM_17
                languageVersion = KotlinVersion.KOTLIN_2_3
                apiVersion = KotlinVersion.KOTLIN_2_3
                allWarningsAsErrors = true
            }
        }
    }
    tasks.withType<JavaCompile>().configureEach {
        options.release = 17
    }
    tasks.withType<Test>().configureEach {
        useJUnitPlatform()
        dependsOn(":stageNative")
        systemProperty("ouro.native.dir", rootProject.layout.buildDirectory.dir("native").get().asFile.path)
        systemProperty("ouro.fixtures", rootProject.file("tests/fixtures").path)
    }
}
