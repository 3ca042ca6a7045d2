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

const SYMBOLS: &str = r##"
src/main/kotlin/com/example/store/Base.kt:3 [3-6] Class Base exported
  abstract class Base
src/main/kotlin/com/example/store/Base.kt:4 [4-4] Method Base.flush exported
  protected fun flush()
src/main/kotlin/com/example/store/Base.kt:5 [5-5] Method Base.refresh exported
  fun refresh()
src/main/kotlin/com/example/store/Base.kt:8 [8-10] Class Cache exported
  class Cache
src/main/kotlin/com/example/store/Base.kt:9 [9-9] Method Cache.clear exported
  fun clear()
src/main/kotlin/com/example/store/Store.kt:14 [14-14] Constant LIMIT exported
  const val LIMIT = 10
  doc 13-13: Most things.
src/main/kotlin/com/example/store/Store.kt:21 [21-60] Class Store exported
  class Store<T>(val name: String, private val cache: Cache, size: Int) : Base(), Source
  doc 17-19: Keeps things. /  / @property name what it is called
  member name@22
  member cache@23
  member index@27: Where.
  member open@28
src/main/kotlin/com/example/store/Store.kt:33 [33-49] Method Store.put exported
  override fun put(key: String, value: T): Entry
  doc 31-31: Puts a thing in.
  fails require@34 "key of $name is empty"
  fails IOException@39 "store is closed"
src/main/kotlin/com/example/store/Store.kt:51 [51-51] Method Index.count
  private fun Index.count(): Int
src/main/kotlin/com/example/store/Store.kt:54 [54-54] Method Store.create exported
  fun create(): Store<Any>
src/main/kotlin/com/example/store/Store.kt:57 [57-59] Class Store.Index
  private class Index
src/main/kotlin/com/example/store/Store.kt:58 [58-58] Method Index.add
  fun add(key: String)
src/main/kotlin/com/example/store/Store.kt:62 [62-62] Struct Entry exported
  data class Entry(val key: String, val age: Int)
  member key@62
  member age@62
src/main/kotlin/com/example/store/Store.kt:65 [65-71] Enum Kind exported
  enum class Kind(val level: Int)
  doc 64-64: How full.
  member level@65
  member FULL@67: No room.
  member EMPTY@68
src/main/kotlin/com/example/store/Store.kt:70 [70-70] Method Kind.bad exported
  fun bad()
src/main/kotlin/com/example/store/Store.kt:73 [73-75] Interface Source exported
  sealed interface Source
src/main/kotlin/com/example/store/Store.kt:74 [74-74] Method Source.put exported
  fun put(key: String, value: Any): Entry
src/main/kotlin/com/example/store/Store.kt:77 [77-82] Class Registry exported
  object Registry
src/main/kotlin/com/example/store/Store.kt:78 [78-81] Method Registry.register exported
  fun register(store: Store<*>)
  fails error@80 "registry is full"
src/main/kotlin/com/example/store/Store.kt:84 [84-84] TypeAlias Keys exported
  typealias Keys = List<String>
src/main/kotlin/com/example/store/Store.kt:86 [86-86] Method String.shorten
  internal fun String.shorten(): String
src/main/kotlin/com/example/util/Checks.kt:5 [5-8] Function checkOpen exported
  fun checkOpen(store: Store<*>)
src/main/kotlin/com/example/util/Checks.kt:10 [10-15] Class Checks exported
  class Checks
src/main/kotlin/com/example/util/Checks.kt:12 [12-12] Method Checks.positive exported
  fun positive(n: Int)
src/main/kotlin/com/example/util/Checks.kt:13 [13-13] Method Checks.make exported
  fun make()
src/main/kotlin/com/example/util/Checks.kt:17 [17-19] Function main exported
  fun main()
"##;

const REFERENCES: &str = r##"
src/main/kotlin/com/example/store/Store.kt:8 - Import src/main/kotlin/com/example/util/Checks.kt checkOpen
src/main/kotlin/com/example/store/Store.kt:9 - Import src/main/kotlin/com/example/util/Checks.kt Checks
src/main/kotlin/com/example/store/Store.kt:10 - Import src/main/kotlin/com/example/util/Checks.kt Checks.make
src/main/kotlin/com/example/store/Store.kt:23 Store Use src/main/kotlin/com/example/store/Base.kt Cache
src/main/kotlin/com/example/store/Store.kt:25 Store Extends src/main/kotlin/com/example/store/Base.kt Base
src/main/kotlin/com/example/store/Store.kt:25 Store Extends src/main/kotlin/com/example/store/Store.kt Source
src/main/kotlin/com/example/store/Store.kt:27 Store Call src/main/kotlin/com/example/store/Store.kt Store.Index
src/main/kotlin/com/example/store/Store.kt:33 Store.put Use src/main/kotlin/com/example/store/Store.kt Entry
src/main/kotlin/com/example/store/Store.kt:35 Store.put Call src/main/kotlin/com/example/util/Checks.kt checkOpen
src/main/kotlin/com/example/store/Store.kt:36 Store.put Call src/main/kotlin/com/example/store/Store.kt Index.add
src/main/kotlin/com/example/store/Store.kt:37 Store.put Call src/main/kotlin/com/example/store/Base.kt Cache.clear
src/main/kotlin/com/example/store/Store.kt:38 Store.put Call src/main/kotlin/com/example/store/Base.kt Base.refresh
src/main/kotlin/com/example/store/Store.kt:40 Store.put Call src/main/kotlin/com/example/store/Store.kt Store.Index
src/main/kotlin/com/example/store/Store.kt:41 Store.put Call src/main/kotlin/com/example/store/Store.kt Index.add
src/main/kotlin/com/example/store/Store.kt:42 Store.put Call src/main/kotlin/com/example/store/Store.kt String.shorten
src/main/kotlin/com/example/store/Store.kt:43 Store.put Use src/main/kotlin/com/example/store/Store.kt LIMIT
src/main/kotlin/com/example/store/Store.kt:43 Store.put Use src/main/kotlin/com/example/util/Checks.kt Checks
src/main/kotlin/com/example/store/Store.kt:43 Store.put Call src/main/kotlin/com/example/util/Checks.kt Checks.positive
src/main/kotlin/com/example/store/Store.kt:44 Store.put Call src/main/kotlin/com/example/util/Checks.kt Checks.make
src/main/kotlin/com/example/store/Store.kt:46 Store.put Call src/main/kotlin/com/example/store/Base.kt Base.flush
src/main/kotlin/com/example/store/Store.kt:48 Store.put Call src/main/kotlin/com/example/store/Store.kt Entry
src/main/kotlin/com/example/store/Store.kt:51 Index.count Use src/main/kotlin/com/example/store/Store.kt Store.Index
src/main/kotlin/com/example/store/Store.kt:54 Store.create Call src/main/kotlin/com/example/store/Base.kt Cache
src/main/kotlin/com/example/store/Store.kt:54 Store.create Call src/main/kotlin/com/example/store/Store.kt Store
src/main/kotlin/com/example/store/Store.kt:54 Store.create Use src/main/kotlin/com/example/store/Store.kt Store
src/main/kotlin/com/example/store/Store.kt:74 Source.put Use src/main/kotlin/com/example/store/Store.kt Entry
src/main/kotlin/com/example/store/Store.kt:78 Registry.register Use src/main/kotlin/com/example/store/Store.kt Store
src/main/kotlin/com/example/store/Store.kt:79 Registry.register Call src/main/kotlin/com/example/store/Store.kt Store.put
src/main/kotlin/com/example/util/Checks.kt:5 checkOpen Use src/main/kotlin/com/example/store/Store.kt Store
src/main/kotlin/com/example/util/Checks.kt:6 checkOpen Call src/main/kotlin/com/example/store/Store.kt Store.put
src/main/kotlin/com/example/util/Checks.kt:7 checkOpen Use src/main/kotlin/com/example/store/Store.kt Store
src/main/kotlin/com/example/util/Checks.kt:7 checkOpen Call src/main/kotlin/com/example/store/Store.kt Store.create
src/main/kotlin/com/example/util/Checks.kt:13 Checks.make Call src/main/kotlin/com/example/util/Checks.kt Checks
src/main/kotlin/com/example/util/Checks.kt:18 main Use src/main/kotlin/com/example/store/Store.kt Store
src/main/kotlin/com/example/util/Checks.kt:18 main Call src/main/kotlin/com/example/store/Store.kt Store.create
src/main/kotlin/com/example/util/Checks.kt:18 main Call src/main/kotlin/com/example/util/Checks.kt checkOpen
"##;

#[test]
fn declarations_are_understood() {
    assert_eq!(symbols(&project().scan()).trim(), SYMBOLS.trim());
}

#[test]
fn uses_lead_to_the_declarations_that_they_mean() {
    assert_eq!(references(&project().scan()).trim(), REFERENCES.trim());
}
