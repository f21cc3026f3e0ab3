//! Issues of the truth of a tensor, or an array, of several elements, which it does not have (PyTorch's
//! `Tensor.__bool__`, NumPy's `ndarray.__bool__`): where the program asks for it, and where Python does for it, as it
//! looks for an item, compares lists or sorts.

use std::rc::Rc;

use crate::state::interpreter::Interpreter;
use crate::values::value::{OperationId, Tensor, Value};
use harp_corpus::Span;
use harp_shape::Shape;

/// Of longer lists nothing is judged.
const MOST_ITEMS: usize = 256;

/// How two values compare as Python looks for one of them.
enum Pair {
    /// They are one object, which nobody asks further.
    Same,
    Equal,
    Differs,
    /// The comparison has an answer for each of several elements.
    Many(Shape),
    Unknown,
}

impl Interpreter<'_> {
    /// Reports a condition that is a tensor, or an array, of several elements.
    pub(crate) fn refuse_truth_of_many(&mut self, test: &Value, span: Span) {
        if self.is_traced(test) {
            self.refuse_value_of_traced("bool", "this asks whether one is true", test, span);
        } else if let Some(shape) = self.shape_of_many(test) {
            let message = format!("only one element is true or false, but the shape is {shape}: use `any` or `all`");
            self.sequence_fails("bool", message, span);
        }
    }

    /// Reports that a tensor is looked for among values, or one of a tensor among them: Python compares until one is equal.
    pub(crate) fn refuse_search_of_many(&mut self, container: &Value, sought: &Value, span: Span) {
        let Some(items) = self.items_to_compare(container) else { return };
        for item in items {
            match self.pair(&item, sought) {
                Pair::Differs => {}
                Pair::Many(shape) => return self.refuse_comparison(&shape, span),
                Pair::Same | Pair::Equal | Pair::Unknown => return,
            }
        }
    }

    /// Reports that lists with tensors are compared: Python looks for the first items that differ.
    pub(crate) fn refuse_equality_of_many(&mut self, left: &Value, right: &Value, is_order: bool, span: Span) {
        let (Some(one), Some(other)) = (self.items_to_compare(left), self.items_to_compare(right)) else { return };
        let are_alike = matches!((left, right), (Value::List(_), Value::List(_)) | (Value::Tuple(_), Value::Tuple(_)));
        // Lists of other lengths differ, without a look at their items.
        if !are_alike || one.len() != other.len() && !is_order {
            return;
        }
        for (one, other) in one.iter().zip(&other) {
            match self.pair(one, other) {
                Pair::Same | Pair::Equal => {}
                Pair::Many(shape) => return self.refuse_comparison(&shape, span),
                Pair::Differs | Pair::Unknown => return,
            }
        }
    }

    /// Reports that items are put in order of which the first two have no order.
    pub(crate) fn refuse_order_of_many(&mut self, items: &[Value], span: Span) {
        if let [first, second, ..] = items
            && let Some(shape) = self.shape_of_comparison(first, second)
        {
            self.refuse_comparison(&shape, span);
        }
    }

    fn refuse_comparison(&mut self, shape: &Shape, span: Span) {
        let message = format!(
            "only one element is true or false, but the items are compared with one of shape {shape}: use `is`, `any` \
             or `all`"
        );
        self.sequence_fails("bool", message, span);
    }

    fn items_to_compare(&self, container: &Value) -> Option<Vec<Value>> {
        let items = match container {
            Value::Tuple(items) => items.to_vec(),
            Value::List(id) => match self.heap.list(*id) {
                Some(data) if data.rest.is_none() => data.items.clone(),
                _ => return None,
            },
            _ => return None,
        };
        (items.len() <= MOST_ITEMS).then_some(items)
    }

    fn pair(&mut self, one: &Value, other: &Value) -> Pair {
        let (one, other) = (self.read(one), self.read(other));
        if let (Value::Tensor(a), Value::Tensor(b)) = (&one, &other)
            && !self.are_two(a, b)
        {
            return if Rc::ptr_eq(a, b) { Pair::Same } else { Pair::Unknown };
        }
        if let Some(shape) = self.shape_of_comparison(&one, &other) {
            return Pair::Many(shape);
        }
        if one.same(&other) {
            return Pair::Same;
        }
        let is_tensor = |value: &Value| matches!(value, Value::Tensor(_));
        if is_tensor(&one) || is_tensor(&other) {
            let is_nothing = |value: &Value| matches!(value, Value::None | Value::Str(_));
            return if is_nothing(&one) || is_nothing(&other) { Pair::Differs } else { Pair::Unknown };
        }
        match self.equals(&one, &other) {
            Value::Bool(true) => Pair::Equal,
            Value::Bool(false) => Pair::Differs,
            _ => Pair::Unknown,
        }
    }

    /// Whether two tensors are surely two objects: different operations gave them, of which none may hand on the other's.
    fn are_two(&self, one: &Tensor, other: &Tensor) -> bool {
        let (one, other) = (one.operation, other.operation);
        let are_known = one != OperationId::NONE && other != OperationId::NONE && one != other;
        are_known && !self.is_computed_from(one, other) && !self.is_computed_from(other, one)
    }

    /// The shape of the tensor of several elements that a comparison is with, where this gives an answer for each of them.
    fn shape_of_comparison(&self, one: &Value, other: &Value) -> Option<Shape> {
        let (one, other) = (self.read(one), self.read(other));
        let (many, met) = match (self.shape_of_many(&one), self.shape_of_many(&other)) {
            (Some(shape), _) => ((shape, &one), &other),
            (None, Some(shape)) => ((shape, &other), &one),
            _ => return None,
        };
        let is_array = matches!(many.1, Value::Tensor(tensor)
            if tensor.kind.known_rules().is_some_and(|rules| rules.holds_objects));
        let gives_many = match met {
            Value::Tensor(_) | Value::Int(_) | Value::Bool(_) | Value::Float(_) | Value::Ratio(_) => true,
            // An array compares each of its elements with what is no number, too.
            Value::None | Value::Str(_) => is_array,
            _ => false,
        };
        gives_many.then_some(many.0)
    }

    /// Reports items of which `any` or `all` asks for the truth, until one decides.
    pub(crate) fn refuse_quantified_many(&mut self, items: &[Value], stops_at: bool, span: Span) {
        for item in items {
            let item = self.read(item);
            if let Some(shape) = self.shape_of_many(&item) {
                let message = format!(
                    "only one element is true or false, but an item has the shape {shape}: use `any` or `all` of it"
                );
                return self.sequence_fails("bool", message, span);
            }
            match self.truth(&item) {
                crate::paths::truth::Truth::Known(truth) if truth != stops_at => {}
                _ => return,
            }
        }
    }

    /// Reports `any` and `all` of Python's of a tensor with several dimensions, whose items are tensors.
    pub(crate) fn refuse_quantified_rows(&mut self, value: &Value, span: Span) {
        let Some(shape) = self.shape_of_many(value) else { return };
        let dims = shape.dims().unwrap_or_default();
        if let Some((_, row)) = dims.split_first()
            && row.iter().any(|dim| dim.as_const() != Some(1))
        {
            let row = Shape::known(row.to_vec());
            let message = format!(
                "only one element is true or false, but an item has the shape {row}: use the tensor's own `any` or `all`"
            );
            self.sequence_fails("bool", message, span);
        }
    }
}
