//! `ouro ask`: answers from what was learnt.

use std::process::ExitCode;

use ouro_core::{Error, Freshness, LearningRecord, SourceRef, TokenUsage};
use ouro_engine::Passage;
use ouro_tools::{ProjectFiles, ScanProgress};
use rust_i18n::t;
use serde_json::json;

use crate::{
    args::{AskArgs, Global},
    compose::{self, Opened},
    models, output, place, scanning,
};

/// Tokens of context that an answer may use.
const RECALL_BUDGET: u64 = 4_000;

/// Tokens of one answered question: the context, the prompt around it, and the reply.
const ANSWER_BUDGET: u64 = 8_000;

/// Records that are named beside the best one, and questions that are near where nothing fits.
const NAMED: usize = 3;

/// Places of code that are shown without a model.
const PLACES: usize = 5;

/// Runs `ouro ask`.
pub(crate) async fn run(global: &Global, args: &AskArgs) -> anyhow::Result<ExitCode> {
    if args.question.trim().is_empty() {
        anyhow::bail!("the question is empty: write it after the project, in quotation marks");
    }
    place::require_order(&args.project.project, &args.question, "ouro ask PROJECT QUESTION")?;
    let (opened, _) = compose::open_to_read(global, &args.project.project)?;
    models::note_exposed_keys(global, &args.models);
    let (recall, files) = compose::recall(global, &opened, &args.models).await?;
    let no_scan = ScanProgress::default();
    let in_language = |error: Error| error.in_language(global.language());
    let found = recall.recall(&args.question, args.knowledge.unwrap_or(RECALL_BUDGET));
    let progress = files.as_ref().map_or(&no_scan, ProjectFiles::progress);
    let found = scanning::wait(global, progress, found).await;
    let passages = found.map_err(in_language)?;
    if passages.is_empty() {
        return nothing(global, args, &recall.nearest_questions(&args.question, NAMED).await?);
    }
    if args.knowledge.is_some() {
        return knowledge(global, args, &passages);
    }
    let detection = ouro_detect::Config::default();
    if let Some(reasoner) = compose::model_reasoner(&opened, &args.models, &detection).await? {
        let answer = recall
            .answer(reasoner.as_ref(), &args.question, &passages, global.language(), ANSWER_BUDGET)
            .await
            .map_err(in_language)?;
        count(global, &opened, answer.usage).await;
        let records: Vec<&LearningRecord> = passages.iter().filter_map(Passage::record).collect();
        if global.json {
            output::json(&json!({
                "question": args.question,
                "answer": answer.value.answer,
                "model": reasoner.id(),
                "tokens": answer.usage,
                "source_files": answer.value.source_files,
                "records": records,
            }))?;
        } else {
            output::line(output::model_answer(&answer.value, &records, global.language()))?;
            name(global, args, &records)?;
            let tokens = answer.usage.total();
            output::line(t!("ask.tokens", locale = global.language().tag(), tokens = tokens))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    if global.json {
        passages.iter().try_for_each(|p| output::json(&passage_json(p)))?;
    } else {
        print(global, args, &passages)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Counts what an answer cost towards the day of the project's loop, which is to know of it.
async fn count(global: &Global, opened: &Opened, usage: TokenUsage) {
    let store = opened.store.clone();
    if let Err(reason) = ouro_engine::spend_at_rest(store, opened.clock.as_ref(), usage).await {
        output::note(&t!("ask.not_counted", locale = global.language().tag(), reason = reason));
    }
}

/// Everything that was found, as Markdown.
fn knowledge(global: &Global, args: &AskArgs, passages: &[Passage]) -> anyhow::Result<ExitCode> {
    let text = ouro_engine::knowledge(passages);
    if global.json {
        output::json(&json!({ "question": args.question, "knowledge": text }))?;
    } else {
        output::line(text.trim_end())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Nothing that is known has to do with the question: nobody is asked to make something up.
fn nothing(global: &Global, args: &AskArgs, nearest: &[String]) -> anyhow::Result<ExitCode> {
    if global.json {
        output::json(
            &json!({ "question": args.question, "answer": null, "nearest_questions": nearest }),
        )?;
        return Ok(ExitCode::SUCCESS);
    }
    let locale = global.language().tag();
    output::line(t!(
        "ask.nothing",
        locale = locale,
        project = output::word(&args.project.project)
    ))?;
    if !nearest.is_empty() {
        output::line(t!("ask.nearest", locale = locale))?;
        nearest.iter().try_for_each(|question| output::line(format!("  {question}")))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn passage_json(passage: &Passage) -> serde_json::Value {
    match passage {
        Passage::Record(record) => json!({ "record": record }),
        Passage::Code { source, text } => json!({ "code": source, "text": text }),
    }
}

/// The record that fits best, where the code speaks of it, and what else is known.
fn print(global: &Global, args: &AskArgs, passages: &[Passage]) -> anyhow::Result<()> {
    let locale = global.language().tag();
    let project = output::word(&args.project.project);
    let mut records = Vec::new();
    let mut places = Vec::new();
    for passage in passages {
        match passage {
            Passage::Record(record) => records.push(record.as_ref()),
            Passage::Code { source, text } => {
                // A declaration and the one around it can meet in one line.
                let place = place_line(&args.question, source, text);
                if !places.contains(&place) {
                    places.push(place);
                }
            }
        }
    }
    // The best one, and the one that says otherwise, which stands beside it.
    let doubts = |by: &LearningRecord, doubtful: &LearningRecord| match doubtful.freshness {
        Freshness::Contradicted { by: id, .. } => id == by.id,
        _ => false,
    };
    let whole = match records.as_slice() {
        [best, next, ..] if doubts(next, best) || doubts(best, next) => 2,
        records => records.len().min(1),
    };
    let (shown, named) = records.split_at(whole);
    for record in shown {
        output::line(output::record(record, global.language()))?;
    }
    if shown.is_empty() {
        output::line(t!("ask.code_only", locale = locale, project = project))?;
    }
    if !places.is_empty() {
        output::line(t!("ask.code", locale = locale))?;
        places.iter().take(PLACES).try_for_each(output::line)?;
    }
    if !named.is_empty() {
        output::line("")?;
    }
    name(global, args, named)
}

/// Records by their ids, for whoever wants to read more.
fn name(global: &Global, args: &AskArgs, records: &[&LearningRecord]) -> anyhow::Result<()> {
    let (locale, project) = (global.language().tag(), output::word(&args.project.project));
    if !records.is_empty() {
        output::line(t!("ask.more", locale = locale, project = project))?;
    }
    records.iter().take(NAMED).try_for_each(|record| {
        output::line(format!("  {}  {}", output::short(record.id), record.question))
    })
}

/// `path:line  text`, with the line that speaks of most of the question.
fn place_line(question: &str, source: &SourceRef, text: &str) -> String {
    match (source.start_line, ouro_engine::telling_line(question, text)) {
        (Some(first), Some((at, line))) => {
            let at = first.saturating_add(u32::try_from(at).unwrap_or(0));
            format!("  {}:{at}  {}", source.path, line.trim())
        }
        _ => format!("  {}", ouro_engine::place(source)),
    }
}
