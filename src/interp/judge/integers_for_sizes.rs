//! Filters alarms on integers that callers give where sizes are asked for, which may be no sizes: -1 says that there is
//! none, and 0 may be meant as an index.

use std::cell::Cell;

use crate::api::call_api::Bound;
use crate::state::interpreter::Interpreter;
use crate::values::value::Value;
use harp_shape::{Constraint, Dim, Leaf, Shape, Var, VarKind, Verdict};
use harp_trace::assumption::{Assumption, AssumptionKind, NOBODY_CALLS};

impl Interpreter<'_> {
    /// Whether a requirement fails for a size that is -1, the default of a parameter: it says that there is none, and that whoever calls the
    /// function gives one.
    pub(crate) fn rests_on_no_size(&self, constraint: &Constraint, bound: &Bound) -> bool {
        let is_minus_one = |assumption: &Assumption| {
            assumption.kind == AssumptionKind::DefaultValue
                && assumption.evidence == NOBODY_CALLS
                && assumption.text.ends_with("has its default -1")
        };
        self.entry.assumptions.iter().filter_map(|id| self.trace.assumptions.get(id)).any(is_minus_one)
            && match constraint {
                // What was refused outright was refused for what it is.
                Constraint::False => self.has_no_size(bound),
                _ => self.fails_for_no_size(constraint),
            }
    }

    /// Whether a number among the arguments is -1, other than a dimension.
    fn has_no_size(&self, bound: &Bound) -> bool {
        const DIMENSIONS: [&str; 2] = ["dim", "axis"];
        bound.iter().any(|(name, value)| {
            let is_dimension = DIMENSIONS.iter().any(|word| name.as_str().contains(word));
            !is_dimension && matches!(self.read(value), Value::Int(number) if number.as_const() == Some(-1))
        })
    }

    /// Whether a part of a requirement that is violated asks for a size of -1, or compares one with it.
    fn fails_for_no_size(&self, constraint: &Constraint) -> bool {
        if let Constraint::And(parts) | Constraint::Or(parts) = constraint {
            return parts.iter().any(|part| self.fails_for_no_size(part));
        }
        let has_no_size = Cell::new(false);
        let look = |dim: Dim| has_no_size.set(has_no_size.get() || dim.as_const() == Some(-1));
        constraint.for_each(&mut |dim| look(dim), &mut |shape| {
            shape.dims().into_iter().flatten().for_each(look);
        });
        has_no_size.get() && self.solver.judge(constraint) == Verdict::Violated
    }

    /// Whether a violated requirement may hold where the integers that callers give are 0.
    pub(crate) fn fails_for_sizes_alone(&self, constraint: &Constraint) -> bool {
        let may_be_least = |var: &Var| {
            let info = var.info();
            info.kind == VarKind::Free
                && info.lower == Some(1)
                && !self.tables.counters.contains_key(var)
                && self.solver.judge(&Constraint::Equal(Dim::var(*var), Dim::constant(1))) != Verdict::Violated
        };
        let sizes = Leaf::of(constraint).into_iter().filter_map(|leaf| match leaf {
            Leaf::Size(var) => Some(var),
            Leaf::Shape(_) => None,
        });
        let sizes: Vec<Var> = sizes.filter(may_be_least).collect();
        if self.inference.is_none() && self.counts_from_unknown(constraint) {
            return true;
        }
        if sizes.is_empty() || self.inference.is_some() {
            return false;
        }
        let mut one_less =
            |dim: Dim| dim.substitute(&mut |var| sizes.contains(&var).then(|| Dim::var(var) - Dim::constant(1)));
        let lowered = constraint.map(&mut one_less, &mut Shape::clone);
        self.solver.judge(&lowered) != Verdict::Violated
    }

    /// Whether a constraint is one of counters alone that begin with an integer of which nothing is known: that it is positive says nobody.
    fn counts_from_unknown(&self, constraint: &Constraint) -> bool {
        let variables = constraint.variables();
        let is_open = |var: &Var| {
            let info = var.info();
            self.tables.counters.contains_key(var) && info.lower.is_none() && info.upper.is_none()
        };
        !variables.is_empty() && variables.iter().all(is_open)
    }
}
