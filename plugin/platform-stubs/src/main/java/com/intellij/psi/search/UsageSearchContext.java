package com.intellij.psi.search;

/** Stands for platform/indexing-api/src/com/intellij/psi/search/UsageSearchContext.java. */
public final class UsageSearchContext {
    public static final short ANY = 0xff;

    private UsageSearchContext() {
    }
}
