//! Sequences that are taken for tensors: what a recurrent layer, a reduction with a dimension, or a loader gives is a tuple or a list, which
//! has no several indices at once and no methods of tensors.

use crate::corpus::Span;
use crate::interp::machine::Interpreter;
use crate::interp::speculation::{is_attribute_of_arrays, is_tensor_member};
use crate::interp::value::{LibraryMethod, Value};

/// What lists and tuples have that tensors have, too.
const OWN_METHODS: [&str; 6] = ["copy", "count", "index", "pop", "remove", "sort"];

impl Interpreter<'_> {
    /// Reports `sequence[a, b]`. Returns whether it does.
    pub(super) fn index_misfits(&mut self, sequence: &Value, index: &Value, span: Span) -> bool {
        let Value::Tuple(parts) = index else { return false };
        let Some((kind, length)) = self.sequence_of_tensors(sequence) else { return false };
        let given = parts.len();
        let message = format!("a {kind} takes one index, but {given} are given: it is no tensor, but holds {length}");
        self.sequence_fails(&format!("{kind}.__getitem__"), message, span);
        true
    }

    /// Reports `sequence.method(…)` where only tensors have the method. Returns whether it does.
    pub(super) fn member_misfits(&mut self, method: &LibraryMethod, name: &str, span: Span) -> bool {
        let is_of_tensors = is_tensor_member(name) || is_attribute_of_arrays(name);
        if !is_of_tensors || OWN_METHODS.contains(&name) {
            return false;
        }
        let receiver = self.read(&method.receiver);
        let Some((kind, length)) = self.sequence_of_tensors(&receiver) else { return false };
        let message = format!("a {kind} has no `{name}`: it is no tensor, but holds {length}");
        self.sequence_fails(&format!("{kind}.{name}"), message, span);
        true
    }

    /// What a sequence is called that certainly has a tensor among its items, and how many there are. What the program makes of its own
    /// sequences where its way rests on conditions is not followed well enough to blame it.
    fn sequence_of_tensors(&self, sequence: &Value) -> Option<(&'static str, String)> {
        if self.caught > 0 || self.inference.is_some() || !self.path_conditions().is_empty() {
            return None;
        }
        let is_tensor = |item: &Value| match self.read(item) {
            Value::Tensor(tensor) => self.is_surely_a_tensor(&tensor),
            _ => false,
        };
        let (kind, items) = match sequence {
            Value::Tuple(items) => ("tuple", items.to_vec()),
            Value::List(id) => match self.heap.list(*id) {
                Some(data) if data.rest.is_none() && self.entry_not_understood.is_empty() => {
                    ("list", data.items.clone())
                }
                _ => return None,
            },
            _ => return None,
        };
        let length = if items.len() == 1 { "1 item".to_owned() } else { format!("{} items", items.len()) };
        items.iter().any(is_tensor).then_some((kind, length))
    }
}

/// Whether the source of a subscript takes an item directly from what a tensor or an operation gives, whose length is certain:
/// `x.shape[4]`, `x.size()[1]`, `x.split(2)[3]`. What program code does with its own tuples is not followed well enough to blame it.
pub(super) fn has_known_length(source: &str) -> bool {
    const PARTS: [&str; 8] = ["split", "chunk", "unbind", "tensor_split", "hsplit", "vsplit", "dsplit", "size"];
    let Some(object) = before_brackets(source, '[', ']') else { return false };
    if object.ends_with(".shape") {
        return true;
    }
    let function = before_brackets(object, '(', ')').unwrap_or_default();
    function.rsplit_once('.').is_some_and(|(_, name)| PARTS.contains(&name))
}

/// What stands before the last pair of brackets, with which the text must end.
fn before_brackets(text: &str, open: char, close: char) -> Option<&str> {
    let text = text.trim_end();
    if !text.ends_with(close) {
        return None;
    }
    let mut depth = 0_usize;
    for (place, character) in text.char_indices().rev() {
        if character == close {
            depth += 1;
        } else if character == open {
            depth = depth.checked_sub(1)?;
            if depth == 0 {
                return Some(text[..place].trim_end());
            }
        }
    }
    None
}
