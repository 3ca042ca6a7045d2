//! Any arguments at all: an error that helps, never a panic.

use std::sync::LazyLock;

use ouro_core::{ErrorKind, Result, ToolResult};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::{
    call_chain,
    project::{Project, room},
};

static PROJECT: LazyLock<Project> = LazyLock::new(|| {
    let project = call_chain::project();
    project.write("界/文件.md", "# 标题\n第二行 ümlaut 🦀\n".repeat(40).as_bytes());
    project.write("long.txt", "x".repeat(5_000).as_bytes());
    project
});

const TOOLS: [&str; 4] = ["read_file", "grep_file", "find_file", "call_chain"];

#[test]
fn every_tool_has_a_closed_schema_with_descriptions() {
    for name in TOOLS {
        let tool = PROJECT.tool(name);
        let spec = tool.spec();
        assert_eq!(spec.name, name);
        assert_eq!(spec.parameters["additionalProperties"], json!(false));
        let properties = spec.parameters["properties"].as_object().unwrap();
        assert!(properties.values().all(|p| p["description"].is_string()), "{name}");
        let required = spec.parameters["required"].as_array().unwrap();
        assert!(required.iter().all(|r| properties.contains_key(r.as_str().unwrap())), "{name}");
    }
}

#[test]
fn a_field_that_is_not_in_the_schema_is_named() {
    for name in TOOLS {
        let error = PROJECT.call(name, json!({"paht": "x"})).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
        assert!(error.message().starts_with(name), "{error}");
        assert!(error.message().contains("`paht`"), "{error}");
    }
}

#[test]
fn a_cancelled_call_ends_as_cancelled() {
    let context = ouro_core::ToolContext::default();
    context.cancel.cancel();
    for (name, arguments) in [
        ("read_file", json!({"path": "src/main.rs"})),
        ("grep_file", json!({"pattern": "fn"})),
        ("find_file", json!({"pattern": "*.rs"})),
        ("call_chain", json!({"symbol": "parse"})),
    ] {
        let error = PROJECT.call_with(name, arguments, &context).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Cancelled, "{name}");
    }
}

/// A value of any shape, often with the names and values that tools know.
fn value() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        "\\PC{0,30}",
        ".{0,30}",
        Just("src/main.rs".to_owned()),
        Just("long.txt".to_owned()),
        Just("界/文件.md".to_owned()),
        Just("fn|parse".to_owned()),
        Just("*.rs".to_owned()),
        Just("Parser::parse".to_owned()),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (0_i64..60).prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        text.prop_map(Value::from),
        Just(json!("callees")),
        Just(json!("3")),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| prop::collection::vec(inner, 0..3).prop_map(Value::from))
}

fn arguments() -> impl Strategy<Value = Value> {
    let known = prop::sample::select(vec![
        "path",
        "start_line",
        "end_line",
        "pattern",
        "glob",
        "max",
        "symbol",
        "direction",
        "depth",
    ]);
    let field = prop_oneof![9 => known.prop_map(str::to_owned), 1 => "\\PC{0,8}"];
    let object = prop::collection::btree_map(field, value(), 0..4)
        .prop_map(|fields| Value::Object(fields.into_iter().collect()));
    prop_oneof![8 => object, 1 => value()]
}

/// What holds for every result: it fits, and what may be cited is what the files say.
fn check(result: &Result<ToolResult>, max_chars: usize) -> Result<(), TestCaseError> {
    let result = match result {
        Ok(result) => result,
        Err(error) => {
            prop_assert_ne!(error.kind(), ErrorKind::Internal);
            prop_assert!(!error.message().is_empty());
            return Ok(());
        }
    };
    prop_assert!(result.content.chars().count() <= max_chars);
    prop_assert!(!result.summary.is_empty());
    for line in &result.lines {
        let text = std::fs::read_to_string(PROJECT.path(&line.path)).unwrap();
        let real = text.lines().nth(line.line as usize - 1);
        prop_assert!(real.is_some(), "{} has no line {}", line.path, line.line);
        let shown = line.text.trim_start_matches('…');
        let shown = shown.split("… [").next().unwrap();
        prop_assert!(real.unwrap().contains(shown), "{:?}", line);
        prop_assert!(result.content.contains(line.text.trim_start()), "{:?}", line);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_arguments_give_a_result_that_fits_or_an_error(
        tool in prop::sample::select(TOOLS.to_vec()),
        arguments in arguments(),
        max_chars in prop_oneof![0_usize..200, Just(16_000)],
    ) {
        let result = PROJECT.call_with(tool, arguments.clone(), &room(max_chars));
        check(&result, max_chars)?;
        PROJECT.tool(tool).stamp(&arguments);
    }

    #[test]
    fn any_path_pattern_and_range_give_lines_of_the_file_or_an_error(
        path in prop::sample::select(vec!["src/main.rs", "long.txt", "界/文件.md"]),
        start in prop::option::of(0_u32..100),
        end in prop::option::of(0_u32..100),
        pattern in prop_oneof!["[a-z🦀第.]{1,3}", "\\PC{1,6}"],
        max_chars in 0_usize..2_000,
    ) {
        let range = json!({"path": path, "start_line": start, "end_line": end});
        check(&PROJECT.call_with("read_file", range, &room(max_chars)), max_chars)?;
        let search = json!({"pattern": pattern});
        check(&PROJECT.call_with("grep_file", search, &room(max_chars)), max_chars)?;
    }
}
