//! One question to the judges.

use std::{future::poll_fn, task::Poll, time::Duration};

use serde::Deserialize;

use super::{
    BoxFuture, INSTRUCTIONS, Judge, JudgeConfig, JudgeModel, JudgeRequest, JudgeUsage, SCHEMA,
};

/// What the judges think.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Opinion {
    /// Of the judge that is the less sure.
    pub(crate) confidence: f64,
    /// Its reasons.
    pub(crate) analysis: String,
    /// Whether all that were asked are sure enough.
    pub(crate) is_loop: bool,
}

#[derive(Deserialize)]
struct Reply {
    #[serde(default)]
    unproductive_state_analysis: String,
    unproductive_state_confidence: f64,
}

/// Asks the first model and, if it is sure and a second one is configured, the second. An error is one line for a log.
pub(crate) async fn ask(
    judge: &dyn Judge,
    config: &JudgeConfig,
    turns: String,
    usage: &mut JudgeUsage,
) -> Result<Opinion, String> {
    let first = ask_one(judge, config, JudgeModel::First, turns.clone(), usage).await?;
    if !first.is_loop || !config.second_model {
        return Ok(first);
    }
    let second = ask_one(judge, config, JudgeModel::Second, turns, usage).await?;
    Ok(if second.confidence < first.confidence { second } else { first })
}

async fn ask_one(
    judge: &dyn Judge,
    config: &JudgeConfig,
    model: JudgeModel,
    turns: String,
    usage: &mut JudgeUsage,
) -> Result<Opinion, String> {
    usage.requests += 1;
    let request = JudgeRequest { model, instructions: INSTRUCTIONS, turns, schema: SCHEMA };
    let seconds = config.timeout_seconds;
    let limit = judge.sleep(Duration::from_secs(seconds.into()));
    let outcome = in_time(judge.ask(request), limit, seconds).await;
    let opinion = outcome.and_then(|reply| {
        usage.input_tokens += reply.input_tokens;
        usage.output_tokens += reply.output_tokens;
        let read: Reply = serde_json::from_str(reply.text.trim())
            .map_err(|error| format!("the reply does not follow the schema: {error}"))?;
        let confidence = read.unproductive_state_confidence;
        if !(0.0..=1.0).contains(&confidence) {
            return Err(format!("the reply's confidence is {confidence}, not within 0 to 1"));
        }
        Ok(Opinion {
            confidence,
            analysis: read.unproductive_state_analysis,
            is_loop: confidence >= config.confidence,
        })
    });
    usage.failures += u64::from(opinion.is_err());
    opinion
}

/// What `answer` brings, unless `limit` completes before it does, after so many seconds.
pub(crate) async fn in_time<T>(
    mut answer: BoxFuture<'_, Result<T, String>>,
    mut limit: BoxFuture<'_, ()>,
    seconds: u32,
) -> Result<T, String> {
    poll_fn(|context| {
        if let Poll::Ready(reply) = answer.as_mut().poll(context) {
            return Poll::Ready(reply);
        }
        limit.as_mut().poll(context).map(|()| Err(format!("no reply within {seconds} s")))
    })
    .await
}
