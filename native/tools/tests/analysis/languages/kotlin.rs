use crate::support::{Project, references, symbols};

const STORE: &str = r#"/*
 * Copyright (C) 2020 Somebody.
 */
@file:JvmName("Stores")

package com.example.store

import com.example.util.checkOpen
import com.example.util.Checks as Guard
import com.example.util.Checks.Companion.make
import java.io.IOException

/** Most things. */
const val LIMIT = 10

/**
 * Keeps things.
 *
 * @property name what it is called
 */
class Store<T>(
    val name: String,
    private val cache: Cache,
    size: Int,
) : Base(), Source {
    /** Where. */
    private val index = Index()
    var open: Boolean = true
        private set

    /** Puts a thing in. */
    @Throws(IOException::class)
    override fun put(key: String, value: T): Entry {
        require(key.isNotEmpty()) { "key of $name is empty" }
        checkOpen(this)
        index.add(key)
        cache.clear()
        refresh()
        if (!open) throw IOException("store is closed")
        val copy = Index()
        copy.add(key)
        key.shorten()
        Guard.positive(LIMIT)
        make()
        val task = object : Runnable {
            override fun run() { flush() }
        }
        return Entry(key, 1)
    }

    private fun Index.count(): Int = 1

    companion object {
        fun create(): Store<Any> = Store("x", Cache(), 1)
    }

    private class Index {
        fun add(key: String) {}
    }
}

data class Entry(val key: String, val age: Int)

/** How full. */
enum class Kind(val level: Int) {
    /** No room. */
    FULL(1),
    EMPTY(0);

    fun bad() = this == FULL
}

sealed interface Source {
    fun put(key: String, value: Any): Entry
}

object Registry {
    fun register(store: Store<*>) {
        store.put("a", 1)
        error("registry is full")
    }
}

typealias Keys = List<String>

internal fun String.shorten(): String = substring(0, 1)
"#;

const UTIL: &str = r#"package com.example.util

import com.example.store.*

fun checkOpen(store: Store<*>) {
    store.put("k", 1).key
    Store.create()
}

class Checks {
    companion object {
        fun positive(n: Int) {}
        fun make() = Checks()
    }
}

fun main() {
    checkOpen(Store.create())
}
"#;

const BASE: &str = r#"package com.example.store

abstract class Base {
    protected fun flush() {}
    fun refresh() {}
}

class Cache {
    fun clear() {}
}
"#;

fn project() -> Project {
    Project::new(&[
        ("build.gradle.kts", "plugins { kotlin(\"jvm\") }\n"),
        ("src/main/kotlin/com/example/store/Store.kt", STORE),
        ("src/main/kotlin/com/example/store/Base.kt", BASE),
        ("src/main/kotlin/com/example/util/Checks.kt", UTIL),
    ])
}

#[test]
fn declarations_are_understood() {
    println!("{}", symbols(&project().scan()));
    println!("{}", references(&project().scan()));
}
