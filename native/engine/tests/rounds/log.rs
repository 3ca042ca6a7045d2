//! The log of a round: where each line belongs, and what must not be in it.

use std::{
    fmt::Write as _,
    sync::{Arc, Mutex},
};

use ouro_core::ErrorKind;
use ouro_engine::RunPlan;
use tracing::{
    Event, Level, Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id},
};
use tracing_subscriber::{
    Layer,
    layer::{Context, SubscriberExt},
    registry::LookupSpan,
};

use crate::{
    end,
    stage::{Act, Stage, question, read, stop},
};

/// Every span and every event, as one line each.
#[derive(Debug, Clone, Default)]
struct Log(Arc<Mutex<Vec<(Level, String)>>>);

struct Fields(String);

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        write!(self.0, " {field}={value:?}").unwrap();
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Log {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let span = context.span(id).unwrap();
        let path: Vec<&str> = span.scope().from_root().map(|span| span.name()).collect();
        let mut fields = Fields(path.join(">"));
        attributes.record(&mut fields);
        self.0.lock().unwrap().push((*attributes.metadata().level(), fields.0));
    }

    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut fields = Fields(String::new());
        event.record(&mut fields);
        self.0.lock().unwrap().push((*event.metadata().level(), fields.0));
    }
}

#[tokio::test]
async fn a_line_stands_in_its_iteration_phase_step_and_call_and_gives_nothing_away() {
    let log = Log::default();
    let subscriber = tracing_subscriber::registry().with(log.clone());
    // Where there is one dispatcher, tracing asks that of the thread that comes to a line of code first, which may be another
    // test's and have none: the line would be silent for good. With two it asks both.
    let _other = tracing::Dispatch::new(tracing_subscriber::registry());
    let _end = tracing::subscriber::set_default(subscriber);
    let stage = Stage::new();
    let asked = question("what does heronwing keep in the vault?");
    stage.reasoner.questions.lock().unwrap().push_back(Act::Give(vec![asked]));
    stage.reasoner.actions.lock().unwrap().extend([
        Act::Give(read("src/a.rs")),
        Act::Give(read("src/heronwing.rs")),
        Act::Give(stop()),
        Act::Fail(ErrorKind::Timeout),
    ]);
    end(&mut stage.start(RunPlan::bounded(2)).await).await;

    let lines = log.0.lock().unwrap().clone();
    let has = |wanted: &str| lines.iter().filter(|(_, line)| line.contains(wanted)).count();
    assert!(has("iteration project=stage") >= 2, "{lines:#?}");
    for phase in ["LoadingMemory", "GeneratingQuestion", "Exploring", "Summarizing"] {
        assert!(has(&format!("iteration>phase name={phase}")) >= 1, "{phase}: {lines:#?}");
    }
    assert!(has("iteration>phase>step number=2") >= 1, "{lines:#?}");
    assert!(has("iteration>phase>step>call tool=\"read_file\"") >= 2, "{lines:#?}");
    assert!(has("an iteration failed") > 0);

    // The question, its answer, what was called with which arguments, and what a tool showed.
    for (level, line) in lines.iter().filter(|(level, _)| *level <= Level::INFO) {
        for secret in ["heronwing", "fn a()", "The answer to", "src/a.rs"] {
            assert!(!line.contains(secret), "{level}: {line}");
        }
    }
}
