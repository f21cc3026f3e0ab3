//! The results of evaluating rules, for a reader.

use std::cell::RefCell;

use harp_limits::Defect;

use crate::derivation_graph::Supports;
use crate::evaluate::{RuleProfile, State};
use crate::functors::Base;
use crate::metadata::{EditKind, Metadata, Severity, Template};
use crate::program::Program;
use crate::rule::RelationId;
use crate::savings::{Quantity, Removed, SavesTemplate};
use crate::source::Diagnostic;
use crate::values::Cell;

/// A value of a row.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// A text.
    Symbol(String),
    /// An integer.
    Number(i64),
}

impl std::fmt::Display for Value {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Symbol(text) => formatter.write_str(text),
            Value::Number(number) => write!(formatter, "{number}"),
        }
    }
}

/// A part of the rewrite that a row suggests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditRow {
    /// What is done at the place.
    pub kind: EditKind,
    /// The symbol of the place.
    pub place: String,
    /// The text with the values of the row in it.
    pub text: String,
}

/// Work that the rewrite of a row removes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedRow {
    /// The symbol of the place whose work it is.
    pub place: String,
    /// Which of its executions.
    pub removed: Removed,
    /// The symbol of the loop, where the metadata names one.
    pub in_loop: Option<String>,
    /// What is saved, where the metadata lists it, with the number for one execution where the rule has it.
    pub only: Option<Vec<(Quantity, Option<i64>)>>,
}

/// A row of a relation with `@id` metadata.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FindingRow {
    /// The `@id` of the relation.
    pub rule_id: String,
    /// The `@severity` of the relation.
    pub severity: Severity,
    /// The `@tags` of the relation.
    pub tags: Vec<String>,
    /// The `@message` with the values of the row in it.
    pub message: String,
    /// The symbol of the place, where the metadata names one.
    pub at: Option<String>,
    /// Symbols of further places, each with what it is.
    pub related: Vec<(String, String)>,
    /// The `@help` with the values of the row in it.
    pub help: Option<String>,
    /// The `@fix` with the values of the row in it.
    pub fix: Option<String>,
    /// The `@edit` and `@insert` of the relation, in their order.
    pub edits: Vec<EditRow>,
    /// The `@unsafe` with the values of the row in it; `None` where it is empty.
    pub unsafe_because: Option<String>,
    /// The `@saves` of the relation, in their order.
    pub saves: Vec<SavedRow>,
    /// The `@floor` of the relation.
    pub floor: Vec<(Quantity, i64)>,
    /// The relation of the row.
    pub relation: RelationId,
    /// The number of the row in its relation.
    pub row: usize,
}

/// What evaluating a program over a database gave.
pub struct Evaluation<'p> {
    pub(super) program: &'p Program<'p>,
    /// Questions make indices and symbols of their own.
    pub(super) state: RefCell<State>,
    pub(super) supports: RefCell<Supports>,
    /// Rules that were stopped, rows that were not loaded, and the like.
    pub warnings: Vec<Diagnostic>,
    /// Panics, by the rule that ran.
    pub defects: Vec<(String, Defect)>,
    /// What each rule cost, in the order of the sources.
    pub profile: Vec<RuleProfile>,
}

impl<'p> Evaluation<'p> {
    pub(super) fn new(
        program: &'p Program<'p>,
        state: State,
        warnings: Vec<Diagnostic>,
        profile: Vec<RuleProfile>,
    ) -> Self {
        let supports = RefCell::new(Supports::new(program, &state.relations));
        Evaluation { program, state: RefCell::new(state), supports, warnings, defects: Vec::new(), profile }
    }

    /// The program that was evaluated.
    pub fn program(&self) -> &'p Program<'p> {
        self.program
    }

    /// How many rows a relation has; the numbers of rows are those below.
    pub fn row_count(&self, relation: RelationId) -> usize {
        self.state.borrow().relations[relation.index()].len
    }

    /// Whether rows may be missing because a rule was stopped.
    pub fn is_incomplete(&self, relation: RelationId) -> bool {
        self.state.borrow().relations[relation.index()].incomplete
    }

    /// The ids of the findings of which rows may be missing, since a rule that they need was stopped or not evaluated. In order.
    pub fn incomplete_findings(&self) -> Vec<String> {
        let relations = &self.state.borrow().relations;
        let infos = self.program.relations.iter().zip(relations).filter(|(_, relation)| relation.incomplete);
        let ids = infos.filter_map(|(info, _)| Some(info.documentation.metadata.as_ref()?.id.clone()));
        let mut ids: Vec<String> = ids.collect();
        ids.sort();
        ids
    }

    /// All rows of a relation, in the order in which they were found.
    pub fn rows(&self, relation: RelationId) -> Vec<Vec<Value>> {
        (0..self.row_count(relation)).map(|row| self.row(relation, row)).collect()
    }

    /// One row; empty where there is none of that number.
    pub fn row(&self, relation: RelationId, row: usize) -> Vec<Value> {
        let state = self.state.borrow();
        let found = &state.relations[relation.index()];
        if row >= found.len {
            return Vec::new();
        }
        self.values_of(&state, relation, found.row(row))
    }

    /// The number of a row with these values.
    pub fn find(&self, relation: RelationId, values: &[Value]) -> Option<usize> {
        let mut state = self.state.borrow_mut();
        let mut cells = Vec::new();
        for value in values {
            cells.push(match value {
                Value::Symbol(text) => state.values.find_symbol(text)?.0,
                Value::Number(number) => state.values.number(*number).0,
            });
        }
        let found = &mut state.relations[relation.index()];
        (cells.len() == found.arity).then(|| found.find_indexed(&cells)).flatten().map(|row| row as usize)
    }

    pub(super) fn values_of(&self, state: &State, relation: RelationId, cells: &[u32]) -> Vec<Value> {
        let columns = &self.program.relations[relation.index()].columns;
        columns.iter().zip(cells).map(|(column, cell)| value_of(state, column.base, *cell)).collect()
    }

    /// The rows of all relations that have `@id` metadata, by rule, place and message.
    pub fn findings(&self) -> Vec<FindingRow> {
        let mut findings = Vec::new();
        for (index, info) in self.program.relations.iter().enumerate() {
            let Some(metadata) = &info.documentation.metadata else { continue };
            let relation = RelationId(index as u32);
            for row in 0..self.row_count(relation) {
                let values = self.row(relation, row);
                findings.push((finding(metadata, &values, relation, row), values));
            }
        }
        findings.sort_by(|(left, left_values), (right, right_values)| {
            let by_place = (&left.rule_id, &left.at, &left.message).cmp(&(&right.rule_id, &right.at, &right.message));
            by_place.then_with(|| left_values.cmp(right_values))
        });
        findings.into_iter().map(|(finding, _)| finding).collect()
    }
}

pub(super) fn value_of(state: &State, base: Base, cell: u32) -> Value {
    match base {
        Base::Symbol => Value::Symbol(state.values.text(Cell(cell)).to_owned()),
        Base::Number => Value::Number(state.values.integer(Cell(cell))),
    }
}

fn finding(metadata: &Metadata, values: &[Value], relation: RelationId, row: usize) -> FindingRow {
    let text = |column: usize| values.get(column).map(Value::to_string).unwrap_or_default();
    let render = |template: &Template| template.render(text);
    let number = |column: usize| match values.get(column) {
        Some(Value::Number(number)) => Some(*number),
        _ => None,
    };
    let saved = |saves: &SavesTemplate| SavedRow {
        place: text(saves.place),
        removed: saves.removed,
        in_loop: saves.in_loop.map(text),
        only: saves.only.as_ref().map(|only| only.iter().map(|it| (it.0, it.1.and_then(number))).collect()),
    };
    FindingRow {
        rule_id: metadata.id.clone(),
        severity: metadata.severity,
        tags: metadata.tags.clone(),
        message: render(&metadata.message),
        at: metadata.at.map(text),
        related: metadata.related.iter().map(|(column, template)| (text(*column), render(template))).collect(),
        help: metadata.help.as_ref().map(render),
        fix: metadata.fix.as_ref().map(render),
        edits: metadata
            .edits
            .iter()
            .map(|edit| EditRow { kind: edit.kind, place: text(edit.place), text: render(&edit.text) })
            .collect(),
        unsafe_because: metadata.unsafe_because.as_ref().map(render).filter(|reason| !reason.is_empty()),
        saves: metadata.saves.iter().map(saved).collect(),
        floor: metadata.floor.clone(),
        relation,
        row,
    }
}
