//! The first record: what the project is, its parts, and where to begin reading.

use ouro_core::Language;

use crate::stage::Stage;

/// The first record of a project.
async fn overview(files: &[(&str, &str)]) -> String {
    let records = Stage::of(files).learn(1, Language::English).await;
    records.first().map_or_else(String::new, |r| r.answer.clone())
}

#[tokio::test]
async fn what_bears_the_projects_name_is_read_first_and_root_files_are_parts() {
    let codec = |name: &str| {
        format!(
            "package {name}\n\n// Codec encodes and decodes what is kept as {name}.\ntype Codec struct{{}}\n\n// Encode encodes a value.\nfunc (Codec) Encode(v any) string {{ return \"\" }}\n\n// Decode decodes a value.\nfunc (Codec) Decode(s string) any {{ return nil }}\n"
        )
    };
    let codecs = ["json", "toml", "yaml"].map(|n| (format!("internal/{n}/codec.go"), codec(n)));
    let root = "package shelf\n\n// Shelf keeps settings by name.\ntype Shelf struct{ held map[string]any }\n\n// Get returns a setting.\nfunc (s *Shelf) Get(name string) any { return s.held[name] }\n";
    let mut files = vec![
        ("go.mod", "module example.com/shelf\n\ngo 1.22\n"),
        ("README.md", "# shelf\n\nShelf is a place to keep settings in.\n"),
        ("shelf.go", root),
    ];
    files.extend(codecs.iter().map(|(path, text)| (path.as_str(), text.as_str())));
    let told = overview(&files).await;
    assert!(told.contains("the struct `Shelf` (`shelf.go:4`)"), "{told}");
    let part = told.find("- `shelf.go`").unwrap_or_else(|| panic!("no root file: {told}"));
    assert!(told.find("- `internal/").is_none_or(|inner| part < inner), "{told}");
}

#[tokio::test]
async fn a_warning_of_the_readme_is_no_answer_to_what_the_project_is() {
    let told = overview(&[
        ("package.json", "{\n  \"name\": \"paint\",\n  \"version\": \"1.0.0\",\n  \"description\": \"Colours for a terminal\",\n  \"main\": \"paint.js\"\n}\n"),
        ("README.md", "# paint\n\n**IMPORTANT:** Paint 5 is made of modules and needs another version of your tools.\n\n## Sponsors\n\nPaint would not be possible without our amazing sponsors.\n"),
        ("paint.js", "/**\n * Paints a text in a colour.\n */\nfunction paint (text) {\n  return mix(text)\n}\n\nfunction mix (text) {\n  return text\n}\n\nmodule.exports = paint\n"),
    ])
    .await;
    assert!(told.contains("“Colours for a terminal”"), "{told}");
    assert!(!told.contains("IMPORTANT") && !told.contains("sponsors"), "{told}");
    assert!(told.contains("function `paint` (`paint.js:4`)"), "{told}");
}

#[tokio::test]
async fn what_the_introduction_names_is_read_before_what_the_code_uses_most() {
    let own = "pub struct Own<T>(T);\n\nimpl<T> Own<T> {\n    pub fn new(t: T) -> Self { Self(t) }\n    pub fn cast(self) -> T { self.0 }\n    pub fn by_ref(&self) -> &T { &self.0 }\n    pub fn deref(&self) -> &T { &self.0 }\n}\n";
    let uses: String = (0..12)
        .map(|n| format!("pub fn use_{n}() -> u32 {{ crate::ptr::Own::new({n}u32).cast() }}\n"))
        .collect();
    let root = "//! This crate provides [`Mishap`], an error type for everything.\n\nmod more;\nmod ptr;\n\nuse crate::ptr::Own;\n\n\
                /// A wrapper around whatever went wrong.\npub struct Mishap {\n    inner: Own<u32>,\n}\n\nimpl Mishap {\n    /// Makes one of a number.\n    pub fn new(n: u32) -> Self { Self { inner: Own::new(n) } }\n}\n";
    let told = overview(&[
        ("Cargo.toml", "[package]\nname = \"whoops\"\nversion = \"1.0.0\"\n"),
        ("src/lib.rs", root),
        ("src/ptr.rs", own),
        ("src/more.rs", &uses),
    ])
    .await;
    assert!(told.contains("struct `Mishap` (`src/lib.rs:"), "{told}");
    assert!(told.contains("- `src/lib.rs`"), "{told}");
}

const MANIFEST: &str = "{\"name\": \"tides\", \"version\": \"1.0.0\", \"description\": \"Tells the tides of a harbour\", \"main\": \"index.js\"}\n";
const INDEX: &str = "/**\n * Detect a browser, which has no file system to read from.\n */\n\nif (typeof window === 'undefined') {\n  module.exports = require('./table');\n} else {\n  module.exports = require('./moon');\n}\n";
const TABLE: &str = "const moon = require('./moon');\n\n/** Reads the table of a harbour from a file. */\nexports.read = read;\n\n\
    /** Writes the table of a harbour back. */\nfunction write(table) {\n  for (const row of table) {\n    moon.phase(row.day);\n  }\n}\n\n\
    exports.write = write;\n\nfunction read(path) {\n  return path.split('\\n');\n}\n\n\
    /** Forgets every harbour that was read. */\nexports.forget = function () {};\n";
const MOON: &str = "/** Tells how much of the moon is lit on a day. */\nexports.phase = function (day) {\n  return (day % 29) / 29;\n};\n";

/// A package of scripts has neither types nor folders to tell of, but files with functions in them.
#[tokio::test]
async fn a_package_of_functions_is_told_by_its_files() {
    let files =
        [("package.json", MANIFEST), ("index.js", INDEX), ("table.js", TABLE), ("moon.js", MOON)];
    let records = Stage::of(&files).learn(9, Language::English).await;
    let overview = &records[0].answer;
    assert!(overview.contains("“Tells the tides of a harbour”"), "{overview}");
    assert!(!overview.contains("tides detects a browser"), "{overview}");
    let table = records.iter().find(|r| r.question.contains("`table.js`"));
    let table = &table.expect("a record of the file with several functions").answer;
    assert!(
        table.contains("`write`: Writes the table of a harbour back (`table.js:6-7`)"),
        "{table}"
    );
    assert!(table.contains("`forget`: Forgets every harbour that was read"), "{table}");
    assert!(!records.iter().any(|r| r.question.contains("`moon.js` hold")));
}

/// A wheel holds no README of its own, but what it says of itself.
#[tokio::test]
async fn a_wheel_is_introduced_by_its_metadata() {
    let metadata = "Metadata-Version: 2.4\nName: tide\nVersion: 1.2.0\nSummary: Tides of a harbour\n\n# tide\n\nTide is a table of the water of a harbour.\n\n## Spring tides\n\nA spring tide comes twice a month. The moon and the sun pull together then.\n";
    let code =
        "def height(day):\n    \"\"\"Tell how high the water stands.\"\"\"\n    return day\n";
    let files = [("tide/__init__.py", code), ("tide-1.2.0.dist-info/METADATA", metadata)];
    let records = Stage::of(&files).learn(9, Language::English).await;
    let told = &records[0].answer;
    assert!(
        told.contains(
            "`tide` is a table of the water of a harbour (`tide-1.2.0.dist-info/METADATA:8`)"
        ),
        "{told}"
    );
    assert!(told.contains("version 1.2.0 of the Python package `tide`"), "{told}");
    assert!(records[0].question.starts_with("What is tide"), "{}", records[0].question);
    assert!(records.iter().any(|r| r.answer.contains("METADATA:12`)")), "{records:?}");
}

const WHOLE: [(&str, &str); 5] = [
    (
        "package.json",
        "{\"name\": \"spans\", \"version\": \"1.0.0\", \"description\": \"Reads spans of time\", \"main\": \"index.js\"}\n",
    ),
    (
        "index.js",
        "/**\n * Reads a span of time from a text.\n */\nmodule.exports = function (text) {\n  return parse(text)\n}\n\n/**\n * Parses the words of a span.\n */\nfunction parse (text) {\n  return text\n}\n",
    ),
    (
        "more/a.js",
        "/**\n * Adds two spans of time.\n */\nfunction addSpans (a, b) {\n  if (!a) {\n    throw new Error('there is nothing to add')\n  }\n  return b\n}\n\nexports.addSpans = addSpans\n",
    ),
    ("more/b.js", "exports.b = 1\n"),
    ("more/c.js", "exports.c = 1\n"),
];

#[tokio::test]
async fn what_a_module_exports_as_a_whole_is_where_to_begin() {
    let told = overview(&WHOLE).await;
    assert!(told.contains("the function `module.exports` (`index.js:4`)"), "{told}");
}

#[tokio::test]
async fn a_small_project_is_asked_about_its_functions_one_by_one() {
    let records = Stage::of(&WHOLE).learn(9, Language::English).await;
    let subjects: Vec<&str> =
        records.iter().map(|r| r.topic.as_ref().unwrap().subject.as_str()).collect();
    assert!(subjects.contains(&"flow:more/a.js#addSpans"), "{subjects:?}");
}

#[tokio::test]
async fn what_an_example_renames_is_known_by_its_own_name() {
    let readme = "# tide\n\nTide is a table of the tides of all harbours.\n\n## Usage\n\n```js\nimport { height as howHigh } from 'tide'\n\nhowHigh('Dover')\n```\n";
    let code = "/** Tells how high the water stands. */\nexport function height(harbour) {\n  return harbour\n}\n";
    let files = [
        ("package.json", "{\"name\": \"tide\", \"version\": \"1.0.0\", \"main\": \"index.js\"}\n"),
        ("README.md", readme),
        ("index.js", code),
    ];
    let records = Stage::of(&files).learn(9, Language::English).await;
    let usage = records.iter().find(|r| r.topic.as_ref().unwrap().subject == "usage").unwrap();
    assert!(usage.answer.contains("- `height`"), "{}", usage.answer);
}

#[tokio::test]
async fn a_package_that_an_example_renames_is_known_by_its_own_name() {
    let usage = |files: Vec<(&'static str, String)>| async move {
        let files: Vec<(&str, &str)> = files.iter().map(|(p, t)| (*p, t.as_str())).collect();
        let records = Stage::of(&files).learn(9, Language::English).await;
        let usage = records.iter().find(|r| r.topic.as_ref().unwrap().subject == "usage");
        usage.map(|r| r.answer.clone()).unwrap_or_default()
    };
    let readme = |language: &str, code: &str| {
        format!(
            "# tide\n\nTide is a table of the tides of all harbours.\n\n## Usage\n\n```{language}\n{code}\n```\n"
        )
    };
    let go = usage(vec![
        ("go.mod", "module example.com/tide\n".to_owned()),
        ("README.md", readme("go", "package main\n\nimport (\n\t\"fmt\"\n\tt \"example.com/tide\"\n)\n\nfunc main() {\n\tfmt.Println(t.Height(1))\n}")),
        ("tide.go", "package tide\n\n// Height tells how high the water stands.\nfunc Height(day int) int {\n\treturn day\n}\n".to_owned()),
    ])
    .await;
    assert!(go.contains("- `Height`"), "{go}");
    let python = usage(vec![
        ("pyproject.toml", "[project]\nname = \"tide\"\n".to_owned()),
        ("README.md", readme("python", "import tide as td\n\nprint(td.height(1))")),
        ("tide/__init__.py", "\"\"\"Tides.\"\"\"\n\n\ndef height(day):\n    \"\"\"Tell how high the water stands.\"\"\"\n    return day\n".to_owned()),
    ])
    .await;
    assert!(python.contains("- `height`"), "{python}");
    let rust = usage(vec![
        ("Cargo.toml", "[package]\nname = \"tide\"\n".to_owned()),
        ("README.md", readme("rust", "use tide as t;\n\nlet high = t::height(1);")),
        ("src/lib.rs", "//! Tides.\n\n/// Tells how high the water stands.\npub fn height(day: u8) -> u8 {\n    day\n}\n".to_owned()),
    ])
    .await;
    assert!(rust.contains("- `height`"), "{rust}");
}

#[tokio::test]
async fn what_the_package_hands_out_is_where_to_begin_and_what_is_called_by_any_name() {
    let files = [
        ("package.json", "{\"name\": \"mill\", \"version\": \"1.0.0\", \"main\": \"index.js\"}\n"),
        (
            "README.md",
            "# mill\n\nMill grinds corn of every sort.\n\n## Usage\n\n```js\nconst mill = require('mill')\nconst one = mill()\n```\n",
        ),
        ("index.js", "module.exports = require('./lib/mill')\n"),
        (
            "lib/mill.js",
            "exports = module.exports = createMill\n\n/**\n * Create a mill of stones.\n *\n * @return {Function}\n */\n\nfunction createMill () {\n  return new Stone()\n}\n",
        ),
        (
            "lib/stone.js",
            "/** Grinds one corn after the other. */\nfunction Stone () {}\n\n/** Turns the stone once. */\nStone.prototype.turn = function () {}\n\n/** Stops the stone. */\nStone.prototype.stop = function () {}\n\n/** Lifts the stone. */\nStone.prototype.lift = function () {}\n\nmodule.exports = Stone\n",
        ),
    ];
    let told = overview(&files).await;
    assert!(told.contains("the function `createMill` (`lib/mill.js:9`)"), "{told}");
    let records = Stage::of(&files).learn(9, Language::English).await;
    let usage = records.iter().find(|r| r.topic.as_ref().unwrap().subject == "usage").unwrap();
    assert!(usage.answer.contains("- `createMill`"), "{}", usage.answer);
}

#[tokio::test]
async fn a_package_that_is_called_where_it_is_required_is_known() {
    let files = [
        (
            "package.json",
            "{\"name\": \"corn-mill\", \"version\": \"1.0.0\", \"main\": \"index.js\"}\n",
        ),
        (
            "README.md",
            "# corn-mill\n\nThis mill grinds corn of every sort.\n\n## Usage\n\n```js\nconst flour = require('corn-mill')(process.argv)\nconsole.log(flour)\n```\n",
        ),
        (
            "index.js",
            "/** Grinds what is handed to it. */\nfunction grind (corn) {\n  return corn\n}\n\nmodule.exports = grind\n",
        ),
    ];
    let records = Stage::of(&files).learn(9, Language::English).await;
    let usage = records.iter().find(|r| r.topic.as_ref().unwrap().subject == "usage").unwrap();
    assert!(usage.answer.contains("- `grind`"), "{}", usage.answer);
}

#[tokio::test]
async fn an_artifact_and_its_packages_documentation_tell_where_to_begin() {
    let basin = "package a;\n\n/** Holds water for later. */\npublic class Basin {\n  /** Fills it up. */\n  public void fill() { new Gate().open(); new Gate().shut(); }\n}\n";
    let gate = "package a;\n\n/** Lets water through. */\npublic class Gate {\n  /** Opens it wide. */\n  public void open() {}\n  /** Shuts it tight. */\n  public void shut() {}\n}\n";
    let pom = "<project>\n<groupId>a</groupId>\n<artifactId>basin-core2</artifactId>\n<version>1</version>\n</project>\n";
    let told = overview(&[("pom.xml", pom), ("a/Basin.java", basin), ("a/Gate.java", gate)]).await;
    assert!(told.contains("the class `Basin`"), "{told}");
    let info =
        "/**\n * Water works.\n * See {@link a.Basin Basin} and {@link a.Gate}.\n */\npackage a;\n";
    let pom = pom.replace("basin-core2", "water");
    let files = [
        ("pom.xml", pom.as_str()),
        ("a/package-info.java", info),
        ("a/Basin.java", basin),
        ("a/Gate.java", gate),
    ];
    assert!(overview(&files).await.contains("the class `Basin`"), "{}", overview(&files).await);
}

#[tokio::test]
async fn one_of_many_things_in_a_file_does_not_stand_for_all() {
    let functions: String = ["cut", "mend", "dye", "iron", "fold", "press"]
        .iter()
        .map(|n| format!("def {n}(cloth):\n    \"\"\"Take a cloth and {n} it well.\"\"\"\n    return cloth\n\n\n"))
        .collect();
    let shop = "from .cloth import cut\n\n\nclass Shop:\n    \"\"\"Sells cloth to whoever comes.\"\"\"\n\n    def sell(self):\n        return cut(1)\n";
    let told = overview(&[
        ("pyproject.toml", "[project]\nname = \"weave\"\nversion = \"1.0\"\n"),
        ("weave/__init__.py", "\"\"\"Everything about cloth.\"\"\"\n\nfrom .shop import Shop\n"),
        ("weave/cloth.py", &functions),
        ("weave/shop.py", shop),
    ])
    .await;
    assert!(told.contains("- `weave/cloth.py`, with `cut` among others: Take a cloth"), "{told}");
    assert!(told.contains("- `weave/shop.py`: `Shop`, Sells cloth"), "{told}");
}

#[tokio::test]
async fn the_first_page_of_the_documentation_speaks_where_there_is_no_readme() {
    let told = overview(&[
        ("pyproject.toml", "[project]\nname = \"weave\"\nversion = \"1.0\"\n"),
        ("doc/source/index.rst", "Weave\n=====\n\nWeave is a library to make cloth of threads.\n"),
        ("weave/__init__.py", "class Loom:\n    \"\"\"Makes cloth of threads.\"\"\"\n"),
    ])
    .await;
    assert!(
        told.contains("is a library to make cloth of threads (`doc/source/index.rst:4`)"),
        "{told}"
    );
}

#[tokio::test]
async fn a_package_beside_the_others_does_not_speak_for_all() {
    let class = |package: &str, name: &str| {
        format!(
            "package a.{package};\n\n/** Holds the {name} of it all. */\npublic class {name} {{\n  /** Opens it wide. */\n  public void open() {{}}\n}}\n"
        )
    };
    let info = "/** Contains what the gates are told by their owners. */\npackage a.args;\n";
    let (gate, tap, pipe) = (class("args", "Gate"), class("pipes", "Tap"), class("pipes", "Pipe"));
    let told = overview(&[
        ("pom.xml", "<project>\n<groupId>a</groupId>\n<artifactId>water</artifactId>\n<version>1</version>\n<description>Water works for the whole town</description>\n</project>\n"),
        ("a/args/package-info.java", info),
        ("a/args/Gate.java", &gate),
        ("a/pipes/Tap.java", &tap),
        ("a/pipes/Pipe.java", &pipe),
    ])
    .await;
    assert!(
        told.starts_with("water describes itself as “Water works for the whole town”"),
        "{told}"
    );
}

#[tokio::test]
async fn what_the_package_itself_is_called_for_is_no_type_of_nearly_its_name() {
    let index = "import { Ty } from './ty.js';\n\nconst makeTy = () => (input) => Ty.create(input);\nconst ty = makeTy();\nexport default ty;\n";
    let class = "/** Ties knots. */\nexport class Ty {\n  /** Makes one. */\n  static create(input) {\n    return new Ty(input);\n  }\n\n  constructor(input) {\n    this.input = input;\n  }\n}\n";
    let readme = "# ty\n\nty ties knots of any kind.\n\n## Usage\n\n```js\nimport ty from 'ty';\n\nconst knot = ty('rope');\nconsole.log(knot);\n```\n";
    let files = [
        ("package.json", "{\"name\": \"ty\", \"version\": \"1.0.0\", \"main\": \"index.js\"}\n"),
        ("README.md", readme),
        ("index.js", index),
        ("ty.js", class),
    ];
    let records = Stage::of(&files).learn(9, Language::English).await;
    let usage = records.iter().find(|r| r.topic.as_ref().unwrap().subject == "usage").unwrap();
    assert!(!usage.answer.contains("- `Ty`"), "{}", usage.answer);
}

#[tokio::test]
async fn a_value_that_the_package_hands_out_leads_to_what_makes_it() {
    let make = "/** Makes what ties a rope in its own way. */\nexport function makeTie(way) {\n  return (rope) => knot(rope, way);\n}\n\nfunction knot(rope, way) {\n  return rope + way;\n}\n";
    let settings = "/** How a rope is tied. */\nexport class Settings {\n  /** Reads them. */\n  read() {\n    return 1;\n  }\n\n  /** Writes them. */\n  write() {\n    return 2;\n  }\n}\n";
    let index = |hands_out: &str| {
        format!(
            "import {{ makeTie }} from './make.js';\nexport {{ Settings }} from './settings.js';\n{hands_out}"
        )
    };
    for hands_out in [
        "const tie = makeTie('left');\nexport default tie;\n",
        "export const rope = makeTie('left');\n",
    ] {
        let told = overview(&[
            ("package.json", "{\"name\": \"rope\", \"version\": \"1.0.0\", \"main\": \"index.js\", \"type\": \"module\"}\n"),
            ("index.js", &index(hands_out)),
            ("make.js", make),
            ("settings.js", settings),
        ])
        .await;
        assert!(told.contains("the function `makeTie` (`make.js:2`)"), "{told}");
    }
}

#[tokio::test]
async fn what_runs_is_entered_and_what_declares_it_tells_of_it() {
    let files = [
        (
            "package.json",
            "{\"name\": \"bell\", \"version\": \"1.0.0\", \"exports\": {\"types\": \"./built/esm/index.d.ts\", \"default\": \"./built/esm/index.js\"}}\n",
        ),
        (
            "README.md",
            "# bell\n\nRings bells of any kind.\n\n## Usage\n\n```js\nimport ring from 'bell';\n\nring('C');\n```\n",
        ),
        (
            "built/esm/index.js",
            "export default function bell(tone) {\n  return swing(tone);\n}\n\nfunction swing(tone) {\n  return tone;\n}\n",
        ),
        (
            "built/esm/index.d.ts",
            "/** Rings a bell once. */\nexport default function bell(tone: string): string;\n",
        ),
    ];
    let told = overview(&files).await;
    assert!(told.contains("the function `bell` (`built/esm/index.js:1`)"), "{told}");
    let records = Stage::of(&files).learn(9, Language::English).await;
    let usage = records.iter().find(|r| r.topic.as_ref().unwrap().subject == "usage").unwrap();
    assert!(usage.answer.contains("- `bell`: Rings a bell once"), "{}", usage.answer);
}

#[tokio::test]
async fn what_nobody_outside_can_call_is_not_listed_in_a_small_project() {
    let code = "// Package knots ties knots.\npackage knots\n\n// Tie ties a knot.\nfunc Tie(s string) string {\n\treturn turn(s) + s\n}\n\n// Loosen opens a knot.\nfunc Loosen(s string) string {\n\treturn turn(s)\n}\n\n// turn turns the rope.\nfunc turn(s string) string {\n\treturn s + s\n}\n";
    let told = overview(&[("go.mod", "module knots\n"), ("knots.go", code)]).await;
    assert!(told.contains("`Tie`") && told.contains("`Loosen`"), "{told}");
    assert!(!told.contains("`turn`"), "{told}");
}

#[tokio::test]
async fn files_that_are_empty_or_too_large_do_not_hide_what_a_small_project_declares() {
    let large = "x".repeat(1 << 21);
    let told = overview(&[
        ("toll.py", "def toll(axles):\n    \"\"\"What a lorry pays, in cents.\"\"\"\n    return axles * 90\n"),
        ("tables.py", &format!("TABLE = '{large}'\n")),
        ("bundle.js", &format!("const bundle = '{large}'\n")),
        ("marks.py", ""),
    ])
    .await;
    assert!(told.contains("`toll`") && told.contains("toll.py:1"), "{told}");
}

#[tokio::test]
async fn a_plugin_is_no_program_to_run() {
    let project = "[project]\nname = \"shelf\"\nversion = \"1.0\"\n\n[project.scripts]\nput = \"shelf.cli:main\"\n\n[project.entry-points.bundler]\nhook-dirs = \"shelf.hooks:dirs\"\n";
    let told = overview(&[
        ("pyproject.toml", project),
        ("README.md", "# shelf\n\nShelf is a place to keep settings in.\n"),
        ("shelf/__init__.py", "\"\"\"Keeps settings.\"\"\"\n\n\nclass Shelf:\n    \"\"\"Keeps settings by name.\"\"\"\n\n    def get(self, name):\n        \"\"\"Returns a setting.\"\"\"\n        return name\n"),
        ("shelf/cli.py", "def main():\n    \"\"\"Runs the program.\"\"\"\n    return 0\n"),
        ("shelf/hooks.py", "def dirs():\n    \"\"\"Says where the hooks are.\"\"\"\n    return []\n"),
    ])
    .await;
    assert!(told.contains("`put`") && !told.contains("`hook-dirs`"), "{told}");
}

#[tokio::test]
async fn what_the_readme_says_that_the_project_does_is_what_it_is() {
    let told = overview(&[
        ("README.md", "# Tollbooth\n\nTollbooth reads the plates of lorries. It keeps a list of those that have not paid.\n"),
        ("Cargo.toml", "[package]\nname = \"tollbooth\"\nversion = \"1.0.0\"\n"),
        ("src/main.rs", "//! The `tollbooth` command.\n\nfn main() {\n    println!(\"{}\", lorries());\n}\n\n/// Counts lorries.\nfn lorries() -> u32 {\n    7\n}\n"),
    ])
    .await;
    assert!(told.contains("reads the plates of lorries"), "{told}");
}

#[tokio::test]
async fn a_function_with_the_name_of_the_project_is_read_before_a_silent_type() {
    let code = "package gong\n\n/** Makes a gong that sounds as loud as it is told to. */\nfun gong(loud: Int): Int = Gong.strike(loud)\n\nobject Gong {\n    fun strike(loud: Int): Int {\n        return loud * 2\n    }\n\n    fun damp(loud: Int): Int {\n        return loud / 2\n    }\n\n    fun hang(loud: Int): Int {\n        return loud\n    }\n}\n";
    let manifest = "rootProject.name = \"gong\"\n";
    let told = overview(&[
        ("settings.gradle.kts", manifest),
        ("README.md", "# gong\n\nA library that makes gongs of all sizes.\n"),
        ("gong/Gong.kt", code),
    ])
    .await;
    assert!(told.contains("function `gong` (`gong/Gong.kt:4`)"), "{told}");
}

/// The answer that shows the example of a project.
async fn example_of(files: &[(&str, &str)]) -> String {
    let records = Stage::of(files).learn(9, Language::English).await;
    let usage = records.iter().find(|r| r.topic.as_ref().unwrap().subject == "usage");
    usage.map(|r| r.answer.clone()).unwrap_or_default()
}

#[tokio::test]
async fn an_example_needs_no_import_of_what_it_documents() {
    let code = "\"\"\"Tides.\"\"\"\n\n\nclass Tide:\n    \"\"\"Tells how high the water stands.\n\n    Here is how::\n\n        from tide import Moon\n\n        tide = Tide(Moon(3))\n        tide.height(1)\n    \"\"\"\n\n    def height(self, day):\n        \"\"\"Tell the height of one day.\"\"\"\n        return day\n\n\nclass Moon:\n    \"\"\"The moon of one night.\"\"\"\n\n    def full(self, day):\n        \"\"\"Tell whether it is full.\"\"\"\n        return day\n";
    let usage =
        example_of(&[("pyproject.toml", "[project]\nname = \"tide\"\n"), ("tide.py", code)]).await;
    assert!(usage.contains("- `Tide`: Tells how high"), "{usage}");
    assert!(usage.contains("- `Moon`: The moon of one night"), "{usage}");
}

#[tokio::test]
async fn what_is_read_first_shows_its_use_before_what_is_much_used() {
    let tide = "package a;\n\n/**\n * Begins with the tides.\n *\n * <pre>\n * Port port = Tide.open();\n * port.call(1);\n * </pre>\n */\npublic class Tide {\n    /** Opens a port. */\n    public static Port open() {\n        return new Port();\n    }\n}\n";
    let port = "package a;\n\n/**\n * A port with ships.\n *\n * <pre>\n * Port port = new Port();\n * port.call(7);\n * port.leave(8);\n * </pre>\n */\npublic class Port {\n    /** Calls a ship. */\n    public int call(int n) {\n        return n;\n    }\n\n    /** Lets a ship leave. */\n    public int leave(int n) {\n        return n;\n    }\n}\n";
    let users: String = (0..12)
        .map(|n| {
            format!("    int use{n}(Port port) {{ return port.call({n}) + port.leave({n}); }}\n")
        })
        .collect();
    let users = format!("package a;\n\nclass Users {{\n{users}}}\n");
    let others: Vec<String> = ["Quay", "Crane", "Crew"]
        .iter()
        .map(|name| format!("package a;\n\n/**\n * A {name} of many.\n *\n * <pre>\n * Port port = new Port();\n * port.leave(3);\n * </pre>\n */\npublic class {name} {{\n    /** Works. */\n    public int work(Port port) {{ return port.call(1); }}\n    /** Rests. */\n    public int rest(Port port) {{ return port.leave(1); }}\n}}\n"))
        .collect();
    let pom = "<project><groupId>a</groupId><artifactId>tide</artifactId><version>1</version></project>\n";
    let usage = example_of(&[
        ("pom.xml", pom),
        ("a/Tide.java", tide),
        ("a/Port.java", port),
        ("a/Users.java", &users),
        ("a/Quay.java", &others[0]),
        ("a/Crane.java", &others[1]),
        ("a/Crew.java", &others[2]),
    ])
    .await;
    assert!(usage.contains("Tide.open()"), "{usage}");
}

#[tokio::test]
async fn what_was_built_of_the_code_is_no_part_of_it() {
    let class = |name: &str| {
        format!(
            "/** A {name} of the mill. */\nexport class {name} {{\n  /** Turns it. */\n  turn(n: number): number {{\n    return n\n  }}\n}}\n"
        )
    };
    let code = format!("import {{Stone}} from \"./stone\"\n\n{}", class("Wheel"));
    let again = "/** A Wheel of its own. */\nexport class Wheel {\n  turn(n: number): number {\n    return n\n  }\n}\n";
    let built = "export declare class Wheel {\n  turn(n: number): number\n}\n";
    let files = [
        (
            "package.json",
            "{\"name\": \"mill\", \"version\": \"1.0.0\", \"main\": \"dist/wheel.js\"}\n"
                .to_owned(),
        ),
        ("README.md", "# mill\n\nMill grinds corn with wheels and stones.\n".to_owned()),
        ("lib/wheel.ts", code),
        ("lib/stone/stone.ts", class("Stone")),
        ("lib/sail/sail.ts", class("Sail")),
        ("lib/old/wheel.ts", again.to_owned()),
        ("dist/wheel.d.ts", built.to_owned()),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(p, t)| (*p, t.as_str())).collect();
    let records = Stage::of(&files).learn(1, Language::English).await;
    let answer = &records[0].answer;
    assert!(answer.contains("- `lib/stone`"), "{answer}");
    assert!(!answer.contains("- `dist`"), "{answer}");
}

#[tokio::test]
async fn a_script_beside_a_package_says_nothing_of_the_whole() {
    let manifest = "[project]\nname = \"mill\"\ndescription = \"Grinds corn at home\"\n";
    let script = "\"\"\"Shows how a mill looks on a screen.\"\"\"\n\nprint(1)\n";
    let files = [
        ("pyproject.toml", manifest),
        ("show_off.py", script),
        (
            "src/mill/__init__.py",
            "class Mill:\n    \"\"\"Grinds corn.\"\"\"\n\n    def grind(self):\n        \"\"\"Grind it all.\"\"\"\n        return 1\n",
        ),
    ];
    let told = overview(&files).await;
    assert!(told.contains("Grinds corn at home") && !told.contains("Shows how a mill"), "{told}");
}

#[tokio::test]
async fn a_verb_that_takes_an_object_says_what_the_project_does() {
    let told = |says: &'static str| async move {
        let readme = format!("# Tollbooth\n\nTollbooth {says}.\n");
        let module = "\"\"\"The public names of it all.\"\"\"\n\n\ndef toll(lorry):\n    \"\"\"Take the toll of a lorry.\"\"\"\n    return lorry\n";
        overview(&[
            ("README.md", &readme),
            ("pyproject.toml", "[project]\nname = \"tollbooth\"\nversion = \"1.0.0\"\n"),
            ("tollbooth/__init__.py", module),
        ])
        .await
    };
    let aims = told("aims to be the fairest of all booths").await;
    assert!(aims.contains("fairest of all booths"), "{aims}");
    let roads = told("roads are long and wide in every land").await;
    assert!(roads.contains("the public names of it all"), "{roads}");
}

#[tokio::test]
async fn a_function_with_the_name_of_the_project_may_stand_behind_what_hands_it_on() {
    let code = "\"\"\"The core.\"\"\"\n\n\nclass Bells:\n    \"\"\"Bells of all sizes.\"\"\"\n\n    def ring(self):\n        \"\"\"Ring all bells at once.\"\"\"\n        return 1\n\n    def hang(self):\n        \"\"\"Hang the bells in the tower.\"\"\"\n        return 2\n\n\n\
        def gong(bells):\n    \"\"\"Strike the gong as often as there are bells.\"\"\"\n    return bells.ring()\n";
    let files = |entry: &'static str| {
        [
            ("pyproject.toml", "[project]\nname = \"gong\"\nversion = \"1.0.0\"\n"),
            ("gong/__init__.py", entry),
            ("gong/core.py", code),
        ]
    };
    let told = overview(&files("from gong.core import gong, Bells\n")).await;
    assert!(told.contains("function `gong` (`gong/core.py:16`)"), "{told}");
    let kept = overview(&files("from gong.core import Bells\n")).await;
    assert!(!kept.contains("function `gong`"), "{kept}");
}

/// The answer about a project's use.
async fn usage_of(files: &[(&str, &str)]) -> String {
    let records = Stage::of(files).learn(5, Language::English).await;
    let usage = records.iter().find(|r| r.topic.as_ref().unwrap().subject == "usage");
    usage.map(|r| r.answer.clone()).unwrap_or_default()
}

#[tokio::test]
async fn of_a_long_example_that_is_shown_in_which_something_is_done() {
    let heading: String =
        (0..30).map(|n| format!("// Word {n} of what is said before.\n")).collect();
    let rest: String = (0..10).map(|n| format!("mill.grind({n})\n")).collect();
    let readme = format!(
        "# Mill\n\nMill grinds corn.\n\n## Usage\n\n```js\nimport {{ Mill }} from 'mill'\n{heading}const mill = new Mill()\n{rest}```\n"
    );
    let code = "/** Grinds corn to flour. */\nexport class Mill {\n  /** Grinds a sack of corn. */\n  grind(corn) {\n    return corn\n  }\n}\n";
    let usage = usage_of(&[
        ("package.json", "{\"name\":\"mill\",\"version\":\"1.0.0\",\"main\":\"index.js\"}"),
        ("README.md", &readme),
        ("index.js", code),
    ])
    .await;
    assert!(usage.contains("const mill = new Mill()\nmill.grind(0)"), "{usage}");
    assert!(!usage.contains("Word 3") && !usage.contains('…'), "{usage}");
}

#[tokio::test]
async fn the_use_of_a_library_is_its_code_though_a_program_starts_it() {
    let readme = "# Mill\n\nMill grinds corn.\n\n## Usage\n\n```python\nimport mill\n\nprint(mill.__version__)\n```\n\nThen start it:\n\n    mill corn\n";
    let usage = usage_of(&[
        ("pyproject.toml", "[project]\nname = \"mill\"\nversion = \"1.0.0\"\n\n[project.scripts]\nmill = \"mill.cli:main\"\n"),
        ("README.md", readme),
        ("mill/__init__.py", "\"\"\"Grinds corn.\"\"\"\n\nfrom .stone import Stone\n\n__version__ = \"1.0.0\"\n"),
        ("mill/stone.py", "class Stone:\n    \"\"\"A stone that turns.\"\"\"\n\n    def turn(self):\n        \"\"\"Turn the stone once.\"\"\"\n        return 1\n\n    def halt(self):\n        \"\"\"Halt the stone.\"\"\"\n        return 2\n"),
        ("mill/cli.py", "from .stone import Stone\n\n\ndef main():\n    \"\"\"Grind what is given.\"\"\"\n    return Stone().turn()\n"),
    ])
    .await;
    assert!(usage.contains("import mill"), "{usage}");
}

#[tokio::test]
async fn what_only_declares_the_code_beside_it_is_no_part_of_its_own() {
    let functions = |body: &str, from: usize, kind: &str| -> String {
        (0..30)
            .map(|n| {
                format!("/** Does the part {} of {kind}. */\n{body}\n", from + n)
                    .replace("NAME", &format!("part{n}"))
            })
            .collect()
    };
    let code = format!(
        "/** Grinds corn to flour. */\nexport class Mill {{\n{}}}\n",
        functions("NAME(corn) {\n  return corn\n}", 0, "the work")
    );
    let declared = format!(
        "/** What a mill is set to. */\nexport interface MillState {{\n  /** How fast it turns. */\n  speed: number\n  /** How much it holds. */\n  size: number\n}}\n/** Grinds corn to flour, as declared. */\nexport declare class Mill {{\n{}}}\n",
        functions("NAME(corn: string): string", 50, "the word")
    );
    let records = Stage::of(&[
        ("package.json", "{\"name\":\"mill\",\"version\":\"1.0.0\",\"main\":\"index.js\"}"),
        ("index.js", &code),
        ("index.d.ts", &declared),
    ])
    .learn(1, Language::English)
    .await;
    let overview = &records[0].answer;
    assert!(overview.contains("`MillState`"), "{overview}");
    assert_eq!(overview.matches("Grinds corn to flour").count(), 1, "{overview}");
}

#[tokio::test]
async fn what_is_built_in_two_ways_is_one_part() {
    let functions: String = (0..20)
        .map(|n| format!("  /** Does the part {n} of the work. */\n  part{n}(corn) {{\n    return corn\n  }}\n"))
        .collect();
    let built =
        |name: &str| format!("/** Grinds corn by {name}. */\nclass {name} {{\n{functions}}}\n");
    let files = [
        (
            "package.json",
            "{\"name\":\"mill\",\"version\":\"1.0.0\",\"main\":\"dist/mill.cjs\"}".to_owned(),
        ),
        ("dist/mill.cjs", format!("{}module.exports = {{ Mill }}\n", built("Mill"))),
        ("dist/mill.mjs", format!("{}export {{ Mill }}\n", built("Mill"))),
        ("dist/sieve.mjs", format!("{}export {{ Sieve }}\n", built("Sieve"))),
    ];
    let files: Vec<(&str, &str)> =
        files.iter().map(|(path, text)| (*path, text.as_str())).collect();
    let answer = overview(&files).await;
    assert!(answer.contains("dist/sieve.mjs"), "{answer}");
    assert_eq!(answer.matches("`Mill`, Grinds").count(), 1, "{answer}");
}

#[tokio::test]
async fn a_library_is_not_read_from_the_program_that_shows_its_use() {
    let answer = overview(&[
        ("go.mod", "module example.com/mill\n\ngo 1.22\n"),
        ("README.md", "# mill\n\nA library that grinds corn.\n"),
        ("stone.go", "// Package mill grinds corn.\npackage mill\n\n// Stone turns by the wind.\ntype Stone struct{}\n\n// Turn turns the stone.\nfunc (s *Stone) Turn() int { return 1 }\n\n// Halt halts the stone.\nfunc (s *Stone) Halt() int { return 2 }\n"),
        ("cmd/mill/main.go", "// Command mill shows a mill at work.\npackage main\n\nimport \"example.com/mill\"\n\n// show shows a stone.\nfunc show(n int) int {\n\ts := mill.Stone{}\n\tt := s.Turn()\n\treturn t + n\n}\n\nfunc wait(n int) int {\n\tm := n\n\treturn m\n}\n\nfunc tell(n int) int {\n\tm := n\n\treturn m\n}\n\nfunc main() {\n\ta := show(1)\n\tb := wait(a)\n\tc := tell(b)\n\tshow(c)\n}\n"),
    ])
    .await;
    assert!(
        answer.contains("struct `Stone` (`stone.go:5`)") && !answer.contains("function `main`"),
        "{answer}"
    );
}
