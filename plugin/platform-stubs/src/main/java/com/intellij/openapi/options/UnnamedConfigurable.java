package com.intellij.openapi.options;

import javax.swing.JComponent;
import org.jetbrains.annotations.Nullable;

/** Stands for platform/ide-core/src/com/intellij/openapi/options/UnnamedConfigurable.java. */
public interface UnnamedConfigurable {
    @Nullable JComponent createComponent();

    boolean isModified();

    void apply() throws ConfigurationException;

    default void reset() {
    }

    default void disposeUIResources() {
    }
}
