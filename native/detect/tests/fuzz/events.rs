//! Any lines of events, and a service that is stored and set up again at any moment.

use ouro_detect::{
    Chunk, Config, Event, EventError, LoopDetectionService, Profile, ServiceState, ToolCall,
    ToolResult,
};

use crate::input::unfold;

/// The first byte says which profile, the second when the service is stored, the rest are lines.
pub(crate) fn check(data: &[u8]) {
    let [profile, pause, lines @ ..] = data else { return };
    let profile = Profile::ALL[usize::from(*profile) % Profile::ALL.len()];
    let bytes = unfold(lines);
    let text = String::from_utf8_lossy(&bytes);
    let config = Config { resumable: true, ..Config::for_profile(profile) };
    let mut service = new(&config);
    let mut restored = new(&config);
    // These two judge text chunk by chunk, and a state does not hold the chunks.
    let by_chunk = matches!(profile, Profile::GeminiCli | Profile::QwenCode);
    for (at, line) in text.lines().enumerate() {
        if at == usize::from(*pause) {
            restored = stored_and_restored(&service, &config);
        }
        let Some(event) = event(line) else {
            service.skip_event();
            restored.skip_event();
            damaged(&service, &config, line);
            continue;
        };
        if by_chunk && matches!(event, Event::Content(_)) {
            continue;
        }
        let found = service.add_and_check(&event);
        let again = restored.add_and_check(&event);
        if at >= usize::from(*pause) {
            assert_eq!(again, found, "after being restored");
            assert_eq!(restored.suspicion(), service.suspicion());
        }
        if let Some(found) = found {
            let text = found.to_string();
            assert!(!found.evidence.is_empty() && !found.cleared_by.is_empty(), "{text}");
            assert!(
                found.at_event <= at as u64 && found.onset_event.is_none_or(|on| on <= at as u64)
            );
            if at % 3 > 0 {
                service.acknowledge();
                restored.acknowledge();
            }
        }
    }
}

fn new(config: &Config) -> LoopDetectionService {
    match LoopDetectionService::new(config.clone()) {
        Ok(service) => service,
        Err(error) => panic!("{error}"),
    }
}

fn stored_and_restored(service: &LoopDetectionService, config: &Config) -> LoopDetectionService {
    let text = serde_json::to_string(&service.state()).unwrap_or_default();
    let mut restored = new(config);
    match serde_json::from_str::<ServiceState>(&text) {
        Ok(state) => assert_eq!(restored.restore(state), Ok(())),
        Err(error) => panic!("{error}: {text}"),
    }
    assert_eq!(restored.state(), service.state());
    restored
}

/// Writes digits of a line over numbers of a stored state: it is refused, or usable.
fn damaged(service: &LoopDetectionService, config: &Config, line: &str) {
    let Some((place, value)) = line.strip_prefix('#').and_then(|line| line.split_once('=')) else {
        return;
    };
    let (Ok(place), Ok(value)) = (place.parse::<usize>(), value.parse::<u64>()) else { return };
    let text = serde_json::to_string(&service.state()).unwrap_or_default();
    let starts: Vec<usize> = text
        .as_bytes()
        .windows(2)
        .enumerate()
        .filter(|(_, pair)| !pair[0].is_ascii_digit() && pair[1].is_ascii_digit())
        .map(|(at, _)| at + 1)
        .collect();
    let Some(&start) = starts.get(place % starts.len().max(1)) else { return };
    let (before, number) = text.split_at(start);
    let after = number.trim_start_matches(|c: char| c.is_ascii_digit());
    let Ok(state) = serde_json::from_str::<ServiceState>(&format!("{before}{value}{after}")) else {
        return;
    };
    let mut other = new(config);
    if other.restore(state).is_err() {
        return;
    }
    for round in 0..12 {
        for line in ["ka{}", "aa same", "t", "cThe same words again. ", "e", "rAnd again. "] {
            let event = event(line).unwrap_or(Event::TurnStarted);
            if other.add_and_check(&event).is_some() && round % 2 == 0 {
                other.acknowledge();
            }
        }
    }
}

/// A line as JSON, or in a form that is quick to hit: a letter for the type, then a tool's name of one letter or text.
fn event(line: &str) -> Option<Event<'_>> {
    match Event::from_json(line) {
        Ok(event) => {
            written_and_read(&event);
            return Some(event);
        }
        Err(EventError::UnknownType(_)) => return None,
        Err(EventError::Invalid(why)) => assert!(!why.is_empty()),
    }
    let mut letters = line.chars();
    let kind = letters.next()?;
    let text = letters.as_str();
    let name = || letters.clone().next().map_or(String::new(), String::from).into();
    let rest = || text.strip_prefix(|_: char| true).unwrap_or("").into();
    Some(match kind {
        't' => Event::TurnStarted,
        'c' => Event::Content(Chunk::Utf8(text.into())),
        'r' => Event::Reasoning(Chunk::Utf8(text.into())),
        'w' => Event::Content(Chunk::Utf16(text.encode_utf16().skip(1).collect())),
        'k' => Event::ToolCall(ToolCall { name: name(), args: rest(), ..Default::default() }),
        'a' | 'e' => Event::ToolResult(ToolResult {
            name: name(),
            text: rest(),
            is_error: kind == 'e',
            ..Default::default()
        }),
        'u' => Event::UserMessage(text.into()),
        'z' => Event::Reset { prompt_id: text.into() },
        _ => return None,
    })
}

fn written_and_read(event: &Event<'_>) {
    let line = serde_json::to_string(event).unwrap_or_default();
    match Event::from_json(&line) {
        Ok(again) => assert_eq!(&again, event, "{line}"),
        Err(error) => panic!("{error}: {line}"),
    }
}
