//! Python's `random`: what is drawn is one of the items.

use harp_annotations::Entry;
use harp_corpus::Span;
use harp_interp::api::call_api::Callee;
use harp_interp::api::library_model::FunctionHandler;
use harp_interp::calls::call::CallArguments;
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_interp::values::value::Value;
use harp_python::name::Name;
use harp_shape::Dim;

/// As many draws are told apart.
const MOST_DRAWN: usize = 256;

pub fn function(name: &str) -> Option<FunctionHandler> {
    match name {
        // A generator has the functions of the module.
        "random.Random" | "random.SystemRandom" => Some(|_, _, _| Ok(Value::library("random"))),
        "random.choice" => Some(choice),
        "random.sample" | "random.choices" => Some(sample),
        _ => None,
    }
}

/// What the annotation says of a call.
fn annotated(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    match interpreter.library_entry(name) {
        Some(Entry::Api(spec)) => interpreter.call_api(Callee { spec, api: name }, None, None, arguments),
        _ => Ok(interpreter.symbolic(&format!("{name}(…)"), arguments.span, true)),
    }
}

/// One item that stands for all, if anything is known of them.
fn drawn(interpreter: &mut Interpreter<'_>, population: Option<&Value>, span: Span) -> Eval<Option<Value>> {
    let Some(population) = population.cloned() else { return Ok(None) };
    let iteration = interpreter.iterate(&population)?;
    let (items, _, _) = interpreter.sample(iteration);
    if items.is_empty() {
        return Ok(None);
    }
    if let Some(number) = number_among(interpreter, &items) {
        return Ok(Some(number));
    }
    let item = interpreter.widen(&items);
    let item = interpreter.chosen(&items, item, None, span);
    Ok((!item.is_unknown()).then_some(item))
}

/// One of several numbers, which the program draws itself: no requirement decides which.
fn number_among(interpreter: &mut Interpreter<'_>, items: &[Value]) -> Option<Value> {
    let numbers: Option<Vec<i64>> = items
        .iter()
        .map(|item| match interpreter.read(item) {
            Value::Int(number) => interpreter.solver.resolve(number).as_const(),
            _ => None,
        })
        .collect();
    let numbers = numbers?;
    let (least, most) = (*numbers.iter().min()?, *numbers.iter().max()?);
    (least < most).then(|| Value::Int(interpreter.new_number_within(Dim::constant(least), Dim::constant(most))))
}

/// `choice(seq)`.
fn choice(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let item = drawn(interpreter, arguments.get(0, "seq"), arguments.span)?;
    let drawn = annotated(interpreter, name, arguments)?;
    Ok(item.map_or(drawn, |item| interpreter.another(&item)))
}

/// `sample(population, k)` and `choices(population, k=1)`: a list of `k` items.
fn sample(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let item = drawn(interpreter, arguments.get(0, "population"), arguments.span)?;
    let count = match name.as_str() {
        "random.sample" => arguments.get(1, "k").cloned(),
        _ => Some(arguments.keyword("k").cloned().unwrap_or(Value::int(1))),
    };
    let count = count.map(|count| interpreter.read(&count)).and_then(|count| count.as_dim());
    let count = count.and_then(|count| interpreter.solver.resolve(count).as_const());
    let count = count.and_then(|count| usize::try_from(count).ok()).filter(|count| *count <= MOST_DRAWN);
    let drawn = annotated(interpreter, name, arguments)?;
    Ok(match (item, count) {
        (None, _) => drawn,
        (Some(item), None) => interpreter.list_of(item),
        (Some(item), Some(count)) => {
            let items = (0..count).map(|_| interpreter.another(&item)).collect();
            Value::List(interpreter.heap.allocate_list(items))
        }
    })
}
