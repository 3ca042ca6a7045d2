//! Time limits, on a clock that moves only here.

use std::{sync::Arc, time::Duration};

use ouro_core::{ChatModel, ChatReply, ErrorKind, Result};
use ouro_testkit::Reply;
use tokio::sync::Semaphore;

use crate::support::{Setup, Watcher, question};

/// The limits of a default configuration.
const FIRST_TOKEN: Duration = Duration::from_secs(120);
const IDLE: Duration = Duration::from_secs(30);
const TOTAL: Duration = Duration::from_secs(300);

fn assert_timeout(reply: Result<ChatReply>, what: &str) {
    let error = reply.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout, "{error}");
    assert!(error.message().contains(what), "{error}");
}

/// Waits until the next sleeper on the clock is this far away: the client has got that far.
async fn sleeping_for(setup: &Setup, time: Duration) {
    while setup.clock.next_wake() != Some(time) {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_server_that_answers_nothing_is_given_up() {
    let setup = Setup::new().await;
    setup.server.reply(Reply::hang());
    let (reply, ()) = tokio::join!(setup.ask(question()), async {
        setup.server.received(1).await;
        sleeping_for(&setup, FIRST_TOKEN).await;
        setup.clock.advance(FIRST_TOKEN);
    });
    let spent = reply.as_ref().unwrap_err().spent();
    assert!(spent.prompt > 0 && spent.estimated, "the model has read the question: {spent:?}");
    assert_timeout(reply, "sent no token for 2 min");
    setup.server.broken_off(1).await;
    assert_eq!(setup.server.requests().len(), 1, "who waited so long doesn't wait again");
}

#[tokio::test]
async fn headers_are_no_token() {
    let setup = Setup::new().await;
    setup.server.reply(Reply::text("It runs jobs.").hang_after(0));
    let (reply, ()) = tokio::join!(setup.ask(question()), async {
        setup.server.received(1).await;
        sleeping_for(&setup, FIRST_TOKEN).await;
        setup.clock.advance(FIRST_TOKEN);
    });
    assert_timeout(reply, "sent no token for 2 min");
}

#[tokio::test]
async fn a_stream_that_falls_silent_is_given_up() {
    let setup = Setup::new().await;
    setup.server.reply(Reply::text("It runs jobs.").hang_after(1));
    let (reply, ()) = tokio::join!(setup.ask(question()), async {
        sleeping_for(&setup, IDLE).await;
        setup.clock.advance(IDLE);
    });
    assert_timeout(reply, "sent no further token for 30 s");
    setup.server.broken_off(1).await;
}

#[tokio::test]
async fn a_slow_but_steady_stream_is_waited_for() {
    let setup = Setup::new().await;
    let steps = Arc::new(Semaphore::new(1));
    setup.server.reply(Reply::text("x".repeat(9)).chunk_chars(1).step_by(steps.clone()));
    let (reply, ()) = tokio::join!(setup.ask(question()), async {
        for _ in 1..9 {
            // Each token comes just before the patience ends.
            sleeping_for(&setup, IDLE).await;
            setup.clock.advance(IDLE - Duration::from_millis(1));
            steps.add_permits(1);
        }
        steps.close();
    });
    assert_eq!(reply.unwrap().content, "xxxxxxxxx");
}

#[tokio::test]
async fn the_whole_call_has_a_limit() {
    let setup = Setup::with(|config| config.first_token_timeout = TOTAL * 2).await;
    setup.server.reply(Reply::hang());
    let mut watcher = Watcher::default();
    let question = question();
    let (reply, ()) = tokio::join!(setup.model.chat(&question, &mut watcher), async {
        setup.server.received(1).await;
        sleeping_for(&setup, TOTAL).await;
        setup.clock.advance(TOTAL);
    });
    assert_timeout(reply, "did not finish its reply for 5 min");
    setup.server.broken_off(1).await;
}
