package com.intellij.openapi.components;

/**
 * Stands for
 * platform/projectModel-api/src/com/intellij/openapi/components/PersistentStateComponentWithModificationTracker.java.
 */
public interface PersistentStateComponentWithModificationTracker<T> extends PersistentStateComponent<T> {
    long getStateModificationCount();
}
