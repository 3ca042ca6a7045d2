//! What a scan of the project's tree knows, without any model.
//!
//! Lists refer to each other by index: `Symbol::file` is an index into `ProjectAnalysis::files`, and so on.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Text with the place it stands at.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CitedText {
    /// The text, comment marks and indentation removed.
    pub text: String,
    /// First line, from 1.
    pub start_line: u32,
    /// Last line, inclusive.
    pub end_line: u32,
}

/// What a file is for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileRole {
    /// The product's own code.
    #[default]
    Source,
    /// Tests.
    Test,
    /// Examples and demonstrations.
    Example,
    /// Benchmarks.
    Benchmark,
    /// Written by a program.
    Generated,
    /// Somebody else's, copied in.
    Vendored,
    /// Prose.
    Documentation,
    /// Settings and build files.
    Configuration,
    /// Anything else.
    Data,
}

/// Names another file or package that a file uses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    /// As written, without the keyword.
    pub what: String,
    /// The line, from 1.
    pub line: u32,
}

/// The path of a file that only declares what the code of another holds, without its ending: `lib/index` of
/// `lib/index.d.ts`. `None` for any other file.
pub fn declaration_stem(path: &str) -> Option<&str> {
    [".d.ts", ".d.mts", ".d.cts", ".pyi"].iter().find_map(|end| path.strip_suffix(end))
}

/// One file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct FileFacts {
    /// Relative to the root, `/`-separated.
    pub path: String,
    /// `rust`, `java`, `kotlin`, `python`, `typescript`, `javascript`, `go`, another lower-case name, or empty.
    pub language: String,
    /// Size.
    pub bytes: u64,
    /// When it was last written, epoch milliseconds.
    pub modified_at: i64,
    /// Lines.
    pub lines: u32,
    /// SHA-256 of the content, hex; empty for files that were not read (too large, binary).
    pub content_hash: String,
    /// What it is for.
    pub role: FileRole,
    /// Index into the modules.
    pub module: usize,
    /// The file's own documentation (`//!`, a module docstring, a leading block comment that is no licence).
    pub doc: Option<CitedText>,
    /// What it imports.
    pub imports: Vec<Import>,
    /// Share of all references that lead here, 0..1 (PageRank over files).
    pub centrality: f32,
}

/// What a symbol is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SymbolKind {
    /// A free function.
    Function,
    /// A function of a type.
    Method,
    /// A class.
    Class,
    /// A struct, record or data class.
    Struct,
    /// An enumeration.
    Enum,
    /// A trait, protocol or interface.
    Interface,
    /// A type alias.
    TypeAlias,
    /// A constant or static.
    Constant,
    /// A macro.
    Macro,
}

/// A field, variant or constant of a type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// The line, from 1.
    pub line: u32,
    /// Its documentation.
    pub doc: Option<CitedText>,
    /// Whether whoever sees the type sees it too.
    #[serde(default)]
    pub exported: bool,
}

/// What holds where a place in a body is reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Condition {
    /// What it is.
    pub kind: ConditionKind,
    /// The condition, or the type of the failure that was caught, on one line.
    pub text: String,
    /// The line it stands on, from 1.
    pub line: u32,
    /// The line of what a case is compared with, where the text begins with that.
    #[serde(default)]
    pub subject_line: Option<u32>,
}

/// What a [`Condition`] says of its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConditionKind {
    /// It holds.
    Holds,
    /// It doesn't hold.
    Fails,
    /// A failure of this type was caught.
    Caught,
    /// It held when this round of a loop began, whatever came of it since.
    Repeats,
}

/// How a place inside a function is reached.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reached {
    /// Grows in the order of evaluation among the calls of one function: the byte its whole call ends at.
    pub order: u32,
    /// Whether it stands in a function inside the function, which runs when that is called, if ever.
    pub is_deferred: bool,
    /// Whether the function itself may catch what fails there, without failing with it again.
    #[serde(default)]
    pub is_caught: bool,
    /// Every condition around the place, the outermost first; `None` if one of them can't be told.
    pub conditions: Option<Vec<Condition>>,
    /// Where not every condition can be told, those that can, the outermost first.
    #[serde(default)]
    pub known: Vec<Condition>,
}

/// A place where a function fails on purpose: `throw`, `raise`, `return Err(...)`, `panic!`, `errors.New`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailureSite {
    /// The line, from 1.
    pub line: u32,
    /// What is thrown or returned: the type's or function's name, for example `ValueError` or `Error::NotFound`.
    pub what: String,
    /// The message, if it is a literal, and the lines it stands on: they may be others than the failure's.
    pub message: Option<CitedText>,
    /// Under which conditions.
    #[serde(default)]
    pub reached: Reached,
    /// The function that is called here to check something and fails in its stead, if there is one.
    #[serde(default)]
    pub check: Option<String>,
}

/// A place where a function returns under some condition, without failing: what comes after it is reached only otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExitSite {
    /// The line, from 1.
    pub line: u32,
    /// Under which conditions.
    pub reached: Reached,
}

/// A declaration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Symbol {
    /// Its name.
    pub name: String,
    /// The type, trait or namespace it belongs to.
    pub container: Option<String>,
    /// What it is.
    pub kind: SymbolKind,
    /// Index into the files.
    pub file: usize,
    /// The line of its name, from 1.
    pub line: u32,
    /// First line of the declaration, attributes and comments left out.
    pub start_line: u32,
    /// Last line of its body.
    pub end_line: u32,
    /// The declaration without its body, on one line, at most 300 characters.
    pub signature: String,
    /// Its documentation.
    pub doc: Option<CitedText>,
    /// Whether other packages or files can see it. What a crate marks as `pub` is exported only where others can reach it.
    pub exported: bool,
    /// Whether it is test code (a test function, or anything in a test file or module).
    pub is_test: bool,
    /// Fields, variants, constants.
    pub members: Vec<Member>,
    /// Where it fails on purpose.
    pub failures: Vec<FailureSite>,
    /// Where it returns early, in the order of its lines.
    #[serde(default)]
    pub exits: Vec<ExitSite>,
    /// What it says, if it is an error that was made before anything failed: `var ErrFull = errors.New("...")`.
    #[serde(default)]
    pub says: Option<CitedText>,
    /// How central it is, 0..1 (references from other files, weighted by those files).
    pub centrality: f32,
}

/// How one place uses a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReferenceKind {
    /// Calls or constructs it.
    Call,
    /// Inherits from or implements it.
    Extends,
    /// Imports it.
    Import,
    /// Names it as a type or value.
    Use,
}

/// One place uses one symbol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    /// Index into the files.
    pub from_file: usize,
    /// The symbol whose body holds the place: index into the symbols.
    pub from_symbol: Option<usize>,
    /// Index into the symbols.
    pub to: usize,
    /// The line, from 1.
    pub line: u32,
    /// How.
    pub kind: ReferenceKind,
    /// When, within the body that holds it; said of calls alone.
    #[serde(default)]
    pub reached: Reached,
}

/// One place calls what another package offers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutsideCall {
    /// The symbol whose body holds the place: index into the symbols.
    pub from_symbol: usize,
    /// The package or module, as the file imports it.
    pub package: String,
    /// What is called.
    pub name: String,
    /// The line, from 1.
    pub line: u32,
    /// When, within the body that holds it.
    #[serde(default)]
    pub reached: Reached,
}

/// A folder with code.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Module {
    /// Relative to the root, `/`-separated; empty for the root itself.
    pub path: String,
    /// Its documentation and the file it stands in: a `README`, `package-info.java`, `__init__.py`, `mod.rs`, `lib.rs`, `doc.go`.
    pub doc: Option<(String, CitedText)>,
    /// Indexes into the files.
    pub files: Vec<usize>,
    /// Sum of its files' centrality.
    pub centrality: f32,
}

/// Where a program or library is entered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntryPoint {
    /// `binary`, `library`, `script`, `main`, `plugin`.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// The file, relative to the root.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
    /// What whoever imports the library as a whole gets: index into the symbols.
    #[serde(default)]
    pub exports: Option<usize>,
}

/// A package this project asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dependency {
    /// Its name.
    pub name: String,
    /// The version asked for, as written.
    pub version: String,
    /// The line, from 1.
    pub line: u32,
    /// Only for tests or the build.
    pub development: bool,
}

/// A build file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Relative to the root.
    pub path: String,
    /// `cargo`, `maven`, `gradle`, `npm`, `python`, `go`.
    pub build_system: String,
    /// The package's name and its line.
    pub name: Option<CitedText>,
    /// The package's version and its line.
    pub version: Option<CitedText>,
    /// The package's description and its line.
    pub description: Option<CitedText>,
    /// What it asks for.
    pub dependencies: Vec<Dependency>,
}

/// A prose file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    /// Relative to the root.
    pub path: String,
    /// Its title and line.
    pub title: Option<CitedText>,
    /// Its first paragraph of real prose (no badges, no HTML, no lists).
    pub introduction: Option<CitedText>,
    /// Its headings, in their order.
    pub headings: Vec<Heading>,
    /// What its examples call, each name once, in their order.
    #[serde(default)]
    pub calls: Vec<String>,
}

/// A heading of a prose file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heading {
    /// Without marks, images and link targets.
    pub text: String,
    /// The line it stands on, from 1.
    pub line: u32,
    /// How deep it stands: 1 for a title.
    pub level: u8,
    /// About how many sentences, telling list items and blocks of code stand between it and the next heading.
    pub content: u32,
}

/// How much of one language there is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LanguageShare {
    /// As in [`FileFacts::language`].
    pub language: String,
    /// Files.
    pub files: u32,
    /// Lines.
    pub lines: u64,
}

/// The files and folders that were left out for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// Why, in a few words.
    pub why: String,
    /// How many; what is in a folder that was left out isn't counted.
    pub count: u64,
    /// The first of them by path, relative to the root; at most ten.
    pub examples: Vec<String>,
}

/// Everything a scan found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ProjectAnalysis {
    /// The canonical root.
    pub root: PathBuf,
    /// The project's name: from its manifest, else the folder.
    pub name: String,
    /// When, epoch milliseconds.
    pub scanned_at: i64,
    /// Changes whenever a file is added, removed or changed (SHA-256, hex).
    pub fingerprint: String,
    /// Files, sorted by path.
    pub files: Vec<FileFacts>,
    /// Folders with code, sorted by path.
    pub modules: Vec<Module>,
    /// Declarations, by file and line.
    pub symbols: Vec<Symbol>,
    /// Who uses what.
    pub references: Vec<Reference>,
    /// Who calls what of other packages, by file and line.
    #[serde(default)]
    pub outside: Vec<OutsideCall>,
    /// Names by which other packages know what is declared under another one, and its index in the symbols: `Mill`
    /// for `pub use works::Works as Mill`. By name.
    #[serde(default)]
    pub aliases: Vec<(String, usize)>,
    /// Build files, the one nearest the root first.
    pub manifests: Vec<Manifest>,
    /// Prose, the README first.
    pub documents: Vec<Document>,
    /// Where it is entered.
    pub entry_points: Vec<EntryPoint>,
    /// Code languages, the largest first.
    pub languages: Vec<LanguageShare>,
    /// What was left out, by reason, the most frequent first.
    pub left_out: Vec<LeftOut>,
}

impl ProjectAnalysis {
    /// How many files and folders were left out, for whatever reason.
    pub fn left_out_count(&self) -> u64 {
        self.left_out.iter().map(|reason| reason.count).sum()
    }

    /// The facts of the file at this path.
    pub fn file(&self, path: &str) -> Option<&FileFacts> {
        let index = self.files.binary_search_by(|f| f.path.as_str().cmp(path)).ok()?;
        self.files.get(index)
    }

    /// The file a symbol is declared in.
    pub fn file_of(&self, symbol: &Symbol) -> Option<&FileFacts> {
        self.files.get(symbol.file)
    }

    /// Lines of code in known languages.
    pub fn code_lines(&self) -> u64 {
        self.languages.iter().map(|l| l.lines).sum()
    }
}
