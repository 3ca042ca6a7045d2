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
        ("src/main/java/com/example/store/package-info.java", "/**\n * Storage.\n */\npackage com.example.store;\n"),
        ("src/main/java/com/example/util/Checks.java", UTIL),
        ("src/test/java/com/example/store/StoreTest.java", TEST),
    ])
}

#[test]
fn declarations_are_understood() {
    println!("{}", symbols(&project().scan()));
    println!("{}", references(&project().scan()));
}
