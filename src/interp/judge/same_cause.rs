//! Issues that are one mistake: a tensor that lacks a dimension does not broadcast in any of the operations that use
//! it, and what adds the dimension mends them all.

use crate::state::interpreter::Interpreter;
use crate::values::value::OperationId;
use harp_trace::{Issue, IssueKind, Operand};

/// Tensors of a higher rank are not compared.
const MOST_DIMENSIONS: usize = 8;
const BROADCAST: &str = "cannot be broadcast together";

impl Interpreter<'_> {
    /// Whether two operations fail to broadcast for one reason: they use one tensor, or what was computed of it element by element, and there is a place for a
    /// dimension of one element with which it fits both of the others.
    pub(crate) fn have_one_cause(&self, issue: &Issue, failed: &Issue) -> bool {
        let is_broadcast = |issue: &Issue| issue.message.contains(BROADCAST) && issue.operands.len() == 2;
        if !is_broadcast(issue) || !is_broadcast(failed) {
            return false;
        }
        let pairs = [0, 1].into_iter().flat_map(|one| [(one, 0), (one, 1)]);
        pairs.into_iter().any(|(one, other)| {
            let (used, blamed) = (&issue.operands[one], &failed.operands[other]);
            used.shape == blamed.shape
                && self.is_made_of(used, blamed)
                && gets_to_fit(&blamed.shape, [&issue.operands[1 - one].shape, &failed.operands[1 - other].shape])
        })
    }

    /// Whether the same operation complains in the same words of the same tensors, or of such that were computed of them.
    pub(crate) fn repeats_complaint(&self, issue: &Issue, failed: &Issue) -> bool {
        issue.kind == IssueKind::Violated
            // An object has parameters of its own, of which the words tell, too.
            && issue.module_origin.is_none()
            && issue.api == failed.api
            && issue.message == failed.message
            // What failed on another path alone is no reason to be silent on this one.
            && failed.conditions.iter().all(|condition| issue.conditions.contains(condition))
            && issue.operands.len() == failed.operands.len()
            && issue.operands.iter().zip(&failed.operands).all(|(one, other)| self.is_made_of(one, other))
    }

    /// Whether an operand is another one, or was computed of it.
    fn is_made_of(&self, used: &Operand, blamed: &Operand) -> bool {
        match (used.operation, blamed.operation) {
            (OperationId::NONE, OperationId::NONE) => used.origin.is_some() && used.origin == blamed.origin,
            (_, OperationId::NONE) => false,
            (one, other) => self.is_computed_from(one, other),
        }
    }
}

/// Whether a shape broadcasts with two others once it has one more dimension, of one element, at one place. Neither of the others fits as it is.
fn gets_to_fit(shape: &str, others: [&str; 2]) -> bool {
    let (Some(dims), Some(first), Some(second)) = (dims_of(shape), dims_of(others[0]), dims_of(others[1])) else {
        return false;
    };
    (0..=dims.len()).any(|place| {
        let mut more = dims.clone();
        more.insert(place, "1");
        [&first, &second].into_iter().all(|other| more.len() <= other.len() && broadcasts(&more, other))
    })
}

fn dims_of(shape: &str) -> Option<Vec<&str>> {
    let dims = shape.strip_prefix('[')?.strip_suffix(']')?;
    let dims: Vec<&str> = dims.split(", ").filter(|dim| !dim.is_empty()).collect();
    (dims.len() <= MOST_DIMENSIONS).then_some(dims)
}

fn broadcasts(one: &[&str], other: &[&str]) -> bool {
    one.iter().rev().zip(other.iter().rev()).all(|(one, other)| one == other || *one == "1" || *other == "1")
}
