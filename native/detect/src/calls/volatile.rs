//! Which words of a tool's answer change although nothing has changed: times, dates, durations, ids, addresses, ports,
//! temporary names, and numbers that only count how often something was asked.
//!
//! A percentage, `3/10` and a bare number stay: they are how work in progress shows that it moves.

/// Names after which a number says nothing about the work.
const LABELS: &[&str] = &[
    "id",
    "pid",
    "tid",
    "ppid",
    "pgid",
    "sid",
    "port",
    "attempt",
    "attempts",
    "try",
    "tries",
    "retry",
    "retries",
    "run",
    "request",
    "requests",
    "req",
    "seq",
    "sequence",
    "call",
    "calls",
    "poll",
    "check",
    "tick",
    "heartbeat",
    "iteration",
    "iter",
    "counter",
    "nonce",
    "session",
    "thread",
    "trace",
    "span",
    "took",
    "elapsed",
    "uptime",
    "duration",
    "latency",
    "time",
    "timestamp",
    "ts",
    "date",
    "at",
    "since",
    "expires",
    "cursor",
    "ref",
    "etag",
    "inode",
    "age",
    "ago",
    "after",
    "rtt",
    "uuid",
    "ms",
    "seconds",
    "secs",
    "usage",
];

/// Last parts of a field's name (`created_at`, `requestId`) that make its number volatile.
const LABEL_ENDS: &[&str] = &[
    "id",
    "at",
    "ms",
    "us",
    "ns",
    "sec",
    "secs",
    "seconds",
    "time",
    "timestamp",
    "pid",
    "port",
    "nonce",
    "token",
    "seq",
    "attempt",
    "attempts",
    "retries",
    "duration",
    "elapsed",
    "latency",
    "uptime",
    "ts",
    "count_calls",
];

/// Names after which any word with a digit is an id.
const ID_LABELS: &[&str] =
    &["id", "ref", "uuid", "etag", "cursor", "nonce", "session", "trace", "span"];

/// First parts of a field's name (`elapsed_ms`) that make its number volatile.
const LABEL_STARTS: &[&str] =
    &["elapsed", "duration", "took", "attempt", "retry", "request", "latency", "uptime"];

/// Units of time, as words of their own or glued to a number.
const TIME_UNITS: &[&str] = &[
    "ns",
    "us",
    "µs",
    "ms",
    "s",
    "sec",
    "secs",
    "second",
    "seconds",
    "m",
    "min",
    "mins",
    "minute",
    "minutes",
    "h",
    "hr",
    "hrs",
    "hour",
    "hours",
    "d",
    "day",
    "days",
    "msec",
    "msecs",
    "millis",
    "milliseconds",
    "ago",
];

/// What is counted by the tool about being asked, not about the work.
const TALLIES: &[&str] = &[
    "requests", "calls", "attempts", "attempt", "tokens", "times", "tries", "retries", "queries",
    "polls", "checks",
];

/// Units of amounts: a long number before one is an amount, not an id.
const AMOUNTS: &[&str] = &[
    "b", "bytes", "byte", "kb", "mb", "gb", "kib", "mib", "gib", "rows", "lines", "items", "files",
    "records",
];

/// Prefixes of ids: `run-17`, `req_1`.
const ID_PREFIXES: &[&str] = &[
    "req", "request", "run", "job", "msg", "call", "session", "trace", "span", "thread", "worker",
    "pid", "conn", "tx", "attempt", "retry", "tmp", "temp", "id", "txn", "evt", "event",
];

const CJK_UNITS: &[&str] =
    &["毫秒", "秒", "分钟", "分", "小时", "时", "天", "次", "年", "月", "日", "点", "号端口"];

const MONTHS_AND_DAYS: &[&str] = &[
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec", "Mon",
    "Tue", "Wed", "Thu", "Fri", "Sat", "Sun", "UTC", "GMT", "AM", "PM",
];

/// Where temporary files live.
const TEMPORARY: &[&str] = &[
    "/tmp/",
    "/var/tmp/",
    "/private/tmp/",
    "/var/folders/",
    "/private/var/folders/",
    "/run/user/",
];

/// The unit of time that a text in Chinese begins with.
pub(super) fn cjk_time_unit(text: &str) -> Option<&'static str> {
    CJK_UNITS.iter().copied().find(|unit| text.starts_with(unit))
}

fn listed(word: &str, list: &[&str]) -> bool {
    word.len() <= 16 && list.iter().any(|entry| entry.eq_ignore_ascii_case(word))
}

/// Whether a word names a month, a weekday or a time zone as dates do.
pub(super) fn is_calendar_word(word: &str) -> bool {
    word.len() <= 3 && MONTHS_AND_DAYS.contains(&word)
}

/// Whether `word` is a unit of time, to be dropped together with the number before it.
pub(super) fn is_time_unit(word: &str) -> bool {
    listed(word, TIME_UNITS)
}

/// Whether a number after `word` is volatile.
fn is_label(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    if listed(word, LABELS) {
        return true;
    }
    let mut parts = word.split(['_', '-', '.']);
    let first = parts.next().unwrap_or("");
    let last = parts.next_back();
    if last.is_some_and(|last| listed(last, LABEL_ENDS)) || listed(first, LABEL_STARTS) {
        return true;
    }
    ["Id", "Ms", "At", "Time", "Seconds", "Timestamp", "Duration", "Port"]
        .iter()
        .any(|end| word.len() > end.len() && word.ends_with(end))
}

/// What a run of characters with a digit in it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Run {
    /// Says something about the work.
    Kept,
    /// Volatile as a whole.
    Volatile,
    /// Not as a whole; its parts (see [`part_is_volatile`]) may be.
    Composite,
}

/// Judges a run of ASCII characters that holds a digit, by itself, the word before it and the text after it.
pub(super) fn judge(run: &str, before: &str, after: &str) -> Run {
    let core = run.trim_matches(['.', ':', '#', '@', '~', '!', '?', '-', '+']);
    if run.contains('%') {
        return Run::Kept;
    }
    let digits_only = core.bytes().all(|b| b.is_ascii_digit());
    let numeric = core.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    if numeric {
        let next = after.trim_start_matches([' ', '_']);
        let next_word = leading_word(next);
        let amount = listed(next_word, AMOUNTS);
        let labelled = is_label(before) || is_calendar_word(before);
        let unit = is_time_unit(next_word)
            || listed(next_word, TALLIES)
            || CJK_UNITS.iter().any(|unit| next.starts_with(unit));
        // `1.2.3` is a version, `2026.11.22` a date.
        if numeric && core.matches('.').count() > 1 && !is_date(core) {
            return Run::Composite;
        }
        let volatile = labelled || unit || (digits_only && core.len() >= 9 && !amount);
        return if volatile || is_date(core) { Run::Volatile } else { Run::Kept };
    }
    if is_fraction(core) {
        return if is_label(before) { Run::Volatile } else { Run::Kept };
    }
    let label = before.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    let id = listed(label, ID_LABELS) && core.bytes().all(|b| b.is_ascii_alphanumeric());
    if id || is_time(core) || is_date(core) || is_duration(core) || is_hex(core) {
        return Run::Volatile;
    }
    Run::Composite
}

fn leading_word(text: &str) -> &str {
    let end = text.bytes().position(|b| !b.is_ascii_alphabetic()).unwrap_or(text.len());
    text.get(..end).unwrap_or("")
}

/// `3/10`
fn is_fraction(text: &str) -> bool {
    text.split_once('/').is_some_and(|(a, b)| {
        !a.is_empty()
            && !b.is_empty()
            && a.len() <= 7
            && b.len() <= 7
            && (a.len() < 4 || b.len() != 2)
            && (a.bytes().chain(b.bytes())).all(|b| b.is_ascii_digit())
    })
}

/// `12:01`, `1:02:03.456`, with a zone or not.
fn is_time(text: &str) -> bool {
    let text = text.trim_end_matches('Z');
    let (clock, zone) = text.split_once(['+', '-']).unwrap_or((text, ""));
    if !zone.bytes().all(|b| b.is_ascii_digit() || b == b':') {
        return false;
    }
    let mut parts = clock.split(':');
    let hours = parts.next().unwrap_or("");
    let mut count = 0;
    let sound = parts.all(|part| {
        count += 1;
        let whole = part.split(['.', ',']).next().unwrap_or("");
        whole.len() == 2 && part.bytes().all(|b| b.is_ascii_digit() || b == b'.')
    });
    sound
        && count >= 1
        && (1..=3).contains(&hours.len())
        && hours.bytes().all(|b| b.is_ascii_digit())
}

/// `2026-11-22`, `22.11.2026`, `11/22/26`, with a time behind it or not.
fn is_date(text: &str) -> bool {
    let (date, time) = match text.split_once(['T', '_']) {
        Some((date, time)) => (date, time),
        None => text.split_once(':').map_or((text, ""), |(date, _)| (date, "")),
    };
    if !(time.is_empty() || is_time(time) || time.bytes().all(|b| b.is_ascii_digit())) {
        return false;
    }
    for separator in ['-', '/', '.'] {
        let mut parts = date.split(separator);
        if let (Some(a), Some(b), Some(c), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        {
            let digits =
                [a, b, c].iter().all(|p| !p.is_empty() && p.bytes().all(|b| b.is_ascii_digit()));
            return digits
                && b.len() <= 2
                && ((a.len() == 4 && c.len() <= 2)
                    || (a.len() <= 2 && c.len() == 4)
                    || (separator != '.' && a.len() == 2 && b.len() == 2 && c.len() == 2));
        }
    }
    false
}

/// `12ms`, `3.4s`, `1h2m3s`
fn is_duration(text: &str) -> bool {
    let mut rest = text;
    let mut pieces = 0;
    while !rest.is_empty() {
        let number =
            rest.bytes().position(|b| !(b.is_ascii_digit() || b == b'.')).unwrap_or(rest.len());
        let (digits, tail) = rest.split_at_checked(number).unwrap_or((rest, ""));
        let unit = leading_word(tail);
        if digits.is_empty() || !is_time_unit(unit) {
            return false;
        }
        rest = tail.get(unit.len()..).unwrap_or("");
        pieces += 1;
    }
    pieces > 0
}

/// A hash, an address, a UUID: seven hexadecimal digits or more, letters and digits mixed (or `0x` before them).
fn is_hex(text: &str) -> bool {
    let (text, marked) = text.strip_prefix("0x").map_or((text, false), |rest| (rest, true));
    let digits = text.bytes().filter(u8::is_ascii_hexdigit).count();
    let dashes = text.bytes().filter(|b| *b == b'-').count();
    let dashed = dashes == 4 && text.len() == 36;
    digits + dashes == text.len()
        && (dashes == 0 || dashed)
        && (if marked { digits >= 3 } else { digits >= 7 })
        && (marked || dashed || text.bytes().any(|b| b.is_ascii_alphabetic()))
}

/// Whether a part of a composite run (between `-`, `_`, `/`, `:`, `.` …) is volatile. `before` is the part before it,
/// `separator` what stands between.
pub(super) fn part_is_volatile(part: &str, before: &str, separator: char) -> bool {
    let digits = part.bytes().filter(u8::is_ascii_digit).count();
    if digits == 0 {
        return false;
    }
    if digits == part.len() {
        let port = separator == ':'
            && (4..=5).contains(&digits)
            && (before == "localhost"
                || before.bytes().all(|b| b.is_ascii_digit()) && !before.is_empty());
        let id = matches!(separator, '-' | '_' | '#') && listed(before, ID_PREFIXES);
        return port || id || digits >= 9;
    }
    is_hex(part) || is_duration(part) && separator == ' ' || is_mixed_id(part)
}

/// A random name: long, letters and digits taking turns more than once.
fn is_mixed_id(part: &str) -> bool {
    let turns = part
        .as_bytes()
        .windows(2)
        .filter(|pair| matches!(pair, [a, b] if a.is_ascii_digit() != b.is_ascii_digit()))
        .count();
    part.len() >= 8 && turns >= 3
}

/// Whether an answer of one short line holds nothing but ids and the names of their fields: a queue's next job, a name made
/// up for a file. Then they are what it says.
pub(super) fn is_only_ids(text: &str) -> bool {
    let text = text.trim();
    if text.len() > 200 || text.contains('\n') {
        return false;
    }
    let in_word = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '/' | '.');
    let (mut rest, mut ids) = (text.trim_start_matches(|c| !in_word(c)), 0);
    while !rest.is_empty() {
        let end = rest.find(|c| !in_word(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
        if is_hex(word) || is_mixed_id(word) || temporary_prefix(word).is_some() {
            ids += 1;
        } else if !after.trim_start_matches(['"', '\'', ' ']).starts_with([':', '=']) {
            return false;
        }
        rest = after.trim_start_matches(|c| !in_word(c));
    }
    ids > 0
}

/// If `run` is a path below a place for temporary files: how long that prefix is.
pub(super) fn temporary_prefix(run: &str) -> Option<usize> {
    TEMPORARY.iter().find(|place| run.starts_with(**place)).map(|place| place.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_moves_without_work_is_volatile() {
        for (run, before, after) in [
            ("12:01:03", "", ""),
            ("1:02", "at", ""),
            ("2026-11-22", "", ""),
            ("2026-11-22T10:11:12.345Z", "", ""),
            ("2026-11-22T10:11:12+02:00", "", ""),
            ("11/22/2026", "", ""),
            ("12ms", "", ""),
            ("1h2m3s", "", ""),
            ("3.4", "", " seconds"),
            ("12", "耗时", "毫秒"),
            ("4242", "pid", ""),
            ("1234", "elapsed_ms", ""),
            ("17", "requestId", ""),
            ("3/10", "retry", ""),
            ("1763776575", "", ""),
            ("0x7ffe12", "", ""),
            ("8f3a91c", "", ""),
            ("550e8400-e29b-41d4-a716-446655440000", "", ""),
            ("17", "", " calls so far"),
        ] {
            assert_eq!(judge(run, before, after), Run::Volatile, "{before} {run}{after}");
        }
    }

    #[test]
    fn what_shows_progress_is_kept() {
        for (run, before, after) in [
            ("45%", "", ""),
            ("3/10", "step", ""),
            ("17", "processed", " rows"),
            ("0.53", "loss", ""),
            ("3", "epoch", ""),
            ("1234567890", "downloaded", " bytes"),
        ] {
            assert_eq!(judge(run, before, after), Run::Kept, "{before} {run}{after}");
        }
        assert_eq!(judge("src/a1.rs:12:5", "", ""), Run::Composite);
        assert_eq!(judge("1.2.3", "", ""), Run::Composite);
    }

    #[test]
    fn parts_of_names_are_volatile_when_they_are_ids() {
        assert!(part_is_volatile("54321", "localhost", ':'));
        assert!(part_is_volatile("17", "run", '-'));
        assert!(part_is_volatile("8f3kd92kd1", "req", '_'));
        assert!(!part_is_volatile("1234", "rs", ':'));
        assert!(!part_is_volatile("17", "test", '_'));
        assert!(!part_is_volatile("utf8", "", '-'));
    }
}
