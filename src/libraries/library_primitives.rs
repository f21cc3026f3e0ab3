//! The module `harp_library`: what the sources of library packs, which are Python that Harp executes, ask of Harp where Python has no words for it.
//! `docs/libraries.md` is its reference. Programs have no such module.

use crate::known_families::KnownFamilies;
use std::rc::Rc;

use crate::methods::*;
use crate::numpy::array_files;
use crate::torch::data::dataset::plain_tensor;
use harp_corpus::Span;
use harp_interp::api::library_model::FunctionHandler;
use harp_interp::calls::call::CallArguments;
use harp_interp::heap::objects::{InstanceData, ListData, Payload};
use harp_interp::judge::alarms::Context;
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_interp::values::value::{Iteration, OperationId, TensorKind, Value};
use harp_limits::light_tick;
use harp_operations::operation::Judged;
use harp_python::name::Name;
use harp_shape::{Constraint, DType, Outcome, Shape};
use harp_trace::{NOT_DECIDED, Subject};

pub fn function(name: &str) -> Option<FunctionHandler> {
    Some(match name {
        // `free_size(name, least=0, open=False)`: a size that only the data tells; with `open`, one that the program leaves to it.
        "harp_library.free_size" => |this, _, arguments| {
            let name = arguments.get(0, "name").and_then(Value::as_text).unwrap_or("size").to_owned();
            let least = arguments.get(1, "least").and_then(Value::as_int).unwrap_or(0);
            let size = this.free_dim(&name, least);
            let is_open = matches!(arguments.get(2, "open"), Some(Value::Bool(true)));
            this.note_free_size(size, is_open);
            Ok(Value::Int(size))
        },
        // `array(shape, dtype=None)`, `tensor(shape, dtype=None)`: of NumPy and of PyTorch. A shape of `None` is not known.
        "harp_library.array" => |this, _, arguments| {
            let kind = this.numpy_array();
            Ok(new_tensor(this, &arguments, kind))
        },
        "harp_library.tensor" => |this, _, arguments| {
            let kind = family_asked_for(this, &arguments);
            Ok(new_tensor(this, &arguments, kind))
        },
        // `require(condition, message)`: the library refuses what it was given unless the condition holds.
        "harp_library.require" => require,
        // `unknown(what)`: what is not followed, and is counted as such where a size or a tensor is made of it.
        "harp_library.unknown" => |this, _, arguments| {
            let span = this.place_in_program(arguments.span);
            let what = arguments.get(0, "what").and_then(Value::as_text).unwrap_or("attribute").to_owned();
            Ok(this.unanswered(&what, &what, span))
        },
        // `outside(what)`: what a file, a device or the user gives.
        "harp_library.outside" => |this, _, arguments| {
            let span = this.place_in_program(arguments.span);
            let what = arguments.get(0, "what").and_then(Value::as_text).unwrap_or("data").to_owned();
            Ok(this.data_from_outside(&what, span))
        },
        // `is_shortened()`: whether iterations were left out before, so that what they would have made is missing.
        "harp_library.is_shortened" => |this, _, _| Ok(Value::Bool(this.entry.cuts_loops)),
        // `is_known(value)`: whether a number is one number, and a sequence has known items.
        "harp_library.is_known" => |this, _, arguments| {
            let value = arguments.positional.first().map(|value| this.read(value));
            Ok(Value::Bool(value.is_some_and(|value| is_known(this, &value))))
        },
        // `numbers_of(value)`: the whole numbers in a tensor or a list, or `None`.
        "harp_library.numbers_of" => |this, _, arguments| {
            let row = arguments.positional.first().and_then(|value| this.numbers_in(value));
            Ok(match row {
                Some(row) if row.is_scalar => row.numbers.first().map_or(Value::None, |number| Value::Int(*number)),
                Some(row) => {
                    let items = row.numbers.into_iter().map(Value::Int).collect();
                    Value::List(this.heap.allocate_list(items))
                }
                None => Value::None,
            })
        },
        // `some_of(items)`: a list of unknown length of such items.
        "harp_library.some_of" => |this, _, arguments| {
            let items = arguments.positional.first().map_or(Value::Unknown("items"), |items| this.read(items));
            Ok(match this.iterate(&items)? {
                Iteration::Items(items) if items.is_empty() => Value::List(this.heap.allocate_list(items)),
                iteration => {
                    let item = this.any_item(iteration, arguments.span);
                    let data = ListData { items: Vec::new(), rest: Some(item) };
                    Value::List(this.heap.allocate(Payload::List(Rc::new(data))))
                }
            })
        },
        _ => return None,
    })
}

/// The family that a source names; PyTorch's, where it names none.
pub(crate) fn family_asked_for(interpreter: &Interpreter<'_>, arguments: &CallArguments) -> TensorKind {
    let family = arguments.get(2, "family").and_then(Value::as_text);
    family.map_or_else(|| interpreter.torch_tensor(), |class| interpreter.kind_of_class(class))
}

pub(crate) fn new_tensor(interpreter: &mut Interpreter<'_>, arguments: &CallArguments, kind: TensorKind) -> Value {
    let span = interpreter.place_in_program(arguments.span);
    let shape = match arguments.get(0, "shape").map(|shape| interpreter.read(shape)) {
        Some(Value::Int(size)) => Shape::known(vec![size]),
        Some(Value::Size(shape)) => shape,
        Some(Value::None) | None => Shape::unknown("shape"),
        Some(sizes) => {
            let sizes = sizes_with_free_ones(interpreter, sizes);
            interpreter.dims_of(&sizes).map_or_else(|| Shape::unknown("shape"), Shape::known)
        }
    };
    let dtype = arguments.get(1, "dtype").and_then(|dtype| array_files::dtype_of(interpreter, dtype));
    let dtype = interpreter.type_in_family(dtype.unwrap_or(DType::Unknown), kind.family());
    let made = plain_tensor(shape, dtype, kind, span);
    let numbers = arguments.keyword("numbers").and_then(|numbers| interpreter.numbers_in(numbers));
    numbers.map_or(made.clone(), |numbers| interpreter.with_numbers_in(&made, &numbers))
}

/// A list of sizes with a free size in the place of each `None`, and of what is not known.
fn sizes_with_free_ones(interpreter: &mut Interpreter<'_>, sizes: Value) -> Value {
    let items = match &sizes {
        Value::Tuple(items) => items.to_vec(),
        Value::List(id) => match interpreter.heap.list(*id) {
            Some(data) if data.rest.is_none() => data.items.clone(),
            _ => return sizes,
        },
        _ => return sizes,
    };
    let items: Vec<Value> = items.iter().map(|item| interpreter.read(item)).collect();
    let is_open = |item: &Value| matches!(item, Value::None | Value::Unknown(_) | Value::Symbolic(_));
    if !items.iter().any(is_open) {
        return sizes;
    }
    let size = |item: Value| if is_open(&item) { Value::Int(interpreter.free_dim("size", 0)) } else { item };
    Value::tuple(items.into_iter().map(size).collect())
}

/// Judges a condition as what an annotation requires is judged. Where it surely does not hold, the library raises.
fn require(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let condition = arguments.get(0, "condition").map(|condition| interpreter.read(condition));
    let constraint = match condition {
        Some(Value::Bool(false)) => Constraint::False,
        Some(Value::Condition(constraint)) => Constraint::clone(&constraint),
        Some(Value::Bool(true)) => return Ok(Value::None),
        // What is not known turns the check off, and nobody vouches for it.
        _ => {
            if !interpreter.exceptions.takes_refusals() {
                let api = interpreter.library_function_of_program("harp_library.require");
                interpreter.unproved(&format!("{api}: {NOT_DECIDED}"), arguments.span);
            }
            return Ok(Value::None);
        }
    };
    let outcome = match constraint {
        Constraint::False => Outcome::Violated,
        _ => interpreter.solver.require(&constraint),
    };
    if outcome == Outcome::Holds {
        return Ok(Value::None);
    }
    if let Outcome::Possible(_) = outcome {
        interpreter.solver.assume(&constraint);
    }
    let message = arguments.get(1, "message").and_then(Value::as_text).map(str::to_owned);
    report(
        interpreter,
        Judged { constraint, outcome, ..Judged::violated(String::new(), Vec::new()) },
        message,
        None,
        &arguments,
    )
}

/// The library surely refuses what it was given.
pub(crate) fn refuse(interpreter: &mut Interpreter<'_>, message: Option<String>, arguments: &CallArguments) -> Eval {
    report(interpreter, Judged::violated(String::new(), Vec::new()), message, None, arguments)
}

/// Says that a library refuses what it was given, or may; where it surely does, it raises. `object` is what the program made elsewhere and fails here.
pub(crate) fn report(
    interpreter: &mut Interpreter<'_>,
    judged: Judged,
    message: Option<String>,
    object: Option<&InstanceData>,
    arguments: &CallArguments,
) -> Eval {
    let fails = judged.outcome == Outcome::Violated;
    if interpreter.exceptions.takes_refusals() {
        // The program expects that it may fail, and goes on elsewhere.
        return if fails { Err(interpreter.raise("ValueError", "", arguments.span)) } else { Ok(Value::None) };
    }
    let api = interpreter.library_function_of_program("harp_library.require");
    let message = message.unwrap_or_else(|| format!("`{api}` does not take this"));
    let judged = Judged { message, ..judged };
    let bound = Vec::new();
    let operation = OperationId::NONE;
    let subject = Subject::Operands;
    let context = Context { api, bound: &bound, object, call: arguments, operation, help: &[], subject };
    interpreter.record_issues(&context, vec![judged], Vec::new())?;
    if fails { Err(interpreter.raise_refusal(arguments.span)) } else { Ok(Value::None) }
}

fn is_known(interpreter: &Interpreter<'_>, value: &Value) -> bool {
    light_tick();
    match value {
        Value::Int(_) => value.as_int().is_some(),
        Value::Float(number) => number.is_some(),
        Value::Str(text) => text.is_some(),
        Value::Bool(_) => true,
        Value::List(id) => interpreter.heap.list(*id).is_some_and(|list| {
            list.rest.is_none() && list.items.iter().all(|item| is_known(interpreter, &interpreter.read(item)))
        }),
        _ => false,
    }
}

#[easy_ext::ext(LibraryPrimitivesMethods)]
pub impl Interpreter<'_> {
    /// The program's own call on the way to a place in the source of a library.
    fn place_in_program(&self, span: Span) -> Span {
        let own = self.calls.stack.iter().rev().find(|call| !self.corpus.is_foreign(call.file));
        if self.corpus.is_foreign(span.file) { own.copied().unwrap_or(span) } else { span }
    }

    /// The function of a library that the program called and that runs, where it has a name.
    fn library_function_of_program(&self, otherwise: &str) -> Name {
        let own = self.frames.iter().rposition(|frame| !self.corpus.is_foreign(frame.file));
        let called = self.frames.get(own.map_or(0, |own| own + 1));
        let function = called.and_then(|frame| Some((frame.file, frame.function.as_ref()?)));
        let name = function
            .and_then(|(file, function)| self.corpus.libraries.public_name(file, function.qualified_name.as_str()));
        Name::new(name.as_deref().unwrap_or(otherwise))
    }
}
