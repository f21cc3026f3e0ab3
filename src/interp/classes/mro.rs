//! The method resolution order, in which Python looks through the bases of a class.

use rustc_hash::FxHashMap;

use crate::state::interpreter::Interpreter;
use crate::values::value::{ObjectId, Value};
use harp_python::name::Name;

/// A class, as what is looked for among others.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    Own(ObjectId),
    Library(Name),
}

/// The classes that were met, each with a number.
#[derive(Default)]
struct Numbered {
    classes: Vec<Value>,
    numbers: FxHashMap<Key, usize>,
}

impl Numbered {
    fn number(&mut self, class: &Value) -> usize {
        let key = match class {
            Value::Class(id) => Some(Key::Own(*id)),
            Value::Library(name) => Some(Key::Library(*name)),
            _ => None,
        };
        let next = self.classes.len();
        let known = match key {
            Some(key) => *self.numbers.entry(key).or_insert(next),
            None => self.classes.iter().position(|known| known.same(class)).unwrap_or(next),
        };
        if known == next {
            self.classes.push(class.clone());
        }
        known
    }
}

/// The orders that are merged, from behind: the class that is next in an order is its last.
pub struct Merge {
    orders: Vec<Vec<usize>>,
    /// By class: in how many orders it is, and in how many of these others come before it.
    held: Vec<usize>,
    behind: Vec<usize>,
    /// By class: those of a library that derive from it.
    derived: Vec<Vec<usize>>,
}

impl Merge {
    pub fn new(orders: Vec<Vec<usize>>, derived: Vec<Vec<usize>>) -> Merge {
        let (mut held, mut behind) = (vec![0; derived.len()], vec![0; derived.len()]);
        for order in &orders {
            order.iter().for_each(|class| held[*class] += 1);
            order.iter().rev().skip(1).for_each(|class| behind[*class] += 1);
        }
        Merge { orders, held, behind, derived }
    }

    /// The class that is next: no other order, and no class of a library, has it behind another one. Where there is none, the first.
    pub fn next_class(&self) -> Option<usize> {
        let mut firsts = self.orders.iter().filter_map(|order| order.last().copied());
        let is_next = |class: &usize| {
            self.behind[*class] == 0 && self.derived[*class].iter().all(|derived| self.held[*derived] == 0)
        };
        let first = firsts.clone().next()?;
        Some(firsts.find(is_next).unwrap_or(first))
    }

    pub fn take(&mut self, class: usize) {
        for order in &mut self.orders {
            let is_first = order.last() == Some(&class);
            if is_first {
                order.pop();
                if let Some(next) = order.last() {
                    self.behind[*next] -= 1;
                }
            }
        }
        // Where the orders contradict each other.
        if self.behind[class] > 0 {
            for order in &mut self.orders {
                order.retain(|other| *other != class);
            }
            self.behind[class] = 0;
        }
        self.held[class] = 0;
    }
}

impl Interpreter<'_> {
    /// C3 linearisation of the bases' resolution orders (Python's data model, "method resolution order"); where it has no answer,
    /// depth-first without duplicates.
    pub(crate) fn linearise(&self, bases: &[Value]) -> Vec<Value> {
        if let [base] = bases {
            return self.order_of_base(base);
        }
        let mut numbered = Numbered::default();
        let mut orders: Vec<Vec<usize>> = Vec::with_capacity(bases.len() + 1);
        for order in bases.iter().map(|base| self.order_of_base(base)).chain([bases.to_vec()]) {
            orders.push(order.iter().rev().map(|class| numbered.number(class)).collect());
        }
        let derived = numbered.classes.iter().map(|class| self.derived_in_library(class, &numbered)).collect();
        let mut merge = Merge::new(orders, derived);
        let mut order: Vec<Value> = Vec::new();
        while let Some(class) = merge.next_class() {
            merge.take(class);
            order.push(numbered.classes[class].clone());
        }
        order
    }

    fn order_of_base(&self, base: &Value) -> Vec<Value> {
        match base {
            Value::Class(id) => {
                self.heap.class(*id).map_or_else(|| vec![base.clone()], |data| data.resolution_order.clone())
            }
            // A library's base class comes after all that derive from it: a mixin over `nn.Module` finds `nn.Linear` next.
            Value::Library(name) => self.ancestors(*name).iter().map(|name| Value::Library(*name)).collect(),
            other => vec![other.clone()],
        }
    }

    /// The classes of a library that derive from one of it, whose own resolution orders say so.
    fn derived_in_library(&self, class: &Value, numbered: &Numbered) -> Vec<usize> {
        let Value::Library(class) = class else { return Vec::new() };
        let derives = |other: &Value| match other {
            Value::Library(other) => other != class && self.ancestors(*other).contains(class),
            _ => false,
        };
        (0..numbered.classes.len()).filter(|place| derives(&numbered.classes[*place])).collect()
    }
}
