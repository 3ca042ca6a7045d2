//! Puts the parts together: this file alone knows which adapter stands behind which port.

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use anyhow::{Context, bail};
use async_trait::async_trait;
use indicatif::ProgressBar;
use ouro_core::{
    Clock, Error, EvolutionConfig, ProjectAnalysis, ProjectSource, Random, Reasoner, RecordStore,
    Reranker, SeededRandom, SharedEmbedder, SystemClock, ToolRegistry,
};
use ouro_engine::{EventSink, ExpertConsult, ModelReasoner, OfflineReasoner, Project, Recall};
use ouro_guard::{DoomLoopGuard, GuardConfig};
use ouro_llm::HashEmbedder;
use ouro_store::SledStore;
use ouro_tools::{ProjectFiles, ScanOptions, TantivyIndex};
use rust_i18n::t;
use tokio_util::sync::CancellationToken;

use crate::{
    args::{EvolveArgs, Global, ModelArgs},
    commands::detect,
    left_out, models, output,
    place::Place,
    scanning,
};

/// A project's data, opened.
pub(crate) struct Opened {
    /// Where it is.
    pub(crate) place: Place,
    /// Its store.
    pub(crate) store: Arc<dyn RecordStore>,
    /// Time.
    pub(crate) clock: Arc<dyn Clock>,
    /// Randomness.
    pub(crate) random: Arc<dyn Random>,
}

/// As [`open_with_or_without_database`], and says what can't be read when the database is not open.
pub(crate) fn open_to_read(
    global: &Global,
    project: &Path,
) -> anyhow::Result<(Opened, Option<Error>)> {
    let (opened, without_database) = open_with_or_without_database(global, project)?;
    if let Some(why) = &without_database {
        output::note(&t!("store.records_only", locale = global.language().tag(), why = why));
    }
    Ok((opened, without_database))
}

/// Opens the data of a project about which something is known, for a command that only reads: it works while another
/// process has the store, and on a disk that can't be written. Returns why, then.
pub(crate) fn open_with_or_without_database(
    global: &Global,
    project: &Path,
) -> anyhow::Result<(Opened, Option<Error>)> {
    let place = Place::find_data(global, project)?;
    place.require_data()?;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let read = ouro_store::open_to_read(&place.data, place.key.clone(), clock.clone())?;
    read.report.messages.iter().for_each(|message| output::note(message));
    let random = Arc::new(SeededRandom::from_system());
    Ok((Opened { place, store: read.store, clock, random }, read.without_database))
}

/// Opens the data of a project about which something is known, to change it.
pub(crate) fn open_existing(global: &Global, project: &Path) -> anyhow::Result<Opened> {
    let place = Place::find_data(global, project)?;
    place.require_data()?;
    open(place)
}

fn open(place: Place) -> anyhow::Result<Opened> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    ouro_store::make_folder(&place.data).with_context(|| {
        format!("{} can't be made: choose another folder with --data-dir", place.data.display())
    })?;
    let (store, report) = SledStore::open(&place.data, place.key.clone(), clock.clone())?;
    for message in &report.messages {
        // A repair is nothing that may pass unseen, whatever the log level.
        output::note(message);
    }
    // Ids must differ from run to run, whatever the seed: that one is the reasoner's.
    let random = Arc::new(SeededRandom::from_system());
    Ok(Opened { place, store: Arc::new(store), clock, random })
}

/// Everything a run needs. Fails before anything is learnt when a part of it can't work.
pub(crate) async fn evolving_project(
    global: &Global,
    args: &EvolveArgs,
    config: EvolutionConfig,
    events: EventSink,
    line: &ProgressBar,
) -> anyhow::Result<(Place, Project)> {
    let place = Place::find(global, &args.project.project)?;
    let detection = detect::thresholds(args.detection.as_deref())?;
    let files = files(&place, &args.exclude)?;
    let analysis = scanning::wait_on(line, global, files.progress(), refresh(&files)).await?;
    require_content(&place, &analysis)?;
    say_what_was_left_out(global, &args.project.project, &analysis);
    let opened = open(place.clone())?;
    models::note_exposed_keys(global, &args.models);
    let reasoner: Arc<dyn Reasoner> =
        match model_reasoner(&opened, &args.models, &detection).await? {
            Some(reasoner) => reasoner,
            None => Arc::new(OfflineReasoner::new(args.seed)),
        };
    let (embedder, _) = models::late_embedder(&args.models, &opened.clock, &opened.random).await?;
    let recall = recall_over(&opened, embedder.clone(), &files);
    let recall = with_reranker(global, recall, &opened, &args.models)?;
    let mut tools = ToolRegistry::new();
    files.tools()?.into_iter().for_each(|tool| tools.register(tool));
    tools.register(Arc::new(ExpertConsult::new(recall)));
    let detection = detection.for_model(reasoner.id())?;
    let detection = Arc::new(ouro_detect::CheckedConfig::new(detection)?);
    let project = Project {
        key: place.key.clone(),
        guard: Arc::new(guard(&opened, &config, reasoner.id(), embedder.clone())?),
        config,
        store: opened.store,
        reasoner,
        detection,
        embedder,
        tools,
        source: Arc::new(files.source().clone()),
        clock: opened.clock,
        random: opened.random,
        events,
    };
    Ok((place, project))
}

/// The guard of a project whose loop doesn't run.
pub(crate) fn resting_guard(
    opened: &Opened,
    config: &EvolutionConfig,
) -> anyhow::Result<DoomLoopGuard> {
    guard(opened, config, "", Arc::new(HashEmbedder))
}

fn guard(
    opened: &Opened,
    config: &EvolutionConfig,
    reasoner: &str,
    embedder: SharedEmbedder,
) -> anyhow::Result<DoomLoopGuard> {
    Ok(DoomLoopGuard::open(
        opened.store.clone(),
        &GuardConfig { reasoner: reasoner.to_owned(), ..GuardConfig::from(config) },
        embedder,
        Arc::new(HashEmbedder),
        opened.clock.clone(),
        opened.random.clone(),
    )?)
}

/// A search over what is known, with the embedder and the reranker that these arguments name, and the files that it scans.
pub(crate) async fn recall(
    global: &Global,
    opened: &Opened,
    models: &ModelArgs,
) -> anyhow::Result<(Recall, Option<ProjectFiles>)> {
    let (embedder, away) = models::late_embedder(models, &opened.clock, &opened.random).await?;
    if let Some(reason) = away {
        let (locale, reason) = (global.language().tag(), output::in_one_line(&reason.into()));
        output::note(&t!("ask.embedder_away", locale = locale, reason = reason));
    }
    if !opened.place.is_there() {
        let recall = with_reranker(global, recall_without_code(opened, embedder), opened, models)?;
        return Ok((recall, None));
    }
    let files = files(&opened.place, &[])?;
    let recall = with_reranker(global, recall_over(opened, embedder, &files), opened, models)?;
    Ok((recall, Some(files)))
}

fn with_reranker(
    global: &Global,
    recall: Recall,
    opened: &Opened,
    models: &ModelArgs,
) -> anyhow::Result<Recall> {
    Ok(match models::reranker(models, &opened.clock, &opened.random)? {
        Some(reranker) => {
            let (locale, told) = (global.language().tag(), AtomicBool::new(false));
            let noted = NotingReranker { reranker, locale, told };
            recall.with_reranker(Arc::new(noted))
        }
        None => recall,
    })
}

/// Tells the user once that the reranker fails.
struct NotingReranker {
    reranker: Arc<dyn Reranker>,
    locale: &'static str,
    told: AtomicBool,
}

#[async_trait]
impl Reranker for NotingReranker {
    async fn scores(&self, query: &str, texts: &[String]) -> Result<Vec<f32>, Error> {
        let scores = self.reranker.scores(query, texts).await;
        if let Err(reason) = &scores
            && !self.told.swap(true, Ordering::Relaxed)
        {
            output::note(&t!("ask.reranker_away", locale = self.locale, reason = reason));
        }
        scores
    }
}

/// A search that sends nothing anywhere.
pub(crate) fn recall_offline(opened: &Opened) -> anyhow::Result<Recall> {
    if !opened.place.is_there() {
        return Ok(recall_without_code(opened, Arc::new(HashEmbedder)));
    }
    Ok(recall_over(opened, Arc::new(HashEmbedder), &files(&opened.place, &[])?))
}

/// A project that is not there any more: nothing can be read in it.
struct Gone;

impl ProjectSource for Gone {
    fn refresh(&self, _: &CancellationToken) -> Result<Arc<ProjectAnalysis>, Error> {
        Ok(Arc::default())
    }
}

/// A search over the records of a project that is not there any more.
fn recall_without_code(opened: &Opened, embedder: SharedEmbedder) -> Recall {
    Recall::new(
        opened.store.clone(),
        embedder,
        Arc::new(Gone),
        Arc::new(|_| Vec::new()),
        Arc::new(TantivyIndex::new()),
        Arc::new(TantivyIndex::new()),
    )
}

fn recall_over(opened: &Opened, embedder: SharedEmbedder, files: &ProjectFiles) -> Recall {
    Recall::new(
        opened.store.clone(),
        embedder,
        Arc::new(files.source().clone()),
        Arc::new(files.documents()),
        Arc::new(TantivyIndex::new()),
        Arc::new(TantivyIndex::new()),
    )
}

/// The reasoner over the chosen model; `None` for offline.
pub(crate) async fn model_reasoner(
    opened: &Opened,
    args: &ModelArgs,
    detection: &ouro_detect::Config,
) -> anyhow::Result<Option<Arc<dyn Reasoner>>> {
    let Some(chat) = models::chat(args, &opened.clock, &opened.random).await? else {
        return Ok(None);
    };
    let detection = detection.for_model(chat.id())?;
    Ok(Some(Arc::new(ModelReasoner::new(chat, detection))))
}

/// One scan of the project.
pub(crate) async fn scan(global: &Global, place: &Place) -> anyhow::Result<Arc<ProjectAnalysis>> {
    let files = files(place, &[])?;
    scanning::wait(global, files.progress(), refresh(&files)).await
}

/// Scans the files; whoever drops it ends the scan.
async fn refresh(files: &ProjectFiles) -> anyhow::Result<Arc<ProjectAnalysis>> {
    let source = files.source().clone();
    let cancel = CancellationToken::new();
    let _end = cancel.clone().drop_guard();
    Ok(tokio::task::spawn_blocking(move || source.refresh(&cancel)).await??)
}

/// The project's files without what the user excludes.
fn files(place: &Place, globs: &[String]) -> anyhow::Result<ProjectFiles> {
    let data = place.data.parent().unwrap_or(&place.data);
    Ok(ProjectFiles::open(&place.root, data, globs, Arc::new(SystemClock::new()))?)
}

fn require_content(place: &Place, analysis: &ProjectAnalysis) -> anyhow::Result<()> {
    if analysis.files.is_empty() && left_out::excluded(analysis) > 0 {
        bail!(
            "{} holds no file that can be read but those that --exclude leaves out: leave out less",
            place.root.display()
        );
    }
    if analysis.files.is_empty() {
        bail!(
            "{} holds no file that can be read: give the root folder of a project (`ouro doctor` says what was left out)",
            place.root.display()
        );
    }
    Ok(())
}

fn say_what_was_left_out(global: &Global, project: &Path, analysis: &ProjectAnalysis) {
    let (locale, project) = (global.language().tag(), output::word(project));
    let count = left_out::unreadable(analysis);
    if count > 0 {
        output::note(&t!("evolve.left_out", locale = locale, count = count, project = project));
    }
    let count = left_out::too_many(analysis);
    if count > 0 {
        let limit = ScanOptions::default().max_files;
        output::note(&t!(
            "evolve.too_many",
            locale = locale,
            limit = limit,
            count = count,
            project = project
        ));
    }
}
