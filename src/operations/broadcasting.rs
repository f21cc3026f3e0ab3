//! Broadcasting in transfer functions of operands against one another, and the broadcast that was surely not meant.

use std::rc::Rc;

use crate::operation::{Judged, Operation, Remark};
use crate::support::Stop;
use harp_shape::{Constraint, Dim, Outcome, Shape, Verdict};

impl Operation<'_> {
    /// The shape to which two operands broadcast.
    pub(crate) fn broadcast(&mut self, left: (&str, &Shape), right: (&str, &Shape)) -> Result<Shape, Stop> {
        let left_shape = self.solver.resolve_shape(left.1);
        let right_shape = self.solver.resolve_shape(right.1);
        let (result, outcome) = self.solver.broadcast(&left_shape, &right_shape);
        let violated = matches!(outcome, Outcome::Violated);
        if !matches!(outcome, Outcome::Holds) {
            let constraint = broadcastable(&left_shape, &right_shape);
            let message = self.broadcast_message((left.0, &left_shape), (right.0, &right_shape));
            let operands = [left.0, right.0].map(Rc::from).to_vec();
            self.judged.push(Judged { constraint, outcome, ..Judged::violated(message, operands) });
        }
        if violated {
            return Err(Stop);
        }
        Ok(result.unwrap_or_else(|| Shape::unknown("broadcast")))
    }

    /// Like [`Operation::broadcast`], with a remark where a column meets a row of the same length.
    pub(crate) fn broadcast_elementwise(&mut self, left: (&str, &Shape), right: (&str, &Shape)) -> Result<Shape, Stop> {
        let result = self.broadcast(left, right)?;
        let left_shape = self.solver.resolve_shape(left.1);
        let right_shape = self.solver.resolve_shape(right.1);
        if is_column_against_row(&left_shape, &right_shape) || is_column_against_row(&right_shape, &left_shape) {
            let operands = [left.0, right.0].map(Rc::from).to_vec();
            let result = result.clone();
            self.remarks.push(Remark::SuspiciousBroadcast { left: left_shape, right: right_shape, result, operands });
        }
        Ok(result)
    }

    fn broadcast_message(&mut self, left: (&str, &Shape), right: (&str, &Shape)) -> String {
        let operands = format!("{} and {}", self.operand(left.0, left.1), self.operand(right.0, right.1));
        match self.mismatch(left.1, right.1) {
            Some((back, one, other)) => {
                format!(
                    "{operands} cannot be broadcast together: dimension -{back} is {one} against {other}, and neither is 1"
                )
            }
            None => format!("{operands} must broadcast together"),
        }
    }

    /// The last pair of dimensions that do not broadcast, with its distance from the end; where no pair is known not to, the last that may not.
    fn mismatch(&mut self, left: &Shape, right: &Shape) -> Option<(usize, Dim, Dim)> {
        let (left, right) = (left.dims()?, right.dims()?);
        let pairs = left.iter().rev().zip(right.iter().rev()).enumerate();
        let one = Dim::constant(1);
        let open: Vec<(usize, Dim, Dim)> = pairs
            .map(|(index, (left, right))| (index + 1, self.solver.resolve(*left), self.solver.resolve(*right)))
            .filter(|(_, left, right)| left != right && *left != one && *right != one)
            .collect();
        let clash = open
            .iter()
            .find(|(_, left, right)| self.solver.judge(&Constraint::Broadcastable(*left, *right)) == Verdict::Violated);
        clash.or(open.first()).copied()
    }

    /// Requires that `source` broadcasts to `target` without changing it, as an assignment does.
    pub(crate) fn broadcast_into(&mut self, source: (&str, &Shape), target: (&str, &Shape)) -> Result<(), Stop> {
        let source_shape = self.solver.resolve_shape(source.1);
        let target_shape = self.solver.resolve_shape(target.1);
        let (Some(from), Some(to)) = (source_shape.dims(), target_shape.dims()) else { return Ok(()) };
        let operands = [source.0, target.0];
        let message = format!(
            "{} must broadcast to {}",
            self.operand(source.0, &source_shape),
            self.operand(target.0, &target_shape)
        );
        if from.len() > to.len() {
            return self.reject(&operands, message);
        }
        for (from, to) in from.iter().rev().zip(to.iter().rev()) {
            let fits = Constraint::Or(vec![Constraint::Equal(*from, *to), Constraint::Equal(*from, Dim::constant(1))]);
            let fits = if from.as_const() == Some(1) {
                Constraint::True
            } else if to.as_const() == Some(1) || from.as_const().is_some() {
                Constraint::Equal(*from, *to)
            } else {
                fits
            };
            self.demand(fits, &operands, || message.clone())?;
        }
        Ok(())
    }
}

/// The constraint that two shapes broadcast, as far as their ranks are known.
fn broadcastable(left: &Shape, right: &Shape) -> Constraint {
    match (left.dims(), right.dims()) {
        (Some(left), Some(right)) => {
            let pairs = left.iter().rev().zip(right.iter().rev());
            Constraint::And(pairs.map(|(left, right)| Constraint::Broadcastable(*left, *right)).collect())
        }
        _ => Constraint::SameShape(left.clone(), right.clone()),
    }
}

/// Whether one shape is the other with a 1 behind it, as in `[n, 1]` against `[n]`: the result gains a dimension.
fn is_column_against_row(column: &Shape, row: &Shape) -> bool {
    let (Some(column), Some(row)) = (column.dims(), row.dims()) else { return false };
    let Some((last, rest)) = column.split_last() else { return false };
    let one = Dim::constant(1);
    *last == one && rest == row.as_slice() && row.last().is_some_and(|dim| *dim != one)
}
