//! What a model's endpoint says of itself.

use std::{sync::Arc, time::Duration};

use ouro_core::{Clock, Error, Result};
use ouro_llm::{ApiKey, Credential, check_endpoint};

use crate::wire::{Endpoint, EndpointReport};

/// Longest wait for an endpoint's list of models.
const LIST_LIMIT: Duration = Duration::from_secs(10);

/// The endpoint's key.
pub(crate) fn credential(endpoint: &Endpoint) -> Result<Credential> {
    let key = endpoint.api_key.as_deref().map(ApiKey::new).transpose()?;
    Ok(Credential { key, ..Credential::default() })
}

/// The model that is named, or the only one that the endpoint serves.
pub(crate) async fn model_name(endpoint: &Endpoint, clock: &Arc<dyn Clock>) -> Result<String> {
    if let Some(model) = &endpoint.model {
        return Ok(model.clone());
    }
    let report = check(endpoint, clock).await?;
    report.model.ok_or_else(|| Error::invalid(report.problems.join("; ")))
}

/// Asks an endpoint what it serves. A name that is missing is a problem where there is more than one to choose from.
pub(crate) async fn check(endpoint: &Endpoint, clock: &Arc<dyn Clock>) -> Result<EndpointReport> {
    let credential = credential(endpoint)?;
    let name = endpoint.model.as_deref().unwrap_or_default();
    let report =
        check_endpoint(&endpoint.base_url, name, &credential, LIST_LIMIT, clock.clone()).await?;
    let ouro_llm::EndpointReport { base_url, models, mut problems } = report;
    let mut model = endpoint.model.clone();
    if model.is_none() {
        // What it says of a model without a name helps nobody.
        problems.retain(|problem| !problem.contains("``"));
        match models.as_slice() {
            [only] => model = Some(only.clone()),
            [] => problems.push(format!("{base_url} doesn't say what it serves: name a model")),
            several => problems.push(format!("choose a model: {}", several.join(", "))),
        }
    }
    Ok(EndpointReport { base_url, model, models, problems })
}
