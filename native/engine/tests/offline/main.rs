//! The offline reasoner on real files with the real tools: every statement is true, and none is made twice.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "in a test they are what fails it"
)]

mod flow;
mod library;
mod overview;
mod program;
mod section;
mod stage;
mod truth;
mod types;

use std::collections::BTreeSet;

use ouro_core::{ErrorKind, Language, Reasoner};
use ouro_engine::OfflineReasoner;

use stage::{Stage, statements};

const ENGLISH: Language = Language::English;

#[tokio::test]
async fn five_records_are_about_five_things() {
    let stage = Stage::cache();
    let records = stage.learn(5, ENGLISH).await;
    assert_eq!(records.len(), 5);
    let subjects: BTreeSet<&str> =
        records.iter().map(|r| r.topic.as_ref().unwrap().subject.as_str()).collect();
    let questions: BTreeSet<&str> = records.iter().map(|r| r.question.as_str()).collect();
    assert_eq!((subjects.len(), questions.len()), (5, 5));
    assert!(records.iter().all(|r| r.model == "offline"));
}

#[tokio::test]
async fn every_citation_names_lines_that_exist() {
    let stage = Stage::cache();
    for language in [ENGLISH, Language::Chinese] {
        for record in stage.learn(12, language).await {
            let cited = stage::citations(&record.answer);
            assert!(!cited.is_empty(), "{}", record.answer);
            for (path, start, end) in &cited {
                let lines = stage.lines(path);
                assert!(
                    1 <= *start && start <= end && *end <= lines,
                    "{path}:{start}-{end} of {lines}"
                );
                let backed = record.source_files.iter().any(|s| {
                    s.path == *path && s.start_line <= Some(*start) && s.end_line >= Some(*end)
                });
                assert!(backed, "{path}:{start}-{end} is no source of {}", record.question);
            }
        }
    }
}

#[tokio::test]
async fn every_statement_is_cited() {
    let stage = Stage::cache();
    for language in [ENGLISH, Language::Chinese] {
        for record in stage.learn(12, language).await {
            for statement in statements(&record.answer) {
                assert!(
                    !stage::citations(&statement).is_empty(),
                    "{statement}\nin\n{}",
                    record.answer
                );
            }
        }
    }
}

#[tokio::test]
async fn what_is_quoted_stands_on_the_cited_lines() {
    let stage = Stage::cache();
    let records = stage.learn(12, Language::Chinese).await;
    let mut quotes = 0;
    for statement in records.iter().flat_map(|r| statements(&r.answer)) {
        let Some((_, rest)) = statement.split_once('“') else { continue };
        let Some((quote, _)) = rest.split_once('”') else { continue };
        let essence = |t: &str| t.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
        let cited: String = stage::citations(&statement)
            .iter()
            .map(|(path, start, end)| essence(&stage.text(path, *start, *end)))
            .collect();
        quotes += 1;
        assert!(cited.contains(&essence(quote)), "“{quote}” in {statement}");
    }
    assert!(quotes >= 10, "{quotes}");
}

#[tokio::test]
async fn no_statement_is_repeated_in_another_record() {
    let stage = Stage::cache();
    let mut seen = BTreeSet::new();
    for record in stage.learn(5, ENGLISH).await {
        // Each record is read alone: what a list tells of a thing belongs to every record about it.
        let is_listed = |statement: &String| statement.starts_with("- `");
        for statement in statements(&record.answer).into_iter().filter(|s| !is_listed(s)) {
            assert!(seen.insert(statement.clone()), "said twice: {statement}");
        }
    }
}

#[tokio::test]
async fn the_same_seed_gives_the_same_records() {
    let stage = Stage::cache();
    let (first, second) = (stage.learn(12, ENGLISH).await, stage.learn(12, ENGLISH).await);
    assert!(first.len() >= 5);
    let told = |records: &[ouro_core::LearningRecord]| -> Vec<(String, String)> {
        records.iter().map(|r| (r.question.clone(), r.answer.clone())).collect()
    };
    assert_eq!(told(&first), told(&second));
}

#[tokio::test]
async fn questions_end_when_nothing_is_left_to_ask() {
    let stage = Stage::cache();
    let records = stage.learn(1_000, ENGLISH).await;
    assert!((5..60).contains(&records.len()), "{}", records.len());
}

#[tokio::test]
async fn refused_questions_are_not_asked_again_in_either_language() {
    let stage = Stage::cache();
    let reasoner = OfflineReasoner::new(1);
    let first = reasoner.generate_questions(stage.request(3, ENGLISH)).await.unwrap().value;
    for language in [ENGLISH, Language::Chinese] {
        let mut request = stage.request(50, language);
        request.put_aside = vec![first[0].question.clone()];
        request.rejected = vec![(first[1].question.clone(), "asked before".to_owned())];
        let topics: Vec<_> = reasoner
            .generate_questions(request)
            .await
            .unwrap()
            .value
            .into_iter()
            .map(|q| q.topic)
            .collect();
        assert!(!topics.contains(&first[0].topic) && !topics.contains(&first[1].topic));
        assert!(topics.contains(&first[2].topic));
    }
}

#[tokio::test]
async fn chinese_records_are_in_chinese_around_the_projects_own_words() {
    let stage = Stage::cache();
    for record in stage.learn(12, Language::Chinese).await {
        let is_chinese = |c: char| ('\u{4e00}'..='\u{9fff}').contains(&c);
        assert!(record.question.chars().any(is_chinese), "{}", record.question);
        assert!(record.answer.chars().any(is_chinese), "{}", record.answer);
    }
}

#[tokio::test]
async fn an_exploration_that_saw_nothing_is_no_answer() {
    let stage = Stage::cache();
    let reasoner = OfflineReasoner::new(1);
    let question =
        reasoner.generate_questions(stage.request(1, ENGLISH)).await.unwrap().value.remove(0);
    let error = reasoner.summarize(stage.summary(question, Vec::new(), ENGLISH)).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
}

#[tokio::test]
async fn lines_that_changed_since_the_scan_are_not_spoken_of() {
    let stage = Stage::cache();
    let reasoner = OfflineReasoner::new(1);
    let questions = reasoner.generate_questions(stage.request(50, ENGLISH)).await.unwrap().value;
    let question = questions
        .into_iter()
        .find(|q| q.topic.as_ref().is_some_and(|t| t.subject == "symbol:src/cache.py#Cache"))
        .unwrap();
    stage.write("src/cache.py", &"# nothing is left here\n".repeat(80));
    let observations = stage.explore(&reasoner, &question, ENGLISH).await;
    match reasoner.summarize(stage.summary(question, observations, ENGLISH)).await {
        Err(error) => assert_eq!(error.kind(), ErrorKind::NotFound),
        Ok(thought) => {
            assert!(!thought.value.answer.contains("src/cache.py:"), "{}", thought.value.answer)
        }
    }
}

#[tokio::test]
async fn a_question_without_a_topic_is_understood_by_the_names_in_it() {
    let stage = Stage::cache();
    let reasoner = OfflineReasoner::new(1);
    let mut question =
        reasoner.generate_questions(stage.request(1, ENGLISH)).await.unwrap().value.remove(0);
    question.topic = None;
    question.question = "What is `Cache` for?".to_owned();
    let observations = stage.explore(&reasoner, &question, ENGLISH).await;
    let summary =
        reasoner.summarize(stage.summary(question, observations, ENGLISH)).await.unwrap().value;
    assert!(summary.answer.contains("src/cache.py:"), "{}", summary.answer);
}

#[tokio::test]
async fn an_empty_project_raises_no_question() {
    assert!(Stage::of(&[]).learn(5, ENGLISH).await.is_empty());
    assert!(Stage::of(&[("data.bin", "\u{0}\u{1}")]).learn(5, ENGLISH).await.is_empty());
    assert!(Stage::of(&[("src/a.py", "x = 1\n")]).learn(5, ENGLISH).await.is_empty());
}

#[tokio::test]
async fn a_readme_alone_gives_one_record_of_what_it_says() {
    let readme = "# Plan\n\nA plan for a garden that needs no water. It lists plants by shade.\n";
    let records = Stage::of(&[("README.md", readme)]).learn(5, ENGLISH).await;
    assert_eq!(records.len(), 1);
    assert!(records[0].answer.contains("a garden that needs no water"), "{}", records[0].answer);
}

#[tokio::test]
async fn code_without_a_word_of_documentation_is_told_by_its_structure() {
    let code = "class Shop:\n    def open(self):\n        return self.count()\n\n    def count(self):\n        \
                if not self.items:\n            raise ValueError('the shop is empty')\n        return 1\n\n    \
                def close(self):\n        return 2\n";
    let user =
        "from shop import Shop\n\n\ndef trade():\n    shop = Shop()\n    return shop.open()\n";
    let stage = Stage::of(&[("shop.py", code), ("trade.py", user)]);
    let records = stage.learn(9, ENGLISH).await;
    for record in &records {
        assert!(statements(&record.answer).len() >= 2, "{}", record.answer);
        assert!(!record.answer.contains("``"), "{}", record.answer);
    }
}

/// The answer about a project's tests.
async fn tests_of(files: &[(&str, &str)]) -> String {
    let records = Stage::of(files).learn(40, ENGLISH).await;
    let found = records.iter().find(|r| r.topic.as_ref().unwrap().subject == "tests");
    found.map(|r| r.answer.clone()).unwrap_or_default()
}

#[tokio::test]
async fn the_record_of_tests_tells_how_they_are_run_what_they_cover_and_what_they_share() {
    let code = "\"\"\"Weighs parcels.\"\"\"\n\n\nclass Scale:\n    \"\"\"Weighs one parcel after the other.\"\"\"\n\n    def weigh(self, parcel):\n        \"\"\"Weigh a parcel in grams.\"\"\"\n        return parcel\n";
    let tests: String = ["is_empty", "has_a_string", "was_weighed_before", "is_too_heavy"]
        .iter()
        .map(|name| format!("def test_a_parcel_that_{name}(scale):\n    made = Scale()\n    assert made.weigh(1) == 1\n    assert scale.weigh(2) == 2\n\n\n"))
        .collect();
    let tests = format!("from scale import Scale\n\n\n{tests}");
    let fixture = "from scale import Scale\n\n\ndef scale():\n    \"\"\"A scale that stands level.\"\"\"\n    return Scale()\n";
    let told = tests_of(&[
        ("pyproject.toml", "[project]\nname = \"parcels\"\n"),
        (
            "CONTRIBUTING.md",
            "# Contributing\n\nWe like pytest. To test:\n\n```\n$ pytest -x tests\n```\n",
        ),
        ("scale.py", code),
        ("tests/conftest.py", fixture),
        ("tests/test_scale.py", &tests),
    ])
    .await;
    assert!(told.contains("`pytest -x tests` (`CONTRIBUTING.md:6`)"), "{told}");
    assert!(
        told.contains("`tests/test_scale.py` works with `Scale` (`tests/test_scale.py:"),
        "{told}"
    );
    assert!(told.contains("- `scale`: A scale that stands level"), "{told}");
}

#[tokio::test]
async fn tests_that_are_calls_are_told_by_their_titles() {
    let titles = ["adds two spans", "refuses an empty text", "keeps the sign of a number"];
    let tests: String = titles
        .iter()
        .map(|t| format!("  it('{t}', () => {{\n    const found = add(1, 2)\n    expect(found)\n      .toBe(3)\n  }})\n\n"))
        .collect();
    let tests =
        format!("import {{ add }} from '../index.js'\n\ndescribe('add', () => {{\n{tests}}})\n");
    let told = tests_of(&[
        ("package.json", "{\n  \"name\": \"spans\",\n  \"main\": \"index.js\",\n  \"scripts\": {\n    \"test\": \"mocha --bail\"\n  }\n}\n"),
        ("index.js", "/** Adds two spans of time. */\nexport function add(a, b) {\n  return a + b\n}\n"),
        ("test/add.test.js", &tests),
    ])
    .await;
    assert!(told.contains("`npm test` runs `mocha --bail` (`package.json:5`)"), "{told}");
    assert!(told.contains("“refuses an empty text” (`test/add.test.js:"), "{told}");
}
