//! The documents of a project, and finding them.

use ouro_core::{
    TextIndex,
    analysis::{CitedText, Document, Heading},
};
use ouro_tools::{TantivyIndex, code_documents};

use crate::call_chain;

fn cited(text: &str, line: u32) -> CitedText {
    CitedText { text: text.into(), start_line: line, end_line: line }
}

fn heading(text: &str, line: u32) -> Heading {
    Heading { text: text.into(), line, ..Heading::default() }
}

#[test]
fn documents_hold_exactly_the_lines_they_name_and_are_found() {
    let project = call_chain::project();
    let password = ["hunter", "2hunter"].concat();
    project.write(
        "README.md",
        format!("# Weather\nForecasts.\n\n## Setup\nlogin(password=\"{password}\")\n").as_bytes(),
    );
    let mut analysis = (*project.analysis.newest().unwrap()).clone();
    analysis.files.insert(
        0,
        ouro_core::analysis::FileFacts { path: "README.md".into(), lines: 5, ..Default::default() },
    );
    for symbol in &mut analysis.symbols {
        symbol.file += 1;
    }
    analysis.documents.push(Document {
        path: "README.md".into(),
        title: Some(cited("Weather", 1)),
        headings: vec![heading("Weather", 1), heading("Setup", 4)],
        ..Document::default()
    });

    let documents = code_documents(&analysis, &project.root(), usize::MAX);
    let keys: Vec<_> = documents.iter().map(|d| d.key.as_str()).collect();
    assert!(keys.contains(&"src/parser.rs:2") && keys.contains(&"README.md:4"), "{keys:?}");
    for document in &documents {
        let source = document.source.as_ref().unwrap();
        let text = std::fs::read_to_string(project.path(&source.path)).unwrap();
        let (start, end) = (source.start_line.unwrap() as usize, source.end_line.unwrap() as usize);
        let lines: Vec<_> = text.lines().skip(start - 1).take(end + 1 - start).collect();
        assert_eq!(document.text.replace("[redacted: password]", &password), lines.join("\n"));
        assert!(!document.text.contains(&password));
    }

    let index = TantivyIndex::new();
    index.replace_all(documents).unwrap();
    let best = |query: &str| index.search(query, 1).unwrap().remove(0).key;
    assert_eq!(best("setup login"), "README.md:4");
    assert_eq!(best("run again"), "src/main.rs:10");
}

#[test]
fn the_budget_keeps_the_most_central() {
    let project = call_chain::project();
    let mut analysis = (*project.analysis.newest().unwrap()).clone();
    analysis.symbols[4].centrality = 0.9;
    let documents = code_documents(&analysis, &project.root(), 100);
    assert!(documents.iter().all(|d| d.key.starts_with("src/parser.rs")), "{documents:?}");
    assert!(documents.iter().map(|d| d.text.len()).sum::<usize>() <= 100);
    assert!(!documents.is_empty());
}
