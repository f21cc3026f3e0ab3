//! Issues of sequences that a program takes for tensors: what a recurrent layer, a reduction with a dimension, or a
//! loader gives is a tuple or a list, which has no several indices at once and no methods of tensors.

use crate::heap::objects::ListData;
use crate::state::interpreter::Interpreter;
use crate::values::per_sample_sizes::BATCH;
use crate::values::value::{LibraryMethod, ObjectId, Value};
use harp_corpus::Span;
use harp_python::name::Name;
use harp_trace::Subject;

/// What lists and tuples have that tensors have, too.
const OWN_METHODS: [&str; 6] = ["copy", "count", "index", "pop", "remove", "sort"];

/// More keys are not listed.
const MOST_KEYS: usize = 16;

impl Interpreter<'_> {
    /// Reports `sequence[a, b]`. Returns whether it does.
    pub(crate) fn index_misfits(&mut self, sequence: &Value, index: &Value, span: Span) -> bool {
        let Value::Tuple(parts) = index else { return false };
        let Some((kind, length)) = self.sequence_of_tensors(sequence).filter(|_| self.fails_on_every_way(span)) else {
            return false;
        };
        let given = parts.len();
        let message =
            format!("a {kind} takes one index, but {given} are given: it is not a tensor, but holds {length}");
        self.fails_always(Subject::Type, &format!("{kind}.__getitem__"), message, None, span);
        true
    }

    /// Reports `numbers[index]` where a list of settings, as the widths of layers are, certainly has not so many.
    pub(crate) fn number_is_missing(&mut self, list: ObjectId, data: &ListData, index: &Value, span: Span) {
        let are_numbers = data.items.iter().all(|item| matches!(item, Value::Int(_) | Value::Float(_)));
        if data.items.is_empty() || !are_numbers || self.is_handed_out(list) || self.inference.is_some() {
            return;
        }
        // What a list holds in a later iteration of a loop without a known end is not told number by number.
        if !self.loops.later_rounds.is_empty() {
            return;
        }
        if let (Some(index), true) = (index.as_int(), self.fails_on_every_way(span)) {
            let message = format!("index {index} is out of range for a list of {} numbers", data.items.len());
            self.fails_always(Subject::Type, "list.__getitem__", message, None, span);
        }
    }

    /// Reports `sequence.method(…)` where only tensors have the method. Returns whether it does.
    pub(crate) fn member_misfits(&mut self, method: &LibraryMethod, name: &str, span: Span) -> bool {
        let class = Name::new(self.families().usual().class());
        let is_of_tensors = self.annotated_method(class, Name::new(name)).is_some();
        if !is_of_tensors || OWN_METHODS.contains(&name) {
            return false;
        }
        let receiver = self.read(&method.receiver);
        let Some((kind, length)) = self.sequence_of_tensors(&receiver).filter(|_| self.fails_on_every_way(span)) else {
            return false;
        };
        let message = format!("a {kind} has no `{name}`: it is not a tensor, but holds {length}");
        self.fails_always(Subject::Attribute, &format!("{kind}.{name}"), message, None, span);
        true
    }

    /// Reports `batch["key"]` where the samples of which a loader made the batch have other keys.
    pub(crate) fn key_misfits(&mut self, dict: ObjectId, key: &Value, span: Span) {
        let is_batch = self.heap.attribute(dict, Name::new(BATCH)).is_some();
        let Some(wanted) =
            key.as_text().filter(|_| is_batch && self.exceptions.caught == 0 && self.inference.is_none())
        else {
            return;
        };
        let Some(data) = self.heap.dict(dict).filter(|data| data.entries.len() <= MOST_KEYS) else { return };
        let keys: Option<Vec<String>> =
            data.entries.iter().map(|(key, _)| key.as_text().map(|key| format!("`{key}`"))).collect();
        let Some(keys) = keys.filter(|keys| !keys.is_empty()) else { return };
        let message = format!("a batch has no `{wanted}`: it has {}", keys.join(", "));
        if self.fails_on_every_way(span) {
            self.fails_always(Subject::Attribute, "dict.__getitem__", message, None, span);
        }
    }

    /// Reports a transform that takes tensors alone and is given a picture. Returns whether it does.
    pub(crate) fn picture_misfits(&mut self, transform: Name, given: Option<&Value>, span: Span) -> bool {
        let (_, last) = self.owner_and_member(transform);
        let is_picture = given.is_some_and(|given| match self.read(given) {
            Value::Tensor(picture) => picture.kind.rules().is_picture && picture.assumptions.is_empty(),
            _ => false,
        });
        if !is_picture || self.exceptions.caught > 0 || !self.fails_on_every_way(span) {
            return false;
        }
        let message = format!("`{last}` takes a tensor, but is given a picture: `ToTensor` has to come before it");
        self.fails_always(Subject::Type, transform.as_str(), message, None, span);
        true
    }

    /// What a sequence is called that certainly has a tensor among its items, and how many there are. What the program makes of its own
    /// sequences where its way rests on conditions is not followed well enough to blame it.
    fn sequence_of_tensors(&self, sequence: &Value) -> Option<(&'static str, String)> {
        if self.exceptions.caught > 0 || self.inference.is_some() {
            return None;
        }
        let is_tensor = |item: &Value| match self.read(item) {
            Value::Tensor(tensor) => self.is_surely_a_tensor(&tensor),
            _ => false,
        };
        let (kind, items) = match sequence {
            Value::Tuple(items) => ("tuple", items.to_vec()),
            Value::List(id) => match self.heap.list(*id) {
                Some(data) if data.rest.is_none() && self.entry.not_understood.is_empty() => {
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
pub(crate) fn has_known_length(source: &str) -> bool {
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
