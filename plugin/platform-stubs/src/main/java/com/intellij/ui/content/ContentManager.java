package com.intellij.ui.content;

import org.jetbrains.annotations.NotNull;

/** Stands for platform/ide-core/src/com/intellij/ui/content/ContentManager.java. */
public interface ContentManager {
    void addContent(@NotNull Content content);
}
