//! Finds the JSON that was asked for in what a model wrote.

use jsonschema::{ValidationError, Validator, error::ValidationErrorKind};
use serde_json::Value;

use crate::conform::conform;

/// Objects that are tried; a reply with more is no reply to the question.
const MAX_CANDIDATES: usize = 16;

/// Why a reply holds no JSON that can be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Problem {
    /// There is no object in it.
    NoObject,
    /// There is one that can't be read: where and why.
    Syntax(String),
    /// It doesn't match the schema: for the model, and for a person (without values out of the reply).
    Schema { for_model: String, for_person: String },
}

impl Problem {
    /// What the model is told.
    pub(crate) fn for_model(&self) -> &str {
        match self {
            Self::NoObject => "there is no JSON object in it",
            Self::Syntax(problem) => problem,
            Self::Schema { for_model, .. } => for_model,
        }
    }

    /// What a person is told: words, or a message's name in the bundle.
    pub(crate) fn for_person(&self) -> &str {
        match self {
            Self::Schema { for_person, .. } => for_person,
            Self::NoObject => "why.no_object",
            Self::Syntax(problem) => problem,
        }
    }
}

/// The first object in `text` that matches the schema, after light repairs where it needs them.
///
/// Prose and code fences around it are passed over. Repaired are commas before a closing bracket, brackets missing at
/// the very end, control characters inside strings, and what [`conform`] mends: slips that leave no doubt about what was meant.
///
/// # Errors
/// What is wrong with the most promising object: a schema error rather than a syntax error.
pub(crate) fn find(text: &str, schema: &Value, validator: &Validator) -> Result<Value, Problem> {
    let mut problem = Problem::NoObject;
    for candidate in candidates(text) {
        let value = match serde_json::from_str::<Value>(candidate) {
            Ok(value) => Ok(value),
            Err(error) => serde_json::from_str::<Value>(&repair(candidate)).map_err(|_| error),
        };
        match value {
            Ok(value) => match validator.validate(&value) {
                Ok(()) => return Ok(value),
                Err(error) => {
                    let mut mended = value.clone();
                    conform(&mut mended, schema);
                    if validator.is_valid(&mended) {
                        return Ok(mended);
                    }
                    if !matches!(problem, Problem::Schema { .. }) {
                        let error = meant(&error);
                        let place = match error.instance_path().as_str() {
                            "" => "the root",
                            path => path,
                        };
                        problem = Problem::Schema {
                            for_model: format!("at {place}: {error}"),
                            for_person: format!("at {place}: {}", error.masked()),
                        };
                    }
                }
            },
            Err(error) => {
                if problem == Problem::NoObject {
                    problem = Problem::Syntax(format!("it is no valid JSON: {error}"));
                }
            }
        }
    }
    Err(problem)
}

/// Of several alternatives the one that was meant says what is wrong: neither its constants nor its type differ.
fn meant<'e>(error: &'e ValidationError<'_>) -> &'e ValidationError<'e> {
    let ValidationErrorKind::AnyOf { context } = error.kind() else { return error };
    let is_other = |inner: &ValidationError<'_>| match inner.kind() {
        ValidationErrorKind::Constant { .. } => true,
        ValidationErrorKind::Type { .. } => inner.instance_path() == error.instance_path(),
        _ => false,
    };
    let meant = context.iter().find(|errors| !errors.iter().any(is_other));
    meant.and_then(|errors| errors.first()).unwrap_or(error)
}

/// Balanced objects from left to right; then, if none of that kind is last, the tail that was never closed.
fn candidates(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let start = rest.find('{')?;
        let begun = rest.get(start..)?;
        let end = object_end(begun).unwrap_or(begun.len());
        let (object, after) = begun.split_at_checked(end)?;
        // An object that is never closed may be a brace in prose: what follows it is tried as well.
        rest = if after.is_empty() { begun.get(1..)? } else { after };
        Some(object)
    })
    .take(MAX_CANDIDATES)
}

/// Where the object that `text` begins with ends, just after its brace.
fn object_end(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut scan = Scan::default();
    for (at, byte) in text.bytes().enumerate() {
        if scan.is_structure(byte) {
            match byte {
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth = depth.checked_sub(1)?,
                _ => {}
            }
            if depth == 0 {
                return Some(at + 1);
            }
        }
    }
    None
}

/// Knows whether it is inside a string.
#[derive(Default)]
struct Scan {
    in_string: bool,
    escaped: bool,
}

impl Scan {
    /// Takes the next byte; whether it is outside of every string.
    fn is_structure(&mut self, byte: u8) -> bool {
        match byte {
            _ if self.escaped => self.escaped = false,
            b'\\' if self.in_string => self.escaped = true,
            b'"' => self.in_string = !self.in_string,
            _ => return !self.in_string,
        }
        false
    }
}

/// The same object without the slips that are allowed; other mistakes stay.
fn repair(object: &str) -> String {
    let mut repaired = String::with_capacity(object.len() + 8);
    let mut open: Vec<char> = Vec::new();
    let mut scan = Scan::default();
    for c in object.chars() {
        // Outside ASCII nothing has a meaning to JSON; any byte that isn't special stands for it.
        let structure = scan.is_structure(u8::try_from(c).unwrap_or(b'x'));
        match c {
            '{' if structure => open.push('}'),
            '[' if structure => open.push(']'),
            '}' | ']' if structure => {
                drop_trailing_comma(&mut repaired);
                open.pop();
            }
            c if scan.in_string && c.is_control() => {
                repaired.push_str(&format!("\\u{:04x}", u32::from(c)));
                continue;
            }
            _ => {}
        }
        repaired.push(c);
    }
    if !scan.in_string {
        for closing in open.into_iter().rev() {
            drop_trailing_comma(&mut repaired);
            repaired.push(closing);
        }
    }
    repaired
}

fn drop_trailing_comma(json: &mut String) {
    let kept = json.trim_end();
    if let Some(kept) = kept.strip_suffix(',') {
        json.truncate(kept.len());
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn find(text: &str, schema: &Value) -> Result<Value, Problem> {
        super::find(text, schema, &jsonschema::validator_for(schema).unwrap())
    }

    fn any_object() -> Value {
        json!({"type": "object"})
    }

    fn with_a() -> Value {
        json!({ "type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}} })
    }

    #[test]
    fn finds_the_object_bare_fenced_and_inside_prose() {
        for text in [
            "{\"a\": 1}",
            "```json\n{\"a\": 1}\n```",
            "Sure! Here it is:\n\n```\n{\"a\": 1}\n```\nI hope {this} helps.",
            "A set {x} is not it, {\"b\": 2} neither, but {\"a\": 1} is.",
            "Unclosed { brace, then {\"a\": 1}",
            "\u{feff}{\"a\": 1}{\"a\": 2}",
        ] {
            assert_eq!(find(text, &with_a()), Ok(json!({"a": 1})), "{text}");
        }
    }

    #[test]
    fn repairs_slips_that_leave_no_doubt() {
        assert_eq!(find("{\"a\": \"1\"}", &with_a()), Ok(json!({"a": 1})));
        let find = |text: &str| find(text, &any_object()).unwrap();
        assert_eq!(find("{\"a\": [1, 2,], }"), json!({"a": [1, 2]}));
        assert_eq!(find("{\"a\": [{\"b\": 1}, {\"b\": 2},"), json!({"a": [{"b": 1}, {"b": 2}]}));
        assert_eq!(find("{\"a\": \"one\ntwo\tthree\"}"), json!({"a": "one\ntwo\tthree"}));
        assert_eq!(find("{\"a\": \"}],\", }"), json!({"a": "}],"}));
        assert_eq!(find("{\"中文\": \"好\\\"的\",}"), json!({"中文": "好\"的"}));
    }

    #[test]
    fn does_not_invent_the_end_of_a_text_or_a_value() {
        for text in ["{\"a\": \"the answer is", "{\"a\":", "{\"a\": 1 \"b\": 2}", "{a: 1}"] {
            assert!(matches!(find(text, &any_object()), Err(Problem::Syntax(_))), "{text}");
        }
    }

    #[test]
    fn says_what_is_wrong_to_the_model_in_full_and_to_a_person_without_values() {
        assert_eq!(find("I can't do that.", &with_a()), Err(Problem::NoObject));
        let problem = find("{\"a\": \"secret code\"}", &with_a()).unwrap_err();
        assert_eq!(problem.for_model(), "at /a: \"secret code\" is not of type \"integer\"");
        assert_eq!(problem.for_person(), "at /a: value is not of type \"integer\"");
    }

    #[test]
    fn says_what_is_wrong_with_the_alternative_that_was_meant() {
        let call = |name: &str| {
            json!({
                "type": "object", "required": ["tool", "path"],
                "properties": {"tool": {"const": name}, "path": {"type": "string"}},
            })
        };
        let calls = json!({"anyOf": [call("a"), call("b"), {"type": "null"}]});
        let schema = json!({"type": "object", "required": ["call"], "properties": {"call": calls}});
        let problem = find("{\"call\": {\"tool\": \"b\"}}", &schema).unwrap_err();
        assert_eq!(problem.for_model(), "at /call: \"path\" is a required property");
        let problem = find("{\"call\": {\"tool\": \"b\", \"path\": 1}}", &schema).unwrap_err();
        assert_eq!(problem.for_model(), "at /call/path: 1 is not of type \"string\"");
        let problem = find("{\"call\": {\"tool\": \"c\"}}", &schema).unwrap_err();
        assert!(problem.for_model().contains("not valid under any of the schemas"));
    }

    #[test]
    fn a_flood_of_braces_costs_little() {
        let flood = "{".repeat(1 << 20);
        assert!(find(&flood, &any_object()).is_err());
        let flood = "{}".repeat(1 << 19);
        assert!(find(&flood, &with_a()).is_err());
    }

    /// JSON whose root is an object.
    fn object() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            "[a-z{}\\[\\],:\"\\\\\n中 ]{0,12}".prop_map(Value::from),
        ];
        let value = leaf.prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                proptest::collection::btree_map("[a-z\"{]{0,4}", inner, 0..4)
                    .prop_map(|m| m.into_iter().collect()),
            ]
        });
        proptest::collection::btree_map("[a-z\"{]{0,4}", value, 0..4)
            .prop_map(|m| m.into_iter().collect())
    }

    proptest! {
        #[test]
        fn valid_json_is_found_as_it_is(value in object(), pretty in any::<bool>()) {
            let text = if pretty { format!("{value:#}") } else { value.to_string() };
            prop_assert_eq!(find(&text, &any_object()), Ok(value.clone()));
            prop_assert_eq!(serde_json::from_str::<Value>(&repair(&text)).unwrap(), value.clone());
            let fenced = format!("Here:\n```json\n{text}\n```\nDone.");
            prop_assert_eq!(find(&fenced, &any_object()), Ok(value));
        }

        #[test]
        fn brackets_missing_at_the_end_are_added(value in object()) {
            let text = value.to_string();
            let unclosed = text.trim_end_matches(['}', ']']);
            let scan_ends_outside = {
                let mut scan = Scan::default();
                unclosed.bytes().for_each(|b| { scan.is_structure(b); });
                !scan.in_string
            };
            prop_assume!(scan_ends_outside && !unclosed.is_empty());
            prop_assert_eq!(find(unclosed, &any_object()), Ok(value));
        }

        #[test]
        fn anything_is_survived(text in "[{}\\[\\]\",:a\\\\\n中 1]{0,60}") {
            let _ = find(&text, &any_object());
        }
    }
}
