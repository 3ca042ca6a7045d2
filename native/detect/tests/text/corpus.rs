//! The goals on recorded texts, which stay outside the repository.

use std::{env, fs};

use ouro_detect::{
    score::{Case, Score, run},
    text::{AdaptiveText, TextConfig},
};

#[test]
fn recorded_texts_are_judged_as_well_as_promised() {
    let Ok(path) = env::var("OURO_CORPUS") else {
        println!("not run: set OURO_CORPUS to a file of cases, one JSON object a line");
        return;
    };
    let text = fs::read_to_string(&path).unwrap();
    let cases: Vec<Case> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut detector = AdaptiveText::new(&TextConfig::default());
    let outcomes = run(&cases, |text| {
        detector.reset();
        detector.push(text)
    });
    let score = Score::of(&outcomes);
    println!("{score}");
    assert!(score.found.fraction() >= 0.99, "{score}");
    assert!(score.alarms.fraction() <= 0.005, "{score}");
}
