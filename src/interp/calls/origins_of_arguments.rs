//! Notes at calls where their arguments come from: which calls made them, through names, attributes, containers,
//! functions and files in between.

use crate::calls::call::CallArguments;
use crate::state::interpreter::Interpreter;
use crate::values::value::Value;
use harp_corpus::Span;

impl Interpreter<'_> {
    /// Notes where the arguments of a call come from that stand in the program's own files.
    pub(crate) fn note_origins(&mut self, arguments: &CallArguments) {
        if self.inference.is_some() || self.corpus.is_foreign(arguments.span.file) {
            return;
        }
        let keywords = arguments.keywords.iter().map(|(_, value)| value).zip(&arguments.keyword_spans);
        for (value, place) in arguments.positional.iter().zip(&arguments.positional_spans).chain(keywords) {
            let Some(place) = place else { continue };
            let origin = self.origin_of(value).filter(|origin| origin != place && !self.corpus.is_foreign(origin.file));
            if let Some(origin) = origin {
                self.trace.site(*place).origins.add(origin);
            }
        }
    }

    /// The operation that gave a tensor, or the call that made an object of a library's class.
    fn origin_of(&self, value: &Value) -> Option<Span> {
        match self.read(value) {
            Value::Tensor(tensor) => self.trace.operation(tensor.operation).map(|record| record.span),
            Value::Instance(id) => {
                let instance = self.heap.instance(id)?;
                matches!(instance.class, Value::Library(_)).then_some(instance.origin)
            }
            _ => None,
        }
    }
}
