//! What the examples in a text call.

/// Most calls kept of the examples of one text.
const MAX_CALLS: usize = 100;

/// The names that the examples in a text call, each once, in their order. Code stands between fences or tags, behind
/// the prompt of an interpreter or a sign of Python's documentation, or is indented.
#[must_use]
pub fn example_calls(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut in_block = false;
    // Where tags mark what is code, an indentation only sets a list apart.
    let is_tagged = text.contains("<pre");
    for line in text.lines() {
        let bare = line.trim_start();
        let fence = ["```", "~~~"].iter().any(|mark| bare.starts_with(mark));
        if fence || bare.contains("<pre") || bare.contains("</pre") {
            in_block = if fence { !in_block } else { !bare.contains("</pre") };
        }
        let is_indented = !is_tagged && (line.starts_with("    ") || line.starts_with('\t'));
        if fence || !(in_block || is_indented || bare.starts_with(">>> ")) {
            continue;
        }
        for (at, _) in bare.match_indices('(') {
            let before = bare.get(..at).unwrap_or_default();
            let is_part = |c: char| c.is_alphanumeric() || c == '_';
            let name = before.rsplit(|c| !is_part(c)).next().unwrap_or_default();
            let before = before.strip_suffix(name).unwrap_or_default().trim_end();
            let word = before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
            // What the example declares or makes isn't called, nor is what a remark speaks of.
            let declares = ["def", "fn", "fun", "func", "function", "class", "new", "void"];
            let remarks = ["//", "# ", "/*", "* "].iter().any(|mark| bare.starts_with(mark));
            let is_name = name.starts_with(|c: char| c.is_alphabetic()) && name.len() >= 2;
            if is_name && !remarks && !declares.contains(&word) && !found.iter().any(|f| f == name)
            {
                found.push(name.to_owned());
            }
        }
        if found.len() >= MAX_CALLS {
            break;
        }
    }
    found.truncate(MAX_CALLS);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_examples_call_is_found_in_every_kind_of_block_and_nowhere_else() {
        let calls = |text: &str| example_calls(text).join(" ");
        assert_eq!(
            calls(
                "Call (it) or be_gone(x).\n```rust\nlet a = Mill::open(grind(x));\n```\nlater(x)"
            ),
            "open grind"
        );
        assert_eq!(calls("<pre>\nmill.grind(corn)\n</pre>\nmill.halt(it)"), "grind");
        assert_eq!(calls("    - rest(it)\n<pre>\nmill.grind(corn)\n</pre>"), "grind");
        assert_eq!(calls(">>> mill.grind(corn)\n.. code::\n\n    mill.halt()\n"), "grind halt");
        assert_eq!(calls("\tmill.Grind(corn)\n\tmill.Grind(more)"), "Grind");
    }

    #[test]
    fn what_an_example_declares_or_makes_or_remarks_is_not_called() {
        let text =
            "```\nfunction grind(x) {}\ndef halt(x):\nnew Mill(2)\n// stop(it)\n# turn(it)\n```\n";
        assert_eq!(example_calls(text), [""; 0]);
    }
}
