//! Embeddings from any OpenAI-compatible endpoint.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use ouro_core::{Clock, Embedder, Error, Random, Result, cut_to_tokens};
use serde::Deserialize;
use serde_json::json;
use tracing::Instrument;

use crate::{
    api_key::Credential,
    calibration::{self, Calibration},
    http::Http,
    json_service::JsonService,
    retry::RetryPolicy,
};

/// Most bytes of one answer for each text in it: 16,384 dimensions at 16 characters a number.
const MAX_BYTES_PER_TEXT: usize = 16 * 16_384;

/// Where an embedding model is and how to use it.
#[derive(Debug, Clone)]
pub struct EmbedderConfig {
    /// With or without `/v1`, for example `http://localhost:11434`.
    pub base_url: String,
    /// The model's name, as the endpoint knows it.
    pub model: String,
    /// The key, if the endpoint wants one.
    pub credential: Credential,
    /// Longest wait for a connection.
    pub connect_timeout: Duration,
    /// Longest time for one request.
    pub timeout: Duration,
    /// Most texts in one request.
    pub batch_size: usize,
    /// Texts are cut to about so many tokens, because servers refuse what their model can't hold.
    pub max_input_tokens: u64,
    /// Put in front of every text. Models of the E5 family want `query: `.
    pub query_prefix: String,
    /// Cosine from which two questions are the same; `None` measures it on connecting, with 48 short texts.
    pub duplicate_threshold: Option<f32>,
    /// How often to try again.
    pub retry: RetryPolicy,
}

impl EmbedderConfig {
    /// The configuration of this endpoint and model; everything else as for a local server that may have to load its
    /// model: 10 s to connect, 60 s a request, 32 texts of 512 tokens each.
    pub fn new(base_url: impl Into<String>, model: impl Into<String>) -> Self {
        Self {
            base_url: base_url.into(),
            model: model.into(),
            credential: Credential::default(),
            connect_timeout: Duration::from_secs(10),
            timeout: Duration::from_secs(60),
            batch_size: 32,
            max_input_tokens: 512,
            query_prefix: String::new(),
            duplicate_threshold: None,
            retry: RetryPolicy::default(),
        }
    }
}

/// An embedding model behind an OpenAI-compatible endpoint.
#[derive(Debug)]
pub struct OpenAiEmbedder {
    client: EmbeddingClient,
    id: String,
    dimension: usize,
    threshold: f32,
    relevance_floor: Option<f32>,
    calibration: Option<Calibration>,
}

#[derive(Debug)]
struct EmbeddingClient {
    config: EmbedderConfig,
    service: JsonService,
}

#[derive(Deserialize)]
struct Reply {
    data: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    #[serde(default)]
    index: Option<usize>,
    /// JSON has no NaN: servers write null for it.
    embedding: Vec<Option<f64>>,
}

impl OpenAiEmbedder {
    /// Asks the endpoint for the model's dimension, and measures its threshold unless the configuration names one.
    ///
    /// # Errors
    /// `InvalidInput` for a wrong configuration; an embedder that gives every text the same vector is refused; else as
    /// [`Embedder::embed`].
    pub async fn connect(
        mut config: EmbedderConfig,
        clock: Arc<dyn Clock>,
        random: Arc<dyn Random>,
    ) -> Result<Self> {
        config.model = config.model.trim().to_owned();
        if config.model.is_empty() {
            return Err(Error::invalid(
                "the embedder's name is empty; `ouro doctor` lists what the endpoint serves",
            ));
        }
        if config.duplicate_threshold.is_some_and(|t| !(0.0..=1.0).contains(&t)) {
            return Err(Error::invalid("the embedder's threshold must lie between 0 and 1"));
        }
        let http = Http::new(
            ("embedder", &config.model),
            &config.base_url,
            config.credential.clone(),
            config.connect_timeout,
            clock.clone(),
        )?;
        let service = JsonService {
            http,
            clock,
            random,
            route: "embeddings",
            timeout: config.timeout,
            nothing_came: "no_vectors",
            not_the_form: "reply.no_embeddings",
            retry: config.retry,
            rest: Mutex::default(),
        };
        let client = EmbeddingClient { config, service };
        let texts = match client.config.duplicate_threshold {
            Some(_) => vec!["What does this program do?".to_owned()],
            None => calibration::texts(),
        };
        let vectors = client.embed(&texts).await?;
        let dimension = vectors.first().map_or(0, Vec::len);
        let (threshold, calibration) = match client.config.duplicate_threshold {
            Some(threshold) => (threshold, None),
            None => {
                let calibration = Calibration::of_vectors(&vectors)?;
                if calibration.is_blind() {
                    return Err(client.service.http.bad_reply("reply.same_vectors", &[]));
                }
                if !calibration.separates() {
                    tracing::warn!(
                        model = client.config.model,
                        ?calibration,
                        "this embedder hardly tells questions apart"
                    );
                }
                (calibration.threshold, Some(calibration))
            }
        };
        let relevance_floor =
            calibration.and_then(|_: Calibration| calibration::highest_unrelated(&vectors));
        let prefix: String =
            client.config.query_prefix.chars().filter(|c| c.is_alphanumeric()).collect();
        let id = match prefix.as_str() {
            "" => format!("{}-{dimension}", client.config.model),
            // Another prefix makes other vectors.
            prefix => format!("{}-{prefix}-{dimension}", client.config.model),
        };
        Ok(Self { client, id, dimension, threshold, relevance_floor, calibration })
    }

    /// Numbers in each vector.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// What was measured on connecting; `None` when the configuration names the threshold.
    pub fn calibration(&self) -> Option<Calibration> {
        self.calibration
    }
}

#[async_trait]
impl Embedder for OpenAiEmbedder {
    fn id(&self) -> &str {
        &self.id
    }

    fn duplicate_threshold(&self) -> f32 {
        self.threshold
    }

    fn relevance_floor(&self) -> f32 {
        self.relevance_floor.unwrap_or(self.threshold).min(self.threshold)
    }

    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>> {
        let call = tracing::info_span!("call", embedder = self.id);
        let vectors = self.client.embed(texts).instrument(call).await?;
        match vectors.iter().find(|v| v.len() != self.dimension) {
            Some(other) => {
                let (now, before) = (other.len().to_string(), self.dimension.to_string());
                let values = [("now", now.as_str()), ("before", before.as_str())];
                Err(self.client.service.http.bad_reply("reply.other_vectors", &values))
            }
            None => Ok(vectors),
        }
    }
}

impl EmbeddingClient {
    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>> {
        if texts.iter().any(|t| t.trim().is_empty()) {
            return Err(Error::invalid("an empty text can't be embedded"));
        }
        let mut vectors = Vec::with_capacity(texts.len());
        for batch in texts.chunks(self.config.batch_size.max(1)) {
            let batch: Vec<String> = batch
                .iter()
                .map(|text| {
                    format!(
                        "{}{}",
                        self.config.query_prefix,
                        cut_to_tokens(text, self.config.max_input_tokens)
                    )
                })
                .collect();
            let body = json!({"model": self.config.model, "input": batch});
            let reply = self.service.ask(&body, MAX_BYTES_PER_TEXT * batch.len()).await?;
            vectors.extend(self.check(reply, batch.len())?);
        }
        Ok(vectors)
    }

    fn check(&self, mut reply: Reply, expected: usize) -> Result<Vec<Vec<f32>>> {
        let bad = |key: &str| Err(self.service.http.bad_reply(key, &[]));
        if reply.data.len() != expected {
            let (count, expected) = (reply.data.len().to_string(), expected.to_string());
            let values = [("count", count.as_str()), ("expected", expected.as_str())];
            return Err(self.service.http.bad_reply("reply.vector_count", &values));
        }
        reply.data.sort_by_key(|item| item.index);
        let dimension = reply.data.first().map_or(0, |item| item.embedding.len());
        let mut vectors = Vec::with_capacity(expected);
        for item in reply.data {
            if item.embedding.len() != dimension || dimension == 0 {
                return bad("reply.uneven_vectors");
            }
            let mut vector: Vec<f32> =
                item.embedding.into_iter().map(|x| x.map_or(f32::NAN, |x| x as f32)).collect();
            if !normalise(&mut vector) {
                return bad("reply.useless_vector");
            }
            vectors.push(vector);
        }
        Ok(vectors)
    }
}

/// Scales a vector to length 1; false when it has no direction.
pub(crate) fn normalise(vector: &mut [f32]) -> bool {
    let length = vector.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
    if !length.is_finite() || length < 1e-12 {
        return false;
    }
    for x in vector {
        #[allow(clippy::cast_possible_truncation, reason = "a number of at most 1")]
        let scaled = (f64::from(*x) / length) as f32;
        *x = scaled;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_vector_with_a_direction_is_normalised() {
        let mut vector = [3.0, 4.0];
        assert!(normalise(&mut vector));
        assert_eq!(vector, [0.6, 0.8]);
        for wrong in [[0.0, 0.0], [f32::NAN, 1.0], [f32::INFINITY, 1.0]] {
            assert!(!normalise(&mut wrong.clone()), "{wrong:?}");
        }
    }
}
