package com.intellij.openapi.components;

/** Stands for platform/projectModel-api/src/com/intellij/openapi/components/StoragePathMacros.java. */
public final class StoragePathMacros {
    public static final String WORKSPACE_FILE = "$WORKSPACE_FILE$";

    private StoragePathMacros() {
    }
}
