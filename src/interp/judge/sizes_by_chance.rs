//! Filters alarms on sizes that depend on what the elements of tensors are, such as how many are not zero: no input
//! gives them.

use crate::api::call_api::Bound;
use crate::state::interpreter::Interpreter;
use crate::values::value::Value;
use harp_limits::light_tick;
use harp_operations::operation::Output;
use harp_shape::{Constraint, Dim, Leaf, Var, VarKind};

/// More items of a container are not asked for their sizes.
const MAX_ITEMS: usize = 64;

impl Interpreter<'_> {
    /// Whether a requirement that was taken to hold speaks of no input.
    pub(crate) fn is_left_to_chance(&self, constraint: &Constraint) -> bool {
        let mut has_any = false;
        let all = Leaf::of(constraint).into_iter().all(|leaf| match leaf {
            Leaf::Size(var) if var.kind() == VarKind::Free => {
                has_any = true;
                self.tables.by_chance.contains_key(&var)
            }
            Leaf::Size(_) => true,
            Leaf::Shape(_) => false,
        });
        has_any && all
    }

    /// Sizes of a result that no argument has, where all arguments are known, depend on what the elements are.
    pub(crate) fn note_sizes_by_chance(&mut self, bound: &Bound, output: &Output) {
        const ABSENT: &str = "argument not given";
        let shape = match output {
            Output::Tensor { shape, .. } => shape,
            // `where(condition)` gives as many indices for each dimension.
            Output::Tuple(parts) => match parts.first() {
                Some(Output::Tensor { shape, .. }) => shape,
                _ => return,
            },
            _ => return,
        };
        let is_unknown = |value: &Value| match self.read(value) {
            Value::Unknown(reason) => reason != ABSENT,
            // A part that a slice takes has a size that its bounds decide.
            Value::Symbolic(_) | Value::Slice(_) => true,
            Value::Tuple(items) => items.iter().any(|item| matches!(item, Value::Slice(_))),
            _ => false,
        };
        let fresh: Vec<Dim> = self.solver.resolve_shape(shape).dims().unwrap_or_default();
        let fresh = fresh.into_iter().filter_map(Dim::as_var).filter(|var| var.kind() == VarKind::Free);
        let newest: Vec<Var> = fresh.filter(|var| !self.tables.by_chance.contains_key(var)).collect();
        if newest.is_empty() || bound.iter().any(|(_, value)| is_unknown(value)) {
            return;
        }
        let mut known: Vec<Var> = Vec::new();
        for (_, value) in bound {
            self.sizes_within(value, &mut known, 0);
        }
        // A size may follow from sizes of inputs in ways that no formula says.
        if known.iter().all(|var| var.kind() != VarKind::Free || self.tables.by_chance.contains_key(var)) {
            newest.into_iter().filter(|var| !known.contains(var)).for_each(|var| self.tables.by_chance.insert(var, ()));
        }
    }

    /// The variables in the sizes of a value.
    fn sizes_within(&self, value: &Value, found: &mut Vec<Var>, depth: usize) {
        light_tick();
        match self.read(value) {
            Value::Tensor(tensor) => {
                for dim in self.solver.resolve_shape(&tensor.shape).dims().unwrap_or_default() {
                    found.extend(dim.vars());
                }
            }
            Value::Int(dim) => found.extend(self.solver.resolve(dim).vars()),
            Value::Tuple(items) if depth < 3 => {
                items.iter().take(MAX_ITEMS).for_each(|item| self.sizes_within(item, found, depth + 1));
            }
            Value::List(id) if depth < 3 => {
                let Some(data) = self.heap.list(id) else { return };
                let items = data.items.iter().take(MAX_ITEMS).chain(&data.rest);
                items.for_each(|item| self.sizes_within(item, found, depth + 1));
            }
            _ => {}
        }
    }
}
