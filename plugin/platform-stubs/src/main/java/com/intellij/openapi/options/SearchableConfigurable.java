package com.intellij.openapi.options;

import org.jetbrains.annotations.NotNull;

/** Stands for platform/ide-core/src/com/intellij/openapi/options/SearchableConfigurable.java. */
public interface SearchableConfigurable extends Configurable {
    @NotNull String getId();
}
