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
    retry::retry_after,
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
    /// For messages, for example ``model `qwen3` at http://localhost:11434/v1``.
    who: String,
}

/// A request that brought nothing, with what the server said about it.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) error: Error,
    /// The status, if the server answered.
    pub(crate) status: Option<StatusCode>,
    /// The server's own words.
    pub(crate) detail: String,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self { error, status: None, detail: String::new() }
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        failure.error
    }
}

impl Http {
    /// A client; `subject` is what messages call it, for example ``model `qwen3` ``.
    ///
    /// # Errors
    /// `InvalidInput` for a wrong base URL; `Refused` when an encrypted endpoint can't be verified because the machine
    /// has no root certificates.
    pub(crate) fn new(
        subject: &str,
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
        let who = format!("{subject} at {base}");
        Ok(Self { client, base, credential, connect_timeout, clock, who })
    }

    /// What messages call the other side.
    pub(crate) fn who(&self) -> &str {
        &self.who
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
                .map_err(|_| self.timeout("sent nothing more", idle))?
                .map_err(|e| self.broken(e))?;
            let Some(chunk) = chunk else { return Ok(body) };
            body.extend_from_slice(&chunk);
            if body.len() > limit {
                return Err(self.bad_reply(&format!("did not end its answer within {limit} bytes")));
            }
        }
    }

    /// ``model `x` at URL did this``: an answer that is no use.
    pub(crate) fn bad_reply(&self, what: &str) -> Error {
        Error::new(ErrorKind::BadReply, format!("{} {what}", self.who))
    }

    /// The answer is a page for people.
    pub(crate) fn web_page(&self) -> Error {
        self.bad_reply(
            "answered with what looks like a web page; check the base URL, it often ends with /v1",
        )
    }

    /// ``model `x` at URL did this for N s``.
    pub(crate) fn timeout(&self, what: &str, limit: Duration) -> Error {
        Error::new(
            ErrorKind::Timeout,
            format!(
                "{} {what} for {}; it may be loading or overloaded",
                self.who,
                ouro_core::clock::in_words(limit)
            ),
        )
    }

    /// The connection couldn't be made or broke.
    pub(crate) fn broken(&self, error: reqwest::Error) -> Error {
        let who = &self.who;
        if let Some(timeout) = causes(&error).find_map(|e| e.downcast_ref::<Error>()) {
            return Error::new(
                timeout.kind(),
                format!("{who} can't be reached: {timeout}; check the base URL and the network"),
            );
        }
        let error = error.without_url();
        let cause = causes(&error).last().map(ToString::to_string).unwrap_or_default();
        let cause = self.clean(&cause);
        let (kind, message) = if causes(&error).any(is_tls_error) {
            (
                ErrorKind::Refused,
                format!(
                    "no safe connection to {who}: {cause}; check its certificate, and http or https in the base URL"
                ),
            )
        } else if error.is_connect() {
            (
                ErrorKind::Unavailable,
                format!("can't connect to {who}: {cause}; is the server running?"),
            )
        } else {
            (
                ErrorKind::Unavailable,
                format!(
                    "the connection to {who} broke: {cause}; check that the base URL is that of a model server"
                ),
            )
        };
        Error::new(kind, message).with_source(error)
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
            error = Error::new(
                ErrorKind::Refused,
                format!(
                    "{} redirects to `{}`, which is not followed; if that is right, make it the base URL",
                    self.who,
                    self.clean(target)
                ),
            );
        }
        if let Some(pause) = retry_after(header(&headers, RETRY_AFTER), self.clock.now_ms()) {
            error = error.with_retry_after(pause);
        }
        Failure { error, status: Some(status), detail }
    }

    /// What a status means; `detail` is the server's own word, `path` what was asked for.
    pub(crate) fn status_error(&self, status: StatusCode, detail: &str, path: &str) -> Error {
        let who = &self.who;
        let said = if detail.is_empty() { String::new() } else { format!(": {detail}") };
        let code = status.as_u16();
        let (kind, message) = match code {
            // A server may repeat part of a wrong key: its own words are left out.
            401 | 403 if self.credential.key.is_some() => (
                ErrorKind::Refused,
                format!(
                    "{who} refused the API key ({code}); check the key in {} and what it may use",
                    self.credential.setting
                ),
            ),
            401 | 403 => (
                ErrorKind::Refused,
                format!(
                    "{who} asks for an API key ({code}) and none is set; it belongs in {}",
                    self.credential.setting
                ),
            ),
            402 => (ErrorKind::Refused, format!("{who} asks for payment (402){said}")),
            404 => (
                ErrorKind::NotFound,
                format!(
                    "{who} does not know the model or the path {path} (404){said}; check the model's name and the base URL"
                ),
            ),
            429 => (
                ErrorKind::RateLimited,
                format!(
                    "{who} asks for a pause (429){said}; run again later, or choose another model"
                ),
            ),
            408 | 425 | 500..=599 => {
                (ErrorKind::Unavailable, format!("{who} failed ({code}){said}; try again later"))
            }
            400..=499 => {
                (ErrorKind::InvalidInput, format!("{who} refused the request ({code}){said}"))
            }
            _ => (
                ErrorKind::BadReply,
                format!("{who} answered with the unexpected status {code}{said}"),
            ),
        };
        Error::new(kind, message)
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
