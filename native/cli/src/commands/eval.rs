//! `ouro eval`: every profile on recorded texts and sessions, side by side.

use std::{collections::BTreeMap, process::ExitCode, sync::Arc};

use anyhow::Context;
use ouro_detect::{
    CheckedConfig, Config, Profile, StreamDetector,
    score::{Case, Latency, Outcome, Score, Share, Spread},
};
use rust_i18n::t;
use serde_json::{Map, Value, json};

use crate::{
    args::{EvalArgs, Global},
    output,
    recordings::{self, Lines, Session},
};

/// What a profile made of the recorded sessions.
#[derive(Default)]
struct Sessions {
    found: BTreeMap<String, Share>,
    alarms: BTreeMap<String, Share>,
}

/// What a profile made of everything.
struct Report {
    config: Arc<CheckedConfig>,
    outcomes: Vec<Outcome>,
    sessions: Sessions,
}

impl Report {
    fn of(profile: Profile) -> anyhow::Result<Self> {
        let config = Arc::new(CheckedConfig::new(Config::for_profile(profile))?);
        Ok(Self { config, outcomes: Vec::new(), sessions: Sessions::default() })
    }

    fn is_empty(&self) -> bool {
        let Sessions { found, alarms } = &self.sessions;
        self.outcomes.is_empty() && found.is_empty() && alarms.is_empty()
    }
}

/// Runs `ouro eval`.
pub(crate) fn run(global: &Global, args: &EvalArgs) -> anyhow::Result<ExitCode> {
    let mut reports = Vec::new();
    for profile in Profile::ALL {
        reports.push((profile, Report::of(profile)?));
    }
    for file in &args.corpus {
        let mut lines = Lines::open(file)?;
        while let Some((number, line)) = lines.next_line()? {
            let place = || format!("{}, line {number}", file.display());
            read(line, args.chunk, &mut reports).with_context(place)?;
        }
    }
    if reports.iter().all(|(_, report)| report.is_empty()) {
        anyhow::bail!("nothing to judge: no file has a line with a text or a session");
    }
    if global.json {
        for (profile, report) in &reports {
            output::json(&as_json(*profile, report))?;
        }
    } else {
        print(global, &reports)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// One line: a text, or a session if it has events.
fn read(line: &str, chunk: usize, reports: &mut [(Profile, Report)]) -> anyhow::Result<()> {
    let fields: Map<String, Value> = recordings::parse(line)?;
    if fields.contains_key("events") {
        let session: Session<'_> = recordings::parse(line)?;
        let is_loop = session.is_loop.context(
            "the field `loop` is missing: true for a session that runs into a loop, false for one that does not",
        )?;
        for (_, report) in reports {
            let found = session.run(&report.config)?.is_some();
            let Sessions { found: loops, alarms } = &mut report.sessions;
            let shares = if is_loop { loops } else { alarms };
            shares.entry(session.kind.to_string()).or_default().add(found);
        }
        return Ok(());
    }
    let case: Case = recordings::parse(line)?;
    for (_, report) in reports {
        let mut detector = StreamDetector::new(&report.config);
        report.outcomes.push(Outcome {
            found: recordings::stream(&mut detector, &case.text, chunk),
            id: case.id.clone(),
            kind: case.kind.clone(),
            is_loop: case.is_loop,
            onset: case.onset_char,
        });
    }
    Ok(())
}

fn as_json(profile: Profile, report: &Report) -> Value {
    let share = |share: &Share| json!({ "hits": share.hits, "of": share.of });
    let shares = |shares: &BTreeMap<String, Share>| -> Map<String, Value> {
        shares.iter().map(|(kind, hits)| (kind.clone(), share(hits))).collect()
    };
    let spread =
        |s: &Spread| json!({ "min": s.min, "median": s.median, "p90": s.p90, "max": s.max });
    let score = Score::of(&report.outcomes);
    let latency_by_kind: Map<String, Value> = score
        .latency_by_kind
        .iter()
        .map(|(kind, latency)| {
            let spreads =
                json!({ "chars": spread(&latency.chars), "periods": spread(&latency.periods) });
            (kind.clone(), spreads)
        })
        .collect();
    json!({
        "profile": profile.name(),
        "found": share(&score.found),
        "false_alarms": share(&score.alarms),
        "recall_by_kind": shares(&score.recall),
        "false_alarms_by_kind": shares(&score.false_alarms),
        "found_promptly": share(&score.prompt),
        "latency_chars": spread(&score.latency.chars),
        "latency_periods": spread(&score.latency.periods),
        "latency_by_kind": latency_by_kind,
        "onset_error_chars": spread(&score.onset_error),
        "sessions_found_by_kind": shares(&report.sessions.found),
        "session_false_alarms_by_kind": shares(&report.sessions.alarms),
    })
}

fn print(global: &Global, reports: &[(Profile, Report)]) -> anyhow::Result<()> {
    let locale = global.language().tag();
    let mut headings = vec![String::new()];
    headings.extend(reports.iter().map(|(profile, _)| profile.name().to_owned()));
    let mut table = output::table(&headings);
    let scores: Vec<Score> = reports.iter().map(|(_, r)| Score::of(&r.outcomes)).collect();
    let texts = scores.first().is_some_and(|s| s.found.of + s.alarms.of > 0);
    let mut row = |name: String, cells: Vec<String>| {
        table.add_row(std::iter::once(name).chain(cells));
    };
    if texts {
        let of = |pick: &dyn Fn(&Score) -> String| scores.iter().map(pick).collect();
        row(t!("eval.found", locale = locale).into(), of(&|s| s.found.to_string()));
        by_kind(&mut row, &scores.iter().map(|s| &s.recall).collect::<Vec<_>>(), |_| true);
        row(t!("eval.alarms", locale = locale).into(), of(&|s| s.alarms.to_string()));
        by_kind(&mut row, &scores.iter().map(|s| &s.false_alarms).collect::<Vec<_>>(), |s| s > 0);
        row(t!("eval.prompt", locale = locale).into(), of(&|s| s.prompt.to_string()));
        let spread = |s: &Spread| format!("{:.0} / {:.0} / {:.0}", s.median, s.p90, s.max);
        let periods = |s: &Spread| format!("{:.1} / {:.1} / {:.1}", s.median, s.p90, s.max);
        row(t!("eval.latency", locale = locale).into(), of(&|s| spread(&s.latency.chars)));
        latency_by_kind(&mut row, &scores, &|latency| spread(&latency.chars));
        row(t!("eval.periods", locale = locale).into(), of(&|s| periods(&s.latency.periods)));
        latency_by_kind(&mut row, &scores, &|latency| periods(&latency.periods));
        row(t!("eval.onset", locale = locale).into(), of(&|s| spread(&s.onset_error)));
    }
    let sum = |shares: &BTreeMap<String, Share>| {
        shares.values().fold(Share::default(), |sum, share| Share {
            hits: sum.hits + share.hits,
            of: sum.of + share.of,
        })
    };
    let found: Vec<_> = reports.iter().map(|(_, r)| &r.sessions.found).collect();
    let alarms: Vec<_> = reports.iter().map(|(_, r)| &r.sessions.alarms).collect();
    for (name, shares, all) in [
        (t!("eval.sessions_found", locale = locale), found, true),
        (t!("eval.sessions_alarms", locale = locale), alarms, false),
    ] {
        if shares.iter().any(|shares| !shares.is_empty()) {
            row(name.into(), shares.iter().map(|s| sum(s).to_string()).collect());
            by_kind(&mut row, &shares, |hits| all || hits > 0);
        }
    }
    output::line(table.to_string())
}

/// A row for each kind for which any profile has hits that `shown` wants.
fn by_kind(
    row: &mut impl FnMut(String, Vec<String>),
    profiles: &[&BTreeMap<String, Share>],
    shown: impl Fn(usize) -> bool,
) {
    let kinds = profiles.first().into_iter().flat_map(|shares| shares.keys());
    for kind in kinds {
        let cells = profiles.iter().map(|shares| shares.get(kind).copied().unwrap_or_default());
        if cells.clone().any(|share| shown(share.hits)) {
            row(format!("  {kind}"), cells.map(|share| share.to_string()).collect());
        }
    }
}

/// A row for each kind of loop; a profile that found none of it has nothing to show.
fn latency_by_kind(
    row: &mut impl FnMut(String, Vec<String>),
    scores: &[Score],
    shown: &dyn Fn(&Latency) -> String,
) {
    let kinds = scores.first().into_iter().flat_map(|score| score.recall.keys());
    for kind in kinds {
        let cell =
            |score: &Score| score.latency_by_kind.get(kind).map_or_else(|| "-".to_owned(), shown);
        row(format!("  {kind}"), scores.iter().map(cell).collect());
    }
}
