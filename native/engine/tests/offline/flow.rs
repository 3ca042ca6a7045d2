//! What a function does on its way: its steps, under which conditions, and where it returns before them.

use ouro_core::Language;

use crate::stage::Stage;

/// The answers about functions of a project, one after the other.
async fn flows(files: &[(&str, &str)], language: Language) -> String {
    let records = Stage::of(files).learn(40, language).await;
    let flows = records.iter().filter(|r| r.topic.as_ref().unwrap().subject.starts_with("flow"));
    flows.map(|r| r.answer.as_str()).collect::<Vec<_>>().join("\n\n")
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
    assert!(steps[2].starts_with("3. It goes no further when `late`"), "{answer}");
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
    assert!(!answer.contains("In some cases"), "{answer}");
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
    assert!(answer.contains("In some cases when `ready`: `refuse(parcel)`"), "{answer}");
}

#[tokio::test]
async fn what_happens_at_several_places_is_told_as_such() {
    let code = ORDER.replace("    if late:\n", "    if late:\n        label(parcel)\n");
    let answer = flows(&[("src/post.py", &code)], Language::English).await;
    assert!(answer.contains("In several cases: `label`"), "{answer}");
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
}
