//! Tests that pytest runs for several values of their parameters, `@pytest.mark.parametrize("n, mode", [(3, "sum"), …])`: nobody calls them,
//! and yet it is known what they are called with. They are looked at with the first of the values.

use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::{Iteration, Value};
use harp_corpus::FileId;
use harp_python::ir::{ArgumentKind, Expr, ExprKind, Function};
use harp_python::name::Name;

/// A function, by the file and the place where it begins.
pub(crate) type Place = (FileId, u32);

impl Interpreter<'_> {
    /// Notes the values of a `parametrize` that decorates a function. Returns whether the decorator is one.
    pub(crate) fn note_parametrized(&mut self, decorator: &Expr, function: &Value) -> Eval<bool> {
        let ExprKind::Call(call) = &decorator.kind else { return Ok(false) };
        let is_one = match &call.function.kind {
            ExprKind::Attribute { attribute, .. } => attribute.as_str() == "parametrize",
            _ => false,
        };
        let (Value::Function(closure), true) = (function, is_one) else { return Ok(false) };
        let mut given = [None, None];
        for (index, argument) in call.arguments.iter().enumerate() {
            let place = match argument.kind {
                ArgumentKind::Positional => index,
                ArgumentKind::Keyword(name) if name.as_str() == "argnames" => 0,
                ArgumentKind::Keyword(name) if name.as_str() == "argvalues" => 1,
                _ => continue,
            };
            if let Some(slot) = given.get_mut(place) {
                *slot = Some(self.evaluate(&argument.value)?);
            }
        }
        let [Some(names), Some(values)] = given else { return Ok(true) };
        let names = self.names_of_parameters(&names)?;
        let first = match self.iterate(&values)? {
            Iteration::Items(items) => items.into_iter().next(),
            _ => None,
        };
        let Some(first) = first.map(|value| self.read(&value)).filter(|value| !value.is_unknown()) else {
            return Ok(true);
        };
        let values = match &names[..] {
            [_] => vec![first],
            _ => match self.iterate(&first)? {
                Iteration::Items(items) if items.len() == names.len() => items,
                _ => return Ok(true),
            },
        };
        let place = (closure.function.file, closure.function.range.start);
        self.tests.parametrized.entry(place).or_default().extend(names.into_iter().zip(values));
        Ok(true)
    }

    /// `"n, mode"`, or the names as a sequence.
    fn names_of_parameters(&mut self, names: &Value) -> Eval<Vec<Name>> {
        if let Some(text) = names.as_text() {
            return Ok(text
                .split(',')
                .map(|name| Name::new(name.trim()))
                .filter(|name| !name.as_str().is_empty())
                .collect());
        }
        Ok(match self.iterate(names)? {
            Iteration::Items(items) => items.iter().filter_map(|item| item.as_text().map(Name::new)).collect(),
            _ => Vec::new(),
        })
    }

    /// The value with which a parametrized test is looked at.
    pub(crate) fn parametrized_value(&self, function: &Function, parameter: Name) -> Option<Value> {
        let values = self.tests.parametrized.get(&(function.file, function.range.start))?;
        values.iter().find(|(name, _)| *name == parameter).map(|(_, value)| value.clone())
    }
}
