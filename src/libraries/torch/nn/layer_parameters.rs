//! Parameters of PyTorch's layers that have as many as their settings say: recurrent layers, and layers that are made
//! of others.

use crate::known_families::KnownFamilies;
use crate::methods::*;
use std::rc::Rc;

use harp_corpus::Span;
use harp_interp::api::dispatch::argument_of;
use harp_interp::heap::objects::InstanceData;
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_interp::values::value::{Device, OperationId, Tensor, Value};
use harp_python::name::Name;
use harp_shape::{Dim, Shape};
use harp_trace::assumption::AssumptionSet;

/// Recurrent layers of more layers are not followed.
const MOST_LAYERS: i64 = 16;

/// The parts of a recurrent layer's weights, in the order of PyTorch.
const PARTS: [&str; 5] = ["weight_ih", "weight_hh", "bias_ih", "bias_hh", "weight_hr"];

/// A weight of a recurrent layer: which part it is, of which layer, and whether of the way back.
struct Place<'a> {
    part: &'a str,
    layer: i64,
    is_reverse: bool,
}

impl<'a> Place<'a> {
    /// What `weight_ih_l0_reverse` names.
    fn of(name: &'a str) -> Option<Place<'a>> {
        let (name, is_reverse) = match name.strip_suffix("_reverse") {
            Some(name) => (name, true),
            None => (name, false),
        };
        let (part, layer) = name.rsplit_once("_l")?;
        let is_number = layer.bytes().all(|byte| byte.is_ascii_digit());
        let layer = layer.parse().ok().filter(|_| is_number && PARTS.contains(&part))?;
        Some(Place { part, layer, is_reverse })
    }
}

/// What decides the sizes of a recurrent layer's weights.
struct Recurrent {
    /// How many gates share a weight.
    gates: Dim,
    input: Dim,
    hidden: Dim,
    /// The size of the output, which is smaller than the hidden one where there is a projection.
    output: Dim,
    layers: i64,
    has_bias: bool,
    directions: i64,
    has_projection: bool,
}

/// How many gates share a weight of a recurrent layer; none of other layers.
fn gates_of(layer: &str) -> Option<i64> {
    Some(match layer {
        "torch.nn.RNN" => 1,
        "torch.nn.GRU" => 3,
        "torch.nn.LSTM" => 4,
        _ => return None,
    })
}

impl Recurrent {
    /// The settings of a layer, where they are known as far as it has to be known which weights there are.
    fn of(interpreter: &Interpreter<'_>, layer: &str, data: &InstanceData) -> Option<Recurrent> {
        let gates = gates_of(layer)?;
        let dim = |name: &str| interpreter.read(&argument_of(data, name)).as_dim();
        let flag = |name: &str| match interpreter.read(&argument_of(data, name)) {
            Value::Bool(flag) => Some(flag),
            Value::Int(number) => number.as_const().map(|number| number != 0),
            _ => None,
        };
        let resolved = |name: &str| dim(name).map(|dim| interpreter.solver.resolve(dim));
        let hidden = resolved("hidden_size")?;
        let projection = match layer {
            "torch.nn.LSTM" => resolved("proj_size")?.as_const()?,
            _ => 0,
        };
        Some(Recurrent {
            gates: Dim::constant(gates),
            input: resolved("input_size")?,
            hidden,
            output: if projection > 0 { Dim::constant(projection) } else { hidden },
            layers: resolved("num_layers")?.as_const().filter(|layers| (1..=MOST_LAYERS).contains(layers))?,
            has_bias: flag("bias")?,
            directions: 1 + i64::from(flag("bidirectional")?),
            has_projection: projection > 0,
        })
    }

    /// The sizes of a weight; none where the layer has no such weight.
    fn dims(&self, place: &Place<'_>) -> Option<Vec<Dim>> {
        let is_there = (0..self.layers).contains(&place.layer) && (!place.is_reverse || self.directions == 2);
        let rows = self.gates * self.hidden;
        let input = if place.layer == 0 { self.input } else { Dim::constant(self.directions) * self.output };
        let dims = match place.part {
            "weight_ih" => vec![rows, input],
            "weight_hh" => vec![rows, self.output],
            "weight_hr" if self.has_projection => vec![self.output, self.hidden],
            "bias_ih" | "bias_hh" if self.has_bias => vec![rows],
            _ => return None,
        };
        is_there.then_some(dims)
    }

    fn names(&self) -> Vec<Name> {
        let mut names = Vec::new();
        for layer in 0..self.layers {
            for suffix in ["", "_reverse"].into_iter().take(usize::from(self.directions == 2) + 1) {
                for part in PARTS {
                    let place = Place { part, layer, is_reverse: !suffix.is_empty() };
                    if self.dims(&place).is_some() {
                        names.push(Name::new(&format!("{part}_l{layer}{suffix}")));
                    }
                }
            }
        }
        names
    }
}

/// The names of all parameters that a recurrent layer or cell has itself; none where these are not known.
pub(crate) fn recurrent_names(interpreter: &Interpreter<'_>, layer: &str, module: &Value) -> Option<Vec<Name>> {
    if let "torch.nn.RNNCell" | "torch.nn.LSTMCell" | "torch.nn.GRUCell" = layer {
        return Some(PARTS[..4].iter().map(|part| Name::new(part)).collect());
    }
    let data = interpreter.instance_data(module)?;
    Some(Recurrent::of(interpreter, layer, &data)?.names())
}

/// The layers that a layer is made of, and its own parameters, in the order of PyTorch; none of a layer that is made otherwise.
pub(crate) fn parts_of(
    interpreter: &Interpreter<'_>,
    layer: &str,
    module: &Value,
) -> Option<(&'static [&'static str], &'static [&'static str])> {
    let is_plain = |names: &[&str]| {
        interpreter.instance_data(module).is_some_and(|data| {
            names
                .iter()
                .all(|name| matches!(interpreter.read(&argument_of(&data, name)), Value::None | Value::Bool(false)))
        })
    };
    match layer {
        "torch.nn.MultiheadAttention" if is_plain(&["add_bias_kv", "kdim", "vdim"]) => {
            Some((&["out_proj"], &["in_proj_weight", "in_proj_bias"]))
        }
        "torch.nn.TransformerEncoderLayer" => Some((&["self_attn", "linear1", "linear2", "norm1", "norm2"], &[])),
        "torch.nn.TransformerDecoderLayer" => {
            Some((&["self_attn", "multihead_attn", "linear1", "linear2", "norm1", "norm2", "norm3"], &[]))
        }
        "torch.nn.TransformerEncoder" | "torch.nn.TransformerDecoder" if is_plain(&["norm"]) => {
            Some((&["layers"], &[]))
        }
        _ => None,
    }
}

#[easy_ext::ext(LayerParametersMethods)]
pub impl Interpreter<'_> {
    /// Asks a layer that is made of others for these, so that they are there.
    fn make_parts(&mut self, module: &Value, parts: &[&str], span: Span) -> Eval<bool> {
        let Value::Instance(id) = module else { return Ok(false) };
        let mut has_made = false;
        for part in parts {
            let name = Name::new(part);
            if self.heap.attribute(*id, name).is_none() {
                self.get_attribute(module, name, span)?;
                has_made |= self.heap.attribute(*id, name).is_some();
            }
        }
        Ok(has_made)
    }

    /// The weights of a recurrent layer, those of each layer and direction in a list.
    fn all_weights(&mut self, module: &Value, base: Name, span: Span) -> Option<Value> {
        let data = self.instance_data(module)?;
        let mut rows: Vec<(String, Vec<Value>)> = Vec::new();
        for name in Recurrent::of(self, base.as_str(), &data)?.names() {
            let row = name.as_str().rsplit_once("_l").map(|(_, row)| row.to_owned()).unwrap_or_default();
            let weight = self.get_attribute(module, name, span).ok()?;
            match rows.last_mut() {
                Some((known, weights)) if *known == row => weights.push(weight),
                _ => rows.push((row, vec![weight])),
            }
        }
        let rows = rows.into_iter().map(|(_, weights)| Value::List(self.heap.allocate_list(weights))).collect();
        Some(Value::List(self.heap.allocate_list(rows)))
    }

    /// A weight of a recurrent layer by its name, whatever the layer and direction.
    fn recurrent_weight(&mut self, module: &Value, base: Name, name: Name, span: Span) -> Option<Value> {
        if name.as_str() == "all_weights" {
            return self.all_weights(module, base, span);
        }
        let place = Place::of(name.as_str())?;
        let data = self.instance_data(module)?;
        let Value::Instance(id) = module else { return None };
        let Some(recurrent) = Recurrent::of(self, base.as_str(), &data) else {
            // Those of the first layer are there whatever its settings.
            let is_sure =
                place.layer == 0 && !place.is_reverse && place.part.starts_with("weight_") && place.part != "weight_hr";
            return (gates_of(base.as_str()).is_some() && !is_sure)
                .then_some(Value::Unknown("weight of a layer whose settings are not known"));
        };
        let dims = recurrent.dims(&place)?;
        let dtype = self.weight_type(*id, &data);
        Some(Value::Tensor(Rc::new(Tensor {
            shape: Shape::known(dims),
            dtype,
            kind: self.torch_tensor().trained(),
            device: Device::Unknown,
            operation: OperationId::NONE,
            part: 0,
            origin: data.origin,
            assumptions: AssumptionSet::default(),
            name: Some(name),
            elements: None,
        })))
    }
}
