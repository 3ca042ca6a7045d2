//! An embedder whose server need not be there when it is wanted first.

use std::{
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use ouro_core::{Clock, Embedder, Error, Result, SharedEmbedder};

use crate::rest::Rest;

/// The first rest of a server that was away; the next ones double.
const BASE_REST: Duration = Duration::from_secs(1);

type Connection = Pin<Box<dyn Future<Output = Result<SharedEmbedder>> + Send>>;

/// An embedder that is connected when its server is there: at once, or else when vectors are wanted and it has rested. Until
/// then every call fails with the server's error, so that whoever has another embedder for such times uses that.
///
/// Its id, threshold and relevance floor are those of the connected embedder from then on.
pub struct LateEmbedder {
    name: String,
    connect: Box<dyn Fn() -> Connection + Send + Sync>,
    clock: Arc<dyn Clock>,
    connected: OnceLock<SharedEmbedder>,
    rest: Mutex<Rest>,
}

impl LateEmbedder {
    /// Connects, as `connect` does it. `name` stands for the embedder until it has told its id.
    ///
    /// # Errors
    /// Those of `connect`, but for a server that may be there later: [`Error::is_retryable`].
    pub async fn connect<F>(
        name: impl Into<String>,
        clock: Arc<dyn Clock>,
        connect: impl Fn() -> F + Send + Sync + 'static,
    ) -> Result<Self>
    where
        F: Future<Output = Result<SharedEmbedder>> + Send + 'static,
    {
        let late = Self {
            name: name.into(),
            connect: Box::new(move || Box::pin(connect())),
            clock,
            connected: OnceLock::new(),
            rest: Mutex::default(),
        };
        match late.connected().await {
            Err(error) if !error.is_retryable() => Err(error),
            _ => Ok(late),
        }
    }

    /// Why it is not connected, if it isn't.
    pub fn away(&self) -> Option<Error> {
        self.rest().error().filter(|_| self.connected.get().is_none())
    }

    async fn connected(&self) -> Result<&SharedEmbedder> {
        if let Some(connected) = self.connected.get() {
            return Ok(connected);
        }
        let now = self.clock.monotonic();
        self.rest().check(now)?;
        self.rest().begin_try(now, BASE_REST);
        match (self.connect)().await {
            Ok(connected) => Ok(self.connected.get_or_init(|| connected)),
            Err(error) => {
                let mut rest = self.rest();
                *rest = rest.after(&error, self.clock.monotonic(), BASE_REST);
                Err(error)
            }
        }
    }

    fn rest(&self) -> MutexGuard<'_, Rest> {
        self.rest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Embedder for LateEmbedder {
    fn id(&self) -> &str {
        self.connected.get().map_or(&self.name, |connected| connected.id())
    }

    /// Of one that isn't connected: no two vectors are the same.
    fn duplicate_threshold(&self) -> f32 {
        self.connected.get().map_or(1.0, |connected| connected.duplicate_threshold())
    }

    fn relevance_floor(&self) -> f32 {
        self.connected.get().map_or(1.0, |connected| connected.relevance_floor())
    }

    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>> {
        self.connected().await?.embed(texts).await
    }
}
