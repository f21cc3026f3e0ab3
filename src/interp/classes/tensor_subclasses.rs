//! Classes of the program that derive from a library's class of tensors and say themselves what operations do with their objects, and values that
//! were taken for tensors although they may be objects of such a class.

use crate::api::call_api::{Bound, TENSOR_LISTS};
use crate::state::interpreter::Interpreter;
use crate::values::value::{Tensor, Value};
use harp_corpus::Span;
use harp_python::name::Name;
use harp_shape::Family;
use harp_trace::assumption::{Assumption, AssumptionKind, AssumptionSet, words};

/// Of a list, so many items are looked at.
const MOST_ITEMS: usize = 16;
/// How the evidence begins that a value is a tensor where it is passed to a function that takes one.
pub(crate) const PASSED: &str = "it is passed to `";

impl Interpreter<'_> {
    /// Whether an operation is given an object of a class of the program that decides itself what the operation does.
    pub(crate) fn is_dispatched(&self, bound: &Bound) -> bool {
        bound.iter().any(|(_, value)| match value {
            Value::Tuple(items) => items.first().is_some_and(|first| self.dispatches(first)),
            Value::List(id) => {
                self.heap.list(*id).and_then(|list| list.items.first()).is_some_and(|first| self.dispatches(first))
            }
            value => self.dispatches(value),
        })
    }

    fn dispatches(&self, value: &Value) -> bool {
        let defines = |method: &str| matches!(self.class_attribute(value, Name::new(method)), Some(Value::Function(_)));
        matches!(value, Value::Instance(_))
            && self.families().iter().map(Family::rules).any(|rules| {
                !rules.protocols.is_empty()
                    && self.is_instance_of(value, &rules.class)
                    && rules.protocols.iter().any(|method| defines(method))
            })
    }

    /// The speculations by which an operation takes what it is given for tensors.
    pub(crate) fn taken_for_tensors(&self, bound: &Bound) -> AssumptionSet {
        let symbols = bound.iter().filter(|(_, value)| matches!(value, Value::Symbolic(_)));
        symbols.fold(AssumptionSet::default(), |set, (_, value)| match self.read(value) {
            Value::Tensor(tensor) => set.union(&tensor.assumptions),
            _ => set,
        })
    }

    /// The speculation that the items of a list are tensors of which nothing is known but that an operation gets them as such a list.
    pub(crate) fn taken_in_lists(&mut self, api: Name, bound: &Bound, span: Span) -> AssumptionSet {
        let lists = bound.iter().filter(|(name, _)| TENSOR_LISTS.contains(&name.as_str()));
        let items = lists.flat_map(|(_, value)| match value {
            Value::Tuple(items) => &items[..],
            Value::List(id) => self.heap.list(*id).map_or(&[][..], |list| &list.items),
            _ => &[],
        });
        // Where one is a tensor, so are the others.
        let mut unknown = None;
        for item in items.take(MOST_ITEMS) {
            match self.read(item) {
                Value::Symbolic(id) => unknown = unknown.or(Some(id)),
                _ => return AssumptionSet::default(),
            }
        }
        let Some(data) = unknown.and_then(|id| self.heap.symbolic(id)) else { return AssumptionSet::default() };
        let subject = data.description.to_string();
        let text = words::used_as_tensor(&subject);
        let speculation = self.speculate(AssumptionKind::UsedAs, &subject, text, format!("{PASSED}{api}`"), span);
        speculation.granted().unwrap_or_default()
    }

    /// Whether a tensor that an operation made comes from nothing that was only taken for a tensor because it is passed to that operation: of an
    /// object of another class it makes what that class says, as `torch.squeeze` of a dictionary of tensors does.
    pub(crate) fn is_made_of_tensors(&self, tensor: &Tensor) -> bool {
        let made_by = self.trace.operation(tensor.operation).map(|record| record.api);
        let takes_tensors = |api: Name| {
            let first = self.library_function(api).and_then(|spec| spec.parameters.first());
            first.is_some_and(|first| matches!(&*first.name, "input" | "tensors" | "self"))
        };
        let is_taken_for_one = |assumption: &Assumption| match assumption.kind {
            AssumptionKind::UsedAs => assumption.text == words::used_as_tensor(&assumption.subject),
            AssumptionKind::MemberName => assumption.text == words::member_name_tensor(&assumption.subject),
            _ => false,
        };
        !made_by.is_some_and(takes_tensors)
            || !tensor.assumptions.iter().filter_map(|id| self.trace.assumptions.get(id)).any(is_taken_for_one)
    }
}
