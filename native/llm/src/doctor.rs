//! Looks at an endpoint and says in words what is wrong.

use std::{sync::Arc, time::Duration};

use ouro_core::{Clock, ErrorKind, Result, clock::with_timeout};
use serde_json::Value;

use crate::{api_key::Credential, base_url::BaseUrl, http::Http};

/// Most bytes of a list of models.
const MAX_LIST_BYTES: usize = 4 << 20;

/// What an endpoint showed of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndpointReport {
    /// The base URL as it is used.
    pub base_url: String,
    /// The models it lists, sorted; empty when it keeps no list.
    pub models: Vec<String>,
    /// What may be wrong, each in a sentence with the way to mend it; empty when all is well.
    pub problems: Vec<String>,
}

/// Asks an endpoint for its models within `timeout` and looks whether `model` is among them.
///
/// # Errors
/// As [`ouro_core::ChatModel::chat`], when the endpoint can't be used at all.
pub async fn check_endpoint(
    base_url: &str,
    model: &str,
    credential: &Credential,
    timeout: Duration,
    clock: Arc<dyn Clock>,
) -> Result<EndpointReport> {
    let base = BaseUrl::parse(base_url)?;
    let http = Http::new(("endpoint", ""), base_url, credential.clone(), timeout, clock.clone())?;
    let mut report =
        EndpointReport { base_url: base.to_string(), models: Vec::new(), problems: Vec::new() };
    if credential.key.is_some() && base.is_exposed() {
        report.problems.push(format!(
            "the key travels to {base} unencrypted; use https:// if the server has it"
        ));
    }
    let listing = async {
        let response = http.get("models").await?;
        http.read(response, MAX_LIST_BYTES, timeout).await
    };
    let body = match with_timeout(&*clock, timeout, "listing", listing).await {
        Err(_) => return Err(http.timeout("no_list", timeout)),
        // Not every server keeps a list.
        Ok(Err(error)) if error.kind() == ErrorKind::NotFound => {
            report.problems.push(format!(
                "{} lists no models: the name `{model}` could not be checked",
                http.who()
            ));
            return Ok(report);
        }
        Ok(body) => body?,
    };
    let Ok(list) = serde_json::from_slice::<Value>(&body) else {
        let is_page = body.trim_ascii_start().starts_with(b"<");
        return Err(if is_page { http.web_page() } else { http.bad_reply("reply.no_models", &[]) });
    };
    let models = list.get("data").or_else(|| list.get("models")).unwrap_or(&list).as_array();
    report.models = models
        .into_iter()
        .flatten()
        .filter_map(|m| m.get("id").or_else(|| m.get("name")).or(Some(m))?.as_str())
        .map(str::to_owned)
        .collect();
    report.models.sort_unstable();
    if report.models.is_empty() {
        report.problems.push(format!("{} serves no model; load or pull one there", http.who()));
    } else if !report.models.iter().any(|m| is_named(m, model)) {
        report.problems.push(format!(
            "{} does not serve `{model}`; it serves {}",
            http.who(),
            listed(&report.models)
        ));
    }
    Ok(report)
}

/// Whether a listed model is meant by this name: Ollama lists `qwen3:latest` and answers to `qwen3`.
fn is_named(listed: &str, model: &str) -> bool {
    listed == model || listed.strip_suffix(":latest") == Some(model)
}

/// The first ten names.
fn listed(models: &[String]) -> String {
    let names: Vec<String> = models.iter().take(10).map(|m| format!("`{m}`")).collect();
    match models.len().saturating_sub(names.len()) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names.join(", ")),
    }
}
