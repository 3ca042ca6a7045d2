//! The way to the host: messages in a queue of limited length, delivered in order by one thread at a time.
//!
//! A host that hangs in a callback delays what comes after it and nothing else: tool calls have time limits of their own,
//! and events and log lines that find no room are dropped and counted.

use std::{
    future::poll_fn,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use ouro_core::{SystemClock, clock::with_timeout};
use tokio::{runtime::Handle, sync::mpsc};

/// Messages that may wait for a slow host.
const QUEUE: usize = 1_024;

/// Room that only tool calls may take: a flood of log lines must not keep them out.
const RESERVED: usize = 256;

/// How long a delivery waits for another message. A thread attaches to a JVM once for all of a delivery, which costs more
/// than to tell it something; and a JVM waits with its exit for the end of the delivery.
const LINGER: Duration = Duration::from_millis(2);

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
    /// Tells the host one message after the other, until there is none for a moment. Called on a thread that may block;
    /// the host should return at once from each all the same.
    fn deliver(&self, messages: &mut dyn Iterator<Item = Message>);
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

/// The messages of one delivery.
struct Delivery<'q> {
    first: Option<Message>,
    queue: &'q mut mpsc::Receiver<Message>,
    runtime: Handle,
}

impl Iterator for Delivery<'_> {
    type Item = Message;

    fn next(&mut self) -> Option<Message> {
        #[cfg(feature = "testing")]
        crate::testing::trip(crate::testing::Point::Delivery);
        self.first.take().or_else(|| self.queue.try_recv().ok()).or_else(|| {
            let (clock, next) = (SystemClock::new(), self.queue.recv());
            let wait = with_timeout(&clock, LINGER, "the next message", next);
            self.runtime.block_on(wait).ok().flatten()
        })
    }
}

async fn pump(host: Arc<dyn Host>, queue: mpsc::Receiver<Message>) {
    let queue = Arc::new(Mutex::new(queue));
    loop {
        let waiting = {
            let queue = queue.clone();
            poll_fn(move |context| {
                queue.lock().unwrap_or_else(PoisonError::into_inner).poll_recv(context)
            })
        };
        let Some(first) = waiting.await else { return };
        let (host, queue, runtime) = (host.clone(), queue.clone(), Handle::current());
        // A panic of the host's own code loses its message, not the pump.
        let _ = tokio::task::spawn_blocking(move || {
            let mut queue = queue.lock().unwrap_or_else(PoisonError::into_inner);
            host.deliver(&mut Delivery { first: Some(first), queue: &mut queue, runtime });
        })
        .await;
    }
}
