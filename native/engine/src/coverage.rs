//! The coverage map: which level of which module has been answered with sources.

use std::{collections::HashSet, path::Path};

use ouro_core::{
    Freshness, LearningRecord, Level, ProjectAnalysis, Question, QuestionType, SourceRef, Topic,
};

/// Modules beyond this many are left to chance: a map a person can't hold in mind steers nobody.
const MAX_MODULES: usize = 12;

/// The holes of the map, the most urgent first: lower levels before higher ones, central modules first.
///
/// A cell counts as covered by a record that has sources and is not stale, never by a number of records.
pub(crate) fn uncovered(
    analysis: &ProjectAnalysis,
    records: &[LearningRecord],
) -> Vec<(Level, String)> {
    let covered: HashSet<(Level, &str)> = records
        .iter()
        .filter(|r| !r.source_files.is_empty() && r.freshness == Freshness::Fresh)
        .filter_map(|r| r.topic.as_ref())
        .map(|t| (t.level, t.module.as_str()))
        .collect();
    let mut modules: Vec<_> = analysis.modules.iter().filter(|m| !m.path.is_empty()).collect();
    modules.sort_by(|a, b| b.centrality.total_cmp(&a.centrality).then(a.path.cmp(&b.path)));
    let modules =
        std::iter::once("").chain(modules.into_iter().map(|m| m.path.as_str())).take(MAX_MODULES);
    let modules: Vec<&str> = modules.collect();
    Level::ALL
        .into_iter()
        .flat_map(|level| modules.iter().map(move |module| (level, *module)))
        .filter(|cell| !covered.contains(cell))
        .map(|(level, module)| (level, module.to_owned()))
        .collect()
}

/// The cell that an answer belongs to: the one its question was asked for, as long as a source lies in that module.
pub(crate) fn topic(question: &Question, sources: &[SourceRef]) -> Topic {
    let inferred = infer_topic(question, sources);
    let Some(asked_for) = &question.topic else { return inferred };
    let mut paths = sources.iter().map(|s| Path::new(&s.path));
    if sources.is_empty() || paths.any(|path| path.starts_with(&asked_for.module)) {
        return asked_for.clone();
    }
    Topic { module: inferred.module, ..asked_for.clone() }
}

/// The cell of a question for which none was named: the level by its type, the module by the folder most of its sources
/// lie in.
fn infer_topic(question: &Question, sources: &[SourceRef]) -> Topic {
    let level = match question.question_type {
        QuestionType::CodeStructure | QuestionType::Configuration | QuestionType::Dependency => {
            Level::Foundation
        }
        QuestionType::BusinessLogic | QuestionType::Other => Level::Domain,
        QuestionType::DataFlow | QuestionType::DesignPattern | QuestionType::ErrorHandling => {
            Level::Implementation
        }
        QuestionType::Performance | QuestionType::Security | QuestionType::Testing => {
            Level::Practices
        }
    };
    let mut folders: Vec<&str> =
        sources.iter().map(|s| s.path.rsplit_once('/').map_or("", |(folder, _)| folder)).collect();
    folders.sort_unstable();
    let module = folders
        .chunk_by(|a, b| a == b)
        .max_by_key(|same| same.len())
        .and_then(|same| same.first())
        .map_or_else(String::new, |folder| (*folder).to_owned());
    Topic { level, module, subject: question.question.clone() }
}

#[cfg(test)]
mod tests {
    use ouro_core::analysis::Module;

    use super::*;

    fn question(question_type: QuestionType) -> Question {
        serde_json::from_value(
            serde_json::json!({ "question": "q", "type": format!("{question_type:?}") }),
        )
        .unwrap()
    }

    #[test]
    fn lower_levels_and_central_modules_come_first() {
        let module =
            |path: &str, centrality| Module { path: path.into(), centrality, ..Module::default() };
        let analysis = ProjectAnalysis {
            modules: vec![module("src/a", 0.1), module("src/b", 0.9)],
            ..ProjectAnalysis::default()
        };
        let holes = uncovered(&analysis, &[]);
        assert_eq!(holes.len(), 12);
        assert_eq!(
            holes.get(..4).unwrap(),
            [
                (Level::Foundation, String::new()),
                (Level::Foundation, "src/b".into()),
                (Level::Foundation, "src/a".into()),
                (Level::Domain, String::new()),
            ]
        );
    }

    #[test]
    fn an_answer_fills_the_hole_it_was_asked_for_if_it_has_a_source_there() {
        let source = |path: &str| SourceRef { path: path.into(), start_line: None, end_line: None };
        let asked_for = |module: &str| {
            let subject = "s".to_owned();
            let topic = Topic { level: Level::Practices, module: module.into(), subject };
            Question { topic: Some(topic), ..question(QuestionType::CodeStructure) }
        };
        let sources = [source("src/a/x.rs"), source("src/a/y.rs"), source("src/ab/z.rs")];
        for (module, filled) in
            [("", ""), ("src", "src"), ("src/ab", "src/ab"), ("src/b", "src/a"), ("rc", "src/a")]
        {
            let topic = topic(&asked_for(module), &sources);
            assert_eq!((topic.level, topic.module.as_str()), (Level::Practices, filled));
        }
    }

    #[test]
    fn the_module_is_where_most_sources_lie() {
        let source = |path: &str| SourceRef { path: path.into(), start_line: None, end_line: None };
        let sources = [source("src/a/x.rs"), source("lib.rs"), source("src/a/y.rs")];
        let topic = infer_topic(&question(QuestionType::Testing), &sources);
        assert_eq!((topic.level, topic.module.as_str()), (Level::Practices, "src/a"));
        assert_eq!(infer_topic(&question(QuestionType::Other), &[]).module, "");
    }
}
