//! Meaning that goes in circles in other words.

use std::{
    future::{Future, pending, ready},
    pin::pin,
    sync::Mutex,
    task::{Context, Poll, Waker},
    time::Duration,
};

use ouro_detect::{
    Channel, Chunk, Config, Event, LoopDetected, LoopDetectionService, LoopKind,
    judge::BoxFuture,
    semantic::{Embedder, SemanticConfig},
};

/// Words that mean the same, one direction a line.
const MEANINGS: [&[&str]; 8] = [
    &["cache", "memory", "buffer"],
    &["slow", "late", "sluggish", "tardy"],
    &["cause", "reason", "culprit", "fault"],
    &["perhaps", "maybe", "possibly", "conceivably"],
    &["database", "table", "query"],
    &["fast", "quick", "prompt"],
    &["test", "check", "suite"],
    &["network", "socket", "packet"],
];

/// Counts the meanings of a text's words.
#[derive(Default)]
struct Meanings {
    asked: Mutex<Vec<String>>,
    fails: bool,
    hangs: bool,
}

impl Embedder for Meanings {
    fn embed(&self, text: String) -> BoxFuture<'_, Result<Vec<f32>, String>> {
        let words = || text.split(|c: char| !c.is_alphabetic()).map(str::to_lowercase);
        let count = |meaning: &&[&str]| words().filter(|w| meaning.contains(&w.as_str())).count();
        let vector = MEANINGS.iter().map(|meaning| count(meaning) as f32).collect();
        self.asked.lock().unwrap().push(text);
        match (self.hangs, self.fails) {
            (true, _) => Box::pin(pending()),
            (_, true) => Box::pin(ready(Err("HTTP 500".to_owned()))),
            _ => Box::pin(ready(Ok(vector))),
        }
    }

    fn sleep(&self, _: Duration) -> BoxFuture<'_, ()> {
        if self.hangs { Box::pin(ready(())) } else { Box::pin(pending()) }
    }
}

fn service(enabled: bool) -> LoopDetectionService {
    let semantic = SemanticConfig { enabled, ..SemanticConfig::default() };
    LoopDetectionService::new(Config { semantic, ..Config::default() }).unwrap()
}

/// Reads the text in small chunks and asks for its meaning after each.
fn read(
    service: &mut LoopDetectionService,
    embedder: &Meanings,
    text: &str,
) -> Option<LoopDetected> {
    let characters: Vec<char> = text.chars().collect();
    characters.chunks(7).find_map(|chunk| {
        let chunk: String = chunk.iter().collect();
        assert_eq!(service.add_and_check(&Event::Content(Chunk::Utf8(chunk.into()))), None);
        now(service.check_meaning(embedder)).unwrap()
    })
}

fn now<T>(future: impl Future<Output = T>) -> Option<T> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}

const BEGINNING: &str =
    "The first thing to look at is how each query of the database table is planned and run.\n\n";

/// The same thought five times; hardly a word comes twice.
const CIRCLES: &str = "Perhaps the cache is what makes everything so slow; that would be the cause we look for.\n\n\
Maybe one ought to blame memory: it is late whenever somebody asks, and a good reason too.\n\n\
Possibly our buffer deserves a closer look, being sluggish. Then this culprit explains it all.\n\n\
Conceivably, with such tardy answers, no other fault than that of an exhausted cache remains.\n\n\
And maybe again: memory lags, replies come late, hence here lies (once more) some reason.\n\n";

#[test]
fn the_same_thought_in_other_words_is_found_with_its_place() {
    let (mut service, embedder) = (service(true), Meanings::default());
    let text = format!("{BEGINNING}{CIRCLES}");
    let found = read(&mut service, &embedder, &text).unwrap();
    assert_eq!((found.kind, found.channel), (LoopKind::Semantic, Channel::Content));
    assert_eq!((found.rule.as_str(), found.count), ("same_meaning", 5));
    let span = found.span.unwrap();
    assert_eq!(span.start, BEGINNING.chars().count() as u64);
    assert!(span.end <= text.chars().count() as u64);
    assert!(found.evidence.contains("0.92") && found.evidence.contains("4 paragraphs"));
    assert_eq!(embedder.asked.lock().unwrap().len(), 6);
    service.acknowledge();
    assert_eq!(read(&mut service, &embedder, BEGINNING), None);
}

#[test]
fn thoughts_that_move_on_and_code_are_left_alone() {
    let (mut service, embedder) = (service(true), Meanings::default());
    let onward = "The test suite is quick enough, so a check of it tells little about the whole of it.\n\n\
The network is next: a packet waits in its socket until somebody at the other end reads it.\n\n";
    let fenced = "```\nlet cache = slow(); // perhaps the cause is the cache, perhaps it is only slow\n\n```\n";
    let text = format!("{BEGINNING}{onward}{}{BEGINNING}{onward}", fenced.repeat(6));
    let mut plain = service.clone();
    for piece in [BEGINNING, onward, &CIRCLES[..180], onward, BEGINNING] {
        assert_eq!(read(&mut plain, &embedder, piece), None);
    }
    let found = text.split_inclusive('\n').find_map(|line| {
        service.add_and_check(&Event::Content(Chunk::Utf8(line.into())));
        now(service.check_meaning(&embedder))
            .unwrap()
            .filter(|found| found.kind == LoopKind::Semantic)
    });
    assert_eq!(found, None);
    assert!(embedder.asked.lock().unwrap().iter().all(|text| !text.contains("let cache")));
}

#[test]
fn it_is_off_unless_wanted_and_a_failure_means_no_loop() {
    let (mut off, embedder) = (service(false), Meanings::default());
    assert_eq!(read(&mut off, &embedder, CIRCLES), None);
    assert!(embedder.asked.lock().unwrap().is_empty());
    for (embedder, why) in [
        (Meanings { fails: true, ..Meanings::default() }, "HTTP 500"),
        (Meanings { hangs: true, ..Meanings::default() }, "within 10 s"),
    ] {
        let mut service = service(true);
        assert_eq!(read(&mut service, &embedder, CIRCLES), None);
        assert!(service.judge_failure().unwrap().contains(why));
    }
}

#[test]
fn paragraphs_are_the_same_however_the_stream_is_cut() {
    let text = format!("{BEGINNING}\u{1F389}{CIRCLES}{}", "One long line. ".repeat(90));
    let units: Vec<u16> = text.encode_utf16().collect();
    let asked = |length: usize| {
        let (mut service, embedder) = (service(true), Meanings::default());
        let mut spans = Vec::new();
        for chunk in units.chunks(length) {
            service.add_and_check(&Event::Reasoning(Chunk::Utf16(chunk.into())));
            spans.extend(now(service.check_meaning(&embedder)).unwrap().and_then(|f| f.span));
        }
        spans.dedup();
        (embedder.asked.into_inner().unwrap(), spans)
    };
    assert_eq!(asked(1), asked(3));
    assert_eq!(asked(1).0.len(), 6);
}
