//! Reads one file: its text, hash, lines, role and code.

use std::{io::Read, path::Path};

use ouro_core::{
    analysis::{Document, FileFacts, FileRole, Import},
    sha256_hex,
};

use super::{
    budget::{Unparsed, Watch},
    code::Code,
    document::Prose,
    extract::extract,
    manifest::{self, BuildFile},
    role::{holds_tests, is_generated, is_minified, language, role},
    walk::{Found, Stamp},
};
use crate::{beneath, languages, redact, secret_files::why_secret, text::decode};

/// What is remembered of one file from scan to scan. What few files have is boxed: there may be very many.
#[derive(Debug)]
pub(super) struct ScannedFile {
    /// Size and time when it was read.
    pub stamp: Stamp,
    /// Facts; module and centrality are not known yet.
    pub facts: FileFacts,
    /// Its code, if there is a grammar for it.
    pub code: Option<Box<Code>>,
    /// What it says as a build file, if it is one.
    pub build: Option<Box<BuildFile>>,
    /// What its prose says, if it is prose.
    pub document: Option<Box<Document>>,
    /// The names of code that a README speaks of.
    pub code_words: Vec<Box<str>>,
    /// Why it was not read or not understood.
    pub skipped: Option<String>,
}

impl ScannedFile {
    /// Changes whenever the file does: its hash, or its size and time if it was not read.
    pub(super) fn identity(&self) -> String {
        if self.facts.content_hash.is_empty() {
            format!("{}@{}", self.stamp.size, self.stamp.modified_ns)
        } else {
            self.facts.content_hash.clone()
        }
    }
}

/// Bytes at the start of a file that are searched for a zero byte, which text never holds.
const BINARY_PROBE: u64 = 8_192;

/// Reads a file; `None` if the scan was cancelled meanwhile.
pub(super) fn read_file(
    root: &Path,
    found: Found,
    max_bytes: u64,
    watch: Watch<'_>,
) -> Option<ScannedFile> {
    if (watch.is_cancelled)() {
        return None;
    }
    let Found { path, stamp } = found;
    let language = language(&path);
    let mut scanned = ScannedFile {
        stamp,
        facts: FileFacts {
            language: if language == "tsx" { "typescript" } else { language }.to_owned(),
            bytes: stamp.size,
            modified_at: stamp.modified_ms(),
            role: role(&path, language),
            path,
            ..FileFacts::default()
        },
        code: None,
        build: None,
        document: None,
        code_words: Vec::new(),
        skipped: None,
    };
    if let Some(why) = why_secret(&scanned.facts.path) {
        scanned.skipped = Some(why);
        return Some(scanned);
    }
    if stamp.size > max_bytes {
        scanned.skipped = Some(format!("larger than {max_bytes} bytes"));
        return Some(scanned);
    }
    let text = match content(root, &scanned.facts.path, max_bytes) {
        Ok(Some(bytes)) => {
            scanned.facts.content_hash = sha256_hex(&bytes);
            decode(bytes)
        }
        Ok(None) => None,
        Err(error) => {
            scanned.skipped = Some(format!("unreadable: {}", error.kind()));
            return Some(scanned);
        }
    };
    let Some(text) = text else {
        scanned.facts.content_hash.clear();
        scanned.skipped = Some("binary".to_owned());
        return Some(scanned);
    };
    // Signatures, documentation and messages are told to models: what the analysis knows must be free of secrets.
    let text = redact(&scanned.facts.path, &text);
    scanned.facts.lines = u32::try_from(text.lines().count()).unwrap_or(u32::MAX);
    understand(&mut scanned, &text, watch)?;
    Some(scanned)
}

/// At most `max_bytes`, even if the file has grown since it was found; `None` if its start shows that it is no text.
fn content(root: &Path, path: &str, max_bytes: u64) -> std::io::Result<Option<Vec<u8>>> {
    let mut file = beneath::open(root, path)?;
    let mut bytes = Vec::new();
    file.by_ref().take(BINARY_PROBE.min(max_bytes)).read_to_end(&mut bytes)?;
    let is_utf16 = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
    if bytes.contains(&0) && !is_utf16 {
        return Ok(None);
    }
    file.take(max_bytes.saturating_sub(BINARY_PROBE)).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

fn understand(scanned: &mut ScannedFile, text: &str, watch: Watch<'_>) -> Option<()> {
    let facts = &mut scanned.facts;
    if matches!(facts.role, FileRole::Source | FileRole::Data) && is_generated(text) {
        facts.role = FileRole::Generated;
    }
    if facts.role == FileRole::Test && !holds_tests(&facts.path, text) {
        facts.role = FileRole::Source;
    }
    if facts.role == FileRole::Documentation {
        scanned.document = Prose::read(&facts.path, text).map(Box::new);
        if !facts.path.contains('/') && facts.path.to_ascii_lowercase().starts_with("readme") {
            scanned.code_words = Prose::code_words(text);
        }
        return Some(());
    }
    scanned.build = manifest::read(&facts.path, text, watch).map(Box::new);
    if let Some(prose) = manifest::description(&facts.path, text) {
        scanned.document = Prose::read(&facts.path, &prose).map(Box::new);
        scanned.code_words = Prose::code_words(&prose);
    }
    let worth_it = !matches!(facts.role, FileRole::Vendored | FileRole::Configuration);
    let Some(grammar) = languages::by_path(&facts.path).filter(|_| worth_it && !is_minified(text))
    else {
        return Some(());
    };
    match extract(grammar, text, watch) {
        Ok(mut code) => {
            facts.doc = code.doc.take();
            facts.imports = imports(&code);
            scanned.code = Some(Box::new(code));
        }
        Err(Unparsed::Cancelled) => return None,
        Err(Unparsed::TooComplex) => {
            scanned.skipped = Some("too complex to parse; its symbols are missing".to_owned())
        }
        Err(Unparsed::TooSlow) => {
            let why = "parsing took too long; its symbols are missing until it changes";
            scanned.skipped = Some(why.to_owned());
        }
    }
    Some(())
}

fn imports(code: &Code) -> Vec<Import> {
    code.bindings
        .iter()
        .map(|binding| {
            let joint = if binding.module.contains("::") || binding.module.starts_with("crate") {
                "::"
            } else {
                "."
            };
            let what = match &binding.name {
                None => binding.module.to_string(),
                Some(name) if binding.module.ends_with('.') => format!("{}{name}", binding.module),
                Some(name) => format!("{}{joint}{name}", binding.module),
            };
            Import { what, line: binding.line }
        })
        .collect()
}
