//! Names that say that what is assigned to them is a secret: `DB_PASSWORD`, `apiKey`, `spring.mail.pass`.

use std::sync::LazyLock;

use regex::Regex;

use super::compile;

/// Words at the end of a password's name: whatever is assigned to it is one, however plain.
const PASSWORD: [&str; 5] = ["password", "passwd", "passphrase", "passcode", "pwd"];

/// Words of the names of other secrets.
const KEY: &str = "pwd|secret|token|credential|bearer|jwt|(?:api|access|account|app|client|encryption|license|master|private|service|session|signing|storage|subscription)[ _.-]?key";

/// The first look at a text; [`Tells::of`] then looks at the whole name.
static WORD: LazyLock<Regex> = LazyLock::new(|| compile(&format!("(?i-u)pass|auth|{KEY}")));

/// Words that make a name the name of a secret wherever they stand in it; `auth` alone, not as the start of `author`.
static TELLING: LazyLock<Regex> = LazyLock::new(|| {
    let words = PASSWORD.join("|");
    compile(&format!("(?i-u:{words}|{KEY})|(?i-u:auth(?:ori[sz]ation|entication)?)(?:[^a-z]|$)"))
});

/// What a name says of its value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Tells {
    /// It is a password, which may be a plain word.
    Password,
    /// It may be a password: `pass` is a verb, too.
    Pass,
    /// It is a key or a token, which looks random.
    Key,
}

impl Tells {
    fn of(name: &str) -> Option<Self> {
        let lower = name.to_ascii_lowercase();
        let last = lower.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '_' | '-'));
        let one = last.strip_suffix('s').unwrap_or(last);
        if PASSWORD.iter().any(|word| one.ends_with(word)) {
            return Some(Self::Password);
        }
        if last.ends_with("pass") {
            return Some(Self::Pass);
        }
        TELLING.is_match(name).then_some(Self::Key)
    }
}

/// A name that tells, and the text around it.
pub(super) struct Name<'t> {
    pub(super) before: &'t str,
    pub(super) name: &'t str,
    pub(super) after: &'t str,
    pub(super) tells: Tells,
}

impl Name<'_> {
    /// Where the name begins and ends, in bytes.
    pub(super) fn start(&self) -> usize {
        self.before.len()
    }

    pub(super) fn end(&self) -> usize {
        self.before.len() + self.name.len()
    }

    /// Whether it is an option of a command: `--password`, `-Dapi.key`.
    pub(super) fn is_option(&self) -> bool {
        self.name.starts_with('-')
    }

    /// Whether it is a parameter in the query of a URL.
    pub(super) fn is_parameter(&self) -> bool {
        self.before.ends_with(['?', '&']) || self.before.ends_with("&amp;")
    }

    /// Whether it is a variable as a shell has them: `API_TOKEN`.
    pub(super) fn is_variable(&self) -> bool {
        !self.name.bytes().any(|b| b.is_ascii_lowercase())
    }

    /// Whether it stands in quotes.
    pub(super) fn is_quoted(&self) -> bool {
        self.after.trim_start_matches('\\').starts_with(['"', '\'', '`'])
    }
}

/// The names in a text that tell, in their order.
pub(super) fn names(text: &str) -> impl Iterator<Item = Name<'_>> {
    let mut behind = 0;
    WORD.find_iter(text).filter_map(move |word| {
        if word.start() < behind {
            return None;
        }
        let left = text.get(behind..word.start())?.trim_end_matches(|c| is_in_name(c) || c == '.');
        let start = behind + left.len();
        let rest = text.get(word.end()..)?;
        let end = text.len() - rest.trim_start_matches(is_in_name).len();
        behind = end;
        let name = text.get(start..end)?;
        let tells = Tells::of(name)?;
        Some(Name { before: text.get(..start)?, name, after: text.get(end..)?, tells })
    })
}

fn is_in_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}

/// Whether a text speaks of secrets.
pub(super) fn is_told(text: &str) -> bool {
    TELLING.is_match(text)
}
