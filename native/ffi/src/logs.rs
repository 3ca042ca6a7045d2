//! What Ouro logs, on its way to the host.

use std::{
    fmt::Write as _,
    sync::{PoisonError, RwLock},
};

use tracing::{
    Event, Level, Subscriber,
    field::{Field, Visit},
};
use tracing_subscriber::{
    Layer,
    filter::{LevelFilter, Targets},
    layer::{Context, SubscriberExt},
};

use crate::host::{Message, Outbox};

/// Where lines go at present. A subscriber is for the life of the process, a host is not.
static OUTBOX: RwLock<Option<Outbox>> = RwLock::new(None);

/// Sends what is logged from now on to this host; to nobody without one.
pub(crate) fn send_to(outbox: Option<Outbox>) {
    if outbox.is_some() {
        // Info and above of our own parts: what is below may hold a project's code. Fails where it is done already.
        let ours = Targets::new().with_target("ouro", LevelFilter::INFO);
        let subscriber = tracing_subscriber::registry().with(ToHost.with_filter(ours));
        let _ = tracing::subscriber::set_global_default(subscriber);
    }
    *OUTBOX.write().unwrap_or_else(PoisonError::into_inner) = outbox;
}

struct ToHost;

impl<S: Subscriber> Layer<S> for ToHost {
    fn on_event(&self, event: &Event<'_>, _context: Context<'_, S>) {
        let outbox = OUTBOX.read().unwrap_or_else(PoisonError::into_inner);
        let Some(outbox) = outbox.as_ref() else { return };
        let mut line = Line::default();
        event.record(&mut line);
        let metadata = event.metadata();
        outbox.send(Message::Log {
            level: number(*metadata.level()),
            target: metadata.target().to_owned(),
            message: format!("{}{}", line.message, line.fields),
        });
    }
}

fn number(level: Level) -> u8 {
    match level {
        Level::ERROR => 1,
        Level::WARN => 2,
        Level::INFO => 3,
        Level::DEBUG => 4,
        Level::TRACE => 5,
    }
}

#[derive(Default)]
struct Line {
    message: String,
    fields: String,
}

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        // Writing to a string can't fail.
        let _ = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            name => write!(self.fields, " {name}={value:?}"),
        };
    }
}
