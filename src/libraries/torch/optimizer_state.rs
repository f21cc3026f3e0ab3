//! The states of PyTorch's optimizers: what they keep of each parameter, by its number, and the settings of each group
//! of parameters.

use crate::known_families::KnownFamilies;
use std::rc::Rc;

use crate::torch::data::dataset::plain_tensor;
use harp_interp::api::dispatch::argument_of;
use harp_interp::api::library_model::MethodHandler;
use harp_interp::calls::call::CallArguments;
use harp_interp::heap::objects::{DictData, ListData, Payload};
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_interp::values::value::{Iteration, Value};
use harp_python::name::{Name, name};
use harp_shape::{DType, Shape};

/// Optimizers that keep lists and numbers besides tensors.
const WITH_LISTS: &str = "torch.optim.LBFGS";
const OPTIMIZER: &str = "torch.optim.Optimizer";
/// Of more parameters an optimizer's step is not followed one by one.
const MOST_PARAMETERS: usize = 64;

pub fn method(name: &str) -> Option<MethodHandler> {
    (name == "torch.optim.Optimizer.state_dict").then_some(state_dict)
}

fn state_dict(interpreter: &mut Interpreter<'_>, optimizer: &Value, arguments: CallArguments) -> Eval {
    let class = interpreter.class_of(optimizer);
    let bases = interpreter.library_bases(&class, None);
    let keeps_tensors = !bases.contains(&Name::new(WITH_LISTS));
    let kept = if keeps_tensors {
        plain_tensor(Shape::unknown("state"), DType::Unknown, interpreter.torch_tensor(), arguments.span)
    } else {
        interpreter.symbolic("state of an optimizer", arguments.span, true)
    };
    let setting = interpreter.symbolic("setting of an optimizer", arguments.span, true);
    let number = interpreter.any_integer("parameter");
    let of_parameter = open_dict(interpreter, Value::Str(None), kept);
    let state = open_dict(interpreter, number, of_parameter);
    let group = open_dict(interpreter, Value::Str(None), setting);
    let groups = ListData { items: Vec::new(), rest: Some(group) };
    let groups = Value::List(interpreter.heap.allocate(Payload::List(Rc::new(groups))));
    let entries = vec![(Value::str("state"), state), (Value::str("param_groups"), groups)];
    Ok(Value::Dict(interpreter.heap.allocate_dict(entries)))
}

/// A dictionary of which a representative is known.
fn open_dict(interpreter: &mut Interpreter<'_>, key: Value, value: Value) -> Value {
    let data = DictData::new(Vec::new(), Some((key, value)));
    Value::Dict(interpreter.heap.allocate(Payload::Dict(Rc::new(data))))
}

#[easy_ext::ext(OptimizerStateMethods)]
pub impl Interpreter<'_> {
    /// What the base class makes of the arguments of an optimizer of the program's own: its groups of parameters, and what it keeps of each.
    fn part_of_optimizer(&mut self, optimizer: &Value, base: Name, name: Name) -> Option<Value> {
        if base.as_str() != OPTIMIZER || !matches!(self.class_of(optimizer), Value::Class(_)) {
            return None;
        }
        match name.as_str() {
            "param_groups" => self.groups_of_parameters(optimizer),
            "state" => {
                let state = self.heap.allocate_dict(Vec::new());
                self.heap.set_attribute(state, name!("default_factory"), Value::library("builtins.dict"));
                Some(Value::Dict(state))
            }
            _ => None,
        }
    }

    fn groups_of_parameters(&mut self, optimizer: &Value) -> Option<Value> {
        let data = self.instance_data(optimizer)?;
        let given = self.items_given(&argument_of(&data, "params"))?;
        let defaults = match self.read(&argument_of(&data, "defaults")) {
            Value::Dict(id) => self.heap.dict(id).filter(|data| data.rest.is_none())?.entries.clone(),
            _ => return None,
        };
        let key = Value::str("params");
        let mut count = 0;
        let mut groups = Vec::new();
        if matches!(given.first()?, Value::Dict(_)) {
            for group in given {
                let Value::Dict(id) = group else { return None };
                let mut entries = self.heap.dict(id).filter(|data| data.rest.is_none())?.entries.clone();
                let place = entries.iter().position(|(known, _)| known.same(&key))?;
                let parameters = match self.read(&entries[place].1) {
                    parameter @ Value::Tensor(_) => vec![parameter],
                    several => self.items_given(&several)?,
                };
                count += parameters.len();
                entries[place].1 = Value::List(self.heap.allocate_list(parameters));
                groups.push(entries);
            }
        } else {
            count = given.len();
            groups.push(vec![(key, Value::List(self.heap.allocate_list(given)))]);
        }
        if count > MOST_PARAMETERS {
            return None;
        }
        let mut made = Vec::with_capacity(groups.len());
        for mut entries in groups {
            let missing = defaults.iter().filter(|(key, _)| !entries.iter().any(|(known, _)| known.same(key)));
            let missing: Vec<(Value, Value)> = missing.cloned().collect();
            entries.extend(missing);
            made.push(Value::Dict(self.heap.allocate_dict(entries)));
        }
        Some(Value::List(self.heap.allocate_list(made)))
    }

    /// The items of an argument, read; `None` where they are not all known.
    fn items_given(&mut self, value: &Value) -> Option<Vec<Value>> {
        match self.iterate(value).ok()? {
            Iteration::Items(items) => Some(items.iter().map(|item| self.read(item)).collect()),
            _ => None,
        }
    }
}
