//! JSON with places. The text is parsed as a JavaScript expression, which also forgives comments.

use ouro_core::analysis::CitedText;
use tree_sitter::{Node, Tree};

use super::cited;
use crate::analysis::{
    budget::{Budget, Watch},
    captures,
};

/// A parsed text.
pub(super) struct Json {
    text: String,
    tree: Tree,
}

/// One value of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Value<'j> {
    text: &'j str,
    node: Node<'j>,
}

impl Json {
    /// Parses a text.
    pub(super) fn parse(text: &str, watch: Watch<'_>) -> Option<Self> {
        // In brackets an object is no block; lines stay the same.
        let text = format!("({text})");
        let grammar = tree_sitter_javascript::LANGUAGE.into();
        let tree = captures::parse(&grammar, &text, &Budget::new(watch, text.len())).ok()?;
        Some(Self { text, tree })
    }

    /// The outermost value.
    pub(super) fn root(&self) -> Option<Value<'_>> {
        let mut node = self.tree.root_node();
        while matches!(node.kind(), "program" | "expression_statement" | "parenthesized_expression")
        {
            node = node.named_child(0)?;
        }
        Some(Value { text: &self.text, node })
    }
}

impl<'j> Value<'j> {
    /// The value of a key.
    pub(super) fn get(self, key: &str) -> Option<Self> {
        self.entries().find(|(k, _)| k.text == key).map(|(_, value)| value)
    }

    /// Keys and values, in their order; none if it is no object.
    pub(super) fn entries(self) -> impl Iterator<Item = (CitedText, Self)> {
        let mut cursor = self.node.walk();
        let pairs: Vec<_> = if self.node.kind() == "object" {
            self.node.named_children(&mut cursor).filter(|n| n.kind() == "pair").collect()
        } else {
            Vec::new()
        };
        pairs.into_iter().filter_map(move |pair| {
            let key = Self { node: pair.child_by_field_name("key")?, ..self }.string()?;
            Some((key, Self { node: pair.child_by_field_name("value")?, ..self }))
        })
    }

    /// The string, with its line.
    pub(super) fn string(self) -> Option<CitedText> {
        if self.node.kind() != "string" {
            return None;
        }
        let written = self.text.get(self.node.byte_range())?;
        let text = serde_json::from_str(written)
            .unwrap_or_else(|_| written.trim_matches(['"', '\'']).to_owned());
        let line = u32::try_from(self.node.start_position().row).unwrap_or(0) + 1;
        Some(cited(text, line))
    }

    /// Every string below this value, keys left out.
    pub(super) fn all_strings(self) -> Vec<String> {
        let mut waiting = vec![self];
        let mut found = Vec::new();
        while let Some(value) = waiting.pop() {
            found.extend(value.string().map(|s| s.text));
            let mut inner: Vec<Self> = value.entries().map(|(_, v)| v).collect();
            inner.reverse();
            waiting.extend(inner);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Json {
        let watch = Watch { is_cancelled: &|| false, clock: &ouro_testkit::ManualClock::new(0) };
        Json::parse(text, watch).unwrap()
    }

    #[test]
    fn values_know_their_lines() {
        let json = parse("{\n  \"name\": \"a\\u0062\",\n  // why\n  \"x\": {\"y\": \"z\"}\n}");
        let root = json.root().unwrap();
        assert_eq!(root.get("name").unwrap().string().unwrap(), cited("ab", 2));
        assert_eq!(root.get("x").unwrap().get("y").unwrap().string().unwrap(), cited("z", 4));
        assert_eq!(root.all_strings(), ["ab", "z"]);
    }

    #[test]
    fn broken_json_gives_what_can_be_read() {
        for text in ["", "[1, 2]", "{\"a\": ", "\u{0}"] {
            let json = parse(text);
            assert!(json.root().is_none_or(|root| root.get("name").is_none()), "{text}");
        }
    }
}
