//! Streaming: what arrives, who sees it, and how it is broken off.

use std::{ops::ControlFlow, sync::Arc};

use ouro_core::{ChatModel, ErrorKind, ReplyDelta, ReplyObserver, TokenUsage};
use ouro_llm::ApiKey;
use ouro_testkit::{ModelServer, Reply};
use serde_json::json;
use tokio::sync::{Semaphore, watch};

use crate::support::{Setup, Watcher, json_question, question};

#[tokio::test]
async fn a_reply_is_streamed_counted_and_returned() {
    let setup = Setup::new().await;
    setup.server.reply(Reply::text("It runs jobs in order.").thinking("Let me see.").usage(42, 7));
    let mut watcher = Watcher::default();
    let reply = setup.model.chat(&question(), &mut watcher).await.unwrap();
    assert_eq!(
        (reply.content.as_str(), reply.reasoning.as_str()),
        ("It runs jobs in order.", "Let me see.")
    );
    assert_eq!((watcher.content, watcher.reasoning), (reply.content, reply.reasoning));
    assert!(watcher.deltas > 3, "{} pieces", watcher.deltas);
    assert_eq!(reply.usage, TokenUsage { prompt: 42, completion: 7, estimated: false });
    assert_eq!((reply.json, setup.model.id()), (None, ModelServer::MODEL));
    let sent = &setup.server.requests()[0];
    assert_eq!((sent.path.as_str(), sent.authorization.as_deref()), ("/v1/chat/completions", None));
    assert_eq!(
        sent.messages(),
        [("system", "You explain code."), ("user", "What does the scheduler do?")]
    );
    assert_eq!(sent.body["max_tokens"], json!(256));
    assert_eq!(sent.body["temperature"], json!(0.2));
}

#[tokio::test]
async fn the_cut_of_the_stream_changes_nothing() {
    let setup = Setup::new().await;
    for bytes in [1, 2, 3, 7, 64, 100_000] {
        let text = "Планировщик — 调度器按顺序运行任务 🙂";
        setup
            .server
            .reply(Reply::text(text).thinking("想一想").chunk_chars(2).bytes_per_write(bytes));
        let reply = setup.ask(question()).await.unwrap();
        assert_eq!(
            (reply.content.as_str(), reply.reasoning.as_str()),
            (text, "想一想"),
            "{bytes} bytes a write"
        );
    }
}

#[tokio::test]
async fn reasoning_is_told_from_the_reply_in_every_form() {
    let setup = Setup::new().await;
    setup.server.reply(Reply::text("Jobs.").thinking_in("reasoning_content", "Hm."));
    setup.server.reply(Reply::text("Jobs.").thinking_in("reasoning", "Hm."));
    setup.server.reply(Reply::text("<think>Hm.</think>\n\nJobs.").chunk_chars(3));
    setup.server.reply(Reply::text("Jobs.").thinking("Hm.").not_streamed());
    for _ in 0..4 {
        let mut watcher = Watcher::default();
        let reply = setup.model.chat(&question(), &mut watcher).await.unwrap();
        assert_eq!((reply.content.as_str(), reply.reasoning.as_str()), ("Jobs.", "Hm."));
        assert_eq!((watcher.content.as_str(), watcher.reasoning.as_str()), ("Jobs.", "Hm."));
    }
}

#[tokio::test]
async fn a_whole_document_instead_of_a_stream_is_accepted() {
    let setup = Setup::new().await;
    setup.server.reply(Reply::text("It runs jobs.").not_streamed().usage(8, 4));
    let reply = setup.ask(question()).await.unwrap();
    assert_eq!((reply.content.as_str(), reply.usage.total()), ("It runs jobs.", 12));
}

#[tokio::test]
async fn a_stream_of_an_unknown_type_or_without_its_end_mark_is_accepted() {
    let setup = Setup::new().await;
    setup.server.reply(Reply::text("It runs jobs.").without_done());
    setup.server.reply(Reply::raw(
        "text/plain",
        ": hello\r\ndata: {\"choices\":[{\"delta\":{\"content\":\"It runs jobs.\"}}]}\r\n\r\ndata: [DONE]",
    ));
    for _ in 0..2 {
        assert_eq!(setup.ask(question()).await.unwrap().content, "It runs jobs.");
    }
}

#[tokio::test]
async fn an_observer_breaks_a_reply_off_within_one_piece() {
    let setup = Setup::new().await;
    let steps = Arc::new(Semaphore::new(2));
    setup.server.reply(Reply::text("loop loop loop loop").chunk_chars(5).step_by(steps.clone()));
    let mut watcher = Watcher { break_at: Some("loop loop"), ..Watcher::default() };
    // The third piece is never sent: two must be enough.
    let error = setup.model.chat(&question(), &mut watcher).await.unwrap_err();
    assert_eq!((error.kind(), error.message()), (ErrorKind::Cancelled, "saw loop loop"));
    assert_eq!(watcher.deltas, 2);
    steps.close();
    setup.server.broken_off(1).await;
    assert_eq!(setup.server.requests().len(), 1);
}

#[tokio::test]
async fn a_dropped_call_hangs_up() {
    let setup = Setup::new().await;
    for reply in [Reply::hang(), Reply::text("It runs jobs.").hang_after(1)] {
        setup.server.reply(reply);
    }
    for count in 1..=2 {
        tokio::select! {
            reply = setup.ask(question()) => panic!("an answer: {reply:?}"),
            () = setup.server.received(count) => {}
        }
        setup.server.broken_off(count).await;
    }
}

#[tokio::test]
async fn tokens_that_the_server_does_not_count_are_counted_by_a_tokenizer() {
    let setup = Setup::new().await;
    setup.server.reply(Reply::text("abcd efgh").thinking("调度器").without_usage());
    let usage = setup.ask(question()).await.unwrap().usage;
    // Four tokens around each message; `efgh` is two, and so is one of three Chinese characters.
    assert_eq!(usage, TokenUsage { prompt: 4 + 4 + 6 + 4, completion: 3 + 3, estimated: true });
}

#[tokio::test]
async fn a_count_that_no_model_can_have_is_none() {
    let setup = Setup::new().await;
    for (prompt, completion) in [(1 << 40, 7), (0, 0), (0, 7), (42, 0)] {
        setup.server.reply(Reply::text("abcd efgh").usage(prompt, completion));
        let usage = setup.ask(question()).await.unwrap().usage;
        assert_eq!(usage, TokenUsage { prompt: 4 + 4 + 6 + 4, completion: 3, estimated: true });
    }
}

#[tokio::test]
async fn a_character_that_the_server_cuts_in_two_is_put_together() {
    let setup = Setup::new().await;
    let chunk = |text: &str, end: &str| {
        format!(r#"data: {{"choices":[{{"delta":{{"content":"{text}"}}{end}}}]}}"#) + "\n\n"
    };
    let body =
        [chunk("so \\ud83d", ""), chunk("\\ude00!", ""), chunk("", r#","finish_reason":"stop""#)];
    setup.server.reply(Reply::raw("text/event-stream", body.concat()));
    assert_eq!(setup.ask(question()).await.unwrap().content, "so 😀!");
}

#[tokio::test]
async fn what_was_received_of_a_reply_that_is_of_no_use_has_been_paid_for() {
    let setup = Setup::new().await;
    for reply in [
        Reply::text("abcd efgh").chunk_chars(4).cut_after(2),
        Reply::raw(
            "text/event-stream",
            "data: {\"choices\":[{\"delta\":{\"content\":\"abcd efgh\"}}]}\n\n",
        ),
        Reply::text("abcd efgh").finish_reason("content_filter").usage(9, 9),
    ] {
        setup.server.reply(reply);
        let spent = setup.ask(question()).await.unwrap_err().spent();
        assert_eq!(spent.prompt, if spent.estimated { 4 + 4 + 6 + 4 } else { 9 });
        assert!(spent.completion > 0, "{spent:?}");
    }
}

/// Tells what it sees.
struct Teller(watch::Sender<String>);

impl ReplyObserver for Teller {
    fn on_delta(&mut self, delta: ReplyDelta<'_>) -> ControlFlow<String> {
        if let ReplyDelta::Content(text) = delta {
            self.0.send_modify(|seen| seen.push_str(text));
        }
        ControlFlow::Continue(())
    }
}

#[tokio::test]
async fn what_came_of_a_reply_that_nobody_waits_for_any_more_is_not_forgotten() {
    let setup = Setup::new().await;
    // The second reply is begun, and never ends.
    let begun = || Reply::text("abcd efgh").chunk_chars(4).hang_after(1);
    let no_json = Reply::text("no JSON").usage(500, 7);
    for (request, replies, prompt, completion) in
        [(question(), vec![begun()], 18, 1), (json_question(), vec![no_json, begun()], 518, 8)]
    {
        replies.into_iter().for_each(|reply| setup.server.reply(reply));
        let (sender, mut seen) = watch::channel(String::new());
        let mut teller = Teller(sender);
        tokio::select! {
            reply = setup.model.chat(&request, &mut teller) => panic!("{reply:?}"),
            _ = seen.wait_for(|seen| seen.ends_with("abcd")) => {}
        }
        let abandoned = setup.model.take_abandoned();
        assert!(abandoned.estimated && abandoned.prompt >= prompt, "{abandoned:?}");
        assert!(abandoned.completion >= completion, "{abandoned:?}");
        assert_eq!(setup.model.take_abandoned(), TokenUsage::default());
    }
    setup.server.reply_text("It runs jobs.");
    setup.ask(question()).await.unwrap();
    assert_eq!(setup.model.take_abandoned(), TokenUsage::default(), "it was told of");
}

#[tokio::test]
async fn a_key_is_sent_where_it_belongs_and_shown_nowhere() {
    let setup = Setup::with(|c| c.credential = ApiKey::new("sk-secret").unwrap().into()).await;
    setup.server.require_key("sk-secret");
    setup.server.reply_text("It runs jobs.");
    setup.ask(question()).await.unwrap();
    assert_eq!(setup.server.requests()[0].authorization.as_deref(), Some("Bearer sk-secret"));
    // The server of this test repeats the key it got, as some do.
    setup.server.require_key("sk-another");
    let refused = setup.ask(question()).await.unwrap_err();
    setup.server.require_key("sk-secret");
    setup.server.reply(Reply::error(400, "bad key sk-secret"));
    let repeated = setup.ask(question()).await.unwrap_err();
    for shown in [
        format!("{:?}", setup.model),
        format!("{refused:?} {refused}"),
        format!("{repeated:?} {repeated}"),
    ] {
        assert!(!shown.contains("secret"), "{shown}");
    }
}

#[tokio::test]
async fn what_a_server_refuses_of_the_protocol_is_left_out_from_then_on() {
    let setup = Setup::new().await;
    for refusal in [
        "Unrecognized request argument supplied: stream_options",
        "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
        "'temperature' does not support 0.2 with this model",
        "This response_format type is unavailable now",
    ] {
        setup.server.reply(Reply::error(400, refusal));
    }
    setup.server.on_chat(|_| Reply::json(&json!({"answer": "jobs", "confidence": 1})));
    setup.ask(json_question()).await.unwrap();
    setup.ask(json_question()).await.unwrap();
    let requests = setup.server.requests();
    assert_eq!(requests.len(), 6);
    assert_eq!(requests[4].body, requests[5].body);
    let mut fields: Vec<&String> = requests[5].body.as_object().unwrap().keys().collect();
    fields.sort();
    assert_eq!(fields, ["max_completion_tokens", "messages", "model", "response_format", "stream"]);
}
