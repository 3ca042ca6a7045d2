package com.intellij.util.indexing;

/** Stands for platform/indexing-api/src/com/intellij/util/indexing/IdFilter.java. */
public abstract class IdFilter {
}
