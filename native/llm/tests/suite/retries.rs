//! What is tried again, after which pause, and what isn't.

use std::time::Duration;

use ouro_core::ErrorKind;
use ouro_testkit::Reply;

use crate::support::{Setup, long_limits, question};

async fn setup() -> Setup {
    Setup::with(long_limits).await
}

#[tokio::test]
async fn a_server_that_is_overloaded_is_asked_again_after_growing_pauses() {
    let setup = setup().await;
    setup.server.reply(Reply::status(503));
    setup.server.reply(Reply::text("never seen").cut_after(0));
    setup.server.reply_text("It runs jobs.");
    let (reply, pauses) = setup.ask_through_pauses(question()).await;
    assert_eq!(reply.unwrap().content, "It runs jobs.");
    assert_eq!(pauses.len(), 2);
    assert!((500..=1000).contains(&pauses[0].as_millis()), "{pauses:?}");
    assert!((1000..=2000).contains(&pauses[1].as_millis()), "{pauses:?}");
}

#[tokio::test]
async fn attempts_are_limited_and_the_last_error_is_told() {
    let setup = setup().await;
    for status in [500, 502, 529] {
        setup.server.reply(Reply::status(status));
    }
    let (reply, pauses) = setup.ask_through_pauses(question()).await;
    let error = reply.unwrap_err();
    assert_eq!((error.kind(), pauses.len()), (ErrorKind::Unavailable, 2));
    assert!(error.message().contains("(529)"), "{error}");
}

#[tokio::test]
async fn the_pause_a_server_asks_for_is_kept_to_the_second() {
    let setup = setup().await;
    setup.clock.set_wall(784_111_777_000); // Sun, 06 Nov 1994 08:49:37 GMT
    setup.server.reply(Reply::status(429).header("retry-after", "7"));
    setup.server.reply(Reply::status(503).header("retry-after", "Sun, 06 Nov 1994 08:50:04 GMT"));
    setup.server.reply_text("It runs jobs.");
    let (reply, pauses) = setup.ask_through_pauses(question()).await;
    reply.unwrap();
    // 27 seconds to the date, 7 of which have passed.
    assert_eq!(pauses, [Duration::from_secs(7), Duration::from_secs(20)]);
}

#[tokio::test]
async fn a_long_pause_is_left_to_the_caller() {
    let setup = setup().await;
    setup.server.reply(Reply::status(429).header("retry-after", "3600"));
    let error = setup.ask(question()).await.unwrap_err();
    assert_eq!(
        (error.kind(), error.retry_after()),
        (ErrorKind::RateLimited, Some(Duration::from_secs(3600)))
    );
    assert!(error.is_retryable());
}

#[tokio::test]
async fn nothing_is_tried_again_once_a_token_was_shown() {
    let setup = setup().await;
    setup.server.reply(Reply::text("It runs jobs.").cut_after(1));
    let error = setup.ask(question()).await.unwrap_err();
    assert_eq!((error.kind(), setup.server.requests().len()), (ErrorKind::Unavailable, 1));
}

#[tokio::test]
async fn what_will_not_change_is_not_tried_again() {
    let setup = setup().await;
    for status in [400, 401, 404, 409, 413] {
        setup.server.reply(Reply::status(status));
        setup.ask(question()).await.unwrap_err();
    }
    assert_eq!(setup.server.requests().len(), 5);
}
