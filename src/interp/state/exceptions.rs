//! Interpreter state: the `try` statements and handlers that run, and the exception that is on its way to one.

use crate::evaluate::exceptions::Raised;
use crate::judge::expected_failures::Expected;
use crate::values::value::Value;

/// The `try` statements and handlers that run, and the exception that is on its way to one.
pub struct Exceptions {
    /// How many `try` blocks with handlers run: what fails in them may be meant to.
    pub caught: usize,
    /// How many of them only wait for exceptions that no refused operand raises, such as `AttributeError`.
    pub caught_others: usize,
    /// The failures for which `try` statements around the running one provide.
    pub expected: Vec<Expected>,
    /// The exception that is on its way to a handler.
    pub raised: Raised,
    /// The exceptions whose handlers run, innermost last.
    pub handled: Vec<Option<Value>>,
}

impl Exceptions {
    /// The same before anything ran.
    pub(crate) fn new() -> Self {
        Exceptions { caught: 0, caught_others: 0, expected: Vec::new(), raised: Raised::default(), handled: Vec::new() }
    }

    /// Whether a handler that runs may take what a library raises where it refuses its operands.
    pub fn takes_refusals(&self) -> bool {
        self.caught > self.caught_others
    }
}
