//! What must hold of a function's arguments besides the form of their shapes.

use crate::shape::{Constraint, Solver, Verdict};

/// More requirements than this are not compared with each other.
const MOST_COMPARED: usize = 24;

/// The parts of a conjunction.
pub(super) fn conjuncts(constraint: &Constraint) -> Vec<Constraint> {
    match constraint {
        Constraint::And(parts) => parts.iter().flat_map(conjuncts).collect(),
        Constraint::Not(inner) if inner.is_about_shapes() => vec![constraint.clone()],
        Constraint::Not(inner) => conjuncts_of_opposite(inner),
        Constraint::True => Vec::new(),
        other => vec![other.clone()],
    }
}

fn conjuncts_of_opposite(inner: &Constraint) -> Vec<Constraint> {
    match inner.negated() {
        Constraint::Not(again) => vec![*again],
        negated => conjuncts(&negated),
    }
}

/// Without those that hold anyway or follow from the others.
pub(super) fn needed(constraints: Vec<Constraint>) -> Vec<Constraint> {
    let holds_anyway = |constraint: &Constraint| Solver::new().judge(constraint) == Verdict::Holds;
    let mut kept: Vec<Constraint> = Vec::new();
    for constraint in constraints {
        if !kept.contains(&constraint) && !holds_anyway(&constraint) {
            kept.push(constraint);
        }
    }
    if kept.len() > MOST_COMPARED {
        return kept;
    }
    let mut index = kept.len();
    while index > 0 {
        index -= 1;
        let mut others = Solver::new();
        for (_, other) in kept.iter().enumerate().filter(|(other, _)| *other != index) {
            others.assume(other);
        }
        if !others.is_contradictory() && others.judge(&kept[index]) == Verdict::Holds {
            kept.remove(index);
        }
    }
    kept
}
