package com.intellij.ui.content;

import org.jetbrains.annotations.NotNull;
import org.jetbrains.annotations.Nullable;

/** Stands for platform/ide-core/src/com/intellij/ui/content/ContentManager.java. */
public interface ContentManager {
    void addContent(@NotNull Content content);

    void setSelectedContent(@NotNull Content content);

    @Nullable Content getContent(int index);
}
