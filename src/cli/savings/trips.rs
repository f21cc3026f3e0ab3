//! How often loops run, and what that takes for granted.

use rustc_hash::FxHashMap;

use harp_corpus::{Corpus, Span};
use harp_datalog::{Evaluation, RelationId, Value};
use harp_graph::Facts;
use harp_report::{Assumption, TripBasis};
use harp_shape::{Dim, Var, VarInfo};

use super::executions::is_around;
use crate::rule_findings;

/// A number of iterations.
#[derive(Clone)]
pub(super) struct Trips {
    pub count: Dim,
    pub basis: TripBasis,
    /// What it takes for granted.
    pub assumptions: Vec<Assumption>,
}

/// What the relations say of loops.
pub(super) struct LoopFacts {
    known: FxHashMap<Span, (i64, TripBasis, Vec<Assumption>)>,
    /// Loops that may end early.
    left_early: Vec<Span>,
    /// Statements that are skipped in some iterations of a loop, with the loop.
    skipped: Vec<(Span, Span)>,
}

impl LoopFacts {
    /// Reads the relations, of which the rules that are evaluated may have asked for none.
    pub fn of(evaluation: &Evaluation<'_>, facts: &Facts, corpus: &Corpus) -> LoopFacts {
        let place = |value: &Value| facts.place(facts.find(&value.to_string())?);
        let rows = |name: &str| {
            let relation = evaluation.program().relation(name);
            relation.into_iter().flat_map(|relation| {
                evaluation.rows(relation).into_iter().enumerate().map(move |(row, values)| (relation, row, values))
            })
        };
        let rests_on = |relation: RelationId, row: usize| {
            let sets = evaluation.assumptions(relation, row).sets;
            sets.first().map_or(Vec::new(), |set| rule_findings::stated_all(set, facts, corpus))
        };
        let mut known = FxHashMap::default();
        for name in ["trip_count", "default_trips"] {
            for (relation, row, values) in rows(name) {
                let [around, Value::Number(count)] = &values[..] else { continue };
                let Some(span) = place(around) else { continue };
                known.entry(span).or_insert_with(|| {
                    let assumptions = rests_on(relation, row);
                    let is_known = name == "trip_count" && assumptions.is_empty();
                    let basis = if is_known { TripBasis::Known } else { TripBasis::Default };
                    (*count, basis, assumptions)
                });
            }
        }
        let left_early = rows("leaves_early").filter_map(|(_, _, values)| place(values.first()?)).collect();
        let skipped =
            rows("conditional").filter_map(|(_, _, values)| Some((place(values.first()?)?, place(values.get(1)?)?)));
        let mut skipped: Vec<(Span, Span)> = skipped.collect();
        skipped.sort_unstable();
        LoopFacts { known, left_early, skipped }
    }

    /// How often a loop runs; a symbol where nobody knows.
    pub fn trips(&self, around: Span, corpus: &Corpus) -> Trips {
        let mut trips = match self.known.get(&around) {
            Some((count, basis, assumptions)) => {
                Trips { count: Dim::constant(*count), basis: *basis, assumptions: assumptions.clone() }
            }
            None => {
                let count = Dim::var(Var::fresh(VarInfo::free("trips")));
                return Trips { count, basis: TripBasis::Unknown, assumptions: Vec::new() };
            }
        };
        if self.left_early.contains(&around) {
            let text = format!("`{}` runs to its end", header(around, corpus));
            trips.assumptions.push(counted(text, "a statement in it may end it early", around));
        }
        trips
    }

    /// Where a branch in the loop decides whether the place runs: that it does.
    pub fn taken(&self, place: Span, around: Span, corpus: &Corpus) -> Option<Assumption> {
        let skips = |(statement, skipping): &&(Span, Span)| *skipping == around && is_around(*statement, place);
        let (statement, _) = self.skipped.iter().rfind(skips)?;
        let text =
            format!("`{}` runs in every iteration of `{}`", first_line(*statement, corpus), header(around, corpus));
        Some(counted(text, "a branch decides", *statement))
    }
}

/// Something that is taken for granted where work is counted, and nowhere else.
fn counted(text: String, evidence: &str, span: Span) -> Assumption {
    Assumption {
        id: u32::MAX,
        kind: "counted".to_owned(),
        class: None,
        subject: String::new(),
        text,
        span: Some(span),
        evidence: evidence.to_owned(),
    }
}

fn header(span: Span, corpus: &Corpus) -> String {
    first_line(span, corpus).trim_end_matches(':').to_owned()
}

fn first_line(span: Span, corpus: &Corpus) -> String {
    let file = corpus.file(span.file);
    file.map_or(String::new(), |file| file.slice(span.start..span.end).lines().next().unwrap_or("").trim().to_owned())
}
