//! What somebody may have meant who named a file or symbol that isn't there.

use std::ops::ControlFlow;

use strsim::normalized_damerau_levenshtein;
use tokio_util::sync::CancellationToken;

use crate::{ProjectRoot, walk::walk};

/// Files that are compared before the search for a near miss ends.
const MAX_COMPARED: usize = 20_000;
/// Near misses that are named.
const MAX_NAMED: usize = 3;
/// Likeness, 0..1, from which one text may be meant for another.
const ALIKE: f64 = 0.7;

/// The project's files most like `given`, best first, quoted.
pub(crate) fn near_paths(root: &ProjectRoot, given: &str) -> Vec<String> {
    let wanted = given.replace('\\', "/");
    let wanted = wanted.trim_start_matches("./");
    let mut near = Nearest::default();
    let mut compared = 0;
    // A walk that nobody cancels ends by itself; its error can't occur.
    let _ = walk(root, &CancellationToken::new(), |file| {
        near.offer(likeness(wanted, file.path), file.path);
        compared += 1;
        Ok(if compared < MAX_COMPARED { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
    });
    near.into_names()
}

/// The names most like `given`, best first, quoted.
pub(crate) fn near_names<'a>(given: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let given = given.to_lowercase();
    let mut near = Nearest::default();
    for name in names {
        near.offer(normalized_damerau_levenshtein(&given, &name.to_lowercase()), name);
    }
    near.into_names()
}

/// How alike two paths are, 0..1: the file's name counts more than its folder.
fn likeness(wanted: &str, path: &str) -> f64 {
    fn name(path: &str) -> &str {
        path.rsplit('/').next().unwrap_or(path)
    }
    let (a, b) = (name(wanted), name(path));
    // Comparing costs the product of the lengths; names of very different lengths are never alike.
    if a.len() > 2 * b.len() + 8 || b.len() > 2 * a.len() + 8 {
        return 0.0;
    }
    let names = normalized_damerau_levenshtein(&a.to_lowercase(), &b.to_lowercase());
    if names < ALIKE {
        return 0.0;
    }
    let short = |p: &str| p.to_lowercase().chars().take(200).collect::<String>();
    0.8 * names + 0.2 * normalized_damerau_levenshtein(&short(wanted), &short(path))
}

#[derive(Default)]
struct Nearest(Vec<(f64, String)>);

impl Nearest {
    fn offer(&mut self, score: f64, name: &str) {
        let known = self.0.iter().any(|(_, n)| n == name);
        if score < ALIKE * 0.8 || known {
            return;
        }
        let at = self.0.partition_point(|(s, _)| *s >= score);
        if at < MAX_NAMED {
            self.0.insert(at, (score, name.to_owned()));
            self.0.truncate(MAX_NAMED);
        }
    }

    fn into_names(self) -> Vec<String> {
        self.0.into_iter().map(|(_, name)| format!("`{name}`")).collect()
    }
}
