//! Identities: of a project, of a record, of anything that is compared by its content.

use std::{fmt, path::Path, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, de::Error as _};
use sha2::{Digest, Sha256};
use ulid::Ulid;

use crate::{Clock, Error, Random, Result};

/// Names one project everywhere: in the store, in logs, on the wire.
///
/// 1 to 100 characters out of `A-Z a-z 0-9 . _ -`, so that it can be a folder's name.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ProjectKey(String);

impl ProjectKey {
    /// The key of the project at a canonical root: its folder's name and 12 digits of the path's hash.
    pub fn for_root(canonical_root: &Path) -> Self {
        let name: String = canonical_root
            .file_name()
            .map(|n| n.to_string_lossy().into_owned())
            .unwrap_or_default()
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || c == '.' || c == '_' { c } else { '-' })
            .take(60)
            .collect();
        let name = name.trim_matches(['.', '-']);
        let name = if name.is_empty() { "project" } else { name };
        let digits: String =
            sha256_hex(canonical_root.as_os_str().as_encoded_bytes()).chars().take(12).collect();
        Self(format!("{name}-{digits}"))
    }

    /// The key as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for ProjectKey {
    type Error = Error;

    fn try_from(value: String) -> Result<Self> {
        let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        if value.is_empty()
            || value.len() > 100
            || value.starts_with('.')
            || !value.chars().all(legal)
        {
            return Err(Error::invalid(format!(
                "project key {value:?} must be 1 to 100 characters out of A-Z a-z 0-9 . _ - and not start with a dot"
            )));
        }
        Ok(Self(value))
    }
}

impl FromStr for ProjectKey {
    type Err = Error;

    fn from_str(s: &str) -> Result<Self> {
        Self::try_from(s.to_owned())
    }
}

impl From<ProjectKey> for String {
    fn from(key: ProjectKey) -> Self {
        key.0
    }
}

impl fmt::Display for ProjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Names one learning or failure record; sorts by the time it was made (a ULID).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct RecordId(Ulid);

/// What is no id is told as by [`FromStr`]: the ULID's own error names neither.
impl<'de> Deserialize<'de> for RecordId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(|error: Error| D::Error::custom(error.message()))
    }
}

impl RecordId {
    /// A new id from the injected clock and randomness.
    pub fn new(clock: &dyn Clock, random: &dyn Random) -> Self {
        let ms = u64::try_from(clock.now_ms()).unwrap_or(0);
        let entropy = (u128::from(random.next_u64()) << 64) | u128::from(random.next_u64());
        Self(Ulid::from_parts(ms, entropy))
    }

    /// The 16 bytes of the id, big-endian: sort by time.
    pub fn to_bytes(self) -> [u8; 16] {
        self.0.to_bytes()
    }

    /// The id in those 16 bytes.
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(Ulid::from_bytes(bytes))
    }
}

impl FromStr for RecordId {
    type Err = Error;

    fn from_str(s: &str) -> Result<Self> {
        Ulid::from_string(s).map(Self).map_err(|e| {
            Error::invalid(format!("{s:?} is not a record id (26 letters and digits): {e}"))
        })
    }
}

impl fmt::Display for RecordId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// SHA-256 of `bytes` in lower-case hex (64 characters).
pub fn sha256_hex(bytes: &[u8]) -> String {
    use fmt::Write;
    Sha256::digest(bytes).iter().fold(String::with_capacity(64), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SeededRandom, SystemClock};

    #[test]
    fn a_key_is_a_folder_name_and_differs_for_each_root() {
        let key = ProjectKey::for_root(Path::new("/home/me/My Project (new)"));
        assert!(key.as_str().starts_with("My-Project--new-"), "{key}");
        assert_eq!(key.as_str().parse::<ProjectKey>().unwrap(), key);
        assert_ne!(key, ProjectKey::for_root(Path::new("/srv/My Project (new)")));
        assert!(ProjectKey::for_root(Path::new("/")).as_str().starts_with("project-"));
        assert!(ProjectKey::for_root(Path::new("/项目")).as_str().starts_with("project-"));
    }

    #[test]
    fn a_key_that_could_leave_its_folder_is_refused() {
        for bad in ["", ".", "..", "../x", "a/b", "a\\b", "a b", &"x".repeat(101)] {
            let error = bad.parse::<ProjectKey>().unwrap_err();
            assert!(error.message().contains("1 to 100"), "{bad:?}: {error}");
        }
        assert!(serde_json::from_str::<ProjectKey>("\"../x\"").is_err());
    }

    #[test]
    fn record_ids_survive_every_form_and_differ() {
        let (clock, random) = (SystemClock::new(), SeededRandom::new(3));
        let id = RecordId::new(&clock, &random);
        assert_ne!(id, RecordId::new(&clock, &random));
        assert_eq!(id.to_string().parse::<RecordId>().unwrap(), id);
        assert_eq!(RecordId::from_bytes(id.to_bytes()), id);
        let json = serde_json::to_string(&id).unwrap();
        assert_eq!((json.len(), serde_json::from_str::<RecordId>(&json).unwrap()), (28, id));
        assert!("not an id".parse::<RecordId>().unwrap_err().message().contains("record id"));
        let read = serde_json::from_str::<RecordId>(r#""not an id""#).unwrap_err().to_string();
        assert!(read.contains(r#""not an id" is not a record id"#), "{read}");
    }

    #[test]
    fn the_hash_is_the_published_one() {
        // FIPS 180-2, the message "abc".
        assert_eq!(
            sha256_hex(b"abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}
