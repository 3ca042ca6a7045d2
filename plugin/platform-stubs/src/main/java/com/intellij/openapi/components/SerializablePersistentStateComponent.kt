// Stands for platform/projectModel-api/src/com/intellij/openapi/components/SerializablePersistentStateComponent.kt.
package com.intellij.openapi.components

public abstract class SerializablePersistentStateComponent<T : Any>(
    @Suppress("unused") private var state: T,
) : PersistentStateComponent<T> {
    final override fun getState(): T = throw UnsupportedOperationException()

    override fun loadState(state: T): Unit = throw UnsupportedOperationException()

    protected inline fun updateState(updateFunction: (currentState: T) -> T): T = updateFunction(getState())
}
