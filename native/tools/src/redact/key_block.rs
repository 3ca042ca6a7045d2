//! Private keys in the armour of PEM, OpenSSH and PGP: whole blocks of lines, or one literal with `\n` in it.

use std::{borrow::Cow, sync::LazyLock};

use regex::Regex;

use super::{compile, mark};

const KIND: &str = "private key";

static BEGIN: LazyLock<Regex> =
    LazyLock::new(|| compile(r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----"));
static END: LazyLock<Regex> =
    LazyLock::new(|| compile(r"-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----"));
/// The begin mark and what follows on the same line: base64 and written-out line ends.
static INLINE: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----(?:[A-Za-z0-9+/=]|\\+[nr]|[ \t]){40,}(?:-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----)?",
    )
});
/// A line of a key's body: base64, alone or in a literal or comment.
static BODY: LazyLock<Regex> =
    LazyLock::new(|| compile(r#"^[\s"'`+#/*>|,.&-]*[A-Za-z0-9+/=]+(?:\\+[nr])*[\s"'`+,;.\\)&]*$"#));
/// As many characters of base64 as no word has.
static LONG: LazyLock<Regex> = LazyLock::new(|| compile("[A-Za-z0-9+/=]{32}"));
/// A line of the armour's header, an empty line, or PGP's checksum.
static HEADER: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r#"^[\s"'`+#/*>|,-]*(?:(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|MessageID): [^\n]*)?(?:\\+[nr])*[\s"'`+,;\\]*$"#,
    )
});

/// Replaces every private key; each line of a block becomes a mark of its own. The armour's marks alone, as a parser
/// has them in its code, are no key.
pub(super) fn redact(text: &str) -> Cow<'_, str> {
    if !BEGIN.is_match(text) {
        return Cow::Borrowed(text);
    }
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut out = String::with_capacity(text.len());
    let mut rest = lines.as_slice();
    while let Some((line, after)) = rest.split_first() {
        rest = after;
        if INLINE.is_match(line) {
            out.push_str(&INLINE.replace_all(line, mark(KIND)));
            continue;
        }
        let opens = BEGIN.is_match(line) && !END.is_match(line);
        let length = if opens { body_length(after) } else { 0 };
        if length == 0 {
            out.push_str(line);
            continue;
        }
        let (body, behind) = after.split_at_checked(length).unwrap_or((after, &[]));
        for line in [line].into_iter().chain(body) {
            out.push_str(&mark(KIND));
            if line.ends_with('\n') {
                out.push('\n');
            }
        }
        rest = behind;
    }
    Cow::Owned(out)
}

/// How many lines after the begin mark belong to the key, the end mark included; 0 if they don't look like one.
fn body_length(lines: &[&str]) -> usize {
    let mut length = 0;
    let mut is_key = false;
    for line in lines {
        let line = line.trim_end_matches(['\n', '\r']);
        let ends = END.is_match(line);
        is_key |= LONG.is_match(line);
        let belongs = ends || HEADER.is_match(line) || (is_key && BODY.is_match(line));
        length += usize::from(belongs);
        if ends || !belongs {
            break;
        }
    }
    if is_key { length } else { 0 }
}
