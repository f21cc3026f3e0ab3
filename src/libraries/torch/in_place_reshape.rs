//! PyTorch's methods that give a tensor another shape where it is: whoever names it sees the new one.

use crate::known_families::is_numpy_array;
use std::rc::Rc;

use harp_corpus::Span;
use harp_interp::api::call_api::Bound;
use harp_interp::calls::call::CallArguments;
use harp_interp::heap::objects::{DictData, ListData, Payload, SymbolicData};
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_interp::values::memory_layout;
use harp_interp::values::value::{LibraryMethod, ObjectId, Tensor, Value};
use harp_limits::light_tick;
use harp_python::ir::{Expr, ExprKind};
use harp_python::name::Name;

/// The method of NumPy that gives an array itself another shape, and returns nothing.
pub(crate) const RESIZE: &str = "numpy.ndarray.resize";
/// Looking at so many objects and items counts as one step.
const VALUES_OF_A_STEP: usize = 256;
/// Marks what stands for the batches of all iterations.
const OF_ANY_ITERATION: &str = "\u{1}of any iteration";
/// Tuples within tuples are looked into so deep.
const DEEPEST: usize = 4;

/// Whether an expression reads variables, attributes, items and constants only: it can be evaluated again.
fn is_stored(expression: &Expr) -> bool {
    match &expression.kind {
        ExprKind::Name(_) => true,
        ExprKind::Attribute { value, .. } => is_stored(value),
        ExprKind::Subscript { value, index } => is_stored(value) && is_stored(index),
        ExprKind::Unary { operand, .. } => is_stored(operand),
        ExprKind::Int(_) | ExprKind::Str(_) => true,
        _ => false,
    }
}

/// Whether a function gives the tensor itself another shape.
fn is_reshaping(api: &str) -> bool {
    api == RESIZE || api.strip_prefix("torch.Tensor.").is_some_and(memory_layout::moves)
}

#[easy_ext::ext(InPlaceReshapeMethods)]
pub impl Interpreter<'_> {
    /// After `x.unsqueeze_(0)` `x` has the shape of the result: the variable gets it, where it names the tensor by what is not one and the
    /// same value, such as an input of which nothing else is known.
    fn receiver_is_reshaped(&mut self, function: &Expr, callee: &Value, result: &Value) -> Eval<()> {
        let (Value::LibraryMethod(method), ExprKind::Attribute { value: target, .. }) = (callee, &function.kind) else {
            return Ok(());
        };
        // `x.data` is another tensor with the same numbers.
        let is_data = matches!(&target.kind, ExprKind::Attribute { attribute, .. } if attribute.as_str() == "data");
        match is_reshaping(method.api.as_str()) && !is_data {
            true => self.variable_is_reshaped(target, &method.receiver, result),
            false => Ok(()),
        }
    }

    /// Gives the variable of a tensor, and all else that names it, the shape and type of another one, which its data are now.
    fn variable_is_reshaped(&mut self, target: &Expr, before: &Value, after: &Value) -> Eval<()> {
        let (Value::Tensor(receiver), Value::Tensor(made)) = (self.read(before), self.read(after)) else {
            return Ok(());
        };
        let is_variable = match &target.kind {
            ExprKind::Name(name) => {
                self.scope_of(*name).is_some_and(|scope| self.heap.attribute(scope, *name).is_some())
            }
            ExprKind::Attribute { .. } => true,
            // `context[0]` of a list or a dictionary; what indexes a tensor is a view of it.
            ExprKind::Subscript { value: container, index } if is_stored(container) && is_stored(index) => {
                let container = self.evaluate(container)?;
                matches!(self.read(&container), Value::List(_) | Value::Dict(_))
            }
            _ => false,
        };
        if receiver.shape == made.shape && receiver.dtype == made.dtype {
            return Ok(());
        }
        let reshaped = self.reshaped(&receiver, &made);
        if is_variable && is_stored(target) {
            let now = self.evaluate(target)?;
            if matches!(self.read(&now), Value::Tensor(now) if Rc::ptr_eq(&now, &made)) {
                return Ok(());
            }
        }
        self.reshape_everywhere(&receiver, &reshaped);
        if is_variable { self.assign(target, reshaped) } else { Ok(()) }
    }

    /// `a.shape = sizes` of an array is a reshape of the array itself; `a.dtype = kind` reads its bytes as numbers of another type, a view in its place.
    fn form_is_set(
        &mut self,
        target: &Expr,
        holder: &Value,
        (method, argument): (Name, &Value),
        span: Span,
    ) -> Eval<()> {
        let receiver = self.read(holder);
        if !matches!(&receiver, Value::Tensor(tensor) if is_numpy_array(tensor)) {
            return Ok(());
        }
        let method = LibraryMethod { receiver, api: method };
        let made = self.call_library_method(&method, CallArguments::positional(vec![argument.clone()], span))?;
        self.variable_is_reshaped(target, holder, &made)
    }

    /// What a function of a library makes of a tensor that it is given: a method that ends in `_` gives it another shape, and `out=` takes
    /// that of the result (PyTorch, `resize_output`; NumPy refuses another one).
    fn reshape_given(&mut self, api: Name, bound: &Bound, value: Value) -> Value {
        let is_receiver = is_reshaping(api.as_str());
        let is_given = |name: &str| match is_receiver {
            true => matches!(name, "self" | "input" | "a"),
            false => name == "out" && api.as_str().starts_with("torch."),
        };
        let Some((_, given)) = bound.iter().find(|(name, _)| is_given(name.as_str())) else { return value };
        if let (Value::Tuple(given), Value::Tuple(made)) = (self.read(given), &value) {
            let parts = given.iter().zip(made.iter()).map(|(given, made)| self.given_is_reshaped(given, made.clone()));
            return Value::tuple(parts.collect());
        }
        let given = given.clone();
        self.given_is_reshaped(&given, value)
    }

    fn given_is_reshaped(&mut self, given: &Value, value: Value) -> Value {
        let (Value::Tensor(receiver), Value::Tensor(made)) = (self.read(given), &value) else { return value };
        if receiver.shape == made.shape && receiver.dtype == made.dtype {
            return value;
        }
        let reshaped = self.reshaped(&receiver, made);
        self.reshape_everywhere(&receiver, &reshaped);
        reshaped
    }

    /// The same values as tensors and containers of their own: what one pass over data gives is not what the next one gives.
    fn given_anew(&mut self, value: &Value) -> Value {
        self.anew(value, DEEPEST)
    }

    fn anew(&mut self, value: &Value, depth: usize) -> Value {
        light_tick();
        let Some(below) = depth.checked_sub(1) else { return value.clone() };
        match value {
            Value::Tensor(tensor) => Value::Tensor(Rc::new(Tensor::clone(tensor))),
            Value::Tuple(items) => Value::tuple(items.iter().map(|item| self.anew(item, below)).collect()),
            Value::List(id) => {
                let Some(data) = self.heap.list(*id).cloned() else { return value.clone() };
                let items = data.items.iter().map(|item| self.anew(item, below)).collect();
                let rest = data.rest.as_ref().map(|rest| self.anew(rest, below));
                let made = self.heap.allocate(Payload::List(Rc::new(ListData { items, rest })));
                self.marked_as_batch(*id, made);
                Value::List(made)
            }
            Value::Dict(id) if self.dict_class(*id).is_none() => {
                let Some(data) = self.heap.dict(*id).cloned() else { return value.clone() };
                let mut anew = DictData::clone(&data);
                for (place, (_, value)) in data.entries.iter().enumerate() {
                    anew.entries[place].1 = self.anew(value, below);
                }
                let made = self.heap.allocate(Payload::Dict(Rc::new(anew)));
                self.marked_as_batch(*id, made);
                Value::Dict(made)
            }
            value => value.clone(),
        }
    }

    /// A container with what is known of another, that stands for the batch of any iteration: a tensor that the program takes out of one and
    /// reshapes is in that one alone.
    fn marked_as_batch(&mut self, known: ObjectId, made: ObjectId) {
        let attributes: Vec<(Name, Value)> =
            self.heap.object(known).attributes.iter().map(|(name, value)| (name, value.clone())).collect();
        for (name, value) in attributes {
            self.heap.set_attribute(made, name, value);
        }
        self.heap.set_attribute(made, Name::new(OF_ANY_ITERATION), Value::Bool(true));
    }

    fn reshaped(&self, receiver: &Tensor, made: &Tensor) -> Value {
        Value::Tensor(Rc::new(Tensor { kind: receiver.kind, name: receiver.name, ..Tensor::clone(made) }))
    }

    /// Puts what a tensor has become wherever the tensor is held.
    fn reshape_everywhere(&mut self, before: &Rc<Tensor>, after: &Value) {
        // Who else names a tensor is no part of what a call was given.
        self.sizes.reshapes += 1;
        // What was made before the entry began holds what is made in it in the variables of modules, or not at all.
        let made_here = self.entry.objects.min(self.heap.len())..self.heap.len();
        let mut older: Vec<ObjectId> =
            self.tables.modules.values().copied().filter(|id| !made_here.contains(&(id.0 as usize))).collect();
        older.sort_unstable();
        let mut looked_at = 0;
        for id in older.into_iter().chain(made_here.map(|index| ObjectId(index as u32))) {
            let object = self.heap.peek(id);
            let attributes: Vec<(Name, Value)> = object
                .attributes
                .iter()
                .filter_map(|(name, value)| Some((name, with_another(value, before, after, DEEPEST)?)))
                .collect();
            let is_batch = object.attributes.get(Name::new(OF_ANY_ITERATION)).is_some();
            let payload = if is_batch { None } else { payload_with_another(&object.payload, before, after) };
            looked_at += 1 + match &object.payload {
                Payload::List(data) => data.items.len(),
                Payload::Dict(data) => data.entries.len(),
                _ => 0,
            };
            for (name, value) in attributes {
                self.heap.set_attribute(id, name, value);
            }
            if let Some(payload) = payload {
                self.heap.set_payload(id, payload);
            }
        }
        self.entry.steps += (looked_at / VALUES_OF_A_STEP) as u64;
    }
}

/// A value with another tensor in the place of one; `None` where it does not hold it.
fn with_another(value: &Value, before: &Rc<Tensor>, after: &Value, depth: usize) -> Option<Value> {
    let below = depth.checked_sub(1)?;
    match value {
        Value::Tensor(tensor) => Rc::ptr_eq(tensor, before).then(|| after.clone()),
        Value::Tuple(items) => changed_items(items, before, after, below).map(Value::tuple),
        Value::Alternatives(alternatives) => {
            let values: Vec<Value> = alternatives.iter().map(|(_, value)| value.clone()).collect();
            let changed = changed_items(&values, before, after, below)?;
            let guards = alternatives.iter().map(|(guard, _)| Rc::clone(guard));
            Some(Value::Alternatives(Rc::new(guards.zip(changed).collect())))
        }
        _ => None,
    }
}

fn changed_items(items: &[Value], before: &Rc<Tensor>, after: &Value, depth: usize) -> Option<Vec<Value>> {
    let holds = |item: &Value| with_another(item, before, after, depth).is_some();
    if !items.iter().any(holds) {
        return None;
    }
    Some(items.iter().map(|item| with_another(item, before, after, depth).unwrap_or_else(|| item.clone())).collect())
}

fn payload_with_another(payload: &Payload, before: &Rc<Tensor>, after: &Value) -> Option<Payload> {
    let other = |value: &Value| with_another(value, before, after, DEEPEST);
    match payload {
        Payload::List(data) => {
            let (items, rest) =
                (changed_items(&data.items, before, after, DEEPEST), data.rest.as_ref().and_then(other));
            (items.is_some() || rest.is_some()).then(|| {
                let items = items.unwrap_or_else(|| data.items.clone());
                Payload::List(Rc::new(ListData { items, rest: rest.or_else(|| data.rest.clone()) }))
            })
        }
        Payload::Dict(data) => {
            let mut changed: Option<DictData> = None;
            for (place, value) in
                data.entries.iter().enumerate().filter_map(|(at, (_, value))| Some((at, other(value)?)))
            {
                changed.get_or_insert_with(|| DictData::clone(data)).entries[place].1 = value;
            }
            changed.map(|data| Payload::Dict(Rc::new(data)))
        }
        Payload::Symbolic(data) => {
            let refined = other(data.refined.as_ref()?)?;
            Some(Payload::Symbolic(Rc::new(SymbolicData { refined: Some(refined), ..SymbolicData::clone(data) })))
        }
        _ => None,
    }
}
