//! Leaves out of a loop's fixpoint the places that each iteration writes before it reads them.

use std::rc::Rc;

use crate::heap::location::Location;
use crate::state::interpreter::Interpreter;
use harp_python::ir::{Expr, Stmt};
use harp_python::renewed_names;

impl Interpreter<'_> {
    /// The local names of the running function that an iteration renews. Names of modules and classes may be read by whatever is called.
    pub(crate) fn renewed_places(&mut self, test: Option<&Expr>, body: &[Stmt]) -> Vec<Location> {
        let (Some(frame), Some(first)) = (self.frames.last(), body.first()) else { return Vec::new() };
        let Some(function) = frame.function.as_ref().filter(|_| frame.around.is_none() && !frame.is_class_body) else {
            return Vec::new();
        };
        let (locals, place) = (frame.locals, self.span(first.range));
        let names = match self.loops.renewed.get(&place) {
            Some(names) => Rc::clone(names),
            None => {
                let names: Rc<[_]> = renewed_names(function, test, body).into();
                self.loops.renewed.insert(place, Rc::clone(&names));
                names
            }
        };
        names.iter().map(|name| Location::Attribute(locals, *name)).collect()
    }
}
