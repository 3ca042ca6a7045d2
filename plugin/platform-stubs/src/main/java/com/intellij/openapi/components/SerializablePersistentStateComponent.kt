// Stands for platform/projectModel-api/src/com/intellij/openapi/components/SerializablePersistentStateComponent.kt.
package com.intellij.openapi.components

@Suppress("UNUSED_PARAMETER")
public abstract class SerializablePersistentStateComponent<T : Any>(state: T) :
    PersistentStateComponentWithModificationTracker<T> {
    final override fun getState(): T = throw UnsupportedOperationException()

    override fun loadState(state: T): Unit = throw UnsupportedOperationException()

    final override fun getStateModificationCount(): Long = throw UnsupportedOperationException()

    /** Its body becomes part of the plugin, so it must do what the real one does with what the real class has. */
    protected inline fun updateState(updateFunction: (currentState: T) -> T): T {
        while (true) {
            val before = getState()
            val after = updateFunction(before)
            if (compareAndSet(this, before, after)) return after
        }
    }

    public companion object {
        @PublishedApi
        internal fun compareAndSet(component: SerializablePersistentStateComponent<*>, prev: Any, next: Any?): Boolean =
            throw UnsupportedOperationException()
    }
}
