//! The chosen model and embedder, connected.

use std::{ops::ControlFlow, sync::Arc, time::Duration};

use anyhow::{Context, bail};
use ouro_core::{
    ChatMessage, ChatModel, ChatRequest, ChatRole, Clock, Error, ErrorKind, Random, ReplyDelta,
    ReplyObserver, Reranker, SharedEmbedder,
};
use ouro_llm::{
    ApiKey, ChatConfig, Credential, EmbedderConfig, HashEmbedder, HttpReranker, LateEmbedder,
    OpenAiChat, OpenAiEmbedder, RerankerConfig, RetryPolicy, check_endpoint, sends_in_the_clear,
};
use rust_i18n::t;

use crate::{
    args::{Global, ModelArgs},
    output,
};

/// Longest wait for an endpoint's list of models.
const LIST_LIMIT: Duration = Duration::from_secs(10);

/// The chosen chat model; `None` for offline.
pub(crate) async fn chat(
    args: &ModelArgs,
    clock: &Arc<dyn Clock>,
    random: &Arc<dyn Random>,
) -> anyhow::Result<Option<Arc<dyn ChatModel>>> {
    if args.llm == "offline" {
        no_model_without_server(args)?;
        return Ok(None);
    }
    let credential = credential(&args.api_key_env)?;
    let model = match &args.model {
        Some(model) => model.clone(),
        None => only_model(&args.llm, &credential, "--model", clock).await?,
    };
    let config = ChatConfig { credential, ..ChatConfig::new(&args.llm, model) };
    Ok(Some(Arc::new(OpenAiChat::new(config, clock.clone(), random.clone())?)))
}

fn no_model_without_server(args: &ModelArgs) -> anyhow::Result<()> {
    match args.model {
        Some(_) => bail!("--model names a model of a server: give that server with --llm URL"),
        None => Ok(()),
    }
}

/// The chosen embedder.
pub(crate) async fn embedder(
    args: &ModelArgs,
    clock: &Arc<dyn Clock>,
    random: &Arc<dyn Random>,
) -> anyhow::Result<SharedEmbedder> {
    if args.embedder == "hash" && args.embedder_model.is_some() {
        bail!("--embedder-model names a model of a server: give that server with --embedder URL");
    }
    if args.embedder == "hash" {
        return Ok(Arc::new(HashEmbedder));
    }
    // Not the model's key: that one belongs to another server.
    let credential = credential(&args.embedder_key_env)?;
    let model = match &args.embedder_model {
        Some(model) => model.clone(),
        None => only_model(&args.embedder, &credential, "--embedder-model", clock).await?,
    };
    let query_prefix = args.embedder_prefix.clone();
    let config =
        EmbedderConfig { credential, query_prefix, ..EmbedderConfig::new(&args.embedder, model) };
    Ok(Arc::new(OpenAiEmbedder::connect(config, clock.clone(), random.clone()).await?))
}

/// The chosen embedder, connected at once or when its server is there; why it isn't yet.
pub(crate) async fn late_embedder(
    args: &ModelArgs,
    clock: &Arc<dyn Clock>,
    random: &Arc<dyn Random>,
) -> anyhow::Result<(SharedEmbedder, Option<Error>)> {
    if args.embedder == "hash" {
        return Ok((embedder(args, clock, random).await?, None));
    }
    let name = args.embedder_model.as_ref().unwrap_or(&args.embedder);
    let parts = Arc::new((args.clone(), clock.clone(), random.clone()));
    let connect = move || {
        let parts = parts.clone();
        async move { embedder(&parts.0, &parts.1, &parts.2).await.map_err(in_words) }
    };
    let late = LateEmbedder::connect(name, clock.clone(), connect).await?;
    let away = late.away();
    Ok((Arc::new(late), away))
}

/// An error with what was to be done when it came.
fn in_words(error: anyhow::Error) -> Error {
    let kind = error.downcast_ref::<Error>().map_or(ErrorKind::InvalidInput, Error::kind);
    Error::new(kind, output::in_one_line(&error)).with_source(error.into_boxed_dyn_error())
}

/// The chosen reranker, if any. Nothing is asked of it yet.
pub(crate) fn reranker(
    args: &ModelArgs,
    clock: &Arc<dyn Clock>,
    random: &Arc<dyn Random>,
) -> anyhow::Result<Option<Arc<dyn Reranker>>> {
    let (Some(url), Some(model)) = (&args.reranker, &args.reranker_model) else { return Ok(None) };
    let credential = credential(&args.reranker_key_env)?;
    let config = RerankerConfig { credential, ..RerankerConfig::new(url, model) };
    Ok(Some(Arc::new(HttpReranker::new(config, clock.clone(), random.clone())?)))
}

/// What the reranker says of two texts of which one answers the query, in words; the problem, when there is one.
pub(crate) async fn describe_reranker(
    args: &ModelArgs,
    clock: &Arc<dyn Clock>,
    random: &Arc<dyn Random>,
) -> anyhow::Result<String> {
    let (Some(reranker), Some(model)) = (reranker(args, clock, random)?, &args.reranker_model)
    else {
        return Ok("none: the ranks of the searches decide".into());
    };
    let texts = ["A lamp gives light.", "The capital of France is Paris."].map(str::to_owned);
    let scores = reranker.scores("What is the capital of France?", &texts).await?;
    match scores.as_slice() {
        [other, answer] if answer > other => {
            Ok(format!("{model} finds the answer among two texts"))
        }
        _ => bail!(
            "{model} takes `{}` for an answer to `What is the capital of France?`: it is no reranker, or not loaded whole",
            texts[0]
        ),
    }
}

/// Says once for each server that a key travels there as anybody on the way can read it.
pub(crate) fn note_exposed_keys(global: &Global, args: &ModelArgs) {
    let servers = [(&args.llm, &args.api_key_env), (&args.embedder, &args.embedder_key_env)];
    let reranker = args.reranker.iter().map(|url| (url, &args.reranker_key_env));
    let mut told = Vec::new();
    for (url, variable) in servers.into_iter().chain(reranker) {
        let has_key = credential(variable).is_ok_and(|credential| credential.key.is_some());
        if has_key && sends_in_the_clear(url) && !told.contains(&url) {
            let locale = global.language().tag();
            output::note(&t!("models.exposed_key", locale = locale, url = url, name = variable));
            told.push(url);
        }
    }
}

/// What the chat endpoint says of itself, and that its model answers, in words; the problem, when there is one.
pub(crate) async fn describe_chat(
    args: &ModelArgs,
    clock: &Arc<dyn Clock>,
    random: &Arc<dyn Random>,
) -> anyhow::Result<String> {
    if args.llm == "offline" {
        no_model_without_server(args)?;
        return Ok("offline: no model, nothing is sent anywhere".into());
    }
    let credential = credential(&args.api_key_env)?;
    let model = match &args.model {
        Some(model) => model.clone(),
        None => only_model(&args.llm, &credential, "--model", clock).await?,
    };
    let report = check_endpoint(&args.llm, &model, &credential, LIST_LIMIT, clock.clone()).await?;
    if !report.problems.is_empty() {
        bail!("{}", report.problems.join("; "));
    }
    // Many servers list their models to anybody and want a key for a chat.
    let asked = clock.monotonic();
    let retry = RetryPolicy { max_attempts: 1, ..RetryPolicy::default() };
    let config = ChatConfig { credential, retry, ..ChatConfig::new(&args.llm, &model) };
    let chat = OpenAiChat::new(config, clock.clone(), random.clone())?;
    match chat.chat(&one_word(), &mut FirstWord).await {
        Err(error) if error.kind() != ErrorKind::Cancelled => return Err(error.into()),
        _ => {}
    }
    let seconds = clock.monotonic().saturating_sub(asked).as_secs_f64();
    Ok(format!("{model} at {} answers after {seconds:.1} s", report.base_url))
}

/// The least that can be asked of a model.
fn one_word() -> ChatRequest {
    let text = "Answer with one word: ready".to_owned();
    ChatRequest {
        messages: vec![ChatMessage { role: ChatRole::User, content: text }],
        schema: None,
        max_tokens: 16,
        token_budget: 64,
        temperature: 0.0,
    }
}

/// Breaks a reply off as soon as there is one: whether it is reasoning or content doesn't matter.
struct FirstWord;

impl ReplyObserver for FirstWord {
    fn on_delta(&mut self, _: ReplyDelta<'_>) -> ControlFlow<String> {
        ControlFlow::Break("it answers".to_owned())
    }
}

/// The only model that an endpoint serves; an error that names the option where it must be chosen.
async fn only_model(
    base_url: &str,
    credential: &Credential,
    option: &str,
    clock: &Arc<dyn Clock>,
) -> anyhow::Result<String> {
    let report =
        check_endpoint(base_url, "", credential, LIST_LIMIT, clock.clone()).await.with_context(
            || format!("no model was named with {option}, and the endpoint can't be asked"),
        )?;
    match report.models.as_slice() {
        [only] => Ok(only.clone()),
        [] => bail!("{} doesn't say what it serves: name a model with {option}", report.base_url),
        several => bail!("choose a model with {option}: {}", several.join(", ")),
    }
}

/// The key from the environment; never from the command line, where every process could read it.
fn credential(variable: &str) -> anyhow::Result<Credential> {
    // What is no name may be the key itself, and is not repeated.
    if !variable.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
        bail!(
            "--api-key-env, --embedder-key-env and --reranker-key-env take the name of an environment variable that holds the key, \
             never the key itself"
        );
    }
    let key = match std::env::var(variable) {
        Ok(key) if !key.trim().is_empty() => {
            Some(ApiKey::new(&key).with_context(|| format!("in ${variable}"))?)
        }
        _ => None,
    };
    Ok(Credential { key, setting: format!("`${variable}`") })
}
