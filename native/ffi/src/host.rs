//! The way to the host: messages in a queue of limited length, delivered in order by one thread at a time.
//!
//! A host that hangs in a callback delays what comes after it and nothing else: tool calls have time limits of their own,
//! and events and log lines that find no room are dropped and counted.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
        mpsc::{Receiver, SyncSender, sync_channel},
    },
    time::Duration,
};

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
    queue: SyncSender<Message>,
    state: Arc<State>,
}

/// What both ends of the queue know.
#[derive(Debug, Default)]
struct State {
    /// Events and log lines in the queue.
    minor: AtomicUsize,
    dropped: AtomicU64,
    /// The host is told nothing more.
    ended: AtomicBool,
}

impl Message {
    /// Whether the host can do without it.
    fn is_minor(&self) -> bool {
        matches!(self, Self::Event { .. } | Self::Log { .. })
    }
}

impl Outbox {
    /// The queue to `host`, and the pump that empties it. The pump blocks: it ends when every outbox is gone and all is
    /// delivered.
    pub(crate) fn new(host: Arc<dyn Host>) -> (Self, impl FnOnce() + Send) {
        let (queue, receiver) = sync_channel(QUEUE);
        let state = Arc::new(State::default());
        (Self { queue, state: state.clone() }, move || pump(host.as_ref(), &receiver, &state))
    }

    /// Puts a message in; false when there is no room.
    pub(crate) fn send(&self, message: Message) -> bool {
        let (is_minor, waiting) = (message.is_minor(), &self.state.minor);
        let has_room = !is_minor || waiting.fetch_add(1, Ordering::Relaxed) < QUEUE - RESERVED;
        let sent = has_room && self.queue.try_send(message).is_ok();
        if !sent {
            if is_minor {
                waiting.fetch_sub(1, Ordering::Relaxed);
            }
            self.state.dropped.fetch_add(1, Ordering::Relaxed);
        }
        sent
    }

    /// Messages that found no room.
    pub(crate) fn dropped(&self) -> u64 {
        self.state.dropped.load(Ordering::Relaxed)
    }

    /// What ends the deliveries, whatever still waits in the queue.
    pub(crate) fn end(&self) -> impl FnOnce() + use<> {
        let state = self.state.clone();
        move || state.ended.store(true, Ordering::Relaxed)
    }
}

/// The messages of one delivery.
struct Delivery<'q> {
    first: Option<Message>,
    queue: &'q Receiver<Message>,
    state: &'q State,
}

impl State {
    fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }

    /// Notes that a message has left the queue.
    fn taken(&self, message: Message) -> Message {
        if message.is_minor() {
            self.minor.fetch_sub(1, Ordering::Relaxed);
        }
        message
    }
}

impl Iterator for Delivery<'_> {
    type Item = Message;

    fn next(&mut self) -> Option<Message> {
        #[cfg(feature = "testing")]
        crate::testing::trip(crate::testing::Point::Delivery);
        let wait = || self.queue.recv_timeout(LINGER).ok().map(|message| self.state.taken(message));
        let next = self.first.take().or_else(wait);
        next.filter(|_| !self.state.has_ended())
    }
}

/// Tells the host what is in the queue. Has a thread of its own, so that a message wakes one thread and no more.
fn pump(host: &dyn Host, queue: &Receiver<Message>, state: &State) {
    while let Ok(first) = queue.recv() {
        if state.has_ended() {
            return;
        }
        let first = Some(state.taken(first));
        // A panic of the host's own code loses its message, not the pump.
        let _ = catch_unwind(AssertUnwindSafe(|| {
            host.deliver(&mut Delivery { first, queue, state });
        }));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    /// Keeps what it is told, and does something on each message.
    struct Listener<F>(Mutex<Vec<Message>>, F);

    impl<F: Fn(&Message) + Send + Sync> Host for Listener<F> {
        fn deliver(&self, messages: &mut dyn Iterator<Item = Message>) {
            for message in messages {
                self.1(&message);
                self.0.lock().unwrap().push(message);
            }
        }
    }

    fn line(number: usize) -> Message {
        Message::Log { level: 3, target: "ouro".into(), message: number.to_string() }
    }

    fn cancel(number: usize) -> Message {
        Message::ToolCancel { call_id: number as u64 }
    }

    #[test]
    fn a_flood_of_log_lines_is_cut_and_counted_and_keeps_no_call_out() {
        let host = Arc::new(Listener(Mutex::default(), |_: &Message| ()));
        let (outbox, pump) = Outbox::new(host.clone());
        let minor = QUEUE - RESERVED;
        assert_eq!((0..5_000).filter(|n| outbox.send(line(*n))).count(), minor);
        assert_eq!((0..5_000).filter(|n| outbox.send(cancel(*n))).count(), RESERVED);
        assert_eq!(outbox.dropped(), (10_000 - QUEUE) as u64);
        let state = outbox.state.clone();
        drop(outbox);
        pump();
        let expected = (0..minor).map(line).chain((0..RESERVED).map(cancel));
        assert_eq!(*host.0.lock().unwrap(), expected.collect::<Vec<_>>());
        assert_eq!(state.minor.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn a_message_on_which_the_host_panics_is_lost_alone() {
        let host = Arc::new(Listener(Mutex::default(), |message: &Message| {
            assert!(*message != line(1), "a defect of the host");
        }));
        let (outbox, pump) = Outbox::new(host.clone());
        (0..4).for_each(|n| assert!(outbox.send(line(n))));
        drop(outbox);
        pump();
        assert_eq!(*host.0.lock().unwrap(), [line(0), line(2), line(3)]);
    }

    #[test]
    fn nothing_is_told_after_the_end() {
        let end = Arc::new(Mutex::new(None::<Box<dyn FnOnce() + Send>>));
        let ending = end.clone();
        let host = Arc::new(Listener(Mutex::default(), move |_: &Message| {
            if let Some(end) = ending.lock().unwrap().take() {
                end();
            }
        }));
        let (outbox, pump) = Outbox::new(host.clone());
        *end.lock().unwrap() = Some(Box::new(outbox.end()));
        (0..4).for_each(|n| assert!(outbox.send(line(n))));
        drop(outbox);
        pump();
        assert_eq!(*host.0.lock().unwrap(), [line(0)]);
    }
}
