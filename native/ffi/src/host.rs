//! The way to the host: messages in a queue of limited length, delivered in order by one thread at a time.
//!
//! A host that hangs in a callback delays what comes after it and nothing else: tool calls have time limits of their own,
//! and events and log lines that find no room are dropped and counted.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use tokio::sync::mpsc;

/// Messages that may wait for a slow host.
const QUEUE: usize = 1_024;

/// Room that only tool calls may take: a flood of log lines must not keep them out.
const RESERVED: usize = 256;

/// Messages in one delivery: a thread attaches to a JVM once for all of them.
const BATCH: usize = 64;

/// Something that the host is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Message {
    /// A tool of the host is called; it answers with [`crate::api::tool_complete`], from any thread.
    ToolCall {
        /// What the answer must name.
        call_id: u64,
        /// The project's key.
        project: String,
        /// The tool.
        name: String,
        /// Its arguments, a JSON object.
        arguments: String,
    },
    /// Nobody waits for the answer any more.
    ToolCancel {
        /// The call.
        call_id: u64,
    },
    /// A [`crate::wire::ProjectEvent`] as JSON.
    Event {
        /// The JSON.
        json: String,
    },
    /// A line of the log.
    Log {
        /// 1 (error) to 5 (trace).
        level: u8,
        /// The part of Ouro that says it.
        target: String,
        /// What it says.
        message: String,
    },
}

/// Who uses this library.
pub trait Host: Send + Sync {
    /// Tells the host. Called on a thread that may block; it should return at once all the same.
    fn deliver(&self, messages: Vec<Message>);
}

/// Puts messages into the queue. Clones share it.
#[derive(Debug, Clone)]
pub(crate) struct Outbox {
    queue: mpsc::Sender<Message>,
    dropped: Arc<AtomicU64>,
}

impl Outbox {
    /// The queue to `host`, and the pump that empties it: it ends when every outbox is gone and all is delivered.
    pub(crate) fn new(host: Arc<dyn Host>) -> (Self, impl Future<Output = ()> + Send) {
        let (queue, receiver) = mpsc::channel(QUEUE);
        (Self { queue, dropped: Arc::default() }, pump(host, receiver))
    }

    /// Puts a message in; false when there is no room.
    pub(crate) fn send(&self, message: Message) -> bool {
        let urgent = matches!(message, Message::ToolCall { .. } | Message::ToolCancel { .. });
        let has_room = urgent || self.queue.capacity() > RESERVED;
        let sent = has_room && self.queue.try_send(message).is_ok();
        if !sent {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
        sent
    }

    /// Messages that found no room.
    pub(crate) fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }
}

async fn pump(host: Arc<dyn Host>, mut queue: mpsc::Receiver<Message>) {
    let mut batch = Vec::new();
    while queue.recv_many(&mut batch, BATCH).await > 0 {
        let (host, messages) = (host.clone(), std::mem::take(&mut batch));
        // A panic of the host's own code loses its batch, not the pump.
        let _ = tokio::task::spawn_blocking(move || {
            #[cfg(feature = "testing")]
            crate::testing::trip(crate::testing::Point::Delivery);
            host.deliver(messages);
        })
        .await;
    }
}
