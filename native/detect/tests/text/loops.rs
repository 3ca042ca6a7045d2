//! Loops of every kind, each found and each in time.

use ouro_detect::LoopKind;

use crate::{PROSE, detect, len};

/// Repeats `copy` after `before`; says how many characters after the onset the loop was found, and checks the onset.
fn delay(before: &str, copies: usize, copy: impl Fn(usize) -> String) -> u64 {
    let tail: String = (0..copies).map(&copy).collect();
    let unit = len(&copy(0));
    let found = detect(&format!("{before}{tail}"));
    let Some(found) = found else {
        assert!(found.is_some(), "no loop found in {copies} copies of {:?}", copy(0));
        return 0;
    };
    let onset = len(before);
    assert!(found.detected_at > onset, "{found:?}");
    assert!(
        found.onset.abs_diff(onset) <= unit.max(20),
        "the loop begins at {onset}, not {}: {}",
        found.onset,
        found.evidence
    );
    found.detected_at - onset
}

#[test]
fn literal_loops_are_found_within_four_periods_or_a_hundred_characters() {
    let units = [
        "think",
        "I should check the file again. ",
        "Wait, maybe the answer is different, let me go over the numbers once more before I reply.\n",
        "So the result is clear.\n\nBut perhaps I should look at the problem from the other side.\n\n",
        "然后我们再看一遍这个问题。",
        "思考",
        "もう一度確認します。",
        "다시 한번 생각해 보겠습니다. ",
        "Давайте проверим это ещё раз. ",
        "لنراجع هذا مرة أخرى. ",
        "मैं फिर से जाँच करता हूँ। ",
        "ขอตรวจสอบอีกครั้ง",
        "🎉✨",
        "👩‍🔬 ok ",
        "RETRY;ERR;",
        "The ",
        "哈哈",
    ];
    for unit in units {
        for before in ["", PROSE] {
            let most = (4 * len(unit)).max(100);
            let copies = 6 + 120 / unit.chars().count();
            let delay = delay(before, copies, |_| unit.to_owned());
            assert!(delay <= most, "{unit:?} took {delay} characters, not {most}");
        }
    }
}

#[test]
fn a_literal_loop_of_words_of_any_period_is_found_within_four_periods_or_a_hundred_characters() {
    let words = [
        ["the", "harbour", "was", "quiet", "when", "first", "boats", "came", "in", "again", "so"],
        [
            "это",
            "было",
            "тихо",
            "когда",
            "лодки",
            "пришли",
            "снова",
            "все",
            "утром",
            "ждали",
            "ветра",
        ],
        ["我们", "需要", "分析", "问题", "然后", "再看", "一遍", "结果", "如何", "继续", "等"],
    ];
    for (language, words) in words.iter().enumerate() {
        let blank = if language == 2 { "" } else { " " };
        let mut state = 7_u32;
        for period in (2..60).chain((60..3000).step_by(173)) {
            let mut unit = String::new();
            while unit.chars().count() < period {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                unit.push_str(words[(state >> 16) as usize % words.len()]);
                unit.push_str(blank);
            }
            let unit: String = unit.chars().take(period).collect();
            let text = format!("{PROSE}{}", unit.repeat(6 + 200 / period));
            let found = detect(&text).unwrap();
            let delay = found.detected_at - len(PROSE);
            // The characters that give the distance away must have come twice.
            let most = (4 * period as u64).max(100) + 8;
            assert!(delay <= most, "{period} characters, {unit:.60?}: {delay}, {found:?}");
        }
    }
}

/// A hash of few bits takes some of them for one letter again and again.
#[test]
fn a_loop_of_any_two_letters_is_found() {
    for first in 'À'..='Ö' {
        for second in 'Ā'..='ſ' {
            let found = detect(&format!("{first}{second}").repeat(60));
            assert!(found.is_some_and(|found| found.detected_at == 100), "{first}{second}");
        }
    }
}

#[test]
fn a_long_paragraph_is_found_when_it_comes_the_third_or_fourth_time() {
    let mut unit = PROSE.to_owned();
    unit.push_str(
        "On the third day the ferry came back with glass, nails and a letter from the county.\n\n",
    );
    assert!(delay("", 5, |_| unit.clone()) <= 4 * len(&unit));
    assert!(delay("Here is the story.\n\n", 5, |_| unit.clone()) <= 4 * len(&unit));
}

#[test]
fn counters_dates_and_ids_do_not_hide_a_loop() {
    type Copy = fn(usize) -> String;
    let kinds: [(&str, Copy); 8] = [
        ("numbered items", |i| {
            format!("{}. The user should be asked to confirm the change first.\n", i + 1)
        }),
        ("steps", |i| {
            format!("Step {}: Open the settings and look for the right option there.\n\n", i + 1)
        }),
        ("dates", |i| {
            format!("On 2024-03-{:02} the team met and talked about the next release.\n", i + 1)
        }),
        ("times", |i| {
            format!(
                "At 10:{:02} the server was asked again and gave the same answer as before.\n",
                i
            )
        }),
        ("hex ids", |i| {
            format!(
                "The request {:08x} was sent again because no answer had come.\n",
                (i as u32 + 7).wrapping_mul(0x9E37_79B1)
            )
        }),
        ("decades", |i| {
            format!(
                "In the {}s people used the machine to solve many different problems. ",
                1950 + 10 * i
            )
        }),
        ("Chinese steps", |i| format!("第{}步：打开设置，检查所有选项，然后保存文件。\n", i + 1)),
        ("headings", |i| {
            format!(
                "## Part {}\n\nThis part explains how the system keeps its data safe.\n\n",
                i + 1
            )
        }),
    ];
    for (name, copy) in kinds {
        for before in ["", PROSE] {
            let delay = delay(before, 14, copy);
            assert!(delay <= 8 * len(&copy(3)), "{name}: {delay}");
        }
    }
}

#[test]
fn what_only_counts_on_in_code_and_tables_is_found_after_a_few_rounds() {
    type Copy = fn(usize) -> String;
    let kinds: [(&str, u64, Copy); 14] = [
        ("```python\n", 6, |i| {
            format!(
                "def test_total_{i}(self):\n    self.assertEqual(total([{i}, 1]), {})\n\n",
                i + 1
            )
        }),
        // One line or two in a fence may count through values and levels.
        ("```rust\n", 9, |i| {
            format!("    let reader_{i} = Reader::open(&paths[{i}], options)?;\n")
        }),
        ("", 7, |i| {
            format!(
                "fn parses_number_{i}() {{\n    let text = render(Value::from({i}));\n    \
                 assert_eq!(parse(&text).unwrap(), Value::from({i}));\n}}\n\n"
            )
        }),
        ("[\n", 9, |i| {
            format!(
                "  {{\"id\": {i}, \"name\": \"Item {i}\", \"state\": \"open\", \"owner\": \"nobody at all\"}},\n"
            )
        }),
        ("| year | cases | region |\n|---|---|---|\n", 9, |i| {
            format!("| {} | 0 | north of the river |\n", 1950 + i)
        }),
        ("| a | b |\n|---|---|\n", 11, |i| format!("| {} | 0 |\n", 1950 + 10 * i)),
        ("id,colour,ready\n", 10, |i| format!("{i},green,yes\n")),
        ("id\tcolour\tready\n", 10, |i| format!("{i}\tgreen\tyes\n")),
        // An attribute is no link; a name with a number behind it is no hash; a divider is no key.
        ("", 12, |i| {
            format!(
                "  <field name=\"Owner\">\n  </field>\n  <field name=\"Entry_{i}\" kind=\"plain\">\n  </field>\n"
            )
        }),
        ("", 8, |i| {
            format!(
                "def{} render(page, theme):\n    return themes.lookup(theme).render(page)\n\n",
                300 + i
            )
        }),
        ("", 12, |i| {
            format!("    # of what the parser of table_{i} gave\n    # {}\n", "-".repeat(77))
        }),
        // The gap after a comment's mark parts no columns; what is in a fence is a listing, with gaps and links, too.
        ("```c\n", 6, |i| {
            format!(
                " *    copies of the file{i} and of its notes\n *    stay where they were before{i}\n"
            )
        }),
        ("```c\n", 8, |i| format!("#define{i}  BAUD_RATE\t\tdefault_rate\n")),
        ("```rust\n", 6, |i| format!("    root = \"https://docs.example.org/rand{i}/\"\n")),
    ];
    for (before, rounds, copy) in kinds {
        for before in [before.to_owned(), format!("{PROSE}{before}")] {
            let delay = delay(&before, 30, copy);
            assert!(delay <= rounds * len(&copy(11)), "{:?}: {delay}", copy(11));
        }
    }
}

#[test]
fn lines_that_share_a_frame_are_left_for_the_round_that_they_make() {
    // Each line differs from the one before it; the row of them only counts.
    let row = |i: usize| format!("| {i} | 7 | 3 | 12 |\n");
    assert!(delay("", 30, row) <= 10 * len(&row(11)));
    type Copy = fn(usize) -> String;
    let blocks: [Copy; 3] = [
        |i| {
            format!(
                "    case {i}: return kind::u64_k;\n    case 9: return kind::u32_k;\n    case 10: return kind::u8_k;\n"
            )
        },
        |i| {
            format!(
                "        schema_{i}.DRAFT201909,\n        schema_{i}.DRAFT7,\n        schema_{i}.DRAFT4,\n"
            )
        },
        |i| {
            format!(
                "pub const QUEUE_DEAD_LETTER: WORD = 1;\npub const QUEUE_JOURNAL_ALWAYS: WORD = {i};\npub const \
                 QUEUE_FULL_CHAIN: WORD = 0x0001;\n"
            )
        },
    ];
    for block in blocks {
        let delay = delay("```\n", 9, block);
        assert!(delay <= 8 * len(&block(11)), "{:?}: {delay}", block(11));
    }
}

#[test]
fn a_unit_that_grows_or_changes_by_a_word_is_found() {
    let more = [
        "old", "green", "quiet", "small", "new", "round", "heavy", "open", "late", "warm", "plain",
        "wide",
    ];
    let grows = |i: usize| {
        format!(
            "The answer depends on the {} question that we asked at the very beginning of this talk. ",
            more[..=i].join(" ")
        )
    };
    assert!(delay(PROSE, 12, grows) <= 8 * len(&grows(3)));
    let changes = |i: usize| {
        format!(
            "The {} answer depends on the question that we asked ourselves at the very beginning of this long talk. ",
            more[i]
        )
    };
    assert!(delay(PROSE, 12, changes) <= 9 * len(&changes(3)));
}

#[test]
fn a_name_between_ideographs_hides_a_loop_no_more_than_between_words() {
    let names = [
        "config", "parser", "buffer", "stream", "index", "cache", "worker", "queue", "router",
        "schema", "client", "server", "session", "record", "value", "field", "tree", "socket",
    ];
    let name = |i: usize| names[i % names.len()];
    let copies: [(&str, &dyn Fn(usize) -> String); 7] = [
        ("English", &|i| {
            format!(
                "Next I look at the code in `src/{}/{}.rs`, to see whether the very same problem exists there, and I mend it if it does.\n\n",
                name(i),
                name(i * 5 + 3)
            )
        }),
        ("Chinese, two names", &|i| {
            format!(
                "下面我要看一下`src/{}/{}.rs`里的写法，确认那里是不是也有同样的毛病，有的话就一起改掉。\n\n",
                name(i),
                name(i * 5 + 3)
            )
        }),
        ("Chinese, a file", &|i| {
            format!("我重新读一遍{}.py的代码，看看还有没有遗漏的地方。", name(i))
        }),
        ("Chinese, a function", &|i| {
            format!("还需要再核对{}方法对边界情况的处理是否合理。\n", name(i))
        }),
        ("Chinese, bold", &|i| {
            format!("**{}**：这里的异常处理还不够完善，需要再补充几个判断。\n\n", name(i))
        }),
        ("Japanese", &|i| {
            format!("続いて{}.tsのコードを読み直して、修正が必要かどうかを判断します。", name(i))
        }),
        ("Korean", &|i| {
            format!(
                "다음으로 {}.kt 파일을 다시 열어서 고쳐야 할 부분이 남아 있는지 확인합니다.\n",
                name(i)
            )
        }),
    ];
    for (what, copy) in copies {
        for before in ["", PROSE] {
            let delay = delay(before, 30, copy);
            let copies = delay / len(&copy(0));
            assert!(copies <= 10, "{what}: {copies} copies");
        }
    }
}

#[test]
fn signs_gaps_and_numbers_among_sentences_make_them_neither_code_nor_tables() {
    let id = |i: usize| format!("{:032x}", at_random(i) as u128 * 0x9E37_79B9_7F4A_7C15_F39C_C060);
    type Copy<'a> = &'a dyn Fn(usize) -> String;
    let copies: [(&str, u64, Copy<'_>); 5] = [
        ("Korean, a sentence that ends in a full stop of ASCII", 5, &|i| {
            format!(
                "{i}: 이 메시지는 보통 같은 문서의 압축 버전과 비압축 버전이 공존할 경우에 나타납니다.\n"
            )
        }),
        ("Korean, brackets and an id", 5, &|i| {
            format!(
                "현재로서는 <제한용량> 값이 max(최대) (메모리 사용 한계 없음) 인 상태와 동일합니다. (id {})\n",
                id(i)
            )
        }),
        ("Chinese, brackets and an id", 5, &|i| {
            format!("现在<上限>的值与max（最大）(不限内存)的状态相同。(id {})\n", id(i))
        }),
        ("a wide gap", 6, &|i| {
            format!(
                "## Step {i}: Read the accounts\n\nThe file holds the names of the users.     Their passwords are in another file, which nobody else can read. I look at both of them once more.\n\n"
            )
        }),
        ("a date and more numbers", 9, &|i| {
            format!(
                "2024-09-{:02}: Exit with 0 at a flag that is known and exit otherwise with 1.\n",
                i + 1
            )
        }),
    ];
    for (what, most, copy) in copies {
        for before in ["", PROSE] {
            let copies = delay(before, 25, copy) / len(&copy(9));
            assert!(copies <= most, "{what}: {copies} copies");
        }
    }
}

#[test]
fn the_same_sentences_in_another_order_are_found() {
    let sentences = [
        "We should look at the data once more before we decide. ",
        "Perhaps the first idea was right after all. ",
        "It is important to stay open to other views. ",
        "Nothing in the report says otherwise. ",
    ];
    let order = [
        0, 1, 2, 3, 1, 0, 3, 2, 0, 2, 1, 3, 3, 0, 1, 2, 1, 3, 0, 2, 2, 0, 3, 1, 0, 3, 1, 2, 0, 1,
        3, 2, 1, 0, 2, 3, 0, 2, 3, 1,
    ];
    let text: String = order.iter().map(|&at| sentences[at]).collect();
    let found = detect(&format!("{PROSE}{text}")).unwrap();
    assert!(found.detected_at - len(PROSE) < 2000, "{found:?}");
}

#[test]
fn the_same_sentences_of_ideographs_in_another_order_are_found_in_half_the_characters() {
    let sentences = [
        "等等，让我再看一下这个函数。",
        "这个函数接收两个参数，返回一个列表。",
        "所以测试应该可以通过。",
        "但是测试失败了，说明我的理解有误。",
        "我再检查一次测试代码。",
    ];
    let text: String = (0..70).map(|i| sentences[at_random(i) % 5]).collect();
    let found = detect(&format!("{PROSE}{text}")).unwrap();
    assert!(found.detected_at - len(PROSE) < 600, "{found:?}");
}

#[test]
fn items_of_a_list_that_come_again_in_any_order_are_found() {
    let names = ["config", "server", "client", "router", "parser", "lexer"];
    type Item = fn(usize, &str) -> String;
    let kinds: [Item; 5] = [
        |_, name| format!("- check {name}.go\n"),
        |_, name| format!("- [ ] read src/{name}/{name}.ts\n"),
        |_, name| format!("* Update `{name}.py`\n"),
        |i, name| format!("{}. Test the {name} module\n", i + 1),
        |_, name| format!("• 检查 {name} 模块\n"),
    ];
    for item in kinds {
        let text: String = (0..200).map(|i| item(i, names[at_random(i) % 6])).collect();
        let found = detect(&format!("{PROSE}\n{text}"));
        let found = found.unwrap_or_else(|| panic!("{}", item(0, "config")));
        let delay = found.detected_at - len(PROSE);
        assert!(delay < 1800, "{:?}: {delay}", item(0, "config"));
    }
}

/// A number without an order.
fn at_random(i: usize) -> usize {
    (i + 1).wrapping_mul(2_654_435_761) >> 13
}

#[test]
fn loops_inside_fences_lists_and_tables_are_found_later_but_found() {
    let units = [
        ("```python\n", "    print(\"starting the worker\")\n"),
        ("```\n", "#include <stdlib.h>\n"),
        ("Animals:\n\n", "- The cat is a small animal that lives with people.\n"),
        ("| a | b | c |\n|---|---|---|\n", "| red | green | blue |\n"),
        ("# Notes\n\n", "## What to do next\n\n"),
        ("", "> We will see about that.\n"),
        ("<ul>\n", "<li>About me</li>\n"),
    ];
    for (before, unit) in units {
        let delay = delay(before, 40, |_| unit.to_owned());
        assert!(delay <= (9 * len(unit)).max(320), "{unit:?}: {delay}");
    }
}

#[test]
fn one_symbol_for_ever_is_a_loop_at_last() {
    for symbol in ['.', '…', '-', '0', 'A', ' ', '\n', '哈', '🎉'] {
        let text: String = std::iter::repeat_n(symbol, 3000).collect();
        let found = detect(&text).unwrap();
        assert!(found.detected_at <= 1001, "{symbol:?}: {}", found.detected_at);
    }
}

#[test]
fn what_was_found_is_explained() {
    let found = detect(&format!("{PROSE}{}", "I will try once more. ".repeat(9))).unwrap();
    assert_eq!((found.period, found.kind), (22, LoopKind::ShortSequence));
    assert_eq!(found.onset, len(PROSE));
    assert!(found.evidence.contains("(22 characters)"), "{}", found.evidence);
    assert!(found.evidence.contains(&found.onset.to_string()), "{}", found.evidence);
    assert!(!found.cleared_by.is_empty());
    let list: String = (1..9)
        .map(|i| format!("{i}. Read the manual from the first page to the last.\n"))
        .collect();
    assert_eq!(detect(&list).unwrap().kind, LoopKind::OrderedList);
}

#[test]
fn places_are_also_given_in_utf16() {
    let before = "🎉 Das Fest beginnt. 🎉\n";
    let found =
        detect(&format!("{before}{}", "Noch einmal von vorn 🎈, bitte. ".repeat(9))).unwrap();
    let units = |n: u64| -> u64 {
        let text = format!("{before}{}", "Noch einmal von vorn 🎈, bitte. ".repeat(9));
        text.chars().take(n as usize).map(|c| c.len_utf16() as u64).sum()
    };
    assert_eq!(found.onset, len(before));
    assert_eq!(found.onset_utf16, units(found.onset));
    assert_eq!(found.detected_at_utf16, units(found.detected_at));
}

#[test]
fn units_of_tiny_words_numbers_and_signs_are_found_as_early_as_others() {
    let units = [
        "a ",
        "I ",
        "и ",
        "их и и их ",
        "to be or ",
        "it is, it is, I ",
        "y o de la ",
        "0, ",
        "0, 1, ",
        "10, 20, ",
        "0.5, ",
        "[0, 0], ",
        "NaN, ",
        "0x00, ",
        "42 ",
        "1/2 + ",
        "true, false, ",
        "x = 1, ",
        "qf",
        "zkxwq",
        "q7",
        "A1b2",
    ];
    for unit in units {
        for before in ["", PROSE] {
            let most = (4 * len(unit)).max(100) + 8;
            let delay = delay(before, 8 + 160 / unit.chars().count(), |_| unit.to_owned());
            assert!(delay <= most, "{unit:?} took {delay} characters, not {most}");
        }
    }
    for (unit, most) in [("01", 108), ("142857", 108), ("!?", 108), ("-=*", 108), ("?! ", 108)] {
        let delay = delay(PROSE, 100, |_| unit.to_owned());
        assert!(delay <= most, "{unit:?} took {delay} characters");
    }
}

#[test]
fn lines_of_values_marks_and_signs_are_found_as_early_as_sentences() {
    let units = [
        "# \n",
        "- [ ] \n",
        ">\n",
        "{},\n",
        "?!",
        "=-=",
        "&nbsp;",
        "&lt;",
        "3f9a1c07be45d2e81\n",
        "d41d8cd98f00b204e9800998ecf8427e\n",
        "A1b2C3d4E5f6G7h8\n",
        "2024-01-01\n",
        "- 1\n",
        "1.5, 2.25\n",
        "812\n7\n45\n",
        "17.5,66.8,harbour\n4.2,91.3,quiet\n",
        "* item\n",
        "- [link](https://example.org)\n",
        "    workers.append(start(1))\n",
        "<li></li>\n",
    ];
    // What ends a line and what begins the next one are no word of it: such a context is read as it stands.
    for before in ["", PROSE, "Here are the values:\n", "港口很安静。\n\n"] {
        for unit in units {
            let most = (4 * len(unit)).max(100) + 8;
            let delay = delay(before, 8 + 160 / unit.chars().count(), |_| unit.to_owned());
            assert!(delay <= most, "{unit:?} took {delay} characters, not {most}");
        }
    }
}

#[test]
fn values_that_differ_take_four_copies_among_code_too() {
    let code = "fn main() -> io::Result<()> {\n    let mut line = String::new();\n    io::stdin().read_line(&mut line)?;\n";
    let words = ["boat", "crate", "pier", "storm", "roof", "fence", "letter", "pump", "hen", "jam"];
    let rows = |count: usize| -> String {
        (0..count).map(|i| format!("{},{}\n", words[i % 10], at_random(i) % 1000)).collect()
    };
    for unit in [String::from("1   2   3\n"), rows(9), rows(30), rows(90)] {
        for before in [code.to_owned(), format!("{code}```\n")] {
            let delay = delay(&before, 40, |_| unit.clone());
            assert!(delay <= (4 * len(&unit)).max(200) + 8, "{unit:?}: {delay}");
        }
    }
}

#[test]
fn lists_tables_and_long_lines_of_code_take_four_copies() {
    let units = [
        ("Animals:\n\n", "- The cat is a small animal that lives with people.\n"),
        ("| a | b | c |\n|---|---|---|\n", "| red | green | blue and white |\n"),
        ("", "> We will see about that, said the king.\n"),
        ("# Notes\n\n", "## What to do next\n\nRead it again.\n\n"),
        ("```python\n", "    workers.append(start_worker(\"first\", retries=3))\n"),
    ];
    for (before, unit) in units {
        let delay = delay(before, 12, |_| unit.to_owned());
        assert!(delay <= (4 * len(unit)).max(100) + 8, "{unit:?}: {delay}");
    }
}

#[test]
fn numbers_in_json_that_go_round_or_count_are_found_after_some_hundred_characters() {
    type Copy = fn(usize) -> String;
    let kinds: [(&str, Copy); 6] = [
        ("[", |i| format!("{{\"a\": {i}}}, ")),
        ("[\n", |i| format!("  {{\"id\": {i}}},\n")),
        ("[", |i| format!("{{\"x\": {i}, \"y\": {}}}, ", 2 * i)),
        ("[", |_| String::from("{\"a\": 1}, ")),
        ("[", |_| String::from("1, 2, 3, 4, 5, ")),
        ("{\"values\": [", |_| String::from("12, 57, 3, 88, 41, 9, 76, 20, ")),
    ];
    for (before, copy) in kinds {
        for before in [before.to_owned(), format!("{PROSE}\n\n{before}")] {
            let delay = delay(&before, 80, copy);
            assert!(delay <= 260, "{:?}: {delay}", copy(11));
        }
    }
}

#[test]
fn items_and_objects_of_one_line_that_only_count_are_found() {
    type Copy = fn(usize) -> String;
    let kinds: [(&str, Copy, u64); 3] = [
        ("Rules:\n\n", |i| format!("{}. No lies; no lies; no lies;\n", i + 1), 330),
        ("[\n", |i| format!("{{id: {}, \"name\": \"zyx\"}},\n", i + 10), 440),
        ("1. 2023-01-01 20:30:52.177", |_| String::from(".1"), 260),
    ];
    for (before, copy, most) in kinds {
        let delay = delay(before, 260, copy);
        assert!(delay <= most, "{:?}: {delay}", copy(11));
    }
}
