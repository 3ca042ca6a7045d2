//! Under which conditions a body's calls and failures are reached, and in which order.

use ouro_core::analysis::{ConditionKind, Reached, ReferenceKind};

use crate::support::Project;

/// `a, not b, caught c`; `?` for what can't be told, `later` for what runs at another time.
fn told(reached: &Reached) -> String {
    if reached.is_deferred {
        return "later".to_owned();
    }
    let Some(conditions) = &reached.conditions else { return "?".to_owned() };
    let one = |c: &ouro_core::analysis::Condition| match c.kind {
        ConditionKind::Holds => c.text.clone(),
        ConditionKind::Fails => format!("not {}", c.text),
        ConditionKind::Caught => format!("caught {}", c.text),
        ConditionKind::Repeats => format!("while {}", c.text),
    };
    conditions.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// How the failures of a file are reached, in its order.
fn failures(path: &str, text: &str) -> Vec<String> {
    let analysis = Project::new(&[(path, text)]).scan();
    let all = analysis.symbols.iter().flat_map(|s| &s.failures);
    all.map(|f| told(&f.reached)).collect()
}

/// The calls of the function `f`, in the order of evaluation, with their conditions.
fn calls(path: &str, text: &str) -> Vec<String> {
    let analysis = Project::new(&[(path, text)]).scan();
    let from = analysis.symbols.iter().position(|s| s.name == "f").unwrap();
    let mut found: Vec<_> = analysis
        .references
        .iter()
        .filter(|r| r.from_symbol == Some(from) && r.kind == ReferenceKind::Call)
        .collect();
    found.sort_by_key(|r| r.reached.order);
    let name = |r: &&ouro_core::analysis::Reference| {
        let told = told(&r.reached);
        let name = &analysis.symbols[r.to].name;
        if told.is_empty() { name.clone() } else { format!("{name} [{told}]") }
    };
    found.iter().map(name).collect()
}

#[test]
fn a_failure_has_every_condition_around_it_or_none() {
    let cases: [(&str, &str, &[&str]); 8] = [
        (
            "a.py",
            "def f(a, b):\n    if a:\n        for x in b:\n            if x and b:\n                raise E()\n    elif b:\n        pass\n    elif len(b) > 1:\n        raise E()\n    else:\n        raise E()\n    try:\n        g()\n    except (A, B) as e:\n        if a:\n            raise E()\n    while b:\n        raise E()\n    def inner():\n        raise E()\n    raise E()\n",
            &[
                "a, x and b",
                "not a, not b, len(b) > 1",
                "not a, not b, not len(b) > 1",
                "caught (A, B), a",
                "while b",
                "later",
                "",
            ],
        ),
        (
            "A.java",
            "class A { void f(int a) { if (a > 1) { g(); } else if (a < 0) throw new E(); else { throw new E(); } switch (a) { case 1: throw new E(); } run(() -> { throw new E(); }); try { g(); } catch (IOException e) { throw new E(); } } }",
            &["not a > 1, a < 0", "not a > 1, not a < 0", "a is 1", "later", "caught IOException"],
        ),
        (
            "a.go",
            "package a\nimport \"errors\"\nfunc f(a int) error {\n\tif a > 1 {\n\t\tif b := g(); b {\n\t\t\treturn errors.New(\"x\")\n\t\t}\n\t} else {\n\t\tpanic(\"y\")\n\t}\n\tdefer func() { panic(\"z\") }()\n\treturn nil\n}\n",
            &["a > 1, b", "not a > 1", "later"],
        ),
        (
            "a.rs",
            "fn f(x: Option<u8>) -> Result<(), E> {\n    if let Some(y) = x {\n        if y > 1 { return Err(E::A); }\n    } else {\n        return Err(E::B);\n    }\n    match x {\n        None => return Err(E::C),\n        other => return Err(E::D),\n    }\n    let Some(z) = x else { return Err(E::E) };\n    Ok(())\n}\n",
            &["x is Some(y), y > 1", "not x is Some(y)", "x is None", "?", "not x is Some(z)"],
        ),
        (
            "a.ts",
            "export function f(a: number) {\n  if (a) { if (!b) throw new E() } else if (c) { throw new E() }\n  a || fail(() => { throw new E() })\n}\n",
            &["a, !b", "not a, c", "later"],
        ),
        (
            "a.kt",
            "fun f(a: Int?) {\n  if (a == 1) throw E() else if (a == 2) { throw E() }\n  when (a) { 3 -> throw E() }\n  run { throw E() }\n}\n",
            &["a == 1", "not a == 1, a == 2", "a is 3", "later"],
        ),
        ("b.py", "def f(a):\n    if a(\n        1,  # why\n    ):\n        raise E()\n", &["?"]),
        (
            "c.py",
            "def f(a):\n    x = 1\n    while True:\n        if a:\n            raise E()\n",
            &["a"],
        ),
    ];
    for (path, text, wanted) in cases {
        assert_eq!(failures(path, text), wanted, "{text}");
    }
}

#[test]
fn what_a_jump_may_keep_from_happening_happens_where_it_was_not_taken() {
    let cases: [(&str, &str, &[&str]); 7] = [
        (
            "a.py",
            "def f(a):\n    for x in a:\n        if x:\n            g()\n            continue\n        if not x:\n            if a:\n                break\n            raise E()\n        raise E()\n    raise E()\n",
            &["not x, not x, not a", "?", ""],
        ),
        (
            "a.js",
            "function f(a) {\n  for (const x of a) {\n    if (x) continue\n    // why\n    if (x > 1) {\n      continue\n    } else {\n      throw new E()\n    }\n  }\n  throw new E()\n}\n",
            &["not x, not x > 1", ""],
        ),
        (
            "A.java",
            "class A { void f(int a) { while (a > 0) { if (a > 1) { g(); break; } throw new E(); } switch (a) { case 1: if (a > 2) { break; } throw new E(); } } }",
            &["while a > 0, not a > 1", "not a > 2, a is 1"],
        ),
        (
            "a.go",
            "package a\nimport \"errors\"\nfunc f(a []int) error {\n\tfor _, x := range a {\n\t\tif x > 1 {\n\t\t\tcontinue\n\t\t}\n\t\treturn errors.New(\"x\")\n\t}\n\treturn nil\n}\n",
            &["not x > 1"],
        ),
        (
            "a.rs",
            "fn f(a: &[u8]) -> Result<(), E> {\n    for x in a {\n        if *x > 1 {\n            continue;\n        }\n        let Some(y) = x else { continue };\n        return Err(E::A);\n    }\n    loop {\n        if a.is_empty() { break }\n        return Err(E::B);\n    }\n    Err(E::C)\n}\n",
            &["not *x > 1, x is Some(y)", "not a.is_empty()", ""],
        ),
        (
            "a.kt",
            "fun f(a: List<Int>) {\n  for (x in a) {\n    if (x > 1) continue\n    if (x > 2) { break }\n    throw E()\n  }\n}\n",
            &["not x > 1, not x > 2"],
        ),
        (
            "b.py",
            "def f(a):\n    for x in a:\n        for y in x:\n            if y:\n                continue\n            g()\n        raise E()\n",
            &[""],
        ),
    ];
    for (path, text, wanted) in cases {
        assert_eq!(failures(path, text), wanted, "{text}");
    }
}

#[test]
fn a_case_is_told_by_what_is_compared_in_every_language() {
    let cases: [(&str, &str, &[&str]); 9] = [
        (
            "a.js",
            "function f(m) {\n  switch (m) {\n    case 'A':\n      throw new E()\n    case 'B':\n    case 'C':\n      g()\n    case 'D':\n      throw new E()\n    default:\n      throw new E()\n  }\n}\nfunction h(m) {\n  switch (m) {\n    case 1: break\n    case 2:\n    case 3: { throw new E() }\n  }\n}\n",
            &["m is 'A'", "?", "?", "m is 2 or 3"],
        ),
        (
            "A.java",
            "class A { void f(K k) { switch (k) { case ONE: g(); break; case TWO: throw new E(); default: throw new E(); } } void g(K k) { switch (k) { case ONE, TWO -> throw new E(); default -> throw new E(); } } }",
            &["k is TWO", "?", "k is ONE or TWO", "?"],
        ),
        (
            "a.kt",
            "fun f(a: Any) {\n  when (a) {\n    is B -> throw E()\n    C, D -> throw E()\n    else -> throw E()\n  }\n  when {\n    a == 1 -> throw E()\n    a == 2 -> throw E()\n  }\n}\n",
            &["a is B", "a is C or D", "?", "a == 1", "not a == 1, a == 2"],
        ),
        (
            "a.go",
            "package a\nfunc f(a int) {\n\tswitch a {\n\tcase 1, 2:\n\t\tpanic(\"x\")\n\tcase 3:\n\t\tfallthrough\n\tcase 4:\n\t\tpanic(\"z\")\n\tdefault:\n\t\tpanic(\"y\")\n\t}\n\tswitch {\n\tcase a > 1:\n\t\tpanic(\"x\")\n\tcase a > 0:\n\t\tpanic(\"y\")\n\t}\n\tswitch a.(type) {\n\tcase *T:\n\t\tpanic(\"x\")\n\t}\n}\n",
            &["a is 1 or 2", "?", "?", "a > 1", "not a > 1, a > 0", "a is *T"],
        ),
        (
            "a.py",
            "def f(a):\n    match a:\n        case 'x' | 'y':\n            raise E()\n        case Point(x=0):\n            raise E()\n        case other:\n            raise E()\n",
            &["a is 'x' | 'y'", "a is Point(x=0)", "?"],
        ),
        (
            "b.py",
            "def f(a):\n    match a:\n        case 1 if g():\n            raise E()\n        case _:\n            raise E()\n",
            &["?", "?"],
        ),
        (
            "a.rs",
            "fn f(x: K) -> Result<(), E> {\n    match x {\n        K::A | K::B => return Err(E::A),\n        K::C if y => return Err(E::B),\n        _ => return Err(E::C),\n    }\n}\n",
            &["x is K::A | K::B", "?", "?"],
        ),
        (
            "b.js",
            "function f(queue) {\n  while (queue.length > 0) {\n    throw new E()\n  }\n}\n",
            &["while queue.length > 0"],
        ),
        (
            "B.java",
            "class B { void f() { if (someRatherLongCondition.isReallyVeryLongIndeed() && anotherRatherLongCondition.isVeryLongToo() && x) { throw new E(); } } }",
            &[
                "someRatherLongCondition.isReallyVeryLongIndeed(), anotherRatherLongCondition.isVeryLongToo(), x",
            ],
        ),
    ];
    for (path, text, wanted) in cases {
        assert_eq!(failures(path, text), wanted, "{text}");
    }
}

#[test]
fn what_a_case_is_compared_with_is_no_part_of_it() {
    let go = "package a\nfunc isBig(a int) bool { return a > 9 }\nfunc big() {}\nfunc f(a int) {\n\tswitch {\n\tcase isBig(a):\n\t\tbig()\n\t}\n}\n";
    assert_eq!(calls("a.go", go), ["isBig [?]", "big [isBig(a)]"]);
}

#[test]
fn calls_are_in_the_order_of_evaluation() {
    let cases: [(&str, &str, &[&str]); 5] = [
        (
            "call.js",
            "function a(x) {}\nfunction b(x) {}\nfunction f(x) {\n  a.call(x, b.call(this))\n}\n",
            &["b", "a"],
        ),
        (
            "a.py",
            "def a(x): pass\ndef b(): pass\ndef c(): pass\ndef f(x):\n    a(b())\n    y = c() if x else None\n    return lambda: b()\n",
            &["b", "a", "c [x]", "b [later]"],
        ),
        (
            "a.rs",
            "struct R;\nimpl R {\n    fn new() -> R { R }\n    fn fallback(self, x: u8) -> R { self }\n}\nfn h() -> u8 { 1 }\nfn f() -> R {\n    R::new().fallback(h())\n}\n",
            &["new", "h", "fallback"],
        ),
        (
            "a.js",
            "function a() {}\nfunction b() {}\nfunction f(x) {\n  if (x) {\n    a()\n  } else {\n    b()\n  }\n  x.map(() => a())\n}\n",
            &["a [x]", "b [not x]", "a [later]"],
        ),
        (
            "a.go",
            "package a\nfunc a() {}\nfunc b() {}\nfunc f() {\n\tdefer a()\n\tb()\n}\n",
            &["a [later]", "b"],
        ),
    ];
    for (path, text, wanted) in cases {
        assert_eq!(calls(path, text), wanted, "{text}");
    }
}

#[test]
fn an_error_is_made_where_it_is_returned_and_no_logger_makes_one() {
    let go = "package a\n\nimport (\n\t\"errors\"\n\t\"log\"\n)\n\nvar errFull = errors.New(\"it is full\")\n\n\
              type T struct{ Logger *log.Logger }\n\nfunc New() T { return T{Logger: log.New(nil, \"echo\", 0)} }\n\n\
              func f() error {\n\tlog.Fatal(\"bad\")\n\terr := errors.New(\"kept\")\n\treturn errOther\n}\n\n\
              func g() error { return errFull }\n\nfunc h() error { return errors.New(\"made\") }\n";
    let analysis = Project::new(&[("a.go", go)]).scan();
    let all = analysis.symbols.iter().flat_map(|s| {
        s.failures
            .iter()
            .map(move |f| (&*s.name, &*f.what, f.message.as_ref().map(|m| m.text.as_str())))
    });
    assert_eq!(
        all.collect::<Vec<_>>(),
        [("g", "errFull", Some("it is full")), ("h", "errors.New", Some("made"))]
    );
}

#[test]
fn of_several_forms_of_a_method_the_one_with_so_many_arguments_is_meant_or_none() {
    let java = "class B {\n  void set(int a) {}\n  void set(int a, int b) {}\n  void put(String s) {}\n  void put(Class<? extends X> c) {}\n\
                \n  void f() {\n    set(1, 2);\n    put(x);\n    this.set(1);\n  }\n}\n";
    let analysis = Project::new(&[("B.java", java)]).scan();
    let lines: Vec<(u32, u32)> = analysis
        .references
        .iter()
        .filter(|r| r.kind == ReferenceKind::Call)
        .map(|r| (r.line, analysis.symbols[r.to].line))
        .collect();
    assert_eq!(lines, [(8, 3), (10, 2)]);
}

#[test]
fn what_is_called_with_more_than_the_base_takes_is_the_heirs() {
    let python = "class Signer:\n    def check_sign(self, value):\n        pass\n\nclass Timed(Signer):\n    def check_sign(self, value, age):\n        pass\n\n\
                  def f(a):\n    a.check_sign(1)\n    a.check_sign(1, 2)\n    a.check_sign()\n";
    let analysis = Project::new(&[("a.py", python)]).scan();
    let calls = analysis.references.iter().filter(|r| r.kind == ReferenceKind::Call);
    let lines: Vec<(u32, u32)> = calls.map(|r| (r.line, analysis.symbols[r.to].line)).collect();
    assert_eq!(lines, [(10, 2), (11, 6)]);
}

#[test]
fn a_return_on_the_way_has_its_conditions_and_one_that_fails_is_none() {
    let cases: [(&str, &str, &[&str]); 6] = [
        (
            "a.py",
            "def f(a):\n    if a:\n        return 1\n    for x in a:\n        if x:\n            return x\n    with a:\n        run(lambda: 3)\n    return 2\n",
            &["3: a", "6: x"],
        ),
        (
            "a.js",
            "export function f(a) {\n  if (typeof a === 'boolean') return this;\n  a.map((x) => { if (x) return 1; });\n  switch (a) { case 1: return 4; }\n  return 2;\n}\n",
            &["2: typeof a === 'boolean'", "4: a is 1"],
        ),
        (
            "a.go",
            "package a\n\nfunc f(a int) (int, error) {\n\tif a > 1 {\n\t\treturn g(a)\n\t}\n\tif err := h(); err != nil {\n\t\treturn 0, err\n\t}\n\tif a < 0 {\n\t\treturn 0, errors.New(\"x\")\n\t}\n\treturn 1, nil\n}\n",
            &["5: a > 1"],
        ),
        (
            "a.rs",
            "fn f(a: u8) -> Result<u8, E> {\n    if a == 0 {\n        return Ok(1);\n    }\n    if a == 1 {\n        return Err(x);\n    }\n    Ok(2)\n}\n",
            &["3: a == 0"],
        ),
        (
            "A.java",
            "class A {\n  int f(int a) {\n    if (a > 1) {\n      return 1;\n    } else if (a < 0)\n      return 2;\n    return 3;\n  }\n}\n",
            &["4: a > 1", "6: not a > 1, a < 0"],
        ),
        (
            "a.kt",
            "fun f(a: Int): Int {\n  if (a == 1) return 1\n  if (a == 2) {\n    return 2\n  }\n  return 3\n}\n",
            &["2: a == 1", "4: a == 2"],
        ),
    ];
    for (path, text, wanted) in cases {
        let analysis = Project::new(&[(path, text)]).scan();
        let exits = analysis.symbols.iter().flat_map(|s| &s.exits);
        let found: Vec<_> = exits.map(|e| format!("{}: {}", e.line, told(&e.reached))).collect();
        assert_eq!(found, wanted, "{text}");
    }
}

#[test]
fn a_failure_that_its_own_function_catches_is_none() {
    let python = |clause: &str| {
        let text = format!(
            "def f(x):\n    try:\n        if x:\n            raise PoolError('stale')\n    {clause}\n"
        );
        failures("a.py", &text)
    };
    for swallowing in [
        "except PoolError:\n        return None",
        "except (ValueError, pool.PoolError) as e:\n        log(e)",
        "except Exception:\n        pass",
        "except:\n        pass",
        "except PoolError as e:\n        raise ValueError('b') from e",
    ] {
        assert!(!python(swallowing).contains(&"x".to_owned()), "{swallowing}");
    }
    for other in [
        "except ValueError:\n        pass",
        "except Exception:\n        log()\n        raise",
        "finally:\n        close()",
    ] {
        assert_eq!(python(other), ["x"], "{other}");
    }
    let java = "class A { void f(int x) { try { throw new E(\"a\"); } catch (IOException | E e) { log(e); } } \
                void g() { try { throw new E(\"a\"); } catch (IOException e) { } catch (Throwable t) { throw t; } } }";
    assert_eq!(failures("A.java", java).len(), 1);
    let kotlin = "fun f() { try { throw E(\"a\") } catch (e: Exception) { log(e) } }\n\
                  fun g() { try { throw E(\"a\") } catch (e: IOException) { log(e) } }\n";
    assert_eq!(failures("a.kt", kotlin).len(), 1);
    let script = "function f() { try { throw new E('a') } catch { return 1 } }\n\
                  function g() { try { g() } catch (e) { throw new E('b') } }\n";
    assert_eq!(failures("a.js", script).len(), 1, "what is thrown in a catch clause leaves");
}

#[test]
fn a_call_knows_whether_what_fails_in_it_may_be_caught_on_the_way() {
    let cases = [
        (
            "a.py",
            "def g():\n    pass\n\ndef f():\n    g()\n    try:\n        g()\n    except E:\n        g()\n    try:\n        g()\n    except E:\n        raise\n",
            [false, true, false, false].as_slice(),
        ),
        (
            "A.java",
            "class A { void g() {}\n void f() {\n try {\n g();\n } catch (E e) {\n }\n try {\n g();\n } finally {\n g();\n }\n } }",
            &[true, false, false],
        ),
        (
            "a.kt",
            "fun g() {}\nfun f() {\n try {\n g()\n } catch (e: E) {\n log(e)\n }\n g()\n}\n",
            &[true, false],
        ),
        (
            "a.ts",
            "function g() {}\nfunction f() {\n try {\n g()\n } catch (e) {\n g()\n }\n}\n",
            &[true, false],
        ),
    ];
    for (path, text, wanted) in cases {
        let analysis = Project::new(&[(path, text)]).scan();
        let calls = analysis.references.iter().filter(|r| r.kind == ReferenceKind::Call);
        let found: Vec<bool> = calls.map(|r| r.reached.is_caught).collect();
        assert_eq!(found, wanted, "{path}");
    }
}

#[test]
fn what_a_function_has_checked_is_a_failure_of_its_own() {
    let cases = [
        (
            "a.go",
            "package a\n\nfunc _assert(condition bool, msg string, v ...any) {\n\tif !condition {\n\t\tpanic(fmt.Sprintf(\"failed: \"+msg, v...))\n\t}\n}\n\n\
             func f(a int) {\n\t_assert(a > 0, \"a must be positive: %d\", a)\n}\n",
            "10 panic [not a > 0] a must be positive: %d",
        ),
        (
            "A.java",
            "class A {\n  static void requireState(boolean expression, String template) {\n    if (!expression) {\n      throw new IllegalStateException(template);\n    }\n  }\n  \
             void f(int a) {\n    requireState(a > 0,\n        \"a must be positive\");\n  }\n}\n",
            "8 IllegalStateException [not a > 0] a must be positive",
        ),
        (
            "a.py",
            "def _check(cond, msg):\n    if not cond:\n        raise ValueError(msg)\n\ndef f(a):\n    if a:\n        _check(a > 0, 'a must be positive')\n",
            "7 ValueError [a, not a > 0] a must be positive",
        ),
        (
            "a.kt",
            "fun ensureThat(value: Boolean, lazyMessage: () -> String) {\n    if (!value) {\n        throw StateException(lazyMessage())\n    }\n}\n\
             fun f(a: Int) {\n    ensureThat(a > 0) { \"a must be positive\" }\n}\n",
            "7 StateException [not a > 0] a must be positive",
        ),
        (
            "a.ts",
            "function assert(value, message) {\n  if (!value) {\n    throw new StateError(message)\n  }\n}\nfunction f(a) {\n  assert(a > 0, 'a must be positive')\n}\n",
            "7 StateError [not a > 0] a must be positive",
        ),
        (
            "a.rs",
            "fn ensure_that(holds: bool, message: &str) -> Result<(), E> {\n    if !holds {\n        return Err(StateError::new(message));\n    }\n    Ok(())\n}\n\
             fn f(a: i32) -> Result<(), E> {\n    ensure_that(a > 0, \"a must be positive\")?;\n    Ok(())\n}\n",
            "8 StateError::new [not a > 0] a must be positive",
        ),
    ];
    for (path, text, wanted) in cases {
        let analysis = Project::new(&[(path, text)]).scan();
        let f = analysis.symbols.iter().find(|s| s.name == "f").unwrap();
        let said = |f: &ouro_core::analysis::FailureSite| {
            let message = f.message.as_ref().map_or("", |m| &m.text);
            format!("{} {} [{}] {message}", f.line, f.what, told(&f.reached))
        };
        let found: Vec<String> = f.failures.iter().map(said).collect();
        assert_eq!(found, [wanted], "{path}");
        assert!(f.failures[0].check.is_some(), "{path}");
    }
}

#[test]
fn an_error_that_is_made_in_advance_keeps_what_it_says() {
    let cases = [
        ("a.go", "package a\n\nvar ErrFull = errors.New(\"the pool is full\")\n", "ErrFull"),
        (
            "a.js",
            "const codes = {\n  POOL_ERR_FULL: createError(\n    'POOL_ERR_FULL',\n    'the pool is full',\n    500\n  )\n}\nmodule.exports = codes\n",
            "POOL_ERR_FULL",
        ),
        ("a.ts", "export const FullError = makeError('the pool is full')\n", "FullError"),
    ];
    for (path, text, name) in cases {
        let analysis = Project::new(&[(path, text)]).scan();
        let symbol = analysis.symbols.iter().find(|s| s.name == name).unwrap();
        assert_eq!(
            symbol.says.as_ref().map(|m| m.text.as_str()),
            Some("the pool is full"),
            "{path}"
        );
        assert!(symbol.exported && symbol.failures.is_empty(), "{path}");
    }
}

#[test]
fn a_call_of_what_was_imported_from_elsewhere_is_kept_with_its_package() {
    let cases = [
        (
            "a.py",
            "def f():\n    from werk.serving import run_simple\n    run_simple(1)\n",
            "werk.serving run_simple 3",
        ),
        (
            "a.go",
            "package a\n\nimport \"example.org/x/net\"\n\nfunc f() {\n\tnet.Dial()\n}\n",
            "example.org/x/net Dial 6",
        ),
        ("a.rs", "use tokio::time::sleep;\nfn f() {\n    sleep(1);\n}\n", "tokio::time sleep 3"),
        ("A.java", "import org.x.Net;\nclass A { void f() {\n Net.dial(); } }\n", "org.x dial 3"),
        ("a.kt", "import org.x.dial\nfun f() {\n dial()\n}\n", "org.x dial 3"),
        ("a.ts", "import { dial } from 'net-x'\nfunction f() {\n dial()\n}\n", "net-x dial 3"),
    ];
    for (path, text, wanted) in cases {
        let analysis = Project::new(&[(path, text)]).scan();
        let found = analysis.outside.iter().map(|c| format!("{} {} {}", c.package, c.name, c.line));
        assert_eq!(found.collect::<Vec<_>>(), [wanted], "{path}");
        assert_eq!(analysis.symbols[analysis.outside[0].from_symbol].name, "f", "{path}");
    }
    let hidden = "import net\ndef f(net):\n    net.dial()\n";
    assert!(Project::new(&[("a.py", hidden)]).scan().outside.is_empty());
}

#[test]
fn what_is_started_beside_a_function_is_none_of_its_steps() {
    let code = "package a\n\nfunc read() {}\n\nfunc f() {\n\tgo read()\n}\n";
    let analysis = Project::new(&[("a.go", code)]).scan();
    let call = analysis.references.iter().find(|r| r.line == 6).unwrap();
    assert!(call.reached.is_deferred, "{call:?}");
}
