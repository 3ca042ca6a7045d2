//! What a record must not say: names resolved to something else, conditions told in part, errors that don't derive.

use std::sync::Arc;

use ouro_core::{Language, LearningRecord, Reasoner};
use ouro_engine::OfflineReasoner;

use crate::stage::{Stage, citations, statements};

const ENGLISH: Language = Language::English;

/// Every record of a project, one after the other.
async fn told(files: &[(&str, &str)]) -> Vec<LearningRecord> {
    Stage::of(files).learn(40, ENGLISH).await
}

/// The answer about a subject.
fn about<'r>(records: &'r [LearningRecord], subject: &str) -> &'r str {
    let found = records.iter().find(|r| r.topic.as_ref().unwrap().subject.starts_with(subject));
    found.map_or_else(|| panic!("no record about {subject}"), |r| &r.answer)
}

const ERRORS: &str = r#""""Errors."""


class AppError(Exception):
    """Base of what goes wrong in the app."""


class KeyMissing(AppError):
    """Raised when a key is not there."""


class TooLate(AppError):
    """Raised when time is over."""


class TooMany(AppError):
    """Raised when there are more than allowed."""


class Stop(Exception):
    """Raised to end a run from the outside."""


def take(keys, strict, name):
    """Take a key out of the keys.

    A caller may write::

        try:
            take(a, b, c)
        except KeyMissing:
            pass
    """
    if strict:
        for key in keys:
            if key == name:
                raise KeyMissing("the key was taken before")
    elif name is None:
        pass
    else:
        raise TooLate("there is no time for it")
    while keys.pop():
        raise TooMany("there are too many of them")

    def later():
        raise Stop("this comes only later")

    return later
"#;

#[tokio::test]
async fn only_what_derives_is_listed_under_the_base_and_conditions_are_whole() {
    let records = told(&[("src/app.py", ERRORS)]).await;
    let answer = about(&records, "errors");
    let (family, others) =
        answer.split_once("ot derived from").or_else(|| answer.split_once("Apart from")).unwrap();
    assert!(family.contains("- `KeyMissing`") && family.contains("- `TooLate`"), "{answer}");
    assert!(!family.contains("- `Stop`") && others.contains("- `Stop`"), "{answer}");
    // The documentation shows an `except`, but nothing runs it.
    assert!(!answer.contains("except KeyMissing"), "{answer}");
    let all: String = records.iter().map(|r| r.answer.as_str()).collect();
    assert!(all.contains("raises `KeyMissing` when `strict` and `key == name`"), "{all}");
    assert!(!all.contains("only later"), "{all}");
    assert!(!all.contains("raises `TooMany`"), "its condition can't be told: {all}");
}

/// The message of a failure is quoted from the lines that hold it, be they others than those that fail.
#[tokio::test]
async fn what_a_failure_says_stands_on_the_lines_that_are_cited_for_it() {
    let code = "\"\"\"Opens doors.\"\"\"\n\n\ndef open_door(key):\n    \"\"\"Open the door with a key.\"\"\"\n    msg = \"this key fits no door\"\n    \
                turn(key)\n    lift(key)\n    raise KeyError(msg)\n\n\ndef turn(key):\n    \"\"\"Turn the key in its lock.\"\"\"\n    if not key:\n        raise ValueError(\n            \
                \"there is nothing to turn\"\n        )\n\n\ndef lift(key):\n    \"\"\"Lift the latch of the door.\"\"\"\n    if key > 2:\n        raise TypeError(\"the latch is stuck\")\n";
    let stage = Stage::of(&[("src/door.py", code)]);
    let records = stage.learn(40, ENGLISH).await;
    let all: Vec<String> = records.iter().flat_map(|r| statements(&r.answer)).collect();
    for quote in ["this key fits no door", "there is nothing to turn", "the latch is stuck"] {
        let said = all.iter().find(|s| s.contains(quote));
        let said = said.unwrap_or_else(|| panic!("nobody says {quote}: {all:?}"));
        let cited = citations(said);
        assert!(cited.iter().any(|(p, a, b)| stage.text(p, *a, *b).contains(quote)), "{said}");
    }
}

const GO: &str = "// Package box keeps things in boxes.\npackage box\n\nimport \"net/http\"\n\n\
    // Box holds things by name.\ntype Box struct{ things map[string]int }\n\n\
    // New returns an empty box.\nfunc New() *Box { return &Box{} }\n\n\
    // Handle puts a handler into the box.\nfunc (b *Box) Handle(path string, h http.Handler) {\n\tb.put(path)\n\tb.put(path)\n}\n\n\
    // Put puts a thing into the box.\nfunc (b *Box) Put(name string, n int) { b.things[name] = n }\n\n\
    func (b *Box) put(path string) {}\n";

#[tokio::test]
async fn a_name_means_something_only_where_its_receiver_does() {
    let readme = "# box\n\nBox is a place to keep things in.\n\n## Usage\n\n```go\nfunc main() {\n\tb := box.New()\n\tb.Put(\"a\", 1)\n\thttp.Handle(\"/\", b)\n}\n```\n";
    let records = told(&[
        ("README.md", readme),
        ("go.mod", "module example.com/box\n\ngo 1.20\n"),
        ("box.go", GO),
    ])
    .await;
    let answer = about(&records, "usage");
    assert!(answer.contains("- `New`") && answer.contains("- `Put`"), "{answer}");
    assert!(!answer.contains("- `Handle`"), "http.Handle is no method of Box: {answer}");
}

#[tokio::test]
async fn what_takes_other_arguments_is_another_function() {
    let font = "package ink\n\n// Font holds the shapes of letters.\ntype Font struct{ size int }\n\n// Bounds returns the box around the largest letter at a scale.\nfunc (f *Font) Bounds(scale int) int { return f.size * scale }\n\n// Kern returns the space between two letters.\nfunc (f *Font) Kern(left, right rune) int { return f.size }\n";
    let draw = "package ink\n\n// Measure measures a text.\nfunc Measure(f *Font, text string) int {\n\treturn f.Bounds(1) * len(text)\n}\n\n// Draw draws a text.\nfunc Draw(f *Font, text string) int {\n\t_, mask := glyph(f, text)\n\treturn mask.Bounds().Dx()\n}\n\nfunc glyph(f *Font, text string) (int, *image.Alpha) { return 0, nil }\n";
    let records = told(&[
        ("go.mod", "module example.com/ink\n\ngo 1.20\n"),
        ("font.go", font),
        ("draw.go", draw),
    ])
    .await;
    let all = records.iter().map(|r| r.answer.as_str()).collect::<Vec<_>>().join("\n");
    assert!(all.contains("f.Bounds(1)"), "{all}");
    assert!(!all.contains("mask.Bounds()"), "an image is no font: {all}");
}

#[tokio::test]
async fn steps_are_in_order_with_their_conditions_and_without_inner_functions() {
    let code = "\"\"\"Runs jobs.\"\"\"\n\n\ndef load(name):\n    \"\"\"Load a job by its name.\"\"\"\n    return name\n\n\ndef check(job):\n    \"\"\"Check that a job can run.\"\"\"\n    return job\n\n\ndef queue(job):\n    \"\"\"Queue the job for another day.\"\"\"\n    return job\n\n\ndef finish(job):\n    \"\"\"Finish a job that has run.\"\"\"\n    return job\n\n\ndef run_job(name, now):\n    \"\"\"Run the job of this name.\"\"\"\n    check(load(name))\n    if now:\n        # Added by a colleague last year.\n        finish(name)\n    else:\n        queue(name)\n\n    def again():\n        return run_other(name)\n\n    return again\n\n\ndef run_other(name):\n    \"\"\"Run another job instead.\"\"\"\n    return name\n";
    let records = told(&[("src/jobs.py", code)]).await;
    let answer = about(&records, "flow");
    let steps: Vec<&str> =
        answer.lines().filter(|l| l.starts_with(|c: char| c.is_ascii_digit())).collect();
    assert_eq!(steps.len(), 4, "{answer}");
    assert!(steps[0].starts_with("1. `load`") && steps[1].starts_with("2. `check`"), "{answer}");
    assert!(steps[2].starts_with("3. When `now`: `finish`"), "{answer}");
    assert!(steps[3].starts_with("4. Unless `now`: `queue"), "{answer}");
    assert!(!answer.contains("colleague"), "{answer}");
}

#[tokio::test]
async fn what_is_called_in_both_branches_is_not_told_under_the_condition_of_one() {
    let code = "\"\"\"Merges settings.\"\"\"\n\n\ndef load(name):\n    \"\"\"Load settings by their name.\"\"\"\n    return name\n\n\ndef merge(settings):\n    \"\"\"Merge the settings with those of the user.\"\"\"\n    return settings\n\n\ndef report(settings):\n    \"\"\"Report that there were none.\"\"\"\n    return settings\n\n\ndef start_up(name, given):\n    \"\"\"Start with the settings of this name.\"\"\"\n    load(name)\n    if given:\n        merge(given)\n    else:\n        report(name)\n        merge(name)\n    return name\n";
    let answer = about(&told(&[("src/settings.py", code)]).await, "flow").to_owned();
    assert!(answer.contains("Unless `given`: `report`"), "{answer}");
    assert!(!answer.contains("When `given`: `merge`"), "{answer}");
}

#[tokio::test]
async fn a_renewed_answer_says_again_what_the_replaced_one_said() {
    let stage = Stage::cache();
    let records = stage.learn(3, ENGLISH).await;
    let old = &records[0];
    let reasoner = OfflineReasoner::new(7);
    let questions = reasoner.generate_questions(stage.request(50, ENGLISH)).await.unwrap().value;
    let question = questions.into_iter().find(|q| q.topic == old.topic).unwrap();
    let seen = stage.explore(&reasoner, &question, ENGLISH).await;
    let mut request = stage.summary(question, seen, ENGLISH);
    request.records = Arc::new(vec![old.clone()]);
    let renewed = reasoner.summarize(request).await.unwrap().value;
    assert_eq!(renewed.answer, old.answer);
}

#[tokio::test]
async fn a_record_leaves_out_no_more_than_side_remarks_that_others_made() {
    let stage = Stage::cache();
    let reasoner = OfflineReasoner::new(7);
    let questions = reasoner.generate_questions(stage.request(50, ENGLISH)).await.unwrap().value;
    for record in stage.learn(12, ENGLISH).await {
        let question = questions.iter().find(|q| q.topic == record.topic).unwrap().clone();
        let seen = stage.explore(&reasoner, &question, ENGLISH).await;
        let alone = reasoner.summarize(stage.summary(question, seen, ENGLISH)).await.unwrap().value;
        for statement in statements(&alone.answer) {
            // By which tests a thing is held is such a remark, and which places stand as examples of failures.
            let side = statement.contains("tests/") || statement.contains(" raises `");
            assert!(side || record.answer.contains(&statement), "{statement}\n\n{}", record.answer);
        }
    }
}

#[tokio::test]
async fn a_readme_is_read_for_what_the_project_is() {
    let readme = "# Quick\n\nAn efficient server implies a lower cost, responsiveness and happy users. How can you handle this?\n\n\
                  Quick is a web framework with little overhead. This will send everything to you.\n";
    let records =
        told(&[("README.md", readme), ("src/a.py", "def serve(port):\n    return port\n")]).await;
    let answer = about(&records, "overview");
    assert!(answer.contains("is a web framework with little overhead"), "{answer}");
    assert!(!answer.contains("implies") && !answer.contains("How can you"), "{answer}");
    assert!(!answer.contains("This will send"), "{answer}");
}

#[tokio::test]
async fn a_project_of_two_lines_is_told_by_what_it_declares() {
    let records = told(&[("add.py", "def add(a, b):\n    return a + b\n")]).await;
    assert_eq!(records.len(), 1);
    let answer = &records[0].answer;
    assert!(answer.contains("`add`: `return a + b` (`add.py:1-2`)"), "{answer}");
}

#[tokio::test]
async fn a_file_of_one_type_is_told_by_its_functions() {
    let code = "class Stack:\n    def push(self, item):\n        self.items.append(item)\n\n    def pop(self):\n        return self.items.pop()\n";
    let records = told(&[("stack.py", code)]).await;
    let answer = about(&records, "overview");
    assert!(answer.contains("`Stack.push`: `self.items.append(item)`"), "{answer}");
    assert!(answer.contains("`Stack.pop`: `return self.items.pop()`"), "{answer}");
    assert!(statements(answer).len() >= 3, "{answer}");
}

#[tokio::test]
async fn an_example_is_cut_where_a_statement_ends_and_says_so() {
    let calls: String = (0..30).map(|n| format!("shop.sell(\n    {n},\n)\n")).collect();
    let readme = format!(
        "# shop\n\nShop is a place to sell things.\n\n## Usage\n\n```python\nfrom shop import Shop\n\nshop = Shop()\n{calls}```\n"
    );
    let code = "class Shop:\n    \"\"\"Sells things.\"\"\"\n\n    def sell(self, what):\n        \"\"\"Sell a thing.\"\"\"\n        return what\n";
    let records = told(&[("README.md", &readme), ("shop.py", code)]).await;
    let answer = about(&records, "usage");
    assert!(answer.contains(")\n…\n```"), "{answer}");
}

#[tokio::test]
async fn a_test_that_only_uses_a_thing_pins_nothing_down() {
    let code = "class Engine:\n    \"\"\"Drives the car.\"\"\"\n\n    def start(self):\n        \"\"\"Start to turn the wheels.\"\"\"\n        return 1\n\n    def halt(self):\n        \"\"\"Halt the wheels at once.\"\"\"\n        return 2\n";
    let test = "from src.engine import Engine\n\n\ndef test_doors_open_when_parked():\n    engine = Engine()\n    assert engine.halt() == 2\n\n\ndef test_lights_go_out_at_noon():\n    engine = Engine()\n    assert engine.start() == 1\n";
    let records = told(&[("src/engine.py", code), ("tests/test_car.py", test)]).await;
    let answer = about(&records, "symbol");
    assert!(answer.contains("test_doors_open_when_parked"), "{answer}");
    assert!(!answer.contains("pinned down") && !answer.contains("what it must do"), "{answer}");
}

#[tokio::test]
async fn a_name_that_an_example_does_not_import_is_the_languages_own() {
    let root = "//! A pot for results.\n\n/// The result of this crate.\npub type Result<T> = core::result::Result<T, Spill>;\n\n\
                /// Something was spilt.\npub struct Spill;\n\n/// Same as `Ok::<_, Spill>(value)`.\n#[allow(non_snake_case)]\npub fn Ok<T>(value: T) -> Result<T> { Result::Ok(value) }\n\n\
                /// Fills the pot with what there is.\npub fn fill(n: u32) -> Result<u32> { Ok(n) }\n";
    let readme = "# pot\n\nPot is a place for results.\n\n## Usage\n\n```rust\nuse pot::{fill, Result};\n\nfn run() -> Result<u32> {\n    let n = fill(1)?;\n    Ok(n)\n}\n```\n";
    let records = told(&[
        ("Cargo.toml", "[package]\nname = \"pot\"\nversion = \"1.0.0\"\n"),
        ("README.md", readme),
        ("src/lib.rs", root),
    ])
    .await;
    let answer = about(&records, "usage");
    assert!(answer.contains("- `fill`") && !answer.contains("- `Ok`"), "{answer}");
}

const CONDITIONS: &str = "\"\"\"Runs jobs.\"\"\"\n\n\ndef shadowed(path):\n    \"\"\"Tell whether a path is shadowed.\"\"\"\n    return path\n\n\n\
    def late(name):\n    \"\"\"Tell whether it is too late.\"\"\"\n    return name\n\n\ndef queue(name):\n    \"\"\"Queue the job for another day.\"\"\"\n    return name\n\n\n\
    def run_job(name, a, b, c):\n    \"\"\"Run the job of this name.\"\"\"\n    # compute the path to the value of the job\n    if shadowed(name):\n        return None\n    \
    if a:\n        late(name)\n    elif b:\n        late(name)\n    else:\n        queue(name)\n    return name\n";

#[tokio::test]
async fn a_comment_above_a_block_is_not_told_of_the_call_in_its_condition() {
    let records = told(&[("src/jobs.py", CONDITIONS)]).await;
    let answer = about(&records, "flow");
    assert!(answer.contains("`shadowed(name)`") && !answer.contains("ompute the path"), "{answer}");
}

#[tokio::test]
async fn of_several_conditions_that_must_all_fail_it_is_said_so_in_chinese_too() {
    let records = Stage::of(&[("src/jobs.py", CONDITIONS)]).learn(40, Language::Chinese).await;
    let answer = about(&records, "flow");
    assert!(answer.contains("在 `a`、`b` 都不成立时"), "{answer}");
    let english = told(&[("src/jobs.py", CONDITIONS)]).await;
    assert!(about(&english, "flow").contains("Unless `a` or `b`: `queue`"));
}

#[tokio::test]
async fn a_kotlin_class_is_made_without_new_and_owns_no_function_of_its_namesake() {
    let date = "package a\n\n/** A day without a time of day. */\npublic class Day(public val n: Int) {\n    /** Makes a day of its number and [other]. */\n    public constructor(n: Int, other: Int) : this(n + other)\n\n    /** Returns the day after this one. */\n    public fun next(): Day = Day(n + 1)\n\n    /** Returns the day before this one. */\n    public fun previous(): Day = Day(n - 1)\n}\n";
    let more = "package a\n\n/** Converts it to ours. */\npublic fun java.time.Day.toOurs(): Day = Day(1)\n";
    let records = told(&[("src/Day.kt", date), ("src/More.kt", more)]).await;
    let answer = about(&records, "symbol");
    assert!(!answer.contains("new Day") && !answer.contains("- `toOurs`"), "{answer}");
    assert!(!answer.contains("[other]"), "{answer}");
}

#[tokio::test]
async fn what_a_type_test_declares_is_no_test() {
    let types: String = ["Route", "Reply", "Hook", "Plugin", "Schema"]
        .iter()
        .map(|n| format!("const test{n}WithItsOwnType = async function () {{\n  const a = use{n}()\n  return a\n}}\n"))
        .collect();
    let records = told(&[
        ("package.json", "{ \"name\": \"web\", \"version\": \"1.0.0\" }\n"),
        ("lib/web.js", "/**\n * Serves what is asked for.\n */\nfunction serve () {\n  return 1\n}\n\nmodule.exports = serve\n"),
        ("test/types/web.test-d.ts", &types),
    ])
    .await;
    assert!(records.iter().all(|r| r.topic.as_ref().unwrap().subject != "tests"), "{records:?}");
}

#[tokio::test]
async fn what_is_left_out_between_two_quoted_sentences_is_marked() {
    let code = "\"\"\"Sews.\"\"\"\n\n\nclass Loom:\n    \"\"\"Weaves cloth of any colour.\n\n    These are its rules of thumb for all days.\n\n    Threads are kept on a reel.\n\n    A reel is changed when it is empty.\n    \"\"\"\n\n    \
                def weave(self):\n        \"\"\"Weave one row of cloth.\"\"\"\n        return 1\n\n    def cut(self):\n        \"\"\"Cut what was woven.\"\"\"\n        return 2\n";
    let records = Stage::of(&[("src/loom.py", code)]).learn(9, Language::Chinese).await;
    let answer = about(&records, "symbol");
    assert!(answer.contains("any colour. …… Threads are kept on a reel. A reel is"), "{answer}");
}

#[tokio::test]
async fn fields_of_a_docstring_are_no_statement() {
    let code = "\"\"\"\nbarn.hay\n~~~~~~~~\n\nThis module keeps hay for the winter.\n\n:copyright: (c) 2012 by a farmer of the north.\n:license: Apache2, see LICENSE for more details.\n\"\"\"\n\n\n\
                def stack(bale):\n    \"\"\"Stack a bale on the others.\"\"\"\n    return bale\n\n\ndef count(bales):\n    \"\"\"Count the bales that are left.\"\"\"\n    return bales\n\n\ndef burn(bale):\n    \"\"\"Burn a bale in the stove.\"\"\"\n    return bale\n";
    let more = |n: &str| {
        format!("def {n}(cow):\n    \"\"\"Give the cow some {n}.\"\"\"\n    return cow\n")
    };
    let (oats, corn) = (more("oats"), more("corn"));
    let records =
        told(&[("barn/hay.py", code), ("barn/oats.py", &oats), ("barn/corn.py", &corn)]).await;
    let all: String = records.iter().map(|r| r.answer.as_str()).collect();
    assert!(all.contains("keeps hay for the winter"), "{all}");
    assert!(!all.contains("by a farmer") && !all.contains("see LICENSE"), "{all}");
}

#[tokio::test]
async fn a_sentence_is_not_told_without_the_scene_that_was_set_for_it() {
    let readme = "# ferry\n\nFerry is a library that carries messages over water.\n\n- Write a function that returns a message.\n\n  Within the function, use a flag to call for the captain.\n\n\
                  Ferry is made for rivers of any width.\n";
    let code = "def carry(message):\n    \"\"\"Carry a message over the water.\"\"\"\n    return message\n";
    let records = told(&[("README.md", readme), ("src/ferry.py", code)]).await;
    let answer = about(&records, "overview");
    assert!(answer.contains("carries messages over water"), "{answer}");
    assert!(!answer.contains("Within the function"), "{answer}");
}

#[tokio::test]
async fn a_signature_at_the_head_of_documentation_hides_nothing_below_it() {
    let code = "\"\"\"Runs jobs.\"\"\"\n\n\nclass Planner:\n    \"\"\"This keeps what is to be run.\"\"\"\n\n    def add_job(self, func, trigger=None):\n        \"\"\"\n        add_job(func, trigger=None, args=None, \\\n            **options)\n\n        Adds a job to those that are run.\n        \"\"\"\n        return self.check(func)\n\n    def check(self, func):\n        \"\"\"Looks whether a job can be run.\"\"\"\n        return func\n";
    let records = told(&[("src/planner.py", code)]).await;
    let all = records.iter().map(|r| r.answer.as_str()).collect::<Vec<_>>().join("\n");
    assert!(all.contains("`add_job`: Adds a job to those that are run"), "{all}");
    // A first sentence has none before it to lean on.
    assert!(all.contains("`Planner` keeps what is to be run"), "{all}");
}

/// A function may return before it fails: then the conditions around the failure don't suffice for it.
#[tokio::test]
async fn what_returns_before_a_failure_is_told_with_it_or_it_only_can_fail() {
    let names = ["gate", "door", "hatch"];
    let bodies = [
        "    if (key) {\n      if (key.fits) {\n        return open(key)\n      }\n      throw new TypeError('this key is of no use')\n    }\n",
        "    if (key) {\n      for (const tooth of key.teeth) {\n        if (tooth.fits) {\n          return open(tooth)\n        }\n      }\n      throw new RangeError('no tooth is of any use')\n    }\n",
        "    if (!key) {\n      return null\n    } else if (key.bent) {\n      throw new SyntaxError('a bent key is of no use')\n    }\n",
    ];
    let code: String = names
        .iter()
        .zip(bodies)
        .map(|(name, body)| {
            format!(
                "/** Tries a key in the {name}. */\nexport function {name}(key) {{\n{body}}}\n\n"
            )
        })
        .collect();
    let code = format!(
        "/** Opens what a key fits. */\nexport function open(key) {{\n  return key\n}}\n\n{code}"
    );
    let records = told(&[("src/locks.js", &code)]).await;
    let answer = about(&records, "errors");
    assert!(answer.contains("`gate` throws `TypeError` when `key` unless `key.fits`"), "{answer}");
    assert!(answer.contains("`door` can throw `RangeError` when `key`"), "{answer}");
    assert!(answer.contains("`hatch` throws `SyntaxError` when `key` and `key.bent`"), "{answer}");
}

#[tokio::test]
async fn several_places_of_one_error_are_told_where_there_are_few_errors() {
    let checks: String = ["wheat", "rye", "oats", "barley"]
        .iter()
        .map(|corn| format!("// Grind{corn} grinds {corn} alone.\nfunc Grind{corn}(s string) error {{\n\tif s == \"\" {{\n\t\treturn fmt.Errorf(\"no {corn} to grind\")\n\t}}\n\treturn nil\n}}\n\n"))
        .collect();
    let code = format!("// Package mill grinds corn.\npackage mill\n\nimport \"fmt\"\n\n{checks}");
    let files = [("go.mod", "module example.com/mill\n\ngo 1.22\n"), ("mill.go", code.as_str())];
    let records = Stage::of(&files).learn(40, ENGLISH).await;
    let errors = records.iter().find(|r| r.topic.as_ref().unwrap().subject == "errors").unwrap();
    assert_eq!(errors.answer.matches("returns an error when").count(), 4, "{}", errors.answer);
}

#[tokio::test]
async fn only_what_becomes_an_error_of_the_project_is_turned_into_its_own() {
    let code = "//! Reads letters.\n\n/// All letters of a year, by their day.\npub struct Letters { year: u32 }\n\nimpl Letters {\n    /// Whether there is one for this day.\n    pub fn has(&self, day: u32) -> bool { day > 0 }\n}\n\n\
                /// Why a letter could not be read.\npub enum ReadError {\n    /// The paper is wet through.\n    Wet,\n    /// The ink has faded away.\n    Faded,\n}\n\n\
                impl From<ReadError> for std::io::Error {\n    fn from(_: ReadError) -> Self { Self::other(\"unread\") }\n}\n\n\
                impl From<std::fmt::Error> for ReadError {\n    fn from(_: std::fmt::Error) -> Self { Self::Wet }\n}\n\n\
                /// Why a letter could not be sent.\npub struct SendError;\n\n\
                /// Reads a letter.\npub fn read(text: &str) -> Result<(), ReadError> {\n    if text.is_empty() {\n        return Err(ReadError::Wet);\n    }\n    if text == \"y\" {\n        panic!(\"no letter is so short\");\n    }\n    Ok(())\n}\n\n\
                /// Sends a letter.\npub fn send(text: &str) -> Result<(), SendError> {\n    if text.is_empty() {\n        return Err(SendError);\n    }\n    Ok(())\n}\n";
    let files = [
        ("Cargo.toml", "[package]\nname = \"letters\"\nversion = \"1.0.0\"\n"),
        ("src/lib.rs", code),
    ];
    let records = Stage::of(&files).learn(40, ENGLISH).await;
    let all = records.iter().map(|r| r.answer.as_str()).collect::<Vec<_>>().join("\n\n");
    assert!(
        all.contains("turned into its own by `impl From<std::fmt::Error> for ReadError"),
        "{all}"
    );
    assert!(!all.contains("From<ReadError>"), "{all}");
}
