package com.intellij.psi.search;

import com.intellij.openapi.project.Project;
import com.intellij.psi.PsiMethod;
import org.jetbrains.annotations.NotNull;

/** Stands for java/java-indexing-api/src/com/intellij/psi/search/PsiShortNamesCache.java. */
public abstract class PsiShortNamesCache {
    public static PsiShortNamesCache getInstance(Project project) {
        throw new UnsupportedOperationException();
    }

    public abstract PsiMethod @NotNull [] getMethodsByName(@NotNull String name, @NotNull GlobalSearchScope scope);
}
