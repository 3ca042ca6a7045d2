use crate::support::{Project, references, symbols};

const LIB: &str = r#"// Copyright 2024 Somebody.
//! Keeps things.
//!
//! In a file.

mod store;
pub mod net;

pub use store::{Store, Error as StoreError};
use std::fmt;

/// Starts.
///
/// Twice.
#[inline]
pub fn run(path: &str) -> Result<Store, StoreError> {
    let store = Store::open(path)?;
    store.size();
    let handler = |x: u32| x;
    handler(limit());
    assert!(limit() > 0);
    Ok(store)
}

fn limit() -> u32 {
    LIMIT
}

/// Most things.
pub(crate) const LIMIT: u32 = 10;

fn handler() {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opens() {
        run("x").unwrap();
    }
}
"#;

const STORE: &str = r#"/// Where things are.
#[derive(Debug)]
pub struct Store {
    /// The file.
    path: String,
    net: crate::net::Client,
}

/// What can go wrong.
pub enum Error {
    /// No room.
    Full { size: u32 },
    Gone,
}

impl Store {
    /// Opens it.
    pub fn open(path: &str) -> Result<Self, Error> {
        if path.is_empty() {
            return Err(Error::Full { size: 0 });
        }
        Self::check(path).ok_or(Error::Gone)?;
        let net = crate::net::Client::new();
        Ok(Self { path: path.into(), net })
    }

    fn check(path: &str) -> Option<()> {
        if path == "/" { panic!("the root {path} is no file") }
        Some(())
    }

    pub fn size(&self) -> u32 {
        self.net.fetch()
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("x")
    }
}
"#;

const NET: &str = r#"pub trait Fetch {
    fn fetch(&self) -> u32;
}

#[derive(Default)]
pub struct Client;

impl Client {
    pub fn new() -> Self { Client }
}

impl Fetch for Client {
    fn fetch(&self) -> u32 { 1 }
}

macro_rules! twice { ($e:expr) => { $e; $e } }

pub fn both(one: &dyn Fetch, two: &mut std::fs::File) {
    twice!(one.fetch());
    two.fetch();
}
"#;

fn project() -> Project {
    Project::new(&[
        ("Cargo.toml", "[package]\nname = \"keeper\"\n"),
        ("src/lib.rs", LIB),
        ("src/store.rs", STORE),
        ("src/net.rs", NET),
        (
            "tests/it.rs",
            "use keeper::Store;\n\n#[test]\nfn it() {\n    Store::open(\"a\").unwrap().size();\n}\n",
        ),
    ])
}

const SYMBOLS: &str = r##"
src/lib.rs:16 [16-23] Function run exported
  pub fn run(path: &str) -> Result<Store, StoreError>
  doc 12-14: Starts. /  / Twice.
src/lib.rs:25 [25-27] Function limit
  fn limit() -> u32
src/lib.rs:30 [30-30] Constant LIMIT exported
  pub(crate) const LIMIT: u32 = 10
  doc 29-29: Most things.
src/lib.rs:32 [32-32] Function handler
  fn handler()
src/lib.rs:39 [39-41] Function tests.opens test
  fn opens()
src/net.rs:1 [1-3] Interface Fetch exported
  pub trait Fetch
src/net.rs:2 [2-2] Method Fetch.fetch exported
  fn fetch(&self) -> u32
src/net.rs:6 [6-6] Struct Client exported
  pub struct Client
src/net.rs:9 [9-9] Method Client.new exported
  pub fn new() -> Self
src/net.rs:13 [13-13] Method Client.fetch exported
  fn fetch(&self) -> u32
src/net.rs:16 [16-16] Macro twice
  macro_rules! twice
src/net.rs:18 [18-21] Function both exported
  pub fn both(one: &dyn Fetch, two: &mut std::fs::File)
src/store.rs:3 [3-7] Struct Store exported
  pub struct Store
  doc 1-1: Where things are.
  member path@5: The file.
  member net@6
src/store.rs:10 [10-14] Enum Error exported
  pub enum Error
  doc 9-9: What can go wrong.
  member Full@12: No room.
  member Gone@13
src/store.rs:18 [18-25] Method Store.open exported
  pub fn open(path: &str) -> Result<Self, Error>
  doc 17-17: Opens it.
  fails Error::Full@20
  fails Error::Gone@22
src/store.rs:27 [27-30] Method Store.check
  fn check(path: &str) -> Option<()>
  fails panic@28 "the root {path} is no file"
src/store.rs:32 [32-34] Method Store.size exported
  pub fn size(&self) -> u32
src/store.rs:38 [38-40] Method Error.fmt exported
  fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result
tests/it.rs:4 [4-6] Function it test
  fn it()
"##;

const REFERENCES: &str = r##"
src/lib.rs:9 - Import src/store.rs Store
src/lib.rs:9 - Import src/store.rs Error
src/lib.rs:16 run Use src/store.rs Store
src/lib.rs:16 run Use src/store.rs Error
src/lib.rs:17 run Use src/store.rs Store
src/lib.rs:17 run Call src/store.rs Store.open
src/lib.rs:18 run Call src/store.rs Store.size
src/lib.rs:20 run Call src/lib.rs limit
src/lib.rs:21 run Call src/lib.rs limit
src/lib.rs:26 limit Use src/lib.rs LIMIT
src/lib.rs:40 tests.opens Call src/lib.rs run
src/net.rs:9 Client.new Use src/net.rs Client
src/net.rs:12 Client Extends src/net.rs Fetch
src/net.rs:18 both Use src/net.rs Fetch
src/net.rs:19 both Call src/net.rs Fetch.fetch
src/net.rs:19 both Call src/net.rs twice
src/store.rs:6 Store Use src/net.rs Client
src/store.rs:18 Store.open Use src/store.rs Error
src/store.rs:20 Store.open Use src/store.rs Error
src/store.rs:22 Store.open Use src/store.rs Error
src/store.rs:22 Store.open Call src/store.rs Store.check
src/store.rs:23 Store.open Use src/net.rs Client
src/store.rs:23 Store.open Call src/net.rs Client.new
src/store.rs:33 Store.size Call src/net.rs Client.fetch
tests/it.rs:1 - Import src/store.rs Store
tests/it.rs:5 it Use src/store.rs Store
tests/it.rs:5 it Call src/store.rs Store.open
tests/it.rs:5 it Call src/store.rs Store.size
"##;

#[test]
fn declarations_are_understood() {
    assert_eq!(symbols(&project().scan()).trim(), SYMBOLS.trim());
}

#[test]
fn uses_lead_to_the_declarations_that_they_mean() {
    assert_eq!(references(&project().scan()).trim(), REFERENCES.trim());
}
