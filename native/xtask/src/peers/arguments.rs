//! Arguments of tool calls in every spelling that JSON allows.

use super::streams::Dice;

/// Values as pairs of spellings that JavaScript reads as the same.
const SAME: [[&str; 2]; 14] = [
    ["1", "1.0"],
    ["100", "1e2"],
    ["0", "-0"],
    ["null", "1e999"],
    ["0.1", "1E-1"],
    ["1e21", "1000000000000000000000"],
    ["9007199254740992", "9007199254740993"],
    ["0.000001", "1e-6"],
    ["1.5e-7", "0.00000015"],
    ["\"\\u0041/\"", "\"A\\/\""],
    ["\"\\ud83d\\ude00\"", "\"\u{1F600}\""],
    ["\"\\u2028\\ud800\"", "\"\u{2028}\\uD800\""],
    ["\"\\t\\u0008\\u001f\"", "\"\\u0009\\b\\u001F\""],
    ["[ 1,\n[ ],{ } ]", "[1,[],{}]"],
];

/// Members that JavaScript puts in one order or takes for one, whatever their order here.
const MEMBERS: [[&str; 2]; 8] = [
    ["\"10\":1,\"9\":2", "\"9\":2,\"10\":1"],
    ["\"a\":1,\"3\":2", "\"3\":2,\"a\":1"],
    ["\"k\":0,\"k\":5", "\"k\":5"],
    ["\"k\":5,\"m\":1,\"k\":6", "\"k\":6,\"m\":1"],
    ["\"__proto__\":{\"b\":1}", "\"__proto__\" : {\"b\" : 1e0}"],
    ["\"01\":1,\"1\":2,\"-1\":3", "\"1\":2,\"01\":1,\"-1\":3"],
    ["\"4294967295\":1,\"4294967294\":2", "\"4294967294\":2,\"4294967295\":1"],
    ["\"\":1,\"\\ud800\":2", "\"\":1,\"\\uD800\":2"],
];

/// Arguments that depend on `shape` alone for JavaScript, most often; written in one of several ways. Once in a while
/// two members change places, which JavaScript does notice.
pub(super) fn spell(shape: &str, dice: &mut Dice) -> String {
    let mut fixed = Dice::new(
        shape.bytes().fold(7, |sum: u64, byte| sum.wrapping_mul(31).wrapping_add(byte.into())),
    );
    let mut members = Vec::new();
    for number in 0..fixed.between(0, 4) {
        let value = any(&SAME, &mut fixed, dice);
        members.push(format!("\"name{number}\"{}:{}{value}", space(dice), space(dice)));
    }
    if !fixed.one_in(3) {
        members.push(any(&MEMBERS, &mut fixed, dice).to_owned());
    }
    members.push(format!("\"shape\":{shape}"));
    if dice.one_in(12) {
        members.reverse();
    }
    format!("{}{{{}{}}}", space(dice), members.join(","), space(dice))
}

fn any(choices: &[[&'static str; 2]], fixed: &mut Dice, dice: &mut Dice) -> &'static str {
    let pair = choices.get(fixed.below(choices.len()));
    pair.and_then(|pair| pair.get(dice.below(2))).copied().unwrap_or("1")
}

fn space(dice: &mut Dice) -> &'static str {
    ["", "", " ", "\n\t"].get(dice.below(4)).copied().unwrap_or("")
}
