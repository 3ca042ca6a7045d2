//! Files that set the environment of a process, as `.env` does, under names that are read because they may be anything:
//! `env`, `env.production`. If they hold nothing but variables, every value may be a secret.

use std::{borrow::Cow, sync::LazyLock};

use regex::Regex;

use super::{assignment::is_settings_file, compile, replace};
use crate::secret_files::is_template;

/// A comment, or the name of a variable and its value.
static LINE: LazyLock<Regex> = LazyLock::new(|| {
    compile(
        r"^\s*(?:#.*|\[redacted: .*|(?:export[ \t]+)?[A-Z][A-Z0-9_]*=(?<value>\S(?:.*\S)?)?\s*)?$",
    )
});

/// Whether the name is one of such a file.
pub(super) fn is_environment(path: &str) -> bool {
    let path = path.to_lowercase();
    let name = path.rsplit('/').next().unwrap_or_default();
    (name == "env" || name.starts_with("env.")) && !is_template(name) && !is_settings_file(name)
}

/// Replaces all values, if the file is one by its name and by every line of it.
pub(super) fn redact<'t>(path: &str, text: &'t str) -> Cow<'t, str> {
    if !is_environment(path) || !text.lines().all(|line| LINE.is_match(line)) {
        return Cow::Borrowed(text);
    }
    let mut start = 0;
    let secrets = text.split_inclusive('\n').filter_map(|line| {
        let begin = start;
        start += line.len();
        let captures = LINE.captures(line.trim_end_matches(['\n', '\r']))?;
        let value = captures.name("value")?;
        // What only refers to another variable says nothing.
        let refers = value.as_str().starts_with(['$', '[']);
        (!refers).then(|| (begin + value.start()..begin + value.end(), "setting"))
    });
    replace(text, secrets.collect())
}
