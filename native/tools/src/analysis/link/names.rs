//! Names that say nothing of whose they are.

/// Methods that the standard libraries of several languages have: on a receiver of unknown type, such a name is no
/// hint that a project's own method is meant.
pub(super) fn is_common(name: &str) -> bool {
    COMMON.binary_search(&name).is_ok()
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

/// Sorted.
const COMMON: &[&str] = &[
    "addAll",
    "addEventListener",
    "add_argument",
    "appendChild",
    "as_bytes",
    "as_deref",
    "as_mut",
    "as_ref",
    "as_slice",
    "as_str",
    "charAt",
    "charCodeAt",
    "compareTo",
    "computeIfAbsent",
    "containsKey",
    "containsValue",
    "createElement",
    "endsWith",
    "ends_with",
    "entrySet",
    "equalsIgnoreCase",
    "filter_map",
    "flat_map",
    "forEach",
    "for_each",
    "from_bytes",
    "from_str",
    "getBytes",
    "getClass",
    "getDefault",
    "getElementById",
    "getInstance",
    "getItem",
    "getLogger",
    "getMessage",
    "getName",
    "getOrDefault",
    "getOrElse",
    "getProperty",
    "getTime",
    "getValue",
    "hasNext",
    "hasOwnProperty",
    "has_next",
    "hashCode",
    "indexOf",
    "into_bytes",
    "into_inner",
    "into_iter",
    "into_string",
    "isArray",
    "isEmpty",
    "isInstance",
    "isPresent",
    "is_dir",
    "is_empty",
    "is_err",
    "is_file",
    "is_none",
    "is_ok",
    "is_some",
    "iter_mut",
    "joinToString",
    "keySet",
    "lastIndexOf",
    "localeCompare",
    "map_err",
    "nextElement",
    "next_back",
    "ok_or",
    "ok_or_else",
    "orElse",
    "orElseThrow",
    "or_default",
    "or_else",
    "or_insert",
    "or_insert_with",
    "parseInt",
    "preventDefault",
    "printStackTrace",
    "putAll",
    "putIfAbsent",
    "querySelector",
    "read_line",
    "read_text",
    "read_to_end",
    "read_to_string",
    "removeAll",
    "removeChild",
    "removeEventListener",
    "replaceAll",
    "replaceFirst",
    "retain_mut",
    "setAttribute",
    "setDefault",
    "setItem",
    "setName",
    "setTimeout",
    "setValue",
    "setdefault",
    "sort_by",
    "sort_by_key",
    "split_at",
    "split_once",
    "split_whitespace",
    "splitlines",
    "startsWith",
    "starts_with",
    "startswith",
    "stopPropagation",
    "strip_prefix",
    "strip_suffix",
    "subList",
    "substring",
    "swap_remove",
    "toArray",
    "toByteArray",
    "toDouble",
    "toFixed",
    "toISOString",
    "toInt",
    "toJSON",
    "toList",
    "toLong",
    "toLowerCase",
    "toPath",
    "toSet",
    "toString",
    "toUpperCase",
    "to_bytes",
    "to_lowercase",
    "to_owned",
    "to_string",
    "to_uppercase",
    "to_vec",
    "trimEnd",
    "trimStart",
    "trim_end",
    "trim_start",
    "try_from",
    "try_into",
    "unwrap_or",
    "unwrap_or_default",
    "unwrap_or_else",
    "valueOf",
    "with_capacity",
    "writeAll",
    "writeFile",
    "write_all",
    "write_fmt",
    "write_str",
    "write_text",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_so_that_it_can_be_searched() {
        assert!(COMMON.is_sorted());
        assert!(is_common("toString") && !is_common("resolveReference"));
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
