//! What data from outside usually is: longer than one window of it, and with as many records as anybody collected, however many fields a record
//! has. What fails for all such data is a mistake, although there is data for which it does not fail.

use crate::interp::costly::EntryKind;
use crate::interp::machine::Interpreter;
use crate::interp::measures::clashing_sizes;
use crate::shape::{Constraint, Counterexample, Dim, Leaf, Var, VarKind, Verdict};

/// Numbers of records and of fields as an example.
const EXAMPLE: (i64, i64) = (100, 10);

impl Interpreter<'_> {
    /// An example for which a requirement fails that was neither proved nor refuted, and fails for all data that is as data is.
    pub(super) fn fails_for_usual_data(&mut self, constraint: &Constraint) -> Option<Counterexample> {
        if self.entry_kind == EntryKind::Symbolic || self.inference.is_some() || self.caught > 0 {
            return None;
        }
        let own = || self.record_for_field(constraint).or_else(|| self.one_more_or_less(constraint));
        own().or_else(|| self.fails_in_full_windows(constraint))
    }

    /// Where a requirement wants the number of records of a table to be that of their fields.
    fn record_for_field(&self, constraint: &Constraint) -> Option<Counterexample> {
        let Constraint::Equal(..) = constraint else { return None };
        let variables = constraint.variables();
        let records = variables.iter().find(|variable| self.tables.contains_key(variable))?;
        let fields = self.tables.get(records).map(|fields| self.solver.sizes_within(*fields))?;
        let others: Vec<Var> = variables.iter().copied().filter(|variable| variable != records).collect();
        if others.is_empty() || !others.iter().all(|variable| fields.contains(variable)) {
            return None;
        }
        let value = |variable: Var| Some(if variable == *records { EXAMPLE.0 } else { EXAMPLE.1 });
        (constraint.evaluate(&mut { value }) == Some(false)).then(|| Counterexample {
            assignment: variables.iter().filter_map(|variable| Some((*variable, value(*variable)?))).collect(),
            condition: constraint.negated(),
            is_default_fine: false,
            fails_usually: true,
        })
    }

    /// Where a size is broadcast to the same size with something added: the two are never the same, and that one of them is 1 nobody means.
    fn one_more_or_less(&self, constraint: &Constraint) -> Option<Counterexample> {
        let Constraint::Broadcastable(one, other) = clashing_sizes(constraint)? else { return None };
        let (one, other) = (*one, *other);
        let is_never_equal = (one - other).as_const().is_some_and(|difference| difference != 0);
        let of_counter = || one.vars().iter().any(|variable| self.counters.contains_key(variable));
        if !is_never_equal || one.as_const().is_some() || of_counter() {
            return None;
        }
        let is_more = |size: Dim| Constraint::NotEqual(size, Dim::ONE);
        let condition = Constraint::And(vec![is_more(one), is_more(other)]);
        Some(Counterexample { assignment: Vec::new(), condition, is_default_fine: false, fails_usually: true })
    }

    /// Where a requirement fails for every window on data but those at the end.
    fn fails_in_full_windows(&mut self, constraint: &Constraint) -> Option<Counterexample> {
        let (full, condition) = self.solver.in_full_windows(constraint)?;
        let is_setting = |leaf: &Leaf| matches!(leaf, Leaf::Size(variable) if variable.kind() == VarKind::Config);
        if !Leaf::of(&full).iter().all(is_setting) || !self.are_left_of_data(&condition) {
            return None;
        }
        let mark = self.solver.mark();
        self.solver.assume(&condition);
        let fails =
            !self.solver.is_contradictory() && self.solver.with_conditions_alone().judge(&full) == Verdict::Violated;
        self.solver.rollback(mark);
        fails.then(|| Counterexample { assignment: Vec::new(), condition, is_default_fine: false, fails_usually: true })
    }

    /// Whether each window is held against what is left of some data, and not against the number of a round alone, which grows; nor is the
    /// stated number what both ends of a slice are cut off at: then it is where the data ends.
    fn are_left_of_data(&self, condition: &Constraint) -> bool {
        let conditions = match condition {
            Constraint::And(parts) => parts.as_slice(),
            one => std::slice::from_ref(one),
        };
        let is_of_data = |variable: &Var| variable.kind() != VarKind::Config && !self.counters.contains_key(variable);
        let mut lengths = Vec::with_capacity(conditions.len());
        conditions.iter().all(|condition| {
            let Constraint::LessEqual(length, rest) = condition else { return true };
            let is_new = !lengths.contains(length);
            lengths.push(*length);
            is_new && rest.vars().iter().any(is_of_data)
        })
    }
}
