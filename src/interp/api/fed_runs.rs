//! API calls that run what the program has built: which tensors one feeds, which it computes, and which variables it
//! changes, as rules ask for it.

use crate::state::interpreter::Interpreter;
use crate::values::value::Value;
use harp_corpus::Span;
use harp_limits::light_tick;
use harp_python::name::Name;
use harp_trace::Given;
use harp_trace::details::Run;

/// More tensors are not told of a run.
const MOST_TENSORS: usize = 256;
/// Lists within lists are looked into so deep.
const DEEPEST: usize = 6;

/// What a source says of a run, beside what it feeds.
#[derive(Clone, Copy, Debug)]
pub struct Told<'a> {
    /// What it computes.
    pub fetches: &'a Value,
    /// The variables that it changes.
    pub updates: &'a Value,
    /// The tensors for whose sake it changes the variables behind them.
    pub trains: &'a Value,
}

impl Interpreter<'_> {
    /// Notes what the call of the program at `span` runs.
    pub fn note_run(&mut self, span: Span, feeds: &[(Value, Value)], told: Told<'_>) {
        let mut fed = Vec::new();
        feeds.iter().for_each(|(tensor, _)| self.tensors_within(tensor, "feeds", &mut fed, 0));
        let run = Run {
            feeds: fed.into(),
            fetches: self.tensors_of(told.fetches, "fetches"),
            updates: self.tensors_of(told.updates, "updates"),
            trains: self.tensors_of(told.trains, "trains"),
        };
        self.model_state.fed.run = Some((span, run));
    }

    fn tensors_of(&mut self, value: &Value, word: &str) -> Box<[Given]> {
        let mut found = Vec::new();
        self.tensors_within(value, word, &mut found, 0);
        found.into()
    }

    /// The run that the call at `span` was, if it was one.
    pub(super) fn run_made_at(&self, span: Span) -> Option<Run> {
        // A call whose result may be one of several is recorded once for each.
        self.model_state.fed.run.as_ref().filter(|(made, _)| *made == span).map(|(_, run)| run.clone())
    }

    fn tensors_within(&mut self, value: &Value, word: &str, found: &mut Vec<Given>, depth: usize) {
        light_tick();
        if depth > DEEPEST || found.len() >= MOST_TENSORS {
            return;
        }
        let items = match self.read(value) {
            tensor @ Value::Tensor(_) => return self.add_given(&tensor, Name::new(word), found, 0),
            Value::Tuple(items) => items.to_vec(),
            Value::List(id) => self.heap.list(id).map(|list| list.items.clone()).unwrap_or_default(),
            Value::Dict(id) => {
                let entries = self.heap.dict(id).map(|dict| dict.entries.clone()).unwrap_or_default();
                entries.into_iter().map(|(_, item)| item).collect()
            }
            _ => return,
        };
        items.iter().for_each(|item| self.tensors_within(item, word, found, depth + 1));
    }
}
