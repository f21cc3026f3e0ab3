//! The module `harp_library` for sizes that stand for others: the primitives `judge`, `supposing`, and tensors that a
//! run feeds. None of it is learned.

use crate::known_families::KnownFamilies;
use crate::library_primitives::{family_asked_for, new_tensor, refuse, report};
use crate::methods::*;
use harp_interp::api::fed_runs::Told;
use harp_interp::api::library_model::FunctionHandler;
use harp_interp::calls::call::CallArguments;
use harp_interp::heap::objects::InstanceData;
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_interp::values::replaced_sizes::OtherSizes;
use harp_interp::values::value::{Iteration, Value};
use harp_operations::operation::Judged;
use harp_python::name::Name;
use harp_shape::{Dim, Element, Shape, Var, Verdict};

pub fn function(name: &str) -> Option<FunctionHandler> {
    Some(match name {
        // `judge(condition, message)`: as `require`, of what surely does not hold alone.
        "harp_library.judge" => judge,
        // `supposing(sizes, value)`: the value with other sizes in it.
        "harp_library.supposing" => supposing,
        // `to_be_fed(shape, dtype=None, family="torch.Tensor")`: a tensor that a run feeds.
        "harp_library.to_be_fed" => |this, _, arguments| {
            let span = this.place_in_program(arguments.span);
            let api = this.library_function_of_program("harp_library.to_be_fed");
            let kind = family_asked_for(this, &arguments);
            let is_open = arguments.get(0, "shape").is_none_or(|shape| this.read(shape).is_none());
            Ok(match new_tensor(this, &arguments, kind) {
                Value::Tensor(tensor) => {
                    let fed = this.tensor_to_be_fed((*tensor).clone(), api, span);
                    if is_open {
                        this.note_open_rank(&fed);
                    }
                    fed
                }
                other => other,
            })
        },
        // `left_open(size)`: whether the program leaves it open; of a tensor, how many axes it has.
        "harp_library.left_open" => |this, _, arguments| {
            Ok(Value::Bool(match arguments.get(0, "size").map(|size| this.read(size)) {
                Some(Value::Tensor(tensor)) => this.is_rank_left_open(&tensor),
                Some(size) => size.as_dim().is_some_and(|size| this.is_left_open(size)),
                None => false,
            }))
        },
        // `traced(function, family)`: as another object, of which a compiler traces the operations on arrays of the family.
        "harp_library.traced" => |this, _, arguments| {
            let function = arguments.get(0, "function").cloned().unwrap_or(Value::None);
            let family =
                arguments.get(1, "family").and_then(Value::as_text).and_then(|class| this.families().of_class(class));
            Ok(match family {
                Some(family) => this.traced(&function, family),
                None => function,
            })
        },
        // `is_traced(array)`: whether a trace runs that knows no value of it.
        "harp_library.is_traced" => |this, _, arguments| {
            let array = arguments.get(0, "array").cloned().unwrap_or(Value::None);
            Ok(Value::Bool(this.is_traced(&array)))
        },
        // `suspend_traces(suspended)`: for a while, operations have values even so.
        "harp_library.suspend_traces" => |this, _, arguments| {
            let is_suspended = matches!(arguments.get(0, "suspended"), Some(Value::Bool(true)));
            if let Some(trace) = &mut this.calls.trace {
                trace.is_suspended = is_suspended;
            }
            Ok(Value::None)
        },
        // `said(tensor, shape)`: from now on the tensor has this shape, as far as nothing was known of it.
        "harp_library.said" => |this, _, arguments| {
            let tensor = arguments.get(0, "tensor").map(|tensor| this.read(tensor));
            let kind = this.torch_tensor();
            let sizes =
                CallArguments { positional: arguments.positional.get(1..2).unwrap_or_default().to_vec(), ..arguments };
            if let (Some(Value::Tensor(tensor)), Value::Tensor(said)) = (tensor, new_tensor(this, &sizes, kind)) {
                let own = this.solver.resolve_shape(&tensor.shape);
                let fits = said.shape.rank().is_some_and(|rank| own.rank().is_none() && own.minimum_rank() <= rank);
                if fits {
                    this.solver.unify(&said.shape, &own);
                }
            }
            Ok(Value::None)
        },
        // `fed(feeds, value, updates=None, trains=None)`: what a value is in a run that feeds tensors with others. It changes the variables
        // `updates`, and those that the tensors `trains` are computed from.
        "harp_library.fed" => fed,
        _ => return None,
    })
}

/// Whether it fails is asked of the sizes as they are.
fn judge(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let fails = match arguments.get(0, "condition").map(|condition| interpreter.read(condition)) {
        Some(Value::Bool(holds)) => !holds,
        Some(Value::Condition(condition)) => interpreter.solver.judge(&condition) == Verdict::Violated,
        _ => false,
    };
    if !fails {
        return Ok(Value::None);
    }
    let message = arguments.get(1, "message").and_then(Value::as_text).map(str::to_owned);
    refuse(interpreter, message, &arguments)
}

/// Free sizes, and what stands for them.
struct Supposed(Vec<(Var, Dim)>);

impl Supposed {
    fn size(&self, var: Var) -> Option<Dim> {
        self.0.iter().find(|(known, _)| *known == var).map(|(_, size)| *size)
    }
}

impl OtherSizes for Supposed {
    fn dim(&self, interpreter: &Interpreter<'_>, dim: Dim) -> Dim {
        // What is known of a size by now counts where nothing is supposed of the size itself.
        let replaced = dim.substitute(&mut |var| self.size(var));
        match replaced == dim {
            true => interpreter.solver.resolve(dim).substitute(&mut |var| self.size(var)),
            false => interpreter.solver.resolve(replaced),
        }
    }

    fn shape(&self, interpreter: &Interpreter<'_>, shape: &Shape) -> Shape {
        let mut elements = Vec::with_capacity(shape.elements().len());
        for element in shape.elements() {
            match element {
                Element::Dim(dim) => elements.push(Element::Dim(self.dim(interpreter, *dim))),
                Element::Rest(_) => {
                    let part = interpreter.solver.resolve_shape(&Shape::new(vec![*element]));
                    elements.extend(part.map_dims(|dim| self.dim(interpreter, dim)).elements());
                }
                Element::Ragged => elements.push(*element),
            }
        }
        Shape::new(elements)
    }
}

fn supposing(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let pairs = arguments.get(0, "sizes").cloned().unwrap_or(Value::None);
    let value = arguments.get(1, "value").cloned().unwrap_or(Value::None);
    let mut sizes: Vec<(Var, Dim)> = Vec::new();
    let mut found: Vec<(Var, Dim)> = Vec::new();
    for (size, other) in pairs_of(interpreter, &pairs)? {
        let (Value::Int(size), Some(other)) = (interpreter.read(&size), interpreter.read(&other).as_dim()) else {
            continue;
        };
        sizes.extend(size.as_var().map(|var| (var, other)));
        // By what it was found to be, the size goes by another name.
        found.extend(interpreter.solver.resolve(size).as_var().map(|var| (var, other)));
    }
    sizes.extend(found);
    Ok(interpreter.with_sizes(&value, &Supposed(sizes)))
}

fn fed(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let feeds = arguments.get(0, "feeds").cloned().unwrap_or(Value::None);
    let value = arguments.get(1, "value").cloned().unwrap_or(Value::None);
    let updates = arguments.get(2, "updates").cloned().unwrap_or(Value::None);
    let trains = arguments.get(3, "trains").cloned().unwrap_or(Value::None);
    let feeds = pairs_of(interpreter, &feeds)?;
    let place = interpreter.place_in_program(arguments.span);
    interpreter.note_run(place, &feeds, Told { fetches: &value, updates: &updates, trains: &trains });
    let (value, refusals) = interpreter.as_fed(&feeds, &value);
    let mut stopped = Ok(Value::None);
    for refusal in refusals {
        let message = format!("`{}` fails in this run: {}", refusal.api, refusal.message);
        let made = InstanceData { class: Value::Library(refusal.api), arguments: Vec::new(), origin: refusal.span };
        let judged = Judged::violated(String::new(), Vec::new());
        stopped = report(interpreter, judged, Some(message), Some(&made), &arguments);
    }
    stopped.map(|_| value)
}

/// The entries of a dict, or the items of a sequence of pairs; what is no pair is left out.
fn pairs_of(interpreter: &mut Interpreter<'_>, pairs: &Value) -> Eval<Vec<(Value, Value)>> {
    if let Value::Dict(id) = interpreter.read(pairs) {
        return Ok(interpreter.heap.dict(id).map(|dict| dict.entries.clone()).unwrap_or_default());
    }
    let Iteration::Items(items) = interpreter.iterate(pairs)? else { return Ok(Vec::new()) };
    let mut found = Vec::with_capacity(items.len());
    for item in items {
        if let Iteration::Items(pair) = interpreter.iterate(&item)?
            && let [size, other] = pair.as_slice()
        {
            found.push((size.clone(), other.clone()));
        }
    }
    Ok(found)
}
