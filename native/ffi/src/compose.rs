//! Puts a project together: this file alone knows which adapter stands behind which port.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use ouro_core::{
    Clock, Error, ErrorKind, ProjectKey, Random, Reasoner, RecordStore, Reranker, Result,
    SeededRandom, SharedEmbedder, SystemClock, Tool, ToolRegistry,
};
use ouro_engine::{EventSink, ExpertConsult, ModelReasoner, OfflineReasoner, Project, Recall};
use ouro_guard::{DoomLoopGuard, GuardConfig};
use ouro_llm::{
    ChatConfig, EmbedderConfig, HashEmbedder, HttpReranker, LateEmbedder, OpenAiChat,
    OpenAiEmbedder, RerankerConfig,
};
use ouro_store::SledStore;
use ouro_tools::{ProjectFiles, TantivyIndex};

use crate::{
    endpoint::{credential, model_name},
    host::Outbox,
    host_tool::{Calls, HostTool},
    replacing_tool::{HostEdits, ReplacingTool},
    wire::{Endpoint, OpenRequest, Settings},
};

/// What stays while the settings of a project change.
pub(crate) struct Opened {
    /// The project's folder.
    pub(crate) root: PathBuf,
    /// Its store.
    pub(crate) store: Arc<dyn RecordStore>,
    /// Time.
    pub(crate) clock: Arc<dyn Clock>,
    key: ProjectKey,
    data: PathBuf,
    random: Arc<dyn Random>,
    host_tools: Vec<Arc<HostTool>>,
    events: EventSink,
    /// The host's edits.
    pub(crate) edits: HostEdits,
}

/// What thinks for a project.
pub(crate) struct Minds {
    reasoner: Arc<dyn Reasoner>,
    embedder: SharedEmbedder,
    reranker: Option<Arc<dyn Reranker>>,
}

/// What a project is made of.
pub(crate) struct Parts {
    /// The parts of the loop.
    pub(crate) project: Project,
    /// The library's own tools, those too that the host replaced.
    pub(crate) own_tools: ToolRegistry,
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

/// Opens the store. Blocks on the disk.
pub(crate) fn open(
    request: OpenRequest,
    (root, key): (PathBuf, ProjectKey),
    host: &HostPorts,
    events: EventSink,
) -> Result<Opened> {
    request.settings.evolution.validate()?;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let mut host_tools = Vec::new();
    for tool in request.tools {
        let (calls, outbox) = (host.calls.clone(), host.outbox.clone());
        let tool = HostTool::new(tool, key.to_string(), calls, outbox, clock.clone())?;
        host_tools.push(Arc::new(tool));
    }
    let data = data_dir(request.data_dir.as_deref())?;
    let store = open_store(&data.join(key.as_str()), &key, &clock)?;
    let random = Arc::new(SeededRandom::from_system());
    let edits = HostEdits::default();
    Ok(Opened { root, store, clock, key, data, random, host_tools, events, edits })
}

/// Makes what thinks, and waits for the servers that are named.
pub(crate) async fn connect(opened: &Opened, settings: &Settings) -> Result<Minds> {
    settings.evolution.validate()?;
    let Opened { clock, random, .. } = opened;
    let reasoner = reasoner(settings, clock, random).await?;
    let embedder = embedder(settings.embedder.as_ref(), clock, random).await?;
    let reranker = reranker(settings.reranker.as_ref(), clock, random)?;
    Ok(Minds { reasoner, embedder, reranker })
}

/// Puts everything around the store. Its guard reads the store's state, so no other loop may run. Blocks on the disk.
pub(crate) fn assemble(opened: &Opened, settings: &Settings, minds: Minds) -> Result<Parts> {
    let Opened { root, store, clock, random, .. } = opened;
    let Minds { reasoner, embedder, reranker } = minds;
    let files = ProjectFiles::open(root, &opened.data, &settings.excluded, clock.clone())?;
    let source = Arc::new(files.source().clone());
    let mut own_tools = ToolRegistry::new();
    files.tools()?.into_iter().for_each(|tool| own_tools.register(tool));
    let mut recall = Recall::new(
        store.clone(),
        embedder.clone(),
        source.clone(),
        Arc::new(files.documents()),
        Arc::new(TantivyIndex::new()),
        Arc::new(TantivyIndex::new()),
    );
    if let Some(reranker) = reranker {
        recall = recall.with_reranker(reranker);
    }
    own_tools.register(Arc::new(ExpertConsult::new(recall.clone())));
    let mut tools = own_tools.clone();
    for tool in &opened.host_tools {
        tools.register(in_place(tool.clone(), &own_tools, &opened.edits));
    }

    let guard = DoomLoopGuard::open(
        store.clone(),
        &GuardConfig {
            reasoner: reasoner.id().to_owned(),
            ..GuardConfig::from(&settings.evolution)
        },
        embedder.clone(),
        Arc::new(HashEmbedder),
        clock.clone(),
        random.clone(),
    )?;
    let project = Project {
        key: opened.key.clone(),
        config: settings.evolution.clone(),
        store: store.clone(),
        guard: Arc::new(guard),
        detection: checked(detection(settings, reasoner.id())?)?,
        reasoner,
        embedder,
        tools,
        source,
        clock: clock.clone(),
        random: random.clone(),
        events: opened.events.clone(),
    };
    Ok(Parts { project, own_tools, recall, has_model: settings.model.is_some() })
}

/// The host's tool, which may stand in the place of one of the library's own.
fn in_place(tool: Arc<HostTool>, own_tools: &ToolRegistry, edits: &HostEdits) -> Arc<dyn Tool> {
    match own_tools.get(&tool.spec().name).cloned() {
        Some(replaced) => Arc::new(ReplacingTool { tool, replaced, edits: edits.clone() }),
        None => tool,
    }
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

fn open_store(
    folder: &Path,
    key: &ProjectKey,
    clock: &Arc<dyn Clock>,
) -> Result<Arc<dyn RecordStore>> {
    ouro_store::make_folder(folder).map_err(|error| {
        let message = format!("{} can't be made: choose another data_dir", folder.display());
        Error::new(ErrorKind::Storage, message).with_source(error)
    })?;
    // What had to be mended is logged by the store.
    let (store, _) = SledStore::open(folder, key.clone(), clock.clone())?;
    Ok(Arc::new(store))
}

async fn reasoner(
    settings: &Settings,
    clock: &Arc<dyn Clock>,
    random: &Arc<dyn Random>,
) -> Result<Arc<dyn Reasoner>> {
    let Some(endpoint) = &settings.model else {
        return Ok(Arc::new(OfflineReasoner::new(settings.seed)));
    };
    let name = model_name(endpoint, clock).await?;
    let config = ChatConfig {
        credential: credential(endpoint)?,
        ..ChatConfig::new(&endpoint.base_url, &name)
    };
    let chat = Arc::new(OpenAiChat::new(config, clock.clone(), random.clone())?);
    Ok(Arc::new(ModelReasoner::new(chat, detection(settings, &name)?)))
}

async fn embedder(
    endpoint: Option<&Endpoint>,
    clock: &Arc<dyn Clock>,
    random: &Arc<dyn Random>,
) -> Result<SharedEmbedder> {
    let Some(endpoint) = endpoint.cloned() else { return Ok(Arc::new(HashEmbedder)) };
    let name = endpoint.model.clone().unwrap_or_else(|| endpoint.base_url.clone());
    let parts = (endpoint, clock.clone(), random.clone());
    let connect = move || connected_embedder(parts.0.clone(), parts.1.clone(), parts.2.clone());
    Ok(Arc::new(LateEmbedder::connect(name, clock.clone(), connect).await?))
}

async fn connected_embedder(
    endpoint: Endpoint,
    clock: Arc<dyn Clock>,
    random: Arc<dyn Random>,
) -> Result<SharedEmbedder> {
    let name = model_name(&endpoint, &clock).await?;
    let config = EmbedderConfig {
        credential: credential(&endpoint)?,
        query_prefix: endpoint.query_prefix,
        ..EmbedderConfig::new(&endpoint.base_url, name)
    };
    Ok(Arc::new(OpenAiEmbedder::connect(config, clock, random).await?))
}

fn reranker(
    endpoint: Option<&Endpoint>,
    clock: &Arc<dyn Clock>,
    random: &Arc<dyn Random>,
) -> Result<Option<Arc<dyn Reranker>>> {
    let Some(endpoint) = endpoint else { return Ok(None) };
    let model = endpoint.model.clone().unwrap_or_default();
    let config = RerankerConfig {
        credential: credential(endpoint)?,
        ..RerankerConfig::new(&endpoint.base_url, model)
    };
    Ok(Some(Arc::new(HttpReranker::new(config, clock.clone(), random.clone())?)))
}

fn detection(settings: &Settings, model: &str) -> Result<ouro_detect::Config> {
    let given = settings.detection.as_ref().map_or_else(
        || Ok(ouro_detect::Config::default()),
        |thresholds| ouro_detect::Config::from_json(&thresholds.to_string()),
    );
    given
        .and_then(|config| config.for_model(model))
        .map_err(|error| Error::invalid(format!("`detection`: {error}")))
}

fn checked(detection: ouro_detect::Config) -> Result<Arc<ouro_detect::CheckedConfig>> {
    ouro_detect::CheckedConfig::new(detection)
        .map(Arc::new)
        .map_err(|error| Error::invalid(error.to_string()))
}
