//! Requests to one endpoint, and what their failures mean.

use std::{error::Error as StdError, io, sync::Arc, time::Duration};

use ouro_core::{Clock, Error, ErrorKind, Result, clock::with_timeout, is_display_control};
use reqwest::{
    Client, RequestBuilder, Response, StatusCode,
    header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, LOCATION, RETRY_AFTER},
    redirect::Policy,
};
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt;
use serde_json::Value;

use crate::{
    api_key::Credential, base_url::BaseUrl, connect_timeout::ConnectTimeoutLayer,
    retry::retry_after, wording::Who,
};

/// Most bytes that are read of an answer that only explains an error.
const MAX_ERROR_BYTES: usize = 64 * 1024;

/// Most characters of a server's own words in a message.
const MAX_DETAIL_CHARS: usize = 300;

/// A client for one endpoint.
#[derive(Debug)]
pub(crate) struct Http {
    client: Client,
    base: BaseUrl,
    credential: Credential,
    connect_timeout: Duration,
    clock: Arc<dyn Clock>,
    who: Who,
}

/// A request that brought nothing, with what the server said about it.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) error: Error,
    /// The status, if the server answered.
    pub(crate) status: Option<StatusCode>,
    /// The server's own words.
    pub(crate) detail: String,
    /// It was sent, and nothing more came in the time it had: the model may have read it all the same.
    pub(crate) given_up: bool,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self { error, status: None, detail: String::new(), given_up: false }
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        failure.error
    }
}

impl Http {
    /// A client; messages call the other side by its kind and name as in [`Who::new`].
    ///
    /// # Errors
    /// `InvalidInput` for a wrong base URL; `Refused` when an encrypted endpoint can't be verified because the machine
    /// has no root certificates.
    pub(crate) fn new(
        (kind, name): (&str, &str),
        base_url: &str,
        credential: Credential,
        connect_timeout: Duration,
        clock: Arc<dyn Clock>,
    ) -> Result<Self> {
        let base = BaseUrl::parse(base_url)?;
        let mut builder = Client::builder()
            .user_agent(concat!("ouro/", env!("CARGO_PKG_VERSION")))
            .referer(false)
            .redirect(same_origin_only())
            .tls_backend_preconfigured(tls(&base)?)
            .connector_layer(ConnectTimeoutLayer { clock: clock.clone(), limit: connect_timeout });
        if base.is_loopback() {
            builder = builder.no_proxy();
        }
        let client = builder.build().map_err(|e| {
            Error::new(ErrorKind::Internal, "the HTTP client could not be set up").with_source(e)
        })?;
        let who = Who::new(kind, name, &base.to_string());
        Ok(Self { client, base, credential, connect_timeout, clock, who })
    }

    /// What messages call the other side.
    pub(crate) fn who(&self) -> &str {
        &self.who.english
    }

    /// Sends JSON and returns a successful answer, its body unread.
    pub(crate) async fn post(&self, route: &str, body: &Value) -> Result<Response, Failure> {
        let request =
            self.client.post(self.base.route(route)).header(CONTENT_TYPE, "application/json");
        self.send(request.body(body.to_string())).await
    }

    /// Asks for a route and returns a successful answer, its body unread.
    pub(crate) async fn get(&self, route: &str) -> Result<Response, Failure> {
        self.send(self.client.get(self.base.route(route))).await
    }

    async fn send(&self, mut request: RequestBuilder) -> Result<Response, Failure> {
        if let Some(key) = &self.credential.key {
            request = request.header(AUTHORIZATION, key.header()?);
        }
        let response = request.send().await.map_err(|e| self.broken(e))?;
        if response.status().is_success() {
            Ok(response)
        } else {
            Err(self.refused(response).await)
        }
    }

    /// Reads a whole body of at most `limit` bytes; each piece of it within `idle`.
    pub(crate) async fn read(
        &self,
        mut response: Response,
        limit: usize,
        idle: Duration,
    ) -> Result<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let chunk = with_timeout(&*self.clock, idle, "reading", response.chunk())
                .await
                .map_err(|_| self.timeout("no_more", idle))?
                .map_err(|e| self.broken(e))?;
            let Some(chunk) = chunk else { return Ok(body) };
            body.extend_from_slice(&chunk);
            if body.len() > limit {
                let limit = limit.to_string();
                return Err(self.bad_reply("error.too_long", &[("limit", &limit)]));
            }
        }
    }

    /// An answer that is no use, by the message's name in the bundle.
    pub(crate) fn bad_reply(&self, key: &str, values: &[(&str, &str)]) -> Error {
        self.who.error(ErrorKind::BadReply, key, values)
    }

    /// An answer that didn't come, by the message's name in the bundle.
    pub(crate) fn no_answer(&self, key: &str) -> Error {
        self.who.error(ErrorKind::Unavailable, key, &[])
    }

    /// The answer is a page for people.
    pub(crate) fn web_page(&self) -> Error {
        self.bad_reply("error.web_page", &[])
    }

    /// It took too long; `what` names the message below `timeout` in the bundle.
    pub(crate) fn timeout(&self, what: &str, limit: Duration) -> Error {
        let limit = ouro_core::clock::in_words(limit);
        self.who.error(ErrorKind::Timeout, &format!("timeout.{what}"), &[("limit", &limit)])
    }

    /// The connection couldn't be made or broke.
    pub(crate) fn broken(&self, error: reqwest::Error) -> Error {
        if let Some(timeout) = causes(&error).find_map(|e| e.downcast_ref::<Error>()) {
            let cause = timeout.to_string();
            return self.who.error(timeout.kind(), "error.unreachable", &[("cause", &cause)]);
        }
        let error = error.without_url();
        let cause = causes(&error).last().map(ToString::to_string).unwrap_or_default();
        let cause = self.clean(&cause);
        let (kind, key) = if causes(&error).any(is_tls_error) {
            (ErrorKind::Refused, "error.unsafe")
        } else if error.is_connect() {
            (ErrorKind::Unavailable, "error.no_connection")
        } else {
            (ErrorKind::Unavailable, "error.broken")
        };
        self.who.error(kind, key, &[("cause", &cause)]).with_source(error)
    }

    /// What an answer with an error status means.
    async fn refused(&self, response: Response) -> Failure {
        let status = response.status();
        let path = response.url().path().to_owned();
        let headers = response.headers().clone();
        let body =
            self.read(response, MAX_ERROR_BYTES, self.connect_timeout).await.unwrap_or_default();
        let body = String::from_utf8_lossy(&body);
        let is_page =
            header(&headers, CONTENT_TYPE).contains("html") || body.trim_start().starts_with('<');
        let detail = if is_page { String::new() } else { self.clean(&server_message(&body)) };
        let mut error = self.status_error(status, &detail, &path);
        if status.is_redirection() {
            let target = header(&headers, LOCATION);
            let target = target.split(['?', '#']).next().unwrap_or_default();
            let target = self.clean(target);
            error = self.who.error(ErrorKind::Refused, "error.redirect", &[("target", &target)]);
        }
        if let Some(pause) = retry_after(header(&headers, RETRY_AFTER), self.clock.now_ms()) {
            error = error.with_retry_after(pause);
        }
        Failure { error, status: Some(status), detail, given_up: false }
    }

    /// What a status means; `detail` is the server's own word, `path` what was asked for.
    pub(crate) fn status_error(&self, status: StatusCode, detail: &str, path: &str) -> Error {
        let said = if detail.is_empty() { String::new() } else { format!(": {detail}") };
        let (kind, key) = match status.as_u16() {
            // A server may repeat part of a wrong key: its own words are left out.
            401 | 403 if self.credential.key.is_some() => (ErrorKind::Refused, "wrong_key"),
            401 | 403 => (ErrorKind::Refused, "no_key"),
            402 => (ErrorKind::Refused, "payment"),
            404 => (ErrorKind::NotFound, "unknown"),
            429 => (ErrorKind::RateLimited, "pause"),
            408 | 425 | 500..=599 => (ErrorKind::Unavailable, "failed"),
            400..=499 => (ErrorKind::InvalidInput, "refused"),
            _ => (ErrorKind::BadReply, "status"),
        };
        let values = [
            ("code", status.as_str()),
            ("path", path),
            ("setting", &self.credential.setting),
            // Last, for it may hold anything.
            ("said", &said),
        ];
        self.who.error(kind, &format!("error.{key}"), &values)
    }

    /// Takes the key out of a reply: what a model says is written down.
    pub(crate) fn clean_reply(&self, reply: &mut String) {
        if let Some(key) = &self.credential.key {
            key.redact_reply(reply);
        }
    }

    /// Somebody else's words on one line, cut, without the key.
    pub(crate) fn clean(&self, words: &str) -> String {
        let words = match &self.credential.key {
            Some(key) => key.redact(words),
            None => words.to_owned(),
        };
        let mut line = words.split_whitespace().collect::<Vec<_>>().join(" ");
        line.retain(|c| !is_display_control(c));
        if line.chars().count() > MAX_DETAIL_CHARS {
            line = line.chars().take(MAX_DETAIL_CHARS).chain(['…']).collect();
        }
        line
    }
}

/// Follows a redirect only where the request itself may go again as it is; everything else comes back as an answer.
fn same_origin_only() -> Policy {
    Policy::custom(|attempt| {
        let first = attempt.previous().first().map(reqwest::Url::origin);
        let unchanged = matches!(
            attempt.status(),
            StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT
        );
        if unchanged && first == Some(attempt.url().origin()) && attempt.previous().len() <= 3 {
            attempt.follow()
        } else {
            attempt.stop()
        }
    })
}

/// TLS by ring, against the machine's own root certificates. A server on this machine without TLS needs none.
fn tls(base: &BaseUrl) -> Result<ClientConfig> {
    let internal = |e| Error::new(ErrorKind::Internal, "TLS could not be set up").with_source(e);
    let builder = || {
        ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
    };
    let without_roots = || {
        Ok(builder()
            .map_err(internal)?
            .with_root_certificates(RootCertStore::empty())
            .with_no_client_auth())
    };
    if base.is_loopback() && !base.is_encrypted() {
        return without_roots();
    }
    match builder().map_err(internal)?.with_platform_verifier() {
        Ok(config) => Ok(config.with_no_client_auth()),
        Err(_) if !base.is_encrypted() => without_roots(),
        Err(error) => Err(Error::new(
            ErrorKind::Refused,
            format!(
                "{base} can't be verified: this machine has no root certificates; install its package \
                 ca-certificates or name a file of them in SSL_CERT_FILE"
            ),
        )
        .with_source(error)),
    }
}

/// The text of a header; empty when it is missing or no text.
pub(crate) fn header(headers: &HeaderMap, name: HeaderName) -> &str {
    headers.get(name).and_then(|v| v.to_str().ok()).unwrap_or_default()
}

/// The error and everything that caused it, the outermost first.
fn causes<'a>(
    error: &'a (dyn StdError + 'static),
) -> impl Iterator<Item = &'a (dyn StdError + 'static)> {
    std::iter::successors(Some(error), |&e| match e.downcast_ref::<io::Error>() {
        // An I/O error hides the error it wraps from `source`.
        Some(io) => io.get_ref().map(|e| e as &(dyn StdError + 'static)),
        None => e.source(),
    })
}

fn is_tls_error(error: &(dyn StdError + 'static)) -> bool {
    error.is::<rustls::Error>()
}

/// What a server says about an error, whichever form it likes.
pub(crate) fn server_message(body: &str) -> String {
    let Ok(value) = serde_json::from_str::<Value>(body) else {
        return body.lines().next().unwrap_or_default().to_owned();
    };
    let text =
        ["/error/message", "/error", "/message", "/detail", "/detail/0/msg", "/0/error/message"]
            .into_iter()
            .find_map(|pointer| value.pointer(pointer)?.as_str())
            .unwrap_or_default();
    // Validation errors may repeat the input, which is a prompt.
    let end = ["'input'", "\"input\""].into_iter().filter_map(|mark| text.find(mark)).min();
    text.get(..end.unwrap_or(text.len())).unwrap_or_default().to_owned()
}
