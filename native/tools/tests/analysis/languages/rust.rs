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
        ("tests/it.rs", "use keeper::Store;\n\n#[test]\nfn it() {\n    Store::open(\"a\").unwrap().size();\n}\n"),
    ])
}

#[test]
fn declarations_are_understood() {
    println!("{}", symbols(&project().scan()));
    println!("{}", references(&project().scan()));
}
