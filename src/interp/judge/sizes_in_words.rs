//! The conditions of an issue on sizes that have no name in the program, such as those of what a script reads: they are
//! told by the operand that has them.

use crate::api::call_api::Bound;
use crate::budget::costly_calls::EntryKind;
use crate::state::interpreter::Interpreter;
use harp_corpus::Span;
use harp_operations::operation::Judged;
use harp_shape::{Constraint, Dim, Element, VarKind};

impl Interpreter<'_> {
    /// A condition in words that name operands; `None` where its sizes have names that readers know, or none has them.
    pub(crate) fn in_operands(&self, condition: &Constraint, judged: &Judged, bound: &Bound) -> Option<String> {
        if self.entry.kind == EntryKind::Symbolic || self.inference.is_some() {
            return None;
        }
        match condition {
            Constraint::And(parts) => {
                let told: Option<Vec<String>> =
                    parts.iter().map(|part| self.in_operands(part, judged, bound)).collect();
                told.filter(|told| !told.is_empty()).map(|told| told.join(" and "))
            }
            Constraint::Equal(one, other) => self.size_in_words((*one, *other), "is", judged, bound),
            Constraint::NotEqual(one, other) => self.size_in_words((*one, *other), "is not", judged, bound),
            Constraint::Not(inner) => match &**inner {
                Constraint::Equal(one, other) => self.size_in_words((*one, *other), "is not", judged, bound),
                _ => None,
            },
            _ => None,
        }
    }

    fn size_in_words(&self, sizes: (Dim, Dim), is: &str, judged: &Judged, bound: &Bound) -> Option<String> {
        let (one, other) = (self.solver.resolve(sizes.0), self.solver.resolve(sizes.1));
        let (size, number) = match (one.as_const(), other.as_const()) {
            (None, Some(number)) => (one, number),
            (Some(number), None) => (other, number),
            _ => return None,
        };
        if !is_internal(size) {
            return None;
        }
        let place = judged.operands.iter().find_map(|name| {
            let (_, value) = bound.iter().rev().find(|(known, _)| known.as_str() == &**name)?;
            let shape = self.solver.resolve_shape(&self.tensor_in(value)?.shape);
            let elements = shape.elements();
            let is_it = |element: &Element| matches!(element, Element::Dim(dim) if *dim == size);
            let at = elements.iter().rposition(is_it)?;
            let is_counted = elements[..at].iter().all(|element| matches!(element, Element::Dim(_)));
            Some(match at + 1 == elements.len() {
                true => format!("the last dimension of `{name}`"),
                false if is_counted => format!("dimension {at} of `{name}`"),
                false => return None,
            })
        })?;
        Some(format!("{place} {is} {number}"))
    }

    /// The line in which a place begins.
    pub(crate) fn line_of(&self, place: Span) -> u32 {
        self.corpus.file(place.file).map_or(0, |file| file.absolute_line(place.start))
    }
}

/// Whether a size is made of those that Harp names by the value and the dimension: `data_0`, `s_last`.
fn is_internal(size: Dim) -> bool {
    let is_made = |name: &str| {
        let ending =
            name.rsplit_once('_').map(|(_, ending)| ending.trim_end_matches(|char: char| char.is_ascii_digit()));
        matches!(ending, Some("" | "last"))
    };
    let variables = size.vars();
    let is_free = variables.iter().all(|variable| variable.kind() == VarKind::Free);
    is_free && (size.to_string().contains("prod(") || variables.iter().any(|variable| is_made(&variable.name())))
}
