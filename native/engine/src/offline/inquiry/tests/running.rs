//! How the tests of a project are run: the files that may say so, and the order that one of them holds.

use ouro_core::analysis::FileFacts;

use crate::offline::{code, draft::Draft, facts::Facts, plan::Wants};

/// Most files that may say how tests are run.
const MOST_GUIDES: usize = 6;
/// Longest order that runs tests, in characters.
const MAX_COMMAND: usize = 80;

/// Wants the lines of these files that may be such an order.
pub(super) fn want(guides: &[String], facts: &Facts, wants: &mut Wants) {
    let pattern = orders(facts).join("|").replace('.', r"\.");
    if !guides.is_empty() {
        wants.grep(pattern, &format!("{{{}}}", guides.join(",")), 40);
    }
}

/// Says by which order the tests are run: the first that the files meant for people or builds hold.
pub(super) fn tell(guides: &[String], facts: &Facts, draft: &mut Draft<'_>) {
    let orders = orders(facts);
    for path in guides {
        let lines = draft.evidence.files().find(|(p, _)| p == path).map(|(_, lines)| lines);
        let found = lines.into_iter().flatten().find_map(|(line, text)| {
            Some((*line, code::inline_code(&order(path, text, &orders)?)?))
        });
        let Some((line, code)) = found else { continue };
        let Some(cite) = draft.evidence.cite(path, line, line) else { continue };
        let key = if path.ends_with("package.json") { "tests.script" } else { "tests.run" };
        draft.say(key, vec![cite.clone()], &[("code", &code), ("at", &cite.to_string())]);
        return;
    }
}

/// How orders begin that run the tests of a project in its main language.
fn orders(facts: &Facts) -> Vec<&'static str> {
    let language = facts.analysis().languages.first().map_or("", |l| l.language.as_str());
    let own: &[&str] = match language {
        "rust" => &["cargo test", "cargo nextest run", "cargo xtask test"],
        "go" => &["go test"],
        "python" => &[
            "pytest",
            "python -m pytest",
            "python -m unittest",
            "python setup.py test",
            "uv run pytest",
            "tox",
            "nox",
            "hatch test",
        ],
        "java" | "kotlin" => &[
            "./gradlew test",
            "./gradlew check",
            "gradle test",
            "mvn test",
            "mvn verify",
            "./mvnw test",
            "./mvnw verify",
        ],
        _ => &["npm test", "npm run test", "yarn test", "pnpm test", "\"test\": "],
    };
    own.iter().chain(&["make test", "make check", "just test"]).copied().collect()
}

/// The files that may say how the tests are run: those for people first, then those for programs.
pub(super) fn guides(facts: &Facts) -> Vec<String> {
    let place = |file: &FileFacts| {
        let lower = file.path.to_lowercase();
        let name = lower.rsplit('/').next().unwrap_or_default();
        let deep = lower.matches('/').count();
        let stem = name.split('.').next().unwrap_or_default();
        match stem {
            "contributing" | "development" | "hacking" if deep <= 1 => Some(0),
            "readme" if deep == 0 => Some(1),
            _ if lower == "package.json" => Some(2),
            _ if matches!(lower.as_str(), "makefile" | "justfile" | "tox.ini") => Some(3),
            _ if lower.starts_with(".github/workflows/") => Some(4),
            _ if matches!(lower.as_str(), ".travis.yml" | ".gitlab-ci.yml") => Some(5),
            _ => None,
        }
    };
    let mut found: Vec<(u8, &str)> = facts
        .analysis()
        .files
        .iter()
        .filter_map(|file| Some((place(file)?, file.path.as_str())))
        .collect();
    found.sort_unstable();
    found.into_iter().take(MOST_GUIDES).map(|(_, path)| path.to_owned()).collect()
}

/// The order on a line that runs tests, if the line is one or shows one as code: no prose that only names the program.
fn order(path: &str, line: &str, orders: &[&str]) -> Option<String> {
    let is_order = |text: &str| {
        let begins = |order: &&str| {
            let rest = text.strip_prefix(*order);
            rest.is_some_and(|r| !r.starts_with(|c: char| c.is_alphanumeric() || c == '-'))
        };
        let fits = text.chars().count() <= MAX_COMMAND && !text.contains("bench");
        fits && orders.iter().any(begins)
    };
    if path.ends_with("package.json") {
        let (_, script) = line.split_once("\"test\":")?;
        let script = script.trim().trim_end_matches(',').trim_matches('"');
        let made_up = script.contains("no test specified") || script.contains('\\');
        return (!made_up && !script.is_empty()).then(|| script.to_owned());
    }
    let spans = line.split('`').skip(1).step_by(2).map(str::trim);
    let mut bare = line.trim();
    while let Some(rest) = ["$ ", "- ", "> ", "run: ", "commands = ", "@"]
        .iter()
        .find_map(|mark| bare.strip_prefix(mark))
    {
        bare = rest.trim_start();
    }
    let bare = bare.split(" #").next().unwrap_or(bare).trim();
    std::iter::once(bare).chain(spans).find(|text| is_order(text)).map(str::to_owned)
}

#[cfg(test)]
mod unit {
    use super::*;

    #[test]
    fn an_order_is_told_from_prose_about_it() {
        let orders = ["pytest", "go test"];
        for (path, line, wanted) in [
            ("README.md", "    $ pytest -x tests  # quick", Some("pytest -x tests")),
            ("README.md", "Run `go test ./...` before you push.", Some("go test ./...")),
            (
                ".github/workflows/a.yml",
                "      - run: go test -race ./...",
                Some("go test -race ./..."),
            ),
            ("README.md", "pytest-mock is needed.", None),
            ("README.md", "We like pytest.", None),
            ("README.md", "go test -bench=.", None),
            ("package.json", "    \"test\": \"jest --ci\",", Some("jest --ci")),
            (
                "package.json",
                "  \"test\": \"echo \\\"Error: no test specified\\\" && exit 1\"",
                None,
            ),
        ] {
            assert_eq!(order(path, line, &orders).as_deref(), wanted, "{line}");
        }
    }
}
