package com.intellij.psi.search.searches;

import com.intellij.psi.PsiMethod;
import com.intellij.psi.PsiReference;
import com.intellij.psi.search.SearchScope;
import com.intellij.util.Query;
import org.jetbrains.annotations.NotNull;

/** Stands for java/java-indexing-api/src/com/intellij/psi/search/searches/MethodReferencesSearch.java. */
public final class MethodReferencesSearch {
    private MethodReferencesSearch() {
    }

    public static @NotNull Query<PsiReference> search(
        @NotNull PsiMethod method, @NotNull SearchScope scope, boolean strictSignatureSearch) {
        throw new UnsupportedOperationException();
    }
}
