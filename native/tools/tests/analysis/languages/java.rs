use crate::support::{Project, references, symbols};

const STORE: &str = r#"/*
 * Copyright (C) 2020 Somebody.
 */
package com.example.store;

import static com.example.util.Checks.checkOpen;

import com.example.util.Checks;
import com.example.util.*;
import java.util.List;

/**
 * Keeps things.
 *
 * @param <T> what
 */
// Not a doc.
@Deprecated
public final class Store<T> extends Base implements AutoCloseable, Source {
    /** Most things. */
    public static final int LIMIT = 10;
    private final Index index = new Index();
    private Cache cache;

    /** Makes one. */
    public Store(Cache cache) {
        this.cache = cache;
    }

    /**
     * Puts a thing in.
     */
    @Override
    public void put(String key, T value) throws StoreException {
        if (key.isEmpty()) {
            throw new IllegalArgumentException("key of " + value + " is empty");
        }
        checkOpen(this);
        Checks.positive(1);
        index.add(key);
        this.cache.clear();
        size();
        var copy = new Index();
        copy.add(key);
        Object other = value;
        other.hashCode();
        Runnable task = new Runnable() {
            @Override public void run() { flush(); }
        };
    }

    int size() { return index.count(); }

    private void fail() throws StoreException {
        throw new StoreException(Kind.FULL, "no room left");
    }

    /** How full. */
    public enum Kind {
        /** No room. */
        FULL,
        EMPTY;

        boolean bad() { return this == FULL; }
    }

    static class Index implements Source {
        void add(String key) {}
        int count() { return 0; }
    }
}
"#;

const UTIL: &str = r#"package com.example.util;

import com.example.store.Store;

public class Checks {
    public static void checkOpen(Store<?> store) {
        store.size();
    }

    public static void positive(int n) {
        Objects.requireNonNull(n, "n must be set");
    }

    public static void main(String[] args) {
        positive(1);
    }
}

record Pair(String left, Checks right) {
    Pair {
        right.hashCode();
    }
}

@interface Marked {
    String value();
}
"#;

const BASE: &str = r#"package com.example.store;

abstract class Base {
    protected void flush() {}
}

interface Source {
    /** Reads. */
    default int read() { return 0; }
}

class Cache {
    void clear() {}
}
"#;

const TEST: &str = r#"package com.example.store;

class StoreTest {
    @Test
    void puts() {
        Store<String> store = new Store<>(new Cache());
        store.put("a", "b");
        store.read();
        store.flush();
        store.unknown();
    }
}
"#;

fn project() -> Project {
    Project::new(&[
        ("pom.xml", "<project>\n<artifactId>store</artifactId>\n</project>"),
        ("src/main/java/com/example/store/Store.java", STORE),
        ("src/main/java/com/example/store/Base.java", BASE),
        (
            "src/main/java/com/example/store/package-info.java",
            "/**\n * Storage.\n */\npackage com.example.store;\n",
        ),
        ("src/main/java/com/example/util/Checks.java", UTIL),
        ("src/test/java/com/example/store/StoreTest.java", TEST),
    ])
}

const SYMBOLS: &str = r##"
src/main/java/com/example/store/Base.java:3 [3-5] Class Base
  abstract class Base
src/main/java/com/example/store/Base.java:4 [4-4] Method Base.flush
  protected void flush()
src/main/java/com/example/store/Base.java:7 [7-10] Interface Source
  interface Source
src/main/java/com/example/store/Base.java:9 [9-9] Method Source.read
  default int read()
  doc 8-8: Reads.
src/main/java/com/example/store/Base.java:12 [12-14] Class Cache
  class Cache
src/main/java/com/example/store/Base.java:13 [13-13] Method Cache.clear
  void clear()
src/main/java/com/example/store/Store.java:19 [19-71] Class Store exported
  public final class Store<T> extends Base implements AutoCloseable, Source
  doc 13-15: Keeps things. /  / @param <T> what
  member LIMIT@21: Most things.
  member index@22
  member cache@23
src/main/java/com/example/store/Store.java:26 [26-28] Method Store.Store exported
  public Store(Cache cache)
  doc 25-25: Makes one.
src/main/java/com/example/store/Store.java:34 [34-50] Method Store.put exported
  public void put(String key, T value) throws StoreException
  doc 31-31: Puts a thing in.
  fails IllegalArgumentException@36 "key of … is empty"
src/main/java/com/example/store/Store.java:52 [52-52] Method Store.size
  int size()
src/main/java/com/example/store/Store.java:54 [54-56] Method Store.fail
  private void fail() throws StoreException
  fails StoreException@55 "no room left"
src/main/java/com/example/store/Store.java:59 [59-65] Enum Store.Kind exported
  public enum Kind
  doc 58-58: How full.
  member FULL@61: No room.
  member EMPTY@62
src/main/java/com/example/store/Store.java:64 [64-64] Method Kind.bad
  boolean bad()
src/main/java/com/example/store/Store.java:67 [67-70] Class Store.Index
  static class Index implements Source
src/main/java/com/example/store/Store.java:68 [68-68] Method Index.add
  void add(String key)
src/main/java/com/example/store/Store.java:69 [69-69] Method Index.count
  int count()
src/main/java/com/example/util/Checks.java:5 [5-17] Class Checks exported
  public class Checks
src/main/java/com/example/util/Checks.java:6 [6-8] Method Checks.checkOpen exported
  public static void checkOpen(Store<?> store)
src/main/java/com/example/util/Checks.java:10 [10-12] Method Checks.positive exported
  public static void positive(int n)
  fails requireNonNull@11 "n must be set"
src/main/java/com/example/util/Checks.java:14 [14-16] Method Checks.main exported
  public static void main(String[] args)
src/main/java/com/example/util/Checks.java:19 [19-23] Struct Pair
  record Pair(String left, Checks right)
  member left@19
  member right@19
src/main/java/com/example/util/Checks.java:20 [20-22] Method Pair.Pair
  Pair
src/main/java/com/example/util/Checks.java:25 [25-27] Interface Marked
  @interface Marked
  member value@26
src/test/java/com/example/store/StoreTest.java:3 [3-12] Class StoreTest test
  class StoreTest
src/test/java/com/example/store/StoreTest.java:5 [5-11] Method StoreTest.puts test
  void puts()
"##;

const REFERENCES: &str = r##"
src/main/java/com/example/store/Store.java:6 - Import src/main/java/com/example/util/Checks.java Checks.checkOpen
src/main/java/com/example/store/Store.java:8 - Import src/main/java/com/example/util/Checks.java Checks
src/main/java/com/example/store/Store.java:19 Store Extends src/main/java/com/example/store/Base.java Base
src/main/java/com/example/store/Store.java:19 Store Extends src/main/java/com/example/store/Base.java Source
src/main/java/com/example/store/Store.java:22 Store Call src/main/java/com/example/store/Store.java Store.Index
src/main/java/com/example/store/Store.java:22 Store Use src/main/java/com/example/store/Store.java Store.Index
src/main/java/com/example/store/Store.java:23 Store Use src/main/java/com/example/store/Base.java Cache
src/main/java/com/example/store/Store.java:26 Store.Store Use src/main/java/com/example/store/Base.java Cache
src/main/java/com/example/store/Store.java:38 Store.put Call src/main/java/com/example/util/Checks.java Checks.checkOpen
src/main/java/com/example/store/Store.java:39 Store.put Use src/main/java/com/example/util/Checks.java Checks
src/main/java/com/example/store/Store.java:39 Store.put Call src/main/java/com/example/util/Checks.java Checks.positive
src/main/java/com/example/store/Store.java:40 Store.put Call src/main/java/com/example/store/Store.java Index.add
src/main/java/com/example/store/Store.java:41 Store.put Call src/main/java/com/example/store/Base.java Cache.clear
src/main/java/com/example/store/Store.java:42 Store.put Call src/main/java/com/example/store/Store.java Store.size
src/main/java/com/example/store/Store.java:43 Store.put Call src/main/java/com/example/store/Store.java Store.Index
src/main/java/com/example/store/Store.java:44 Store.put Call src/main/java/com/example/store/Store.java Index.add
src/main/java/com/example/store/Store.java:48 Store.put Call src/main/java/com/example/store/Base.java Base.flush
src/main/java/com/example/store/Store.java:52 Store.size Call src/main/java/com/example/store/Store.java Index.count
src/main/java/com/example/store/Store.java:55 Store.fail Use src/main/java/com/example/store/Store.java Store.Kind
src/main/java/com/example/store/Store.java:67 Store.Index Extends src/main/java/com/example/store/Base.java Source
src/main/java/com/example/util/Checks.java:3 - Import src/main/java/com/example/store/Store.java Store
src/main/java/com/example/util/Checks.java:6 Checks.checkOpen Use src/main/java/com/example/store/Store.java Store
src/main/java/com/example/util/Checks.java:7 Checks.checkOpen Call src/main/java/com/example/store/Store.java Store.size
src/main/java/com/example/util/Checks.java:15 Checks.main Call src/main/java/com/example/util/Checks.java Checks.positive
src/main/java/com/example/util/Checks.java:19 Pair Use src/main/java/com/example/util/Checks.java Checks
src/test/java/com/example/store/StoreTest.java:6 StoreTest.puts Call src/main/java/com/example/store/Base.java Cache
src/test/java/com/example/store/StoreTest.java:6 StoreTest.puts Call src/main/java/com/example/store/Store.java Store
src/test/java/com/example/store/StoreTest.java:6 StoreTest.puts Use src/main/java/com/example/store/Store.java Store
src/test/java/com/example/store/StoreTest.java:7 StoreTest.puts Call src/main/java/com/example/store/Store.java Store.put
src/test/java/com/example/store/StoreTest.java:8 StoreTest.puts Call src/main/java/com/example/store/Base.java Source.read
src/test/java/com/example/store/StoreTest.java:9 StoreTest.puts Call src/main/java/com/example/store/Base.java Base.flush
"##;

#[test]
fn declarations_are_understood() {
    assert_eq!(symbols(&project().scan()).trim(), SYMBOLS.trim());
}

#[test]
fn uses_lead_to_the_declarations_that_they_mean() {
    assert_eq!(references(&project().scan()).trim(), REFERENCES.trim());
}
