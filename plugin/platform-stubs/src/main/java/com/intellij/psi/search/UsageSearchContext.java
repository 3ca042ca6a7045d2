package com.intellij.psi.search;

/** Stands for platform/indexing-api/src/com/intellij/psi/search/UsageSearchContext.java. */
public interface UsageSearchContext {
    short ANY = 0xff;
}
