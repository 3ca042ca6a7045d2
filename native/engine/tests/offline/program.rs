//! What is told of a project that is started, not built on: its commands, where it begins, and how it stops.

use ouro_core::{Language, LearningRecord};

use crate::stage::{Stage, citations};

const MANIFEST: &str = "[package]\nname = \"sieve\"\nversion = \"1.0.0\"\ndescription = \"Sieves sand\"\n\n[[bin]]\nname = \"sieve\"\npath = \"src/main.rs\"\n";
const README: &str = "# sieve\n\nA sieve for the terminal.\n\n## Usage\n\nLet it run over a heap:\n\n```sh\nsieve --fine heap.txt\n```\n\nSeveral heaps are taken, too:\n\n\
    ```sh\n$ sieve heap.txt hill.txt\n```\n\nIt is installed by the usual means:\n\n```sh\ncargo install sieve\n```\n";
const MAIN: &str = "mod grains;\n\nuse grains::{read, shake, show};\n\nfn main() {\n    if let Err(error) = run() {\n        hint(&error);\n    }\n}\n\nfn hint(error: &anyhow::Error) {\n    let told = error.to_string();\n    eprintln!(\"{told}\");\n}\n\n\
    fn run() -> anyhow::Result<()> {\n    let heap = read(\"heap.txt\")?;\n    let fine = shake(heap, 3)?;\n    show(&fine);\n    Ok(())\n}\n";
const GRAINS: &str = "use anyhow::{bail, ensure};\n\n/// Settings of the sieve.\npub struct Mesh {\n    /// How wide the holes are.\n    pub width: u32,\n}\n\n\
    impl Mesh {\n    /// Widens the holes by some.\n    pub fn widen(&mut self, by: u32) {\n        self.width += by;\n    }\n}\n\n\
    /// Reads a heap from a file.\npub fn read(path: &str) -> anyhow::Result<Vec<u32>> {\n    if path.is_empty() {\n        bail!(\"a heap needs a file to be read from\");\n    }\n    Ok(vec![path.len() as u32])\n}\n\n\
    /// Shakes a heap through holes of a width.\npub fn shake(heap: Vec<u32>, width: u32) -> anyhow::Result<Vec<u32>> {\n    ensure!(width > 0, \"holes need a width above nothing\");\n    \
    let kept = heap.into_iter().filter(|grain| *grain < width);\n    Ok(kept.collect())\n}\n\n\
    /// Shows what is left of a heap.\npub fn show(heap: &[u32]) {\n    for grain in heap {\n        println!(\"{grain}\");\n    }\n}\n";

const FILES: [(&str, &str); 4] = [
    ("Cargo.toml", MANIFEST),
    ("README.md", README),
    ("src/main.rs", MAIN),
    ("src/grains.rs", GRAINS),
];

async fn records(language: Language) -> Vec<LearningRecord> {
    Stage::of(&FILES).learn(6, language).await
}

fn about<'r>(records: &'r [LearningRecord], subject: &str) -> &'r LearningRecord {
    let found = records.iter().find(|r| r.topic.as_ref().unwrap().subject.starts_with(subject));
    found.unwrap_or_else(|| panic!("no record about {subject}"))
}

#[tokio::test]
async fn a_program_is_read_and_followed_from_what_its_start_leads_to() {
    let records = records(Language::English).await;
    let overview = about(&records, "overview");
    assert!(overview.answer.contains("the function `run` (`src/main.rs:16`)"), "{overview:?}");
    let flow = about(&records, "flow");
    assert!(flow.question.contains("start"), "{flow:?}");
    let steps: Vec<_> = ["`read`", "`shake`", "`show`"].map(|s| flow.answer.find(s)).into();
    assert!(steps.iter().all(Option::is_some) && steps.is_sorted(), "{flow:?}");
}

#[tokio::test]
async fn a_program_is_shown_in_use_by_the_commands_of_its_readme() {
    let records = records(Language::English).await;
    let usage = &about(&records, "usage").answer;
    assert!(usage.contains("```sh\nsieve --fine heap.txt\n```"), "{usage}");
    assert!(
        usage.contains("`README.md:16`") && usage.contains("sieve heap.txt hill.txt"),
        "{usage}"
    );
    assert!(!usage.contains("cargo install"), "{usage}");
    assert!(usage.contains("function `run` (`src/main.rs:16`)"), "{usage}");
    for (path, start, end) in citations(usage) {
        assert!(path.ends_with(".rs") || path == "README.md", "{path}:{start}-{end}");
    }
}

#[tokio::test]
async fn macros_that_return_an_error_are_no_panics_and_no_names_of_errors() {
    let answers = |records: Vec<LearningRecord>| {
        records.into_iter().map(|r| r.answer).collect::<Vec<_>>().join("\n")
    };
    let told = answers(records(Language::English).await);
    assert!(told.contains("`read` returns an error when `path.is_empty()`"), "{told}");
    assert!(told.contains("`shake` returns an error unless `width > 0`"), "{told}");
    assert!(!told.contains("panic") && !told.contains("`bail`"), "{told}");
    let chinese = answers(records(Language::Chinese).await);
    assert!(chinese.contains("`read` 在 `path.is_empty()` 时返回错误"), "{chinese}");
}

#[tokio::test]
async fn what_leaves_its_work_to_a_silent_function_is_asked_about_itself() {
    let code = "//! A map of places.\n\n/// A map from names to places.\npub struct Map {\n    places: Vec<u32>,\n}\n\n\
        impl Map {\n    /// Finds a place by its name, or nothing.\n    pub fn find(&self, name: &str) -> Option<u32> {\n        self._find(name)\n    }\n\n    \
        fn _find(&self, name: &str) -> Option<u32> {\n        let key = fold(name);\n        let at = locate(&self.places, key)?;\n        let place = check(&self.places, at);\n        \
        if place.is_none() {\n            return None;\n        }\n        place\n    }\n}\n\n\
        /// Folds a name into a number.\npub fn fold(name: &str) -> u32 {\n    let count = name.len();\n    count as u32\n}\n\n\
        /// Locates a number among the places.\npub fn locate(places: &[u32], key: u32) -> Option<usize> {\n    let found = places.iter().position(|p| *p == key);\n    found\n}\n\n\
        /// Checks that a place is still there.\npub fn check(places: &[u32], at: usize) -> Option<u32> {\n    let found = places.get(at);\n    found.copied()\n}\n";
    let manifest = "[package]\nname = \"atlas\"\nversion = \"1.0.0\"\n";
    let files = [("Cargo.toml", manifest), ("src/lib.rs", code)];
    let records = Stage::of(&files).learn(8, Language::English).await;
    let flow = about(&records, "flow");
    assert!(flow.question.contains("`Map::find`") && !flow.question.contains("_find"), "{flow:?}");
    assert!(flow.answer.starts_with("`Map::find` finds a place by its name"), "{flow:?}");
    let inner = "Its work is done by `Map::_find` (`src/lib.rs:11`)";
    assert!(flow.answer.contains(inner) && flow.answer.contains("1. `fold`"), "{flow:?}");
    let chinese = Stage::of(&files).learn(8, Language::Chinese).await;
    let inner = "它的工作由 `Map::_find` 完成（`src/lib.rs:11`）";
    assert!(about(&chinese, "flow").answer.contains(inner), "{chinese:?}");
}

#[tokio::test]
async fn a_long_introduction_leaves_room_for_where_the_code_is_entered() {
    let long =
        "The sieve has many parts, and each of them is told of at length in this place. ".repeat(3);
    let readme = format!("{README}\n## Parts\n\n{}", format!("{long}\n\n").repeat(300));
    let doc = format!(
        "/// Settings of the sieve.\n///\n{}/// ```\n/// mesh();\n/// ```\n",
        format!("/// {long}\n///\n").repeat(100)
    );
    let grains = GRAINS.replace("/// Settings of the sieve.\n", &doc);
    let mut files = FILES;
    (files[1].1, files[3].1) = (&readme, &grains);
    let records = Stage::of(&files).learn(3, Language::English).await;
    let usage = &about(&records, "usage").answer;
    assert!(usage.contains("sieve --fine heap.txt"), "{usage}");
    assert!(usage.contains("function `run` (`src/main.rs:16`)"), "{usage}");
}

#[tokio::test]
async fn a_program_that_is_started_in_two_ways_is_named_once() {
    let manifest = "[project]\nname = \"bell\"\nversion = \"1.0.0\"\n\n[project.scripts]\nbell = \"bell.cli:main\"\n";
    let main = "from bell.cli import main\n\nif __name__ == \"__main__\":\n    main()\n";
    let cli = "\"\"\"The command.\"\"\"\n\n\ndef main():\n    \"\"\"Ring the bell.\"\"\"\n    print(1)\n\n\nif __name__ == \"__main__\":\n    main()\n";
    let code = "\"\"\"Bells.\"\"\"\n\n\nclass Bell:\n    \"\"\"A bell that rings.\"\"\"\n\n    def ring(self):\n        \"\"\"Ring once.\"\"\"\n        return 1\n";
    let files = [
        ("pyproject.toml", manifest),
        ("bell/__init__.py", code),
        ("bell/__main__.py", main),
        ("bell/cli.py", cli),
    ];
    let records = Stage::of(&files).learn(1, Language::English).await;
    let overview = &about(&records, "overview").answer;
    assert_eq!(overview.matches("`bell` (`bell/").count(), 1, "{overview}");
}
