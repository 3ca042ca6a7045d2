//! What is said of a thing belongs to that thing: documentation, messages, functions of a type.

use crate::support::Project;

#[test]
fn what_documents_an_inner_function_says_nothing_of_the_outer_one() {
    let text = "def outer(a):\n    if a:\n        return 1\n\n    def inner(b):\n        \"\"\"Decides about b.\"\"\"\n        return b\n\n    return inner\n\n\n\
                @cached\ndef told(a):\n    \"\"\"Says what it does.\"\"\"\n\n    def inner(b):\n        \"\"\"Says something else.\"\"\"\n\n    return inner\n";
    let analysis = Project::new(&[("src/a.py", text)]).scan();
    let docs: Vec<_> = analysis
        .symbols
        .iter()
        .map(|s| (s.name.as_str(), s.doc.as_ref().map(|d| d.text.as_str())))
        .collect();
    assert_eq!(docs, [("outer", None), ("told", Some("Says what it does."))]);
}

#[test]
fn an_argument_of_a_function_that_makes_an_error_is_not_its_message() {
    let rust = "pub fn check(a: u32) -> Result<(), Bad> {\n    if a > 1 {\n        return Err(wrong_version(\"the store of it\", a));\n    }\n    \
                if a > 0 {\n        return Err(Bad::new(\"it is too large\"));\n    }\n    Ok(())\n}\n";
    let python = "def f(a):\n    if a:\n        raise Bad(\"Lacks: \" + \", \".join(a))\n    raise Bad(describe(\"the key of it\"))\n";
    for (path, text, wanted) in [
        ("src/a.rs", rust, [None, Some("it is too large")]),
        ("src/a.py", python, [Some("Lacks: …"), None]),
    ] {
        let analysis = Project::new(&[(path, text)]).scan();
        let all = analysis.symbols.iter().flat_map(|s| &s.failures);
        assert_eq!(
            all.map(|f| f.message.as_ref().map(|m| m.text.as_str())).collect::<Vec<_>>(),
            wanted,
            "{path}"
        );
    }
}

#[test]
fn a_message_that_was_put_in_a_variable_right_before_is_the_failures_message() {
    let python = "def f(a):\n    msg = \"outside\"\n    if a > 1:\n        msg = (\n            \"It is \"\n            f\"too large: {a}.\"\n        )\n        raise ValueError(msg)\n    \
                  if a:\n        raise ValueError(msg)\n    text = describe(\"it is small\")\n    raise ValueError(text)\n";
    let again = "def f(a):\n    msg = \"it is bad\"\n    if a:\n        msg = f\"{msg}: look at {a}\"\n    raise ValueError(msg)\n\n\n\
                 def g(a):\n    msg = \"it is bad\"\n    msg += a\n    raise ValueError(msg)\n";
    let js =
        "function f (a) {\n  const why = 'it is not a number'\n  throw new TypeError(why)\n}\n";
    for (path, text, wanted) in [
        ("src/a.py", python, vec![Some("It is too large: {a}."), None, None]),
        // What was set in a branch, or set to more since, is not what the failure says.
        ("src/again.py", again, vec![None, None]),
        ("src/a.js", js, vec![Some("it is not a number")]),
    ] {
        let analysis = Project::new(&[(path, text)]).scan();
        let all = analysis.symbols.iter().flat_map(|s| &s.failures);
        assert_eq!(
            all.map(|f| f.message.as_ref().map(|m| m.text.as_str())).collect::<Vec<_>>(),
            wanted,
            "{path}"
        );
    }
}

#[test]
fn what_is_added_to_a_type_of_another_package_is_no_part_of_its_namesake() {
    let date = "package a\n\npublic class Date(val day: Int)\n";
    let more = "package a\n\npublic fun java.time.Date.toOurs(): Date = Date(1)\n\npublic fun Date.next(): Date = Date(day + 1)\n";
    let analysis = Project::new(&[("src/Date.kt", date), ("src/More.kt", more)]).scan();
    let of = |name: &str| {
        let symbol = analysis.symbols.iter().find(|s| s.name == name).unwrap();
        symbol.container.clone()
    };
    assert_eq!(of("toOurs").as_deref(), Some("java.time.Date"));
    assert_eq!(of("next").as_deref(), Some("Date"));
}

#[test]
fn a_function_that_extends_a_type_of_the_project_is_not_called_on_a_string() {
    let code = "package a\n\npublic class Box(val name: String) {\n    override fun toString(): String = name\n}\n\n\
                public fun Box.toPath(whole: Boolean): String = name\n\npublic fun of(box: Box): String {\n    val a = \".\".toPath(true)\n    \
                val b = box.name.toPath(true)\n    val c = box.toString().toPath(true)\n    return box.toPath(false)\n}\n";
    let analysis = Project::new(&[("src/Box.kt", code)]).scan();
    let called = |name: &str| {
        let to = analysis.symbols.iter().position(|s| s.name == name).unwrap();
        analysis.references.iter().filter(move |r| r.to == to).map(|r| r.line).collect::<Vec<_>>()
    };
    assert_eq!(called("toPath"), [13]);
}
