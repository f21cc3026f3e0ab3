//! Whether a loop's body left the state of the program as it was.

use crate::interp::generators::is_same_state;
use crate::interp::heap::{Content, Location, LogMark};
use crate::interp::machine::{ANY_INTEGER, Interpreter};
use crate::interp::value::{ObjectId, Value};
use crate::interp::walk::Walk;
use crate::shape::{Dim, Element, Shape, Var, VarKind};

impl Interpreter<'_> {
    /// Whether the program's state is what it was at `mark`, as far as the analysis can tell. Objects made since do not count, and neither
    /// does what the head of the loop assigns anew in each iteration.
    pub(super) fn is_unchanged_since(&self, mark: LogMark, assigned: &[Location]) -> bool {
        // Told without what they held before, which a program that fills a table item by item would copy for each item.
        if self.heap.grown_since(mark).any(|place| !self.heap.is_newer(place, mark) && !assigned.contains(&place)) {
            return false;
        }
        self.heap.old_since(mark).iter().zip(self.heap.delta_since(mark)).all(|((location, old), (_, new))| {
            if self.heap.is_newer(*location, mark) || assigned.contains(location) {
                return true;
            }
            match (old, &new) {
                (Content::Attribute(Some(old)), Content::Attribute(Some(new))) => self.is_equivalent(old, new),
                (Content::Attribute(None), Content::Attribute(None)) => true,
                (Content::Payload(old), Content::Payload(new)) => self.is_same_payload(old, new),
                _ => false,
            }
        })
    }

    /// Equal for shapes: what is not known is as good as itself.
    pub(super) fn is_equivalent(&self, old: &Value, new: &Value) -> bool {
        self.is_equivalent_part(old, new, &mut Walk::short())
    }

    /// What lies too deep to be compared may differ.
    fn is_equivalent_part(&self, old: &Value, new: &Value, walk: &mut Walk) -> bool {
        walk.part(|walk| self.is_equivalent_here(old, new, walk)).unwrap_or(false)
    }

    fn is_equivalent_here(&self, old: &Value, new: &Value, walk: &mut Walk) -> bool {
        match (old, new) {
            (Value::Tensor(a), Value::Tensor(b)) => a.dtype == b.dtype && self.is_equivalent_shape(&a.shape, &b.shape),
            (Value::Symbolic(_) | Value::Unknown(_), Value::Symbolic(_) | Value::Unknown(_)) => true,
            (Value::Tuple(a), Value::Tuple(b)) => {
                a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| self.is_equivalent_part(a, b, walk))
            }
            // Nothing that it was not before, on whatever path.
            (Value::Alternatives(_), _) | (_, Value::Alternatives(_)) => {
                let old = alternatives_of(old);
                alternatives_of(new).iter().all(|new| old.iter().any(|old| self.is_equivalent_part(old, new, walk)))
            }
            (Value::Ratio(old), Value::Ratio(new)) => {
                old.iter().zip(new.iter()).all(|(old, new)| self.is_equivalent_number(*old, *new))
            }
            (Value::Float(_) | Value::Ratio(_), Value::Float(_) | Value::Ratio(_))
            | (Value::Condition(_), Value::Condition(_)) => true,
            (Value::Int(old), Value::Int(new)) => self.is_equivalent_number(*old, *new),
            (Value::Instance(old), Value::Instance(new)) => self.are_equivalent_instances(*old, *new, walk),
            (Value::List(a), Value::List(b)) | (Value::Set(a), Value::Set(b)) => {
                a == b
                    || match (self.heap.list(*a), self.heap.list(*b)) {
                        (Some(a), Some(b)) => {
                            a.items.len() == b.items.len()
                                && a.items.iter().zip(&b.items).all(|(a, b)| self.is_equivalent_part(a, b, walk))
                        }
                        _ => false,
                    }
            }
            (Value::Dict(a), Value::Dict(b)) => a == b || self.are_equivalent_dicts(*a, *b, walk),
            _ => old.same(new),
        }
    }

    fn are_equivalent_dicts(&self, old: ObjectId, new: ObjectId, walk: &mut Walk) -> bool {
        let (Some(old), Some(new)) = (self.heap.dict(old), self.heap.dict(new)) else { return false };
        let is_equivalent = |this: &Self, (old, new): (&(Value, Value), &(Value, Value)), walk: &mut Walk| {
            old.0.same(&new.0) && this.is_equivalent_part(&old.1, &new.1, walk)
        };
        old.rest.is_some() == new.rest.is_some()
            && old.entries.len() == new.entries.len()
            && old.entries.iter().zip(&new.entries).all(|pair| is_equivalent(self, pair, walk))
    }

    /// The same object, or one of the same class with equivalent contents, as a loop makes anew in each iteration. Objects that refer to
    /// each other in a circle are equivalent when nothing on the way round differs.
    fn are_equivalent_instances(&self, old: ObjectId, new: ObjectId, walk: &mut Walk) -> bool {
        if old == new || !walk.enter(old, new) {
            return true;
        }
        let alike = self.have_equivalent_contents(old, new, walk);
        walk.leave();
        alike
    }

    fn have_equivalent_contents(&self, old: ObjectId, new: ObjectId, walk: &mut Walk) -> bool {
        let (Some(old_data), Some(new_data)) = (self.heap.instance(old), self.heap.instance(new)) else { return true };
        let (old, new) = (self.heap.object(old), self.heap.object(new));
        old_data.class.same(&new_data.class)
            && old_data.arguments.len() == new_data.arguments.len()
            && old_data
                .arguments
                .iter()
                .zip(&new_data.arguments)
                .all(|((name, old), (other, new))| name == other && self.is_equivalent_part(old, new, walk))
            && old.attributes.iter().map(|(name, _)| name).eq(new.attributes.iter().map(|(name, _)| name))
            && old
                .attributes
                .iter()
                .zip(new.attributes.iter())
                .all(|((_, old), (_, new))| self.is_equivalent_part(old, new, walk))
    }

    /// Equal but for parts of which nothing is known in both.
    fn is_equivalent_shape(&self, old: &Shape, new: &Shape) -> bool {
        let (old, new) = (self.solver.resolve_shape(old), self.solver.resolve_shape(new));
        old.elements().len() == new.elements().len()
            && old.elements().iter().zip(new.elements()).all(|(old, new)| match (old, new) {
                (Element::Dim(old), Element::Dim(new)) => self.is_equivalent_number(*old, *new),
                (Element::Rest(old), Element::Rest(new)) => old == new || old.name() == new.name(),
                _ => old == new,
            })
    }

    /// Numbers of which no more is known than that they are in a range, such as counters of loops; any number is one of those that may be
    /// any.
    fn is_equivalent_number(&self, old: Dim, new: Dim) -> bool {
        if old == new {
            return true;
        }
        let (old, new) = (self.solver.resolve(old), self.solver.resolve(new));
        let is_any = |variable: &Var| {
            let info = variable.info();
            info.kind == VarKind::Free && info.upper.is_none() && info.lower == Some(ANY_INTEGER)
        };
        let variables = old.vars();
        if !variables.is_empty() && variables.iter().all(is_any) && new.vars().iter().all(is_any) {
            return true;
        }
        match (old.as_var(), new.as_var()) {
            (Some(old), Some(new)) => old.kind() == VarKind::Free && old.info() == new.info(),
            _ => false,
        }
    }

    pub(super) fn is_same_payload(
        &self,
        old: &crate::interp::heap::Payload,
        new: &crate::interp::heap::Payload,
    ) -> bool {
        use crate::interp::heap::Payload;
        match (old, new) {
            (Payload::List(a), Payload::List(b)) => {
                a.rest.is_some() == b.rest.is_some()
                    && a.items.len() == b.items.len()
                    && a.items.iter().zip(&b.items).all(|(a, b)| self.is_equivalent(a, b))
            }
            (Payload::Dict(a), Payload::Dict(b)) => {
                a.rest.is_some() == b.rest.is_some()
                    && a.entries.len() == b.entries.len()
                    && a.entries.iter().zip(&b.entries).all(|(a, b)| a.0.same(&b.0) && self.is_equivalent(&a.1, &b.1))
            }
            (Payload::Symbolic(_), Payload::Symbolic(_)) => true,
            (Payload::Generator(a), Payload::Generator(b)) => is_same_state(a, b),
            _ => false,
        }
    }
}

fn alternatives_of(value: &Value) -> Vec<&Value> {
    match value {
        Value::Alternatives(alternatives) => alternatives.iter().map(|(_, value)| value).collect(),
        value => vec![value],
    }
}
