//! The content of a project's file, read once, within limits.

use std::io::Read;

use ouro_core::Result;

use crate::{
    ProjectRoot, beneath,
    confine::{Located, refused},
    redact, text,
};

/// Largest file whose content is shown or searched.
pub(crate) const MAX_BYTES: u64 = 1_024 * 1_024;
/// How much of a larger file is looked at.
const HEAD_BYTES: u64 = 16 * 1_024;

/// Text as it is on the disk. Nothing of it may leave this crate but through [`RawText::redacted`].
pub(crate) struct RawText {
    path: String,
    text: String,
}

impl RawText {
    /// The text with every secret replaced; the same number of lines.
    pub(crate) fn redacted(self) -> String {
        redact(&self.path, &self.text).into_owned()
    }

    /// How many lines there are.
    pub(crate) fn lines(&self) -> usize {
        self.text.lines().count()
    }

    /// For a test that lets nothing of the text out, such as whether a search is worth the redaction.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.text.as_bytes()
    }
}

/// What a file holds.
pub(crate) enum Content {
    /// All of it.
    Text(RawText),
    /// The first lines of a text of more than [`MAX_BYTES`].
    Large(RawText),
    /// No text.
    Binary,
}

/// A file that was read.
pub(crate) struct ProjectFile {
    /// Relative to the root, without links.
    pub(crate) path: String,
    pub(crate) bytes: u64,
    pub(crate) content: Content,
}

impl ProjectRoot {
    /// Reads the file that a path from outside names.
    ///
    /// # Errors
    /// Those of [`ProjectRoot::locate`], and `Refused` for what is no ordinary file.
    pub(crate) fn read(&self, given: &str) -> Result<ProjectFile> {
        let Located { path, metadata } = self.locate(given)?;
        if metadata.is_dir() {
            return Err(refused(given, "it is a folder; find_file lists what is in it"));
        }
        // Before it is opened: opening some devices does something.
        check_ordinary(&metadata, given)?;
        self.read_located(path).map_err(|e| match e {
            ReadError::NotOrdinary => not_ordinary(given),
            ReadError::Io(error) => self.unreachable(given, &error),
        })
    }

    /// Reads a file that the walk found. `None` for one that can't be read.
    pub(crate) fn read_walked(&self, path: &str) -> Option<ProjectFile> {
        self.read_located(path.to_owned()).ok()
    }

    fn read_located(&self, path: String) -> Result<ProjectFile, ReadError> {
        let file = beneath::open(self.path(), &path)?;
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(ReadError::NotOrdinary);
        }
        let is_large = metadata.len() > MAX_BYTES;
        let limit = if is_large { HEAD_BYTES } else { MAX_BYTES };
        let mut bytes = Vec::with_capacity(usize::try_from(metadata.len().min(limit)).unwrap_or(0));
        // A file may grow, and some say that they are empty and never end.
        (&file).take(limit).read_to_end(&mut bytes)?;
        let length = metadata.len().max(bytes.len() as u64);
        let cut = length > bytes.len() as u64;
        if cut {
            drop_broken_end(&mut bytes);
        }
        let content = match text::decode(bytes) {
            None => Content::Binary,
            Some(text) if cut => Content::Large(RawText { path: path.clone(), text }),
            Some(text) => Content::Text(RawText { path: path.clone(), text }),
        };
        Ok(ProjectFile { path, bytes: length, content })
    }
}

enum ReadError {
    NotOrdinary,
    Io(std::io::Error),
}

impl From<std::io::Error> for ReadError {
    fn from(error: std::io::Error) -> Self {
        Self::Io(error)
    }
}

fn check_ordinary(metadata: &std::fs::Metadata, given: &str) -> Result<()> {
    if metadata.is_file() { Ok(()) } else { Err(not_ordinary(given)) }
}

fn not_ordinary(given: &str) -> ouro_core::Error {
    refused(given, "it is a device, pipe or socket, not an ordinary file")
}

/// Cuts back to the last line end, so that no half character or half line is taken for the whole.
fn drop_broken_end(bytes: &mut Vec<u8>) {
    if let Some(end) = bytes.iter().rposition(|&b| b == b'\n') {
        bytes.truncate(end + 1);
    }
}
