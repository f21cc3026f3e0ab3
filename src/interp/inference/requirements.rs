//! What must hold of a function's arguments besides the form of their shapes.

use crate::shape::{Constraint, Dim, Solver, Verdict};

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

/// Brings a comparison into the form in which one would write it: nothing is subtracted.
pub(super) fn tidy(constraint: &Constraint) -> Constraint {
    let sides = |left: Dim, right: Dim| (left - right).terms_by_sign();
    match constraint {
        Constraint::LessEqual(a, b) => {
            let (right, left) = sides(*b, *a);
            // `1 <= n - k` is `k < n`.
            match left.split_constant() {
                (rest, 1) if left.as_const().is_none() => Constraint::Less(rest, right),
                _ => Constraint::LessEqual(left, right),
            }
        }
        Constraint::Less(a, b) => {
            let (right, left) = sides(*b, *a);
            Constraint::Less(left, right)
        }
        Constraint::Equal(a, b) if !is_simple(*a) && !is_simple(*b) => {
            let (left, right) = sides(*a, *b);
            Constraint::Equal(left, right)
        }
        Constraint::NotEqual(a, b) if !is_simple(*a) && !is_simple(*b) => {
            let (left, right) = sides(*a, *b);
            Constraint::NotEqual(left, right)
        }
        other => other.clone(),
    }
}

fn is_simple(dim: Dim) -> bool {
    dim.as_var().is_some() || dim.as_const().is_some()
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
