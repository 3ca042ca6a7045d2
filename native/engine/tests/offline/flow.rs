//! What a function does on its way: its steps, under which conditions, and where it returns before them.

use ouro_core::{ErrorKind, Language, Reasoner};
use ouro_engine::OfflineReasoner;

use crate::stage::Stage;

/// The answers about functions of a project, one after the other.
async fn flows(files: &[(&str, &str)], language: Language) -> String {
    flows_of("", files, language).await
}

/// The answers about functions whose topic ends with this name.
async fn flows_of(name: &str, files: &[(&str, &str)], language: Language) -> String {
    let records = Stage::of(files).learn(40, language).await;
    let topics = records.iter().map(|r| (r.topic.as_ref().unwrap().subject.as_str(), r));
    let flows = topics.filter(|(t, _)| t.starts_with("flow") && t.ends_with(name));
    flows.map(|(_, r)| r.answer.as_str()).collect::<Vec<_>>().join("\n\n")
}

const ORDER: &str = "\"\"\"Sends parcels.\"\"\"\n\n\ndef weigh(parcel):\n    \"\"\"Weigh the parcel on a scale.\"\"\"\n    return parcel\n\n\n\
    def label(parcel):\n    \"\"\"Put a label on the parcel.\"\"\"\n    return parcel\n\n\ndef refuse(parcel):\n    \"\"\"Hand the parcel back to its sender.\"\"\"\n    return parcel\n\n\n\
    def send_parcel(parcel, ready, late):\n    \"\"\"Send the parcel to where it belongs.\"\"\"\n    if not ready:\n        refuse(parcel)\n        return None\n    weigh(parcel)\n    \
    if late:\n        return None\n    label(parcel)\n    return parcel\n";

#[tokio::test]
async fn an_early_return_is_told_before_the_steps_that_it_may_keep_from_happening() {
    let answer = flows(&[("src/post.py", ORDER)], Language::English).await;
    let steps: Vec<&str> =
        answer.lines().filter(|l| l.starts_with(|c: char| c.is_ascii_digit())).collect();
    assert_eq!(steps.len(), 4, "{answer}");
    assert!(steps[0].starts_with("1. When `not ready`: `refuse"), "{answer}");
    assert!(steps[0].ends_with("there it returns (`src/post.py:23`)"), "{answer}");
    assert!(steps[1].starts_with("2. `weigh`"), "{answer}");
    assert!(steps[2].starts_with("3. It returns when `late`"), "{answer}");
    assert!(steps[3].starts_with("4. `label`"), "{answer}");
    let chinese = flows(&[("src/post.py", ORDER)], Language::Chinese).await;
    assert!(chinese.contains("到此返回：在 `late` 时"), "{chinese}");
}

#[tokio::test]
async fn a_return_of_one_branch_says_nothing_of_the_steps_in_the_other() {
    let code = "/** Counts what is there. */\nexport function count(bag) {\n  return bag\n}\n\n/** Sorts what is there. */\nexport function sort(bag) {\n  return bag\n}\n\n\
                /** Packs a bag for the road. */\nexport function handleBag(bag, full) {\n  if (full) {\n    count(bag)\n    return bag\n  } else {\n    sort(bag)\n    return bag\n  }\n}\n";
    let answer = flows(&[("src/bag.js", code)], Language::English).await;
    assert!(answer.contains("When `full`: `count`"), "{answer}");
    assert!(answer.contains("Unless `full`: `sort`"), "{answer}");
    assert!(!answer.contains("returns (") && !answer.contains("no further"), "{answer}");
}

#[tokio::test]
async fn a_statement_is_not_shown_whole_under_the_condition_of_a_part_of_it() {
    let code = "function toBytes(text) {\n  const found = []\n  return found\n}\n\nfunction digest(bytes) {\n  const found = []\n  return found\n}\n\nfunction show(bytes) {\n  const found = []\n  return found\n}\n\n\
                /** Hashes a value for its place in a table. */\nexport function convertValue(value) {\n  const bytes = typeof value === 'string' ? toBytes(value) : value\n  const hash = digest(bytes)\n  if (!hash) {\n    throw new TypeError('a value is needed')\n  }\n  return show(hash)\n}\n";
    let answer = flows(&[("src/hash.js", code)], Language::English).await;
    assert!(answer.contains("1. `const bytes = typeof value"), "{answer}");
}

#[tokio::test]
async fn one_condition_of_several_steps_is_told_once() {
    let code = ORDER
        .replace(
            "    weigh(parcel)\n    if late:\n        return None\n",
            "    if late:\n        weigh(parcel)\n        label(parcel)\n",
        )
        .replace("    label(parcel)\n    return parcel\n", "    return parcel\n");
    let answer = flows(&[("src/post.py", &code)], Language::English).await;
    assert_eq!(answer.matches("When `late`").count(), 1, "{answer}");
    assert!(answer.contains("In that case, too: `label`"), "{answer}");
}

#[tokio::test]
async fn that_all_happens_only_in_some_cases_is_said_once() {
    let steps = ["Open", "Count", "Close"];
    let made: String = steps
        .iter()
        .map(|n| format!("// Step{n} does its part of the whole.\nfunc Step{n}(s string) string {{\n\tt := s\n\treturn t\n}}\n\n"))
        .collect();
    let cases: String = steps
        .iter()
        .map(|n| {
            format!("\tif s == /* now */ \"{n}\" {{\n\t\t// Let step {n} have its turn at last.\n\t\tStep{n}(s)\n\t}}\n")
        })
        .collect();
    let code = format!(
        "// Package gate opens gates.\npackage gate\n\n{made}// HandleGate does what is asked of a gate.\nfunc HandleGate(s string) {{\n{cases}}}\n"
    );
    let answer = flows(&[("go.mod", "module gate\n"), ("gate.go", &code)], Language::English).await;
    assert!(answer.contains("epending on the case"), "{answer}");
    assert!(!answer.contains("epending on the case: "), "{answer}");
}

const TREE: &str = "package tree\n\n// Node is a part of a tree.\ntype Node struct {\n\tKind  string\n\tParts []*Node\n}\n\n// count counts the leaves.\nfunc count(n *Node) int {\n\ta := 1\n\treturn a\n}\n\n// paint paints the bark.\nfunc paint(n *Node) int {\n\ta := 1\n\treturn a\n}\n\n\
    // HandleNode does what is to be done for a part.\nfunc HandleNode(n *Node, deep bool) {\n\tswitch n.Kind {\n\tcase \"leaf\":\n\t\tcount(n)\n\tcase \"bark\", \"branch\":\n\t\tpaint(n)\n\t}\n\tfor _, part := range n.Parts {\n\t\tHandleNode(part, deep)\n\t}\n}\n";

#[tokio::test]
async fn a_case_is_named_and_so_is_a_call_of_itself() {
    let answer = flows(&[("go.mod", "module tree\n"), ("tree.go", TREE)], Language::English).await;
    assert!(answer.contains("When `n.Kind` is `\"leaf\"`: `count` (`tree.go:23-25`)"), "{answer}");
    assert!(answer.contains("When `n.Kind` is `\"bark\"` or `\"branch\"`: `paint`"), "{answer}");
    assert!(
        answer.contains("3. It calls itself, in `HandleNode(part, deep)` (`tree.go:30`)"),
        "{answer}"
    );
    let chinese = flows(&[("go.mod", "module tree\n"), ("tree.go", TREE)], Language::Chinese).await;
    assert!(chinese.contains("它调用自身"), "{chinese}");
}

#[tokio::test]
async fn what_is_known_of_a_case_is_told_though_it_is_not_all() {
    let long = "first_of_many_words_that_fill_a_line + second_of_many_words_that_fill_it + third_of_them > 0";
    let code = ORDER.replace(
        "    if not ready:\n        refuse(parcel)\n        return None\n    weigh(parcel)\n",
        &format!("    if ready:\n        if {long}:\n            refuse(parcel)\n    if {long}:\n        weigh(parcel)\n"),
    );
    let answer = flows(&[("src/post.py", &code)], Language::English).await;
    assert!(answer.contains("Only when `ready`: `refuse`"), "{answer}");
}

#[tokio::test]
async fn what_happens_at_several_places_is_told_as_such() {
    let code = ORDER.replace("    if late:\n", "    if late:\n        label(parcel)\n");
    let answer = flows(&[("src/post.py", &code)], Language::English).await;
    assert!(answer.contains("At several places: `label`"), "{answer}");
}

#[tokio::test]
async fn what_may_be_caught_on_the_way_is_not_told_to_come_out() {
    let open = ORDER.replace(
        "    \"\"\"Weigh the parcel on a scale.\"\"\"\n",
        "    \"\"\"Weigh the parcel on a scale.\"\"\"\n    if not parcel:\n        raise ValueError(\"nothing to weigh\")\n",
    );
    let sent = |code: &str| {
        let code = code.to_owned();
        async move {
            let all = flows(&[("src/post.py", &code)], Language::English).await;
            let about = |answer: &&str| answer.contains("`send_parcel` sends");
            all.split("\n\n`").find(about).unwrap_or(&all).to_owned()
        }
    };
    let answer = sent(&open).await;
    assert!(answer.contains("nothing to weigh"), "{answer}");
    let caught = open.replace(
        "    weigh(parcel)\n    if late",
        "    try:\n        weigh(parcel)\n    except ValueError:\n        return None\n    if late",
    );
    assert_ne!(caught, open);
    let answer = sent(&caught).await;
    assert!(!answer.contains("nothing to weigh"), "{answer}");
    // Another call in the same body, which nothing catches.
    let beside = open.replace(
        "    if late:\n",
        "    try:\n        refuse(parcel)\n    except ValueError:\n        return None\n    if late:\n",
    );
    let answer = sent(&beside).await;
    assert!(answer.contains("nothing to weigh"), "{answer}");
}

#[tokio::test]
async fn a_call_of_another_package_is_a_step_with_its_line_and_its_package() {
    let code = ORDER
        .replace(
            "\"\"\"Sends parcels.\"\"\"\n",
            "\"\"\"Sends parcels.\"\"\"\nimport json\nfrom courier.desk import hand_over, log_parcel\n",
        )
        .replace(
            "    return parcel\n\n\ndef send",
            "    return parcel\n\n\n\ndef send",
        );
    let code = code.trim_end().strip_suffix("return parcel").unwrap().to_owned()
        + "log_parcel(parcel)\n    json.dumps(late)\n    return hand_over(parcel)\n";
    let manifest = "[project]\nname = \"post\"\ndependencies = [\"courier>=1\"]\n";
    let files = [("pyproject.toml", manifest), ("src/post.py", code.as_str())];
    let answer = flows(&files, Language::English).await;
    let line = code.lines().position(|l| l.contains("return hand_over")).unwrap() + 1;
    let step = format!(
        "`return hand_over(parcel)` (`src/post.py:{line}`), from the package `courier.desk`"
    );
    assert!(answer.contains(&step), "{answer}");
    assert!(!answer.contains("log_parcel") && !answer.contains("json"), "{answer}");
    let chinese = flows(&files, Language::Chinese).await;
    assert!(chinese.contains("，来自包 `courier.desk`"), "{chinese}");
    let unasked = [("src/post.py", code.as_str())];
    assert!(!flows(&unasked, Language::English).await.contains("courier.desk"));
}

#[tokio::test]
async fn trifles_give_way_to_what_does_the_work() {
    let work = |name: &str| {
        format!(
            "/** Does the {name} of a bag. */\nexport function {name}(bag) {{\n  const kept = []\n  for (const one of bag) {{\n    kept.push(one)\n  }}\n  return kept\n}}\n\n"
        )
    };
    let trifle = "/** The number of things there are. */\nfunction amount(bag) {\n  return bag.amount\n}\n\n";
    let code = ["sorting", "washing", "folding"].map(work).concat()
        + trifle
        + "/** Packs a bag for the road. */\nexport function handleBag(bag) {\n  const many = amount(bag)\n  sorting(bag)\n  washing(bag)\n  return folding(bag, many)\n}\n";
    let answer = flows(&[("src/bag.js", &code)], Language::English).await;
    assert!(answer.contains("1. `sorting`") && answer.contains("3. `folding`"), "{answer}");
    assert!(!answer.contains("`amount`"), "{answer}");
    // Where there is little else, they are told.
    let few = code.replace("  washing(bag)\n", "");
    let answer = flows(&[("src/bag.js", &few)], Language::English).await;
    assert!(answer.contains("amount"), "{answer}");
}

#[tokio::test]
async fn what_decides_about_another_step_is_told_as_its_condition() {
    let code = ORDER.replace("    if not ready:\n", "    if not weigh(parcel):\n");
    let code = code.replace("    weigh(parcel)\n    if late", "    if late");
    let answer = flows_of("send_parcel", &[("src/post.py", &code)], Language::English).await;
    assert!(answer.contains("When `not weigh(parcel)`: `refuse`"), "{answer}");
    let steps = ["1. `weigh`", "2. `weigh`", "Weigh the parcel on a scale (`"];
    assert!(!steps.iter().any(|step| answer.contains(step)), "{answer}");
}

#[tokio::test]
async fn a_check_is_a_failure_with_the_words_of_the_caller_and_no_step() {
    let code = format!(
        "def _ensure(holds, message):\n    \"\"\"Stop where something doesn't hold.\"\"\"\n    if not holds:\n        raise RuntimeError(message)\n\n\n{}",
        ORDER.replace("\"\"\"Sends parcels.\"\"\"\n", "").replace(
            "    weigh(parcel)\n    if late",
            "    _ensure(parcel.weight > 0, \"a parcel must weigh something\")\n    weigh(parcel)\n    if late",
        )
    );
    let answer = flows(&[("src/post.py", &code)], Language::English).await;
    let told = "`send_parcel` raises `RuntimeError` when `ready` unless `parcel.weight > 0`, saying “a parcel must weigh something”";
    assert!(answer.contains(told), "{answer}");
    let sends =
        answer.split("\n\n`").find(|a| a.contains("`send_parcel` sends")).unwrap_or(&answer);
    assert!(!sends.contains("`_ensure`"), "{answer}");
}

#[tokio::test]
async fn a_condition_that_does_not_hold_unless_it_does_not_is_told_as_what_holds() {
    let code = ORDER.replace(
        "    if not ready:\n        refuse(parcel)\n        return None\n    weigh(parcel)\n",
        "    if not ready:\n        refuse(parcel)\n    else:\n        weigh(parcel)\n",
    );
    let answer = flows(&[("src/post.py", &code)], Language::English).await;
    assert!(answer.contains("When `ready`: `weigh`"), "{answer}");
    assert!(!answer.contains("Unless `not"), "{answer}");
}

#[tokio::test]
async fn a_comment_belongs_to_the_place_that_it_stands_above() {
    let code = ORDER.replace(
        "    if late:\n        return None\n",
        "    if late:\n        # What comes late needs a label of another colour\n        label(parcel)\n        return None\n",
    );
    let answer = flows(&[("src/post.py", &code)], Language::English).await;
    assert!(answer.contains("When `late`: What comes late needs a label"), "{answer}");
    assert!(!answer.contains("In several cases: What comes late"), "{answer}");
}

#[tokio::test]
async fn what_equals_one_value_is_not_said_to_equal_no_other() {
    let code = ORDER.replace(
        "    weigh(parcel)\n    if late",
        "    if late == 1:\n        weigh(parcel)\n    elif late == 2:\n        label(parcel)\n    elif late == 0:\n        raise ValueError(\"that is far too early\")\n    if late",
    );
    let answer = flows(&[("src/post.py", &code)], Language::English).await;
    let told = "raises `ValueError` when `ready` and `late == 0`, saying “that is far too early”";
    assert!(answer.contains(told), "{answer}");
}

#[tokio::test]
async fn what_nobody_should_use_any_more_is_not_followed() {
    let class = |name: &str, doc: &str| {
        let part = |n: &str| {
            format!(
                "  /** Does the {n} of it all. */\n  public void {n}(int a) {{\n    int b = a;\n    b++;\n    b++;\n    b++;\n    b++;\n  }}\n"
            )
        };
        let parts = ["opening", "reading", "closing"].map(part).concat();
        format!(
            "package p;\n/** {doc} */\npublic class {name} {{\n{parts}  /** Reads all there is to be read. */\n  public void process{name}(int a) {{\n    opening(a);\n    reading(a);\n    closing(a);\n    a++;\n  }}\n}}\n"
        )
    };
    let old = class("Parser", "Reads lines.\n * @deprecated since 1.3, use the other");
    let new = class("Reader", "Reads words.");
    let files = [("p/Parser.java", old.as_str()), ("p/Reader.java", new.as_str())];
    let answer = flows(&files, Language::English).await;
    assert!(answer.contains("`Reader.processReader`"), "{answer}");
    assert!(!answer.contains("`Parser.processParser`"), "{answer}");
}

#[tokio::test]
async fn what_was_asked_of_an_earlier_value_is_not_held_against_a_later_answer() {
    let code = ORDER.replace(
        "    weigh(parcel)\n    if late",
        "    if late > 1:\n        label(parcel)\n    elif ready:\n        late = parcel\n        if late > 1:\n            weigh(parcel)\n    if late",
    );
    let answer = flows(&[("src/post.py", &code)], Language::English).await;
    assert!(answer.contains("Only when `ready` and `late > 1`: `weigh`"), "{answer}");
}

#[tokio::test]
async fn a_condition_of_a_variable_that_was_set_since_is_not_told_beside_that_of_its_new_value() {
    let code = ORDER.replace(
        "    weigh(parcel)\n    if late",
        "    if late and ready:\n        late, ready = parcel\n        if late is not None and ready > 2:\n            weigh(parcel)\n            label(parcel)\n    if late",
    );
    let answer = flows(&[("src/post.py", &code)], Language::English).await;
    assert!(answer.contains("Only when `late is not None and ready > 2`: `weigh`"), "{answer}");
    assert!(!answer.contains("`late and ready`"), "{answer}");
}

#[tokio::test]
async fn a_comment_above_a_choice_is_not_told_of_one_branch() {
    let code = "function toBytes(text) {\n  const found = []\n  return found\n}\n\nfunction digest(bytes) {\n  const found = []\n  return found\n}\n\nfunction show(bytes) {\n  const found = []\n  return found\n}\n\n\
                /** Hashes a value for its place in a table. */\nexport function convertValue(value, short) {\n  const bytes = toBytes(value)\n  \
                // A short name is kept, any other is made a number first\n  const name = short ? bytes : digest(bytes)\n  if (!name) {\n    throw new TypeError('a value is needed')\n  }\n  return show(name)\n}\n";
    let answer = flows(&[("src/hash.js", code)], Language::English).await;
    assert!(answer.contains("`const name = short ? bytes : digest(bytes)`"), "{answer}");
    assert!(!answer.contains("Unless `short`: A short name"), "{answer}");
}

#[tokio::test]
async fn a_value_that_is_made_is_told_as_such() {
    let code = "\"\"\"Packs bags.\"\"\"\n\n\nclass Bag:\n    \"\"\"Holds what is taken along.\"\"\"\n\n    def __init__(self, size):\n        self.size = size\n\n\ndef count(bag):\n    \"\"\"Count what is in the bag.\"\"\"\n    return bag\n\n\n\
                def close(bag):\n    \"\"\"Close the bag with its belt.\"\"\"\n    return bag\n\n\ndef handle_bag(size):\n    \"\"\"Pack a bag for the road.\"\"\"\n    bag = Bag(size)\n    count(bag)\n    close(bag)\n    return bag\n";
    let answer = flows(&[("src/bag.py", code)], Language::English).await;
    assert!(answer.contains("1. Constructs `Bag` (`src/bag.py:23`): Holds what"), "{answer}");
}

#[tokio::test]
async fn what_stands_behind_a_jump_is_told_with_what_the_jump_asks_for() {
    let code = ORDER.replace(
        "    weigh(parcel)\n    if late:\n        return None\n    label(parcel)\n",
        "    for one in parcel:\n        if one.kind == 'old' and late:\n            continue\n        weigh(one)\n        if one.kind == 'new':\n            label(one)\n",
    );
    let answer = flows_of("send_parcel", &[("src/post.py", &code)], Language::English).await;
    assert!(answer.contains("Unless `one.kind == 'old' and late`: `weigh`"), "{answer}");
    // What is new isn't old.
    assert!(answer.contains("When `one.kind == 'new'`: `label`"), "{answer}");
}

#[tokio::test]
async fn of_many_cases_that_were_passed_by_only_the_one_that_holds_is_told() {
    let cases: String =
        (0..5).map(|n| format!("    elif parcel.has({n}):\n        pass\n")).collect();
    let code = ORDER.replace(
        "    weigh(parcel)\n    if late",
        &format!("    if late > 1:\n        pass\n{cases}    elif late < 0:\n        weigh(parcel)\n    if late"),
    );
    let answer = flows_of("send_parcel", &[("src/post.py", &code)], Language::English).await;
    assert!(answer.contains("Only when `late < 0`: `weigh`"), "{answer}");
}

#[tokio::test]
async fn of_a_table_of_cases_the_first_are_told() {
    let colours = ["Red", "Blue", "Green", "White", "Black", "Grey"];
    let all = |one: &dyn Fn(&str) -> String| colours.iter().map(|c| one(c)).collect::<String>();
    let kotlin = all(&|c| {
        format!(
            "/** Mixes what is called {c} here. */\nfun mix{c}(n: Int): Int {{\n    val a = n\n    return a\n}}\n\n"
        )
    }) + "/** Dries a colour in the sun. */\nfun dryAll(n: Int): Int {\n    val a = n\n    return a\n}\n\n/** Paints a wall in a colour. */\nfun runPaint(name: String): Int {\n    val n = when (name) {\n"
        + &all(&|c| format!("        \"{c}\" -> mix{c}(1)\n"))
        + "        else -> 0\n    }\n    return dryAll(n)\n}\n";
    let java = "class Paint {\n".to_owned()
        + &all(&|c| {
            format!(
                "  /** Mixes what is called {c} here. */\n  static int mix{c}(int n) {{\n    int a = n;\n    return a;\n  }}\n\n"
            )
        })
        + "  /** Dries a colour in the sun. */\n  static int dryAll(int n) {\n    int a = n;\n    return a;\n  }\n\n  /** Paints a wall in a colour. */\n  public static int runPaint(String name) {\n    switch (name) {\n"
        + &all(&|c| format!("      case \"{c}\":\n        return mix{c}(1);\n"))
        + "    }\n    return dryAll(2);\n  }\n}\n";
    let python = all(&|c| {
        format!(
            "def mix{c}(n):\n    \"\"\"Mixes what is called {c} here.\"\"\"\n    a = n\n    return a\n\n\n"
        )
    }) + "def dry_all(n):\n    \"\"\"Dries a colour in the sun.\"\"\"\n    a = n\n    return a\n\n\ndef run_paint(name):\n    \"\"\"Paints a wall in a colour.\"\"\"\n    match name:\n"
        + &all(&|c| format!("        case \"{c}\":\n            mix{c}(1)\n"))
        + "    return dry_all(2)\n";
    for (path, code) in [("a/Paint.kt", kotlin), ("a/Paint.java", java), ("paint.py", python)] {
        let answer = flows_of("aint", &[(path, &code)], Language::English).await;
        let told: Vec<bool> = colours.iter().map(|c| answer.contains(&format!("mix{c}"))).collect();
        assert_eq!(told, [true, true, true, false, false, false], "{answer}");
        assert!(answer.contains("Dries a colour in the sun"), "{answer}");
        // Nor are the returns of the others told in their place.
        assert!(!answer.contains("White") && !answer.contains("Grey"), "{answer}");
    }
}

#[tokio::test]
async fn the_making_of_an_error_is_no_step() {
    let code = "//! Reads parcels.\n\n/// Reads parcels one by one.\npub struct Reader { at: usize }\n\n/// What went wrong.\n#[derive(Debug)]\npub struct Mishap(usize);\n\nimpl Reader {\n    /// Says what went wrong and where it did.\n    fn failed(&self, code: usize) -> Mishap {\n        let at = self.at;\n        Mishap(at + code)\n    }\n\n    /// Opens the next parcel.\n    fn open_parcel(&mut self) -> usize {\n        self.at += 1;\n        self.at\n    }\n\n    /// Weighs the open parcel.\n    fn weigh_parcel(&self) -> usize {\n        let at = self.at;\n        at * 2\n    }\n\n    \
                /// Reads a parcel and what it weighs.\n    pub fn read_parcel(&mut self) -> Result<usize, Mishap> {\n        let parcel = self.open_parcel();\n        if parcel > 9 {\n            return Err(self.failed(1));\n        }\n        let weight = self.weigh_parcel();\n        if weight > 9 {\n            return Err(self.failed(2));\n        }\n        Ok(parcel + weight)\n    }\n}\n";
    let answer = flows_of("read_parcel", &[("src/lib.rs", code)], Language::English).await;
    assert!(answer.contains("2. `Reader::weigh_parcel`"), "{answer}");
    assert!(!answer.contains("Says what went wrong"), "{answer}");
}

/// The name of the function that is followed first.
async fn followed_first(files: &[(&str, &str)]) -> String {
    let records = Stage::of(files).learn(20, Language::English).await;
    let mut subjects = records.iter().map(|r| r.topic.as_ref().unwrap().subject.as_str());
    let flow = subjects.find(|s| s.starts_with("flow")).unwrap_or_default();
    flow.rsplit(['.', ':', '#']).next().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn what_does_the_work_is_followed_before_what_ends_it_and_what_others_cant_call() {
    let steps = |name: &str| {
        format!(
            "/** Does the {name} of a parcel. */\nexport function {name}(parcel) {{\n  const kept = []\n  for (const one of parcel) {{\n    kept.push(one)\n  }}\n  return kept\n}}\n\n"
        )
    };
    let post = ["weighing", "labelling", "sorting"].map(steps).concat()
        + "/** Shuts the post office for the night. */\nexport function shutdownPost(parcel) {\n  if (!parcel) {\n    return\n  }\n  weighing(parcel)\n  labelling(parcel)\n  sorting(parcel)\n}\n\n/** Passes a parcel on. */\nexport function passOn(parcel) {\n  if (!parcel) {\n    return\n  }\n  sorting(parcel)\n  labelling(parcel)\n  weighing(parcel)\n}\n";
    let package = "{\"name\": \"office\", \"version\": \"1.0.0\", \"main\": \"post.js\"}\n";
    assert_eq!(followed_first(&[("package.json", package), ("post.js", &post)]).await, "passOn");

    let steps = |name: &str| {
        format!(
            "/// Does the {name} of a parcel.\npub fn {name}(n: u32) -> u32 {{\n    let mut sum = 0;\n    for one in 0..n {{\n        sum += one;\n    }}\n    sum\n}}\n\n"
        )
    };
    let follow = |name: &str| {
        format!(
            "/// Takes what is {name} of a parcel.\npub{}fn run_{name}(n: u32) -> u32 {{\n    if n == 0 {{\n        return 0;\n    }}\n    let a = weighing_{name}(n);\n    let b = labelling_{name}(a);\n    sorting_{name}(b)\n}}\n\n",
            if name == "inner" { "(crate) " } else { " " }
        )
    };
    let post = "//! Sends parcels.\n\n".to_owned()
        + &["inner", "outer"]
            .map(|name| {
                let steps =
                    ["weighing", "labelling", "sorting"].map(|s| steps(&format!("{s}_{name}")));
                steps.concat() + &follow(name)
            })
            .concat();
    let files = [
        ("Cargo.toml", "[package]\nname = \"office\"\nversion = \"1.0.0\"\n"),
        ("src/lib.rs", post.as_str()),
    ];
    assert_eq!(followed_first(&files).await, "run_outer");
}

/// A function with three steps of its own, as wide as the others, of which the first says what it is.
fn parcel_steps(name: &str) -> String {
    ["weigh", "label", "sort"]
        .map(|step| format!("/** Does the {step} of a parcel. */\nexport function {step}{name}(parcel) {{\n  const kept = []\n  for (const one of parcel) {{\n    kept.push(one)\n  }}\n  return kept\n}}\n\n"))
        .concat()
}

#[tokio::test]
async fn what_says_what_it_does_and_is_open_to_all_is_followed_first() {
    let body = |name: &str| {
        format!(
            "  if (!parcel) {{\n    return\n  }}\n  weigh{name}(parcel)\n  label{name}(parcel)\n  sort{name}(parcel)\n"
        )
    };
    let package = "{\"name\": \"office\", \"version\": \"1.0.0\", \"main\": \"post.js\"}\n";
    let users = (0..4).map(|n| {
        format!("export function use{n}(parcel) {{\n  return passA_(passA(parcel))\n}}\n\n")
    });
    let users: String = users.collect();
    // Nothing but an underscore keeps the one to itself; the other says nothing of itself beside its parameter.
    let inner = "/** Passes a parcel on inside of the office, from hand to hand. */\n";
    let silent = "/**\n * @param {Array} parcel is the parcel that is passed on to somebody else in the office\n */\n";
    for (name, doc) in [("passA_", inner), ("passA", silent)] {
        let code = format!(
            "{}{}{users}{doc}export function {name}(parcel) {{\n{}}}\n\n/** Passes a parcel on. */\nexport function passB(parcel) {{\n{}}}\n",
            parcel_steps("A"),
            parcel_steps("B"),
            body("A"),
            body("B"),
        );
        let first = followed_first(&[("package.json", package), ("post.js", &code)]).await;
        assert_eq!(first, "passB", "before {name}");
    }
}

#[tokio::test]
async fn what_is_added_to_a_type_elsewhere_is_followed_after_its_own() {
    let step = |name: &str| {
        format!(
            "    /// Does the {name} of a parcel.\n    pub fn {name}(&self, n: u32) -> u32 {{\n        let mut sum = 0;\n        for one in 0..n {{\n            sum += one;\n        }}\n        sum\n    }}\n\n"
        )
    };
    let follow = |name: &str, steps: [&str; 3]| {
        let [a, b, c] = steps;
        format!(
            "    /// Takes a parcel to the {name}.\n    pub fn bring_{name}(&self, n: u32) -> u32 {{\n        if n == 0 {{\n            return 0;\n        }}\n        let a = self.{a}(n);\n        let b = self.{b}(a);\n        self.{c}(b)\n    }}\n"
        )
    };
    let own = ["weigh", "label", "sort"];
    let added = ["wrap", "seal", "store"];
    let block = |name: &str, steps: [&str; 3]| {
        format!("impl Post {{\n{}{}}}\n", steps.map(step).concat(), follow(name, steps))
    };
    let lib = format!(
        "//! Sends parcels.\n\nmod attic;\n\n/// A post office.\npub struct Post;\n\n{}",
        block("train", own)
    );
    let attic = format!(
        "use crate::Post;\n\n{}\npub fn fill(p: &Post) -> u32 {{\n    p.bring_attic(1)\n}}\n",
        block("attic", added)
    );
    let files = [
        ("Cargo.toml", "[package]\nname = \"office\"\nversion = \"1.0.0\"\n"),
        ("src/lib.rs", lib.as_str()),
        ("src/attic.rs", attic.as_str()),
    ];
    assert_eq!(followed_first(&files).await, "bring_train");
}

#[tokio::test]
async fn a_long_documentation_in_a_body_does_not_keep_it_from_being_followed() {
    let doc = "    A parcel goes from hand to hand until it is where it belongs.\n".repeat(340);
    let code = ORDER.replace(
        "    \"\"\"Send the parcel to where it belongs.\"\"\"\n",
        &format!("    \"\"\"Send the parcel to where it belongs.\n\n{doc}    \"\"\"\n"),
    );
    let answer = flows_of("send_parcel", &[("src/post.py", &code)], Language::English).await;
    assert!(answer.contains("`send_parcel` sends the parcel to where it belongs"), "{answer}");
    assert!(answer.contains("It returns when `late` (`src/post.py:367-368`)"), "{answer}");
}

/// An office with two ways for a parcel: one that much of it uses, and one that `send` hands parcels on to.
async fn followed_with(readme: &str, path: &str) -> String {
    let package = "{\"name\": \"office\", \"version\": \"1.0.0\", \"main\": \"post.js\"}\n";
    let steps = |name: &str| {
        format!("  weigh{name}(parcel)\n  label{name}(parcel)\n  sort{name}(parcel)\n")
    };
    let users: String = (0..4)
        .map(|n| format!("export function use{n}(parcel) {{\n  return pass(parcel)\n}}\n\n"))
        .collect();
    let post = format!(
        "{}{users}/** Passes a parcel on inside of the office. */\nexport function pass(parcel) {{\n  if (!parcel) {{\n    return\n  }}\n{}}}\n",
        parcel_steps("A"),
        steps("A"),
    );
    let road = format!(
        "{}/** Sends a parcel to where it belongs. */\nexport function send(parcel) {{\n  return deliver(parcel)\n}}\n\n/** Brings a parcel to a door. */\nexport function deliver(parcel) {{\n{}}}\n",
        parcel_steps("B"),
        steps("B"),
    );
    followed_first(&[
        ("package.json", package),
        ("README.md", readme),
        ("post.js", &post),
        (path, &road),
    ])
    .await
}

#[tokio::test]
async fn what_an_example_of_the_introduction_calls_is_followed_first_to_where_it_does_something() {
    let shown =
        "# office\n\nSends parcels over land and sea to everybody.\n\n```js\nsend(parcel)\n```\n";
    assert_eq!(followed_with(shown, "road.js").await, "deliver");
    let silent = "# office\n\nSends parcels over land and sea to everybody.\n";
    assert_eq!(followed_with(silent, "road.js").await, "pass");
    // Nobody comes for what only helps.
    assert_eq!(followed_with(shown, "utils.js").await, "pass");
}

#[tokio::test]
async fn what_the_type_that_is_read_first_hands_on_to_is_followed_before_what_stands_aside() {
    let help: String = ["weigh", "press", "sift"]
        .iter()
        .map(|n| format!("def {n}(corn):\n    \"\"\"{n} the corn with care.\"\"\"\n    if corn:\n        return corn\n    return None\n\n\n"))
        .collect();
    let body = |first: &str| {
        format!(
            "        corn = {first}(corn)\n        corn = press(corn)\n        corn = sift(corn)\n        if not corn:\n            return None\n        return corn\n"
        )
    };
    let code = format!(
        "\"\"\"Grinds corn.\"\"\"\n\n\n{help}class Sack:\n    \"\"\"Holds what was ground.\"\"\"\n\n    def fill(self, corn):\n        \"\"\"Fill the sack with corn that is ground before.\"\"\"\n{}\n\nclass Mill:\n    \"\"\"Grinds corn between two stones.\"\"\"\n\n    def grind(self, corn):\n        \"\"\"Grind corn to flour.\"\"\"\n        return self._turn(corn)\n\n    def _turn(self, corn):\n        \"\"\"Turn the stones.\"\"\"\n{}",
        body("weigh"),
        body("weigh")
    );
    let manifest = "[project]\nname = \"mill\"\nversion = \"1.0.0\"\n";
    let files = [("pyproject.toml", manifest), ("src/mill/__init__.py", code.as_str())];
    let records = Stage::of(&files).learn(5, Language::English).await;
    let mut subjects = records.iter().map(|r| r.topic.as_ref().unwrap().subject.as_str());
    let first = subjects.find(|s| s.starts_with("flow"));
    assert_eq!(first, Some("flow:src/mill/__init__.py#Mill._turn"), "{records:#?}");
}

#[tokio::test]
async fn what_a_capital_opens_to_others_is_asked_about() {
    let code = "// Package mill grinds corn.\npackage mill\n\n// Grind grinds a sack of corn to flour.\nfunc Grind(n int) int {\n\treturn grind(n, false)\n}\n\n\
        // GrindTwice grinds a sack of corn, and the flour once more.\nfunc GrindTwice(n int) int {\n\treturn grind(n, true)\n}\n\n\
        func grind(n int, twice bool) int {\n\tsack := open(n)\n\tclean := sift(sack)\n\tflour := crush(clean)\n\tif twice {\n\t\treturn flour * 2\n\t}\n\n\tif flour > 9 {\n\t\treturn 9\n\t}\n\n\treturn flour\n}\n\n\
        // open opens a sack.\nfunc open(n int) int {\n\ts := n + 1\n\treturn s\n}\n\n// sift takes the stones out.\nfunc sift(n int) int {\n\ts := n + 2\n\treturn s\n}\n\n// crush turns the stones.\nfunc crush(n int) int {\n\ts := n + 3\n\treturn s\n}\n";
    let readme = "# mill\n\nA library that grinds corn.\n\n```go\nflour := mill.Grind(3)\n```\n";
    let files = [("go.mod", "module mill\n"), ("README.md", readme), ("mill.go", code)];
    let records = Stage::of(&files).learn(40, Language::English).await;
    let flow = records.iter().find(|r| r.answer.contains("1. `open`"));
    let flow = flow
        .unwrap_or_else(|| panic!("{:#?}", records.iter().map(|r| &r.answer).collect::<Vec<_>>()));
    assert!(flow.question.contains("`Grind`"), "{flow:?}");
    assert!(flow.answer.contains("Its work is done by `grind` (`mill.go:6`)"), "{flow:?}");
}

#[tokio::test]
async fn an_example_makes_no_main_work_of_a_pair_of_steps() {
    let code = "\"\"\"Keeps cards.\"\"\"\n\n\nclass Cards:\n    \"\"\"Cards that lie on a table.\"\"\"\n\n    def ring(self, card):\n        \"\"\"Ring for a card.\"\"\"\n        return card\n\n    \
        def turn(self, card):\n        \"\"\"Turn a card.\"\"\"\n        return card\n\n    def show(self, card, times):\n        \"\"\"Show a card for a time.\"\"\"\n        # The light is poor.\n        \
        brighter = self.ring(card)\n        later = brighter + times\n        later = later + 1\n        # The back comes last.\n        return self.turn(later)\n\n    def deal(self, card, times):\n        \
        \"\"\"Deal the cards to all.\"\"\"\n        first = self.sort(card)\n        if times > 1:\n            return first\n        third = self.cut(first)\n        return self.hand(third)\n\n    \
        def sort(self, card):\n        \"\"\"Sort the cards by colour.\"\"\"\n        return card\n\n    def cut(self, card):\n        \"\"\"Cut the heap in two.\"\"\"\n        return card\n\n    \
        def hand(self, card):\n        \"\"\"Hand the cards around.\"\"\"\n        return card\n";
    let readme = "# cards\n\nA library that keeps cards.\n\n## Usage\n\n```python\nimport cards\n\ntable = cards.Cards()\ntable.show(1, 2)\n```\n";
    let manifest = "[project]\nname = \"cards\"\nversion = \"1.0.0\"\n";
    let files = [("pyproject.toml", manifest), ("README.md", readme), ("cards.py", code)];
    let records = Stage::of(&files).learn(40, Language::English).await;
    let flows = records.iter().map(|r| &r.topic.as_ref().unwrap().subject);
    let first = flows.into_iter().find(|subject| subject.starts_with("flow")).unwrap();
    assert!(first.ends_with("deal"), "{first}");
}

#[tokio::test]
async fn that_a_function_returns_is_told_only_with_when() {
    let long = "first_of_many_words_that_fill_a_line + second_of_many_words_that_fill_it + third_of_them > 0";
    let code = ORDER.replace("    if late:\n", &format!("    if {long}:\n"));
    let answer = flows(&[("src/post.py", &code)], Language::English).await;
    assert!(answer.contains("`label`") && !answer.contains("It returns"), "{answer}");
}

#[tokio::test]
async fn a_return_that_another_covers_is_not_told_beside_it() {
    let code = ORDER.replace(
        "    if late:\n        return None\n",
        "    if late:\n        if ready:\n            return parcel\n        return None\n",
    );
    let answer = flows(&[("src/post.py", &code)], Language::English).await;
    assert!(answer.contains("It returns when `late` (`src/post.py:"), "{answer}");
    assert!(!answer.contains("`late` and `ready`"), "{answer}");
}

const LOG: &str = "// Package mill grinds corn.\npackage mill\n\n// Logger writes down what happens.\ntype Logger struct{}\n\n// Info writes down a message for everybody.\nfunc (l *Logger) Info(s string) string {\n\tt := s\n\treturn t\n}\n\n\
    // Mill grinds corn to flour.\ntype Mill struct {\n\tlogger *Logger\n}\n\n// sieve takes the stones out of corn.\nfunc sieve(s string) string {\n\tt := s\n\treturn t\n}\n\n// crush breaks the corn.\nfunc crush(s string) string {\n\tt := s\n\treturn t\n}\n\n\
    // sack puts the flour in a sack.\nfunc sack(s string) string {\n\tt := s\n\treturn t\n}\n\n// Run grinds the corn that is given.\nfunc (m *Mill) Run(s string) string {\n\tm.logger.Info(\"start\")\n\ta := sieve(s)\n\tb := crush(a)\n\tc := b + a\n\td := c + b\n\treturn sack(d)\n}\n";

#[tokio::test]
async fn a_line_for_the_log_is_no_step() {
    let files = [("go.mod", "module example.com/mill\n\ngo 1.22\n"), ("mill.go", LOG)];
    let answer = flows_of("Mill.Run", &files, Language::English).await;
    assert!(answer.contains("1. `sieve`") && !answer.contains("Info"), "{answer}");
}

#[tokio::test]
async fn a_function_that_says_nothing_is_told_by_its_type() {
    let code = LOG.replace("// Run grinds the corn that is given.\n", "");
    let files = [("go.mod", "module example.com/mill\n\ngo 1.22\n"), ("mill.go", &code)];
    let answer = flows_of("Mill.Run", &files, Language::English).await;
    let told = "It belongs to the struct `Mill`, which is documented so: “Mill grinds corn to flour” (`mill.go:13`)";
    assert!(answer.contains(told), "{answer}");
    let chinese = flows_of("Mill.Run", &files, Language::Chinese).await;
    assert!(chinese.contains("它属于结构体 `Mill`"), "{chinese}");
}

#[tokio::test]
async fn what_a_function_of_few_steps_takes_is_told() {
    let code = "package a\n\n/**\n * Fills a jar up to its brim.\n *\n * @param jar The jar that is to be filled.\n * @param lid Whether a lid is put on top.\n */\nfun fillJar(jar: String, lid: Boolean): String {\n    val full = jar + lid\n    return full\n}\n";
    let answer = flows(&[("src/a/Jar.kt", code)], Language::English).await;
    assert!(
        answer.contains("- `jar`: The jar that is to be filled (`src/a/Jar.kt:6`)"),
        "{answer}"
    );
    assert!(answer.contains("- `lid`: Whether a lid is put on top"), "{answer}");
}

#[tokio::test]
async fn what_happens_nobody_knows_when_makes_no_function_worth_following_first() {
    let cases: String = ["sieve", "crush", "sack"]
        .iter()
        .map(|name| format!("\t\tcase s = <-m.{name}:\n\t\t\t{name}(s)\n"))
        .collect();
    let code = LOG.replace(
        "\tm.logger.Info(\"start\")\n\ta := sieve(s)\n\tb := crush(a)\n\tc := b + a\n\td := c + b\n\treturn sack(d)\n",
        &format!("\tfor {{\n\t\tselect {{\n{cases}\t\t}}\n\t}}\n"),
    );
    let others: String = ["weigh", "close", "mark"]
        .iter()
        .map(|name| format!("// {name} does its part with a sack.\nfunc {name}(s string) string {{\n\tt := s\n\treturn t\n}}\n\n"))
        .collect();
    let more = format!(
        "package mill\n\n{others}// Parse reads what is written on a sack.\nfunc Parse(s string) string {{\n\ta := weigh(s)\n\tb := close(a)\n\tc := mark(b)\n\td := c + a + b\n\treturn d\n}}\n"
    );
    let readme = "# Mill\n\nMill grinds corn to flour.\n\n## Usage\n\n```go\nm := mill.Mill{}\nm.Run(\"corn\")\n```\n";
    let files = [
        ("go.mod", "module example.com/mill\n\ngo 1.22\n"),
        ("README.md", readme),
        ("mill.go", &code),
        ("parse.go", &more),
    ];
    let records = Stage::of(&files).learn(40, Language::English).await;
    let subjects = records.iter().map(|r| r.topic.as_ref().unwrap().subject.as_str());
    let first = subjects.into_iter().find(|s| s.starts_with("flow:"));
    assert_eq!(first, Some("flow:parse.go#Parse"), "{records:#?}");
}

#[tokio::test]
async fn what_is_nobodys_to_call_is_asked_about_by_the_function_that_hands_on_to_it() {
    let code = ORDER.replace(
        "def send_parcel(parcel, ready, late):\n    \"\"\"Send the parcel to where it belongs.\"\"\"\n",
        "def send(parcel):\n    \"\"\"Send a parcel on its way.\"\"\"\n    return _do_send(parcel, True, False)\n\n\ndef check(parcel):\n    \"\"\"Check whether a parcel could be sent.\"\"\"\n    return _do_send(parcel, False, False)\n\n\ndef _do_send(parcel, ready, late):\n    \"\"\"Send the parcel, or don't.\"\"\"\n",
    );
    let records = Stage::of(&[("src/post.py", &code)]).learn(40, Language::English).await;
    let flow = |r: &&ouro_core::LearningRecord| {
        r.topic.as_ref().unwrap().subject.starts_with("flow:src/post.py#_do_send")
    };
    let record = records.iter().find(flow).unwrap();
    assert!(record.question.contains("`send`"), "{}", record.question);
    assert!(record.answer.starts_with("`send` sends a parcel on its way"), "{}", record.answer);
    assert!(record.answer.contains("Its work is done by `_do_send`"), "{}", record.answer);
    // However much is said before the call.
    let more = "on its way.\n\n".to_owned() + &"    Parcels go by land or by water.\n".repeat(40);
    let code = code.replace("on its way.\"\"\"", &format!("{more}    \"\"\""));
    let records = Stage::of(&[("src/post.py", &code)]).learn(40, Language::English).await;
    let record = records.iter().find(flow).unwrap();
    assert!(record.answer.contains("Its work is done by `_do_send`"), "{}", record.answer);
}

#[tokio::test]
async fn who_calls_what_says_nothing_and_does_one_thing_is_no_answer() {
    let code = "package a\n\n/** Loads the settings of a mill. */\nclass Loader(val depth: Int)\n\nclass LoaderBuilder {\n    fun build(): Loader {\n        val depth = 3\n        val width = 4\n        val height = depth + width\n        return Loader(height)\n    }\n}\n\n\
                /** Loads them as they are by default. */\nfun loadDefault(): Loader = LoaderBuilder().build()\n";
    let stage = Stage::of(&[("src/a/Loader.kt", code)]);
    let reasoner = OfflineReasoner::new(1);
    let asked = reasoner.generate_questions(stage.request(1, Language::English)).await.unwrap();
    let mut question = asked.value.into_iter().next().unwrap();
    question.question = "How does `LoaderBuilder.build` do its work?".to_owned();
    question.topic.as_mut().unwrap().subject =
        "flow:src/a/Loader.kt#LoaderBuilder.build".to_owned();
    let seen = stage.explore(&reasoner, &question, Language::English).await;
    let told = reasoner.summarize(stage.summary(question, seen, Language::English)).await;
    assert_eq!(told.unwrap_err().kind(), ErrorKind::NotFound);
}

#[tokio::test]
async fn a_step_is_told_by_what_it_does_not_by_whom_it_is_not_for() {
    let code = LOG.replace(
        "// crush breaks the corn.\n",
        "// This function should not be used by those who buy flour.\n//\n// Called where corn is to be broken by a stone.\n",
    );
    let files = [("go.mod", "module example.com/mill\n\ngo 1.22\n"), ("mill.go", &code)];
    let answer = flows_of("Mill.Run", &files, Language::English).await;
    assert!(answer.contains("Called where corn is to be broken"), "{answer}");
    assert!(!answer.contains("should not be used"), "{answer}");
}
