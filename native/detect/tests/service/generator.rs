//! Makes sessions: loops and honest work of many kinds, with tools, argument styles, answers and noise drawn at random.

use ouro_detect::{Chunk, Event, ToolCall, ToolResult};
use serde_json::{Value, json};

/// A small generator of random numbers (xorshift64*): the same seed gives the same sessions everywhere.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() >> 33) as usize % limit
    }

    pub(crate) fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    pub(crate) fn pick<'a, T: ?Sized>(&mut self, items: &[&'a T]) -> &'a T {
        items[self.below(items.len())]
    }

    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// One call and what came back.
#[derive(Clone)]
pub(crate) struct Step {
    name: String,
    args: Value,
    answer: String,
    error: bool,
}

/// A session's shape; several calls in one item are one response.
pub(crate) struct Session {
    pub(crate) kind: &'static str,
    rounds: Vec<Vec<Step>>,
    answered: bool,
}

const WORDS: &[&str] = &[
    "parser", "token", "buffer", "socket", "cache", "index", "router", "client", "server", "queue",
    "worker", "schema", "column", "invoice", "customer", "order", "payment", "session", "theme",
    "button", "matrix", "vector", "kernel", "shader", "camera", "sensor", "driver", "packet",
    "header", "footer", "widget", "report", "ledger", "budget", "planet", "garden", "bridge",
    "signal", "filter", "mirror", "anchor", "canvas", "folder", "letter",
];
const HAN: &[&str] = &[
    "解析",
    "缓存",
    "索引",
    "客户",
    "订单",
    "支付",
    "会话",
    "矩阵",
    "传感器",
    "驱动",
    "报告",
    "预算",
    "过滤",
    "信号",
    "文件夹",
    "按钮",
];
const VERBS: &[&str] = &[
    "load", "store", "walk", "fold", "merge", "split", "scan", "emit", "bind", "draw", "send",
    "keep",
];

fn word(r: &mut Random) -> String {
    r.pick(WORDS).to_owned()
}

fn path(r: &mut Random) -> String {
    let end = r.pick(&["rs", "py", "ts", "go", "java", "md", "yaml"]);
    match r.below(4) {
        0 => format!("{}.{end}", word(r)),
        1 => format!("src/{}/{}_{}.{end}", word(r), word(r), r.below(90)),
        2 => format!("/home/dev/{}/{}.{end}", word(r), word(r)),
        _ => format!("{}/{}.{end}", r.pick(HAN), r.pick(HAN)),
    }
}

/// A tool's name in one of the styles hosts use.
fn named(r: &mut Random, verb: &str, noun: &str) -> String {
    let capital = |text: &str| text[..1].to_uppercase() + &text[1..];
    match r.below(5) {
        0 => format!("{verb}_{noun}"),
        1 => format!("{verb}{}", capital(noun)),
        2 => format!("{}{}", capital(verb), capital(noun)),
        3 => format!("mcp__{}__{verb}_{noun}", word(r)),
        _ => format!("{verb}-{noun}"),
    }
}

fn reader(r: &mut Random) -> String {
    let verb = r.pick(&["read", "view", "open", "show", "cat", "get"]);
    if r.chance(10) { "读取文件".to_owned() } else { named(r, verb, "file") }
}

fn writer(r: &mut Random) -> String {
    let verb = r.pick(&["write", "edit", "update", "replace", "patch", "modify"]);
    if r.chance(10) { "修改文件".to_owned() } else { named(r, verb, "file") }
}

fn searcher(r: &mut Random) -> String {
    let verb = r.pick(&["search", "find", "grep", "query", "lookup"]);
    named(r, verb, "code")
}

fn shell(r: &mut Random) -> String {
    r.pick(&["bash", "shell", "run_command", "terminal", "execute", "Bash", "exec-cmd"]).to_owned()
}

fn checker(r: &mut Random) -> String {
    let noun = r.pick(&["job", "build", "deployment", "task", "pipeline"]);
    let verb = r.pick(&["get", "check", "show", "fetch"]);
    named(r, verb, noun)
}

fn path_key(r: &mut Random) -> &'static str {
    r.pick(&["path", "file", "file_path", "filename", "target", "文件"])
}

fn args(pairs: &[(&str, Value)]) -> Value {
    Value::Object(pairs.iter().map(|(k, v)| ((*k).to_owned(), v.clone())).collect())
}

/// Several lines that nobody else says.
fn page(r: &mut Random, lines: usize) -> String {
    let han = r.chance(15);
    let rows = (0..lines).map(|n| {
        if han {
            format!(
                "第{n}段：{}的{}需要{}，结果为{}。",
                r.pick(HAN),
                r.pick(HAN),
                r.pick(HAN),
                r.below(100_000)
            )
        } else {
            format!(
                "{n:>4}  fn {}_{}_{}({}: u32) -> u32;",
                r.pick(VERBS),
                word(r),
                r.below(10_000),
                word(r)
            )
        }
    });
    rows.collect::<Vec<_>>().join("\n")
}

fn done(r: &mut Random) -> String {
    r.pick(&[
        "ok",
        "Done.",
        "File updated successfully.",
        "The file has been saved.",
        "已保存",
        "{\"success\":true}",
        "Applied 1 edit",
        "修改成功",
        "Wrote 120 bytes",
    ])
    .to_owned()
}

/// Something that changes with every answer and says nothing; there are eight forms of it.
fn stamp(r: &mut Random, form: usize, n: usize) -> String {
    match form {
        0 => format!("\n[{:02}:{:02}:{:02}]", r.below(24), r.below(60), r.below(60)),
        1 => format!("\nfinished in {} ms", r.between(2, 900)),
        2 => format!("\nrequest_id: req_{:016x}", r.next()),
        3 => format!(
            "\n2026-{:02}-{:02}T{:02}:{:02}:11Z",
            r.between(1, 12),
            r.between(1, 28),
            r.below(24),
            r.below(60)
        ),
        4 => format!(
            "\nlog: /tmp/tmp{:08x}/out.log (pid {})",
            r.next() as u32,
            r.between(100, 60_000)
        ),
        5 => format!("\n{} requests so far", n + 1),
        6 => format!("\n耗时 {} 毫秒", r.between(2, 900)),
        _ => format!(
            "\ntrace {:08x}-{:04x}-4{:03x}-9{:03x}-{:012x}",
            r.next() as u32,
            r.next() as u16,
            r.below(4096),
            r.below(4096),
            r.next() & 0xFFFF_FFFF_FFFF
        ),
    }
}

fn step(name: &str, args: Value, answer: impl Into<String>) -> Step {
    Step { name: name.to_owned(), args, answer: answer.into(), error: false }
}

fn failed(name: &str, args: Value, answer: impl Into<String>) -> Step {
    Step { error: true, ..step(name, args, answer) }
}

fn single(steps: Vec<Step>) -> Vec<Vec<Step>> {
    steps.into_iter().map(|step| vec![step]).collect()
}

/// A query with an answer of several lines.
fn query(r: &mut Random) -> Step {
    let lines = r.between(2, 30);
    let answer = page(r, lines);
    match r.below(4) {
        0 => {
            let (name, key) = (reader(r), path_key(r));
            step(&name, args(&[(key, json!(path(r)))]), answer)
        }
        1 => {
            let name = searcher(r);
            step(&name, json!({"pattern": format!("{}_{}", word(r), word(r)), "path": "."}), answer)
        }
        2 => {
            let name = shell(r);
            step(&name, json!({"command": format!("cat {}", path(r))}), answer)
        }
        _ => {
            let name = named(r, "list", "dir");
            step(&name, json!({"dir": format!("{}/{}", word(r), word(r))}), answer)
        }
    }
}

/// Makes the rounds of one kind.
type Make = fn(&mut Random) -> Vec<Vec<Step>>;

/// The kinds of loops.
pub(crate) const LOOPS: &[(&str, Make)] = &[
    ("identical", |r| {
        let one = query(r);
        single(vec![one; r.between(6, 14)])
    }),
    ("identical, stamped", |r| {
        let (one, form) = (query(r), r.below(8));
        let rounds = r.between(7, 14);
        let stamped = |n| Step { answer: one.answer.clone() + &stamp(r, form, n), ..one.clone() };
        single((0..rounds).map(stamped).collect())
    }),
    ("cycle", |r| {
        let round: Vec<_> = (0..r.between(2, 16)).map(|_| query(r)).collect();
        single((0..r.between(5, 7)).flat_map(|_| round.clone()).collect())
    }),
    ("cycle, stamped", |r| {
        let (round, form): (Vec<_>, _) =
            ((0..r.between(2, 8)).map(|_| query(r)).collect(), r.below(8));
        let rounds = r.between(5, 7);
        let mut steps = vec![round; rounds].concat();
        for (n, step) in steps.iter_mut().enumerate() {
            step.answer += &stamp(r, form, n);
        }
        single(steps)
    }),
    ("identical failure", |r| {
        let (name, file) = (writer(r), path(r));
        let text = r.pick(&[
            "Error: the text to replace was not found",
            "PermissionError: operation not permitted",
            "错误：没有权限写入文件",
            "fatal: bad object HEAD",
        ]);
        single(vec![failed(&name, json!({"path": file, "content": "x"}), text); r.between(6, 12)])
    }),
    ("same failure, other arguments", |r| {
        let (name, file) = (writer(r), path(r));
        let text = r.pick(&[
            "Error: old_string was not found in the file",
            "ToolError: hunk does not apply",
            "错误：未找到要替换的文本",
            "Invalid patch: context mismatch",
            "SyntaxError: unexpected end of input",
        ]);
        single((0..r.between(9, 14)).map(|n| failed(&name, json!({"path": file, "old": format!("{} {} {n}", r.pick(VERBS), word(r)), "new": word(r)}), text)).collect())
    }),
    ("same failure, other commands", |r| {
        let name = shell(r);
        let text = r.pick(&["bash: frobnicate: command not found", "error: could not find `Cargo.toml` in this folder or any parent", "Traceback (most recent call last):\n  File \"x.py\", line 9\nImportError: cannot import name 'core'"]);
        single(
            (0..r.between(10, 14))
                .map(|n| {
                    failed(
                        &name,
                        json!({"command": format!("frobnicate --{} {} -n {n}", word(r), word(r))}),
                        text,
                    )
                })
                .collect(),
        )
    }),
    ("failure and a look again", |r| {
        let (edit, look, file) = (writer(r), reader(r), path(r));
        let text = page(r, 12);
        single(
            (0..r.between(9, 12))
                .flat_map(|n| {
                    [
                        failed(
                            &edit,
                            json!({"path": file, "old": format!("{} {n}", word(r))}),
                            "Error: no match for the given text",
                        ),
                        step(&look, json!({"path": file}), text.clone()),
                    ]
                })
                .collect(),
        )
    }),
    ("reshuffled queries, one answer", |r| {
        let name = searcher(r);
        let text = page(r, 8);
        let mut words = [word(r), word(r), word(r), "handler".to_owned()];
        single((0..r.between(8, 12)).map(|_| {
            let (a, b) = (r.below(4), r.below(4));
            words.swap(a, b);
            words.swap(3, r.below(3));
            step(&name, json!({"query": words.join(r.pick(&[" ", " ", "  "])), "n": r.between(5, 50)}), text.clone())
        }).collect())
    }),
    ("any queries, one big answer", |r| {
        let name = searcher(r);
        let text = page(r, 12);
        single(
            (0..r.between(8, 12))
                .map(|_| {
                    step(&name, json!({"query": format!("{} {}", word(r), word(r))}), text.clone())
                })
                .collect(),
        )
    }),
    ("interleaved", |r| {
        let one = query(r);
        let others: Vec<_> = (0..3).map(|_| query(r)).collect();
        single(
            (0..r.between(12, 18))
                .flat_map(|_| {
                    let mut steps = vec![one.clone()];
                    if r.chance(60) {
                        steps.push(others[r.below(3)].clone());
                    }
                    steps
                })
                .collect(),
        )
    }),
    ("interleaved with news", |r| {
        let one = query(r);
        single((0..r.between(14, 18)).flat_map(|_| [one.clone(), query(r)]).collect())
    }),
    ("spelling of paths", |r| {
        let (name, key, file) = (reader(r), path_key(r), format!("src/{}/{}.rs", word(r), word(r)));
        let text = page(r, 14);
        single(
            (0..r.between(8, 12))
                .map(|_| {
                    let spelt = match r.below(5) {
                        0 => format!("./{file}"),
                        1 => file.replacen('/', "//", 1),
                        2 => file.replacen("src/", "src/../src/", 1),
                        3 => file.replacen("src/", "src/./", 1),
                        _ => file.clone(),
                    };
                    step(&name, args(&[(key, json!(spelt))]), text.clone())
                })
                .collect(),
        )
    }),
    ("comments", |r| {
        let mut one = query(r);
        let key = r.pick(&["description", "explanation", "reason", "thought", "purpose"]);
        single(
            (0..r.between(8, 12))
                .map(|_| {
                    one.args[key] = json!(format!("{} the {} {}", r.pick(VERBS), word(r), word(r)));
                    one.clone()
                })
                .collect(),
        )
    }),
    ("limit raised", |r| {
        let (name, file, start) = (reader(r), path(r), r.between(40, 200));
        let key = r.pick(&["limit", "max_lines", "lines", "count", "length"]);
        let text = page(r, 260);
        single(
            (0..r.between(9, 14))
                .map(|n| {
                    let shown: Vec<_> = text.lines().take(start + n).collect();
                    step(
                        &name,
                        args(&[("path", json!(file)), (key, json!(start + n))]),
                        shown.join("\n"),
                    )
                })
                .collect(),
        )
    }),
    ("grows", |r| {
        let name = shell(r);
        let unit = format!("{} {}", r.pick(VERBS), word(r));
        let joint = r.pick(&[" && ", "; ", " | ", "\n"]);
        single(
            (0..r.between(8, 12))
                .map(|n| {
                    step(
                        &name,
                        json!({"command": vec![unit.as_str(); n + 1].join(joint)}),
                        vec!["usage: see the manual"; n + 1].join("\n"),
                    )
                })
                .collect(),
        )
    }),
    ("second pass", |r| {
        let (name, file, count) = (reader(r), path(r), r.between(8, 30));
        let pages: Vec<_> = (0..count)
            .map(|n| step(&name, json!({"path": file, "offset": n * 50, "limit": 50}), page(r, 20)))
            .collect();
        single([pages.clone(), pages.clone(), pages].concat())
    }),
    ("parallel rounds", |r| {
        let round: Vec<_> = (0..r.between(2, 6)).map(|_| query(r)).collect();
        (0..r.between(6, 9))
            .map(|n| {
                let mut round = round.clone();
                let by = n % round.len();
                round.rotate_left(by);
                round
            })
            .collect()
    }),
    ("polls for ever", |r| {
        let name = checker(r);
        let text = r.pick(&[
            "status: running",
            "pending",
            "{\"state\":\"QUEUED\"}",
            "任务正在运行中",
            "not ready yet",
        ]);
        single(vec![step(&name, json!({"id": r.below(999)}), text); r.between(35, 60)])
    }),
    ("outage for ever", |r| {
        let name = shell(r);
        single(vec![
            failed(
                &name,
                json!({"command": "curl https://api.test/v1"}),
                "Error: connect ECONNREFUSED 10.0.0.7:443"
            );
            r.between(25, 40)
        ])
    }),
    ("undone and redone", |r| {
        let (edit, test, file) = (writer(r), shell(r), path(r));
        let (a, b) = (word(r), word(r) + "2");
        let round = [
            step(&edit, json!({"path": file, "old": a, "new": b}), "Edit applied."),
            step(&test, json!({"command": "make check"}), "2 tests failed\nexpected 1, got 2"),
            step(&edit, json!({"path": file, "old": b, "new": a}), "Edit applied."),
            step(&test, json!({"command": "make check"}), "1 test failed\nexpected 2, got 1"),
        ];
        single((0..r.between(5, 8)).flat_map(|_| round.clone()).collect())
    }),
    ("same write", |r| {
        let (name, file) = (writer(r), path(r));
        let text = done(r);
        single(vec![
            step(&name, json!({"path": file, "content": page(r, 5)}), text);
            r.between(8, 12)
        ])
    }),
    ("a few answers in turn", |r| {
        let name = checker(r);
        let answers: Vec<_> = (0..r.between(2, 3)).map(|_| page(r, 3)).collect();
        single(
            (0..r.between(30, 40))
                .map(|_| {
                    step(&name, json!({"of": "main"}), answers[r.below(answers.len())].clone())
                })
                .collect(),
        )
    }),
];

/// The kinds of honest work.
pub(crate) const WORK: &[(&str, Make)] = &[
    ("polling, moving", |r| {
        let (name, rounds, form) = (checker(r), r.between(8, 30), r.below(5));
        let id = json!({"id": r.below(99)});
        let mut steps: Vec<_> = (1..=rounds)
            .map(|n| {
                step(
                    &name,
                    id.clone(),
                    match form {
                        0 => format!("status: running, {}%", n * 97 / rounds),
                        1 => format!("{n}/{} steps finished", rounds + 1),
                        2 => format!("processed {} rows", n * 1371),
                        3 => format!("正在处理：已完成 {} 个，共 {} 个", n * 3, rounds * 3),
                        _ => format!(
                            "{{\"state\":\"RUNNING\",\"progress\":{:.2}}}",
                            n as f64 / (rounds + 1) as f64
                        ),
                    },
                )
            })
            .collect();
        steps.push(step(&name, id, "status: finished"));
        single(steps)
    }),
    ("polling, constant", |r| {
        let name = checker(r);
        let text = r.pick(&[
            "status: running",
            "Job is pending",
            "{\"state\":\"in_progress\"}",
            "任务正在运行中",
            "Build queued",
            "waiting for a worker",
            "Deployment not ready",
        ]);
        let mut steps = vec![step(&name, json!({"id": 7}), text); r.between(3, 10)];
        steps.push(step(&name, json!({"id": 7}), "finished with status 0"));
        single(steps)
    }),
    ("polling with waits", |r| {
        let (name, wait) = (checker(r), r.below(3));
        let text = r.pick(&["status: running", "IN_PROGRESS", "尚未完成", "phase=Building"]);
        let sleeper = shell(r);
        let mut steps: Vec<_> = (0..r.between(5, 14))
            .flat_map(|n| {
                let seconds = [5, 10, 2 << n.min(8)][wait];
                let sleep = if n % 2 == 0 || wait > 0 {
                    step(&sleeper, json!({"command": format!("sleep {seconds}")}), "")
                } else {
                    step("sleep", json!({"seconds": seconds}), "slept")
                };
                [sleep, step(&name, json!({"id": "b-1"}), text)]
            })
            .collect();
        steps.push(step(&name, json!({"id": "b-1"}), "status: succeeded, artifact 33"));
        single(steps)
    }),
    ("tailing", |r| {
        let name = shell(r);
        let command = format!("tail -n 6 {}.log", word(r));
        let mut log: Vec<String> = Vec::new();
        single(
            (0..r.between(8, 25))
                .map(|n| {
                    for _ in 0..r.between(1, 4) {
                        log.push(format!(
                            "12:{n:02}:{:02} INFO {} {} {}",
                            r.below(60),
                            r.pick(VERBS),
                            word(r),
                            r.below(9999)
                        ));
                    }
                    let shown: Vec<_> = log.iter().rev().take(6).rev().cloned().collect();
                    step(&name, json!({"command": command}), shown.join("\n"))
                })
                .collect(),
        )
    }),
    ("paging", |r| {
        let (name, file, size) = (reader(r), path(r), r.pick(&[&20, &50, &100]));
        let form = r.below(3);
        single((0..r.between(8, 30)).map(|n| step(&name, match form {
            0 => json!({"path": file, "offset": n * size, "limit": size}),
            1 => json!({"path": file, "lines": format!("{}-{}", n * size + 1, (n + 1) * size)}),
            _ => json!({"path": file, "page": n + 1}),
        }, page(r, 15))).collect())
    }),
    ("paging by cursor", |r| {
        let name = named(r, "list", "issues");
        let mut cursor = String::new();
        single(
            (0..r.between(8, 25))
                .map(|_| {
                    let given = cursor.clone();
                    cursor = format!("{:012x}", r.next() & 0xFFFF_FFFF_FFFF);
                    step(
                        &name,
                        json!({"cursor": given}),
                        json!({"items": page(r, 5), "next": cursor}).to_string(),
                    )
                })
                .collect(),
        )
    }),
    ("batch edit", |r| {
        let (name, text) = (writer(r), done(r));
        single((0..r.between(10, 40)).map(|n| step(&name, json!({"path": format!("{n}/{}", path(r)), "old": "import foo", "new": "import bar"}), text.clone())).collect())
    }),
    ("docstrings one by one", |r| {
        let (name, file, text) = (writer(r), path(r), done(r));
        single((0..r.between(8, 25)).map(|n| {
            let function = format!("{}_{}_{n}", r.pick(VERBS), word(r));
            step(&name, json!({"path": file, "old": format!("def {function}(x):"), "new": format!("def {function}(x):\n    \"\"\"Do the {} of x.\"\"\"", function)}), text.clone())
        }).collect())
    }),
    ("edit and test, failing alike", |r| {
        let (edit, test, file) = (writer(r), shell(r), path(r));
        let text = format!(
            "1 failed: test_{}\nE   assert {} == {}\n1 failed, 7 passed",
            word(r),
            r.below(99),
            r.below(99)
        );
        let ack = done(r);
        single((0..r.between(5, 15)).flat_map(|n| [
            step(&edit, json!({"path": file, "old": format!("{} {n}", word(r)), "new": format!("{} {n}", word(r))}), ack.clone()),
            failed(&test, json!({"command": "make check"}), text.clone()),
        ]).collect())
    }),
    ("edit, build, lint, alike", |r| {
        let (edit, run) = (writer(r), shell(r));
        let ack = done(r);
        single(
            (0..r.between(5, 12))
                .flat_map(|n| {
                    [
                        step(
                            &edit,
                            json!({"path": format!("{n}_{}", path(r)), "content": page(r, 6)}),
                            ack.clone(),
                        ),
                        step(
                            &run,
                            json!({"command": "npm run build"}),
                            "> build\n> tsc -p .\n\nno errors, 14 modules",
                        ),
                        step(
                            &run,
                            json!({"command": "npm run lint"}),
                            "> lint\n> eslint src\n\nno warnings",
                        ),
                    ]
                })
                .collect(),
        )
    }),
    ("edit and test, moving", |r| {
        let (edit, test, file) = (writer(r), shell(r), path(r));
        let rounds = r.between(6, 15);
        let ack = done(r);
        single(
            (0..rounds)
                .flat_map(|n| {
                    [
                        step(&edit, json!({"path": file, "content": page(r, 8)}), ack.clone()),
                        step(
                            &test,
                            json!({"command": "pytest -q"}),
                            format!(
                                "{} failed, {} passed in {}.{}s",
                                rounds - n,
                                n,
                                r.below(9),
                                r.below(99)
                            ),
                        ),
                    ]
                })
                .collect(),
        )
    }),
    ("read again after each edit", |r| {
        let (edit, look, file) = (writer(r), reader(r), path(r));
        let ack = done(r);
        single(
            (0..r.between(5, 12))
                .flat_map(|_| {
                    [
                        step(&look, json!({"path": file}), page(r, 10)),
                        step(
                            &edit,
                            json!({"path": file, "old": word(r), "new": page(r, 2)}),
                            ack.clone(),
                        ),
                    ]
                })
                .collect(),
        )
    }),
    ("retries with other arguments", |r| {
        let name = reader(r);
        let mut steps: Vec<_> = (0..r.between(2, 5))
            .map(|_| {
                let file = path(r);
                failed(&name, json!({"path": file}), format!("Error: no such file: {file}"))
            })
            .collect();
        let file = path(r);
        steps.push(step(&name, json!({"path": file}), page(r, 12)));
        single(steps)
    }),
    ("searches, some in vain", |r| {
        let name = searcher(r);
        let none = r.pick(&["No matches found", "0 results", "没有找到匹配项", "[]"]);
        single(
            (0..r.between(8, 16))
                .map(|n| {
                    let pattern = format!("{}_{}", r.pick(VERBS), WORDS[(n * 5 + 3) % WORDS.len()]);
                    let answer = if r.chance(60) { none.to_owned() } else { page(r, 4) };
                    step(&name, json!({"pattern": pattern}), answer)
                })
                .collect(),
        )
    }),
    ("checks of many files", |r| {
        let name = named(r, "lint", "source");
        let answer = r.pick(&["No issues found", "clean", "0 problems", "通过，没有问题"]);
        single(
            (0..r.between(8, 25))
                .map(|n| step(&name, json!({"path": format!("{n}/{}", path(r))}), answer))
                .collect(),
        )
    }),
    ("outage and back-off", |r| {
        let name = shell(r);
        let text = r.pick(&[
            "curl: (7) connection refused",
            "HTTP 503 Service Unavailable",
            "Error: 429 Too Many Requests",
            "request timed out",
            "请求超时，请稍后重试",
        ]);
        let waits = r.chance(60);
        let mut steps = Vec::new();
        for n in 0..r.between(3, 7) {
            steps.push(failed(&name, json!({"command": "curl https://api.test"}), text));
            if waits {
                steps.push(step("bash", json!({"command": format!("sleep {}", 1 << n)}), ""));
            }
        }
        steps.push(step(
            &name,
            json!({"command": "curl https://api.test"}),
            "{\"items\": [1, 2, 3]}",
        ));
        single(steps)
    }),
    ("notes between steps", |r| {
        let (todo, edit) = (named(r, "todo", "write"), writer(r));
        let count = r.between(5, 12);
        let ack = done(r);
        single((0..count).flat_map(|n| {
            let list: Vec<_> = (0..count).map(|m| json!({"id": m, "status": if m <= n { "done" } else { "open" }})).collect();
            [step(&todo, json!({"todos": list}), "Todos have been modified successfully. Keep using the list to track your progress."), step(&edit, json!({"path": format!("{n}{}", path(r)), "content": page(r, 3)}), ack.clone())]
        }).collect())
    }),
    ("parallel reads", |r| {
        (0..r.between(3, 6)).map(|_| (0..r.between(2, 8)).map(|_| query(r)).collect()).collect()
    }),
    ("exploring", |r| single((0..r.between(10, 30)).map(|_| query(r)).collect())),
    ("inserting rows", |r| {
        let name = named(r, "insert", "row");
        single(
            (0..r.between(10, 40))
                .map(|n| {
                    step(
                        &name,
                        json!({"table": "t", "name": word(r), "n": n}),
                        format!("{{\"ok\":true,\"id\":{}}}", n + 100),
                    )
                })
                .collect(),
        )
    }),
    ("moving on in a page", |r| {
        let step_name = r.pick(&["scroll_down", "browser_scroll", "next_page", "pressKey"]);
        let see = named(r, "get", "text");
        let with_look = r.chance(70);
        single(
            (0..r.between(6, 12))
                .flat_map(|_| {
                    let mut steps = vec![step(step_name, json!({"by": 1}), "ok")];
                    if with_look {
                        steps.push(step(&see, json!({"selector": "main"}), page(r, 4)));
                    }
                    steps
                })
                .collect(),
        )
    }),
    ("one query for many values", |r| {
        let name = named(r, "run", "sql");
        let empty = r.chance(50);
        single((1..r.between(8, 20)).map(|n| step(&name, json!({"sql": format!("select * from incidents where day = '2026-11-{n:02}'")}), if empty { "(0 rows)".to_owned() } else { page(r, 3) })).collect())
    }),
    ("a report that grows", |r| {
        let (name, file) = (writer(r), path(r));
        let mut text = String::new();
        single(
            (0..r.between(5, 12))
                .map(|n| {
                    text.push_str(&format!("\n## Part {n}\n{}", page(r, 3)));
                    step(&name, json!({"path": file, "content": text}), "File saved")
                })
                .collect(),
        )
    }),
    ("sending messages", |r| {
        let name = named(r, "send", "mail");
        single((0..r.between(6, 20)).map(|n| step(&name, json!({"to": format!("{}{n}@example.org", word(r)), "body": "The meeting is moved to Friday."}), "Sent.")).collect())
    }),
];

/// A loop, often after some honest work.
pub(crate) fn a_loop(r: &mut Random, at: usize) -> Session {
    let (kind, make) = LOOPS[at % LOOPS.len()];
    let mut rounds = if r.chance(50) { WORK[r.below(WORK.len())].1(r) } else { Vec::new() };
    rounds.extend(make(r));
    Session { kind, rounds, answered: !(kind == "identical" || kind == "cycle") || r.chance(70) }
}

/// Honest work of one to three kinds.
pub(crate) fn work(r: &mut Random, at: usize) -> Session {
    let (kind, make) = WORK[at % WORK.len()];
    let mut rounds = make(r);
    for _ in 0..r.below(3) {
        let more = WORK[r.below(WORK.len())].1(r);
        if rounds.iter().chain(&more).map(Vec::len).sum::<usize>() < 150 {
            rounds.extend(more);
        }
    }
    Session { kind, rounds, answered: true }
}

impl Session {
    /// The events of the session, in one of the styles hosts have.
    pub(crate) fn events(&self, r: &mut Random) -> Vec<Event<'static>> {
        let (turns, talk, ids) = (r.chance(60), r.chance(40), r.chance(25));
        let mut events = vec![Event::UserMessage("Please do the work.".into())];
        for (number, round) in self.rounds.iter().enumerate() {
            if turns {
                events.push(Event::TurnStarted);
            }
            if talk {
                let text = format!("Now I look at the {} of step {number}. ", word(r));
                events.push(Event::Content(Chunk::Utf8(text.into())));
            }
            let id = |at: usize| ids.then(|| format!("call-{number}-{at}").into());
            for (at, step) in round.iter().enumerate() {
                events.push(Event::ToolCall(ToolCall {
                    name: step.name.clone().into(),
                    args: step.args.to_string().into(),
                    call_id: id(at),
                    round_id: None,
                }));
            }
            if !self.answered {
                continue;
            }
            for (at, step) in round.iter().enumerate() {
                events.push(Event::ToolResult(ToolResult {
                    name: step.name.clone().into(),
                    text: step.answer.clone().into(),
                    is_error: step.error,
                    call_id: id(at),
                }));
            }
        }
        events
    }
}
