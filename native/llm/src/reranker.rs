//! Scores from any endpoint with the `rerank` route of Jina and Cohere, which llama.cpp, vLLM and others serve too.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use ouro_core::{Clock, Error, Random, Reranker, Result, cut_to_tokens};
use serde::Deserialize;
use serde_json::json;
use tracing::Instrument;

use crate::{api_key::Credential, http::Http, json_service::JsonService, retry::RetryPolicy};

/// Most bytes of an answer beside the texts, which some servers send back, for each of them.
const MAX_BYTES_PER_SCORE: usize = 1_024;

/// Where a reranking model is and how to use it.
#[derive(Debug, Clone)]
pub struct RerankerConfig {
    /// With or without `/v1`, for example `http://localhost:8080`.
    pub base_url: String,
    /// The model's name, as the endpoint knows it.
    pub model: String,
    /// The key, if the endpoint wants one.
    pub credential: Credential,
    /// Longest wait for a connection.
    pub connect_timeout: Duration,
    /// Longest time for one request.
    pub timeout: Duration,
    /// Texts are cut to about so many tokens, because servers refuse what their model can't hold.
    pub max_input_tokens: u64,
    /// How often to try again.
    pub retry: RetryPolicy,
}

impl RerankerConfig {
    /// The configuration of this endpoint and model; everything else for somebody who waits for an answer: 5 s to connect,
    /// 20 s a request, one attempt, 400 tokens of each text (most models hold 512 together with the query).
    pub fn new(base_url: impl Into<String>, model: impl Into<String>) -> Self {
        Self {
            base_url: base_url.into(),
            model: model.into(),
            credential: Credential::default(),
            connect_timeout: Duration::from_secs(5),
            timeout: Duration::from_secs(20),
            max_input_tokens: 400,
            retry: RetryPolicy { max_attempts: 1, ..RetryPolicy::default() },
        }
    }
}

/// A reranking model behind an endpoint.
#[derive(Debug)]
pub struct HttpReranker {
    model: String,
    max_input_tokens: u64,
    service: JsonService,
}

#[derive(Deserialize)]
struct Reply {
    results: Vec<Judged>,
}

#[derive(Deserialize)]
struct Judged {
    index: usize,
    /// JSON has no NaN: servers write null for it.
    relevance_score: Option<f32>,
}

impl HttpReranker {
    /// A reranker. Nothing is sent before it is needed.
    ///
    /// # Errors
    /// `InvalidInput` for a wrong base URL or an empty name; `Refused` when an encrypted endpoint can't be verified.
    pub fn new(
        config: RerankerConfig,
        clock: Arc<dyn Clock>,
        random: Arc<dyn Random>,
    ) -> Result<Self> {
        let model = config.model.trim().to_owned();
        if model.is_empty() {
            return Err(Error::invalid("the reranker's name is empty"));
        }
        let http = Http::new(
            ("reranker", &model),
            &config.base_url,
            config.credential,
            config.connect_timeout,
            clock.clone(),
        )?;
        let service = JsonService {
            http,
            clock,
            random,
            route: "rerank",
            timeout: config.timeout,
            nothing_came: "no_scores",
            not_the_form: "reply.no_scores",
            retry: config.retry,
            rest: Mutex::default(),
        };
        Ok(Self { model, max_input_tokens: config.max_input_tokens, service })
    }

    /// One score for each text. Servers send the best first, and name the text's place.
    fn check(&self, reply: Reply, expected: usize) -> Result<Vec<f32>> {
        let mut scores = vec![None; expected];
        for judged in reply.results {
            if let Some(score) = scores.get_mut(judged.index) {
                *score = judged.relevance_score.filter(|score| score.is_finite());
            }
        }
        let complete: Option<Vec<f32>> = scores.into_iter().collect();
        complete.ok_or_else(|| {
            self.service
                .http
                .bad_reply("reply.missing_scores", &[("expected", &expected.to_string())])
        })
    }
}

#[async_trait]
impl Reranker for HttpReranker {
    async fn scores(&self, query: &str, texts: &[String]) -> Result<Vec<f32>> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let texts: Vec<&str> =
            texts.iter().map(|text| cut_to_tokens(text, self.max_input_tokens)).collect();
        let query = cut_to_tokens(query, self.max_input_tokens);
        let body = json!({"model": self.model, "query": query, "documents": texts});
        let limit = 2 * body.to_string().len() + MAX_BYTES_PER_SCORE * texts.len();
        let call = tracing::info_span!("call", reranker = self.model);
        let reply = self.service.ask(&body, limit).instrument(call).await?;
        self.check(reply, texts.len())
    }
}
