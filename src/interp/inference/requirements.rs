//! Requirements in inferred signatures: what must hold of a function's arguments besides the form of their shapes.

use harp_shape::{Constraint, Mark, Solver, Verdict};

/// More requirements than this are not compared with each other.
const MOST_COMPARED: usize = 24;

/// The parts of a conjunction.
pub(crate) fn conjuncts(constraint: &Constraint) -> Vec<Constraint> {
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
pub(crate) fn needed(constraints: Vec<Constraint>) -> Vec<Constraint> {
    let nothing = Solver::new();
    let mut kept: Vec<Constraint> = Vec::new();
    for constraint in constraints {
        if !kept.contains(&constraint) && nothing.judge(&constraint) != Verdict::Holds {
            kept.push(constraint);
        }
    }
    if kept.len() > MOST_COMPARED {
        return kept;
    }
    let mut all = Solver::new();
    // The state before each of them is known.
    let mut marks: Vec<Mark> = Vec::with_capacity(kept.len());
    for constraint in &kept {
        marks.push(all.mark());
        all.take_as_given(constraint);
    }
    if all.is_contradictory() {
        return kept;
    }
    for index in (0..kept.len()).rev() {
        all.rollback(marks[index]);
        kept[index + 1..].iter().for_each(|later| all.take_as_given(later));
        if !all.is_contradictory() && all.judge(&kept[index]) == Verdict::Holds {
            kept.remove(index);
        }
    }
    kept
}
