//! A session of the loop detectors. It needs no host and no runtime.

use std::sync::{Mutex, MutexGuard, PoisonError};

use ouro_detect::{Chunk, Config, Event, EventError, LoopDetected, LoopDetectionService};

use crate::error::{BridgeError, Result};

/// Which text a chunk belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Channel {
    /// The reply.
    Content,
    /// The reasoning.
    Reasoning,
}

impl Channel {
    /// 0 is the reply, 1 the reasoning.
    ///
    /// # Errors
    /// `invalid_input` for any other number.
    pub fn from_number(number: i32) -> Result<Self> {
        match number {
            0 => Ok(Self::Content),
            1 => Ok(Self::Reasoning),
            _ => Err(BridgeError::invalid(format!(
                "channel {number} is neither 0 (the reply) nor 1 (the reasoning)"
            ))),
        }
    }

    fn event(self, chunk: Chunk<'_>) -> Event<'_> {
        match self {
            Self::Content => Event::Content(chunk),
            Self::Reasoning => Event::Reasoning(chunk),
        }
    }
}

/// One session of an agent under watch.
pub(crate) struct Detector(Mutex<LoopDetectionService>);

impl Detector {
    /// A session by this configuration; an empty one takes the defaults.
    pub(crate) fn new(config: &str) -> Result<Self> {
        let config = if config.trim().is_empty() {
            Config::default()
        } else {
            Config::from_json(config).map_err(|error| BridgeError::invalid(error.to_string()))?
        };
        let service = LoopDetectionService::new(config);
        let service = service.map_err(|error| BridgeError::invalid(error.to_string()))?;
        Ok(Self(Mutex::new(service)))
    }

    /// Reads more text; whether the session is in a loop.
    #[inline]
    pub(crate) fn push(&self, channel: Channel, chunk: Chunk<'_>) -> bool {
        self.lock().add_and_check(&channel.event(chunk)).is_some()
    }

    /// Takes in an event in its JSON form; whether the session is in a loop. Types that this version does not know are
    /// counted and skipped.
    pub(crate) fn event(&self, json: &str) -> Result<bool> {
        match Event::from_json(json) {
            Ok(event) => Ok(self.lock().add_and_check(&event).is_some()),
            Err(EventError::UnknownType(_)) => {
                let mut service = self.lock();
                service.skip_event();
                Ok(service.found().is_some())
            }
            Err(error @ EventError::Invalid(_)) => Err(BridgeError::invalid(error.to_string())),
        }
    }

    /// The loop that the session is in.
    pub(crate) fn found(&self) -> Option<LoopDetected> {
        self.lock().found().cloned()
    }

    /// Goes on after the loop was dealt with.
    pub(crate) fn acknowledge(&self) {
        self.lock().acknowledge();
    }

    /// Begins anew.
    pub(crate) fn reset(&self, prompt_id: &str) {
        self.lock().reset(prompt_id);
    }

    fn lock(&self) -> MutexGuard<'_, LoopDetectionService> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
