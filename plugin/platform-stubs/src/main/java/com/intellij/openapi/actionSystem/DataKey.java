package com.intellij.openapi.actionSystem;

/** Stands for platform/core-ui/src/com/intellij/openapi/actionSystem/DataKey.java. */
public final class DataKey<T> {
    private DataKey() {
    }
}
