//! Handles: numbers that are given out once and lead to something as long as it is open.

use std::{
    collections::HashMap,
    hash::{BuildHasherDefault, Hasher},
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicU64, Ordering},
    },
};

use crate::error::{BridgeError, Result};

/// The next handle, of whatever kind: a handle of one kind is none of another. 0 is never one.
static NEXT: AtomicU64 = AtomicU64::new(1);

/// A number that was never given out before.
pub(crate) fn next_id() -> u64 {
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Hashes handles. Nobody outside chooses them, so a multiplication is safe enough, and cheaper than what else a call costs.
#[derive(Default)]
struct HandleHasher(u64);

impl Hasher for HandleHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(self.0 ^ u64::from(*byte)));
    }

    fn write_u64(&mut self, handle: u64) {
        // 2^64 divided by the golden ratio.
        self.0 = handle.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

type Open<T> = HashMap<u64, Arc<T>, BuildHasherDefault<HandleHasher>>;

/// Everything of one kind that is open.
pub(crate) struct Registry<T> {
    what: &'static str,
    open: RwLock<Option<Open<T>>>,
}

impl<T> Registry<T> {
    /// An empty registry of `what`, as errors name it.
    pub(crate) const fn new(what: &'static str) -> Self {
        Self { what, open: RwLock::new(None) }
    }

    /// Takes something in and gives its handle.
    pub(crate) fn insert(&self, value: T) -> u64 {
        let handle = next_id();
        let mut open = self.open.write().unwrap_or_else(PoisonError::into_inner);
        open.get_or_insert_default().insert(handle, Arc::new(value));
        handle
    }

    /// What the handle leads to. It stays alive as long as the caller holds it, whoever closes the handle.
    pub(crate) fn get(&self, handle: u64) -> Result<Arc<T>> {
        let open = self.open.read().unwrap_or_else(PoisonError::into_inner);
        let found = open.as_ref().and_then(|open| open.get(&handle)).cloned();
        found.ok_or_else(|| BridgeError::closed(self.what, handle))
    }

    /// Does something short with what the handle leads to: whoever opens or closes one waits for the end of it. Cheaper than
    /// [`Self::get`], which counts its users.
    #[inline]
    pub(crate) fn with<R>(&self, handle: u64, work: impl FnOnce(&T) -> R) -> Result<R> {
        let open = self.open.read().unwrap_or_else(PoisonError::into_inner);
        match open.as_ref().and_then(|open| open.get(&handle)) {
            Some(found) => Ok(work(found)),
            None => Err(BridgeError::closed(self.what, handle)),
        }
    }

    /// Closes the handle.
    pub(crate) fn remove(&self, handle: u64) -> Result<Arc<T>> {
        let mut open = self.open.write().unwrap_or_else(PoisonError::into_inner);
        let removed = open.as_mut().and_then(|open| open.remove(&handle));
        removed.ok_or_else(|| BridgeError::closed(self.what, handle))
    }

    /// Closes all handles.
    pub(crate) fn drain(&self) -> Vec<Arc<T>> {
        let mut open = self.open.write().unwrap_or_else(PoisonError::into_inner);
        open.take().into_iter().flatten().map(|(_, value)| value).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::CLOSED;

    #[test]
    fn a_handle_works_until_it_is_closed_and_is_never_given_out_again() {
        let registry = Registry::new("number");
        let first = registry.insert(7);
        assert_eq!(*registry.get(first).unwrap(), 7);
        assert_eq!(registry.with(first, |number| number + 1).unwrap(), 8);
        registry.remove(first).unwrap();
        let second = registry.insert(8);
        assert_ne!(first, second);
        assert_eq!(registry.get(first).unwrap_err().code, CLOSED);
        assert_eq!(registry.with(first, |_| ()).unwrap_err().code, CLOSED);
        assert_eq!(registry.remove(first).unwrap_err().code, CLOSED);
        assert_eq!(*registry.get(second).unwrap(), 8);
    }

    #[test]
    fn a_handle_of_another_kind_or_a_made_up_one_is_an_error() {
        let (numbers, words) = (Registry::new("number"), Registry::new("word"));
        let number = numbers.insert(7);
        words.insert("seven");
        for foreign in [number, 0, u64::MAX] {
            let error = words.get(foreign).unwrap_err();
            assert_eq!(error.code, CLOSED);
            assert!(error.message.starts_with("word "), "{error}");
        }
    }

    #[test]
    fn what_a_caller_still_uses_outlives_its_handle() {
        let registry = Registry::new("number");
        let handle = registry.insert(7);
        let used = registry.get(handle).unwrap();
        assert_eq!(registry.drain().len(), 1);
        assert!(registry.get(handle).is_err());
        assert_eq!(*used, 7);
    }
}
