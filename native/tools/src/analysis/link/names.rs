//! Names that say little of whose they are.

use std::{collections::HashSet, sync::LazyLock};

/// Names that half of all types have: they say little about what is central.
pub(in crate::analysis) fn is_everyday(name: &str) -> bool {
    static SET: LazyLock<HashSet<&str>> = LazyLock::new(|| EVERYDAY.split_whitespace().collect());
    SET.contains(name)
}

/// Methods that the standard libraries of several languages have: on a receiver of unknown type, such a name is no
/// hint that a project's own method is meant.
pub(super) fn is_common(name: &str) -> bool {
    static SET: LazyLock<HashSet<&str>> = LazyLock::new(|| COMMON.split_whitespace().collect());
    is_everyday(name) || SET.contains(name)
}

/// Whether a name is of several words, so that it hardly names anything else by chance.
pub(super) fn is_telling(name: &str) -> bool {
    let inner = name.trim_matches('_');
    let words = inner.split('_').filter(|w| !w.is_empty()).count();
    let humps = inner
        .chars()
        .zip(inner.chars().skip(1))
        .filter(|(a, b)| a.is_lowercase() && b.is_uppercase())
        .count();
    inner.len() >= 8 && words + humps >= 2
}

const EVERYDAY: &str = "
    Add As Close Decode Do Done Encode Error Exec Flush Format Get Is Join Len Lock Marshal Name New Next Open
    Parse Print Printf Println Query Read Reset Run Set Size Split Start Stop String Type Unlock Unmarshal Unwrap
    Value Wait Write __call__ __contains__ __enter__ __eq__ __exit__ __getitem__ __hash__ __init__ __iter__
    __len__ __next__ __repr__ __setitem__ __str__ abort accept add all any append apply as_ref as_str at bind blur
    body build builder call cancel catch cause chain clear clone close cmp code collect commit compare complete
    concat connect constructor contains copy count create data debug decode default delete dial digest done draw
    drop each emit encode entries eq equals err error every exec execute exists extend fetch filter finalize find
    finish first flush fmt focus fold format from get group handle has hash hashCode header headers hex hide host
    id includes index info init insert into is isEmpty is_empty items iter join json key keys kind last len length
    limit line listen load lock log main map match matches max message method min move name new next of off offset
    ok on once open order paint parent parse path peek poll pop port print printf println process push put query
    read recv reduce reject remove render replace request reset resize resolve response reverse rollback run save
    search seek select send set setup show shutdown size skip slice some sort source split start status step stop
    submit take teardown tell test text then tick to toString to_string trim truncate type unlock update url value
    values visit wait wake warn where with write zip
";

const COMMON: &str = "
    addAll addEventListener add_argument appendChild as_bytes as_deref as_mut as_ref as_slice as_str charAt
    charCodeAt compareTo computeIfAbsent containsKey containsValue createElement endsWith ends_with entrySet
    equalsIgnoreCase filter_map flat_map forEach for_each from_bytes from_str getBytes getClass getDefault
    getElementById getInstance getItem getLogger getMessage getName getOrDefault getOrElse getProperty getTime
    getValue hasNext hasOwnProperty has_next hashCode indexOf into_bytes into_inner into_iter into_string isArray
    isEmpty isInstance isPresent is_dir is_empty is_err is_file is_none is_ok is_some iter_mut joinToString keySet
    lastIndexOf local_addr localeCompare make_ascii_lowercase map_err nextElement next_back ok_or ok_or_else orElse orElseThrow or_default or_else
    or_insert or_insert_with parseInt peer_addr preventDefault printStackTrace putAll putIfAbsent querySelector read_line
    read_text read_to_end read_to_string removeAll removeChild removeEventListener replaceAll replaceFirst
    read_exact retain_mut setAttribute setDefault setItem setName setTimeout setValue set_nodelay set_nonblocking
    set_read_timeout set_write_timeout setdefault sort_by sort_by_key split_at
    split_once split_whitespace splitlines startsWith starts_with startswith stopPropagation strip_prefix
    strip_suffix subList substring swap_remove toArray toByteArray toDouble toFixed toISOString toInt toJSON
    toList toLong toLowerCase toPath toSet toString toUpperCase to_bytes to_lowercase to_owned to_string
    to_uppercase to_vec trimEnd trimStart trim_end trim_start try_clone try_from try_into unwrap_or unwrap_or_default
    unwrap_or_else valueOf with_capacity writeAll writeFile write_all write_fmt write_str write_text
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_standard_libraries_are_no_hint() {
        assert!(is_everyday("get") && is_common("get") && is_common("toString"));
        assert!(!is_everyday("toISOString") && !is_common("resolveReference"));
    }

    #[test]
    fn several_words_are_telling() {
        assert!(is_telling("resolve_redirects") && is_telling("prepareRequest"));
        assert!(
            !is_telling("run")
                && !is_telling("getX")
                && !is_telling("__repr__")
                && !is_telling("serialise")
        );
    }
}
