//! The model as judge: when it is asked, what its word is worth, and what asking early saves.

use std::{
    future::Future,
    pin::pin,
    sync::Mutex,
    task::{Context, Poll, Waker},
    time::Duration,
};

use ouro_detect::{
    Chunk, Config, Event, LoopDetected, LoopDetectionService, LoopKind, ToolCall, ToolResult,
    calls::CallConfig,
    judge::{BoxFuture, Judge, JudgeConfig, JudgeModel, JudgeReply, JudgeRequest, SCHEMA},
};

use crate::generator::{Random, WORK, work};

/// Answers from a rule; counts what it is asked.
struct Scripted<F> {
    answer: F,
    asked: Mutex<Vec<JudgeRequest>>,
    /// Whether the time-out is over at once.
    out_of_time: bool,
}

impl<F: Fn(&JudgeRequest) -> Option<Result<JudgeReply, String>> + Send + Sync> Judge
    for Scripted<F>
{
    fn ask(&self, request: JudgeRequest) -> BoxFuture<'_, Result<JudgeReply, String>> {
        let answer = (self.answer)(&request);
        self.asked.lock().unwrap().push(request);
        match answer {
            Some(answer) => Box::pin(std::future::ready(answer)),
            None => Box::pin(std::future::pending()),
        }
    }

    fn sleep(&self, _: Duration) -> BoxFuture<'_, ()> {
        if self.out_of_time {
            Box::pin(std::future::ready(()))
        } else {
            Box::pin(std::future::pending())
        }
    }
}

fn judge<F: Fn(&JudgeRequest) -> Option<Result<JudgeReply, String>> + Send + Sync>(
    answer: F,
) -> Scripted<F> {
    Scripted { answer, asked: Mutex::default(), out_of_time: false }
}

fn reply(confidence: f64) -> Option<Result<JudgeReply, String>> {
    let text = format!(
        r#"{{"unproductive_state_analysis":"it goes in circles","unproductive_state_confidence":{confidence}}}"#
    );
    Some(Ok(JudgeReply { text, input_tokens: 100, output_tokens: 10 }))
}

/// Runs a future that is ready whenever it is polled, or never.
fn now<T>(future: impl Future<Output = T>) -> Option<T> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}

fn config(judge: JudgeConfig) -> Config {
    Config { judge, ..Config::default() }
}

fn fixed() -> JudgeConfig {
    JudgeConfig { screen: false, ..JudgeConfig::default() }
}

/// A turn of a session: what is said, called and answered.
type Turn = (String, String, String);

/// Goes in circles in ever other words; no rule for calls or text sees it.
fn circling(n: usize) -> Turn {
    let topic = ["the cache", "the index", "the lock"][n % 3];
    let way = ["Maybe", "Perhaps", "It could be that", "I wonder whether"][n % 4];
    (
        format!(
            "{way} {topic} is to blame after all. Let me think about {topic} again and look at the log number {n}."
        ),
        format!(r#"{{"query":"why is {topic} slow in case {n}"}}"#),
        format!("case {n}: {topic} was busy, owner {}, see the notes on {topic}", n * 7919),
    )
}

/// Small steps that resemble each other little.
fn working(n: usize) -> Turn {
    let noun = |k: usize| format!("{}{}", ["alpha", "delta", "sigma", "omega", "kappa"][k % 5], k);
    (
        format!("Function {} needs {} before {}.", noun(n * 31), noun(n * 17), noun(n * 13)),
        format!(r#"{{"file":"{}/{}.rs"}}"#, noun(n * 7), noun(n * 3)),
        format!(
            "{} calls {} with {} and returns {}",
            noun(n * 11),
            noun(n * 19),
            noun(n * 23),
            noun(n * 29)
        ),
    )
}

fn as_events((said, args, answer): Turn) -> [Event<'static>; 3] {
    let (name, answered) = ("look".into(), "look".into());
    [
        Event::Content(Chunk::Utf8(said.into())),
        Event::ToolCall(ToolCall { name, args: args.into(), ..Default::default() }),
        Event::ToolResult(ToolResult { name: answered, text: answer.into(), ..Default::default() }),
    ]
}

/// Plays a session; returns the turn of the detection and how often a model was asked.
fn play(
    config: Config,
    turns: usize,
    make: fn(usize) -> Turn,
    confidence: f64,
) -> (Option<usize>, u64) {
    let mut service = LoopDetectionService::new(config).unwrap();
    let judge = judge(|_| reply(confidence));
    for n in 0..turns {
        let found = now(service.turn_started(&judge)).unwrap();
        if let Some(found) = found {
            assert_eq!(found.kind, LoopKind::ModelDetected, "{}", found.evidence);
            return (Some(n + 1), service.judge_usage().requests);
        }
        for event in as_events(make(n)) {
            assert_eq!(service.add_and_check(&event), None);
        }
    }
    (None, service.judge_usage().requests)
}

#[test]
fn the_screen_asks_less_and_finds_the_same_earlier() {
    let screened = || config(JudgeConfig::default());
    let (found, asked) = play(screened(), 120, circling, 0.95);
    let (found_fixed, _) = play(config(fixed()), 120, circling, 0.95);
    assert_eq!((found, asked, found_fixed), (Some(16), 1, Some(30)));
    let (found, asked) = play(screened(), 120, working, 0.1);
    let (found_fixed, asked_fixed) = play(config(fixed()), 120, working, 0.1);
    assert_eq!((found, found_fixed), (None, None));
    println!("honest work of 120 turns: {asked} questions with the screen, {asked_fixed} without");
    assert!(asked * 2 <= asked_fixed, "{asked} {asked_fixed}");
}

/// A session's turns: honest work of all kinds as it is recorded, and perhaps a circle after it.
fn recorded(seed: usize, circle: bool) -> Vec<Vec<Event<'static>>> {
    let mut random = Random::new(seed as u64 + 4000);
    let mut turns: Vec<Vec<Event<'_>>> = Vec::new();
    while turns.len() < 70 {
        let piece = work(&mut random, seed).events(&mut random);
        let mut answered = true;
        for event in piece.into_iter().filter(|event| *event != Event::TurnStarted) {
            if answered && !matches!(event, Event::ToolResult(_)) {
                turns.push(Vec::new());
            }
            answered = matches!(event, Event::ToolResult(_));
            turns.last_mut().unwrap().push(event);
        }
    }
    let circles = (0..if circle { 60 } else { 0 }).map(|n| as_events(circling(n)).into());
    turns.extend(circles);
    turns
}

/// The turn at which a judge that knows the circle when it sees ten turns of it ends the session, and what it was asked.
fn judged(judge_config: JudgeConfig, turns: &[Vec<Event<'_>>]) -> (Option<usize>, u64) {
    let calls = CallConfig { max_calls: 0, ..CallConfig::default() };
    let config = Config { calls, ..config(judge_config) };
    let mut service = LoopDetectionService::new(config).unwrap();
    let judge = judge(|request| {
        let circles = request.turns.matches("to blame after all").count();
        reply(if circles >= 10 { 0.95 } else { 0.1 + circles as f64 / 20.0 })
    });
    for (number, turn) in turns.iter().enumerate() {
        let found = now(service.turn_started(&judge)).unwrap();
        if found.is_some_and(|found| found.kind == LoopKind::ModelDetected) {
            return (Some(number), service.judge_usage().requests);
        }
        for event in turn {
            service.add_and_check(event);
            service.acknowledge();
        }
    }
    (None, service.judge_usage().requests)
}

#[test]
fn on_recorded_sessions_the_screen_asks_less_and_finds_the_same() {
    let (mut screened, mut plain) = ((0, 0, 0), (0, 0, 0));
    for seed in 0..3 * WORK.len() {
        for circle in [false, true] {
            let turns = recorded(seed, circle);
            for (config, sum) in [(JudgeConfig::default(), &mut screened), (fixed(), &mut plain)] {
                let (found, asked) = judged(config, &turns);
                assert!(circle || found.is_none());
                sum.0 += usize::from(found.is_some());
                sum.1 += found.unwrap_or(0);
                sum.2 += asked;
            }
        }
    }
    println!("found, turns until then, questions: {screened:?} with the screen, {plain:?} without");
    assert_eq!((screened.0, plain.0), (3 * WORK.len(), 3 * WORK.len()));
    assert!(screened.1 <= plain.1 + 2 * plain.0, "{screened:?} {plain:?}");
    assert!(screened.2 * 10 <= plain.2 * 9, "{screened:?} {plain:?}");
}

fn after_thirty_turns(
    config: Config,
    judge: &dyn Judge,
) -> (Option<LoopDetected>, LoopDetectionService) {
    let mut service = LoopDetectionService::new(config).unwrap();
    let mut found = None;
    for n in 0..30 {
        found = now(service.turn_started(judge)).unwrap();
        let (said, ..) = working(n);
        service.add_and_check(&Event::Content(Chunk::Utf8(said.into())));
    }
    (found, service)
}

#[test]
fn a_sure_judge_makes_a_loop_and_its_tokens_are_counted() {
    let judge = judge(|_| reply(0.9));
    let (found, service) = after_thirty_turns(config(fixed()), &judge);
    let found = found.unwrap();
    assert!(found.evidence.contains("it goes in circles") && found.evidence.contains("0.9"));
    let usage = service.judge_usage();
    assert_eq!(
        (usage.requests, usage.failures, usage.input_tokens, usage.output_tokens),
        (1, 0, 100, 10)
    );
    let asked = judge.asked.lock().unwrap();
    assert_eq!((asked[0].model, asked[0].schema), (JudgeModel::First, SCHEMA));
    assert_eq!(asked[0].turns.matches("## Turn").count(), 20);
}

#[test]
fn an_unsure_or_outvoted_judge_makes_none() {
    let unsure = judge(|_| reply(0.89));
    assert_eq!(after_thirty_turns(config(fixed()), &unsure).0, None);
    let second = || config(JudgeConfig { second_model: true, ..fixed() });
    let outvoted =
        judge(|request| reply(if request.model == JudgeModel::First { 0.95 } else { 0.3 }));
    assert_eq!(after_thirty_turns(second(), &outvoted).0, None);
    assert_eq!(outvoted.asked.lock().unwrap().len(), 2);
    let agreed = judge(|_| reply(0.95));
    assert!(after_thirty_turns(second(), &agreed).0.is_some());
}

#[test]
fn a_judge_that_fails_means_no_loop() {
    for (answer, word) in [
        (Err("HTTP 500".to_owned()), "HTTP 500"),
        (Ok(JudgeReply { text: "I think so".into(), ..Default::default() }), "schema"),
        (
            Ok(JudgeReply {
                text: r#"{"unproductive_state_confidence":7}"#.into(),
                ..Default::default()
            }),
            "confidence is 7",
        ),
    ] {
        let judge = judge(move |_| Some(answer.clone()));
        let (found, service) = after_thirty_turns(config(fixed()), &judge);
        assert_eq!(found, None);
        assert!(service.judge_failure().unwrap().contains(word));
        assert_eq!(service.judge_usage().failures, 1);
    }
    let slow =
        Scripted { answer: |_: &JudgeRequest| None, asked: Mutex::default(), out_of_time: true };
    let (found, service) = after_thirty_turns(config(fixed()), &slow);
    assert_eq!(found, None);
    assert!(service.judge_failure().unwrap().contains("30 s"));
}

#[test]
fn dropping_the_future_cancels_the_question() {
    let judge = judge(|_| None);
    let mut service =
        LoopDetectionService::new(config(JudgeConfig { from_turn: 1, ..fixed() })).unwrap();
    assert_eq!(now(service.turn_started(&judge)), None);
    assert_eq!(judge.asked.lock().unwrap().len(), 1);
    assert_eq!(service.add_and_check(&Event::Content(Chunk::Utf8("on we go".into()))), None);
}

#[test]
fn the_schema_is_json_and_asks_for_what_is_read() {
    let schema: serde_json::Value = serde_json::from_str(SCHEMA).unwrap();
    assert_eq!(schema["required"].as_array().unwrap().len(), 2);
}
