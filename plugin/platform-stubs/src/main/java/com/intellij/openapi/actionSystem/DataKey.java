package com.intellij.openapi.actionSystem;

/** Stands for platform/core-ui/src/openapi/actionSystem/DataKey.java. */
public final class DataKey<T> {
    private DataKey() {
    }
}
