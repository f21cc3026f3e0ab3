//! Multiplies out the alternatives in a rule's body, and collects its names.

use crate::syntax::{Body, Expression, Name};

/// A rule's alternatives may multiply out to this many bodies.
const MOST_BODIES: usize = 256;

/// One part of a body after multiplying out.
pub(super) struct Signed<'a> {
    pub part: &'a Body,
    pub negated: bool,
}

/// The conjunctions that a body stands for.
pub(super) fn conjunctions(body: &Body) -> Option<Vec<Vec<Signed<'_>>>> {
    expand(body, false)
}

fn expand(body: &Body, negated: bool) -> Option<Vec<Vec<Signed<'_>>>> {
    match (body, negated) {
        (Body::Not(inner), _) => expand(inner, !negated),
        (Body::All(parts), false) | (Body::Any(parts), true) => {
            let mut product: Vec<Vec<Signed>> = vec![Vec::new()];
            for part in parts {
                let alternatives = expand(part, negated)?;
                let mut next = Vec::new();
                for left in &product {
                    for right in &alternatives {
                        next.push(left.iter().chain(right).map(|one| Signed { ..*one }).collect());
                    }
                }
                if next.len() > MOST_BODIES {
                    return None;
                }
                product = next;
            }
            Some(product)
        }
        (Body::Any(parts), false) | (Body::All(parts), true) => {
            let mut bodies = Vec::new();
            for part in parts {
                bodies.extend(expand(part, negated)?);
            }
            (bodies.len() <= MOST_BODIES).then_some(bodies)
        }
        (part, _) => Some(vec![vec![Signed { part, negated }]]),
    }
}

/// Every variable's name with its place; `inside` tells whether those of aggregates count.
pub(super) fn names_in_body<'a>(body: &'a Body, inside: Aggregates, each: &mut impl FnMut(&'a Name)) {
    match body {
        Body::All(parts) | Body::Any(parts) => parts.iter().for_each(|part| names_in_body(part, inside, each)),
        Body::Not(part) => names_in_body(part, inside, each),
        Body::Atom(atom) => atom.arguments.iter().for_each(|argument| names_in_expression(argument, inside, each)),
        Body::Compare(_, left, right, _) => {
            names_in_expression(left, inside, each);
            names_in_expression(right, inside, each);
        }
        Body::Truth(_) => {}
    }
}

/// Whether a walk looks into aggregates.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Aggregates {
    Entered,
    Skipped,
}

pub(super) fn names_in_expression<'a>(expression: &'a Expression, inside: Aggregates, each: &mut impl FnMut(&'a Name)) {
    match expression {
        Expression::Variable(name) => each(name),
        Expression::Call(_, arguments, _) => {
            arguments.iter().for_each(|argument| names_in_expression(argument, inside, each));
        }
        Expression::Cast(inner, ..) => names_in_expression(inner, inside, each),
        Expression::Aggregate(aggregate) if inside == Aggregates::Entered => {
            if let Some(target) = &aggregate.target {
                names_in_expression(target, inside, each);
            }
            names_in_body(&aggregate.body, inside, each);
        }
        Expression::Aggregate(_) | Expression::Wildcard(_) | Expression::Number(..) | Expression::Text(..) => {}
    }
}
