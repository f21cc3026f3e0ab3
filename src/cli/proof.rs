//! Writes proof trees for `harp explain`: for people, and for programs.

use std::collections::BTreeSet;
use std::io::{self, Write};

use serde_json::{Value as Json, json};

use harp_datalog::{Condition, Evaluation, Program, ProofTree, RelationId, RuleReference, Value};
use harp_report::terminal_escape;

use crate::present_rows::Presenter;
use crate::rule_findings;

/// Writes proofs. A row that was proved before is not proved again.
pub struct ProofWriter<'a> {
    pub program: &'a Program<'a>,
    pub presenter: Presenter<'a>,
    shown: BTreeSet<(RelationId, Vec<Value>)>,
}

impl<'a> ProofWriter<'a> {
    pub fn new(evaluation: &'a Evaluation<'a>, presenter: Presenter<'a>) -> ProofWriter<'a> {
        ProofWriter { program: evaluation.program(), presenter, shown: BTreeSet::new() }
    }

    /// The tree, each line behind the indent.
    pub fn text(&mut self, tree: &ProofTree, indent: &str, out: &mut dyn Write) -> io::Result<()> {
        self.node(tree, indent, indent, out)
    }

    fn node(&mut self, tree: &ProofTree, first: &str, rest: &str, out: &mut dyn Write) -> io::Result<()> {
        let row: Vec<Option<Value>> = tree.row.iter().cloned().map(Some).collect();
        let row = self.presenter.row(self.program, tree.id, &row);
        let Some(rule) = &tree.rule else { return writeln!(out, "{first}{row}{}", self.given(tree)) };
        let parts = tree.premises.len() + tree.conditions.len();
        let is_new = self.shown.insert((tree.id, tree.row.clone()));
        let end = match (is_new, tree.cut) {
            (false, _) if parts > 0 => "  (shown above)",
            (_, true) => "  … (cut here)",
            _ => "",
        };
        writeln!(out, "{first}{row}  [{}]{end}", reference(rule))?;
        if !is_new {
            return Ok(());
        }
        let branch = |number: usize| if number + 1 == parts { ("└─ ", "   ") } else { ("├─ ", "│  ") };
        for (number, premise) in tree.premises.iter().enumerate() {
            let (own, below) = branch(number);
            self.node(premise, &format!("{rest}{own}"), &format!("{rest}{below}"), out)?;
        }
        for (number, condition) in tree.conditions.iter().enumerate() {
            let (own, _) = branch(tree.premises.len() + number);
            writeln!(out, "{rest}{own}{}", self.condition(condition))?;
        }
        Ok(())
    }

    /// What a row of the facts rests on.
    fn given(&self, tree: &ProofTree) -> String {
        let alternatives = tree.given.iter().map(|set| {
            let texts =
                set.iter().map(|id| terminal_escape::line(&rule_findings::given(*id, self.presenter.facts).text));
            texts.collect::<Vec<_>>().join(" and ")
        });
        let alternatives: Vec<String> = alternatives.collect();
        match alternatives.as_slice() {
            [] => "  given".to_owned(),
            alternatives => format!("  given, assuming {}", alternatives.join("; or ")),
        }
    }

    fn condition(&self, condition: &Condition) -> String {
        match condition {
            Condition::Absent { relation, row, .. } => {
                format!("no {}", self.presenter.row(self.program, *relation, row))
            }
            Condition::Holds { literal, values } if values.is_empty() => terminal_escape::line(literal),
            Condition::Holds { literal, values } => {
                format!("{}, with {}", terminal_escape::line(literal), self.presenter.bindings(values))
            }
        }
    }

    /// The tree for programs.
    pub fn json(&self, tree: &ProofTree) -> Json {
        let conditions: Vec<Json> = tree.conditions.iter().map(|condition| self.condition_json(condition)).collect();
        let premises: Vec<Json> = tree.premises.iter().map(|premise| self.json(premise)).collect();
        let given = tree.given.iter().map(|set| {
            let texts = set.iter().map(|id| rule_findings::given(*id, self.presenter.facts).text);
            json!(texts.collect::<Vec<_>>())
        });
        json!({
            "relation": tree.relation,
            "row": self.row_json(tree.id, &tree.row.iter().cloned().map(Some).collect::<Vec<_>>()),
            "rule": tree.rule.as_ref().map(rule_json),
            "given": given.collect::<Vec<Json>>(),
            "premises": premises,
            "conditions": conditions,
            "cut": tree.cut,
        })
    }

    fn condition_json(&self, condition: &Condition) -> Json {
        match condition {
            Condition::Absent { relation, name, row } => json!({"no": name, "row": self.row_json(*relation, row)}),
            Condition::Holds { literal, values } => json!({"literal": literal, "values": values_json(values)}),
        }
    }

    /// Values by the names of their columns; those that may be anything are `null`.
    pub fn row_json(&self, relation: RelationId, row: &[Option<Value>]) -> Json {
        let columns = self.program.describe(relation).columns;
        let values = columns.iter().zip(row).map(|(column, value)| {
            let value = value.as_ref().map_or(Json::Null, |value| self.presenter.json(column, value));
            json!({"column": column.name, "value": value})
        });
        Json::Array(values.collect())
    }
}

/// Variables with their values.
pub fn values_json(values: &[(String, Value)]) -> Json {
    let value = |value: &Value| match value {
        Value::Symbol(text) => json!(text),
        Value::Number(number) => json!(number),
    };
    Json::Array(values.iter().map(|(name, known)| json!({"variable": name, "value": value(known)})).collect())
}

pub fn rule_json(rule: &RuleReference) -> Json {
    json!({"file": rule.source, "line": rule.line, "text": rule.text})
}

/// `acme/rules/host-copy.dl:7`
pub fn reference(rule: &RuleReference) -> String {
    format!("{}:{}", terminal_escape::line(&rule.source), rule.line)
}
