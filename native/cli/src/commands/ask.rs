//! `ouro ask`: answers from what was learnt.

use std::process::ExitCode;

use ouro_engine::Passage;
use rust_i18n::t;
use serde_json::json;

use crate::{
    args::{AskArgs, Global},
    compose, freshness, output,
};

/// Tokens of context that an answer may use.
const RECALL_BUDGET: u64 = 4_000;

/// Tokens of one answered question: the context, the prompt around it, and the reply.
const ANSWER_BUDGET: u64 = 8_000;

/// Records and places of code that are shown without a model.
const SHOWN: usize = 3;

/// Runs `ouro ask`.
pub(crate) async fn run(global: &Global, args: &AskArgs) -> anyhow::Result<ExitCode> {
    if args.question.trim().is_empty() {
        anyhow::bail!("the question is empty: write it after the project, in quotation marks");
    }
    let (opened, _) = compose::open_to_read(global, &args.project.project)?;
    let recall = compose::recall(&opened, &args.models).await?;
    let mut passages = recall.recall(&args.question, RECALL_BUDGET).await?;
    let records = passages.iter_mut().filter_map(|passage| match passage {
        Passage::Record(record) => Some(record.as_mut()),
        Passage::Code { .. } => None,
    });
    freshness::mark(&opened.place.root, records, opened.clock.now_ms());
    if passages.is_empty() {
        return nothing(global, args, &recall.nearest_questions(&args.question, SHOWN).await?);
    }
    if let Some(reasoner) = compose::model_reasoner(&opened, &args.models).await? {
        let answer = recall
            .answer(reasoner.as_ref(), &args.question, &passages, global.language(), ANSWER_BUDGET)
            .await?;
        if global.json {
            output::json(
                &json!({ "question": args.question, "answer": answer.answer, "model": reasoner.id(), "source_files": answer.source_files }),
            )?;
        } else {
            output::line(answer.answer)?;
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

/// Nothing that is known has to do with the question: nobody is asked to make something up.
fn nothing(global: &Global, args: &AskArgs, nearest: &[String]) -> anyhow::Result<ExitCode> {
    if global.json {
        output::json(
            &json!({ "question": args.question, "answer": null, "nearest_questions": nearest }),
        )?;
        return Ok(ExitCode::SUCCESS);
    }
    let locale = global.language().tag();
    output::line(t!("ask.nothing", locale = locale, project = args.project.project.display()))?;
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

fn print(global: &Global, args: &AskArgs, passages: &[Passage]) -> anyhow::Result<()> {
    let locale = global.language().tag();
    let mut records = 0;
    let mut places = Vec::new();
    for passage in passages {
        match passage {
            Passage::Record(record) if records < SHOWN => {
                records += 1;
                output::line(output::record(record, global.language()))?;
            }
            Passage::Code { source, .. } if places.len() < SHOWN => {
                places.push(ouro_engine::place(source));
            }
            _ => {}
        }
    }
    if records == 0 {
        let project = args.project.project.display();
        output::line(t!("ask.nothing", locale = locale, project = project))?;
    }
    if !places.is_empty() {
        output::line(t!("ask.code", locale = locale))?;
        places.iter().try_for_each(|place| output::line(format!("  {place}")))?;
    }
    Ok(())
}
