plugins {
    `java-library`
    alias(libs.plugins.kotlin.jvm)
    alias(libs.plugins.kotlin.serialization)
}

dependencies {
    compileOnly(libs.kotlin.stdlib)
    compileOnly(libs.coroutines.core)
    api(libs.serialization.json)
    testImplementation(libs.kotlin.stdlib)
    testImplementation(libs.coroutines.core)
    testImplementation(libs.junit.jupiter)
    testRuntimeOnly(libs.junit.launcher)
}
