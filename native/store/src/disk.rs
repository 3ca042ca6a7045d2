//! Files and folders, with errors that say what to do.

use std::{
    fs::{self, File},
    io::{self, BufWriter},
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use ouro_core::{Error, ErrorKind, Result};

use crate::lock;

/// Free space below which nothing is written: sled grows its file by 512 KiB at a time and doesn't survive running out
/// of space in the middle of it, so that the store stops before.
const RESERVE: u64 = 4 << 20;

/// "Can't {what} {path}", with the reason and what to do about it.
pub(crate) fn failed(what: &str, path: &Path, error: io::Error) -> Error {
    let path = path.display();
    let remedy = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "free some space there",
        io::ErrorKind::ReadOnlyFilesystem => "make that disk writable or keep the data elsewhere",
        io::ErrorKind::PermissionDenied if what == "read" => {
            "give this user the right to read it or keep the data elsewhere"
        }
        io::ErrorKind::PermissionDenied => {
            "give this user the right to write there or keep the data elsewhere"
        }
        io::ErrorKind::IsADirectory => {
            "Ouro keeps a file of its own under that name: move that folder away"
        }
        io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists => {
            "Ouro keeps a folder of its own under that name: move that file away"
        }
        _ => "check that disk",
    };
    Error::new(ErrorKind::Storage, format!("can't {what} {path}: {error}; {remedy}"))
        .with_source(error)
}

/// Refuses something else in the place of a folder that may be missing.
pub(crate) fn require_folder(path: &Path) -> Result<()> {
    require(path, "a file", "a folder", fs::Metadata::is_dir)
}

/// Refuses a folder in the place of a file that may be missing.
pub(crate) fn require_file(path: &Path) -> Result<()> {
    require(path, "a folder", "a file", |m| !m.is_dir())
}

fn require(path: &Path, is: &str, wanted: &str, fits: fn(&fs::Metadata) -> bool) -> Result<()> {
    match fs::metadata(path) {
        Ok(metadata) if !fits(&metadata) => Err(Error::new(
            ErrorKind::InvalidInput,
            format!(
                "{} is {is}, but Ouro keeps {wanted} of its own under that name: move it away",
                path.display()
            ),
        )),
        _ => Ok(()),
    }
}

/// Makes a folder and those above it that are missing. On Unix nobody else may look into them: records quote code.
///
/// # Errors
/// `Storage` when it can't be made.
pub fn make_folder(dir: &Path) -> Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    let missing: Vec<&Path> = dir.ancestors().take_while(|d| !d.exists()).collect();
    builder.recursive(true).create(dir).map_err(|e| failed("make", dir, e))?;
    for parent in missing.iter().filter_map(|d| d.parent()) {
        // A name in a folder that can't be read can't be synced, and is there all the same.
        let _ = sync_dir(parent);
    }
    Ok(())
}

/// Says whether the store will write to the disk of a folder that exists: it keeps some space free, because the
/// database doesn't survive running out of it.
///
/// # Errors
/// `Storage` with how much is free and how much is needed, or that the disk is read-only.
pub fn check_space(dir: &Path) -> Result<()> {
    require_space(dir, 0)
}

/// Refuses to write when the disk is nearly full, while nothing is damaged yet.
pub(crate) fn require_space(dir: &Path, bytes: u64) -> Result<()> {
    let wanted = RESERVE.saturating_add(bytes);
    // Some network file systems don't say how large they are.
    let free = match (fs4::available_space(dir), fs4::total_space(dir)) {
        (Ok(free), Ok(total)) if total > 0 => free,
        _ => return Ok(()),
    };
    if free >= wanted {
        return Ok(());
    }
    // More room wouldn't help there.
    #[cfg(unix)]
    if rustix::fs::statvfs(dir)
        .is_ok_and(|disk| disk.f_flag.contains(rustix::fs::StatVfsMountFlags::RDONLY))
    {
        return Err(failed("write to", dir, io::ErrorKind::ReadOnlyFilesystem.into()));
    }
    Err(Error::new(
        ErrorKind::Storage,
        format!(
            "can't write to {}: {} KiB are free on that disk and {} KiB are needed; free some space there",
            dir.display(),
            free >> 10,
            wanted.div_ceil(1 << 10)
        ),
    ))
}

/// Refuses a file that was removed while it is open: what is written to it then is nowhere, and sled waits for ever for a
/// folder that is gone. Elsewhere than on Unix an open file can't be removed.
pub(crate) fn require_present(file: &File, path: &Path) -> Result<()> {
    #[cfg(unix)]
    if file.metadata().is_ok_and(|m| std::os::unix::fs::MetadataExt::nlink(&m) == 0) {
        return Err(Error::new(
            ErrorKind::Storage,
            format!(
                "{} was removed while it was in use: a new run puts together what the rest of that folder still holds, and \
                 begins anew where nothing is left",
                path.display()
            ),
        ));
    }
    #[cfg(not(unix))]
    let _ = (file, path);
    Ok(())
}

/// Fills `buffer` from a place in a file that others may be reading elsewhere.
pub(crate) fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<()> {
    #[cfg(unix)]
    {
        std::os::unix::fs::FileExt::read_exact_at(file, buffer, offset)
    }
    #[cfg(windows)]
    {
        let (mut buffer, mut offset) = (buffer, offset);
        while !buffer.is_empty() {
            match std::os::windows::fs::FileExt::seek_read(file, buffer, offset)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                read => {
                    buffer = buffer.get_mut(read..).unwrap_or_default();
                    offset += read as u64;
                }
            }
        }
        Ok(())
    }
}

/// Makes new, renamed and removed names in a folder survive a power cut, where the system can do that.
pub(crate) fn sync_dir(dir: &Path) -> Result<()> {
    if cfg!(windows) {
        return Ok(());
    }
    File::open(dir).and_then(|d| d.sync_all()).map_err(|e| failed("write to", dir, e))
}

/// Puts a file that was written whole in the place of another of the same folder, durably.
pub(crate) fn replace(written: BufWriter<File>, path: &Path, old: &Path) -> Result<()> {
    written
        .into_inner()
        .map_err(io::IntoInnerError::into_error)
        .and_then(|file| file.sync_all())
        .map_err(|e| failed("write to", path, e))?;
    fs::rename(path, old).map_err(|e| failed("replace", old, e))?;
    sync_dir(old.parent().unwrap_or(Path::new(".")))
}

/// Renames a folder whose files may be just being closed, which some systems wait for.
pub(crate) fn rename_patiently(from: &Path, to: &Path) -> Result<()> {
    let mut tries = 0;
    loop {
        match fs::rename(from, to) {
            Ok(()) => return Ok(()),
            Err(e) if tries == lock::TRIES || !cfg!(windows) => {
                return Err(failed("move", from, e));
            }
            Err(_) => lock::pause(),
        }
        tries += 1;
    }
}

/// A free name beside `path` that says that it was damaged, and when that was seen.
pub(crate) fn aside_name(path: &Path, now_ms: i64) -> PathBuf {
    let time = Timestamp::from_millisecond(now_ms).unwrap_or_default();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = format!("{name}.damaged-{}", time.strftime("%Y%m%dT%H%M%SZ"));
    let mut aside = path.with_file_name(&name);
    let mut n = 2;
    while aside.exists() {
        aside = path.with_file_name(format!("{name}-{n}"));
        n += 1;
    }
    aside
}

/// Bytes of all files below a folder.
pub(crate) fn size(dir: &Path) -> Result<u64> {
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        // sled removes files of its own while we look.
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(0),
        Err(e) => return Err(failed("read", dir, e)),
    };
    let mut sum = 0;
    for entry in entries {
        let entry = entry.map_err(|e| failed("read", dir, e))?;
        sum += match entry.metadata() {
            Ok(m) if m.is_dir() => size(&entry.path())?,
            Ok(m) => m.len(),
            Err(_) => 0,
        };
    }
    Ok(sum)
}
