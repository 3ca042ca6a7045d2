//! Runs of the real `ouro` binary on small real projects, with a real store, and a scripted model behind real HTTP.

mod bad_input;
mod interruption;
mod model;
mod offline;
mod support;
