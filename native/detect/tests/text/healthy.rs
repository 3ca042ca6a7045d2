//! Repetition that is as it should be.

use crate::{PROSE, detect};

#[track_caller]
fn assert_healthy(name: &str, text: &str) {
    let found = detect(text).map(|found| found.evidence);
    assert_eq!(found, None, "{name} is no loop");
}

fn lines(count: usize, line: impl FnMut(usize) -> String) -> String {
    (0..count).map(line).collect()
}

/// A number that can't be foretold from the ones before.
fn odd(i: usize) -> u32 {
    (i as u32 + 1).wrapping_mul(2_654_435_761) >> 8
}

fn thousandths(n: u32) -> String {
    format!("{}.{:03}", n / 1000, n % 1000)
}

const WORDS: [&str; 24] = [
    "anchor", "basket", "candle", "desert", "engine", "forest", "garden", "hammer", "island",
    "jacket", "kettle", "ladder", "market", "needle", "office", "pencil", "quarry", "ribbon",
    "saddle", "timber", "urchin", "valley", "window", "yellow",
];

#[test]
fn data_and_tables_pass() {
    let word = |i: usize| WORDS[i % WORDS.len()];
    let table = lines(24, |i| {
        format!("| {} | {} | {}.{} |\n", word(i), odd(i) % 900, odd(i + 7) % 90, i % 10)
    });
    assert_healthy("a table", &format!("| name | count | share |\n| --- | ---: | ---: |\n{table}"));
    assert_healthy(
        "CSV",
        &lines(40, |i| format!("{},{},{},{}\n", i + 1, word(i), odd(i) % 9999, odd(i + 3) % 100)),
    );
    assert_healthy(
        "a JSON array",
        &lines(24, |i| {
            format!(
                "  {{\"id\": {}, \"name\": \"{}\", \"price\": {}.99, \"tags\": [\"{}\"]}},\n",
                i + 1,
                word(i),
                odd(i) % 90,
                word(i + 5)
            )
        }),
    );
    assert_healthy(
        "a log",
        &lines(40, |i| {
            format!(
                "2024-05-01 10:{:02}:{:02} INFO  worker-{} finished {} in {} ms\n",
                i % 60,
                odd(i) % 60,
                odd(i) % 8,
                word(i),
                odd(i + 9) % 4000
            )
        }),
    );
    assert_healthy(
        "hex",
        &lines(40, |i| {
            format!("{:08x}: {:08x} {:08x} {:08x}\n", i * 16, odd(i), odd(i + 50), odd(i + 90))
        }),
    );
    assert_healthy("zeros in a table", &format!("const T: [u8; 64] = [{}];", "0, ".repeat(64)));
}

#[test]
fn dividers_and_drawings_pass() {
    for divider in [
        "-".repeat(120),
        "=".repeat(200),
        "- ".repeat(60),
        "*~".repeat(48),
        "─".repeat(160),
        "_".repeat(300),
        ". ".repeat(100),
    ] {
        assert_healthy("a divider", &format!("{PROSE}{divider}\n{PROSE}"));
    }
    let drawing = lines(12, |_| "|        |        |        |\n".to_owned());
    assert_healthy(
        "a grid",
        &format!("+--------+--------+--------+\n{drawing}+--------+--------+--------+\n"),
    );
    let bars = lines(11, |i| {
        format!("\r[{}{}] {:>3} %", "#".repeat(i * 2), " ".repeat(20 - i * 2), i * 10)
    });
    assert_healthy("a progress bar", &bars);
}

#[test]
fn code_passes() {
    let word = |i: usize| WORDS[i % WORDS.len()];
    assert_healthy(
        "match arms",
        &lines(24, |i| {
            format!("        \"{}\" => Some(Kind::{}),\n", word(i), word(i).to_uppercase())
        }),
    );
    assert_healthy(
        "generated tests",
        &lines(16, |i| {
            format!(
                "#[test]\nfn parses_{}() {{\n    assert_eq!(parse(\"{}\"), Ok({}));\n}}\n\n",
                word(i),
                word(i + 1),
                odd(i) % 500
            )
        }),
    );
    assert_healthy(
        "closing brackets",
        "fn main() {\n    if a {\n        if b {\n            run();\n        }\n    }\n}\n",
    );
    assert_healthy("imports", &lines(24, |i| format!("use std::collections::{};\n", word(i))));
    assert_healthy("registers", &lines(32, |i| format!("    pub x{i}: u64,\n")));
    assert_healthy(
        "states",
        &lines(7, |i| format!("  [{i}] = {{.lex_state = {}, .reserved = 1}},\n", odd(i) % 200)),
    );
    assert_healthy(
        "generated implementations",
        &lines(7, |i| {
            format!("integer!(u{i}, \"Generates a random `u{i}` in the given range.\");\n")
        }),
    );
}

#[test]
fn lists_of_links_and_names_pass() {
    let word = |i: usize| WORDS[i % WORDS.len()];
    assert_healthy(
        "links",
        &lines(24, |i| {
            format!("- [{}](https://example.org/{}/{})\n", word(i), word(i + 3), odd(i) % 900)
        }),
    );
    assert_healthy(
        "changes",
        &lines(24, |i| {
            format!("[#{}]: https://example.org/project/pull/{}\n", 900 - 3 * i, 900 - 3 * i)
        }),
    );
    assert_healthy(
        "an enumeration",
        &lines(24, |i| {
            format!(
                "The {} stands in the {}, close to the old {}. ",
                word(i),
                word(i * 7 + 3),
                word(i * 5 + 11)
            )
        }),
    );
    assert_healthy(
        "versions",
        &lines(10, |i| format!("Classifier: Programming Language :: Python :: 3.{}\n", i + 5)),
    );
}

#[test]
fn songs_poems_and_speeches_pass() {
    let refrain = "Sail on, sail on, my silver boat,\nSail on until the morning,\nThe tide is high, the lamps are lit,\nSail on until the morning.\n\n";
    let verses = [
        "My father built it out of oak\nand gave it to my brother,\nhe painted it in blue and white\nand sailed it with another.\n\n",
        "The winter came, the nets were torn,\nthe herring stayed in Norway,\nwe mended all that could be saved\nand hung it in the doorway.\n\n",
        "Now I am old and so is she,\nour planks are thin and weary,\nbut give us wind and half a moon\nand nothing will be dreary.\n\n",
    ];
    let song: String = verses.iter().flat_map(|verse| [*verse, refrain]).collect();
    assert_healthy("a song", &song);
    assert_healthy(
        "la la la",
        &format!(
            "{PROSE}La la la la la, la la la la la, hey!\nLa la la la la, la la la la la, hey!\n{PROSE}"
        ),
    );
    assert_healthy(
        "very very",
        &format!("{PROSE}It was very, very, very, very, very, very cold.\n"),
    );
    assert_healthy(
        "a laugh",
        &format!("{PROSE}哈哈哈哈哈哈哈哈哈哈，太好笑了！ Hahahahahahahaha! ㅋㅋㅋㅋㅋㅋㅋㅋ\n"),
    );
    let speech = [
        "the sea",
        "the hills",
        "our schools",
        "the factories",
        "every kitchen",
        "the long roads north",
    ]
    .map(|place| format!("We shall meet again in {place}. "));
    assert_healthy("a speech", &speech.concat());
}

#[test]
fn the_same_notice_twice_passes() {
    let notice = "Permission is granted to use this text for any purpose, provided that the name of its author is kept and that \
changes are marked as such. It comes without any warranty; whoever uses it does so at their own risk and can't hold the author \
responsible for what follows from it.\n\n";
    assert_healthy(
        "two licences",
        &format!("First part.\n\n{notice}Second part.\n\n{notice}{PROSE}"),
    );
}

#[test]
fn real_prose_in_several_scripts_passes() {
    assert_healthy("English", PROSE);
    assert_healthy(
        "Chinese",
        "清晨的港口很安静，第一批渔船刚刚回来。昨夜的暴风雨掀走了两个屋顶，也吹倒了学校后面的旧篱笆。玛拉把箱子数了两遍，在袖口上写下数字，然后去找钥匙。中午太阳又出来了，孩子们已经开始捡瓦片。",
    );
    assert_healthy(
        "Japanese",
        "朝の港は静かだった。最初の船が戻ってきたとき、だれもよく眠れていなかった。嵐で屋根が二つ飛ばされ、学校の裏の古い塀も倒れてしまった。昼には日が差し、子どもたちは瓦を拾い始めた。",
    );
    assert_healthy(
        "Russian",
        "Утром в гавани было тихо, когда вернулись первые лодки. Ночью никто толком не спал: буря сорвала две крыши и повалила старый забор за школой. К полудню снова вышло солнце, и дети уже собирали черепицу.",
    );
}

#[test]
fn technical_prose_of_ideographs_full_of_names_passes() {
    let steps = ["00100", "01100", "01110", "11110", "11111", "11011", "10011", "00011", "00111"];
    let options = [
        ("timeout", "连接多久没有响应就放弃，单位为毫秒"),
        ("retries", "失败以后最多再试几次，每次间隔加倍"),
        ("proxy", "通过哪个代理服务器访问外网，留空则直连"),
        ("cache_dir", "下载的文件放在哪个目录，重启后不会清空"),
        ("log_level", "日志写到多细，调试时可以设为 debug"),
        ("workers", "同时处理请求的线程数，默认与核心数相同"),
        ("locale", "界面和提示使用的语言，默认跟随系统"),
        ("strict", "遇到未知字段时报错，而不是忽略它"),
    ];
    let describe = |(name, text): &(&str, &str)| format!("`{name}`：{text}。\n\n");
    let changes = [
        "修复 `Parser` 在空输入时崩溃的问题",
        "新增 `Router.mount` 方法，支持嵌套路由",
        "`Cache` 的默认大小改为 64 MiB",
        "移除已废弃的 `oldClient` 接口",
        "升级 `tokio` 到 1.40，修复内存泄漏",
        "文档中补充 `Stream` 的使用示例",
        "改进 `Logger` 在多线程下的性能",
        "`fetch` 支持自定义请求头",
    ];
    let steps = steps.iter().enumerate();
    let steps = steps.map(|(i, s)| {
        format!("执行第 {} 步：字符串变为 \"{s}\" ，不属于前缀一致的情况。\n", i + 1)
    });
    assert_healthy("steps", &steps.take(5).collect::<String>());
    assert_healthy("options", &options.iter().map(describe).collect::<String>());
    assert_healthy("changes", &changes.map(|text| format!("- {text}\n")).concat());
    assert_healthy("changes in prose", &changes.map(|text| format!("本次{text}。\n\n")).concat());
}

#[test]
fn a_line_that_is_drawn_over_passes() {
    let bar = |i: usize, end: &str| {
        format!(
            "Downloading: {i}% [{:<20}] {}.{}MB{end}",
            "=".repeat(i / 5),
            i * 13 / 10,
            i * 7 % 10
        )
    };
    assert_healthy("a bar", &(0..=100).map(|i| bar(i, "\r")).collect::<String>());
    assert_healthy(
        "a count",
        &(0..300).map(|i| format!("\rfetched {i} of 300 objects")).collect::<String>(),
    );
    assert_healthy("one that stands still", &bar(40, "\r").repeat(20));
    assert!(detect(&bar(40, "\r\n").repeat(20)).is_some(), "lines are not drawn over");
}

#[test]
fn constant_cells_of_arrays_and_unrolled_code_pass() {
    let row = "0xe1, 0xe1, 0xe1, 0xe1, 0xe1, 0xe1, 0xe1, 0xe1,\n";
    let head: String = lines(6, |i| {
        lines(8, |k| format!("{:#04x}, ", odd(i * 8 + k) % 256)).trim_end().to_owned() + "\n"
    });
    assert_healthy("an array", &format!("static T: [u8; 136] = [\n{head}{}];\n", row.repeat(70)));
    let fields = |count: usize| "\tpub i8,\n".repeat(count);
    assert_healthy("fields", &format!("pub struct Lanes(\n{});\n", fields(16)));
    // Levels, places, versions: there are a few of each, and each is described in the same words.
    assert_healthy(
        "a few objects",
        &format!(
            "[\n{}]\n",
            lines(5, |i| format!(
                "  {{\"name\": \"Warnings\", \"switch\": \"warn:{i}\", \"comment\": \"Level {i}\", \"value\": \"{i}\"}},\n"
            ))
        ),
    );
    assert_healthy(
        "a string of bytes",
        &format!("let zero = b\"{}\";\nlet next = parse(zero);\n", "\\x00".repeat(40)),
    );
    assert_healthy(
        "unrolled code",
        "    update(&body);\n    let mut k = 0;\n    round(a, b);\n    round(a, b);\n    round(a, b);\n    round(a, b);\n    round(a, b);\n    finish(k);\n",
    );
}

#[test]
fn cells_and_rows_of_files_of_values_pass() {
    let head = lines(12, |i| {
        format!("{},{},Yes,\"Often, but not now\",{}\n", odd(i), WORDS[i], WORDS[i + 9])
    });
    assert_healthy("cells", &format!("{head}{},Yes,{}{head}", odd(40), "Not selected,".repeat(12)));
    assert_healthy(
        "rows",
        &format!("{head}{}{head}", lines(11, |i| format!("Council,North,Ward {},0,Safe\n", i + 1))),
    );
}

#[test]
fn a_burst_of_one_line_in_a_log_passes() {
    let log = lines(12, |i| {
        let seconds = odd(i) % 60;
        format!("[Sun Dec 04 04:{:02}:{seconds:02} 2005] [notice] found {}\n", 10 + i, WORDS[i])
    });
    let burst = "[Sun Dec 04 04:51:18 2005] [notice] worker ready, properties read\n".repeat(5);
    assert_healthy("a log", &format!("{log}{burst}{log}"));
}

#[test]
fn padded_tables_and_filled_arrays_pass() {
    assert_healthy(
        "a padded table",
        &lines(20, |i| {
            let version = format!("Compiler {}.{}", 3 + i / 3, odd(i) % 70);
            format!("| {version:<90} | Stable 20.04 LTS | Builds |\n")
        }),
    );
    assert_healthy("an array of two numbers", &format!("[{}[0, 7]]\n", "[-3, 0], ".repeat(45)));
}

#[test]
fn numbers_that_come_in_no_order_are_news_wherever_the_repetition_is_noticed() {
    let (mut x, mut y) = (24_353, 17_953);
    assert_healthy(
        "coordinates",
        &lines(120, |i| {
            x += odd(i) % 900 + 1;
            y += odd(i + 7) % 3000 + 1;
            let east = if i % 17 == 0 { (x / 1000).to_string() } else { thousandths(x) };
            format!("[{east},-{}],", thousandths(y))
        }),
    );
    // A name that takes turns with another one does not hide the number in it.
    assert_healthy(
        "widths",
        &lines(9, |i| {
            let sign = if i % 2 == 0 { 'u' } else { 'i' };
            let bits = 8 << (i / 2);
            format!(
                "check_bounds!(\n    io::Writer::write_{sign}{bits}_le(&mut Boxed, {sign}{bits}): Send & Sync & !Unpin\n);\n"
            )
        }),
    );
}

#[test]
fn lines_of_a_log_pass_whatever_ends_them_and_whatever_differs_in_them() {
    let burst = "2016-09-28 04:30:32, Info    Warning: Unknown attribute of the package\r\n\
                 2016-09-28 04:30:32, Info    Expecting the attribute name\r\n\
                 2016-09-28 04:30:32, Info    Failed to get the next element\r\n"
        .repeat(4);
    let before = "2016-09-28 04:30:31, Info    Loaded the stack of services\r\n";
    assert_healthy("a burst at the beginning", &burst);
    assert_healthy("a burst", &format!("{before}{burst}{before}"));
    assert_healthy(
        "a program's complaints",
        &lines(14, |i| {
            let id = odd(i) & 0xFFFF;
            format!(
                "Jul  4 23:22:09 visitor-10-105 Writer[14463]: Cannot read '0x02{id:x}': four letters are too few.\n"
            )
        }),
    );
}

#[test]
fn records_of_settings_pass() {
    let inputs = |mark: &str| {
        lines(7, |i| {
            let (system, version) = (WORDS[i], odd(i) % 30);
            format!(
                "{mark}      {system}_{version}_enabled:\n{mark}        type: boolean\n{mark}        description: \"Whether the \
                 jobs for {system} {version} are run. Defaults to true.\"\n{mark}        default: true\n"
            )
        })
    };
    assert_healthy(
        "inputs of a workflow",
        &format!("on:\n  workflow_call:\n    inputs:\n{}", inputs("")),
    );
    assert_healthy("a patch of them", &format!("@@ -1,3 +1,31 @@\n{}", inputs("+")));
    let column = |name: &str, kind: &str, null: bool| {
        format!(
            "      {name}:\n        colDefault: null\n        colDescription: null\n        colEnum: []\n        colMaxLen: \
             null\n        colName: {name}\n        colNullable: {null}\n        colType: {kind}\n"
        )
    };
    let names = ["id", "name", "year", "title", "owner", "state"];
    let columns = lines(24, |i| {
        let kinds = ["integer", "text", "date"];
        column(
            names[odd(i) as usize % 6],
            kinds[odd(i + 5) as usize % 3],
            odd(i + 9).is_multiple_of(2),
        )
    });
    assert_healthy("columns of tables", &columns);
}

#[test]
fn what_is_counted_through_in_a_few_lines_of_a_listing_passes() {
    let levels =
        lines(6, |i| format!("    case {0}:\n      return <h{0}>{{children}}</h{0}>;\n", i + 1));
    assert_healthy("levels", &format!("```jsx\n  switch (level) {{\n{levels}  }}\n```\n"));
    let shades = lines(8, |i| {
        let (shade, code) = (3 + 4 * i, 232 + i);
        format!("    \"grey{shade}\": {code},\n    \"gray{shade}\": {code},\n")
    });
    assert_healthy("shades", &format!("```python\nCOLORS = {{\n{shades}}}\n```\n"));
    let widths: Vec<String> = (1..=32).map(|i| (8 * i).to_string()).collect();
    let (first, second) = widths.split_at(12);
    let pattern = format!("r'(8|{}'\n        r'|{})'", first.join("|"), second.join("|"));
    assert_healthy(
        "a pattern",
        &format!("    types = (\n        r'(int|uint)'\n        {pattern})\n"),
    );
    let empty = lines(12, |_| "    NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,\n".to_owned());
    assert_healthy(
        "an array of names",
        &format!(
            "static const char *escape[256] = {{\n    \"a\", NULL, \"b\",\n{empty}    \"c\"\n}};\n"
        ),
    );
}

#[test]
fn names_made_of_the_same_words_pass() {
    let strokes = ["LIGHT", "HEAVY", "DOUBLE", "SINGLE"];
    let sides = ["UP", "DOWN", "LEFT", "RIGHT"];
    assert_healthy(
        "names of characters",
        &lines(60, |i| {
            let word = |of: [&'static str; 4], at: usize| of[odd(i * 3 + at) as usize % 4];
            format!(
                ".. |box{i}| unicode:: U+{:05X} .. BOX DRAWINGS {} {} AND {} {}\n",
                0x2500 + odd(i) % 96,
                word(strokes, 0),
                word(sides, 1),
                word(strokes, 2),
                word(sides, 1)
            )
        }),
    );
    assert_healthy("things to look at", &lines(24, |i| format!("- check {}.go\n", WORDS[i])));
}

#[test]
fn lines_that_only_count_pass_where_files_have_such() {
    assert_healthy(
        "keys of a program's settings",
        &lines(9, |i| format!("bind F{} select-window -t :{}\n", i + 1, i + 10)),
    );
    assert_healthy(
        "warnings of a compiler",
        &lines(6, |i| {
            let line = 311 + i;
            format!(
                "    table.c:{line}: warning: passing argument 5 of the function to convert from another type\n"
            )
        }),
    );
    assert_healthy(
        "connections in one second",
        &lines(7, |i| {
            let id = 25_045 + i;
            format!(
                "Jul 17 21:23:24 combo ftpd[{id}]: connection from 82.68.222.194 (ns.example.org) at Sun Jul 17 21:23:24\n"
            )
        }),
    );
    assert_healthy(
        "names of a type",
        &format!("export type Name =\n{}", lines(9, |i| format!("\t| 'dots{}'\n", i + 2))),
    );
    assert_healthy(
        "registers that are saved",
        &lines(24, |i| format!("\tMOVD\tR{}, {}(R10)\n", i + 2, 8 * i)),
    );
    assert_healthy(
        "events with a number and a name in each",
        &lines(16, |i| {
            format!(
                "{} node-D{} storage storage.no_server 10742790 1 Storage: There is no server for the domain of the files on storage{}\n",
                2_500_000 + odd(i) % 90_000,
                odd(i + 3) % 9,
                odd(i) % 100
            )
        }),
    );
}

#[test]
fn tables_and_fixtures_that_number_seven_alike_pass() {
    type Row = fn(usize) -> String;
    let kinds: [(&str, &str, Row); 6] = [
        ("seats", "| Seat | Name | Paid |\n|---|---|---|\n", |i| {
            format!("| {i} | Guest {i} | not yet, by the end of the week |\n")
        }),
        ("an empty form", "| No. | Name | Signature |\n|---|---|---|\n", |i| {
            format!("| {i} |               |               |\n")
        }),
        ("users", "id,name,email\n", |i| format!("{i},User {i},user{i}@example.org\n")),
        ("objects", "[\n", |i| {
            format!(
                "  {{\"id\": {i}, \"name\": \"User {i}\", \"email\": \"user{i}@example.org\", \"active\": true}},\n"
            )
        }),
        ("objects in a fence", "```json\n[\n", |i| {
            format!(
                "  {{\"id\": {i}, \"name\": \"User {i}\", \"role\": \"guest\", \"active\": true}},\n"
            )
        }),
        ("records", "[\n", |i| {
            format!(
                "  {{\n    \"id\": {i},\n    \"name\": \"User {i}\",\n    \"active\": true\n  }},\n"
            )
        }),
    ];
    for (name, before, row) in kinds {
        for before in [before.to_owned(), format!("{PROSE}{before}")] {
            assert_healthy(name, &format!("{before}{}", lines(7, |i| row(i + 1))));
        }
    }
}

#[test]
fn bytes_in_any_form_pass() {
    let zeros = lines(12, |_| format!("{}\n", "A".repeat(76)));
    assert_healthy("zeros in base64", &format!("f0VMRgIBAQAAAAAAAAAAAAMAPgABAAAA\n{zeros}"));
    let scraps = "T$0H\nL$8L\nD$@L\n)D$P\n)L$`\n)T$p\nD$ 1\nt$(H\n".repeat(8);
    assert_healthy(
        "what is text among a program's bytes",
        &format!("AWAVAUATI\n[]A\\A]\n{scraps}"),
    );
    let selector = ".select2-results__option ".repeat(5);
    assert_healthy(
        "a selector",
        &format!("a {{\n  padding-left: 2em;\n}}\n\n.select2--admin {selector}{{\n"),
    );
}

#[test]
fn arrays_that_are_filled_with_one_call_pass() {
    let row = format!("            {}\n", "T::default(), ".repeat(8).trim_end());
    let rows = row.repeat(8);
    assert_healthy("calls", &format!("    fn default() -> Self {{\n        Self([\n{rows}"));
    let states = ",MachineState.ITS_ME".repeat(6);
    assert_healthy(
        "states",
        &format!(
            "    MachineState.ERROR,MachineState.ERROR,#00-07\n    MachineState.ERROR{states},\n"
        ),
    );
    let cycle = "0x5c, 0x33, 0x37, 0x37, ".repeat(80);
    let bytes: Vec<&str> = cycle.split_inclusive(' ').collect();
    let lines: Vec<String> =
        bytes.chunks(11).map(|line| format!("\t\t{}\n", line.concat().trim_end())).collect();
    let lines = lines.concat();
    assert_healthy("bytes of an escaped text", &format!("\tdata := []byte{{\n{lines}\t}}\n"));
}

#[test]
fn records_alternatives_and_padding_pass() {
    assert_healthy(
        "a folder",
        &lines(14, |i| format!("-rw-r--r-- 1 root root 664 Aug 24  2025 GMT+{}\n", i + 1)),
    );
    let flags = "hexChar | encodeFragment | encodeZone | encodeHost | encodeSegment,\n";
    assert_healthy("flags", &lines(9, |i| format!("\t'{}':  {flags}", i + 1)));
    let blanks = "&nbsp;".repeat(40);
    assert_healthy(
        "padding",
        &format!("    <i>If you like it, star it</i>{blanks}<b>Thanks</b>\n"),
    );
    let ruler = "\\-".repeat(80);
    assert_healthy("a ruler", &format!("The following keys must be given:\n.RS 2m\n{ruler}\n"));
    let masks = lines(5, |_| format!("\t\t\"{}\" +\n", "\\xff".repeat(16)));
    assert_healthy("a mask of bytes", &masks);
    let symbols: Vec<String> = (b'0'..=b'F').map(|symbol| format!("{symbol}, ")).collect();
    let rows: String = symbols.chunks(16).map(|row| format!("\n    {}", row.concat())).collect();
    let table = format!("const SYMBOLS: &[u8] = &[{}\n];\n", rows.repeat(5));
    assert_healthy("an alphabet five times", &table);
    let zeros = "0".repeat(280);
    assert_healthy(
        "zeros",
        &format!("\t\t\"4449579b446817afbd17273e662c97ee\",\n\t\t\"04{zeros}\",\n"),
    );
}

#[test]
fn what_says_the_same_of_other_numbers_and_names_passes() {
    let sizes = lines(30, |i| format!("\t* icons/lock-{}.png: New file.\n", 8 + odd(i) % 500));
    assert_healthy("files that were added", &sizes);
    let months = ["janvier", "mars", "avril", "juin", "août", "octobre", "novembre"];
    let shorts = lines(42, |i| {
        let month = months[odd(i) as usize % 7];
        format!(
            "msgctxt \"abbrev. month\"\nmsgid \"{month}.\"\nmsgstr \"{}\"\n\n",
            month.replace("re", "")
        )
    });
    assert_healthy("a catalogue of messages", &shorts);
}
