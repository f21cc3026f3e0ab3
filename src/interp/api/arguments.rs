//! The arguments of an API call: what shapes need of the program's values.

use std::rc::Rc;

use crate::api::call_api::DEEPEST_ARGUMENT;
use crate::classes::tensor_subclasses::PASSED;
use crate::state::interpreter::Interpreter;
use crate::values::value::{TRUTH, Value};
use harp_corpus::Span;
use harp_limits::light_tick;
use harp_operations::operation::{Argument, TensorArgument};
use harp_python::name::Name;
use harp_shape::{Assumed, DType, Dim, Shape};
use harp_trace::assumption::AssumptionKind;

/// Parameters that take a sequence of tensors, such as that of `torch.cat`.
const SEQUENCES_OF_TENSORS: [&str; 3] = ["arrays", "operands", "tensors"];
/// Parameters that take a sequence of sizes, such as that of `torch.Tensor.view`.
const SEQUENCES_OF_SIZES: [&str; 4] = ["shape", "size", "sizes", "newshape"];

impl<'p> Interpreter<'p> {
    /// An index with a range of unknown length, `x[range(n), labels]`, has an array of so many numbers in its place.
    pub(crate) fn long_range(&mut self, name: Name, value: &Value) -> Option<Argument> {
        if name.as_str() != "index" {
            return None;
        }
        let Value::Tuple(items) = value else { return None };
        if !items.iter().any(|item| matches!(item, Value::Range(_))) {
            return None;
        }
        let items = items.iter().map(|item| match self.length_of_range(item) {
            Some(count) => Argument::Tensor(TensorArgument { shape: Shape::known(vec![count]), dtype: DType::Int64 }),
            None => self.argument(item, None, 1),
        });
        Some(Argument::Sequence(items.collect()))
    }

    /// How many numbers a range of steps of 1 has, where that is not known as a number.
    fn length_of_range(&self, value: &Value) -> Option<Dim> {
        let Value::Range(bounds) = value else { return None };
        let [start, stop, step] = bounds.map(|bound| self.solver.resolve(bound));
        let count = stop - start;
        (step.as_const() == Some(1) && count.as_const().is_none()).then_some(count)
    }

    /// Whether a sequence holds arrays of NumPy, as its first item tells.
    pub(crate) fn has_arrays(&self, value: &Value, depth: usize) -> bool {
        light_tick();
        let first = match self.read(value) {
            Value::List(id) => self.heap.list(id).and_then(|data| data.items.first().cloned()),
            Value::Tuple(items) => items.first().cloned(),
            _ => None,
        };
        first.is_some_and(|first| match self.read(&first) {
            Value::Tensor(tensor) => tensor.kind.families().any(|family| family.rules().array_functions),
            first => depth > 0 && self.has_arrays(&first, depth - 1),
        })
    }

    /// A value as an operation sees it. `tensor_use` names the API that takes a value of unknown type for a tensor.
    pub fn argument(&mut self, value: &Value, tensor_use: Option<(Name, Span)>, depth: usize) -> Argument {
        light_tick();
        if depth > DEEPEST_ARGUMENT {
            return Argument::Unknown;
        }
        match self.read(value) {
            Value::Tensor(tensor) => {
                let shape = self.solver.resolve_shape(&tensor.shape);
                Argument::Tensor(TensorArgument { shape, dtype: tensor.dtype })
            }
            Value::Int(dim) => Argument::Integer(self.solver.resolve(dim)),
            Value::Bool(value) => Argument::Boolean(value),
            Value::Unknown(TRUTH) => Argument::Truth,
            Value::Float(value) => Argument::Float(value),
            Value::Ratio(_) => Argument::Float(None),
            // Such a number is no wider than what it meets.
            Value::Complex => Argument::Tensor(TensorArgument { shape: Shape::scalar(), dtype: DType::Complex64 }),
            Value::Str(Some(text)) => Argument::Text(text),
            Value::None => Argument::None,
            Value::DType(dtype) => Argument::DType(dtype),
            // Python's own types stand for the widest of their kind.
            Value::Library(name) if name.as_str() == "builtins.int" => Argument::DType(DType::Int64),
            Value::Library(name) if name.as_str() == "builtins.float" => Argument::DType(DType::Float64),
            Value::Library(name) if name.as_str() == "builtins.bool" => Argument::DType(DType::Bool),
            Value::Ellipsis => Argument::Ellipsis,
            Value::Tuple(items) => {
                Argument::Sequence(items.iter().map(|item| self.argument(item, None, depth + 1)).collect())
            }
            Value::List(id) => match self.heap.list(id).cloned() {
                // Code that was not understood may have filled it, unless it is made here.
                Some(data)
                    if data.items.is_empty() && !self.entry.not_understood.is_empty() && !self.heap.is_newest(id) =>
                {
                    Argument::Unknown
                }
                Some(data) if data.rest.is_none() && data.items.len() <= 4096 => {
                    Argument::Sequence(data.items.iter().map(|item| self.argument(item, None, depth + 1)).collect())
                }
                _ => Argument::Unknown,
            },
            Value::Range(bounds) => {
                let [start, stop, step] = bounds.map(|bound| self.solver.resolve(bound));
                match crate::loops::loop_statements::count_of(start, step, Some(stop)) {
                    Some(count @ 0..=4096) => Argument::Sequence(
                        (0..count)
                            .map(|index| Argument::Integer(start + step * harp_shape::Dim::constant(index)))
                            .collect(),
                    ),
                    _ => Argument::Unknown,
                }
            }
            Value::Slice(bounds) => {
                let mut bound = |bound: &Value| match self.drawn_number(bound) {
                    Some(number) => Box::new(Argument::Integer(self.solver.resolve(number))),
                    None => Box::new(self.argument(bound, None, depth + 1)),
                };
                Argument::Slice { lower: bound(&bounds[0]), upper: bound(&bounds[1]), step: bound(&bounds[2]) }
            }
            Value::Size(shape) => match self.solver.resolve_shape(&shape).dims() {
                Some(dims) => Argument::Sequence(dims.into_iter().map(Argument::Integer).collect()),
                None => Argument::Unknown,
            },
            Value::Iterator(iteration) => match &*iteration {
                crate::values::value::Iteration::Items(items) if items.len() <= 4096 => {
                    Argument::Sequence(items.iter().map(|item| self.argument(item, None, depth + 1)).collect())
                }
                crate::values::value::Iteration::View { dict, part } => match self.shown(*dict, *part) {
                    Some(items) if items.len() <= 4096 => {
                        Argument::Sequence(items.iter().map(|item| self.argument(item, None, depth + 1)).collect())
                    }
                    _ => Argument::Unknown,
                },
                _ => Argument::Unknown,
            },
            Value::Instance(_) if self.is_device(value) => Argument::Text(Rc::from("device")),
            // A number of a class of its own.
            own @ Value::Instance(_) if self.own_method(&own, "__index__").is_some() => {
                let span = self.current_span();
                match self.ask(&own, "__index__", span) {
                    Ok(Some(Value::Int(number))) => Argument::Integer(self.solver.resolve(number)),
                    _ => Argument::Unknown,
                }
            }
            // One of several numbers, within a list of them.
            Value::Alternatives(ways) if depth > 0 => {
                let numbers: Vec<Value> = ways.iter().map(|(_, way)| way.clone()).collect();
                let is_number = |value: &Value| {
                    matches!(value, Value::Int(_) | Value::Bool(_) | Value::Float(_) | Value::Condition(_))
                };
                let is_truth = |value: &Value| matches!(value, Value::Bool(_) | Value::Condition(_));
                let are_of_one_kind = |first: &Value| {
                    numbers.iter().all(|number| std::mem::discriminant(number) == std::mem::discriminant(first))
                };
                match numbers.first() {
                    _ if numbers.iter().all(is_truth) => Argument::Truth,
                    Some(first) if is_number(first) && are_of_one_kind(first) => {
                        let any = self.widen(&numbers);
                        self.argument(&any, None, depth + 1)
                    }
                    _ => Argument::Unknown,
                }
            }
            Value::Condition(_) => Argument::Truth,
            Value::Symbolic(id) => {
                if self.is_some_truth(id) {
                    return Argument::Truth;
                }
                if self.is_named_device(id) {
                    return Argument::Text(Rc::from("device"));
                }
                let Some((api, span)) = tensor_use else { return Argument::Unknown };
                if self.is_some_number(id) {
                    return Argument::Float(None);
                }
                let evidence = format!("{PASSED}{api}`");
                // A function of arrays takes tensors, too.
                let library = match self.family_of_api(api).map(|family| family.rules().assumed) {
                    Some(Assumed::AsWell) => self.assumed_open_kind(span),
                    Some(Assumed::WhereImported) => self.kind_of_api(api),
                    _ => self.assumed_kind(span),
                };
                match self.refine_to_tensor(id, library, AssumptionKind::UsedAs, evidence, span) {
                    Some(tensor) => {
                        Argument::Tensor(TensorArgument { shape: tensor.shape.clone(), dtype: tensor.dtype })
                    }
                    None => Argument::Unknown,
                }
            }
            _ => Argument::Unknown,
        }
    }

    /// Decides what parameters of functions that nobody calls are that stand in a sequence of tensors or of sizes. Alone they may be sequences.
    pub(crate) fn refine_items(&mut self, api: Name, parameter: Name, value: &Value, span: Span) {
        let takes_tensors = SEQUENCES_OF_TENSORS.contains(&parameter.as_str());
        if !takes_tensors && !SEQUENCES_OF_SIZES.contains(&parameter.as_str()) {
            return;
        }
        let items: Vec<Value> = match self.read(value) {
            // Sizes in a sequence of their own.
            Value::Tuple(items) => match &*items {
                [Value::Tuple(items)] => items.to_vec(),
                items => items.to_vec(),
            },
            Value::List(id) => self.heap.list(id).map_or_else(Vec::new, |data| data.items.clone()),
            // One number is a size as well, and so is what the program gives no name that speaks of several.
            one @ Value::Symbolic(id) if !takes_tensors && !self.is_named_as_sizes(id) => vec![one],
            _ => return,
        };
        for item in &items {
            let Value::Symbolic(id) = self.read(item) else { continue };
            if self.is_some_text(id) || !(self.is_input(id) || self.is_computed(id) && !takes_tensors) {
                continue;
            }
            let evidence = format!("{PASSED}{api}` in `{parameter}`");
            if takes_tensors {
                self.refine_to_tensor(id, self.kind_of_api(api), AssumptionKind::UsedAs, evidence, span);
            } else {
                self.refine_to_integer(id, &evidence, span);
            }
        }
    }

    /// Whether a value of unknown type is called what a sequence of sizes is called.
    fn is_named_as_sizes(&self, id: crate::values::value::ObjectId) -> bool {
        self.heap.symbolic(id).is_none_or(|data| {
            let last = data.description.rsplit(['.', '_']).next().unwrap_or_default();
            let is_item = last.ends_with(']') || last.ends_with(')');
            is_item || ["shape", "size", "s", "args"].iter().any(|word| last.ends_with(word))
        })
    }

    fn is_device(&self, value: &Value) -> bool {
        self.is_device_class(&self.class_of(&self.read(value)))
    }

    /// A value of unknown type that the program calls a device; it decides no shape and no element type.
    fn is_named_device(&self, id: crate::values::value::ObjectId) -> bool {
        self.heap.symbolic(id).is_some_and(|data| data.description.rsplit('.').next() == Some("device"))
    }
}
