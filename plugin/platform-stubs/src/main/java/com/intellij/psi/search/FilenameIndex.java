package com.intellij.psi.search;

import com.intellij.openapi.vfs.VirtualFile;
import com.intellij.util.Processor;
import com.intellij.util.indexing.IdFilter;
import org.jetbrains.annotations.NotNull;
import org.jetbrains.annotations.Nullable;

/** Stands for platform/indexing-api/src/com/intellij/psi/search/FilenameIndex.java. */
public final class FilenameIndex {
    private FilenameIndex() {
    }

    public static boolean processAllFileNames(
        @NotNull Processor<? super String> processor, @NotNull GlobalSearchScope scope, @Nullable IdFilter filter) {
        throw new UnsupportedOperationException();
    }

    public static boolean processFilesByName(
        @NotNull String name,
        boolean caseSensitively,
        @NotNull GlobalSearchScope scope,
        @NotNull Processor<? super VirtualFile> processor) {
        throw new UnsupportedOperationException();
    }
}
