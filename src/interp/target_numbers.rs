//! Numbers that stand for classes: those of a loss's target, and those of which `one_hot` makes rows. Where they are known, or where they are
//! drawn from, they must be below the number of classes.

use crate::corpus::Span;
use crate::interp::apis::Bound;
use crate::interp::elements::Numbers;
use crate::interp::machine::Interpreter;
use crate::interp::value::{Tensor, Value};
use crate::python::name::Name;
use crate::shape::{Constraint, Dim, Verdict};

/// The target that PyTorch ignores where the program does not say which.
const IGNORED: i64 = -100;

impl Interpreter<'_> {
    /// Reports classes that are known to be none of those that a loss or `one_hot` has.
    pub(super) fn check_numbers_of_classes(&mut self, transfer: &str, api: Name, bound: &Bound, span: Span) {
        let given = |wanted: &str| {
            let found = bound.iter().find(|(name, _)| name.as_str() == wanted);
            found.map(|(_, value)| self.read(value))
        };
        let (numbers, count, ignored) = match transfer {
            "one_hot" => (given("tensor"), given("num_classes").and_then(|count| count.as_dim()), None),
            _ => {
                let classes = match given("input") {
                    Some(Value::Tensor(input)) => self.classes_of(&input),
                    _ => None,
                };
                let ignored = given("ignore_index").map_or(Some(IGNORED), |index| index.as_int());
                (given("target"), classes, ignored)
            }
        };
        let (Some(Value::Tensor(numbers)), Some(count)) = (numbers, count) else { return };
        // `one_hot(labels)` and `num_classes=-1` count for themselves.
        if numbers.dtype.is_floating() || count.as_const().is_some_and(|count| count < 0) {
            return;
        }
        if let Some(Numbers::Within(_, high)) = numbers.elements.as_ref().and_then(|elements| elements.drawn()) {
            let high = self.solver.resolve(*high);
            if self.is_beyond(high, count) && high.as_const() != ignored {
                let message = format!("class {high} may be drawn, but there are {count} classes");
                self.may_fail(api.as_str(), message, format!("a class is {count} or more"), span);
            }
        } else if let Some(largest) = self.largest_class(&numbers, ignored)
            && self.is_beyond(largest, count)
        {
            let message = format!("class {largest} is out of range: there are {count} classes");
            self.sequence_fails(api.as_str(), message, span);
        }
    }

    fn is_beyond(&self, number: Dim, count: Dim) -> bool {
        self.solver.judge(&Constraint::Less(number, count)) == Verdict::Violated
    }

    /// The dimension of classes: the second, or the only one.
    fn classes_of(&self, input: &Tensor) -> Option<Dim> {
        let dims = self.solver.resolve_shape(&input.shape).dims()?;
        dims.get(1).or(dims.first()).copied()
    }

    fn largest_class(&self, numbers: &Tensor, ignored: Option<i64>) -> Option<Dim> {
        if let Some(known) = numbers.numbers() {
            let classes = known.iter().map(|number| *number as i64).filter(|class| Some(*class) != ignored);
            return classes.max().map(Dim::constant);
        }
        match numbers.elements.as_ref()?.drawn()? {
            Numbers::Counted(count) => Some(*count - Dim::ONE),
            _ => None,
        }
    }
}
