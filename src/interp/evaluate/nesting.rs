//! How deep the evaluation of expressions and statements nests. Expressions, statements and the operations of objects
//! run within each other as deep as the program nests and calls, and as special methods ask for one another:
//! `__getitem__` of an object may come back to `object[key]` without a call of the program's own functions.

use crate::state::interpreter::{Eval, Flow, Interpreter};
use crate::values::value::Value;
use harp_corpus::Span;

/// Evaluations within each other; each takes some kilobytes of a stack of 256 MiB, and in a build that is not optimised up to 20. Four hundred calls
/// within calls, each of them in a statement within some others, are half as many.
const DEEPEST: usize = 8_000;

impl Interpreter<'_> {
    /// Runs what is part of what runs already. What would be too deep is not known.
    #[inline]
    pub(crate) fn within(&mut self, span: Span, run: impl FnOnce(&mut Self) -> Eval) -> Eval {
        self.within_or(span, run, |value| value)
    }

    /// As [`Interpreter::within`], for a statement: one that would be too deep is not executed.
    #[inline]
    pub(crate) fn within_statements(&mut self, span: Span, run: impl FnOnce(&mut Self) -> Eval<Flow>) -> Eval<Flow> {
        self.within_or(span, run, |_| Flow::Normal)
    }

    #[inline]
    fn within_or<T>(
        &mut self,
        span: Span,
        run: impl FnOnce(&mut Self) -> Eval<T>,
        otherwise: impl FnOnce(Value) -> T,
    ) -> Eval<T> {
        if self.calls.evaluations >= DEEPEST {
            return Ok(otherwise(self.too_deep(span)));
        }
        self.calls.evaluations += 1;
        let result = run(self);
        self.calls.evaluations -= 1;
        result
    }

    #[cold]
    fn too_deep(&mut self, span: Span) -> Value {
        self.not_understood("recursion too deep", span);
        self.symbolic("result of a deep recursion", span, true)
    }
}
