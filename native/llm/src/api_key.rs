//! A key that never shows itself.

use std::fmt;

use ouro_core::{Error, Result};
use reqwest::header::HeaderValue;

/// Fewer bytes keep nothing secret.
const MIN_SECRET_BYTES: usize = 16;

/// An API key. Neither [`Debug`](fmt::Debug) nor any error shows it.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

impl ApiKey {
    /// Takes a key; white space around it, as copied along, is dropped.
    ///
    /// # Errors
    /// `InvalidInput` when it is empty or holds anything but visible ASCII; the message doesn't repeat it.
    pub fn new(key: &str) -> Result<Self> {
        let key = key.trim();
        if key.is_empty() {
            return Err(Error::invalid(
                "the API key is empty; leave it out for a server that needs none",
            ));
        }
        if !key.bytes().all(|b| b.is_ascii_graphic()) {
            return Err(Error::invalid(
                "the API key holds a space, line break or letter outside ASCII; copy it again, and nothing with it",
            ));
        }
        Ok(Self(key.to_owned()))
    }

    /// The value of the `Authorization` header, marked so that no log shows it.
    pub(crate) fn header(&self) -> Result<HeaderValue> {
        let mut value = HeaderValue::try_from(format!("Bearer {}", self.0))
            .map_err(|_| Error::invalid("the API key can't be sent in a header"))?;
        value.set_sensitive(true);
        Ok(value)
    }

    /// `text` without the key.
    pub(crate) fn redact(&self, text: &str) -> String {
        text.replace(&self.0, "[key]")
    }

    /// A reply without the key, which a proxy may repeat. A short key stays: local servers are given words such as
    /// `ollama`, which a reply may well use.
    pub(crate) fn redact_reply(&self, reply: &mut String) {
        if self.0.len() >= MIN_SECRET_BYTES && reply.contains(&self.0) {
            *reply = self.redact(reply);
        }
    }
}

/// The key for an endpoint and where its user sets it.
#[derive(Debug, Clone)]
pub struct Credential {
    /// The key; `None` for an endpoint that wants none.
    pub key: Option<ApiKey>,
    /// Where the key is set, for messages in any language, for example `` `$OURO_API_KEY` ``.
    pub setting: String,
}

impl Default for Credential {
    /// No key, and no more than "the settings" to say about where one is set.
    fn default() -> Self {
        Self { key: None, setting: "the settings".to_owned() }
    }
}

impl From<ApiKey> for Credential {
    fn from(key: ApiKey) -> Self {
        Self { key: Some(key), ..Self::default() }
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey([key])")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_itself_nowhere() {
        let key = ApiKey::new("  sk-secret-123\n").unwrap();
        assert_eq!(key, ApiKey::new("sk-secret-123").unwrap());
        let shown =
            format!("{key:?} {:?} {}", key.header().unwrap(), key.redact("bad key sk-secret-123!"));
        assert!(!shown.contains("secret"), "{shown}");
    }

    #[test]
    fn a_reply_loses_the_key_but_not_a_word() {
        let mut reply = "Called ollama with sk-secret-123-456-789.".to_owned();
        ApiKey::new("ollama").unwrap().redact_reply(&mut reply);
        ApiKey::new("sk-secret-123-456-789").unwrap().redact_reply(&mut reply);
        assert_eq!(reply, "Called ollama with [key].");
    }

    #[test]
    fn refuses_what_is_no_key_without_repeating_it() {
        for wrong in ["", "  ", "sk secret", "sk\u{2011}secret", "sk\nsecret"] {
            let error = ApiKey::new(wrong).unwrap_err();
            assert!(!error.message().contains("secret"), "{error}");
        }
    }
}
