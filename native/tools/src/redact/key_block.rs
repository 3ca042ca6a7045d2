//! Private keys in the armour of PEM, OpenSSH and PGP: whole blocks of lines, or one literal with `\n` in it.

use std::borrow::Cow;

use regex::Regex;
use std::sync::LazyLock;

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
    let mut out = String::with_capacity(text.len());
    let mut lines = text.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        if INLINE.is_match(line) {
            out.push_str(&INLINE.replace_all(line, mark(KIND)));
            continue;
        }
        let opens = BEGIN.is_match(line) && !END.is_match(line);
        let is_block = opens && lines.peek().is_some_and(|next| is_content(next));
        if !is_block {
            out.push_str(line);
            continue;
        }
        push_mark(&mut out, line);
        while let Some(next) = lines.next_if(|next| is_content(next) || END.is_match(next)) {
            push_mark(&mut out, next);
            if END.is_match(next) {
                break;
            }
        }
    }
    Cow::Owned(out)
}

fn is_content(line: &str) -> bool {
    let line = line.trim_end_matches(['\n', '\r']);
    BODY.is_match(line) || HEADER.is_match(line)
}

fn push_mark(out: &mut String, line: &str) {
    out.push_str(&mark(KIND));
    if line.ends_with('\n') {
        out.push('\n');
    }
}
