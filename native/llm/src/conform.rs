//! Brings a reply nearer to its schema.

use serde_json::{Value, json};

/// Mends what leaves no doubt about what was meant, all the way down: members that nobody asked for go, of a list that is too long the
/// first ones stay, and a number in quotes is a number.
pub(crate) fn conform(value: &mut Value, schema: &Value) {
    if let Some(alternatives) = schema.get("anyOf").and_then(Value::as_array) {
        if let Some(meant) = alternatives.iter().find(|schema| is_meant(value, schema)) {
            conform(value, meant);
        }
        return;
    }
    match value {
        Value::Object(members) => {
            let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
                return;
            };
            if schema.get("additionalProperties") == Some(&json!(false)) {
                members.retain(|name, _| properties.contains_key(name));
            }
            for (name, schema) in properties {
                if let Some(member) = members.get_mut(name) {
                    conform(member, schema);
                }
            }
        }
        Value::Array(items) => {
            let most = schema.get("maxItems").and_then(Value::as_u64);
            items.truncate(most.map_or(usize::MAX, |n| usize::try_from(n).unwrap_or(usize::MAX)));
            if let Some(schema) = schema.get("items") {
                items.iter_mut().for_each(|item| conform(item, schema));
            }
        }
        Value::String(text) if takes(schema, "integer") || takes(schema, "number") => {
            if let Ok(number @ Value::Number(_)) = serde_json::from_str(text.trim())
                && !takes(schema, "string")
            {
                *value = number;
            }
        }
        _ => {}
    }
}

/// Whether the schema is an object's with constant members, and the value has them.
fn is_meant(value: &Value, schema: &Value) -> bool {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return false;
    };
    let mut constants = properties
        .iter()
        .filter_map(|(name, schema)| Some((name, schema.get("const")?)))
        .peekable();
    constants.peek().is_some()
        && constants.all(|(name, constant)| value.get(name) == Some(constant))
}

/// Whether the schema names the type.
fn takes(schema: &Value, kind: &str) -> bool {
    match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().any(|k| k == kind),
        named => named.is_some_and(|k| k == kind),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conformed(mut value: Value, schema: &Value) -> Value {
        conform(&mut value, schema);
        value
    }

    #[test]
    fn what_leaves_no_doubt_is_mended_all_the_way_down() {
        let schema = json!({
            "type": "object", "additionalProperties": false,
            "properties": { "list": { "type": "array", "maxItems": 2, "items": {
                "type": "object", "additionalProperties": false,
                "properties": { "n": { "type": ["integer", "null"] }, "text": { "type": "string" } },
            } } },
        });
        let item = json!({ "n": " 5 ", "text": "7", "thoughts": "?" });
        let value = json!({ "list": [item, { "n": null }, { "n": 3 }], "reasoning": "so" });
        let mended = json!({ "list": [{ "n": 5, "text": "7" }, { "n": null }] });
        assert_eq!(conformed(value, &schema), mended);
    }

    #[test]
    fn an_alternative_is_known_by_its_constants() {
        let call = |name: &str| {
            json!({
                "type": "object", "additionalProperties": false,
                "properties": { "tool": { "const": name }, "line": { "type": "number" } },
            })
        };
        let schema = json!({ "anyOf": [call("a"), call("b"), { "type": "null" }] });
        let value = json!({ "tool": "b", "line": "1.5", "why": 1 });
        assert_eq!(conformed(value, &schema), json!({ "tool": "b", "line": 1.5 }));
        let unknown = json!({ "tool": "c", "line": "1" });
        assert_eq!(conformed(unknown.clone(), &schema), unknown);
    }

    #[test]
    fn what_may_be_meant_otherwise_stays() {
        let schema =
            json!({ "properties": { "n": { "type": "integer" }, "s": { "type": "string" } } });
        for value in
            [json!({ "n": "five", "s": 5, "other": 1 }), json!("5"), json!([1]), json!(null)]
        {
            assert_eq!(conformed(value.clone(), &schema), value);
        }
    }
}
