//! A route of a server that answers one JSON document with another, beside the chat: embeddings, scores.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use ouro_core::{Clock, Random, Result, clock::with_timeout};
use reqwest::header::CONTENT_TYPE;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{
    http::{Failure, Http, header},
    rest::Rest,
    retry::{Attempts, RetryPolicy},
};

/// The route. One that fails is left alone for a while: the engine goes on without it, and would ask it again for each
/// next text.
#[derive(Debug)]
pub(crate) struct JsonService {
    pub(crate) http: Http,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) random: Arc<dyn Random>,
    pub(crate) route: &'static str,
    /// Longest time for one request.
    pub(crate) timeout: Duration,
    /// The message below `timeout` in the bundle that says what did not come in that time.
    pub(crate) nothing_came: &'static str,
    /// The message in the bundle for an answer of another form.
    pub(crate) not_the_form: &'static str,
    pub(crate) retry: RetryPolicy,
    pub(crate) rest: Mutex<Rest>,
}

impl JsonService {
    /// What the server answers to `body`, of at most `limit` bytes. Asks again after a failure that may pass, as often as
    /// the policy allows.
    ///
    /// # Errors
    /// Those of [`Http`], `Timeout`, `BadReply`; the last one again as long as the server is left alone.
    pub(crate) async fn ask<T: DeserializeOwned>(&self, body: &Value, limit: usize) -> Result<T> {
        self.rest().check(self.clock.monotonic())?;
        let mut attempts = Attempts::new(self.retry);
        loop {
            let request = self.request(body, limit);
            let error = match with_timeout(&*self.clock, self.timeout, self.route, request).await {
                Ok(Ok(answer)) => {
                    *self.rest() = Rest::default();
                    return Ok(answer);
                }
                Ok(Err(failure)) => failure.error,
                Err(_) => self.http.timeout(self.nothing_came, self.timeout),
            };
            let Some(pause) = attempts.next_pause(&error, &*self.random) else {
                if error.is_retryable() {
                    let mut rest = self.rest();
                    *rest = rest.after(&error, self.clock.monotonic(), self.retry.base_pause);
                }
                return Err(error);
            };
            self.clock.sleep(pause).await;
        }
    }

    async fn request<T: DeserializeOwned>(&self, body: &Value, limit: usize) -> Result<T, Failure> {
        let response = self.http.post(self.route, body).await?;
        let is_page = header(response.headers(), CONTENT_TYPE).contains("html");
        let body = self.http.read(response, limit, self.timeout).await?;
        if is_page || body.trim_ascii_start().starts_with(b"<") {
            return Err(self.http.web_page().into());
        }
        Ok(serde_json::from_slice(&body)
            .map_err(|_| self.http.bad_reply(self.not_the_form, &[]))?)
    }

    fn rest(&self) -> MutexGuard<'_, Rest> {
        self.rest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
