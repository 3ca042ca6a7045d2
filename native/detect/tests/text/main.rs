//! The adaptive detector for streamed text, from outside.

#![allow(clippy::indexing_slicing, reason = "of texts made for the test")]

mod corpus;
mod healthy;
mod loops;
mod memory;
mod properties;

use ouro_detect::{
    TextLoop,
    text::{AdaptiveText, TextConfig},
};

/// What the detector says about `text`, given at once.
fn detect(text: &str) -> Option<TextLoop> {
    AdaptiveText::new(&TextConfig::default()).push(text)
}

/// Characters of `text`.
fn len(text: &str) -> u64 {
    text.chars().count() as u64
}

/// Real prose, written for these tests, to stand before a loop or alone.
const PROSE: &str = "The harbour was quiet when the first boats came in. Nobody had slept well; the storm had \
taken two roofs and most of the old fence behind the school. Mara counted the crates twice, wrote the number on her \
sleeve and went to look for the keys. By noon the sun was out again, and children were already collecting the slates. \
\"We should have tied it down,\" said her brother, and for once she did not argue. There was enough to do: the pump had \
to be primed, the letters dried, the hens found. Later they sat on the steps, ate bread with plum jam, and watched the \
water turn from brown to green.\n\n";
