//! What a scan finds in small projects written for it, one language each, and what it does with bad input.

mod bad_input;
mod languages;
mod project;
mod refresh;
mod support;
