package com.intellij.openapi.options;

import org.jetbrains.annotations.Nullable;

/** Stands for platform/ide-core/src/com/intellij/openapi/options/ConfigurationException.java. */
public class ConfigurationException extends Exception {
    public ConfigurationException(@Nullable String message) {
        throw new UnsupportedOperationException();
    }
}
