//! API calls that a pack's source in Python answers, on tensors that a run feeds: they are made again with what the run
//! feeds. Nothing that they do then is kept but what they give, and what they refuse.

use std::rc::Rc;

use crate::api::fed_operations::Part;
use crate::calls::call::CallArguments;
use crate::evaluate::exceptions::Raised;
use crate::heap::objects::Payload;
use crate::state::interpreter::{Interpreter, Interrupt};
use crate::values::value::{Closure, Device, ObjectId, OperationId, Tensor, Value};
use harp_corpus::Span;
use harp_limits::light_tick;
use harp_operations::operation::Judged;
use harp_python::name::Name;
use harp_shape::Outcome;

/// Deeper results are left as they are.
const DEEPEST: usize = 8;

/// A function of a source with its arguments.
#[derive(Clone, Debug)]
pub(crate) struct SourceAgain {
    pub api: Name,
    pub closure: Rc<Closure>,
    pub arguments: CallArguments,
}

impl SourceAgain {
    /// The arguments.
    pub fn values(&self) -> impl Iterator<Item = &Value> {
        self.arguments.positional.iter().chain(self.arguments.keywords.iter().map(|(_, value)| value))
    }

    /// The same with other arguments.
    pub fn map(&self, mut of: impl FnMut(&Value) -> Value) -> SourceAgain {
        let mut arguments = self.arguments.clone();
        let keywords = arguments.keywords.iter_mut().map(|(_, value)| value);
        arguments.positional.iter_mut().chain(keywords).for_each(|value| *value = of(value));
        SourceAgain { arguments, ..self.clone() }
    }
}

impl Interpreter<'_> {
    /// What a function of a source gives now, and what it refuses; nothing else remains of the call.
    pub(crate) fn call_source_again(&mut self, source: &SourceAgain) -> (Vec<Part>, Option<String>) {
        let mark = self.heap.mark();
        let caught = std::mem::replace(&mut self.exceptions.caught, 0);
        let before = self.model_state.fed.refused.replace(Vec::new());
        let result = self.run_unsummarised(&source.closure, source.arguments.clone());
        let refused = std::mem::replace(&mut self.model_state.fed.refused, before).unwrap_or_default();
        self.exceptions.caught = caught;
        let mut parts = Vec::new();
        match &result {
            Ok(value) => self.each_result(value, 0, &mut |this, value| {
                parts.push(match value {
                    Value::Tensor(tensor) => Some((this.solver.resolve_shape(&tensor.shape), tensor.dtype)),
                    _ => None,
                });
            }),
            Err(Interrupt::Raise) => self.exceptions.raised = Raised::default(),
            Err(_) => {}
        }
        self.heap.undo(mark);
        let message = refused.into_iter().next();
        if message.is_some() { (Vec::new(), message) } else { (parts, None) }
    }

    /// Notes what is refused where a source is called again; whether it is.
    pub(crate) fn notes_refusals(&mut self, judged: &[Judged]) -> bool {
        let Some(refused) = &mut self.model_state.fed.refused else { return false };
        let violated = judged.iter().filter(|judged| judged.outcome == Outcome::Violated);
        refused.extend(violated.map(|judged| judged.message.clone()));
        true
    }

    /// Shows each value that a result holds which is no container, in the order of its parts.
    fn each_result(&self, value: &Value, depth: usize, show: &mut dyn FnMut(&Self, &Value)) {
        light_tick();
        let value = self.read(value);
        match &value {
            Value::Tuple(items) if depth < DEEPEST => {
                items.iter().for_each(|item| self.each_result(item, depth + 1, show));
            }
            Value::List(id) if depth < DEEPEST => {
                let items = self.heap.list(*id).map(|data| data.items.clone()).unwrap_or_default();
                items.iter().for_each(|item| self.each_result(item, depth + 1, show));
            }
            Value::Instance(_) if depth < DEEPEST => match self.named_tuple(&value) {
                Some((id, fields)) => {
                    for field in fields {
                        let item = self.heap.attribute(id, field).cloned().unwrap_or(Value::None);
                        self.each_result(&item, depth + 1, show);
                    }
                }
                None => show(self, &value),
            },
            value => show(self, value),
        }
    }

    /// A value whose tensors are the results of an operation. Lists and named tuples are those that the call made: what is older stays as it is.
    pub(crate) fn as_results_of(&mut self, value: &Value, made: &Made) -> Value {
        if made.operation == OperationId::NONE {
            return self.read(value);
        }
        let mut place = 0;
        self.as_results_within(value, made, &mut place, 0)
    }

    fn as_results_within(&mut self, value: &Value, made: &Made, place: &mut usize, depth: usize) -> Value {
        light_tick();
        let value = self.read(value);
        match &value {
            Value::Tensor(tensor) => {
                let part = u8::try_from(*place).unwrap_or(u8::MAX);
                *place += 1;
                let Made { operation, device, span, .. } = *made;
                Value::Tensor(Rc::new(Tensor { operation, part, device, origin: span, ..Tensor::clone(tensor) }))
            }
            Value::Tuple(items) if depth < DEEPEST => {
                Value::tuple(items.iter().map(|item| self.as_results_within(item, made, place, depth + 1)).collect())
            }
            Value::List(id) if depth < DEEPEST => {
                let items = self.heap.list(*id).map(|data| data.items.clone()).unwrap_or_default();
                let items: Vec<Value> =
                    items.iter().map(|item| self.as_results_within(item, made, place, depth + 1)).collect();
                if made.is_new(*id)
                    && let Payload::List(data) = self.heap.payload(*id)
                {
                    let mut data = (**data).clone();
                    data.items = items;
                    self.heap.set_payload(*id, Payload::List(Rc::new(data)));
                }
                value
            }
            Value::Instance(_)
                if depth < DEEPEST
                    && let Some((id, fields)) = self.named_tuple(&value) =>
            {
                for field in fields {
                    let item = self.heap.attribute(id, field).cloned().unwrap_or(Value::None);
                    let item = self.as_results_within(&item, made, place, depth + 1);
                    if made.is_new(id) {
                        self.heap.set_attribute(id, field, item);
                    }
                }
                value
            }
            _ => {
                *place += 1;
                value
            }
        }
    }
}

/// What made a result.
pub(crate) struct Made {
    pub operation: OperationId,
    pub device: Device,
    pub span: Span,
    /// How many objects there were before.
    pub objects: usize,
}

impl Made {
    fn is_new(&self, id: ObjectId) -> bool {
        id.0 as usize >= self.objects
    }
}
