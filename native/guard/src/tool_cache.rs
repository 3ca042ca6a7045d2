//! Layer 2: tool calls and their results, the least recently used forgotten first.

use std::{num::NonZeroUsize, sync::Arc};

use lru::LruCache;
use ouro_core::{CachedToolCall, FreshnessStamp};

use crate::{GuardConfig, signature::Signature};

/// The layer. Everything but [`ToolCache::load`] is constant time.
#[derive(Debug)]
pub(crate) struct ToolCache {
    ttl_ms: i64,
    calls: LruCache<Signature, Arc<CachedToolCall>>,
    /// Forgotten here, but still in the store: deleted there with the next result that is written.
    forgotten: Vec<Signature>,
}

impl ToolCache {
    /// `calls` oldest first.
    pub(crate) fn load(config: &GuardConfig, calls: Vec<CachedToolCall>) -> Self {
        let capacity = NonZeroUsize::new(config.tool_cache_capacity).unwrap_or(NonZeroUsize::MIN);
        let mut cache = Self {
            ttl_ms: i64::try_from(config.tool_cache_ttl_ms).unwrap_or(i64::MAX),
            calls: LruCache::new(capacity),
            forgotten: Vec::new(),
        };
        for call in calls {
            let signature = Signature::from_hex(&call.signature)
                .unwrap_or_else(|| Signature::of_tool_call(&call.tool, &call.arguments));
            cache.put(signature, Arc::new(call));
        }
        cache
    }

    /// The cached call, if its result still holds: what it read is unchanged, or, where nothing can be stamped, it is young
    /// enough. A call from the future (the clock was set back) is not young.
    pub(crate) fn get(
        &mut self,
        signature: Signature,
        stamp: Option<&FreshnessStamp>,
        now: i64,
    ) -> Option<Arc<CachedToolCall>> {
        let call = self.calls.get(&signature)?;
        let fresh = match (&call.stamp, stamp) {
            (Some(then), Some(now)) => then == now,
            (None, None) => (0..self.ttl_ms).contains(&now.saturating_sub(call.at)),
            _ => false,
        };
        fresh.then(|| call.clone())
    }

    /// What must be deleted from the store along with the next result.
    pub(crate) fn forgotten(&self) -> Vec<Signature> {
        self.forgotten.clone()
    }

    /// Takes a call that the store has, after it deleted `deleted`.
    pub(crate) fn written(
        &mut self,
        signature: Signature,
        call: Arc<CachedToolCall>,
        deleted: &[Signature],
    ) {
        self.forgotten.retain(|old| !deleted.contains(old));
        self.put(signature, call);
    }

    fn put(&mut self, signature: Signature, call: Arc<CachedToolCall>) {
        self.forgotten.retain(|old| *old != signature);
        if let Some((evicted, _)) = self.calls.push(signature, call)
            && evicted != signature
        {
            self.forgotten.push(evicted);
        }
    }
}

#[cfg(test)]
mod tests {
    use ouro_core::ToolResult;
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn call(name: u8, at: i64, stamp: Option<&str>) -> CachedToolCall {
        let (tool, arguments) = ("read".to_owned(), json!({ "n": name }));
        CachedToolCall {
            signature: Signature::of_tool_call(&tool, &arguments).to_string(),
            tool,
            arguments,
            result: ToolResult { content: format!("{name} at {at}"), ..ToolResult::default() },
            at,
            stamp: stamp.map(|s| FreshnessStamp(s.into())),
        }
    }

    fn signature(name: u8) -> Signature {
        Signature::of_tool_call("read", &json!({ "n": name }))
    }

    fn cache(capacity: usize, calls: Vec<CachedToolCall>) -> ToolCache {
        let config = GuardConfig {
            tool_cache_capacity: capacity,
            tool_cache_ttl_ms: 1_000,
            ..GuardConfig::default()
        };
        ToolCache::load(&config, calls)
    }

    #[test]
    fn a_stamped_result_holds_exactly_as_long_as_the_stamp() {
        let mut cache = cache(5, vec![call(1, 0, Some("v1"))]);
        let stamp = |s: &str| FreshnessStamp(s.into());
        assert!(cache.get(signature(1), Some(&stamp("v1")), i64::MAX).is_some());
        assert!(cache.get(signature(1), Some(&stamp("v2")), 0).is_none());
        assert!(cache.get(signature(1), None, 0).is_none());
        assert!(cache.get(signature(2), Some(&stamp("v1")), 0).is_none());
    }

    #[test]
    fn an_unstamped_result_holds_for_its_time_and_not_before_it() {
        let mut cache = cache(5, vec![call(1, 5_000, None)]);
        let mut held = |now| cache.get(signature(1), None, now).is_some();
        assert!(held(5_000) && held(5_999));
        assert!(!held(6_000) && !held(4_999) && !held(i64::MIN) && !held(i64::MAX));
        assert!(cache.get(signature(1), Some(&FreshnessStamp("v".into())), 5_000).is_none());
    }

    #[test]
    fn what_is_used_stays_and_what_goes_is_deleted_with_the_next_write() {
        let mut cache = cache(2, vec![call(1, 0, None), call(2, 0, None)]);
        assert!(cache.get(signature(1), None, 0).is_some());
        cache.written(signature(3), Arc::new(call(3, 0, None)), &[]);
        assert!(cache.get(signature(2), None, 0).is_none());
        assert!(cache.get(signature(1), None, 0).is_some());
        assert_eq!(cache.forgotten(), [signature(2)]);
        let deleted = cache.forgotten();
        cache.written(signature(4), Arc::new(call(4, 0, None)), &deleted);
        assert_eq!(cache.forgotten(), [signature(3)]);
        // Called again before it was deleted: it must not be.
        cache.written(signature(3), Arc::new(call(3, 1, None)), &[]);
        assert_eq!(cache.forgotten(), [signature(1)]);
    }

    #[test]
    fn a_smaller_capacity_after_a_restart_keeps_the_youngest() {
        let mut cache = cache(1, (1..=3).map(|n| call(n, 0, None)).collect());
        assert_eq!(cache.forgotten(), [signature(1), signature(2)]);
        assert!(cache.get(signature(3), None, 0).is_some());
    }

    proptest! {
        #[test]
        fn memory_and_store_differ_only_by_what_is_to_be_deleted(names in prop::collection::vec((0_u8..8, any::<bool>()), 1..60)) {
            let mut cache = cache(3, Vec::new());
            let mut stored = std::collections::BTreeSet::new();
            for (name, write) in names {
                if write {
                    let deleted = cache.forgotten();
                    for old in &deleted {
                        stored.remove(old);
                    }
                    stored.insert(signature(name));
                    cache.written(signature(name), Arc::new(call(name, 0, None)), &deleted);
                } else {
                    cache.get(signature(name), None, 0);
                }
                let mut both: Vec<Signature> = cache.calls.iter().map(|(s, _)| *s).chain(cache.forgotten()).collect();
                both.sort_unstable();
                prop_assert_eq!(both, stored.iter().copied().collect::<Vec<_>>());
                prop_assert!(cache.calls.len() <= 3 && cache.forgotten().len() <= 1);
            }
        }
    }
}
