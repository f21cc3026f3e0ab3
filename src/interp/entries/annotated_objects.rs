//! Arguments of entries whose parameter is annotated with a class of which a library pack has the source: any object of
//! the class.

use crate::calls::call::CallArguments;
use crate::state::interpreter::Interpreter;
use crate::values::value::{ObjectId, Value};
use harp_corpus::Span;
use harp_python::ir::Expr;
use harp_python::name::name;

impl Interpreter<'_> {
    /// What the class method `_of_anything` of the annotation's class gives: an object of which no more is known than its class.
    pub(crate) fn object_of_annotation(&mut self, scope: ObjectId, annotation: &Expr, place: Span) -> Option<Value> {
        let class = match self.annotated_value(scope, annotation)? {
            Value::Library(name) => self.standard_value(name)?,
            class => class,
        };
        let Value::Class(id) = class else { return None };
        if !self.corpus.is_standard(self.heap.class(id)?.definition.file) {
            return None;
        }
        let method = self.member_of(&class, name!("_of_anything"), None)?;
        let method = self.bind_method(&class, method);
        self.call(&method, CallArguments::empty(place)).ok()
    }
}
