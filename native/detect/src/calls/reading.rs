//! What kind of answer a tool gave, from its first words.
//!
//! Nothing here makes a loop by itself: it says how much evidence a repetition needs.

/// How much of an answer's beginning is read, in bytes.
const HEAD: usize = 600;

/// How much of it is read for what is said at once, in bytes.
const EARLY: usize = 160;

/// A longer answer says more than that something was done, in bytes.
const MAX_ACT: usize = 60;

/// Beginnings of words that say of an act that it was not done or must still be, or that something was only looked at.
const NOT_DONE: &[&str] = &[
    "not",
    "never",
    "nothing",
    "unchanged",
    "unsupported",
    "unfinished",
    "unable",
    "unknown",
    "unexpected",
    "unauthor",
    "fail",
    "denied",
    "refus",
    "reject",
    "block",
    "forbid",
    "skip",
    "ignor",
    "expect",
    "requir",
    "need",
    "allow",
    "permit",
    "disconnect",
    "expir",
    "miss",
    "already",
    "mismatch",
    "exceed",
    "crash",
    "abort",
    "cancel",
    "timed",
    "pass",
    "check",
    "match",
    "valid",
    "verif",
    "test",
];

/// What an answer says besides its data.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub(super) struct Reading {
    /// The call failed.
    pub(super) error: bool,
    /// It failed for a reason that time mends: network, overload, a limit.
    pub(super) outage: bool,
    /// Something is still going on: asking again is reasonable.
    pub(super) pending: bool,
    /// It speaks of something done.
    pub(super) done: bool,
    /// Done, and nothing more to say: what a write answers.
    pub(super) acknowledged: bool,
    /// Nothing was found.
    pub(super) negative: bool,
    /// It failed because what was asked for is not there.
    pub(super) absent: bool,
    /// It failed because what was asked for is not allowed.
    pub(super) refused: bool,
}

/// The words of a refusal.
const REFUSALS: &[&str] = &[
    "forbidden",
    "denied",
    "not permitted",
    "not allowed",
    "unauthorized",
    "unauthorised",
    "not authorized",
    "not authorised",
    "权限",
    "无权",
    "拒绝",
    "未授权",
    "禁止",
];

const ERRORS: &[&str] = &[
    "error",
    "traceback",
    "exception",
    "fatal",
    "failed",
    "failure",
    "panic",
    "err:",
    "cannot ",
    "can't ",
    "unable to",
    "could not",
    "couldn't",
    "invalid ",
    "no such file",
    "permission denied",
    "command not found",
    "exit code 1",
    "exit code 2",
    "exit status 1",
    "错误",
    "失败",
    "异常",
    "无法",
];

const ERROR_MARKS: &[&str] = &[
    "error:",
    "\"error\"",
    "exception:",
    "no such file",
    "permission denied",
    "not found:",
    "command not found",
    "traceback (most recent",
    "error]",
    "enoent",
    "eacces",
    "错误：",
    "错误:",
    "失败：",
    "失败:",
];

const OUTAGES: &[&str] = &[
    "timeout",
    "timed out",
    "connection refused",
    "connection reset",
    "connection error",
    "connection closed",
    "connect to server",
    "failed to connect",
    "unable to connect",
    "could not connect",
    "couldn't connect",
    "cannot connect",
    "can't connect",
    "network error",
    "networkerror",
    "network is",
    "network unreachable",
    "network connection",
    "network request",
    "network fail",
    "network timeout",
    "network issue",
    "network problem",
    " 429",
    " 502",
    " 503",
    " 504",
    "rate limit",
    "ratelimit",
    "too many requests",
    "service unavailable",
    "temporarily unavailable",
    "overloaded",
    "try again later",
    "retry after",
    "retry-after",
    "socket hang up",
    "bad gateway",
    "gateway time",
    "could not resolve host",
    "throttl",
    "超时",
    "限流",
    "网络",
    "连接被拒",
    "无法连接",
    "连接失败",
    "连接不上",
    "服务不可用",
    "稍后再试",
    "稍后重试",
    "请求过多",
    "过载",
];

/// Codes of the same failures. Only a whole word is one: `ModuleNotFoundError` holds `enotfound`.
const OUTAGE_CODES: &[&str] = &[
    "etimedout",
    "econnrefused",
    "econnreset",
    "econnaborted",
    "eai_again",
    "enotfound",
    "ehostunreach",
];

const PENDING: &[&str] = &[
    "running",
    "pending",
    "in progress",
    "in_progress",
    "in-progress",
    "inprogress",
    "queued",
    "in_queue",
    "waiting",
    "not ready",
    "not yet",
    "building",
    "processing",
    "starting",
    "provisioning",
    "initializing",
    "initialising",
    "creating",
    "deploying",
    "compiling",
    "downloading",
    "uploading",
    "installing",
    "scheduled",
    "not finished",
    "not complete",
    "incomplete",
    "unfinished",
    "still ",
    "no new ",
    "containercreating",
    "active",
    "progress",
    " yet",
    "booting",
    "syncing",
    "stopping",
    "awaiting",
    "loading",
    "indexing",
    "launching",
    "ongoing",
    "0%",
    "nothing new",
    "no change",
    "unchanged",
    "updating",
    "运行中",
    "进行中",
    "等待",
    "处理中",
    "排队",
    "未完成",
    "正在",
    "尚未",
    "还没",
    "构建中",
    "部署中",
    "未就绪",
    "执行中",
];

const ACKNOWLEDGEMENTS: &[&str] = &[
    "ok",
    "okay",
    "done",
    "success",
    "succeeded",
    "successfully",
    "saved",
    "created",
    "updated",
    "written",
    "wrote",
    "applied",
    "deleted",
    "removed",
    "inserted",
    "replaced",
    "added",
    "appended",
    "moved",
    "renamed",
    "edited",
    "modified",
    "set",
    "sent",
    "clicked",
    "typed",
    "pressed",
    "scrolled",
    "committed",
    "formatted",
    "completed",
    "accepted",
    "recorded",
    "noted",
    "logged",
    "stored",
    "copied",
    "uploaded",
    "installed",
    "true",
    "patched",
    "has been",
    "slept",
    "received",
    "downloaded",
    "processed",
    "loaded",
    "imported",
    "exported",
    "indexed",
    "posted",
    "started",
    "enabled",
    "disabled",
    "submitted",
    "changed",
    "affected",
    "successful",
];

const CJK_ACKNOWLEDGEMENTS: &[&str] = &[
    "成功",
    "完成",
    "已保存",
    "已更新",
    "已创建",
    "已写入",
    "已删除",
    "已添加",
    "已应用",
    "已修改",
    "已替换",
    "好的",
    "已记录",
];

const NEGATIVES: &[&str] = &[
    "no match",
    "no result",
    "not found",
    "nothing",
    "no files",
    "no file",
    "0 results",
    "0 matches",
    "0 hits",
    "none",
    "no such",
    "no data",
    "no entries",
    "no records",
    "empty",
    "no occurrences",
    "zero results",
    "did not match",
    "no documents",
    "no lines",
    "未找到",
    "没有",
    "无结果",
    "无匹配",
    "找不到",
    "为空",
];

/// What a check says of a thing that is as it should be: nothing was found, and that is good.
const FAULTLESS: &[&str] = &[
    "no issue",
    "no error",
    "no problem",
    "no warning",
    "no fault",
    "no violation",
    "no vulnerabilit",
    "no conflict",
    "no difference",
    "0 issues",
    "0 errors",
    "0 problems",
    "0 warnings",
    "0 vulnerabilit",
    "没有问题",
    "没有错误",
    "没有警告",
    "没有冲突",
    "没有发现问题",
    "没有发现错误",
    "未发现问题",
    "未发现错误",
    "无错误",
    "无警告",
];

/// A text in which many words are looked for: most of them hold a pair of bytes that it does not.
struct Head {
    text: String,
    /// A bit for each pair of neighbouring bytes, by a hash.
    pairs: [u64; 16],
}

impl Head {
    fn of(text: String) -> Self {
        let mut pairs = [0; 16];
        for pair in text.as_bytes().windows(2) {
            let (slot, bit) = place_of(pair);
            if let Some(slot) = pairs.get_mut(slot) {
                *slot |= bit;
            }
        }
        Self { text, pairs }
    }

    fn start(&self, bytes: usize) -> &str {
        self.text.get(..self.text.floor_char_boundary(bytes)).unwrap_or("")
    }

    fn may_hold(&self, word: &str) -> bool {
        word.as_bytes().windows(2).all(|pair| {
            let (slot, bit) = place_of(pair);
            self.pairs.get(slot).is_some_and(|slot| slot & bit != 0)
        })
    }

    /// Whether one of the words stands in the first `bytes` of the text.
    fn holds(&self, words: &[&str], bytes: usize) -> bool {
        let start = self.start(bytes);
        words.iter().any(|word| self.may_hold(word) && start.contains(word))
    }

    /// As [`Self::holds`], but at the end of a word: `state` and `jobState`, not `statement`.
    fn ends_words(&self, words: &[&str], bytes: usize) -> bool {
        let start = self.start(bytes);
        words.iter().filter(|word| self.may_hold(word)).any(|word| {
            start.match_indices(word).any(|(at, found)| {
                let after = start.get(at + found.len()..).unwrap_or("");
                !after.starts_with(|c: char| c.is_ascii_alphabetic())
            })
        })
    }

    /// As [`Self::holds`], but not as a part of a path or a name; a `whole` word is no part of another either.
    fn says(&self, words: &[&str], bytes: usize, whole: bool) -> bool {
        let start = self.start(bytes);
        let joins = |c: char| matches!(c, '_' | '/' | '-' | '.') || whole && c.is_alphanumeric();
        words.iter().filter(|word| self.may_hold(word)).any(|word| {
            start.match_indices(word).any(|(at, found)| {
                let (before, after) = (start.get(..at), start.get(at + found.len()..));
                let after = after.unwrap_or("");
                // A full stop at the end of a sentence joins nothing.
                let sentence = after.strip_prefix('.').is_some_and(|rest| {
                    !rest.starts_with(|c: char| c.is_alphanumeric() || c == '.')
                });
                !before.is_some_and(|before| before.ends_with(joins))
                    && (sentence || !after.starts_with(|c| joins(c) || c == '('))
            })
        })
    }
}

fn place_of(pair: &[u8]) -> (usize, u64) {
    let hash = pair.iter().fold(0_usize, |hash, byte| hash * 37 + usize::from(*byte));
    (hash / 64 % 16, 1 << (hash % 64))
}

/// Reads an answer.
pub(super) fn read(text: &str, is_error: bool) -> Reading {
    let head = text.get(..text.floor_char_boundary(HEAD)).unwrap_or("").trim_start().to_lowercase();
    let head = Head::of(head);
    let length = text.trim().len();
    let early = head.start(EARLY);

    let faultless = length <= 300 && head.holds(FAULTLESS, EARLY);
    let negative = length <= 300
        && !faultless
        && (head.holds(NEGATIVES, EARLY) || finds_no_such(early) || is_empty_json(text.trim()));
    let opening = head.text.trim_start_matches(['[', '<', '"', '{', '(', '*', ' ']);
    let opens_with_error = ERRORS.iter().any(|word| opening.starts_with(word));
    let error = is_error
        || (opens_with_error && !early.starts_with("errors: 0") && !negative)
        || (length <= 800 && head.holds(ERROR_MARKS, EARLY))
        || program_fails(early);
    let outage = error && (head.holds(OUTAGES, HEAD) || head.says(OUTAGE_CODES, HEAD, true))
        || length <= 200 && (head.says(OUTAGES, 60, false) || head.says(OUTAGE_CODES, 60, true));
    let named = ["status", "state", "phase", "progress", "job", "状态", "进度"];
    let may_wait = length <= 160 || length <= 600 && head.ends_words(&named, HEAD);
    let pending = !is_error && may_wait && head.holds(PENDING, HEAD);
    let told = told(early);
    let done = !error
        && !negative
        && !faultless
        && length <= 400
        && (length == 0
            || told
                .split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '-')))
                .any(|word| ACKNOWLEDGEMENTS.contains(&word.trim_end_matches('.')))
            || told.contains("has been")
            || is_act(early)
            || CJK_ACKNOWLEDGEMENTS.iter().any(|word| told.contains(word)));
    Reading {
        error,
        outage,
        pending,
        done,
        acknowledged: done && !pending,
        negative: negative && !is_error,
        absent: negative && error,
        refused: error && head.holds(REFUSALS, EARLY),
    }
}

/// `Undone.`, `Zoomed in`, `Volume increased`: a few words on one line that begin or end with what was done.
fn is_act(early: &str) -> bool {
    let line = early.trim();
    let mut words = line.split_ascii_whitespace().map(|word| word.trim_end_matches(['.', '!']));
    let plain = line.len() <= MAX_ACT && !line.contains(['\n', ':', '=', '{', '(', '?']);
    let refused = |word: &str| {
        matches!(word, "no" | "is" | "are") || NOT_DONE.iter().any(|begin| word.starts_with(begin))
    };
    // Not `speed`, not `need`.
    let is_past = |word: &str| word.ends_with("ed") && !word.ends_with("eed");
    let is_participle = |word: &str| {
        let letters = word.bytes().all(|b| b.is_ascii_lowercase());
        letters && word.len() >= 4 && (is_past(word) || word.ends_with("done"))
    };
    let (first, last) = (words.next(), words.next_back());
    plain
        && [first, last].into_iter().flatten().any(is_participle)
        && !line.split_ascii_whitespace().any(refused)
}

/// Where an acknowledgement can stand: the first two lines, up to the beginning of a listing or of code.
fn told(early: &str) -> &str {
    let length = early.split_inclusive('\n').take(2).take_while(|line| !is_data(line.trim()));
    early.get(..length.map(str::len).sum()).unwrap_or("")
}

/// A line of a listing, of code, or of a search's hits (`src/a.rs:12: …`).
fn is_data(line: &str) -> bool {
    let mut parts = line.split([':', '\t']);
    let first_is_number = parts.next().is_some_and(is_number);
    line.starts_with(['-', '|', '#'])
        || line.starts_with("//")
        || line.ends_with(';')
        || line.contains(" | ")
        || (first_is_number || parts.next().is_some_and(is_number)) && parts.next().is_some()
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// `No symbols found`, `no open tickets found`.
fn finds_no_such(early: &str) -> bool {
    early.split_once("no ").is_some_and(|(before, rest)| {
        let thing = rest.split_once(" found").map(|(thing, _)| thing);
        before.len() <= 40
            && !before.ends_with(char::is_alphanumeric)
            && thing
                .is_some_and(|thing| thing.len() <= 40 && !thing.contains(['.', '\n', ':', ';']))
    })
}

/// An empty array or object, as a whole or as the value of a field that holds what was found.
fn is_empty_json(text: &str) -> bool {
    if matches!(text, "[]" | "{}" | "null") {
        return true;
    }
    let found = ["results", "items", "matches", "hits", "data", "rows", "documents", "entries"];
    text.len() <= 200
        && text.starts_with('{')
        && found.iter().any(|field| {
            let value = text.split_once(*field).and_then(|(_, rest)| rest.strip_prefix('"'));
            let value = value.and_then(|rest| rest.trim_start().strip_prefix(':'));
            value.is_some_and(|value| value.trim_start().starts_with("[]"))
        })
}

/// `npm error missing script`, `rake aborted!`: a program says that it failed.
fn program_fails(early: &str) -> bool {
    let mut words = early.split_ascii_whitespace();
    let (program, what) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
    let program = program.strip_suffix(':').unwrap_or(program);
    program.len() <= 20
        && program.bytes().all(|b| b.is_ascii_lowercase() || b == b'-')
        && matches!(what.trim_end_matches(['!', ':']), "error" | "err" | "fatal" | "aborted")
}

/// A hash of what went wrong, without its details: numbers, quoted words, paths. The first line that says something; of a
/// Python traceback the last one.
pub(super) fn error_class(text: &str) -> u64 {
    let head = text.get(..text.floor_char_boundary(4096)).unwrap_or("");
    let lines = || head.lines().map(str::trim).filter(|line| !line.is_empty());
    let line =
        if head.contains("Traceback (most recent") { lines().next_back() } else { lines().next() };
    let line = line.unwrap_or("");
    let line = line.get(..line.floor_char_boundary(240)).unwrap_or("");
    let (mut hash, mut quote) = (0_u64, None);
    for word in line.split_inclusive([' ', '\t', ',', '(', ')', ':', ';', '=', '"', '\'', '`']) {
        let (body, end) = match word.char_indices().next_back() {
            Some((at, last)) if !last.is_alphanumeric() => {
                (word.get(..at).unwrap_or(""), Some(last))
            }
            _ => (word, None),
        };
        let quoted = quote.is_some();
        match (quote, end) {
            (Some(open), Some(close)) if open == close => quote = None,
            // An apostrophe inside a word opens nothing.
            (None, Some(open @ ('"' | '`'))) => quote = Some(open),
            (None, Some('\'')) if body.is_empty() => quote = Some('\''),
            _ => {}
        }
        let detail = quoted
            || body.contains(['/', '\\'])
            || body.bytes().any(|b| b.is_ascii_digit())
            || body.split_once('.').is_some_and(|(a, b)| !a.is_empty() && !b.is_empty());
        if !detail && !body.is_empty() {
            hash = crate::canonical::mix(
                hash,
                crate::canonical::hash_bytes(2, body.to_lowercase().as_bytes()),
            );
        }
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_told_apart() {
        for text in [
            "ok",
            "File updated.",
            "",
            "Successfully replaced text in a.py",
            "已保存 3 个文件",
            "The todo list has been modified.",
            "Undone.",
            "Zoomed in",
            "Turned left by 15 degrees",
            "Volume increased",
            "Last change was undone.",
        ] {
            assert!(read(text, false).acknowledged, "{text}");
        }
        for text in ["No matches found", "未找到匹配项", "0 results", "[] (empty)"] {
            let reading = read(text, false);
            assert!(reading.negative && !reading.acknowledged && !reading.error, "{text}");
        }
        for text in [
            "status: running",
            "Build is still in progress",
            "任务正在运行中",
            r#"{"state":"QUEUED"}"#,
        ] {
            assert!(read(text, false).pending, "{text}");
        }
        for text in [
            "Error: no such file",
            "Traceback (most recent call last):\n",
            "错误：文件不存在",
            "fatal: not a git repository",
        ] {
            assert!(read(text, false).error, "{text}");
        }
        for text in [
            "Error: connect ECONNREFUSED 127.0.0.1:5432",
            "HTTP 503 Service Unavailable",
            "请求超时，请稍后重试",
        ] {
            assert!(read(text, true).outage, "{text}");
        }
        for text in [
            "ModuleNotFoundError: No module named 'flask'",
            "FileNotFoundError: [Errno 2] No such file or directory: 'a'",
            "src/retry_timeout.rs:12: fn wait()",
            "G : NetworkX Graph",
            "1a2b3c4 set-timeout-later",
        ] {
            assert!(!read(text, false).outage, "{text}");
        }
        let code = "def compile(statement):\n    # compiling it takes long\n".repeat(4);
        assert!(!read(&code, false).pending);
        assert!(read(&format!("{{\"jobState\": \"QUEUED\", {:150}}}", ""), false).pending);
        for text in
            ["No symbols found.", "[]", r#"{"total":0,"items":[]}"#, "no open tickets found"]
        {
            assert!(read(text, false).negative, "{text}");
        }
        assert!(!read(r#"{"errors":[],"rows":3}"#, false).negative);
        assert!(
            read("npm error Missing script", false).error && read("rake aborted!\n", false).error
        );
        for text in [
            "UPDATE t SET a = 1;\nUPDATE t SET b = 2;",
            "- button \"Send\" [disabled]",
            "a.py:75:    # the param is set, or\na.py:80: x",
            "def set_name(self): pass",
            "src/a.rs | 11 ++--\n1 file changed",
            "offsets are 1-indexed",
            "the door is locked",
            "Access denied",
            "Need more seed",
            "Nothing matched",
            "let speed",
        ] {
            assert!(!read(text, false).acknowledged, "{text}");
        }
        assert!(read("<result>\nContent replaced in file: a.rs\n</result>", false).acknowledged);
        assert!(read("File edited. Result of running `cat`:", false).done);
        assert_eq!(read("fn main() { println!(\"hi\"); }\n", false), Reading::default());
    }

    #[test]
    fn words_are_found_where_they_stand() {
        let head = Head::of("the build is still running, 还没 完成".to_owned());
        assert!(head.holds(&["nothing", "running"], HEAD) && head.holds(&["还没"], HEAD));
        assert!(!head.holds(&["running"], 20));
        assert!(!head.holds(&["runs", "没完", "gnin"], HEAD));
    }

    #[test]
    fn errors_of_one_class_differ_in_details_only() {
        for (a, b) in [
            ("Error: old_string not found in src/a.py", "Error: old_string not found in src/b.py"),
            (
                "Error: File \"x y.txt\" does not exist",
                "Error: File \"other one.txt\" does not exist",
            ),
            (
                "error: line 12: unexpected token 'foo'",
                "error: line 99: unexpected token 'bar baz'",
            ),
            (
                "Traceback (most recent call last):\n  File \"a.py\", line 1\nValueError: bad value 3",
                "Traceback (most recent call last):\n  File \"b.py\", line 7\nValueError: bad value 4",
            ),
        ] {
            assert_eq!(error_class(a), error_class(b), "{a}");
        }
        assert_ne!(error_class("Error: file not found"), error_class("Error: permission denied"));
        assert_ne!(error_class("TypeError: x is undefined"), error_class("SyntaxError: bad token"));
    }
}
