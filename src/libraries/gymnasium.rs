//! `gymnasium`: what environments observe and which actions they take, for those that the package brings along.

use crate::known_families::KnownFamilies;
use std::rc::Rc;

use crate::torch::data::dataset::plain_tensor;
use harp_annotations::ResultType;
use harp_corpus::Span;
use harp_interp::api::dispatch::argument_of;
use harp_interp::api::library_model::{FunctionHandler, MethodHandler};
use harp_interp::calls::call::CallArguments;
use harp_interp::heap::objects::{InstanceData, Payload};
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_interp::values::value::Value;
use harp_python::name::{Name, name};
use harp_shape::{DType, Dim, Shape};

const ENVIRONMENT: &str = "gymnasium.Env";
const SPACE: &str = "gymnasium.spaces.Space";
/// Keywords of `make` that leave what is observed as it is.
const HARMLESS: [&str; 4] = ["render_mode", "max_episode_steps", "disable_env_checker", "id"];

/// What there is to do in an environment.
#[derive(Clone, Copy)]
enum Actions {
    /// One of so many.
    Discrete(i64),
    /// So many numbers.
    Numbers(i64),
}

/// An environment of the package by the name without its version, the versions that are alike, how many numbers it observes, and its actions.
/// Source: the pages of the environments at gymnasium.farama.org.
const ENVIRONMENTS: [(&str, &[i64], &[i64], Actions); 13] = [
    ("CartPole", &[0, 1], &[4], Actions::Discrete(2)),
    ("MountainCar", &[0], &[2], Actions::Discrete(3)),
    ("MountainCarContinuous", &[0], &[2], Actions::Numbers(1)),
    ("Acrobot", &[1], &[6], Actions::Discrete(3)),
    ("Pendulum", &[1], &[3], Actions::Numbers(1)),
    ("LunarLander", &[2, 3], &[8], Actions::Discrete(4)),
    ("LunarLanderContinuous", &[2, 3], &[8], Actions::Numbers(2)),
    ("BipedalWalker", &[3], &[24], Actions::Numbers(4)),
    ("BipedalWalkerHardcore", &[3], &[24], Actions::Numbers(4)),
    ("CarRacing", &[2, 3], &[96, 96, 3], Actions::Numbers(3)),
    ("HalfCheetah", &[4, 5], &[17], Actions::Numbers(6)),
    ("Hopper", &[4, 5], &[11], Actions::Numbers(3)),
    ("Walker2d", &[4, 5], &[17], Actions::Numbers(6)),
];

pub fn function(name: &str) -> Option<FunctionHandler> {
    match name {
        "gymnasium.make" => Some(make),
        "gymnasium.spaces.Box" => Some(new_box),
        _ => None,
    }
}

/// `Box(low, high)` without a shape has that of its bounds.
fn new_box(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    let span = arguments.span;
    let low = arguments.get(0, "low").map(|low| interpreter.read(low));
    let has_shape = arguments.get(2, "shape").is_some_and(|shape| !shape.is_none());
    let new = interpreter.call_described(name, arguments)?;
    if let (Value::Instance(id), false) = (&new, matches!(low, Some(Value::Tensor(_)))) {
        // A number is a bound of each element.
        for name in ["low", "high"] {
            let bound = interpreter.symbolic(name, span, true);
            interpreter.heap.set_attribute(*id, Name::new(name), bound);
        }
    }
    if let (Value::Instance(id), Some(Value::Tensor(low)), false) = (&new, low, has_shape) {
        let shape = Value::Size(low.shape.clone());
        interpreter.heap.set_attribute(*id, name!("shape"), shape);
    }
    Ok(new)
}

pub fn method(name: &str) -> Option<MethodHandler> {
    Some(match name {
        "gymnasium.Env.reset" => |this, environment, arguments| {
            let observation = observation(this, environment, arguments.span);
            Ok(Value::tuple(vec![
                observation,
                this.result_value(&ResultType::Dict, Name::new(ENVIRONMENT), arguments.span),
            ]))
        },
        "gymnasium.Env.step" => |this, environment, arguments| {
            let name = Name::new(ENVIRONMENT);
            let mut results = vec![observation(this, environment, arguments.span)];
            for result in [ResultType::Float, ResultType::Bool, ResultType::Bool, ResultType::Dict] {
                results.push(this.result_value(&result, name, arguments.span));
            }
            Ok(Value::tuple(results))
        },
        _ => return None,
    })
}

fn make(interpreter: &mut Interpreter<'_>, _: Name, arguments: CallArguments) -> Eval {
    let is_plain = arguments.keywords.iter().all(|(name, _)| HARMLESS.contains(&name.as_str())) && !arguments.is_open;
    let id = arguments.get(0, "id").filter(|_| is_plain).cloned().unwrap_or(Value::Str(None));
    Ok(object(interpreter, ENVIRONMENT, vec![(name!("id"), id)], arguments.span))
}

fn object(interpreter: &mut Interpreter<'_>, class: &str, arguments: Vec<(Name, Value)>, origin: Span) -> Value {
    let data = InstanceData { class: Value::library(class), arguments, origin };
    Value::Instance(interpreter.heap.allocate(Payload::Instance(Rc::new(data))))
}

/// What an environment observes, and its actions.
fn known(interpreter: &Interpreter<'_>, environment: &Value) -> Option<(&'static [i64], Actions)> {
    let data = interpreter.instance_data(environment)?;
    let id = argument_of(&data, "id");
    let (name, version) = id.as_text()?.rsplit_once("-v")?;
    let version: i64 = version.parse().ok()?;
    let found = ENVIRONMENTS.iter().find(|(known, versions, ..)| *known == name && versions.contains(&version))?;
    Some((found.2, found.3))
}

fn observation(interpreter: &mut Interpreter<'_>, environment: &Value, span: Span) -> Value {
    match known(interpreter, environment) {
        Some((shape, _)) => plain_tensor(shape_of(shape), type_of(shape), interpreter.numpy_array(), span),
        None => interpreter.result_value(&ResultType::Unknown, name!("gymnasium.Env.step"), span),
    }
}

fn shape_of(sizes: &[i64]) -> Shape {
    Shape::known(sizes.iter().map(|size| Dim::constant(*size)).collect::<Vec<_>>())
}

/// Pictures are of bytes; MuJoCo's states are of doubles, others of floats, which no shape depends on.
fn type_of(sizes: &[i64]) -> DType {
    if sizes.len() == 3 { DType::UInt8 } else { DType::Unknown }
}

#[easy_ext::ext(GymnasiumMethods)]
pub impl Interpreter<'_> {
    /// `env.observation_space` and `env.action_space` of an environment that is known.
    fn space_of(&mut self, environment: &Value, base: Name, name: Name, span: Span) -> Option<Value> {
        if base.as_str() != ENVIRONMENT {
            return None;
        }
        let (observed, actions) = known(self, environment)?;
        let (sizes, count) = match (name.as_str(), actions) {
            ("observation_space", _) => (observed.to_vec(), None),
            ("action_space", Actions::Discrete(count)) => (Vec::new(), Some(count)),
            ("action_space", Actions::Numbers(count)) => (vec![count], None),
            _ => return None,
        };
        let sizes = sizes.into_iter().map(Value::int).collect();
        let mut members = vec![(name!("shape"), Value::tuple(sizes))];
        members.extend(count.map(|count| (name!("n"), Value::int(count))));
        let space = object(self, SPACE, Vec::new(), span);
        if let Value::Instance(id) = space {
            for (member, value) in members {
                self.heap.set_attribute(id, member, value);
            }
        }
        Some(space)
    }
}
