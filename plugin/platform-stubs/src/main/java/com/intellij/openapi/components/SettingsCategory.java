package com.intellij.openapi.components;

/** Stands for platform/projectModel-api/src/com/intellij/openapi/components/SettingsCategory.java. */
public enum SettingsCategory {
    TOOLS,
    OTHER
}
