plugins {
    `java-library`
    alias(libs.plugins.kotlin.jvm)
    alias(libs.plugins.kotlin.serialization)
}

dependencies {
    compileOnly(libs.kotlin.stdlib)
    compileOnly(libs.coroutines.core)
    api(project(":plugin:bridge"))
    implementation(libs.commonmark)
}

// Its tests compare pictures that are painted with fonts and a look from the Maven build: they run there.
sourceSets {
    test {
        kotlin.setSrcDirs(emptyList<String>())
    }
}
