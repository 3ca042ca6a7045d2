//! Opens a file beneath a directory without ever following a symbolic link, whatever happens to the tree meanwhile.
//!
//! The path was resolved before ([`crate::ProjectRoot`]), so a link met here was put there in between: an attack or
//! a race, and refused as such.

use std::{fs::File, io, path::Path};

/// Opens `relative` (`/`-separated, no `.` or `..`) for reading. Never waits for a FIFO's writer.
pub(crate) fn open(root: &Path, relative: &str) -> io::Result<File> {
    #[cfg(unix)]
    return unix::open(root, relative);
    #[cfg(not(unix))]
    return portable::open(root, relative);
}

#[cfg(unix)]
mod unix {
    use std::{fs::File, io, os::fd::OwnedFd, path::Path};

    use rustix::fs::{Mode, OFlags, open as open_path, openat};

    const FILE: OFlags = OFlags::RDONLY
        .union(OFlags::CLOEXEC)
        .union(OFlags::NOFOLLOW)
        .union(OFlags::NONBLOCK)
        .union(OFlags::NOCTTY);
    const DIRECTORY: OFlags =
        OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::NOFOLLOW).union(OFlags::DIRECTORY);

    pub(super) fn open(root: &Path, relative: &str) -> io::Result<File> {
        let root = open_path(root, DIRECTORY, Mode::empty())?;
        #[cfg(target_os = "linux")]
        if let Some(opened) = in_one_call(&root, relative) {
            return opened;
        }
        component_wise(root, relative)
    }

    /// `None` where the kernel (before 5.6) or a sandbox doesn't offer the call.
    #[cfg(target_os = "linux")]
    pub(super) fn in_one_call(root: &OwnedFd, relative: &str) -> Option<io::Result<File>> {
        use rustix::{
            fs::{ResolveFlags, openat2},
            io::Errno,
        };
        let resolve =
            ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS | ResolveFlags::NO_SYMLINKS;
        match openat2(root, relative, FILE, Mode::empty(), resolve) {
            Ok(file) => Some(Ok(file.into())),
            Err(Errno::NOSYS | Errno::PERM | Errno::AGAIN | Errno::INVAL) => None,
            Err(error) => Some(Err(error.into())),
        }
    }

    /// Each step is relative to a directory that is held open, so nobody can swap what was already passed.
    pub(super) fn component_wise(root: OwnedFd, relative: &str) -> io::Result<File> {
        let mut directory = root;
        let mut rest = relative;
        while let Some((name, after)) = rest.split_once('/') {
            directory = openat(&directory, name, DIRECTORY, Mode::empty())?;
            rest = after;
        }
        Ok(openat(&directory, rest, FILE, Mode::empty())?.into())
    }
}

/// Where there is no call relative to an open directory: before a byte is read, what was opened must be the very file
/// that the path names without following a link. This narrows the race to three swaps at the right moments; only
/// the other way closes it.
#[cfg(any(not(unix), test))]
mod portable {
    use std::{
        fs::{File, OpenOptions},
        io,
        path::Path,
    };

    pub(super) fn open(root: &Path, relative: &str) -> io::Result<File> {
        let path = root.join(relative);
        let file = options().open(&path)?;
        let opened = same_file::Handle::from_file(file.try_clone()?)?;
        if path.canonicalize()? != path || same_file::Handle::from_path(&path)? != opened {
            return Err(io::Error::other("a link leads elsewhere"));
        }
        Ok(file)
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

    fn text(file: io::Result<File>) -> io::Result<String> {
        let mut text = String::new();
        file?.read_to_string(&mut text)?;
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
        type Way<'a> = &'a dyn Fn(&str) -> io::Result<File>;
        let ways: [Way<'_>; 4] = [
            &|p| open(&root, p),
            &|p| unix::component_wise(fd(), p),
            &|p| portable::open(&root, p),
            #[cfg(target_os = "linux")]
            &|p| unix::in_one_call(&fd(), p).expect("this kernel has openat2"),
            #[cfg(not(target_os = "linux"))]
            &|p| open(&root, p),
        ];
        for way in ways {
            assert_eq!(text(way("a/b/c")).unwrap(), "inside");
            assert!(way("file").is_err());
            assert!(way("folder/b/c").is_err());
            assert!(way("a/none").is_err());
        }
    }
}
