//! The way to the host: messages in queues of limited length, delivered in order by one thread. To a host that can take
//! several tool calls at once a thread of their own brings them, on which it may run the tool: every handover from thread to
//! thread costs more than all else of a call. While a tool keeps that thread, others take further calls.
//!
//! A host that hangs in a callback delays what comes after it and nothing else: tool calls have time limits of their own,
//! and events and log lines that find no room are dropped and counted.

use std::{
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
};

use crossbeam_channel::{Receiver, Sender, bounded};
use tokio::{sync::Semaphore, task::spawn_blocking};

/// Messages that may wait for a slow host.
const QUEUE: usize = 1_024;

/// Room that only tool calls may take: a flood of log lines must not keep them out.
const RESERVED: usize = 256;

/// Threads that may help with tool calls at the same time: far fewer than the runtime has, because a tool that hangs keeps
/// its own.
const HELPERS: usize = 64;

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
    /// Tells the host one message. Called on a thread that may block; the host should return at once all the same.
    fn tell(&self, message: Message);

    /// Whether the host can be told of several tool calls at once, and may take its time with each. A call may then be
    /// cancelled before the host has heard of it: [`crate::api::tool_awaited`] knows.
    fn takes_calls_at_once(&self) -> bool {
        false
    }

    /// Called on a thread that told the host something and ends now.
    fn thread_ends(&self) {}
}

/// Puts messages into the queues. Clones share them.
#[derive(Clone)]
pub(crate) struct Outbox {
    host: Arc<dyn Host>,
    queue: Sender<Message>,
    /// Both ends of the queue of tool calls, where the host takes them at once.
    calls: (Sender<Message>, Receiver<Message>),
    state: Arc<State>,
    helpers: Arc<Semaphore>,
}

impl fmt::Debug for Outbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Outbox({:?})", self.state)
    }
}

/// What both ends of the queue know.
#[derive(Debug, Default)]
struct State {
    /// Events and log lines that are in the queue, or that the host is being told.
    minor: AtomicUsize,
    /// Tool calls, likewise.
    calls: AtomicUsize,
    dropped: AtomicU64,
    /// The host is told nothing more.
    ended: AtomicBool,
}

impl Outbox {
    /// The queue to `host`, and the pump that empties it. The pump blocks: it ends when every outbox is gone and all is
    /// delivered.
    pub(crate) fn new(host: Arc<dyn Host>) -> (Self, impl FnOnce() + Send) {
        let (queue, receiver) = bounded(QUEUE);
        let (state, helpers) = (Arc::new(State::default()), Arc::new(Semaphore::new(HELPERS)));
        let (calls, state_of_pump) = (bounded(QUEUE), state.clone());
        let outbox = Self { host: host.clone(), queue, calls, state, helpers };
        (outbox, move || pump(host.as_ref(), receiver.iter(), &state_of_pump))
    }

    /// Puts a message in; false when there is no room.
    pub(crate) fn send(&self, message: Message) -> bool {
        let counter = self.state.counter(&message);
        let before = counter.map_or(0, |counter| counter.fetch_add(1, Ordering::SeqCst));
        let (queue, room) = match &message {
            Message::ToolCall { .. } if self.host.takes_calls_at_once() => (&self.calls.0, QUEUE),
            Message::ToolCall { .. } | Message::ToolCancel { .. } => (&self.queue, QUEUE),
            Message::Event { .. } | Message::Log { .. } => (&self.queue, QUEUE - RESERVED),
        };
        let sent = before < room && queue.try_send(message).is_ok();
        if !sent {
            if let Some(counter) = counter {
                counter.fetch_sub(1, Ordering::SeqCst);
            }
            self.state.dropped.fetch_add(1, Ordering::Relaxed);
        }
        sent
    }

    /// What brings the host its tool calls, where it takes them at once. It ends and blocks as the pump does.
    pub(crate) fn caller(&self) -> impl FnOnce() + Send + use<> {
        let (host, calls, state) = (self.host.clone(), self.calls.1.clone(), self.state.clone());
        move || pump(host.as_ref(), calls.iter(), &state)
    }

    /// Whether a call that was sent just now may have to wait for the end of another one.
    pub(crate) fn has_more_calls(&self) -> bool {
        self.state.calls.load(Ordering::SeqCst) > 1
    }

    /// Has another thread bring the tool calls that wait, if any do: the caller is held up by a tool.
    pub(crate) async fn help_caller(&self) {
        if self.calls.1.is_empty() {
            return;
        }
        let Ok(helper) = self.helpers.clone().acquire_owned().await else { return };
        let (host, calls, state) = (self.host.clone(), self.calls.1.clone(), self.state.clone());
        spawn_blocking(move || {
            pump(host.as_ref(), calls.try_iter(), &state);
            drop(helper);
        });
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

impl State {
    fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }

    /// What counts the messages of this kind.
    fn counter(&self, message: &Message) -> Option<&AtomicUsize> {
        match message {
            Message::Event { .. } | Message::Log { .. } => Some(&self.minor),
            Message::ToolCall { .. } => Some(&self.calls),
            Message::ToolCancel { .. } => None,
        }
    }
}

/// Tells the host what is in a queue. Has a thread of its own, so that a message wakes one thread and no more.
fn pump(host: &dyn Host, queue: impl Iterator<Item = Message>, state: &State) {
    for message in queue {
        if state.has_ended() {
            return;
        }
        let counter = state.counter(&message);
        deliver(host, message);
        if let Some(counter) = counter {
            counter.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

/// Tells the host one message. A panic of the host's own code loses it, and nothing else.
fn deliver(host: &dyn Host, message: Message) {
    let _ = catch_unwind(AssertUnwindSafe(|| {
        #[cfg(feature = "testing")]
        crate::testing::trip(crate::testing::Point::Delivery);
        host.tell(message);
    }));
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    /// Keeps what it is told, and does something on each message.
    struct Listener<F>(Mutex<Vec<Message>>, F);

    impl<F: Fn(&Message) + Send + Sync> Host for Listener<F> {
        fn tell(&self, message: Message) {
            self.1(&message);
            self.0.lock().unwrap().push(message);
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
