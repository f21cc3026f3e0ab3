//! Judges requirements by what data from outside usually is: longer than one window of it, and with as many records as
//! anybody collected, however many fields a record has. What fails for all such data is a mistake, although there is
//! data for which it does not fail.

use crate::budget::costly_calls::EntryKind;
use crate::judge::data_sized_parameters::clashing_sizes;
use crate::state::interpreter::Interpreter;
use crate::values::fresh_dims::VOCABULARIES;
use harp_shape::{Constraint, Counterexample, Dim, Leaf, Shape, Var, VarKind, Verdict};

/// As many of the numbers that may be drawn are tried.
const DRAWS: i64 = 63;
/// Numbers of records and of fields as an example.
const EXAMPLE: (i64, i64) = (100, 10);

impl Interpreter<'_> {
    /// An example for which a requirement fails that was neither proved nor refuted, and fails for all data that is as data is.
    pub(crate) fn fails_for_usual_data(&mut self, constraint: &Constraint) -> Option<Counterexample> {
        if self.inference.is_some() || self.exceptions.caught > 0 {
            return None;
        }
        if self.entry.kind == EntryKind::Symbolic {
            return self.one_more_or_less(constraint);
        }
        let own = || self.record_for_field(constraint).or_else(|| self.one_more_or_less(constraint));
        let own =
            || own().or_else(|| rest_for_divisor(&self.size_by_size(constraint))).or_else(|| one_word(constraint));
        own()
            .or_else(|| self.fails_in_full_windows(constraint))
            .or_else(|| self.count_for_divisor(constraint))
            .or_else(|| self.fails_unless_empty(constraint))
    }

    /// A requirement with what it asks of each size alone, where it asks that two shapes are the same. Sizes stay as they were when it was judged:
    /// what was taken to hold since makes them equal.
    pub(crate) fn size_by_size(&self, constraint: &Constraint) -> Constraint {
        let Constraint::SameShape(one, other) = constraint else { return constraint.clone() };
        let dims = |shape: &Shape| shape.dims().or_else(|| self.solver.resolve_shape(shape).dims());
        match (dims(one), dims(other)) {
            (Some(one), Some(other)) if one.len() == other.len() => {
                Constraint::And(one.into_iter().zip(other).map(|(one, other)| Constraint::Equal(one, other)).collect())
            }
            _ => constraint.clone(),
        }
    }

    /// Where a requirement wants the number of records of a table to be that of their fields.
    fn record_for_field(&self, constraint: &Constraint) -> Option<Counterexample> {
        let Constraint::Equal(..) = constraint else { return None };
        let variables = constraint.variables();
        let records = variables.iter().find(|variable| self.model_state.text_tables.contains_key(variable))?;
        let fields = self.model_state.text_tables.get(records).map(|fields| self.solver.sizes_within(*fields))?;
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
        let ([one, other], stretched) = equal_or_stretched(clashing_sizes(constraint)?)?;
        let is_never_equal = (one - other).as_const().is_some_and(|difference| difference != 0);
        let of_counter = || one.vars().iter().any(|variable| self.tables.counters.contains_key(variable));
        if !is_never_equal || one.as_const().is_some() || of_counter() {
            return None;
        }
        let is_more = |size: Dim| Constraint::NotEqual(size, Dim::ONE);
        let condition = match stretched.as_slice() {
            [size] => is_more(*size),
            sizes => Constraint::And(sizes.iter().copied().map(is_more).collect()),
        };
        Some(Counterexample { assignment: Vec::new(), condition, is_default_fine: false, fails_usually: true })
    }

    /// Where a requirement fails for every window on data but those at the end.
    fn fails_in_full_windows(&mut self, constraint: &Constraint) -> Option<Counterexample> {
        let (full, condition) = self.solver.in_full_windows(constraint)?;
        let leaves = Leaf::of(&full);
        let of_kind = |leaf: &Leaf, kind: VarKind| matches!(leaf, Leaf::Size(variable) if variable.kind() == kind);
        let has_count = leaves.iter().any(|leaf| of_kind(leaf, VarKind::Counted));
        let is_known = |leaf: &Leaf| of_kind(leaf, VarKind::Config) || of_kind(leaf, VarKind::Counted);
        if !leaves.iter().all(is_known) || !self.are_left_of_data(&condition) {
            return None;
        }
        let mark = self.solver.mark();
        self.solver.assume(&condition);
        let fails = !self.solver.is_contradictory()
            && match self.solver.judge_by_conditions(&[], &full) {
                Some(Verdict::Violated) => true,
                // What was counted in data is no number that settings give.
                Some(Verdict::Possible(_)) => has_count,
                _ => false,
            };
        self.solver.rollback(mark);
        fails.then(|| Counterexample { assignment: Vec::new(), condition, is_default_fine: false, fails_usually: true })
    }

    /// Where a requirement holds for no data but none at all: what was counted in data is 0 then.
    pub(crate) fn fails_unless_empty(&self, constraint: &Constraint) -> Option<Counterexample> {
        if self.entry.kind == EntryKind::Symbolic || self.inference.is_some() || self.exceptions.caught > 0 {
            return None;
        }
        let constraint = self.size_by_size(constraint);
        let is_count = |variable: &Var| {
            let info = variable.info();
            info.kind != VarKind::Config && info.lower == Some(0) && !self.tables.counters.contains_key(variable)
        };
        let variables = constraint.variables();
        let is_known = |variable: &Var| variable.kind() == VarKind::Config || is_count(variable);
        if !equates_sizes(&constraint) || !variables.iter().all(is_known) {
            return None;
        }
        let counts: Vec<Var> = variables.into_iter().filter(is_count).collect();
        if counts.is_empty() {
            return None;
        }
        let is_some_of = |count: &Var| Constraint::LessEqual(Dim::ONE, Dim::var(*count));
        let given: Vec<Constraint> = counts.iter().map(is_some_of).collect();
        let fails = self.solver.judge_by_conditions(&given, &constraint) == Some(Verdict::Violated);
        let is_some = |count: &Var| Constraint::NotEqual(Dim::var(*count), Dim::ZERO);
        let condition = match counts.as_slice() {
            [one] => is_some(one),
            several => Constraint::And(several.iter().map(is_some).collect()),
        };
        fails.then(|| Counterexample { assignment: Vec::new(), condition, is_default_fine: false, fails_usually: true })
    }

    /// Where sizes that data from outside states are to be equal, and are for none that is positive: nobody states that a layer has none.
    pub(crate) fn fails_unless_zero(&self, constraint: &Constraint) -> Option<Counterexample> {
        if self.entry.kind == EntryKind::Symbolic || self.inference.is_some() || self.exceptions.caught > 0 {
            return None;
        }
        let constraint = self.size_by_size(constraint);
        let variables = constraint.variables();
        let is_stated = |variable: &Var| {
            let info = variable.info();
            info.kind == VarKind::Free && info.lower == Some(1) && !self.tables.counters.contains_key(variable)
        };
        if !equates_sizes(&constraint) || !variables.iter().all(is_stated) {
            return None;
        }
        let is_some = |variable: Var| Constraint::NotEqual(Dim::var(variable), Dim::ZERO);
        let condition = match variables.as_slice() {
            [] => return None,
            [one] => is_some(*one),
            several => Constraint::And(several.iter().copied().map(is_some).collect()),
        };
        Some(Counterexample { assignment: Vec::new(), condition, is_default_fine: false, fails_usually: true })
    }

    /// Where a number that is drawn between bounds is to be one that it seldom is.
    pub(crate) fn fails_for_most_draws(&self, constraint: &Constraint) -> bool {
        let [variable] = constraint.variables()[..] else { return false };
        let info = variable.info();
        let (Some(least), Some(most)) = (info.lower, info.upper) else { return false };
        if self.entry.kind == EntryKind::Symbolic || info.kind != VarKind::Fixed || most <= least {
            return false;
        }
        let places = (most - least).min(DRAWS);
        let drawn = |place: i64| least + (most - least) * place / places;
        let fails = |place: &i64| constraint.evaluate(&mut |_| Some(drawn(*place))) == Some(false);
        (0..=places).filter(fails).count() as i64 * 4 > 3 * (places + 1)
    }

    /// Where what was counted in data is to divide a number that settings alone give: more may have been counted than that.
    pub(crate) fn count_for_divisor(&self, constraint: &Constraint) -> Option<Counterexample> {
        if self.entry.kind == EntryKind::Symbolic || self.inference.is_some() || self.exceptions.caught > 0 {
            return None;
        }
        let resolved = self.solver.resolve_constraint(constraint);
        let (full, windows) = self.solver.in_full_windows(&resolved).unwrap_or((resolved, Constraint::True));
        let Constraint::Divides { divisor, value } = clashing_sizes(&full)? else { return None };
        let count = divisor.as_var().filter(|count| count.kind() == VarKind::Counted)?;
        let most = value.evaluate(&mut |variable| variable.default_value())?;
        let of_settings = value.vars().iter().all(|variable| variable.kind() == VarKind::Config);
        if !of_settings || most < 1 || self.tables.counters.contains_key(&count) || !self.are_left_of_data(&windows) {
            return None;
        }
        let fails = full.negated();
        Some(Counterexample {
            assignment: vec![(count, most.checked_add(1)?)],
            condition: if windows == Constraint::True { fails } else { Constraint::And(vec![windows, fails]) },
            is_default_fine: false,
            fails_usually: true,
        })
    }

    /// Whether each window is held against what is left of some data, and not against the number of a round alone, which grows; nor is the
    /// stated number what both ends of a slice are cut off at: then it is where the data ends.
    fn are_left_of_data(&self, condition: &Constraint) -> bool {
        let conditions = match condition {
            Constraint::And(parts) => parts.as_slice(),
            one => std::slice::from_ref(one),
        };
        let is_of_data =
            |variable: &Var| variable.kind() != VarKind::Config && !self.tables.counters.contains_key(variable);
        let mut lengths = Vec::with_capacity(conditions.len());
        conditions.iter().all(|condition| {
            let Constraint::LessEqual(length, rest) = condition else { return true };
            let is_new = !lengths.contains(length);
            lengths.push(*length);
            is_new && rest.vars().iter().any(is_of_data)
        })
    }
}

/// Two sizes that are to be equal unless one of them is 1, and which of them may be 1.
fn equal_or_stretched(constraint: &Constraint) -> Option<([Dim; 2], Vec<Dim>)> {
    match constraint {
        Constraint::Broadcastable(one, other) => Some(([*one, *other], vec![*one, *other])),
        Constraint::Or(parts) => match parts.as_slice() {
            [Constraint::Equal(one, other), Constraint::Equal(size, Dim::ONE)]
            | [Constraint::Equal(size, Dim::ONE), Constraint::Equal(one, other)]
                if size == one || size == other =>
            {
                Some(([*one, *other], vec![*size]))
            }
            _ => None,
        },
        _ => None,
    }
}

/// Whether a constraint says of sizes that they are equal, or broadcast, and none of them is of a shape whose rank is not known.
fn equates_sizes(constraint: &Constraint) -> bool {
    let is_known = |dim: &Dim| dim.shape_vars().is_empty();
    match constraint {
        Constraint::Equal(one, other) | Constraint::Broadcastable(one, other) => is_known(one) && is_known(other),
        Constraint::And(parts) => parts.iter().all(equates_sizes),
        _ => false,
    }
}

/// Where a vocabulary is to have one word.
fn one_word(constraint: &Constraint) -> Option<Counterexample> {
    let constraint = clashing_sizes(constraint)?;
    let (Constraint::Equal(words, Dim::ONE) | Constraint::Equal(Dim::ONE, words)) = constraint else { return None };
    let is_of_words = words.vars().iter().any(|variable| variable.source() == Some(VOCABULARIES));
    is_of_words.then(|| Counterexample {
        assignment: Vec::new(),
        condition: constraint.negated(),
        is_default_fine: false,
        fails_usually: true,
    })
}

/// Where one size is what a division of the data by some number gives, and must be that number: the data are cut into so many rows, and rows and
/// columns were taken for each other.
fn rest_for_divisor(constraint: &Constraint) -> Option<Counterexample> {
    let (Constraint::Equal(one, other) | Constraint::Broadcastable(one, other)) = clashing_sizes(constraint)? else {
        return None;
    };
    let is_setting = |variable: &Var| variable.kind() == VarKind::Config;
    let is_stated = |number: Dim| number.shape_vars().is_empty() && number.vars().iter().all(is_setting);
    let is_cut = |rest: Dim, rows: Dim| {
        rest.as_quotient().is_some_and(|(data, divisor)| divisor == rows && is_stated(rows) && !is_stated(data))
    };
    let is_one = |number: Dim| number == Dim::ONE;
    if is_one(*one) || is_one(*other) || !(is_cut(*one, *other) || is_cut(*other, *one)) {
        return None;
    }
    Some(Counterexample {
        assignment: Vec::new(),
        condition: clashing_sizes(constraint)?.negated(),
        is_default_fine: false,
        fails_usually: true,
    })
}
