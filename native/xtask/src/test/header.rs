//! The committed C header is what the C ABI's source says.

use std::fs;

use anyhow::{Context, Result, bail};

use crate::cargo::root;

/// Set, it makes the step write the header instead of comparing it.
const BLESS: &str = "OURO_BLESS";

pub(super) fn run() -> Result<()> {
    let ffi = root().join("native/ffi");
    let config = cbindgen::Config::from_file(ffi.join("cbindgen.toml"))
        .map_err(|error| anyhow::anyhow!("cbindgen.toml: {error}"))?;
    let bindings = cbindgen::Builder::new()
        .with_config(config)
        .with_src(ffi.join("src/capi.rs"))
        .generate()
        .context("the header can't be made")?;
    let mut made = Vec::new();
    bindings.write(&mut made);
    let path = ffi.join("include/ouro.h");
    if std::env::var_os(BLESS).is_some() {
        return Ok(fs::write(path, made)?);
    }
    if fs::read(&path).unwrap_or_default() != made {
        bail!(
            "{} is not what src/capi.rs says: `{BLESS}=1 cargo xtask test --only header` writes it",
            path.display()
        );
    }
    Ok(())
}
