//! Whether a loop's body left the state of the program as it was.

use crate::generators::generator_objects::is_same_state;
use crate::heap::objects::{Content, Delta, Location, LogMark, Payload};
use crate::state::bounded_walk::Walk;
use crate::state::interpreter::{ANY_INTEGER, Interpreter};
use crate::values::value::{ObjectId, Value};
use harp_shape::{Dim, Element, Shape, Var, VarKind};
use rustc_hash::FxHashMap;

impl Interpreter<'_> {
    /// Whether the program's state is what it was at `mark`, as far as the analysis can tell. Objects made since do not count, and neither
    /// does what the head of the loop assigns anew in each iteration.
    pub(crate) fn is_unchanged_since(&self, mark: LogMark, assigned: &[Location]) -> bool {
        let mut walk = Walk::short();
        // Told without what they held before, which a program that fills a table item by item would copy for each item.
        let is_grown =
            self.heap.grown_since(mark).any(|place| !self.heap.is_newer(place, mark) && !assigned.contains(&place));
        let replaces = self.heap.replaces_since(mark, |value| self.renewable(value));
        if is_grown && !replaces {
            return false;
        }
        let (before, now) = (self.heap.old_since(mark), self.heap.delta_since(mark));
        let renewed = if replaces { self.renewed_containers(&before, &now) } else { Vec::new() };
        before.iter().zip(now).all(|((location, old), (_, new))| {
            if self.heap.is_newer(*location, mark) || assigned.contains(location) {
                return true;
            }
            match (old, &new) {
                (Content::Attribute(Some(old)), Content::Attribute(Some(new))) => {
                    let is_renewed = |id: ObjectId| renewed.contains(&id);
                    self.renewable(old).is_some_and(is_renewed)
                        || matches!(location, Location::Attribute(id, _) if renewed.contains(id))
                        || self.is_equivalent_part(old, new, walk.again())
                }
                (Content::Attribute(None), Content::Attribute(None)) => true,
                // A future that got its result.
                (Content::Attribute(None), Content::Attribute(Some(_))) => {
                    matches!(location, Location::Attribute(id, _) if renewed.contains(id))
                }
                (Content::Payload(old), Content::Payload(new)) => {
                    matches!(location, Location::Payload(id) if renewed.contains(id))
                        || self.is_same_payload(old, new, walk.again())
                }
                _ => false,
            }
        })
    }

    /// The containers and futures in whose places others were put that hold what they held at the beginning: what they were filled with is
    /// gone.
    fn renewed_containers(&self, before: &Delta, now: &Delta) -> Vec<ObjectId> {
        let held: FxHashMap<ObjectId, &Payload> = before
            .iter()
            .filter_map(|(location, content)| match (location, content) {
                (Location::Payload(id), Content::Payload(payload)) => Some((*id, payload)),
                _ => None,
            })
            .collect();
        let mut renewed = Vec::new();
        for ((_, old), (_, new)) in before.iter().zip(now) {
            if let (Content::Attribute(Some(old)), Content::Attribute(Some(new))) = (old, new)
                && !old.same(new)
                && self.renewable(old).is_some()
            {
                let mut found = Vec::new();
                if self.is_renewed(old, new, &held, &mut found, &mut Walk::short()) {
                    renewed.append(&mut found);
                }
            }
        }
        renewed
    }

    /// A container or a future, in whose place a loop may put another one.
    fn renewable(&self, value: &Value) -> Option<ObjectId> {
        match value {
            Value::List(id) | Value::Dict(id) | Value::Set(id) => Some(*id),
            Value::Instance(id) => {
                let is_of_library = matches!(self.heap.instance(*id)?.class, Value::Library(_));
                (is_of_library && self.models.is_pending(self, value).is_some()).then_some(*id)
            }
            _ => None,
        }
    }

    fn is_renewed(
        &self,
        old: &Value,
        new: &Value,
        held: &FxHashMap<ObjectId, &Payload>,
        found: &mut Vec<ObjectId>,
        walk: &mut Walk,
    ) -> bool {
        let (Some(one), Some(other)) = (self.renewable(old), self.renewable(new)) else {
            return self.is_equivalent(old, new);
        };
        let before = held.get(&one).copied().unwrap_or_else(|| self.heap.payload(one));
        let mut pair =
            |old: &Value, new: &Value| walk.part(|walk| self.is_renewed(old, new, held, found, walk)).unwrap_or(false);
        let is_renewed = match (before, self.heap.payload(other)) {
            // A future that waits now waited at the beginning, too.
            (Payload::Instance(_), Payload::Instance(_)) => self.models.is_pending(self, new) == Some(true),
            (Payload::List(a), Payload::List(b)) => {
                a.rest.is_some() == b.rest.is_some()
                    && a.items.len() == b.items.len()
                    && a.items.iter().zip(&b.items).all(|(a, b)| pair(a, b))
            }
            (Payload::Dict(a), Payload::Dict(b)) => {
                a.rest.is_some() == b.rest.is_some()
                    && a.entries.len() == b.entries.len()
                    && a.entries.iter().zip(&b.entries).all(|(a, b)| a.0.same(&b.0) && pair(&a.1, &b.1))
            }
            _ => false,
        };
        if is_renewed && one != other {
            found.push(one);
        }
        is_renewed
    }

    /// Equal for shapes: what is not known is as good as itself.
    pub(crate) fn is_equivalent(&self, old: &Value, new: &Value) -> bool {
        self.is_equivalent_part(old, new, &mut Walk::short())
    }

    /// What lies too deep to be compared may differ.
    fn is_equivalent_part(&self, old: &Value, new: &Value, walk: &mut Walk) -> bool {
        walk.part(|walk| self.is_equivalent_here(old, new, walk)).unwrap_or(false)
    }

    fn is_equivalent_here(&self, old: &Value, new: &Value, walk: &mut Walk) -> bool {
        match (old, new) {
            (Value::Tensor(a), Value::Tensor(b)) => {
                a.dtype == b.dtype && self.is_equivalent_shape(&a.shape, &b.shape, walk)
            }
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
                old.iter().zip(new.iter()).all(|(old, new)| self.is_equivalent_number(*old, *new, walk))
            }
            (Value::Float(_) | Value::Ratio(_), Value::Float(_) | Value::Ratio(_))
            | (Value::Condition(_), Value::Condition(_)) => true,
            (Value::Int(old), Value::Int(new)) => self.is_equivalent_number(*old, *new, walk),
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
    fn is_equivalent_shape(&self, old: &Shape, new: &Shape, walk: &mut Walk) -> bool {
        let (old, new) = (self.solver.resolve_shape(old), self.solver.resolve_shape(new));
        old.elements().len() == new.elements().len()
            && old.elements().iter().zip(new.elements()).all(|(old, new)| match (old, new) {
                (Element::Dim(old), Element::Dim(new)) => self.is_equivalent_number(*old, *new, walk),
                (Element::Rest(old), Element::Rest(new)) => old == new || old.name() == new.name(),
                _ => old == new,
            })
    }

    /// Numbers of which no more is known than that they are in a range, such as counters of loops; any number is one of those that may be
    /// any. So are sizes that each iteration makes anew in the same way.
    fn is_equivalent_number(&self, old: Dim, new: Dim, walk: &mut Walk) -> bool {
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
        let is_alike = match (old.as_var(), new.as_var()) {
            (Some(old), Some(new)) => old.kind() == VarKind::Free && old.info() == new.info(),
            _ => false,
        };
        is_alike || self.loop_moment.made.is_some_and(|moment| walk.renamed.makes_same(old, new, moment))
    }

    pub(crate) fn is_same_payload(&self, old: &Payload, new: &Payload, walk: &mut Walk) -> bool {
        match (old, new) {
            (Payload::List(a), Payload::List(b)) => {
                a.rest.is_some() == b.rest.is_some()
                    && a.items.len() == b.items.len()
                    && a.items.iter().zip(&b.items).all(|(a, b)| self.is_equivalent_part(a, b, walk))
            }
            (Payload::Dict(a), Payload::Dict(b)) => {
                a.rest.is_some() == b.rest.is_some()
                    && a.entries.len() == b.entries.len()
                    && a.entries
                        .iter()
                        .zip(&b.entries)
                        .all(|(a, b)| a.0.same(&b.0) && self.is_equivalent_part(&a.1, &b.1, walk))
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
