pluginManagement {
    repositories {
        mavenCentral()
        gradlePluginPortal()
    }
}

rootProject.name = "ouro"

include("plugin:bridge", "plugin:example", "plugin:view", "plugin:ide")
