//! What a service says about a loop.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{
    Channel, LoopKind, Recovery, TextLoop,
    calls::{CallExcerpt, CallLoop},
    canonical::mix,
    ladder::{Level, advice},
    text::STALE_TEXT,
};

/// A stretch of a channel's text, in Unicode scalar values and in UTF-16 code units, from the channel's last reset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// Where the first copy begins.
    pub start: u64,
    /// How far had been read.
    pub end: u64,
    /// As `start`, in UTF-16 code units.
    pub start_utf16: u64,
    /// As `end`, in UTF-16 code units.
    pub end_utf16: u64,
}

/// A loop in a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoopDetected {
    /// What kind of loop.
    pub kind: LoopKind,
    /// Where it is.
    pub channel: Channel,
    /// The name of the rule that found it.
    pub rule: String,
    /// The event at which it was found, counted from 0 from the service's beginning.
    pub at_event: u64,
    /// The event with which it begins, where the rule looks at calls.
    pub onset_event: Option<u64>,
    /// Where it is in the text, where the rule looks at text: a host can cut everything from `start` on.
    pub span: Option<Span>,
    /// One copy of what repeated in a text, cut to 200 characters.
    pub pattern: Option<String>,
    /// The calls of one round, where calls repeat.
    pub calls: Vec<CallExcerpt>,
    /// Length of one repetition: characters (or items) of text, rounds of calls.
    pub period: u64,
    /// How often it was seen.
    pub count: u64,
    /// How often it takes, where the rule counts.
    pub threshold: Option<u64>,
    /// One sentence for a person: what repeated, how often, from where, by which rule and threshold.
    pub evidence: String,
    /// What would have kept the rule from firing.
    pub cleared_by: String,
    /// The prompt, as the host named it in its last reset.
    pub prompt_id: String,
    /// The same for the same loop; the ladder goes by it.
    pub identity: u64,
    /// How far this loop has got.
    pub level: Level,
    /// What to do.
    pub recovery: Recovery,
}

impl fmt::Display for LoopDetected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.evidence)
    }
}

impl LoopDetected {
    pub(super) fn of_calls(found: CallLoop, prompt_id: &str, level: Level) -> Self {
        let recovery = advice(level, || hint_for_calls(&found));
        Self {
            kind: found.kind,
            channel: Channel::ToolCalls,
            rule: found.rule.name().to_owned(),
            at_event: found.detected_at,
            onset_event: Some(found.onset),
            span: None,
            pattern: None,
            calls: found.calls,
            period: found.period,
            count: found.repeats,
            threshold: Some(found.threshold),
            evidence: found.evidence,
            cleared_by: found.cleared_by,
            prompt_id: prompt_id.to_owned(),
            identity: found.identity,
            level,
            recovery,
        }
    }

    pub(super) fn of_text(
        found: TextLoop,
        channel: Channel,
        at_event: u64,
        prompt_id: &str,
        level: Level,
    ) -> Self {
        let recovery = advice(level, || hint_for_text(&found, channel));
        let identity = text_identity(&found, channel);
        Self {
            kind: found.kind,
            channel,
            rule: found.rule,
            at_event,
            onset_event: None,
            // What calls say is nothing that a host could cut.
            span: (channel != Channel::ToolCalls).then_some(Span {
                start: found.onset,
                end: found.detected_at,
                start_utf16: found.onset_utf16,
                end_utf16: found.detected_at_utf16,
            }),
            pattern: Some(found.pattern),
            calls: Vec::new(),
            period: found.period,
            count: found.repeats,
            threshold: None,
            evidence: found.evidence,
            cleared_by: found.cleared_by,
            prompt_id: prompt_id.to_owned(),
            identity,
            level,
            recovery,
        }
    }
}

/// The same for the same repeated text, wherever in its unit the copy was cut, whatever its numbers are, and most often for
/// copies that differ in a word: of all three characters in a row those with the least hash count. A unit that is shown
/// whole is read as a circle.
pub(super) fn text_identity(found: &TextLoop, channel: Channel) -> u64 {
    let place = if channel == Channel::Content { 30 } else { 31 };
    if found.kind == LoopKind::Semantic || found.rule == STALE_TEXT {
        // The same in other words or in another order: what words there are, or come last, tells nothing.
        return mix(place, 1);
    }
    let is_whole = found.pattern.chars().count() as u64 == found.period;
    let ink = || found.pattern.chars().filter(|c| !c.is_whitespace() && !c.is_numeric());
    let length = ink().count() + if is_whole { 2 } else { 0 };
    let (mut least, mut three) = (u64::MAX, 0_u64);
    for (at, c) in ink().cycle().take(length).enumerate() {
        // A character takes at most 21 bits; the fourth last one is shifted out.
        three = ((three << 21) & ((1 << 63) - 1)) | u64::from(u32::from(c));
        if at >= 2 {
            least = least.min(mix(place, three));
        }
    }
    mix(place, least)
}

fn hint_for_calls(found: &CallLoop) -> String {
    let names: Vec<_> = found.calls.iter().map(|call| format!("`{}`", call.name)).collect();
    let names = names.join(", ");
    use crate::calls::CallRule as R;
    match found.rule {
        R::SameError => format!(
            "Your calls of {names} keep failing in the same way ({} times). Changing the arguments has not helped. Read \
             the error as it stands, find out why it happens, and take another approach; if none is left, say so.",
            found.repeats
        ),
        R::SameAnswer => format!(
            "Your calls of {names} keep bringing the same answer ({} times), whatever you ask. Use what you have, look \
             somewhere else, or say what is missing.",
            found.repeats
        ),
        R::Cap => format!(
            "You have made {} tool calls for this request. Stop, sum up what is done and what is not, and ask how to go on.",
            found.repeats
        ),
        R::Growing => format!(
            "Your calls of {names} repeat themselves within their arguments and grow each time. Write the call anew, once."
        ),
        R::Creeping | R::SecondPass | R::NoNews => format!(
            "Your last {} calls brought nothing that you did not know. You have seen this already: use it, or look at \
             something you have not looked at.",
            found.repeats
        ),
        R::Cycle | R::Interleaved | R::Reference => format!(
            "You are repeating yourself: {names}, {} times with nothing new in the answers. Don't make these calls again. \
             Say what you have learnt from them, and take another step towards the goal or finish.",
            found.repeats
        ),
    }
}

fn hint_for_text(found: &TextLoop, channel: Channel) -> String {
    let what = match channel {
        Channel::Reasoning => "Your reasoning",
        Channel::ToolCalls => "What you think by tool calls",
        _ => "Your reply",
    };
    let pattern: String = found.pattern.chars().take(80).collect();
    format!(
        "{what} began to repeat itself ({} times: \"{}\"). Go on from what came before it, in other words, and come to \
         an end.",
        found.repeats,
        pattern.trim()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::StreamDetector;

    fn identity(text: &str) -> u64 {
        let found = StreamDetector::adaptive(&crate::text::TextConfig::default()).push(text);
        text_identity(&found.unwrap(), Channel::Content)
    }

    #[test]
    fn a_text_loop_is_the_same_wherever_it_is_cut_and_whatever_it_counts() {
        let plain = identity(&"Let me look at the file once more. ".repeat(9));
        let turned = "once more. Let me look at the file ".repeat(9);
        let before = "The file was found. Let me look at the file once more. ";
        assert_eq!(identity(&turned), plain);
        assert_eq!(identity(&format!("{before}{turned}")), plain);
        assert_ne!(identity(&"So the parser never sees this line. ".repeat(9)), plain);
        assert_eq!(identity(&"think".repeat(40)), identity(&"inkth".repeat(40)));
        let steps = |from: usize| -> String {
            (from..from + 12)
                .map(|n| format!("Step {n}: open the settings and look again.\n"))
                .collect()
        };
        assert_eq!(identity(&steps(1)), identity(&steps(40)));
    }

    #[test]
    fn a_text_loop_is_the_same_when_its_copies_drift() {
        const WORDS: [&str; 8] = ["now", "once", "then", "again", "here", "soon", "later", "first"];
        const SENTENCES: [&str; 5] = [
            "The parser reads the file. ",
            "So the error must be in the lexer. ",
            "I should check what it returns. ",
            "But it never sees the last line. ",
            "That is why the test fails. ",
        ];
        let varied = |step: usize| -> String {
            let word = |n: usize| WORDS[n * step % WORDS.len()];
            (1..20)
                .map(|n| format!("So I look at the file {} and run the tests.\n", word(n)))
                .collect()
        };
        let shuffled = |step: usize| -> String {
            let order = |round: usize, n: usize| (n * step + round * round) % SENTENCES.len();
            (0..40).flat_map(|round| (0..5).map(move |n| SENTENCES[order(round, n)])).collect()
        };
        assert_eq!(identity(&varied(3)), identity(&varied(5)));
        assert_eq!(identity(&shuffled(1)), identity(&shuffled(3)));
        assert_ne!(identity(&varied(3)), identity(&shuffled(3)));
    }
}
