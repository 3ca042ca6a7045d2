//! `call_chain` as a caller sees it.

use ouro_core::{
    ErrorKind, ProjectAnalysis,
    analysis::{FileFacts, Reference, ReferenceKind, Symbol, SymbolKind},
};
use serde_json::json;

use crate::project::{Project, room};

const MAIN: &str = "fn main() {\n    run();\n}\n\nfn run() {\n    parser.parse();\n    run_again();\n}\n\nfn run_again() {\n    run();\n}\n";
const PARSER: &str = "impl Parser {\n    fn parse(&self) {\n        step();\n    }\n}\nfn step() {}\nfn parse() {}\n";
const TEST: &str = "fn checks() {\n    parser.parse();\n}\n";

fn symbol(name: &str, container: Option<&str>, file: usize, lines: (u32, u32)) -> Symbol {
    Symbol {
        name: name.into(),
        container: container.map(str::to_owned),
        kind: if container.is_some() { SymbolKind::Method } else { SymbolKind::Function },
        file,
        line: lines.0,
        start_line: lines.0,
        end_line: lines.1,
        signature: format!("fn {name}()"),
        doc: None,
        exported: true,
        is_test: file == 2,
        members: Vec::new(),
        failures: Vec::new(),
        exits: Vec::new(),
        says: None,
        centrality: 0.1,
    }
}

/// main -> run -> {Parser::parse -> step, run_again -> run}, and a test that calls Parser::parse.
fn analysis() -> ProjectAnalysis {
    let file = |path: &str| FileFacts {
        path: path.into(),
        language: "rust".into(),
        lines: 20,
        ..FileFacts::default()
    };
    let call = |from_symbol: usize, to: usize, from_file: usize, line: u32| Reference {
        from_file,
        from_symbol: Some(from_symbol),
        to,
        line,
        kind: ReferenceKind::Call,
        reached: Default::default(),
    };
    let mut parser = symbol("Parser", None, 1, (1, 5));
    parser.kind = SymbolKind::Struct;
    ProjectAnalysis {
        fingerprint: "first".into(),
        files: vec![file("src/main.rs"), file("src/parser.rs"), file("tests/parser.rs")],
        symbols: vec![
            symbol("main", None, 0, (1, 3)),
            symbol("run", None, 0, (5, 8)),
            symbol("run_again", None, 0, (10, 12)),
            symbol("parse", Some("Parser"), 1, (2, 4)),
            symbol("step", None, 1, (6, 6)),
            symbol("parse", None, 1, (7, 7)),
            symbol("checks", None, 2, (1, 3)),
            parser,
        ],
        references: vec![
            call(0, 1, 0, 2),
            call(1, 3, 0, 6),
            call(1, 2, 0, 7),
            call(2, 1, 0, 11),
            call(3, 4, 1, 3),
            call(6, 3, 2, 2),
            Reference { kind: ReferenceKind::Use, ..call(0, 4, 0, 1) },
        ],
        ..ProjectAnalysis::default()
    }
}

pub(crate) fn project() -> Project {
    let files = [("src/main.rs", MAIN), ("src/parser.rs", PARSER), ("tests/parser.rs", TEST)];
    let project = Project::new(&files);
    project.analyse(analysis());
    project
}

#[test]
fn callees_are_a_tree_whose_cycles_end() {
    let arguments = json!({"symbol": "main", "direction": "callees", "depth": 5});
    let result = project().call("call_chain", arguments).unwrap();
    let expected = "\
src/main.rs:2: main -> run | run();
  src/main.rs:6: run -> Parser::parse | parser.parse();
    src/parser.rs:3: Parser::parse -> step | step();
  src/main.rs:7: run -> run_again | run_again();
    src/main.rs:11: run_again -> run (cycle) | run();
";
    assert_eq!(result.content, expected);
    assert_eq!(result.summary, "5 calls shown: calls made by `src/main.rs#main`, depth 5");
    assert_eq!(result.lines[1].text, "    parser.parse();");
    assert_eq!(result.truncated, None);
}

#[test]
fn callers_are_followed_up_with_tests_last() {
    let result = project().call("call_chain", json!({"symbol": "Parser.parse"})).unwrap();
    let expected = "\
src/main.rs:6: run -> Parser::parse | parser.parse();
  src/main.rs:2: main -> run | run();
  src/main.rs:11: run_again -> run | run();
tests/parser.rs:2: checks -> Parser::parse | parser.parse();
";
    assert_eq!(result.content, expected);
}

#[test]
fn the_depth_is_kept_and_checked() {
    let project = project();
    let callees = |depth| json!({"symbol": "main", "direction": "callees", "depth": depth});
    assert_eq!(project.content("call_chain", callees(1)).lines().count(), 1);
    let error = project.call("call_chain", callees(6)).unwrap_err();
    assert!(error.message().contains("`depth`: 6 must be from 1 to 5"), "{error}");
    let error = project.call("call_chain", json!({"symbol": "x", "direction": "up"})).unwrap_err();
    assert!(error.message().contains("`direction`"), "{error}");
    assert!(error.message().contains("`callers` or `callees`"), "{error}");
}

#[test]
fn every_way_to_name_a_symbol_finds_it() {
    let project = project();
    for symbol in [
        "Parser::parse",
        "Parser.parse",
        "parser::Parser::parse",
        "src/parser.rs#Parser::parse",
        "parser.rs#Parser.parse",
        "Parser::parse()",
    ] {
        let result = project.call("call_chain", json!({ "symbol": symbol })).unwrap();
        assert!(
            result.summary.contains("`src/parser.rs#Parser::parse`"),
            "{symbol}: {}",
            result.summary
        );
        assert!(!result.content.contains("ambiguous"), "{symbol}");
    }
}

#[test]
fn an_ambiguous_name_shows_the_most_used_and_names_the_others() {
    let content = project().content("call_chain", json!({"symbol": "parse"}));
    let first = "`parse` is ambiguous: this is `src/parser.rs#Parser::parse`, the most used; others: `src/parser.rs#parse`";
    assert_eq!(content.lines().next(), Some(first));
    assert!(content.contains("run -> Parser::parse"));
}

#[test]
fn an_unknown_symbol_gets_near_misses_and_a_type_its_methods() {
    let project = project();
    let error = project.call("call_chain", json!({"symbol": "Parser::prase"})).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(error.message().contains("did you mean `parse`"), "{error}");
    let content = project.content("call_chain", json!({"symbol": "Parser"}));
    assert!(content.contains("it is a type, ask for one of its methods: parse"), "{content}");
}

#[test]
fn many_calls_are_cut_and_counted() {
    let project = project();
    let mut many = analysis();
    let first = many.references[0].clone();
    let calls = |line| Reference { line, ..first.clone() };
    many.references = (1..=40).map(calls).collect();
    project.analyse(many);
    let result = project.call("call_chain", json!({"symbol": "run", "depth": 1})).unwrap();
    assert_eq!(result.content.lines().filter(|l| l.contains("->")).count(), 25);
    assert!(result.truncated.unwrap().starts_with("15 more calls left out"));
    let little =
        project.call_with("call_chain", json!({"symbol": "run", "depth": 1}), &room(400)).unwrap();
    assert!(little.content.chars().count() <= 400);
    assert!(little.truncated.is_some());
}

#[test]
fn a_line_that_is_gone_is_named_but_not_cited() {
    let project = project();
    project.write("src/main.rs", b"// rewritten\n");
    let result = project.call("call_chain", json!({"symbol": "run", "depth": 1})).unwrap();
    assert!(result.content.contains("src/main.rs:2: main -> run\n"), "{}", result.content);
    assert!(result.lines.is_empty());
}

#[test]
fn the_stamp_is_the_state_of_the_newest_analysis() {
    let project = project();
    let stamp = || project.tool("call_chain").stamp(&json!({"symbol": "run"})).unwrap().0;
    assert_eq!(stamp(), "first");
    project.analyse(ProjectAnalysis { fingerprint: "second".into(), ..analysis() });
    assert_eq!(stamp(), "second");
}
