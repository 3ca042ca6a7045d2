//! Prints what the offline reasoner writes about a project, and checks every citation against the files.
//!
//! `cargo run -p ouro-engine --example offline_preview -- PROJECT [RECORDS] [en|zh] [steps]`

#![allow(clippy::print_stdout, reason = "a program for a person")]

use std::{collections::BTreeSet, path::Path, sync::Arc};

use ouro_core::{
    ActionRequest, Language, LearningRecord, Observation, ProjectAnalysis, ProjectKey,
    ProjectSource, Question, QuestionRequest, Reasoner, RecordId, Result, SeededRandom, Summary,
    SummaryRequest, SystemClock, TokenUsage, ToolCallStep, ToolContext, ToolRegistry, ToolResult,
};
use ouro_engine::OfflineReasoner;
use ouro_tools::{ProjectRoot, ProjectScanner, ScanOptions, SharedAnalysis, native_tools};
use tokio_util::sync::CancellationToken;

#[tokio::main]
async fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let root = Path::new(arguments.first().map_or(".", String::as_str));
    let records = arguments.get(1).and_then(|n| n.parse().ok()).unwrap_or(5);
    let language = Language::from_locale(arguments.get(2).map_or("en", String::as_str));
    let show_steps = arguments.get(3).is_some_and(|s| s == "steps");

    let scanner = ProjectScanner::new(root, ScanOptions::default(), Arc::new(SystemClock::new()))?;
    let shared = SharedAnalysis::new(Arc::new(scanner));
    let analysis = shared.refresh(&CancellationToken::new())?;
    println!(
        "# {} ({} lines, {} files, {} symbols, {} references)\n",
        analysis.name,
        analysis.code_lines(),
        analysis.files.len(),
        analysis.symbols.len(),
        analysis.references.len()
    );
    let mut tools = ToolRegistry::new();
    for tool in native_tools(&ProjectRoot::open(root)?, &shared, &[])? {
        tools.register(tool);
    }
    let preview =
        Preview { reasoner: OfflineReasoner::new(1), analysis, tools, language, show_steps };
    preview.run(records).await
}

struct Preview {
    reasoner: OfflineReasoner,
    analysis: Arc<ProjectAnalysis>,
    tools: ToolRegistry,
    language: Language,
    show_steps: bool,
}

impl Preview {
    async fn run(&self, count: usize) -> Result<()> {
        let mut records: Vec<LearningRecord> = Vec::new();
        let mut put_aside = Vec::new();
        while records.len() < count {
            let Some(question) = self.ask(&records, &put_aside).await? else {
                println!("(nothing is left that is worth asking)");
                break;
            };
            let observations = Arc::new(self.explore(&question).await?);
            let request = SummaryRequest {
                question: question.clone(),
                language: self.language,
                analysis: Arc::clone(&self.analysis),
                observations: Arc::clone(&observations),
                records: Arc::new(records.clone()),
                advice: None,
                cite_lines: true,
                tokens_left: 0,
            };
            match self.reasoner.summarize(request).await {
                Ok(thought) => {
                    self.show(records.len() + 1, &question, &thought.value, &observations);
                    records
                        .insert(0, record(records.len(), &question, thought.value, self.language));
                }
                Err(error) => {
                    println!("!! no answer: {error}\n");
                    put_aside.push(question.question);
                }
            }
        }
        Ok(())
    }

    async fn ask(
        &self,
        records: &[LearningRecord],
        put_aside: &[String],
    ) -> Result<Option<Question>> {
        let request = QuestionRequest {
            count: 3,
            language: self.language,
            analysis: Arc::clone(&self.analysis),
            records: Arc::new(records.to_vec()),
            gaps: Vec::new(),
            put_aside: put_aside.to_vec(),
            advice: None,
            rejected: Vec::new(),
            tools: Vec::new(),
            uncovered: Vec::new(),
            tokens_left: 0,
        };
        Ok(self.reasoner.generate_questions(request).await?.value.into_iter().next())
    }

    async fn explore(&self, question: &Question) -> Result<Vec<Observation>> {
        let mut observations: Vec<Observation> = Vec::new();
        for left in (1..=10).rev() {
            let request = ActionRequest {
                question: question.clone(),
                language: self.language,
                analysis: Arc::clone(&self.analysis),
                tools: self.tools.specs().cloned().collect(),
                observations: Arc::new(observations.clone()),
                advice: None,
                hint: None,
                steps_left: left,
                sufficient: false,
                tokens_left: 0,
            };
            let action = self.reasoner.next_action(request).await?.value;
            if action.should_stop {
                break;
            }
            let result = match self.tools.get(&action.tool_name) {
                Some(tool) => tool
                    .call(&action.parameters, &ToolContext::default())
                    .await
                    .unwrap_or_else(|error| ToolResult::error(error.to_string())),
                None => ToolResult::error("no such tool"),
            };
            if self.show_steps {
                println!("  > {} {} -> {}", action.tool_name, action.parameters, result.summary);
            }
            observations.push(Observation {
                step: ToolCallStep {
                    tool_name: action.tool_name,
                    parameters: action.parameters,
                    result_summary: result.summary,
                    at: 0,
                    duration_ms: 0,
                    cached: false,
                    is_error: result.is_error,
                },
                content: result.content,
                lines: result.lines,
            });
        }
        Ok(observations)
    }

    fn show(
        &self,
        number: usize,
        question: &Question,
        summary: &Summary,
        observations: &[Observation],
    ) {
        let subject = question.topic.as_ref().map_or("", |t| t.subject.as_str());
        println!("## {number}. {}\n", question.question);
        println!("{}\n", summary.answer);
        println!(
            "_{subject}; {:?}; confidence {:.2}; {} steps, {} errors; domain {}; tags {:?}; gaps {:?}_\n",
            question.question_type,
            summary.confidence,
            observations.len(),
            observations.iter().filter(|o| o.step.is_error).count(),
            summary.domain,
            summary.tags,
            summary.gaps,
        );
        for problem in self.problems(summary) {
            println!("!! {problem}");
        }
    }

    /// Citations that don't exist, in the answer and in its sources.
    fn problems(&self, summary: &Summary) -> BTreeSet<String> {
        let mut problems = BTreeSet::new();
        let mut check = |path: &str, start: u32, end: u32| {
            let lines = std::fs::read_to_string(self.analysis.root.join(path))
                .map_or(0, |text| u32::try_from(text.lines().count()).unwrap_or(u32::MAX));
            if start == 0 || start > end || end > lines {
                problems.insert(format!("{path}:{start}-{end} does not exist ({lines} lines)"));
            }
        };
        for source in &summary.source_files {
            check(&source.path, source.start_line.unwrap_or(0), source.end_line.unwrap_or(0));
        }
        for code in summary.answer.split('`').skip(1).step_by(2) {
            let Some((path, range)) = code.rsplit_once(':') else { continue };
            let (start, end) = range.split_once('-').unwrap_or((range, range));
            if let (Ok(start), Ok(end)) = (start.parse(), end.parse())
                && self.analysis.file(path).is_some()
            {
                check(path, start, end);
            }
        }
        problems
    }
}

fn record(
    number: usize,
    question: &Question,
    summary: Summary,
    language: Language,
) -> LearningRecord {
    let random = SeededRandom::new(number as u64);
    LearningRecord {
        id: RecordId::new(&SystemClock::new(), &random),
        project_key: ProjectKey::for_root(Path::new("preview")),
        created_at: 0,
        question: question.question.clone(),
        question_type: question.question_type,
        answer: summary.answer,
        exploration_path: Vec::new(),
        confidence: summary.confidence,
        source_files: summary.source_files,
        source_hashes: std::collections::BTreeMap::new(),
        tags: summary.tags,
        domain: summary.domain,
        topic: question.topic.clone(),
        language,
        embedder: String::new(),
        model: "offline".to_owned(),
        tokens: TokenUsage::default(),
        supersedes: None,
        superseded_by: None,
        freshness: ouro_core::Freshness::Fresh,
        pinned: false,
        rating: None,
        correction: None,
    }
}
