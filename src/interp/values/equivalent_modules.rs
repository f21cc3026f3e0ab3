//! When one abstract value stands for several modules: they differ in their identity alone, such as the equal layers
//! that a loop makes.

use crate::state::interpreter::Interpreter;
use crate::values::value::{ObjectId, Value};

/// How many parts of two modules are compared before they are taken for different.
const MOST_PARTS: usize = 4_000;
/// How deep modules are compared.
const DEEPEST: usize = 16;
/// The class of modules of which all others count as subclasses: what a pack says with `module: true` means that a class derives from it. Members
/// of modules are looked up by this name.
pub(crate) const MODULE: &str = "torch.nn.Module";

impl Interpreter<'_> {
    /// Whether all values are modules of one class with the same settings and parts, so that one stands for all.
    pub(crate) fn are_alike_modules(&self, values: &[Value]) -> bool {
        let Some((first, others)) = values.split_first() else { return false };
        let mut budget = MOST_PARTS;
        values.iter().all(|value| matches!(value, Value::Instance(_)) && self.is_instance_of(value, MODULE))
            && others.iter().all(|other| self.is_alike(first, other, DEEPEST, &mut budget))
    }

    fn is_alike(&self, a: &Value, b: &Value, depth: usize, budget: &mut usize) -> bool {
        if depth == 0 || *budget == 0 {
            return false;
        }
        *budget -= 1;
        match (&self.read(a), &self.read(b)) {
            (Value::Tensor(a), Value::Tensor(b)) => {
                a.dtype == b.dtype
                    && a.kind == b.kind
                    && self.solver.resolve_shape(&a.shape) == self.solver.resolve_shape(&b.shape)
            }
            (Value::Instance(a), Value::Instance(b)) => a == b || self.is_alike_instance(*a, *b, depth - 1, budget),
            (Value::Tuple(a), Value::Tuple(b)) => self.are_alike(a, b, depth - 1, budget),
            (Value::List(a), Value::List(b)) => {
                a == b
                    || match (self.heap.list(*a), self.heap.list(*b)) {
                        (Some(a), Some(b)) => {
                            a.rest.is_none()
                                && b.rest.is_none()
                                && self.are_alike(&a.items, &b.items, depth - 1, budget)
                        }
                        _ => false,
                    }
            }
            (a, b) => a.same(b),
        }
    }

    fn are_alike(&self, a: &[Value], b: &[Value], depth: usize, budget: &mut usize) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.is_alike(a, b, depth, budget))
    }

    fn is_alike_instance(&self, a: ObjectId, b: ObjectId, depth: usize, budget: &mut usize) -> bool {
        let (Some(first), Some(second)) = (self.heap.instance(a), self.heap.instance(b)) else { return false };
        if !first.class.same(&second.class) || first.arguments.len() != second.arguments.len() {
            return false;
        }
        let arguments = first.arguments.iter().zip(&second.arguments);
        let (first, second) = (&self.heap.object(a).attributes, &self.heap.object(b).attributes);
        first.iter().map(|(name, _)| name).eq(second.iter().map(|(name, _)| name))
            && arguments
                .map(|((name, a), (other, b))| (name == other, a, b))
                .chain(first.iter().zip(second.iter()).map(|((_, a), (_, b))| (true, a, b)))
                .all(|(is_same_name, a, b)| is_same_name && self.is_alike(a, b, depth, budget))
    }
}
