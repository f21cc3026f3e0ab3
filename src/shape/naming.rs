//! Names of variables in dimensions, told apart: two variables that may differ never have one name in one text.
//!
//! Variables have the names that the program has for them, and a program has one name for many things. Within the life of an [`Apart`] the first
//! variable that is written keeps its name, and another one with that name gets a number: `n`, `n_2`.

use std::cell::RefCell;

use rustc_hash::FxHashMap;

use crate::variable::{ShapeVar, Var};

/// What has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Named {
    Number(Var),
    Shape(ShapeVar),
}

/// The names that were given so far.
#[derive(Debug, Default)]
struct Given {
    names: FxHashMap<Named, String>,
    owners: FxHashMap<String, Named>,
    /// The last number that was tried behind a name.
    numbers: FxHashMap<String, usize>,
}

thread_local! {
    static GIVEN: RefCell<Option<Given>> = const { RefCell::new(None) };
}

/// Tells names apart as long as it lives.
#[derive(Debug)]
pub struct Apart {
    /// What holds again afterwards.
    outer: Option<Given>,
}

/// Begins a text, or several that belong together, in which variables have names of their own.
pub fn apart() -> Apart {
    Apart { outer: GIVEN.with(|given| given.borrow_mut().replace(Given::default())) }
}

impl Drop for Apart {
    fn drop(&mut self) {
        let outer = self.outer.take();
        GIVEN.with(|given| *given.borrow_mut() = outer);
    }
}

/// The name of a variable in the text that is being written; `name` is the one that it has by itself.
pub(super) fn shown(variable: Named, name: String) -> String {
    GIVEN.with(|given| match given.borrow_mut().as_mut() {
        Some(given) => given.name(variable, name),
        None => name,
    })
}

impl Given {
    fn name(&mut self, variable: Named, name: String) -> String {
        if let Some(known) = self.names.get(&variable) {
            return known.clone();
        }
        let mut own = name.clone();
        while self.owners.contains_key(&own) {
            let number = self.numbers.entry(name.clone()).or_insert(1);
            *number += 1;
            own = format!("{name}_{number}");
        }
        self.owners.insert(own.clone(), variable);
        self.names.insert(variable, own.clone());
        own
    }
}
