//! Puts a project together: this file alone knows which adapter stands behind which port.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use ouro_core::{
    Clock, Error, ErrorKind, ProjectAnalysis, ProjectKey, Random, Reasoner, RecordStore, Result,
    SeededRandom, SharedEmbedder, SystemClock, ToolRegistry,
};
use ouro_engine::{EventSink, ExpertConsult, ModelReasoner, OfflineReasoner, Project, Recall};
use ouro_guard::{DoomLoopGuard, GuardConfig};
use ouro_llm::{ApiKey, ChatConfig, EmbedderConfig, HashEmbedder, OpenAiChat, OpenAiEmbedder};
use ouro_store::SledStore;
use ouro_tools::{
    ProjectRoot, ProjectScanner, ScanOptions, SharedAnalysis, TantivyIndex, code_documents,
    native_tools,
};

use crate::{
    host::Outbox,
    host_tool::{Calls, HostTool},
    wire::{Endpoint, OpenRequest},
};

/// Most bytes of code in the index that searches use.
const CODE_INDEX_BYTES: usize = 16 << 20;

/// What a project is made of.
pub(crate) struct Parts {
    /// The parts of the loop.
    pub(crate) project: Project,
    /// The search over what is known.
    pub(crate) recall: Recall,
    /// Whether a model answers, which the built-in reasoner can't.
    pub(crate) has_model: bool,
}

/// The ways to the host.
pub(crate) struct HostPorts {
    pub(crate) calls: Arc<Calls>,
    pub(crate) outbox: Outbox,
}

/// A project's folder and its name.
pub(crate) fn place(request: &OpenRequest) -> Result<(PathBuf, ProjectKey)> {
    let shown = &request.project_root;
    let root = Path::new(shown).canonicalize().map_err(|error| {
        let kind = match error.kind() {
            std::io::ErrorKind::NotFound => ErrorKind::NotFound,
            _ => ErrorKind::Refused,
        };
        Error::new(kind, format!("the project root {shown} can't be opened")).with_source(error)
    })?;
    if !root.is_dir() {
        return Err(Error::invalid(format!("the project root {shown} is no folder")));
    }
    let key = ProjectKey::for_root(&root);
    Ok((root, key))
}

/// Opens the store and puts everything around it. Blocks on the disk, and on the embedder's server where one is named.
pub(crate) async fn compose(
    request: OpenRequest,
    (root, key): (PathBuf, ProjectKey),
    host: HostPorts,
    events: EventSink,
) -> Result<Parts> {
    request.evolution.validate()?;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let random: Arc<dyn Random> = Arc::new(SeededRandom::from_system());
    let data = data_dir(request.data_dir.as_deref())?;
    let excluded = excluded(&root, &data, &request.excluded);
    let store = open_store(&data.join(key.as_str()), &key, &clock)?;
    let reasoner = reasoner(request.model.as_ref(), request.seed, &clock, &random)?;
    let embedder = embedder(request.embedder.as_ref(), &clock, &random).await?;

    let scan = ScanOptions { excluded: excluded.clone(), ..ScanOptions::default() };
    let scanner = ProjectScanner::new(&root, scan, Arc::new(SystemClock::new()))?;
    let source = SharedAnalysis::new(Arc::new(scanner));
    let project_root = ProjectRoot::open(&root)?;
    let mut tools = ToolRegistry::new();
    for tool in native_tools(&project_root, &source, &excluded)? {
        tools.register(tool);
    }
    let recall = Recall::new(
        store.clone(),
        embedder.clone(),
        Arc::new(source.clone()),
        Arc::new(move |analysis: &ProjectAnalysis| {
            code_documents(analysis, &project_root, CODE_INDEX_BYTES)
        }),
        Arc::new(TantivyIndex::new()),
        Arc::new(TantivyIndex::new()),
    );
    tools.register(Arc::new(ExpertConsult::new(recall.clone())));
    for tool in request.tools {
        let (calls, outbox) = (host.calls.clone(), host.outbox.clone());
        let tool = HostTool::new(tool, key.to_string(), calls, outbox, clock.clone())?;
        tools.register(Arc::new(tool));
    }

    let guard = DoomLoopGuard::open(
        store.clone(),
        &GuardConfig::from(&request.evolution),
        embedder.clone(),
        Arc::new(HashEmbedder),
        clock.clone(),
        random.clone(),
    )?;
    let project = Project {
        key,
        config: request.evolution,
        store,
        guard: Arc::new(guard),
        detection: detection(reasoner.id())?,
        reasoner,
        embedder,
        tools,
        source: Arc::new(source),
        clock,
        random,
        events,
    };
    Ok(Parts { project, recall, has_model: request.model.is_some() })
}

fn data_dir(chosen: Option<&str>) -> Result<PathBuf> {
    let default =
        || directories::ProjectDirs::from("", "", "ouro").map(|d| d.data_dir().to_owned());
    let data = chosen.map(PathBuf::from).or_else(default).ok_or_else(|| {
        Error::invalid("this user has no home folder: choose a folder with data_dir")
    })?;
    std::path::absolute(&data).map_err(|error| {
        Error::invalid(format!("data_dir {} can't be made absolute", data.display()))
            .with_source(error)
    })
}

/// What the host excludes, and Ouro's own data where it lies inside the project.
fn excluded(root: &Path, data: &Path, globs: &[String]) -> Vec<String> {
    let mut excluded = globs.to_vec();
    if let Ok(inside) = data.strip_prefix(root) {
        let inside = inside.to_string_lossy().replace('\\', "/");
        if !inside.is_empty() {
            excluded.push(format!("{inside}/**"));
        }
    }
    excluded
}

fn open_store(
    folder: &Path,
    key: &ProjectKey,
    clock: &Arc<dyn Clock>,
) -> Result<Arc<dyn RecordStore>> {
    std::fs::create_dir_all(folder).map_err(|error| {
        let message = format!("{} can't be made: choose another data_dir", folder.display());
        Error::new(ErrorKind::Storage, message).with_source(error)
    })?;
    // What had to be mended is logged by the store.
    let (store, _) = SledStore::open(folder, key.clone(), clock.clone())?;
    Ok(Arc::new(store))
}

fn reasoner(
    model: Option<&Endpoint>,
    seed: u64,
    clock: &Arc<dyn Clock>,
    random: &Arc<dyn Random>,
) -> Result<Arc<dyn Reasoner>> {
    let Some(endpoint) = model else { return Ok(Arc::new(OfflineReasoner::new(seed))) };
    let config = ChatConfig {
        api_key: api_key(endpoint)?,
        ..ChatConfig::new(&endpoint.base_url, &endpoint.model)
    };
    let chat = Arc::new(OpenAiChat::new(config, clock.clone(), random.clone())?);
    Ok(Arc::new(ModelReasoner::new(chat, detection(&endpoint.model)?)))
}

async fn embedder(
    endpoint: Option<&Endpoint>,
    clock: &Arc<dyn Clock>,
    random: &Arc<dyn Random>,
) -> Result<SharedEmbedder> {
    let Some(endpoint) = endpoint else { return Ok(Arc::new(HashEmbedder)) };
    let config = EmbedderConfig {
        api_key: api_key(endpoint)?,
        ..EmbedderConfig::new(&endpoint.base_url, &endpoint.model)
    };
    Ok(Arc::new(OpenAiEmbedder::connect(config, clock.clone(), random.clone()).await?))
}

fn api_key(endpoint: &Endpoint) -> Result<Option<ApiKey>> {
    endpoint.api_key.as_deref().map(ApiKey::new).transpose()
}

fn detection(model: &str) -> Result<ouro_detect::Config> {
    ouro_detect::Config::default()
        .for_model(model)
        .map_err(|error| Error::invalid(error.to_string()))
}
