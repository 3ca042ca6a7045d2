//! Where an endpoint is.

use std::{fmt, net::IpAddr};

use ouro_core::{Error, Result};
use reqwest::Url;

/// The checked base URL of an OpenAI-compatible endpoint, without a slash at its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BaseUrl(Url);

/// What people paste along with the base URL.
const ROUTES: [&str; 4] = ["/chat/completions", "/completions", "/embeddings", "/models"];

impl BaseUrl {
    /// Reads a base URL: with or without `/v1` or a slash at its end; a bare host means its `/v1`.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let text = text.trim();
        let wrong = |why: &str| Err(Error::invalid(format!("the model's base URL {why}")));
        if text.is_empty() {
            return wrong("is empty; give one such as http://localhost:11434/v1");
        }
        if !text.contains("://") {
            return wrong(&format!(
                "`{text}` lacks its scheme; write http://{text} or https://{text}"
            ));
        }
        let Ok(mut url) = Url::parse(text) else {
            return wrong(&format!(
                "`{text}` is no URL; give one such as http://localhost:11434/v1"
            ));
        };
        // Credentials are not repeated.
        if !url.username().is_empty() || url.password().is_some() {
            return wrong("holds a user name or password; give the key as API key instead");
        }
        if url.query().is_some() || url.fragment().is_some() {
            return wrong("holds a `?` or `#`; give it without, and a key as API key");
        }
        if !matches!(url.scheme(), "http" | "https") {
            return wrong(&format!("`{text}` must begin with http:// or https://"));
        }
        let path = url.path().trim_end_matches('/');
        let path = ROUTES.into_iter().find_map(|route| path.strip_suffix(route)).unwrap_or(path);
        let path = match path.trim_end_matches('/') {
            "" => "/v1".to_owned(),
            path => path.to_owned(),
        };
        url.set_path(&path);
        Ok(Self(url))
    }

    /// The URL of a route such as `chat/completions`.
    pub(crate) fn route(&self, route: &str) -> Url {
        let mut url = self.0.clone();
        url.set_path(&format!("{}/{route}", self.0.path()));
        url
    }

    /// Whether requests are encrypted.
    pub(crate) fn is_encrypted(&self) -> bool {
        self.0.scheme() == "https"
    }

    /// Whether requests leave the machine unencrypted.
    pub(crate) fn is_exposed(&self) -> bool {
        !self.is_encrypted() && !self.is_loopback()
    }

    /// Whether the endpoint is on this machine.
    pub(crate) fn is_loopback(&self) -> bool {
        let host = self.0.host_str().unwrap_or_default();
        let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
        host == "localhost"
            || host.ends_with(".localhost")
            || address.is_ok_and(|a| a.is_loopback())
    }
}

/// Whether what is sent to this base URL, a key too, can be read on its way.
pub fn sends_in_the_clear(base_url: &str) -> bool {
    BaseUrl::parse(base_url).is_ok_and(|base| base.is_exposed())
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_write_a_base_url_leads_to_the_same_routes() {
        for (text, chat) in [
            ("http://localhost:11434", "http://localhost:11434/v1/chat/completions"),
            ("http://localhost:11434/", "http://localhost:11434/v1/chat/completions"),
            ("http://localhost:11434/v1", "http://localhost:11434/v1/chat/completions"),
            (" http://localhost:11434/v1// ", "http://localhost:11434/v1/chat/completions"),
            (
                "https://api.openai.com/v1/chat/completions",
                "https://api.openai.com/v1/chat/completions",
            ),
            ("https://api.openai.com/v1/models/", "https://api.openai.com/v1/chat/completions"),
            (
                "https://HOST.example/compatible-mode/v1",
                "https://host.example/compatible-mode/v1/chat/completions",
            ),
            (
                "https://host.example/api/paas/v4/",
                "https://host.example/api/paas/v4/chat/completions",
            ),
            ("http://[::1]:8080", "http://[::1]:8080/v1/chat/completions"),
        ] {
            assert_eq!(BaseUrl::parse(text).unwrap().route("chat/completions").as_str(), chat);
        }
    }

    #[test]
    fn a_wrong_base_url_is_refused_with_the_way_to_mend_it() {
        for (text, hint) in [
            ("", "http://localhost:11434/v1"),
            ("localhost:11434", "http://localhost:11434"),
            ("ftp://host/v1", "http:// or https://"),
            ("http://", "is no URL"),
            ("http://user:secret@host/v1", "API key"),
            ("http://host/v1?key=secret", "API key"),
        ] {
            let error = BaseUrl::parse(text).unwrap_err();
            assert!(
                error.message().contains(hint) && !error.message().contains("secret"),
                "{error}"
            );
        }
    }

    #[test]
    fn knows_this_machine() {
        for (text, loopback) in [
            ("http://localhost:1", true),
            ("http://127.0.0.9", true),
            ("http://[::1]:8080", true),
            ("http://models.localhost", true),
            ("http://localhost.example", false),
            ("https://10.0.0.1", false),
        ] {
            assert_eq!(BaseUrl::parse(text).unwrap().is_loopback(), loopback, "{text}");
        }
    }
}
