//! The contract of every store.

use std::sync::Arc;

use ouro_core::{Clock, ProjectKey};
use ouro_store::{OpenReport, SledStore};
use ouro_testkit::store_contract::Opened;

fn open(project: ProjectKey, clock: Arc<dyn Clock>) -> Opened {
    let dir = tempfile::tempdir().unwrap();
    let (store, report) = SledStore::open(dir.path(), project, clock).unwrap();
    assert_eq!(report, OpenReport::default());
    (Arc::new(store), Box::new(dir))
}

ouro_testkit::store_contract!(open);
