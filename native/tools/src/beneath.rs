//! Opens a file or lists a folder beneath a directory without ever following a symbolic link, whatever happens to the
//! tree meanwhile.
//!
//! The path was resolved before ([`crate::ProjectRoot`]), so a link met here was put there in between: an attack or
//! a race, and refused as such.

use std::{ffi::OsString, fs::File, io, path::Path};

/// Opens `relative` (`/`-separated, no `.` or `..`) for reading. Never waits for a FIFO's writer.
pub(crate) fn open(root: &Path, relative: &str) -> io::Result<File> {
    #[cfg(unix)]
    return unix::open(root, relative);
    #[cfg(not(unix))]
    return portable::open(root, relative);
}

/// Something in a folder.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) name: OsString,
    pub(crate) kind: EntryKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EntryKind {
    File,
    Folder,
    /// A symbolic link.
    Link,
    /// A device, pipe or socket.
    Other,
}

/// The first `limit` entries of `folder` (as in [`open`]; empty for the root), in no order. A name from outside would
/// give away what is there.
pub(crate) fn list(root: &Path, folder: &str, limit: usize) -> io::Result<Vec<Entry>> {
    #[cfg(unix)]
    return unix::list(root, folder, limit);
    #[cfg(not(unix))]
    return portable::list(root, folder, limit);
}

#[cfg(unix)]
mod unix {
    use std::{
        ffi::{OsStr, OsString},
        fs::File,
        io,
        os::{fd::OwnedFd, unix::ffi::OsStrExt},
        path::Path,
    };

    use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, open as open_path, openat, statat};

    use super::{Entry, EntryKind};

    pub(super) const FILE: OFlags = OFlags::RDONLY
        .union(OFlags::CLOEXEC)
        .union(OFlags::NOFOLLOW)
        .union(OFlags::NONBLOCK)
        .union(OFlags::NOCTTY);
    pub(super) const DIRECTORY: OFlags =
        OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::NOFOLLOW).union(OFlags::DIRECTORY);

    pub(super) fn open(root: &Path, relative: &str) -> io::Result<File> {
        open_as(FILE, root, relative).map(File::from)
    }

    pub(super) fn list(root: &Path, folder: &str, limit: usize) -> io::Result<Vec<Entry>> {
        let folder = if folder.is_empty() { "." } else { folder };
        let mut entries = Vec::new();
        let mut folder = Dir::new(open_as(DIRECTORY, root, folder)?)?;
        while entries.len() < limit
            && let Some(entry) = folder.read()
        {
            let Ok(entry) = entry else { break };
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            let kind = match entry.file_type() {
                // Some file systems don't say it in the listing.
                FileType::Unknown => statat(folder.fd()?, name, AtFlags::SYMLINK_NOFOLLOW)
                    .map_or(FileType::Unknown, |s| FileType::from_raw_mode(s.st_mode)),
                kind => kind,
            };
            let kind = match kind {
                FileType::RegularFile => EntryKind::File,
                FileType::Directory => EntryKind::Folder,
                FileType::Symlink => EntryKind::Link,
                _ => EntryKind::Other,
            };
            let name: OsString = OsStr::from_bytes(name.to_bytes()).to_owned();
            entries.push(Entry { name, kind });
        }
        Ok(entries)
    }

    fn open_as(flags: OFlags, root: &Path, relative: &str) -> io::Result<OwnedFd> {
        let root = open_path(root, DIRECTORY, Mode::empty())?;
        #[cfg(target_os = "linux")]
        if let Some(opened) = in_one_call(flags, &root, relative) {
            return opened;
        }
        component_wise(flags, root, relative)
    }

    /// `None` where the kernel (before 5.6) or a sandbox doesn't offer the call.
    #[cfg(target_os = "linux")]
    pub(super) fn in_one_call(
        flags: OFlags,
        root: &OwnedFd,
        relative: &str,
    ) -> Option<io::Result<OwnedFd>> {
        use rustix::{
            fs::{ResolveFlags, openat2},
            io::Errno,
        };
        let resolve =
            ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS | ResolveFlags::NO_SYMLINKS;
        match openat2(root, relative, flags, Mode::empty(), resolve) {
            Ok(opened) => Some(Ok(opened)),
            Err(Errno::NOSYS | Errno::PERM | Errno::AGAIN | Errno::INVAL) => None,
            Err(error) => Some(Err(error.into())),
        }
    }

    /// Each step is relative to a directory that is held open, so nobody can swap what was already passed.
    pub(super) fn component_wise(
        flags: OFlags,
        root: OwnedFd,
        relative: &str,
    ) -> io::Result<OwnedFd> {
        let mut directory = root;
        let mut rest = relative;
        while let Some((name, after)) = rest.split_once('/') {
            directory = openat(&directory, name, DIRECTORY, Mode::empty())?;
            rest = after;
        }
        Ok(openat(&directory, rest, flags, Mode::empty())?)
    }
}

/// Where there is no call relative to an open directory: before a byte is read, what was opened must be the very file
/// that the path names without following a link. This narrows the race to three swaps at the right moments; only
/// the other way closes it.
#[cfg(any(not(unix), test))]
mod portable {
    use std::{
        fs::{File, OpenOptions, read_dir},
        io,
        path::Path,
    };

    use super::{Entry, EntryKind};

    pub(super) fn open(root: &Path, relative: &str) -> io::Result<File> {
        let path = root.join(relative);
        let file = options().open(&path)?;
        let opened = same_file::Handle::from_file(file.try_clone()?)?;
        if path.canonicalize()? != path || same_file::Handle::from_path(&path)? != opened {
            return Err(io::Error::other("a link leads elsewhere"));
        }
        Ok(file)
    }

    pub(super) fn list(root: &Path, folder: &str, limit: usize) -> io::Result<Vec<Entry>> {
        let path = root.join(folder);
        let listed = read_dir(&path)?.filter_map(Result::ok).take(limit);
        let entries = listed
            .filter_map(|entry| {
                let kind = match entry.file_type().ok()? {
                    kind if kind.is_file() => EntryKind::File,
                    kind if kind.is_dir() => EntryKind::Folder,
                    kind if kind.is_symlink() => EntryKind::Link,
                    _ => EntryKind::Other,
                };
                Some(Entry { name: entry.file_name(), kind })
            })
            .collect();
        // A link that was there while it was listed has most likely not gone again yet.
        if path.canonicalize()? != path {
            return Err(io::Error::other("a link leads elsewhere"));
        }
        Ok(entries)
    }

    fn options() -> OpenOptions {
        let mut options = OpenOptions::new();
        options.read(true);
        #[cfg(windows)]
        {
            use std::os::windows::fs::OpenOptionsExt;
            /// Opens a link itself rather than what it leads to.
            const FILE_FLAG_OPEN_REPARSE_POINT: u32 = 0x0020_0000;
            options.custom_flags(FILE_FLAG_OPEN_REPARSE_POINT);
        }
        options
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    fn text(file: io::Result<impl Into<File>>) -> io::Result<String> {
        let mut text = String::new();
        file?.into().read_to_string(&mut text)?;
        Ok(text)
    }

    #[cfg(unix)]
    #[test]
    fn every_way_of_opening_reads_files_and_refuses_links_at_any_depth() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("a/b")).unwrap();
        std::fs::write(root.join("a/b/c"), "inside").unwrap();
        std::os::unix::fs::symlink("a/b/c", root.join("file")).unwrap();
        std::os::unix::fs::symlink("a", root.join("folder")).unwrap();
        let fd = || std::os::fd::OwnedFd::from(File::open(&root).unwrap());
        type Way<'a> = &'a dyn Fn(&str) -> io::Result<String>;
        let ways: [Way<'_>; 4] = [
            &|p| text(open(&root, p)),
            &|p| text(unix::component_wise(unix::FILE, fd(), p)),
            &|p| text(portable::open(&root, p)),
            #[cfg(target_os = "linux")]
            &|p| text(unix::in_one_call(unix::FILE, &fd(), p).expect("this kernel has openat2")),
            #[cfg(not(target_os = "linux"))]
            &|p| text(open(&root, p)),
        ];
        for way in ways {
            assert_eq!(way("a/b/c").unwrap(), "inside");
            assert!(way("file").is_err());
            assert!(way("folder/b/c").is_err());
            assert!(way("a/none").is_err());
        }
    }

    #[cfg(unix)]
    #[test]
    fn every_way_of_listing_names_what_is_there_and_refuses_links_at_any_depth() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("a/b/d")).unwrap();
        std::fs::write(root.join("a/b/c"), "").unwrap();
        std::os::unix::fs::symlink("c", root.join("a/b/e")).unwrap();
        std::os::unix::fs::symlink("a", root.join("link")).unwrap();
        type Way<'a> = &'a dyn Fn(&str, usize) -> io::Result<Vec<Entry>>;
        let ways: [Way<'_>; 2] =
            [&|folder, limit| list(&root, folder, limit), &|f, l| portable::list(&root, f, l)];
        for way in ways {
            let mut entries = way("a/b", 9).unwrap();
            entries.sort_by(|a, b| a.name.cmp(&b.name));
            let kinds: Vec<_> =
                entries.iter().map(|e| (e.name.to_str().unwrap(), e.kind)).collect();
            let expected =
                [("c", EntryKind::File), ("d", EntryKind::Folder), ("e", EntryKind::Link)];
            assert_eq!(kinds, expected);
            assert_eq!(way("", 9).unwrap().len(), 2);
            assert_eq!(way("a/b", 2).unwrap().len(), 2);
            for no_folder in ["link", "link/b", "a/b/c", "a/none"] {
                assert!(way(no_folder, 9).is_err(), "{no_folder}");
            }
        }
    }
}
