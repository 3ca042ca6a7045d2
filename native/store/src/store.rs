//! The durable store behind the port.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard,
        atomic::{AtomicU64, Ordering},
    },
};

use ouro_core::{
    AskedQuestion, CachedToolCall, Change, Clock, Counters, Error, ErrorKind, EvolutionLog,
    FailureRecord, GuardState, InFlight, LearningRecord, ProjectKey, ProjectMemory, RecordId,
    RecordQuery, RecordStore, Result, StoredVector, VectorCatalog, VectorHit, VectorRole,
    VectorSearch,
};

use crate::{
    OpenReport,
    codec::{Sequenced, Stored, decode},
    compaction, disk,
    key::{Key, Kind},
    open,
    plan::Plan,
    renew,
    state::State,
    vectors::{Space, Spaces},
};

/// One project's durable store.
///
/// Only one can be open per folder, in all processes: share it behind an [`Arc`].
pub struct SledStore {
    project_key: ProjectKey,
    clock: Arc<dyn Clock>,
    /// Apart from the state: whoever looks after a write that hangs must not wait for it.
    dir: PathBuf,
    state: RwLock<State>,
    /// Held by whoever changes the store, before the state: a copy of the database is made while it can be read.
    writing: Mutex<()>,
    /// Searched without waiting for a commit.
    spaces: Arc<Spaces>,
    records_revision: AtomicU64,
}

impl SledStore {
    /// Opens the store of a project in its own folder, or makes it. Damaged parts are rebuilt from the sound ones;
    /// the report says what was done.
    ///
    /// Blocks: some milliseconds, up to a second when the store is just being closed, longer when it is rebuilt.
    ///
    /// # Errors
    /// `InUse` names the process that has it open, this one included. `TooNew` when a newer Ouro wrote it. `Storage`
    /// when the folder can't be written. `InvalidInput` when it holds another project's store.
    pub fn open(
        dir: &Path,
        project_key: ProjectKey,
        clock: Arc<dyn Clock>,
    ) -> Result<(Self, OpenReport)> {
        let (state, report) = open::open(dir, &project_key, clock.now_ms())?;
        let spaces = state.vectors.spaces();
        let (state, records_revision) = (RwLock::new(state), AtomicU64::new(0));
        let (dir, writing) = (dir.to_owned(), Mutex::new(()));
        Ok((Self { project_key, clock, dir, state, writing, spaces, records_revision }, report))
    }

    /// The vectors of an embedder and role; `None` when there are none. The first time, they are read from their file.
    fn space(&self, embedder: &str, role: VectorRole) -> Result<Option<Arc<Space>>> {
        if let Some(space) = self.spaces.get(embedder, role) {
            return Ok(Some(space));
        }
        // Nothing is committed between the reading and the keeping.
        let state = self.read();
        state.vectors.space(embedder, role, |id| state.index.records.contains_key(&id))
    }

    fn read(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin_writing(&self) -> MutexGuard<'_, ()> {
        self.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The ids of a page, newest first.
fn page(state: &State, query: &RecordQuery) -> impl Iterator<Item = RecordId> {
    let limit = if query.limit == 0 { usize::MAX } else { query.limit };
    let before = query.before;
    let newest_first = state.index.records.keys().rev().copied();
    newest_first.filter(move |id| before.is_none_or(|before| *id < before)).take(limit)
}

/// The value of a key that has one at most.
fn single<T: Stored + Default>(state: &State, key: &Key, what: &str) -> Result<T> {
    state.tree.get(key)?.map_or_else(|| Ok(T::default()), |bytes| decode(what, &bytes))
}

/// Every value of a kind.
fn all<T: Stored>(state: &State, kind: Kind, what: &str) -> Result<Vec<T>> {
    state.tree.scan(kind, kind)?.iter().map(|(_, bytes)| decode(what, bytes)).collect()
}

impl RecordStore for SledStore {
    fn project_key(&self) -> &ProjectKey {
        &self.project_key
    }

    fn commit(&self, changes: &[Change]) -> Result<()> {
        changes.iter().try_for_each(|change| change.check(&self.project_key))?;
        let _writing = self.begin_writing();
        let mut state = self.write();
        state.check_writable()?;
        let mut plan = Plan::new(&state.index, self.clock.now_ms());
        changes.iter().try_for_each(|change| plan.add(change, |id| state.record(id)))?;
        let planned = plan.finish();
        let touches_records = !planned.entries.is_empty();
        state.write(planned)?;
        if touches_records {
            self.records_revision.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    }

    fn record(&self, id: RecordId) -> Result<LearningRecord> {
        let state = self.read();
        if !state.index.records.contains_key(&id) {
            return Err(Error::new(
                ErrorKind::NotFound,
                format!("project {} has no record {id}", self.project_key),
            ));
        }
        state.record(id)
    }

    fn records(&self, query: &RecordQuery) -> Result<Vec<LearningRecord>> {
        let state = self.read();
        page(&state, query).map(|id| state.record(id)).collect()
    }

    fn records_json(&self, query: &RecordQuery) -> Result<Vec<u8>> {
        let state = self.read();
        let mut json = vec![b'['];
        for id in page(&state, query) {
            if json.len() > 1 {
                json.push(b',');
            }
            state.record_json(id, &mut json)?;
        }
        json.push(b']');
        Ok(json)
    }

    fn records_revision(&self) -> u64 {
        self.records_revision.load(Ordering::Relaxed)
    }

    fn record_count(&self) -> Result<usize> {
        Ok(self.read().index.records.len())
    }

    fn vectors(&self, embedder: &str) -> Result<Vec<StoredVector>> {
        let state = self.read();
        state.vectors.read(embedder, |id| state.index.records.contains_key(&id))
    }

    fn nearest(&self, search: &VectorSearch<'_>) -> Result<Vec<VectorHit>> {
        let space = self.space(search.embedder, search.role)?;
        space.map_or_else(|| Ok(Vec::new()), |space| space.nearest(search))
    }

    fn vector_catalog(&self, embedder: &str, role: VectorRole) -> Result<VectorCatalog> {
        let space = self.space(embedder, role)?;
        Ok(space.map(|space| space.catalog()).unwrap_or_default())
    }

    fn memory(&self) -> Result<ProjectMemory> {
        let state = self.read();
        // Every iteration begins with it.
        state.require_present()?;
        let mut memory: ProjectMemory = single(&state, &Key::Memory, "the memory")?;
        memory.learning_record_ids = state.index.records.keys().copied().collect();
        Ok(memory)
    }

    fn counters(&self) -> Result<Counters> {
        single(&self.read(), &Key::Counters, "the counters")
    }

    fn log(&self, limit: usize) -> Result<Vec<EvolutionLog>> {
        let state = self.read();
        let newest_first = state.index.log.iter().rev().take(limit);
        newest_first
            .map(|key| match state.tree.get(&Key::Log(*key))? {
                Some(bytes) => decode("a line of the log", &bytes),
                None => Err(state.tree.damaged("a line of the log is missing")),
            })
            .collect()
    }

    fn in_flight(&self) -> Result<Option<InFlight>> {
        let in_flight: Option<Box<InFlight>> =
            single(&self.read(), &Key::InFlight, "the iteration in flight")?;
        Ok(in_flight.map(|f| *f))
    }

    fn guard_state(&self) -> Result<GuardState> {
        let state = self.read();
        let backoff = single(&state, &Key::Backoff, "the backoff")?;
        let quota = single(&state, &Key::Quota, "the quota")?;
        let mut failures: Vec<FailureRecord> = all(&state, Kind::Failure, "a failure record")?;
        failures.sort_by_key(|f| f.id);
        let mut asked: Vec<Sequenced<AskedQuestion>> =
            all(&state, Kind::Asked, "an asked question")?;
        asked.sort_by_key(|a| (a.value.at, a.sequence));
        let mut tool_calls: Vec<Sequenced<CachedToolCall>> =
            all(&state, Kind::ToolCall, "a cached tool call")?;
        tool_calls.sort_by_key(|c| (c.value.at, c.sequence));
        Ok(GuardState {
            backoff,
            quota,
            failures,
            asked: asked.into_iter().map(|a| a.value).collect(),
            tool_calls: tool_calls.into_iter().map(|c| c.value).collect(),
        })
    }

    fn compact(&self) -> Result<()> {
        let _writing = self.begin_writing();
        let mut state = self.write();
        state.check_writable()?;
        compaction::compact(&mut state)?;
        let State { tree, index, .. } = &mut *state;
        if !renew::is_bloated(tree, index)? {
            return Ok(());
        }
        drop(state);
        let reading = self.read();
        let copy = renew::copy(&reading.tree, &reading.index)?;
        drop(reading);
        renew::replace(&mut self.write().tree, copy)
    }

    fn size_on_disk(&self) -> Result<u64> {
        disk::size(&self.dir)
    }
}
