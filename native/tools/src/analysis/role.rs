//! What a file is for and which language it is in, by its path and, where that says too little, its first lines.

use std::collections::{HashMap, HashSet};

use ouro_core::analysis::FileRole;

/// Languages by the end of the file name. The ones with a grammar are in [`crate::languages`].
const CODE: [(&str, &str); 46] = [
    ("rs", "rust"),
    ("java", "java"),
    ("kt", "kotlin"),
    ("kts", "kotlin"),
    ("py", "python"),
    ("pyi", "python"),
    ("ts", "typescript"),
    ("mts", "typescript"),
    ("cts", "typescript"),
    ("tsx", "tsx"),
    ("js", "javascript"),
    ("mjs", "javascript"),
    ("cjs", "javascript"),
    ("jsx", "javascript"),
    ("go", "go"),
    ("c", "c"),
    ("h", "c"),
    ("cc", "c++"),
    ("cpp", "c++"),
    ("cxx", "c++"),
    ("hpp", "c++"),
    ("hh", "c++"),
    ("cs", "c#"),
    ("rb", "ruby"),
    ("php", "php"),
    ("swift", "swift"),
    ("scala", "scala"),
    ("groovy", "groovy"),
    ("m", "objective-c"),
    ("mm", "objective-c"),
    ("sh", "shell"),
    ("bash", "shell"),
    ("zsh", "shell"),
    ("ps1", "powershell"),
    ("lua", "lua"),
    ("pl", "perl"),
    ("r", "r"),
    ("jl", "julia"),
    ("ex", "elixir"),
    ("exs", "elixir"),
    ("erl", "erlang"),
    ("hs", "haskell"),
    ("dart", "dart"),
    ("vue", "vue"),
    ("svelte", "svelte"),
    ("sql", "sql"),
];

/// Prose by the end of the file name.
const PROSE: [&str; 6] = ["md", "markdown", "rst", "adoc", "asciidoc", "mdx"];

/// Settings by the end of the file name.
const SETTINGS: [&str; 12] = [
    "toml",
    "yaml",
    "yml",
    "ini",
    "cfg",
    "conf",
    "properties",
    "gradle",
    "cmake",
    "mod",
    "editorconfig",
    "bzl",
];

/// The language of a file's code; empty if it holds none that is known.
pub(super) fn language(path: &str) -> &'static str {
    let name = file_name(path);
    if name.ends_with(".gradle.kts") {
        return "kotlin";
    }
    let Some((_, extension)) = name.rsplit_once('.') else { return "" };
    let extension = extension.to_ascii_lowercase();
    CODE.iter().find(|(e, _)| *e == extension).map_or("", |(_, language)| language)
}

/// What a file is for, by its path alone.
pub(super) fn role(path: &str, language: &str) -> FileRole {
    let name = file_name(path);
    let lower = name.to_ascii_lowercase();
    let (stem, extension) = lower.rsplit_once('.').unwrap_or((&lower, ""));
    if folders(path).any(|f| {
        matches!(
            f,
            "vendor"
                | "vendored"
                | "third_party"
                | "third-party"
                | "thirdparty"
                | "node_modules"
                | "_vendor"
        )
    }) {
        return FileRole::Vendored;
    }
    if is_lock_file(&lower)
        || lower.ends_with(".min.js")
        || lower.ends_with(".min.css")
        || lower.ends_with(".pb.go")
    {
        return FileRole::Generated;
    }
    if language.is_empty() {
        return if PROSE.contains(&extension) || is_prose_name(&lower) {
            FileRole::Documentation
        } else if SETTINGS.contains(&extension) || is_settings_name(&lower) {
            FileRole::Configuration
        } else {
            FileRole::Data
        };
    }
    if is_build_script(&lower) {
        return FileRole::Configuration;
    }
    let package_parts_are_names = matches!(language, "java" | "kotlin" | "scala" | "groovy");
    let mut previous = "";
    for folder in folders(path) {
        if package_parts_are_names && (previous == "src" && folder == "main") {
            break;
        }
        // Go and others keep what is not built under `_examples`.
        match folder.trim_start_matches('_') {
            "test" | "tests" | "tests__" | "test_helpers" | "test_helper" | "spec" | "specs"
            | "testdata" | "fixtures" | "e2e" | "testutils" | "test_utils" | "test-utils"
            | "androidTest" | "integration-test" | "integration-tests" | "integration_tests" => {
                return FileRole::Test;
            }
            "example" | "examples" | "demo" | "demos" | "sample" | "samples"
                if !(package_parts_are_names && previous == "com") =>
            {
                return FileRole::Example;
            }
            folder if folder.ends_with("-examples") || folder.ends_with("_examples") => {
                return FileRole::Example;
            }
            // Cargo's benchmarks stand beside `src`: what is called so inside is a module.
            "bench" | "benches" | "benchmark" | "benchmarks" | "jmh"
                if !(language == "rust" && previous == "src") =>
            {
                return FileRole::Benchmark;
            }
            // Kotlin's source sets: jvmTest, commonTest.
            _ if previous == "src" && folder.ends_with("Test") => return FileRole::Test,
            _ => previous = folder,
        }
    }
    match language {
        "go" if stem.ends_with("_test") => FileRole::Test,
        "python"
            if stem.starts_with("test_")
                || stem.ends_with("_test")
                || stem == "conftest"
                || stem == "tests" =>
        {
            FileRole::Test
        }
        "rust" if stem == "tests" || stem == "test" => FileRole::Test,
        _ if stem.replace(['_', '-'], "") == "runtests" => FileRole::Test,
        "java" | "kotlin" if ends_with_word(name, &["Test", "Tests", "TestCase", "IT"]) => {
            FileRole::Test
        }
        "java" | "kotlin" if ends_with_word(name, &["Benchmark", "Benchmarks"]) => {
            FileRole::Benchmark
        }
        "typescript" | "tsx" | "javascript"
            if stem.ends_with(".test") || stem.ends_with(".spec") =>
        {
            FileRole::Test
        }
        "typescript" | "tsx" | "javascript" if stem.ends_with(".bench") => FileRole::Benchmark,
        _ => FileRole::Source,
    }
}

/// Whether a file that is only called `tests` holds what tests are made of: a package may well be about tests.
pub(super) fn holds_tests(path: &str, text: &str) -> bool {
    let is_named_so = file_name(path).eq_ignore_ascii_case("tests.py")
        && !folders(path).any(|f| matches!(f, "test" | "tests"));
    let made_of = ["assert", "unittest", "pytest", "TestCase", "doctest"];
    !is_named_so || made_of.iter().any(|word| text.contains(word))
}

/// Whether the content says that a program wrote it, or is squeezed together as only a program would.
pub(super) fn is_generated(text: &str) -> bool {
    let head_end =
        text.char_indices().map(|(at, _)| at).take_while(|at| *at <= 1_500).last().unwrap_or(0);
    let head = text.get(..head_end).unwrap_or(text);
    let says_so = head.lines().take(20).any(|line| {
        let is_comment = line.trim_start().starts_with(['/', '*', '#', ';', '<', '-']);
        is_comment
            && (line.contains("DO NOT EDIT")
                || line.contains("Do not edit")
                || line.contains("@generated")
                || line.contains("Code generated")
                || line.contains("Generated by")
                || line.contains("generated by")
                || line.contains("automatically generated")
                || line.contains("auto-generated")
                || line.contains("autogenerated"))
    });
    let compiled =
        text.trim_end().lines().next_back().is_some_and(|l| l.starts_with("//# sourceMappingURL="));
    let bundled = BUNDLERS.iter().any(|mark| head.contains(mark));
    says_so || compiled || bundled || is_minified(text)
}

/// What files begin with that browserify or webpack made: they hold the code of other packages too.
const BUNDLERS: [&str; 3] = [
    "(function(f){if(typeof exports===\"object\"",
    "webpackUniversalModuleDefinition",
    "__webpack_require__",
];

/// The path of the same script in the package's first form, where this one is of another: `a.js` for `esm/a.mjs`,
/// `dist/a.js` for `dist-node/a.js`, `dist/esm/a.js` for `dist/cjs/a.js`.
fn first_forms(path: &str) -> Vec<String> {
    let plain = [(".mjs", ".js"), (".cjs", ".js"), (".d.mts", ".d.ts"), (".d.cts", ".d.ts")]
        .iter()
        .find_map(|(end, plain)| Some(format!("{}{plain}", path.strip_suffix(end)?)))
        .unwrap_or_else(|| path.to_owned());
    let mut found = Vec::new();
    let folders: Vec<&str> = plain.split('/').collect();
    for (at, name) in folders.iter().enumerate().take(folders.len().saturating_sub(1)) {
        let with = |instead: Option<&str>| {
            let mut parts = folders.clone();
            parts.splice(at..=at, instead);
            parts.join("/")
        };
        match *name {
            "esm" | "es" | "mjs" | "umd" | "system" => found.push(with(None)),
            "cjs" | "commonjs" => found.extend([with(None), with(Some("esm")), with(Some("es"))]),
            "browser" | "node" | "react-native" | "deno" if folders.first() == Some(&"dist") => {
                found.push(with(None));
            }
            _ if name.starts_with("dist-") => found.push(with(Some("dist"))),
            _ => {}
        }
    }
    found
}

/// Which of these paths are what a TypeScript compiler or bundler made of another: `dist/a/b.js` beside `src/a/b.ts`,
/// `dist/a.js` beside `lib/a.js`, `a.cjs` beside `a.js`, `esm/a.mjs` beside `a.js`. One flag for each path.
pub(super) fn compiled_copies<'p>(paths: &[&'p str]) -> Vec<bool> {
    let all: HashSet<&str> = paths.iter().copied().collect();
    let sources: HashSet<&str> = paths
        .iter()
        .filter(|path| !path.ends_with(".d.ts"))
        .filter_map(|path| path.strip_suffix(".ts").or_else(|| path.strip_suffix(".tsx")))
        .map(|stem| stem.split_once("src/").map_or(stem, |(_, rest)| rest))
        .collect();
    let ends = [".d.ts", ".d.mts", ".d.cts", ".js", ".cjs", ".mjs", ".jsx"];
    let split = |path: &'p str| ends.iter().find_map(|end| Some((path.strip_suffix(end)?, *end)));
    let is_compiled = |path: &'p str| {
        let Some((stem, _)) = split(path) else { return false };
        let starts = std::iter::once(0).chain(stem.match_indices('/').map(|(at, _)| at + 1));
        starts.take(6).any(|at| stem.get(at..).is_some_and(|rest| sources.contains(rest)))
    };
    let is_copy = |path: &'p str| {
        let Some((stem, end)) = split(path) else { return false };
        let beside = |other: &str| end != other && all.contains(format!("{stem}{other}").as_str());
        let twin = match end {
            ".cjs" | ".mjs" => beside(".js"),
            ".d.mts" | ".d.cts" => beside(".d.ts"),
            _ => false,
        };
        // What was written in JavaScript is built into `dist` for older readers.
        let built = path.strip_prefix("dist/").is_some_and(|rest| {
            ["lib/", "src/"].iter().any(|from| all.contains(format!("{from}{rest}").as_str()))
        });
        let twin =
            twin || built || first_forms(path).iter().any(|first| all.contains(first.as_str()));
        twin || is_compiled(path)
    };
    let mut copies: Vec<bool> = paths.iter().map(|path| is_copy(path)).collect();
    // What a folder holds beside what was compiled was made by the same build: parts that several of its files share, and
    // what it was told to put there.
    let mut made: HashMap<&str, usize> = HashMap::new();
    for path in paths.iter().filter(|path| is_compiled(path)) {
        *made.entry(built_folder(path).unwrap_or_default()).or_default() += 1;
    }
    for (path, copy) in paths.iter().zip(&mut copies) {
        *copy |= built_folder(path).is_some_and(|folder| made.get(folder) >= Some(&MADE));
    }
    copies
}

/// Fewest files made of sources that show a folder to be what a build writes into.
const MADE: usize = 4;

/// The folder around a script, up to the outermost that is called as those which builds write into.
fn built_folder(path: &str) -> Option<&str> {
    let ends = [".ts", ".mts", ".cts", ".js", ".cjs", ".mjs", ".jsx"];
    ends.iter().find(|end| path.ends_with(**end))?;
    let mut start = 0;
    for part in folder(path).split('/') {
        let end = start + part.len();
        if matches!(part, "build" | "dist" | "out") {
            return path.get(..end);
        }
        start = end + 1;
    }
    None
}

/// Whether lines are so long that nobody wrote them.
pub(super) fn is_minified(text: &str) -> bool {
    let lines = text.lines().count().max(1);
    text.len() / lines > 300 || text.lines().any(|line| line.len() > 20_000)
}

/// The last part of a path.
pub(super) fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The folder of a path; empty for the root.
pub(super) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn folders(path: &str) -> impl Iterator<Item = &str> {
    folder(path).split('/').filter(|f| !f.is_empty())
}

fn ends_with_word(name: &str, words: &[&str]) -> bool {
    let stem = name.split('.').next().unwrap_or(name);
    words.iter().any(|word| {
        stem.strip_suffix(word).is_some_and(|rest| {
            rest.ends_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
        })
    })
}

fn is_lock_file(name: &str) -> bool {
    name.ends_with(".lock")
        || matches!(
            name,
            "package-lock.json"
                | "npm-shrinkwrap.json"
                | "yarn.lock"
                | "pnpm-lock.yaml"
                | "go.sum"
                | "gradle.lockfile"
        )
}

fn is_prose_name(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name);
    matches!(
        stem,
        "readme"
            | "changelog"
            | "changes"
            | "history"
            | "news"
            | "contributing"
            | "authors"
            | "license"
            | "licence"
            | "copying"
            | "notice"
            | "security"
            | "install"
            | "todo"
            | "contributors"
    ) && (!name.contains('.') || name.ends_with(".txt"))
}

fn is_settings_name(name: &str) -> bool {
    matches!(
        name,
        "package.json"
            | "tsconfig.json"
            | "jsconfig.json"
            | "composer.json"
            | "lerna.json"
            | "nx.json"
            | "turbo.json"
            | "deno.json"
            | "pom.xml"
            | "build.xml"
            | "plugin.xml"
            | "androidmanifest.xml"
            | "web.xml"
            | "logback.xml"
            | "log4j2.xml"
            | "dockerfile"
            | "makefile"
            | "justfile"
            | "procfile"
            | "jenkinsfile"
            | "gemfile"
            | "rakefile"
            | "codeowners"
            | "cmakelists.txt"
            | "requirements.txt"
            | "manifest.in"
            | "pipfile"
            | "gradlew"
            | "mvnw"
            | "go.work"
            | "build.bazel"
            | "build"
            | "workspace"
    ) || name.starts_with('.')
        || name.starts_with("tsconfig.")
        || name.starts_with("dockerfile.")
        || (name.starts_with("requirements") && name.ends_with(".txt"))
}

fn is_build_script(name: &str) -> bool {
    matches!(
        name,
        "build.rs"
            | "setup.py"
            | "noxfile.py"
            | "gulpfile.js"
            | "gruntfile.js"
            | "karma.conf.js"
            | "jest.config.js"
            | "fabfile.py"
    ) || name.ends_with(".gradle.kts")
        || name.starts_with(".eslintrc")
        || [".config.js", ".config.ts", ".config.mjs", ".config.cjs", ".config.mts"]
            .iter()
            .any(|end| name.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_tells_what_a_file_is_for() {
        use FileRole::*;
        for (path, expected) in [
            ("src/lib.rs", Source),
            ("tests/it.rs", Test),
            ("benches/a.rs", Benchmark),
            ("examples/a.rs", Example),
            ("typing-examples/a.py", Example),
            ("src/benchmark/mod.rs", Source),
            ("build.rs", Configuration),
            ("Cargo.toml", Configuration),
            ("Cargo.lock", Generated),
            ("src/main/java/com/example/App.java", Source),
            ("src/main/java/org/test/Runner.java", Source),
            ("src/test/java/com/example/AppTest.java", Test),
            ("com/google/gson/Gson.java", Source),
            ("okio/src/commonTest/kotlin/BufferTest.kt", Test),
            ("lib/Latest.java", Source),
            ("src/FooIT.java", Test),
            ("pkg/tests/test_a.py", Test),
            ("pkg/testing.py", Source),
            ("runtests.py", Test),
            ("run_tests.js", Test),
            ("cmd_test.go", Test),
            ("vendor/x/y.go", Vendored),
            ("src/a.spec.ts", Test),
            ("vite.config.ts", Configuration),
            ("dist/x.min.js", Generated),
            ("README.md", Documentation),
            ("LICENSE", Documentation),
            ("data/cities.json", Data),
            ("package.json", Configuration),
            (".github/workflows/ci.yml", Configuration),
        ] {
            assert_eq!(role(path, language(path)), expected, "{path}");
        }
    }

    #[test]
    fn a_module_about_tests_holds_none() {
        let about = "def test_even(value):\n    return value % 2 == 0\n";
        assert!(!holds_tests("template/tests.py", about));
        let tests = "class ShopTests(TestCase):\n    def test_open(self):\n        pass\n";
        assert!(holds_tests("shop/tests.py", tests) && holds_tests("tests/tests.py", about));
        assert!(holds_tests("shop/test_open.py", about));
    }

    #[test]
    fn compiled_copies_are_told_from_their_sources() {
        let paths = [
            "src/a/b.ts",
            "dist/esm/a/b.js",
            "dist/esm/a/b.d.ts",
            "c.js",
            "c.cjs",
            "lib/b.js",
            "types/x.d.ts",
            "dist/b.js",
            "dist/only.js",
        ];
        let copies = [false, true, true, false, true, false, false, true, false];
        assert_eq!(compiled_copies(&paths), copies);
        let forms = [
            "dist/a.js",
            "dist-node/a.js",
            "dist-node/only.js",
            "b.js",
            "b.d.ts",
            "esm/b.mjs",
            "esm/b.d.mts",
            "lib/esm/c.js",
            "lib/cjs/c.js",
            "dist/browser/a.js",
            "src/node/d.js",
            "src/d.js",
        ];
        let copies =
            [false, true, false, false, false, true, true, false, true, true, false, false];
        assert_eq!(compiled_copies(&forms), copies);
    }

    #[test]
    fn what_a_build_puts_beside_its_copies_is_built_too() {
        let names = ["a", "b", "c", "d"];
        let sources = names.iter().map(|n| format!("p/src/{n}.ts"));
        let built = names.iter().map(|n| format!("p/build/modern/{n}.js"));
        let beside = ["p/build/modern/shared-1A2B.js", "p/build/tools/move.cjs", "build/run.js"];
        let all: Vec<String> =
            sources.chain(built).chain(beside.iter().map(|&path| path.to_owned())).collect();
        let paths: Vec<&str> = all.iter().map(String::as_str).collect();
        let copies = compiled_copies(&paths);
        assert_eq!(copies[..4], [false; 4]);
        assert_eq!(copies[4..], [true, true, true, true, true, true, false]);
    }

    #[test]
    fn a_marker_or_endless_lines_show_a_generated_file() {
        assert!(is_generated("// Code generated by protoc. DO NOT EDIT.\npackage x\n"));
        assert!(is_generated(&format!("var a=1;{}\n", "x();".repeat(500))));
        let wrapper = "(function(f){if(typeof exports===\"object\"&&typeof module!==\"undefined\"){module.exports=f()}})(function(){\n";
        assert!(is_generated(wrapper) && !is_generated("(function(f){ f(exports) })(run)\n"));
        assert!(!is_generated("//! Finds what was generated.\nfn generated_by() {}\n"));
        assert!(!is_generated(""));
    }
}
