//! Any configuration: refused with words, or valid and usable.

use ouro_detect::{Chunk, Config, Event, LoopDetectionService, ToolCall, ToolResult};

/// The bytes are the configuration's text.
pub(crate) fn check(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let config = match Config::from_json(&text) {
        Ok(config) => config,
        Err(error) => return assert!(error.to_string().len() > 20, "{error}"),
    };
    assert_eq!(config.validate(), Ok(()));
    let written = serde_json::to_string(&config).unwrap_or_default();
    assert_eq!(Config::from_json(&written).as_ref(), Ok(&config), "{written}");
    for model in ["", "gpt-5", "a"] {
        if let Ok(config) = config.for_model(model) {
            assert_eq!(config.validate(), Ok(()), "for {model:?}");
            use_it(config);
        }
    }
    use_it(config);
}

fn use_it(config: Config) {
    let mut service = match LoopDetectionService::new(config) {
        Ok(service) => service,
        Err(error) => panic!("{error}"),
    };
    let mut found = 0;
    for round in 0..8 {
        let number = round.to_string();
        let events = [
            Event::TurnStarted,
            Event::Reasoning(Chunk::Utf8("I should look at the file once more. ".into())),
            Event::Content(Chunk::Utf8("- The same again and again and again.\n".repeat(4).into())),
            Event::ToolCall(ToolCall {
                name: if round % 3 == 0 { "read" } else { "watch_it" }.into(),
                args: "{\"path\":\"a\"}".into(),
                ..Default::default()
            }),
            Event::ToolResult(ToolResult {
                name: if round % 3 == 0 { "read" } else { "watch_it" }.into(),
                text: "still running".into(),
                ..Default::default()
            }),
            Event::UserMessage(number.as_str().into()),
        ];
        for event in &events[..if round == 7 { 6 } else { 5 }] {
            if service.add_and_check(event).is_some() {
                found += 1;
                service.acknowledge();
            }
        }
    }
    assert!(found <= 48);
    assert_eq!(
        serde_json::to_string(&service.state()).map(|state| state.is_empty()).ok(),
        Some(false)
    );
}
