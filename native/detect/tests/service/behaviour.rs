//! What a host relies on: stickiness, the ladder, state, and a defined answer to anything.

use std::sync::Arc;

use ouro_detect::{
    Channel, Chunk, Config, Event, Level, LoopDetected, LoopDetectionService, LoopKind, Profile,
    Recovery, ToolCall, ToolResult,
};
use proptest::prelude::*;

use crate::generator::{LOOPS, Random, a_loop, work};

fn service(config: Config) -> LoopDetectionService {
    LoopDetectionService::new(config).unwrap()
}

fn call(name: &str, args: &str) -> Event<'static> {
    Event::ToolCall(ToolCall {
        name: name.to_owned().into(),
        args: args.to_owned().into(),
        ..Default::default()
    })
}

fn result(name: &str, text: &str) -> Event<'static> {
    Event::ToolResult(ToolResult {
        name: name.to_owned().into(),
        text: text.to_owned().into(),
        ..Default::default()
    })
}

const CHANT: &str = "Let me look at the file once more and see what is in it. ";
const CODE: &str = "fn main() {\n    println!(\"one\");\n    println!(\"two\");\n}\n";

/// Repeats a call until it is found to be a loop.
fn run_into(service: &mut LoopDetectionService, name: &str) -> LoopDetected {
    (0..20)
        .find_map(|_| {
            service
                .add_and_check(&call(name, "{}"))
                .or_else(|| service.add_and_check(&result(name, CODE)))
        })
        .unwrap()
}

#[test]
fn a_loop_is_answered_until_the_reset() {
    let mut service = service(Config::default());
    let found = run_into(&mut service, "look");
    assert_eq!(
        (found.kind, found.channel),
        (LoopKind::ConsecutiveIdenticalToolCalls, Channel::ToolCalls)
    );
    assert_eq!((found.at_event, found.onset_event, found.count), (8, Some(0), 5));
    assert!(
        found.evidence.contains("cycle") && found.evidence.contains("look"),
        "{}",
        found.evidence
    );
    for event in [Event::TurnStarted, call("other", "{}"), Event::Content(Chunk::Utf8("hi".into()))]
    {
        assert_eq!(service.add_and_check(&event).as_ref(), Some(&found));
    }
    assert_eq!(service.add_and_check(&Event::Reset { prompt_id: "p2".into() }), None);
    assert_eq!(service.add_and_check(&call("look", "{}")), None);
    assert_eq!(run_into(&mut service, "look").prompt_id, "p2");
}

#[test]
fn each_loop_climbs_the_ladder_by_itself_and_sooner_than_the_first_time() {
    let mut service = service(Config::default());
    let first = run_into(&mut service, "look");
    assert!(matches!(&first.recovery, Recovery::AbortWithHint { hint } if hint.contains("`look`")));
    service.acknowledge();
    assert_eq!(service.found(), None);
    let again = run_into(&mut service, "look");
    assert_eq!((again.level, &again.recovery), (Level::Block, &Recovery::AbortAndRetry));
    assert!(again.at_event - first.at_event < first.at_event);
    service.acknowledge();
    let other = run_into(&mut service, "peek");
    assert_eq!(other.level, Level::Hint);
    service.acknowledge();
    let third = run_into(&mut service, "look");
    assert_eq!((third.level, &third.recovery), (Level::Stop, &Recovery::AskUser));
}

#[test]
fn a_session_that_recovers_is_hinted_again() {
    let mut service = service(Config::default());
    run_into(&mut service, "look");
    service.acknowledge();
    for n in 0..12 {
        service.add_and_check(&call("read", &format!("{{\"n\":{n}}}")));
        service.add_and_check(&result("read", &format!("a text that is new, {n}: {CODE}")));
    }
    assert_eq!(run_into(&mut service, "look").level, Level::Hint);
}

#[test]
fn no_acknowledgement_lifts_the_cap() {
    let mut service = service(Config::default());
    let mut stops = 0;
    for n in 0..210 {
        let found = service.add_and_check(&call("read", &format!("{{\"item\":{n}}}")));
        if let Some(found) = found {
            assert_eq!((found.rule.as_str(), found.level), ("cap", Level::Stop));
            stops += 1;
            service.acknowledge();
        }
        service.add_and_check(&result("read", &format!("text number {n}: {CODE}")));
    }
    assert_eq!(stops, 11);
}

#[test]
fn a_disabled_service_finds_nothing_even_after_a_reset() {
    let mut service = service(Config::default());
    service.disable_for_session();
    service.reset("p");
    for _ in 0..50 {
        assert_eq!(service.add_and_check(&call("look", "{}")), None);
    }
}

#[test]
fn thresholds_go_by_model_and_tool() {
    let config = Config::from_json(
        r#"{"models":[{"pattern":"tiny*","set":{"calls":{"identical":3}}}],
            "tools":[{"pattern":"poll_*","calls":{"enabled":false}}]}"#,
    )
    .unwrap();
    let mut tiny = LoopDetectionService::for_model(&config, "tiny-1b").unwrap();
    assert_eq!(run_into(&mut tiny, "look").count, 3);
    let mut large = LoopDetectionService::for_model(&config, "large").unwrap();
    assert_eq!(run_into(&mut large, "look").count, 5);
    large.reset("p");
    for _ in 0..100 {
        assert_eq!(large.add_and_check(&call("poll_it", "{}")), None);
        assert_eq!(large.add_and_check(&result("poll_it", "x")), None);
    }
}

#[test]
fn reference_profiles_count_arguments_alone() {
    for profile in [Profile::GeminiCli, Profile::QwenCode] {
        let mut service = service(Config::for_profile(profile));
        for n in 0..4 {
            assert_eq!(service.add_and_check(&call("poll", "{}")), None);
            assert_eq!(service.add_and_check(&result("poll", &format!("{n} %"))), None);
        }
        let found = service.add_and_check(&call("poll", "{}")).unwrap();
        assert_eq!((found.at_event, found.rule.as_str()), (8, "reference"));
    }
}

#[test]
fn a_million_resets_take_no_room() {
    let mut service = service(Config::default());
    service.add_and_check(&call("x", "{}"));
    service.reset("");
    let size = serde_json::to_string(&service.state()).unwrap().len();
    for _ in 0..1_000_000 {
        service.reset("");
    }
    assert_eq!(serde_json::to_string(&service.state()).unwrap().len(), size);
}

#[test]
fn gigantic_input_is_kept_cut() {
    let mut service = service(Config::default());
    for n in 0..100 {
        let big = format!("{n}{}", "x".repeat(1_000_000 / 10));
        service.add_and_check(&call(&big, &format!("{{\"a\":\"{big}\"}}")));
        service.add_and_check(&result(&big, &big));
    }
    assert!(serde_json::to_string(&service.state()).unwrap().len() < 400_000);
}

#[test]
fn damaged_states_are_refused() {
    let mut service = service(Config::default());
    let state = serde_json::to_value(service.state()).unwrap();
    for (field, value, word) in [
        ("version", serde_json::json!(9), "version is 9"),
        ("profile", serde_json::json!("qwen-code"), "qwen-code"),
        ("messages", serde_json::json!([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]), "out of range"),
    ] {
        let mut damaged = state.clone();
        damaged[field] = value;
        let error = service.restore(serde_json::from_value(damaged).unwrap()).unwrap_err();
        assert!(error.to_string().contains(word), "{error}");
    }
    let mut damaged = state.clone();
    damaged["calls"]["adaptive"]["open"] = serde_json::json!(99);
    assert!(service.restore(serde_json::from_value(damaged).unwrap()).is_err());
    service.restore(serde_json::from_value(state).unwrap()).unwrap();
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        ".{0,30}",
        Just("\0".to_owned()),
        Just(String::new()),
        Just("status: running".to_owned()),
        Just("Error: no".to_owned()),
        (1_usize..8).prop_map(|times| CHANT.repeat(times)),
        Just("\n```\n".to_owned()),
        Just(CODE.to_owned()),
        "[ab]{1,3}",
        Just("{\"a\":[1,2],\"path\":\"./a\"}".to_owned()),
        Just("{\"a\":".to_owned()),
    ]
}

fn any_event() -> impl Strategy<Value = Event<'static>> {
    let name =
        prop_oneof![Just("read"), Just("write_file"), Just("sleep"), Just(""), Just("\u{0}工具")];
    let id = prop_oneof![3 => Just(None), 1 => "[ab]".prop_map(Some)];
    prop_oneof![
        Just(Event::TurnStarted),
        any_text().prop_map(|text| Event::Content(Chunk::Utf8(text.into()))),
        prop::collection::vec(any::<u16>(), 0..6)
            .prop_map(|units| Event::Content(Chunk::Utf16(units.into()))),
        any_text().prop_map(|text| Event::Reasoning(Chunk::Utf8(text.into()))),
        (name.clone(), any_text(), id.clone(), id.clone()).prop_map(
            |(name, args, call_id, round_id)| {
                Event::ToolCall(ToolCall {
                    name: name.into(),
                    args: args.into(),
                    call_id: call_id.map(Into::into),
                    round_id: round_id.map(Into::into),
                })
            }
        ),
        (name, any_text(), any::<bool>(), id).prop_map(|(name, text, is_error, call_id)| {
            Event::ToolResult(ToolResult {
                name: name.into(),
                text: text.into(),
                is_error,
                call_id: call_id.map(Into::into),
            })
        }),
        any_text().prop_map(|text| Event::UserMessage(text.into())),
        any_text().prop_map(|text| Event::Reset { prompt_id: text.into() }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_order_of_events_has_an_answer_and_a_restored_service_gives_the_same(
        events in prop::collection::vec(any_event(), 0..120),
        cut in 0_usize..120,
        profile in 0_usize..4,
    ) {
        let config = Config { resumable: true, ..Config::for_profile(Profile::ALL[profile]) };
        let mut through = service(config.clone());
        let mut stopped = service(config.clone());
        for (at, event) in events.iter().enumerate() {
            if at == cut {
                let state = serde_json::to_string(&stopped.state()).unwrap();
                stopped = service(config.clone());
                stopped.restore(serde_json::from_str(&state).unwrap()).unwrap();
            }
            let found = through.add_and_check(event);
            prop_assert_eq!(&found, &stopped.add_and_check(event));
            if found.is_some() && at % 3 == 0 {
                through.acknowledge();
                stopped.acknowledge();
            }
        }
    }
}

#[test]
fn a_session_goes_on_after_a_restart_as_if_there_had_been_none() {
    let config = Arc::new(Config::default());
    for at in 0..LOOPS.len() * 2 {
        let mut random = Random::new(at as u64 + 77);
        let session = if at % 3 == 0 { work(&mut random, at) } else { a_loop(&mut random, at) };
        let events = session.events(&mut random);
        let verdict = |restart_at: usize| {
            let mut service = LoopDetectionService::new(config.clone()).unwrap();
            events.iter().enumerate().find_map(|(at, event)| {
                if at == restart_at {
                    let state = serde_json::to_string(&service.state()).unwrap();
                    service = LoopDetectionService::new(config.clone()).unwrap();
                    service.restore(serde_json::from_str(&state).unwrap()).unwrap();
                }
                service.add_and_check(event)
            })
        };
        assert_eq!(verdict(usize::MAX), verdict(random.below(events.len())), "{}", session.kind);
    }
}

#[test]
fn a_restored_reference_profile_forgets_at_a_tool_call_and_keeps_its_fence_open() {
    for profile in [Profile::GeminiCli, Profile::QwenCode] {
        let config = Config { resumable: true, ..Config::for_profile(profile) };
        let text = |text: String| Event::Content(Chunk::Utf8(text.into()));
        let look = || call("read", "{}");
        let reset = || Event::Reset { prompt_id: "next".into() };
        for (before, after, is_loop) in [
            (vec![text(CHANT.repeat(5)), look()], CHANT.repeat(5), false),
            (vec![text(CHANT.repeat(5)), look()], CHANT.repeat(20), true),
            (vec![text("\n```\n".into()), reset()], CHANT.repeat(20), false),
            (vec![text("\n```\n".into()), look()], CHANT.repeat(20), false),
        ] {
            let mut service = service(config.clone());
            for event in &before {
                assert!(service.add_and_check(event).is_none());
            }
            let state = serde_json::to_string(&service.state()).unwrap();
            let mut restored = self::service(config.clone());
            restored.restore(serde_json::from_str(&state).unwrap()).unwrap();
            let found = service.add_and_check(&text(after.clone()));
            assert_eq!(found.is_some(), is_loop, "{before:?}");
            assert_eq!(restored.add_and_check(&text(after)), found, "{before:?}");
        }
    }
}

#[test]
fn thoughts_that_go_in_circles_are_found_though_they_come_as_calls() {
    type Thought = fn(usize) -> String;
    let thoughts: [Thought; 4] = [
        |i| format!("Step {i}: I need to look at the whole problem again from the start."),
        |_| "I should check the parser once more before I change it.".to_owned(),
        |i| {
            let word = ["Hmm", "Wait", "So", "Well"][i % 4];
            let doubt = ["maybe", "perhaps", "surely"][i % 3];
            format!(
                "{word}, {doubt} the parser is wrong. I should look at it again before I change anything."
            )
        },
        |i| format!("第{i}步：我需要再看一遍这个函数，确认它的返回值是不是正确。"),
    ];
    for thought in thoughts {
        for (name, more) in
            [("think", ""), ("sequential_thinking", ",\"thoughtNumber\":7,\"next\":true")]
        {
            let mut service = service(Config::default());
            let think = |i: usize| call(name, &format!("{{\"thought\":{:?}{more}}}", thought(i)));
            let found = (0..12).find_map(|i| {
                service
                    .add_and_check(&think(i))
                    .or_else(|| service.add_and_check(&result(name, "Your thought was logged.")))
                    .or_else(|| service.add_and_check(&Event::TurnStarted))
            });
            let found = found.unwrap_or_else(|| panic!("{}", thought(0)));
            assert_eq!((found.channel, found.span), (Channel::ToolCalls, None));
            assert_eq!(found.calls.first().map(|call| call.name.as_str()), Some(name));
            service.acknowledge();
            assert!(service.add_and_check(&think(50)).is_none(), "it begins anew");
        }
    }
}

#[test]
fn thoughts_between_other_calls_pass() {
    let mut service = service(Config::default());
    for i in 0..30 {
        let thought = format!(
            "{{\"thought\":\"Next I look at part {i}. It may hold what the error names.\"}}"
        );
        let events = [
            call("think", &thought),
            result("think", "Your thought was logged."),
            call("read_file", &format!("{{\"path\":\"part{i}.rs\"}}")),
            result("read_file", &format!("fn part{i}() {{}}\nfn other{i}() {{}}\n")),
        ];
        for event in events {
            assert_eq!(service.add_and_check(&event), None, "at {i}");
        }
    }
}

#[test]
fn farewells_without_end_are_found_over_turns_and_answers_to_new_requests_are_not() {
    let farewells = ["Goodbye!", "Take care.", "See you soon!"];
    let turn = |service: &mut LoopDetectionService, at: usize| {
        let text = farewells[(at * at + at / 3) % 3];
        service.add_and_check(&Event::TurnStarted);
        service.add_and_check(&Event::Content(Chunk::Utf8(text.into())))
    };
    let mut talking = service(Config::default());
    let found = (0..16).find_map(|at| turn(&mut talking, at));
    let found = found.expect("the farewells are a loop");
    assert_eq!((found.channel, found.kind), (Channel::Content, LoopKind::Paragraph));

    let (mut asked, mut working) = (service(Config::default()), service(Config::default()));
    for at in 0..40 {
        let request = format!("And what about ticket {at}?");
        asked.add_and_check(&Event::UserMessage(request.into()));
        assert_eq!(turn(&mut asked, 0), None);
        assert_eq!(turn(&mut working, 0), None);
        working.add_and_check(&call("close", &format!(r#"{{"ticket":{at}}}"#)));
        working.add_and_check(&result("close", &format!("Ticket {at} is closed.")));
    }

    let off = r#"{"messages":{"repeated":0},"text":{"exact":false,"folded":false,"stale":false}}"#;
    let mut off = service(Config::from_json(off).unwrap());
    assert_eq!((0..60).find_map(|at| turn(&mut off, at)), None);
    let error = Config::from_json(r#"{"messages":{"repeated":2}}"#).unwrap_err().to_string();
    assert!(error.contains("messages") && error.contains("3 to 1000"), "{error}");
}
