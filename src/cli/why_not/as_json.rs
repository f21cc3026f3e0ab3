//! `harp why-not`: the answers as JSON.

use std::collections::BTreeSet;

use serde_json::{Map, Value as Json, json};

use harp_datalog::{Answer, Evaluation, Failure, RelationId, Value, WhyNot};

use crate::explain::{self, Explained};
use crate::present_rows::{Presenter, place_json};
use crate::proof::{ProofWriter, reference};
use crate::why_not::{Asked, DEEPEST, Place, Ranked};

/// After so many rules the document stops.
const MOST_ATTEMPTS: usize = 300;

/// What the rule finds there.
pub fn found(asked: &Asked, place: &Place<'_>, there: &[&Explained], presenter: Presenter<'_>) -> Json {
    let findings = there.iter().map(|one| {
        json!({
            "message": one.finding.message,
            "fingerprint": one.finding.fingerprint,
            "place": place_json(presenter.corpus, one.finding.primary.span),
            "silenced": one.silence.map(explain::silence_sentence),
        })
    });
    document(asked, place, json!({"findings": findings.collect::<Vec<_>>()}))
}

/// Why it finds nothing there: of the places that it could speak of the one for which it came furthest, and the others by name.
pub fn missing(
    asked: &Asked,
    place: &Place<'_>,
    ranked: &[Ranked],
    evaluation: &Evaluation<'_>,
    presenter: Presenter<'_>,
) -> Json {
    let mut writer = Writer { evaluation, presenter, explained: BTreeSet::new(), attempts: 0 };
    let value = |symbol: &str| presenter.json(&asked.at, &Value::Symbol(symbol.to_owned()));
    let subject = ranked.first().map(|(symbol, _)| json!({"column": asked.at.name, "value": value(symbol)}));
    let attempts = ranked.first().map(|(_, answers)| writer.attempts(answers, 0));
    let others: Vec<Json> = ranked.iter().skip(1).map(|(symbol, _)| value(symbol)).collect();
    let complete = !evaluation.is_incomplete(asked.relation) && writer.attempts < MOST_ATTEMPTS;
    document(
        asked,
        place,
        json!({
            "findings": [], "subject": subject, "attempts": attempts.unwrap_or_else(|| json!([])),
            "others": others, "complete": complete,
        }),
    )
}

fn document(asked: &Asked, place: &Place<'_>, members: Json) -> Json {
    let mut document = json!({"version": 1, "rule": asked.rule, "file": place.file, "line": place.line});
    if let (Json::Object(document), Json::Object(members)) = (&mut document, members) {
        document.extend(members);
    }
    document
}

struct Writer<'a> {
    evaluation: &'a Evaluation<'a>,
    presenter: Presenter<'a>,
    explained: BTreeSet<(RelationId, Vec<Option<Value>>)>,
    attempts: usize,
}

impl Writer<'_> {
    fn attempts(&mut self, attempts: &[WhyNot], depth: usize) -> Json {
        let mut told = Vec::new();
        for attempt in attempts {
            self.attempts += 1;
            if self.attempts >= MOST_ATTEMPTS {
                break;
            }
            told.push(self.attempt(attempt, depth));
        }
        Json::Array(told)
    }

    fn attempt(&mut self, attempt: &WhyNot, depth: usize) -> Json {
        let rule = reference(&attempt.rule);
        match &attempt.answer {
            Answer::Holds => json!({"rule": rule, "outcome": "holds"}),
            Answer::OtherHead => json!({"rule": rule, "outcome": "other-values"}),
            Answer::Fails { literal, known, reason, progress: (held, all), .. } => {
                let values: Map<String, Json> =
                    known.iter().map(|(name, value)| (name.clone(), value_json(value))).collect();
                json!({
                    "rule": rule, "outcome": "fails", "literal": literal, "held": held, "literals": all,
                    "values": values, "reason": self.reason(reason, depth),
                })
            }
        }
    }

    fn reason(&mut self, reason: &Failure, depth: usize) -> Json {
        match reason {
            Failure::Untrue => json!({"kind": "untrue"}),
            Failure::Row { relation, row } => {
                let tree = self.evaluation.proof(*relation, *row);
                json!({"kind": "row", "proof": ProofWriter::new(self.evaluation, self.presenter).json(&tree)})
            }
            Failure::NoRow { relation, row } => {
                let description = self.evaluation.program().describe(*relation);
                let values: Vec<Json> = row.iter().map(|value| value.as_ref().map_or(Json::Null, value_json)).collect();
                let is_new = self.explained.insert((*relation, row.clone()));
                let attempts = match description.input || !is_new || depth >= DEEPEST {
                    true => json!([]),
                    false => {
                        let attempts = self.evaluation.why_not_row(*relation, row);
                        self.attempts(&attempts, depth + 1)
                    }
                };
                json!({
                    "kind": "no-row", "relation": description.name, "row": values, "given": description.input,
                    "attempts": attempts,
                })
            }
        }
    }
}

fn value_json(value: &Value) -> Json {
    match value {
        Value::Number(number) => json!(number),
        Value::Symbol(text) => json!(text),
    }
}
