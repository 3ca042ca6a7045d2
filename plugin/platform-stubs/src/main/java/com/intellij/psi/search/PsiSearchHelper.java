package com.intellij.psi.search;

import com.intellij.openapi.project.Project;
import com.intellij.openapi.vfs.VirtualFile;
import com.intellij.util.Processor;
import org.jetbrains.annotations.NotNull;

/** Stands for platform/indexing-api/src/com/intellij/psi/search/PsiSearchHelper.java. */
public interface PsiSearchHelper {
    static @NotNull PsiSearchHelper getInstance(@NotNull Project project) {
        throw new UnsupportedOperationException();
    }

    boolean processCandidateFilesForText(
        @NotNull GlobalSearchScope scope,
        short searchContext,
        boolean caseSensitively,
        @NotNull String text,
        @NotNull Processor<? super VirtualFile> processor);
}
