//! Records of types: what can be set, variants, forms of a method, who implements an interface, types made of others.

use ouro_core::{Language, LearningRecord};

use crate::stage::Stage;

async fn records(files: &[(&str, &str)]) -> Vec<LearningRecord> {
    Stage::of(files).learn(40, Language::English).await
}

/// The answer about a subject.
fn about<'r>(records: &'r [LearningRecord], subject: &str) -> &'r str {
    let found = records.iter().find(|r| r.topic.as_ref().unwrap().subject.starts_with(subject));
    found.map_or_else(|| panic!("no record about {subject}: {records:#?}"), |r| &r.answer)
}

#[tokio::test]
async fn settings_are_what_can_be_seen_with_what_stands_below_it() {
    let code = "\"\"\"Prints tickets.\"\"\"\n\n\nclass Printer:\n    \"\"\"Prints tickets for trains.\"\"\"\n\n    def run(self):\n        \"\"\"Print one ticket.\"\"\"\n        return PrinterOptions()\n\n    \
                def halt(self):\n        \"\"\"Halt at once.\"\"\"\n        return 2\n\n\nclass PrinterOptions:\n    \"\"\"How tickets are printed.\"\"\"\n\n    \
                width: int\n    \"\"\"Width of a ticket in letters.\"\"\"\n    colour: str = \"red\"\n    \"\"\"Colour of the ink that is used.\"\"\"\n    \
                _cache: int = 0\n    \"\"\"Kept for the next ticket only.\"\"\"\n    copies: int = 1\n    \"\"\"How many copies are printed.\"\"\"\n    edge: int = 1\n    \"\"\"How wide the edge is.\"\"\"\n\n    \
                def copy(self) -> \"PrinterOptions\":\n        \"\"\"Return a copy of the options.\"\"\"\n        return self\n";
    let manifest = "[project]\nname = \"printer\"\nversion = \"1.0.0\"\n";
    let told = records(&[("pyproject.toml", manifest), ("src/printer.py", code)]).await;
    let answer = about(&told, "options:");
    assert!(answer.contains("`width`: Width of a ticket in letters"), "{answer}");
    assert!(!answer.contains("`copy`") && !answer.contains("_cache"), "{answer}");
}

#[tokio::test]
async fn a_form_of_a_method_is_told_with_its_parameters() {
    let code = "package a;\n\n/** Reads tables of any kind. */\npublic class TableReader {\n    /** Opens the table in a file. */\n    public static TableReader openTable(final File file) {\n        \
                return new TableReader();\n    }\n\n    /** Opens the table that a text holds. */\n    public static TableReader openTable(String text) {\n        return new TableReader();\n    }\n\n    \
                /** Counts the rows of the table. */\n    public int countRows() {\n        return 1;\n    }\n}\n";
    let told = records(&[("src/a/TableReader.java", code)]).await;
    let all: String = told.iter().map(|r| r.answer.as_str()).collect();
    assert!(all.contains("`openTable(File file)`: Opens the table in a file"), "{all}");
    assert!(all.contains("`countRows`: "), "{all}");
}

#[tokio::test]
async fn an_enum_is_told_by_its_variants() {
    let code = "//! Lights of a street.\n\n/// What a light shows.\npub enum Light {\n    /// Everybody has to wait here.\n    Red,\n    /// Everybody may go on now.\n    Green,\n}\n\n\
                impl Light {\n    /// Returns the light that comes next.\n    pub fn next_light(self) -> u8 {\n        1\n    }\n\n    /// Returns how long it shines.\n    pub fn shines(self) -> u8 {\n        2\n    }\n}\n\n\
                /// Counts the lights.\npub fn count(lights: &[Light]) -> usize {\n    lights.len()\n}\n";
    let manifest = "[package]\nname = \"street\"\nversion = \"1.0.0\"\n";
    let told = records(&[
        ("Cargo.toml", manifest),
        ("src/lib.rs", code),
        ("src/a.rs", ""),
        ("src/b.rs", ""),
    ])
    .await;
    let answer = about(&told, "symbol:src/lib.rs#Light");
    assert!(answer.contains("- `Red`: Everybody has to wait here"), "{answer}");
    assert!(answer.contains("- `next_light`: "), "{answer}");
}

const GO: [(&str, &str); 4] = [
    ("go.mod", "module example.com/badge\n\ngo 1.22\n"),
    (
        "badge.go",
        "// Package badge makes badges.\npackage badge\n\n// A Badge is a number of sixteen bytes.\ntype Badge [16]byte\n\n\
         // Letters returns the badge in letters.\nfunc (b Badge) Letters() string {\n\treturn \"x\"\n}\n\n// Serial returns the number of the badge.\nfunc (b Badge) Serial() int {\n\treturn 1\n}\n\n\
         // Name is another name of a text.\ntype Name = string\n",
    ),
    (
        "desk.go",
        "package badge\n\n// A Desk hands out badges.\ntype Desk interface {\n\t// Hand hands out a badge.\n\tHand(name string) (Badge, error)\n\t// Take takes a badge back.\n\tTake(b Badge) error\n}\n",
    ),
    (
        "desks.go",
        "package badge\n\n// Front is the desk at the door.\ntype Front struct{}\n\nfunc (f *Front) Hand(n string) (Badge, error) { return Badge{}, nil }\n\nfunc (f *Front) Take(b Badge) error { return nil }\n\n\
         // Back is the desk in the yard.\ntype Back struct{}\n\nfunc (b Back) Hand(n string) (Badge, error) { return Badge{}, nil }\n\nfunc (b Back) Take(c Badge) error { return nil }\n\n\
         // Bin takes badges only.\ntype Bin struct{}\n\nfunc (b Bin) Take(c Badge) error { return nil }\n",
    ),
];

#[tokio::test]
async fn a_go_type_made_of_another_has_a_record_with_its_functions() {
    let told = records(&GO).await;
    let answer = about(&told, "symbol:badge.go#Badge");
    assert!(answer.contains("- `Letters`") && answer.contains("- `Serial`"), "{answer}");
    assert!(about(&told, "overview").contains("the type `Badge` (`badge.go:5`)"), "{told:#?}");
}

#[tokio::test]
async fn a_go_interface_is_implemented_by_what_has_its_functions() {
    let told = records(&GO).await;
    let answer = about(&told, "extension:desk.go#Desk");
    assert!(answer.contains("- `Front`") && answer.contains("- `Back`"), "{answer}");
    assert!(!answer.contains("`Bin`"), "{answer}");
    assert!(answer.contains("ll of its methods"), "{answer}");
}

#[tokio::test]
async fn an_object_that_is_handed_to_a_constructor_makes_no_member_of_what_comes_back() {
    let code = "import { Parser } from './parser.js'\n\n/** Reads what was typed. */\nconst parser = new Parser({\n  load: () => {\n    throw new Error('nothing can be loaded in a browser')\n  },\n  \
                find: () => {\n    return 2\n  },\n  take: () => {\n    return 3\n  }\n})\n\nexport default parser\n";
    let class = "/** Parses what was typed. */\nexport class Parser {\n  /** Takes the helpers it needs. */\n  constructor(helpers) {\n    this.helpers = helpers\n  }\n\n  /** Parses one word of it. */\n  parseWord(word) {\n    return word\n  }\n}\n";
    let told = records(&[
        (
            "package.json",
            "{\"name\": \"typed\", \"version\": \"1.0.0\", \"main\": \"parser.js\"}\n",
        ),
        ("parser.js", class),
        ("browser.js", code),
    ])
    .await;
    let all: String = told.iter().map(|r| r.answer.as_str()).collect();
    assert!(!all.contains("parser.load") && !all.contains("- `load`"), "{all}");
}

#[tokio::test]
async fn a_declaration_in_a_folder_of_its_own_and_its_code_have_one_record() {
    let class = "/** Rings a bell. */\nexport class Bell {\n  /** Rings it once. */\n  ringOnce(loud) {\n    return loud\n  }\n\n  /** Rings it twice. */\n  ringTwice(loud) {\n    return loud\n  }\n}\n";
    let declared = "/** A bell that can be rung. */\nexport class Bell {\n  /** Rings the bell one time. */\n  ringOnce(loud: boolean): void;\n  /** Rings the bell two times. */\n  ringTwice(loud: boolean): void;\n}\n";
    let told = records(&[
        (
            "package.json",
            "{\"name\": \"tower\", \"version\": \"1.0.0\", \"main\": \"lib/bell.js\"}\n",
        ),
        ("lib/bell.js", class),
        ("typings/index.d.ts", declared),
    ])
    .await;
    let bells = told.iter().filter(|r| {
        let subject = &r.topic.as_ref().unwrap().subject;
        subject.starts_with("symbol:") && subject.ends_with("#Bell")
    });
    assert_eq!(bells.count(), 1, "{told:#?}");
}

#[tokio::test]
async fn the_file_of_functions_tells_what_others_can_call() {
    let file = |name: &str| {
        format!(
            "package {0}\n\n// Open{1} opens the {0}.\nfunc Open{1}(n int) int {{\n\tn++\n\treturn n\n}}\n\n// Shut{1} shuts the {0}.\nfunc Shut{1}(n int) int {{\n\tn--\n\treturn n\n}}\n\n// oil{1} keeps the {0} from squeaking.\nfunc oil{1}(n int) int {{\n\tn = 0\n\treturn n\n}}\n",
            "house", name
        )
    };
    let files =
        ["Door", "Gate", "Lid", "Hatch"].map(|n| (format!("{}.go", n.to_lowercase()), file(n)));
    let mut all: Vec<(&str, &str)> = vec![("go.mod", "module example.com/house\n\ngo 1.22\n")];
    all.extend(files.iter().map(|(path, text)| (path.as_str(), text.as_str())));
    let told = records(&all).await;
    let answer = about(&told, "module:");
    assert!(answer.contains("`Open") && !answer.contains("`oil"), "{answer}");
}

#[tokio::test]
async fn what_an_entry_makes_for_its_users_comes_before_what_the_code_uses_most() {
    let page = "/** Lays out text on a page. */\nclass Page {\n  /** Puts a line on the page. */\n  putLine(line) {\n    return line\n  }\n\n  /** Turns to the next page. */\n  turnOver(much) {\n    return much\n  }\n\n  /** Marks a line of the page. */\n  markLine(line) {\n    return line\n  }\n}\n\nexports.Page = Page\n";
    let user = "const { Page } = require('./page.js')\n\n/** Prints one page. */\nexports.printOne = (at) => new Page(at).markLine(at)\n\n/** Prints two pages. */\nexports.printTwo = (at) => new Page(at).putLine(at)\n";
    let book = "const { Page } = require('./page.js')\n\n/** A book with pages. */\nclass Book {\n  /** Opens the book. */\n  openBook(at) {\n    return new Page(at)\n  }\n\n  /** Shuts the book. */\n  shutBook(at) {\n    return new Page(at).turnOver(at)\n  }\n}\n\nexports.Book = Book\n";
    let entry = "const { Book } = require('./lib/book.js')\nconst { Page } = require('./lib/page.js')\n\nexports.Page = Page\nexports.Book = Book\nexports.book = new Book()\nexports.createBook = (name) => new Book(name)\n";
    let told = records(&[
        (
            "package.json",
            "{\"name\": \"shelves\", \"version\": \"1.0.0\", \"main\": \"index.js\"}\n",
        ),
        ("index.js", entry),
        ("lib/book.js", book),
        ("lib/page.js", page),
        ("lib/print.js", user),
        ("lib/press.js", user),
    ])
    .await;
    assert!(about(&told, "overview").contains("the class `Book`"), "{told:#?}");
    let mut subjects = told.iter().map(|r| r.topic.as_ref().unwrap().subject.as_str());
    let first = subjects.find(|s| s.starts_with("symbol:"));
    assert_eq!(first, Some("symbol:lib/book.js#Book"));
}

#[tokio::test]
async fn forms_that_are_documented_each_by_itself_are_told_apart() {
    let declared = "/** Runs what was asked for. */\nexport class Runner {\n  /** Run a command by its name. */\n  runIt(name: string): void;\n  /** Run a command with its options. */\n  runIt(name: string, options: object): void;\n  /** Halt at once. */\n  haltIt(): void;\n}\n";
    let told = records(&[
        ("package.json", "{\"name\": \"runner\", \"version\": \"1.0.0\"}\n"),
        ("index.d.ts", declared),
    ])
    .await;
    let all: String = told.iter().map(|r| r.answer.as_str()).collect();
    assert!(all.contains("`runIt(name: string)`: Run a command by its name"), "{all}");
}

#[tokio::test]
async fn fields_without_a_word_are_told_by_their_code_and_who_names_the_type() {
    let code = "// Package sluice lets water through.\npackage sluice\n\n// Gate is one door of a sluice.\ntype Gate struct {\n\tName  string // as painted on it\n\tWidth int\n}\n\n// Gates are all doors of a sluice.\ntype Gates []Gate\n";
    let told = records(&[
        ("go.mod", "module sluice\n"),
        ("sluice.go", code),
        ("b.go", "package sluice\n"),
    ])
    .await;
    let answer = about(&told, "symbol:sluice.go#Gate");
    assert!(answer.contains("`Width int` (`sluice.go:7`)"), "{answer}");
    assert!(answer.contains("`type Gates []Gate`"), "{answer}");
}

#[tokio::test]
async fn functions_that_are_set_on_an_object_are_told_with_it() {
    let code = "let Picture = (exports.Picture = function (options) {\n  this.width = options.width;\n});\n\nPicture.prototype.pack = function () {\n  return this.width;\n};\n\nPicture.prototype.parse = function (data, callback) {\n  if (!data) {\n    throw new Error('no data');\n  }\n  return this;\n};\n\nPicture.prototype._close = function () {\n  return this;\n};\n";
    let package = "{\"name\": \"picture\", \"version\": \"1.0.0\", \"main\": \"picture.js\"}\n";
    let files = [("package.json", package), ("picture.js", code)];
    let answer = about(&records(&files).await, "symbol:picture.js#Picture").to_owned();
    assert!(
        answer.contains("- `Picture.prototype.pack = function ()` (`picture.js:5`)"),
        "{answer}"
    );
    assert!(answer.contains("parse = function (data, callback)"), "{answer}");
    assert!(!answer.contains("_close"), "{answer}");
}

#[tokio::test]
async fn who_fits_an_interface_is_shown_by_a_method() {
    let told = records(&GO).await;
    let all: String = told.iter().map(|r| r.answer.as_str()).collect();
    assert!(all.contains("; see its `Hand` (`"), "{all}");
}

#[tokio::test]
async fn code_without_a_word_is_told_by_its_declarations() {
    let code = "export default class Mill {\n  grind(corn) {\n    return corn\n  }\n\n  halt() {\n    return 1\n  }\n}\n";
    let types = "/** A mill with two stones. */\nexport default class Mill {\n  /** Grinds the corn that it is given. */\n  grind(corn: string): string\n\n  /** Halts the stones at once. */\n  halt(): void\n}\n";
    let manifest = "{\"name\": \"mill\", \"version\": \"1.0.0\", \"main\": \"index.js\"}\n";
    let told =
        records(&[("package.json", manifest), ("index.js", code), ("index.d.ts", types)]).await;
    let answer = about(&told, "symbol:index.d.ts#Mill");
    assert!(answer.contains("- `halt`: Halts the stones at once"), "{answer}");
    assert!(!told.iter().any(|r| r.topic.as_ref().unwrap().subject == "symbol:index.js#Mill"));
}

#[tokio::test]
async fn what_makes_a_type_of_go_gives_it_back_and_lies_beside_it() {
    let lock = "// Package lock keeps doors shut.\npackage lock\n\n// Lock keeps one door shut.\ntype Lock struct {\n\tname string\n}\n\n// New puts a lock on a door.\nfunc New(name string) (*Lock, error) {\n\treturn &Lock{name}, nil\n}\n\n\
                // Next returns the name of the lock behind.\nfunc (l *Lock) Next() string {\n\treturn l.name\n}\n\n// Oil makes the lock turn with ease.\nfunc (l *Lock) Oil() string {\n\treturn l.name\n}\n";
    let remote = "// Package remote turns locks from afar.\npackage remote\n\nimport \"lock\"\n\n// NewLock lets a lock be turned from afar.\nfunc NewLock(l *lock.Lock) *Handle {\n\treturn &Handle{l.Next()}\n}\n\n// Handle is what one holds.\ntype Handle struct {\n\tname string\n}\n";
    let told =
        records(&[("go.mod", "module lock\n"), ("lock.go", lock), ("remote/remote.go", remote)])
            .await;
    let answer = about(&told, "symbol:lock.go#Lock");
    assert!(answer.contains("To make a `Lock` there is `New` ("), "{answer}");
    assert!(!answer.contains("`NewLock` (“"), "{answer}");
    let all: String = told.iter().map(|r| r.answer.as_str()).collect();
    assert!(all.contains("eturns the name of the lock behind"), "{all}");
}

#[tokio::test]
async fn what_is_said_of_a_form_that_cant_be_named_is_not_said_of_all() {
    let long = "'the first of very many that nobody could ever read in a single line'";
    let declared = format!(
        "/** Runs what was asked for. */\nexport class Runner {{\n  /** Wait for the first of them. */\n  waitFor<T>(name: {long}, then: T): void;\n  /** Wait for all of them. */\n  waitFor<T>(then: T): void;\n  /** Halt at once. */\n  haltIt(): void;\n}}\n"
    );
    let told = records(&[
        ("package.json", "{\"name\": \"runner\", \"version\": \"1.0.0\"}\n"),
        ("index.d.ts", &declared),
    ])
    .await;
    let all: String = told.iter().map(|r| r.answer.as_str()).collect();
    assert!(all.contains("Halt at once"), "{all}");
    assert!(!all.contains("`waitFor`: Wait"), "{all}");
}

#[tokio::test]
async fn what_only_holds_constants_is_no_beginning_though_it_bears_the_name() {
    let holder =
        "package ferry\n\n/** Versions. */\nobject Ferry {\n  const val VERSION = \"1\"\n}\n";
    let client = "package ferry\n\n/** Carries people over the water. */\nclass FerryBoat {\n  /** Takes people on board. */\n  fun board(n: Int): Int {\n    return n\n  }\n\n  /** Carries them over. */\n  fun cross(n: Int): Int {\n    return n\n  }\n}\n";
    let told = records(&[
        ("settings.gradle.kts", "rootProject.name = \"ferry\"\n"),
        ("src/main/kotlin/ferry/Ferry.kt", holder),
        ("src/main/kotlin/ferry/FerryBoat.kt", client),
    ])
    .await;
    let answer = about(&told, "overview");
    assert!(answer.contains("Begin reading with the class `FerryBoat`"), "{answer}");
}

#[tokio::test]
async fn errors_made_in_advance_are_told_with_their_words() {
    let errors = "package pool\n\nimport \"errors\"\n\nvar (\n\t// ErrFull is returned when no more connections fit.\n\tErrFull = errors.New(\"pool is full\")\n\tErrGone = errors.New(\"connection is gone\")\n)\n";
    let pool = "package pool\n\n// Pool keeps connections.\ntype Pool struct{ held int }\n\n// Put puts one in.\nfunc (p *Pool) Put(n int) error {\n\tif n > 9 {\n\t\treturn ErrFull\n\t}\n\tif n < 0 {\n\t\treturn ErrGone\n\t}\n\treturn nil\n}\n";
    let tool = "package main\n\nimport \"errors\"\n\nvar ErrUsage = errors.New(\"wrong use of it\")\n\nfunc main() {}\n";
    let files = [
        ("go.mod", "module example.com/pool\n"),
        ("errors.go", errors),
        ("pool.go", pool),
        ("cmd/tool/main.go", tool),
    ];
    let records = Stage::of(&files).learn(40, Language::English).await;
    let is_errors = |r: &&LearningRecord| r.topic.as_ref().is_some_and(|t| t.subject == "errors");
    let answer = &records.iter().find(is_errors).expect("errors").answer;
    let full = "- `ErrFull`: returned when no more connections fit (`errors.go:6-7`)";
    assert!(answer.contains(full), "{answer}");
    assert!(answer.contains("- `ErrGone`: “connection is gone” (`errors.go:8`)"), "{answer}");
    assert!(!answer.contains("ErrUsage"), "{answer}");
    // What fails with one in another file says so.
    let all = records.iter().map(|r| r.answer.as_str()).collect::<String>();
    assert!(all.contains("returns `ErrGone` when `n < 0`, saying “connection is gone”"), "{all}");
    assert!(
        (all.contains("beside the library") || all.contains("Beside the library"))
            && !all.contains("started through"),
        "{all}"
    );
}

#[tokio::test]
async fn the_kinds_of_an_error_are_told_by_the_function_that_tells_them() {
    let code = "//! Reads letters.\n\n/// All letters of a year, by their day.\npub struct Letters { year: u32 }\n\nimpl Letters {\n    /// Those of a year.\n    pub fn new(year: u32) -> Self { Self { year } }\n    /// Whether there is one for this day.\n    pub fn has(&self, day: u32) -> bool { day > 0 }\n}\n\n/// Why a letter could not be read.\npub struct ReadError { kind: Kind }\n\nimpl ReadError {\n    /// Which kind it is.\n    pub fn kind(&self) -> Kind { self.kind }\n}\n\n\
                /// What went wrong.\npub enum Kind {\n    /// The paper is wet through.\n    Wet,\n    /// The ink has faded away.\n    Faded,\n}\n\n\
                /// Reads a letter.\npub fn read(text: &str) -> Result<(), ReadError> {\n    if text.is_empty() {\n        return Err(ReadError { kind: Kind::Wet });\n    }\n    if text == \"x\" {\n        return Err(ReadError::new(\"it is all gone\"));\n    }\n    if text == \"y\" {\n        panic!(\"no letter is so short\");\n    }\n    Ok(())\n}\n";
    let files = [
        ("Cargo.toml", "[package]\nname = \"letters\"\nversion = \"1.0.0\"\n"),
        ("src/lib.rs", code),
    ];
    let records = Stage::of(&files).learn(40, Language::English).await;
    let all = records.iter().map(|r| r.answer.as_str()).collect::<Vec<_>>().join("\n\n");
    let code_line = |line: u32| code.lines().nth(line as usize - 1).unwrap_or_default();
    let error = records.iter().find(|r| r.answer.contains("`ReadError::kind` ")).expect(&all);
    assert!(error.answer.contains("- `Wet`: The paper is wet through"), "{all}");
    assert!(
        error
            .source_files
            .iter()
            .any(|s| s.start_line.is_some_and(|line| code_line(line).contains("pub fn kind"))),
        "{all}"
    );
}

#[tokio::test]
async fn any_type_of_go_may_stand_for_a_failure_and_a_text_of_placeholders_says_nothing() {
    let code = "package pool\n\nimport \"fmt\"\n\n// FullError is returned when no more connections fit.\ntype FullError string\n\nfunc (e FullError) Error() string { return string(e) }\n\n\
                // GoneError is returned when a connection was closed.\ntype GoneError struct{ n int }\n\nfunc (e GoneError) Error() string { return \"gone\" }\n\n\
                // Put puts one in.\nfunc Put(n int) error {\n\tif n > 9 {\n\t\treturn FullError(\"it is full\")\n\t}\n\tif n < 0 {\n\t\treturn fmt.Errorf(\"%w: %s\", GoneError{n}, \"x\")\n\t}\n\treturn nil\n}\n";
    let files = [("go.mod", "module example.com/pool\n"), ("pool.go", code)];
    let records = Stage::of(&files).learn(40, Language::English).await;
    let all = records.iter().map(|r| r.answer.as_str()).collect::<Vec<_>>().join("\n\n");
    assert!(all.contains("- `FullError`: returned when no more connections fit"), "{all}");
    assert!(all.contains("- `GoneError`") && !all.contains("“%w: %s”"), "{all}");
}

#[tokio::test]
async fn what_nobody_outside_can_call_is_no_way_to_a_value() {
    let code = "//! Reads bodies.\n\n/// A body that comes in.\npub struct Body { n: u32 }\n\nimpl Body {\n    /// Makes one of its size.\n    fn new(n: u32) -> Body { Body { n } }\n    /// Makes one without anything in it.\n    pub fn empty() -> Body { Body::new(0) }\n    /// How large it is.\n    pub fn size(&self) -> u32 { self.n }\n    /// Whether it is large.\n    pub fn is_large(&self) -> bool { self.n > 9 }\n}\n";
    let other = |name: &str| {
        format!(
            "//! About {name}.\n\nuse crate::body::Body;\n\n/// Takes what is {name} of a body.\npub fn take_{name}(body: &Body) -> u32 {{\n    body.size()\n}}\n\n/// Makes a body of what is {name}.\npub fn make_{name}() -> Body {{\n    Body::empty()\n}}\n"
        )
    };
    let (left, right) = (other("left"), other("right"));
    let files = [
        ("Cargo.toml", "[package]\nname = \"bodies\"\nversion = \"1.0.0\"\n"),
        (
            "src/lib.rs",
            "//! Bodies and what is in them.\n\npub mod body;\npub mod left;\npub mod right;\n",
        ),
        ("src/body.rs", code),
        ("src/left.rs", &left),
        ("src/right.rs", &right),
    ];
    let records = Stage::of(&files).learn(40, Language::English).await;
    let is_body = |r: &&LearningRecord| r.answer.contains("One gets a `Body` from");
    let all = records.iter().map(|r| r.answer.as_str()).collect::<Vec<_>>().join("\n\n");
    let answer = &records.iter().find(is_body).expect(&all).answer;
    assert!(answer.contains("`Body::empty`") && !answer.contains("`Body::new`"), "{answer}");
}

#[tokio::test]
async fn what_is_kept_inside_is_not_among_what_a_type_declares() {
    let written = [
        (
            "a/Knot.kt",
            "package a\n\n/** How a knot is tied. */\npublic class Knot(internal val turns: Int, internal val ends: Int, internal val rope: String)\n\npublic class Rope(val knot: Knot) {\n    fun tie(): Knot = Knot(1, 2, \"\")\n    fun cut(): Int = 1\n}\n",
        ),
        (
            "a/Knot.java",
            "package a;\n\n/** How a knot is tied. */\npublic class Knot {\n    private int turns;\n    private int ends;\n    private String rope;\n}\n\nclass Rope {\n    public Knot tie() { return new Knot(); }\n    public int cut() { return 1; }\n}\n",
        ),
        (
            "knot.go",
            "package a\n\n// Knot says how a knot is tied.\ntype Knot struct {\n\tturns int\n\tends  int\n\trope  string\n}\n\n// Tie ties one.\nfunc Tie() *Knot { return &Knot{} }\n",
        ),
    ];
    for (path, code) in written {
        let records = records(&[(path, code), ("go.mod", "module a\n")]).await;
        let all = records.iter().map(|r| r.answer.as_str()).collect::<Vec<_>>().join("\n\n");
        assert!(all.contains("how a knot is tied") || all.contains("How a knot is tied"), "{all}");
        assert!(!all.contains("turns"), "{path}: {all}");
    }
}

#[tokio::test]
async fn a_place_that_is_not_told_takes_no_other_ones_turn() {
    let take = |name: &str, first: &str, second: &str| {
        format!(
            "def {name}(n):\n    \"\"\"Take the {name} of it.\"\"\"\n    if n > 9:\n        raise {first}(\"{name} is too much of it\")\n    if n < 0:\n        raise {second}(\"{name} is too little of it\")\n    return n\n\n\n"
        )
    };
    let code = [
        "class Full(Exception):\n    \"\"\"Raised when it is full.\"\"\"\n\n\nclass Gone(Exception):\n    \"\"\"Raised when it is gone.\"\"\"\n\n\n",
        &take("half", "Full", "Gone"),
        &take("rest", "Gone", "Full"),
    ]
    .concat();
    let records = Stage::of(&[("a/takes.py", &code)]).learn(40, Language::English).await;
    let is_errors = |r: &&LearningRecord| r.topic.as_ref().is_some_and(|t| t.subject == "errors");
    let answer = &records.iter().find(is_errors).expect("errors").answer;
    assert!(answer.contains("half is too") && answer.contains("rest is too"), "{answer}");
}

#[tokio::test]
async fn places_that_fail_are_of_several_types() {
    let fails = |name: &str, error: &str| {
        format!(
            "    def {name}(self, n):\n        \"\"\"Do the {name} of it.\"\"\"\n        if n > 9:\n            raise {error}(\"{name} went too far\")\n        return n\n\n"
        )
    };
    let errors = ["ValueError", "KeyError", "TypeError", "IndexError", "OSError", "LookupError"];
    let crate_of: String =
        errors.iter().enumerate().map(|(n, e)| fails(&format!("lift_{n}"), e)).collect();
    let code = format!(
        "class Crane:\n    \"\"\"Lifts what is heavy onto a ship.\"\"\"\n\n{crate_of}\nclass Rope:\n    \"\"\"Holds what is lifted.\"\"\"\n\n{}",
        fails("pull_up", "RuntimeError")
    );
    let uses: String =
        (0..6).map(|n| format!("def use_{n}(n):\n    return Crane().lift_{n}(n)\n\n\n")).collect();
    let code = format!("{code}\n{uses}");
    let answer = about(&records(&[("src/port.py", &code)]).await, "errors").to_owned();
    assert!(answer.contains("`Crane.lift_") && answer.contains("`Rope.pull_up`"), "{answer}");
}

#[tokio::test]
async fn what_a_function_of_another_file_adds_to_an_error_tells_no_kinds_of_it() {
    let errors = "/// What can go wrong with a boat.\npub struct Error {\n    code: u32,\n}\n\npub fn sail(n: u32) -> Result<(), Error> {\n    if n == 0 {\n        return Err(Error { code: 1 });\n    }\n    if n == 1 {\n        return Err(Error { code: 2 });\n    }\n    if n == 2 {\n        panic!(\"the boat has too few sails\");\n    }\n    if n == 3 {\n        panic!(\"the boat has too many sails\");\n    }\n    Ok(())\n}\n";
    let task = "use crate::errors::Error;\n\n/// What a task leaves behind.\npub enum Left {\n    /// Nothing at all.\n    Nothing,\n    /// The boat itself.\n    Boat,\n}\n\nimpl Error {\n    pub fn left(&self) -> Left {\n        Left::Nothing\n    }\n}\n";
    let root = "//! Sails boats.\n\npub mod errors;\npub mod task;\n";
    let files = [
        ("Cargo.toml", "[package]\nname = \"boats\"\nversion = \"1.0.0\"\n"),
        ("src/lib.rs", root),
        ("src/errors.rs", errors),
        ("src/task.rs", task),
    ];
    let records = records(&files).await;
    let answer = about(&records, "errors");
    assert!(answer.contains("`Error`: What can go wrong with a boat"), "{answer}");
    assert!(!answer.contains("Nothing at all"), "{answer}");
}

#[tokio::test]
async fn errors_that_a_package_keeps_to_itself_are_not_among_those_that_it_defines() {
    let error = |name: &str, doc: &str| {
        format!(
            "{doc}export class {name} extends Error {{\n  constructor(text) {{\n    super(text);\n  }}\n}}\n"
        )
    };
    let index = "import { check } from './check.js';\nexport { TideError } from './tide.js';\nexport { MoonError } from './moon.js';\nexport default check;\n";
    let check = "import { TideError } from './tide.js';\nimport { InnerError } from './inner.js';\n\n/** Checks the tide of a day. */\nexport const check = (day) => {\n  if (day < 0) {\n    throw new TideError('there is no such day');\n  }\n  if (day > 9) {\n    throw new TideError('the day is too far away');\n  }\n  if (day > 5) {\n    throw new InnerError('try it again later');\n  }\n  return day;\n};\n";
    let files = [
        (
            "package.json",
            "{\"name\": \"tides\", \"version\": \"1.0.0\", \"main\": \"index.js\"}\n".to_owned(),
        ),
        ("index.js", index.to_owned()),
        ("check.js", check.to_owned()),
        ("tide.js", error("TideError", "")),
        ("moon.js", error("MoonError", "/** Internal error of the moon. */\n")),
        ("inner.js", error("InnerError", "/** Wraps what was thrown on the way. */\n")),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(p, t)| (*p, t.as_str())).collect();
    let records = records(&files).await;
    let answer = about(&records, "errors");
    assert!(answer.contains("- `TideError`"), "{answer}");
    assert!(!answer.contains("- `InnerError`") && !answer.contains("- `MoonError`"), "{answer}");
}

#[tokio::test]
async fn of_errors_with_one_name_the_one_nearest_to_the_root_is_told() {
    let errors = |package: &str, says: &str| {
        format!(
            "// Package {package} keeps boats.\npackage {package}\n\nimport \"errors\"\n\nvar ErrSunk = errors.New(\"{says}\")\nvar ErrFull{package} = errors.New(\"{package} holds no more\")\n\n// Sail sails.\nfunc Sail(n int) error {{\n\tif n == 0 {{\n\t\treturn ErrSunk\n\t}}\n\tif n == 1 {{\n\t\treturn ErrFull{package}\n\t}}\n\treturn nil\n}}\n"
        )
    };
    let (inner, outer) =
        (errors("bay", "the boat of the bay sank"), errors("port", "the boat has sunk"));
    let files =
        [("go.mod", "module port\n"), ("bay/bay.go", inner.as_str()), ("port.go", outer.as_str())];
    let records = records(&files).await;
    let answer = about(&records, "errors");
    assert!(answer.contains("- `ErrSunk`: “the boat has sunk” (`port.go"), "{answer}");
    assert_eq!(answer.matches("- `ErrSunk`").count(), 1, "{answer}");
}

#[tokio::test]
async fn what_others_can_call_fails_for_them_before_what_they_cant() {
    let inner: String = (0..8)
        .map(|n| format!("def _check_{n}(boat):\n    \"\"\"Check the boat for the reason {n}.\"\"\"\n    if boat == {n}:\n        raise ValueError(\"reason {n} speaks against the boat\")\n    return boat\n\n\n"))
        .collect();
    let calls: String = (0..8).map(|n| format!("    _check_{n}(boat)\n")).collect();
    let code = format!(
        "\"\"\"Sails boats.\"\"\"\n\n\n{inner}def sail(boat):\n    \"\"\"Sail the boat home.\"\"\"\n{calls}    if not boat:\n        raise KeyError(\"there is no boat to sail\")\n    return boat\n"
    );
    let answer = about(&records(&[("src/boats.py", &code)]).await, "errors").to_owned();
    let first = answer.lines().find(|l| l.starts_with("- ")).unwrap_or_default();
    assert!(first.starts_with("- `sail` raises `KeyError`"), "{answer}");
}

#[tokio::test]
async fn an_object_without_a_name_is_no_type_that_builds_on_another() {
    let code = "package tower\n\n/** Hears the bells of a tower. */\ninterface Listener {\n    /** A bell rings for the first time. */\n    fun onFirst(): Int = 1\n\n    /** A bell rings for the last time. */\n    fun onLast(): Int = 2\n}\n\n\
                fun onFirst(block: () -> Int) = object : Listener {\n    override fun onFirst() = block()\n}\n\nfun onLast(block: () -> Int) = object : Listener {\n    override fun onLast() = block()\n}\n\n\
                class Sexton : Listener {\n    override fun onLast() = 3\n}\n\nclass Neighbour : Listener {\n    override fun onFirst() = 4\n}\n";
    let tower = "package tower\n\n/** A tower with bells, which is what all of this is about. */\nclass Tower(val listener: Listener) {\n    /** Rings the first of the bells. */\n    fun ringFirst(): Int = listener.onFirst()\n\n    /** Rings the last of the bells. */\n    fun ringLast(): Int = listener.onLast()\n}\n";
    let told = records(&[
        ("README.md", "# Tower\n\nThe `Tower` rings its bells.\n"),
        ("tower/Listener.kt", code),
        ("tower/Tower.kt", tower),
    ])
    .await;
    let answer = about(&told, "extension:tower/Listener.kt#Listener");
    assert!(answer.contains("- `Sexton` (") && answer.contains("- `Neighbour` ("), "{answer}");
    assert!(!answer.contains("- `onFirst` (") && !answer.contains("- `onLast` ("), "{answer}");
}

#[tokio::test]
async fn a_long_documentation_leaves_room_for_that_of_others() {
    let doc =
        "        It takes a while until all of it is done and nothing is left of it.\n".repeat(200);
    let method = |name: &str| {
        format!(
            "    def {name}_grain(self, grain):\n        \"\"\"Do the {name} of the grain.\n\n{doc}        \"\"\"\n        return grain\n\n"
        )
    };
    let code = format!(
        "\"\"\"Mills.\"\"\"\n\n\nclass Mill:\n    \"\"\"A mill with two stones.\"\"\"\n\n{}",
        ["wash", "dry", "grind", "sift"].map(method).concat()
    );
    let told = records(&[("mill.py", &code)]).await;
    let answer = about(&told, "symbol:mill.py#Mill");
    for name in ["wash", "dry", "grind", "sift"] {
        assert!(
            answer.contains(&format!("- `{name}_grain`: Do the {name} of the grain (")),
            "{answer}"
        );
    }
}

#[tokio::test]
async fn how_a_value_is_made_is_not_said_of_its_type_and_a_word_of_a_function_is_not_lost() {
    let code = "/**\n * Create a new instance of Mill\n *\n * @param {number} stones how many\n */\nexport class Mill {\n  constructor(stones) {\n    this.stones_ = stones\n  }\n\n  one(corn) {\n    return corn\n  }\n\n  inner_(corn) {\n    return corn\n  }\n\n\
                  /**\n   * Grind the corn that it is given.\n   */\n  grind(corn) {\n    return corn\n  }\n}\n";
    let told = records(&[("mill.js", code)]).await;
    let answer = about(&told, "symbol:mill.js#Mill");
    assert!(answer.contains("The class `Mill` is declared at"), "{answer}");
    assert!(!answer.contains("new instance"), "{answer}");
    assert!(answer.contains("- `grind(corn)`: Grind the corn that it is given ("), "{answer}");
    assert!(answer.contains("`one(corn)`") && !answer.contains("inner_"), "{answer}");
}

#[tokio::test]
async fn what_a_type_shows_a_use_of_is_told() {
    let method = |name: &str, lines: usize| {
        format!(
            "    def {name}(self, wheel):\n        \"\"\"Do the work of {name}.\"\"\"\n{}        return wheel\n\n",
            "        self.turn(wheel)\n".repeat(lines)
        )
    };
    let others = ["alpha", "beta", "gamma", "delta", "omega"].map(|name| method(name, 30)).concat();
    let code = format!(
        "\"\"\"Mills.\"\"\"\n\n\nclass Mill:\n    \"\"\"A mill with two stones. Begin with `mill.halt(wheel)` and go on.\"\"\"\n\n{others}{}{}",
        method("halt", 1),
        method("get_flour", 60)
    );
    let told = records(&[("mill.py", &code)]).await;
    let answer = about(&told, "symbol:mill.py#Mill");
    assert!(answer.contains("- `halt`:"), "{answer}");
}

#[tokio::test]
async fn what_gives_a_value_where_that_goes_well_makes_one() {
    let code = "//! Opens doors.\n\n/// A door with a lock.\npub struct Door { n: u32 }\n\n/// Why a door stays shut.\n#[derive(Debug)]\npub struct Stuck;\n\nimpl Door {\n    /// Opens a door by its number.\n    pub fn unlock(n: u32) -> Result<Door, Stuck> {\n        if n == 0 { Err(Stuck) } else { Ok(Door { n }) }\n    }\n\n    /// Tells the number of the door.\n    pub fn number(&self) -> u32 {\n        self.n\n    }\n\n    /// Shuts the door behind all who went through.\n    pub fn shut(&self) -> Option<u32> {\n        Some(self.n)\n    }\n}\n";
    let manifest = "[package]\nname = \"doors\"\nversion = \"1.0.0\"\n";
    let told = records(&[("Cargo.toml", manifest), ("src/lib.rs", code)]).await;
    let answer = about(&told, "symbol:src/lib.rs#Door");
    assert!(answer.contains("`Door::unlock` (“Opens a door by its number”"), "{answer}");
    assert!(!answer.contains("- `unlock`"), "{answer}");
}

#[tokio::test]
async fn of_several_forms_the_first_that_says_something_is_told() {
    let code = "package a;\n\n/** A well with a bucket. */\npublic class Well implements Source {\n    /** {@inheritDoc} */\n    public int draw() {\n        return draw(1);\n    }\n\n    /** Draws so many buckets of water. */\n    public int draw(int many) {\n        return many;\n    }\n\n    /** Covers the well for the winter. */\n    public int cover() {\n        return 0;\n    }\n}\n";
    let told = records(&[("a/Well.java", code)]).await;
    let answer = about(&told, "symbol:a/Well.java#Well");
    assert!(answer.contains("- `draw(int many)`: Draws so many buckets of water"), "{answer}");
}

#[tokio::test]
async fn the_kind_of_a_thing_is_not_told_with_its_name_once_more() {
    let code = "// Package mill grinds.\npackage mill\n\n// Mill has two stones.\ntype Mill struct{ n int }\n\n// Grind method creates flour of what it is given.\nfunc (m *Mill) Grind(n int) int { return n + m.n }\n\n// Halt method of the stones comes first.\nfunc (m *Mill) Halt(n int) int { return n - m.n }\n";
    let told = records(&[("go.mod", "module mill\n"), ("mill.go", code)]).await;
    let answer = about(&told, "symbol:mill.go#Mill");
    assert!(answer.contains("- `Grind`: creates flour of what it is given"), "{answer}");
    assert!(answer.contains("- `Halt`: Halt method of the stones"), "{answer}");
}

#[tokio::test]
async fn an_error_that_was_told_by_its_cases_is_not_listed_once_more() {
    let code = "//! Opens doors.\n\n/// Why a door stays shut.\n#[derive(Debug)]\npub enum DoorError {\n    /// Its lock is full of rust.\n    Rusty,\n    /// Its key was lost long ago.\n    Lost,\n}\n\n/// Opens a door.\npub fn open(n: u32) -> Result<u32, DoorError> {\n    if n == 0 {\n        return Err(DoorError::Rusty);\n    }\n    if n == 1 {\n        return Err(DoorError::Lost);\n    }\n    if n == 2 {\n        panic!(\"no door has this number\");\n    }\n    Ok(n)\n}\n";
    let manifest = "[package]\nname = \"doors\"\nversion = \"1.0.0\"\n";
    let told = records(&[("Cargo.toml", manifest), ("src/lib.rs", code)]).await;
    let answer = about(&told, "errors");
    assert!(answer.contains("- `Rusty`: Its lock is full of rust"), "{answer}");
    assert!(!answer.contains("- `DoorError`"), "{answer}");
}

#[tokio::test]
async fn what_the_tests_work_with_alone_is_no_answer() {
    let test = |n: usize| format!("def test_{n}(mill):\n    mill.grind({n})\n\n\n");
    let tests: String = (0..6).map(test).collect();
    let code = "\"\"\"Mills.\"\"\"\n\n\nclass Mill:\n    \"\"\"A mill with two stones.\"\"\"\n\n    def grind(self, corn):\n        \"\"\"Grind the corn.\"\"\"\n        return corn\n";
    let tests = format!(
        "import pytest\n\nfrom mill import Mill\n\n\n@pytest.fixture\ndef mill():\n    return Mill()\n\n\n{tests}def test_of_a_mill_without_any_corn_in_it(mill):\n    mill.grind(1)\n    mill.grind(4)\n    mill.grind(5)\n\n\ndef test_when_two_stones_wear_each_other_down(mill):\n    mill.grind(2)\n    mill.grind(4)\n    mill.grind(5)\n\n\ndef test_never_stops_while_wind_blows(mill):\n    mill.grind(3)\n    mill.grind(4)\n    mill.grind(5)\n"
    );
    let told = records(&[("mill.py", code), ("tests/test_mill.py", &tests)]).await;
    assert!(!told.iter().any(|r| r.topic.as_ref().unwrap().subject == "tests"), "{told:?}");
}

#[tokio::test]
async fn a_function_of_the_name_of_its_type_makes_one_only_where_the_language_says_so() {
    let code = "// Package wells keeps what is connected.\npackage wells\n\nimport \"other/sql\"\n\n// Pool keeps connections.\ntype Pool struct{ n int }\n\n// Pool returns the connection beneath.\nfunc (p *Pool) Pool() (*sql.Pool, error) {\n\treturn nil, nil\n}\n\n// Close shuts all that is open.\nfunc (p *Pool) Close() int {\n\treturn p.n\n}\n\n// Open lets water in.\nfunc (p *Pool) Open() int {\n\treturn p.n\n}\n";
    let told = records(&[("go.mod", "module wells\n"), ("wells.go", code)]).await;
    let answer = about(&told, "symbol:wells.go#Pool");
    assert!(answer.contains("- `Pool`: returns the connection beneath"), "{answer}");
    assert!(!answer.contains("`Pool.Pool` (“"), "{answer}");
}

#[tokio::test]
async fn the_end_of_an_iterator_is_no_failure() {
    let code = "\"\"\"Mills.\"\"\"\n\n\nclass Mill:\n    \"\"\"A mill.\"\"\"\n\n    def __next__(self):\n        \"\"\"Hand out the next corn.\"\"\"\n        if self.corn is None:\n            raise StopIteration\n        if self.flour is None:\n            raise gen.Return(self.flour)\n        return self.corn\n\n    def grind(self, corn):\n        \"\"\"Grind the corn.\"\"\"\n        if corn is None:\n            raise ValueError(\"no corn\")\n        return corn\n\n    def halt(self, wheel):\n        \"\"\"Halt the wheel.\"\"\"\n        if wheel is None:\n            raise TypeError(\"no wheel\")\n        return wheel\n\n    def turn(self, wheel):\n        \"\"\"Turn the wheel.\"\"\"\n        if wheel is None:\n            raise RuntimeError(\"no wind\")\n        return wheel\n";
    let told = records(&[("mill.py", code)]).await;
    let answer = about(&told, "errors");
    assert!(answer.contains("no corn") && answer.contains("no wind"), "{answer}");
    assert!(!answer.contains("StopIteration") && !answer.contains("Return"), "{answer}");
}

#[tokio::test]
async fn what_fails_inside_is_told_after_what_others_meet() {
    let error = |package: &str, name: &str| {
        format!(
            "package {package};\n\n/** Says that the work of {name} is over. */\npublic class {name} extends RuntimeException {{}}\n"
        )
    };
    let works = |package: &str, name: &str, error: &str| {
        format!(
            "package {package};\n\n/** Does the work of {name}. */\npublic class {name} {{\n    /** Works. */\n    public int work(int n) {{\n        if (n == 0) {{\n            throw new {error}(\"no {name}\");\n        }}\n        return n;\n    }}\n}}\n"
        )
    };
    let users: String = (0..9)
        .map(|n| format!("    int use{n}(Gear gear) {{ return gear.work({n}); }}\n"))
        .collect();
    let users = format!("package a.internal;\n\nclass Users {{\n{users}}}\n");
    let files = [
        ("a/internal/GearException.java", error("a.internal", "GearException")),
        ("a/internal/Gear.java", works("a.internal", "Gear", "GearException")),
        ("a/internal/Users.java", users),
        ("a/MillException.java", error("a", "MillException")),
        ("a/CornException.java", error("a", "CornException")),
        ("a/Mill.java", works("a", "Mill", "MillException")),
        ("a/Corn.java", works("a", "Corn", "CornException")),
    ];
    let files: Vec<(&str, &str)> =
        files.iter().map(|(path, code)| (*path, code.as_str())).collect();
    let told = records(&files).await;
    let answer = about(&told, "errors");
    assert!(
        answer.contains("- `MillException`") && !answer.contains("- `GearException`"),
        "{answer}"
    );
    let at = |text: &str| answer.find(text).unwrap_or_else(|| panic!("{text}: {answer}"));
    assert!(at("“no Mill”") < at("“no Gear”"), "{answer}");
}

#[tokio::test]
async fn what_the_example_of_a_type_calls_first_is_told() {
    let method = |name: &str, lines: usize| {
        format!(
            "    def {name}(self, wheel):\n        \"\"\"Do the work of {name}.\"\"\"\n{}        return wheel\n\n",
            "        self.turn(wheel)\n".repeat(lines)
        )
    };
    let names = ["alpha", "beta", "gamma", "delta", "omega"];
    let shown = names.map(|name| format!("        mill.{name}(wheel)\n")).concat();
    let code = format!(
        "\"\"\"Mills.\"\"\"\n\n\nclass Mill:\n    \"\"\"A mill with two stones. Begin like this::\n\n        mill.halt(wheel)\n{shown}\n    It needs wind.\n    \"\"\"\n\n{}{}{}",
        names.map(|name| method(name, 70)).concat(),
        method("halt", 1),
        method("turn", 1),
    );
    let told = records(&[("mill.py", &code)]).await;
    let answer = about(&told, "symbol:mill.py#Mill");
    assert!(answer.contains("- `halt`:"), "{answer}");
}

#[tokio::test]
async fn a_type_of_which_only_names_can_be_told_comes_after_all_others() {
    let code = "class Harbour:\n    def enter(self, boat):\n        return Pier(boat)\n\n    def leave(self, boat):\n        return Pier(boat)\n\n    def count(self):\n        return Pier(1)\n\n\n\
                class Pier:\n    \"\"\"Holds the boats of one owner.\"\"\"\n\n    def __init__(self, boat):\n        self.boat = boat\n\n    def moor(self, boat):\n        \"\"\"Tie a boat to the pier.\"\"\"\n        return boat\n";
    let told = records(&[("src/port.py", code)]).await;
    let place =
        |name: &str| told.iter().position(|r| r.topic.as_ref().unwrap().subject.ends_with(name));
    let (pier, harbour) = (place("#Pier").unwrap(), place("#Harbour"));
    assert!(harbour.is_none_or(|at| pier < at), "{told:#?}");
}

#[tokio::test]
async fn what_the_introduction_calls_on_a_type_is_among_what_is_told_of_it() {
    let many: String = (0..6)
        .map(|n| format!("\n// Turn{n} turns the mill another way before it is used.\nfunc (m *Mill) Turn{n}(a int) int {{\n\tif a > {n} {{\n\t\treturn a\n\t}}\n\tif a > 2 {{\n\t\treturn 2\n\t}}\n\treturn {n}\n}}\n"))
        .collect();
    let code = format!(
        "// Package mill grinds corn.\npackage mill\n\n// Mill grinds corn between stones.\ntype Mill struct{{}}\n{many}\n// Grind grinds.\nfunc (m *Mill) Grind(a int) int {{ return a }}\n"
    );
    let readme =
        "# mill\n\nMill grinds corn.\n\n## Usage\n\n```go\nm := &mill.Mill{}\nm.Grind(2)\n```\n";
    let module = "module example.com/mill\n\ngo 1.22\n";
    let files = [("go.mod", module), ("mill.go", code.as_str()), ("README.md", readme)];
    let told = records(&files).await;
    assert!(about(&told, "symbol:mill.go#Mill").contains("- `Grind`"), "{told:#?}");
}

const SOURCE: &str = "package a;\n\n/** What water comes from. */\npublic interface Source {\n    /** Draws so many buckets of water. */\n    int draw(int many);\n\n    /** Covers it for the winter, whatever is in it. */\n    int cover();\n}\n";
const WELL: &str = "package a;\n\n/** A well with a bucket. */\npublic class Well implements Source {\n    /** {@inheritDoc} */\n    @Override\n    public int draw(int many) {\n        int rope = unwind(many);\n        int filled = fill(rope);\n        \
    int wet = lift(filled);\n        int dry = wet - 1;\n        dry = dry + 1;\n        return dry;\n    }\n\n    public int draw() {\n        return 1;\n    }\n\n    @Override\n    public int cover() {\n        return 0;\n    }\n\n    /** Unwinds the rope. */\n    public int unwind(int many) {\n        return many;\n    }\n\n    \
    /** Fills a bucket at the rope. */\n    public int fill(int rope) {\n        return rope;\n    }\n\n    /** Lifts a bucket to the light. */\n    public int lift(int bucket) {\n        return bucket;\n    }\n}\n";

#[tokio::test]
async fn what_a_type_only_implements_is_told_in_the_words_of_what_it_builds_on() {
    let told = records(&[("a/Source.java", SOURCE), ("a/Well.java", WELL)]).await;
    let answer = about(&told, "symbol:a/Well.java#Well");
    let both = "`a/Well.java:21`, `a/Source.java:8`";
    let cover = "- `cover`, as `Source` describes it: Covers it for the winter, whatever is in it";
    assert!(answer.contains(cover), "{answer}");
    assert!(answer.contains(both), "{answer}");
    // What is said of one form is not said of the other.
    assert!(!answer.contains("`draw()`: Draws"), "{answer}");
    let flow = about(&told, "flow:a/Well.java#Well.draw");
    assert!(flow.contains("Draws so many buckets of water” (`a/Source.java:5`)"), "{flow}");
    assert!(
        flow.contains("`Well.draw` (`a/Well.java:7`)") && flow.contains("`Source.draw`"),
        "{flow}"
    );
    assert!(flow.contains("1. `Well.unwind`"), "{flow}");
}

#[tokio::test]
async fn what_is_left_for_the_sake_of_old_users_makes_no_value() {
    let code = "// Package mill grinds.\npackage mill\n\n// Mill has two stones.\ntype Mill struct{ n int }\n\n// New returns a mill that stands still.\nfunc New() *Mill { return &Mill{} }\n\n// NewMill returns a mill, too.\n//\n// Deprecated: NewMill is what New was called before.\nfunc NewMill() *Mill { return New() }\n\n// Grind creates flour of what it is given.\nfunc (m *Mill) Grind(n int) int { return n + m.n }\n\n// Halt stops the stones.\nfunc (m *Mill) Halt(n int) int { return n - m.n }\n";
    let told = records(&[("go.mod", "module mill\n"), ("mill.go", code)]).await;
    let answer = about(&told, "symbol:mill.go#Mill");
    assert!(answer.contains("`New` (“") && !answer.contains("Deprecated"), "{answer}");
}

#[tokio::test]
async fn attributes_of_python_are_told_where_they_are_documented() {
    let code = "\"\"\"Rings bells.\"\"\"\n\n\nclass Bell:\n    \"\"\"One bell of a tower.\"\"\"\n\n    def __init__(self, tone, rope=None):\n        \
                #: How high it sounds.\n        self.tone = tone\n        #: What it is pulled by, if by anything.\n        self.rope: str | None = rope\n        \
                # That it hangs is known.\n        self.hangs = True\n        #: Kept for the next pull.\n        self._last = None\n\n    def swing(self):\n        return self.tone\n\n\n\
                def tower():\n    \"\"\"Build the tower with its bell.\"\"\"\n    return Bell(1)\n";
    let manifest = "[project]\nname = \"bell\"\nversion = \"1.0.0\"\n";
    let told = records(&[("pyproject.toml", manifest), ("src/bell.py", code)]).await;
    let answer = about(&told, "symbol:src/bell.py#Bell");
    assert!(answer.contains("- `tone`: How high it sounds (`src/bell.py:8-9`)"), "{answer}");
    assert!(answer.contains("- `rope`: What it is pulled by"), "{answer}");
    assert!(!answer.contains("hangs") && !answer.contains("_last"), "{answer}");
}

#[tokio::test]
async fn what_reads_or_visits_says_so() {
    let code = "package a;\n\n/** Walks through a tree of words. */\npublic class TreeWalker {\n    /** Visit the next word of the tree. */\n    public int visitNext(int a) {\n        return a + 1;\n    }\n\n    \
                /** Read the word that was visited. */\n    public int readWord(int a) {\n        return a + 2;\n    }\n}\n";
    let told = records(&[("src/a/TreeWalker.java", code)]).await;
    let all: String = told.iter().map(|r| r.answer.as_str()).collect();
    assert!(all.contains("`visitNext`: Visit the next word of the tree"), "{all}");
    assert!(all.contains("`readWord`: Read the word that was visited"), "{all}");
}

#[tokio::test]
async fn a_remark_on_the_code_is_nothing_that_a_constructor_says() {
    let code = "/** Watches the road for carts. */\nexport class RoadWatcher {\n  // Not indented as the rest is; for now.\n  constructor(options) {\n    this.options = options\n  }\n\n  \
                /** Looks at the road once more. */\n  lookAgain() {\n    return this.options\n  }\n\n  /** Closes the eyes for good. */\n  closeEyes() {\n    return null\n  }\n}\n";
    let told = records(&[
        ("package.json", "{\"name\":\"road\",\"version\":\"1.0.0\"}"),
        ("index.js", code),
    ])
    .await;
    let answer = about(&told, "symbol:index.js#RoadWatcher");
    assert!(answer.contains("`lookAgain`: ") && !answer.contains("indented"), "{answer}");
}

/// Shapes that say what they are, or not, and types beside them.
fn shapes(documented: bool) -> String {
    let told = |name: &str, text: &str| {
        format!(
            "class {name}:\n    \"\"\"{text}\"\"\"\n\n    def draw(self, shape):\n        \"\"\"Draw a shape on the {name}.\"\"\"\n        return shape.area()\n\n    def wipe(self):\n        \"\"\"Wipe all off the {name}.\"\"\"\n        return None\n\n\n"
        )
    };
    let heirs: String = ["Circle", "Square", "Star"]
        .iter()
        .map(|name| {
            let said = if documented {
                format!("    \"\"\"A {name} of any size.\"\"\"\n")
            } else {
                String::new()
            };
            format!("class {name}(Shape):\n{said}    def area(self):\n        return 1\n\n\n")
        })
        .collect();
    format!(
        "\"\"\"Draws shapes.\"\"\"\n\n\nclass Shape:\n    \"\"\"What has an area.\"\"\"\n\n    def area(self):\n        \"\"\"Return the area of the shape.\"\"\"\n        return 0\n\n\n{heirs}{}{}",
        told("Canvas", "What shapes are drawn on."),
        told("Easel", "What a canvas stands on.")
    )
}

#[tokio::test]
async fn types_that_say_nothing_of_themselves_are_listed_late() {
    let manifest = "[project]\nname = \"canvas\"\nversion = \"1.0.0\"\n";
    for documented in [true, false] {
        let code = shapes(documented);
        let told = records(&[("pyproject.toml", manifest), ("src/canvas.py", &code)]).await;
        let subjects = || told.iter().map(|r| r.topic.as_ref().unwrap().subject.as_str());
        let place = |subject: &str| subjects().position(|s| s == subject).unwrap();
        let (shape, easel) =
            (place("extension:src/canvas.py#Shape"), place("symbol:src/canvas.py#Easel"));
        assert_eq!(shape < easel, documented, "{:?}", subjects().collect::<Vec<_>>());
    }
}

#[tokio::test]
async fn a_place_or_two_that_fail_are_told_late() {
    let check = |kind: &str, state: &str| {
        format!("        if shape == \"{state}\":\n            raise {kind}(\"it is {state}\")\n")
    };
    let draws = "        return shape.area()\n";
    let (first, last) = (
        format!("{}{}{draws}", check("ValueError", "wet"), check("ValueError", "torn")),
        format!("{}{draws}", check("TypeError", "broken")),
    );
    let code =
        shapes(false).replacen(draws, "#", 1).replacen(draws, &last, 1).replacen("#", &first, 1);
    let manifest = "[project]\nname = \"canvas\"\nversion = \"1.0.0\"\n";
    let told = records(&[("pyproject.toml", manifest), ("src/canvas.py", &code)]).await;
    let subjects = || told.iter().map(|r| r.topic.as_ref().unwrap().subject.as_str());
    let place = |subject: &str| subjects().position(|s| s == subject).unwrap();
    let (errors, easel) = (place("errors"), place("symbol:src/canvas.py#Easel"));
    assert!(easel < errors, "{:?}", subjects().collect::<Vec<_>>());
}

#[tokio::test]
async fn a_comment_of_one_line_within_its_marks_is_read() {
    let code = "/**\nKeeps bees in a hive.\n*/\nexport class BeeHive {\n    /**\n    Let all bees out for the day.\n    */\n    openDoor(day) {\n        return day\n    }\n    /**\n    Call all bees home for the night.\n    */\n    closeDoor(day) {\n        return day\n    }\n}\n";
    let told = records(&[
        ("package.json", "{\"name\":\"bee-hive\",\"version\":\"1.0.0\"}"),
        ("index.js", code),
    ])
    .await;
    let answer = about(&told, "symbol:index.js#BeeHive");
    assert!(
        answer.contains("`openDoor`: Let all bees out for the day (`index.js:6-8`)"),
        "{answer}"
    );
    assert!(answer.contains("`closeDoor`: Call all bees home"), "{answer}");
}

#[tokio::test]
async fn what_a_function_does_by_a_list_is_told_in_a_list_too() {
    let code = "/** Turns a mill by the wind. */\nexport class WindMill {\n  /**\n   * This will set the mill up anew by:\n   * 1. Turning it to the wind.\n   * 2. Oiling all of its wheels.\n   */\n  setUp(wind) {\n    return wind\n  }\n\n  /** Stops the mill for the night. */\n  stop(wind) {\n    return wind\n  }\n}\n";
    let told = records(&[
        ("package.json", "{\"name\":\"wind-mill\",\"version\":\"1.0.0\"}"),
        ("index.js", code),
    ])
    .await;
    let answer = about(&told, "symbol:index.js#WindMill");
    assert!(answer.contains("`setUp`: This will set the mill up anew by: Turning it"), "{answer}");
}

#[tokio::test]
async fn what_calls_itself_the_way_in_is_read_first() {
    let code = |doc: &str| {
        let used: String = (0..6)
            .map(|n| format!("    /** Turns by {n} degrees. */\n    public Wheel turn{n}(Wheel w) {{\n        return new Wheel(w);\n    }}\n\n"))
            .collect();
        (
            format!(
                "package a;\n\n/** A wheel of many spokes. */\npublic class Wheel {{\n    /** Makes one like another. */\n    public Wheel(Wheel other) {{\n    }}\n\n{used}}}\n"
            ),
            format!(
                "package a;\n\n/** {doc} */\npublic class Tower {{\n    /** Grinds all corn. */\n    public int grindAll(int corn) {{\n        return corn;\n    }}\n\n    /** Sifts all flour. */\n    public int siftAll(int flour) {{\n        return flour;\n    }}\n}}\n"
            ),
        )
    };
    for (doc, first) in [
        ("A tower of stone.", "Wheel"),
        ("A tower of stone and the main\n * entry point for most who grind.", "Tower"),
    ] {
        let (wheel, tower) = code(doc);
        let told = records(&[("src/a/Wheel.java", &wheel), ("src/a/Tower.java", &tower)]).await;
        let types = told.iter().map(|r| r.topic.as_ref().unwrap().subject.as_str());
        let found = types.into_iter().find_map(|s| s.strip_prefix("symbol:"));
        assert!(found.is_some_and(|found| found.ends_with(first)), "{found:?}");
    }
}
