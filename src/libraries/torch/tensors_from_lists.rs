//! `torch.stack`, `torch.cat`, `pad_sequence` and their like on lists of which only a representative is known, as a
//! loop over batches fills them.

use crate::known_families::is_numpy_array;
use std::rc::Rc;

use harp_annotations::Entry;
use harp_interp::api::call_api::Callee;
use harp_interp::api::library_model::{FunctionHandler, MethodHandler};
use harp_interp::calls::call::CallArguments;
use harp_interp::state::interpreter::{Eval, Interpreter};
use harp_interp::values::value::{Tensor, Value};
use harp_python::name::{Name, name};
use harp_shape::{Dim, Element, Shape, Var, VarInfo, VarKind};
use harp_trace::Subject;

/// Lists within lists are followed so deep.
const DEEPEST: usize = 4;

pub fn function(name: &str) -> Option<FunctionHandler> {
    match name {
        "torch.stack" | "torch.cat" | "torch.concat" | "torch.concatenate" | "torch.tensor" | "torch.as_tensor"
        | "torch.vstack" | "numpy.stack" | "numpy.concatenate" | "numpy.vstack" => Some(gather),
        "torch.nn.utils.rnn.pad_sequence" => Some(pad),
        _ => None,
    }
}

pub fn method(name: &str) -> Option<MethodHandler> {
    (name == "torch.Tensor.new").then_some(new_of_same_type)
}

/// `tensor.new(…)` takes what the class of the tensor takes: sizes one by one, a size as a whole, or data.
fn new_of_same_type(interpreter: &mut Interpreter<'_>, tensor: &Value, mut arguments: CallArguments) -> Eval {
    let api = name!("torch.Tensor.new");
    let Some(Entry::Api(spec)) = interpreter.library_entry(api) else {
        return Ok(interpreter.symbolic("new(…)", arguments.span, true));
    };
    let size = arguments.positional.first().filter(|_| arguments.positional.len() == 1).cloned();
    let Some(shape) = size.and_then(|size| size_of(interpreter, &size)) else {
        return interpreter.call_api(Callee { spec, api }, Some(tensor.clone()), None, arguments);
    };
    arguments.positional = shape.dims().into_iter().flatten().map(Value::Int).collect();
    made_of_size(shape, interpreter.call_api(Callee { spec, api }, Some(tensor.clone()), None, arguments)?)
}

/// Calls the API as its annotation says; a list of unknown length is taken for its representative, and the axis that counts its items is open.
pub(crate) fn gather(interpreter: &mut Interpreter<'_>, name: Name, mut arguments: CallArguments) -> Eval {
    let Some(Entry::Api(spec)) = interpreter.library_entry(name) else {
        return Ok(interpreter.symbolic(&format!("{name}(…)"), arguments.span, true));
    };
    if let Some(list) = arguments.positional.first().map(|list| interpreter.read(list))
        && let Value::Alternatives(lists) = &list
        && lists.iter().any(|(_, list)| interpreter.is_filled_list(list))
    {
        return interpreter.for_each_alternative(&list, |this, list| {
            let mut arguments = arguments.clone();
            arguments.positional[0] = list;
            gather(this, name, arguments)
        });
    }
    let callee = Callee { spec, api: name };
    // What makes a tensor of a sequence takes its items for the first axis.
    let is_made = !name.as_str().ends_with("stack") && !name.as_str().contains("cat");
    let open = arguments.positional.first().and_then(|list| interpreter.open_list(list, is_made));
    let Some(open) = open else { return interpreter.call_api(callee, None, None, arguments) };
    let axis = ["dim", "axis"].into_iter().find_map(|keyword| arguments.get(1, keyword).and_then(Value::as_int));
    let axis = if is_made { open.axis } else { axis.unwrap_or(0) };
    let is_new_axis = is_made || name.as_str().ends_with(".stack");
    if is_new_axis && let Some((first, last)) = interpreter.uneven_shapes(&open.list, &open.item) {
        let message = format!("the tensors must have the same shape, but the first is {first} and the last {last}");
        if interpreter.exceptions.caught == 0 && interpreter.fails_on_every_way(arguments.span) {
            interpreter.fails_always(Subject::Operands, name.as_str(), message, None, arguments.span);
        }
    }
    if !is_made {
        interpreter.state_items(&open.list, &arguments);
    }
    // Items of which nothing is known have sizes of their own, so that together they are no multiple of one.
    let is_known = is_new_axis || matches!(interpreter.read(&open.item), Value::Tensor(_));
    let length = open.length.filter(|_| is_known);
    arguments.positional[0] = open.example;
    let gathered = interpreter.call_api(callee, None, None, arguments)?;
    let within = if is_made { interpreter.lengths_within(&open.item) } else { Vec::new() };
    interpreter.for_each_alternative(&gathered, |this, gathered| {
        let gathered = with_inner_lengths(this, &gathered, open.axis, &within);
        Ok(with_open_axis(this, &gathered, axis, length, (&open.list, is_new_axis)))
    })
}

/// The lengths of lists within lists behind the axis that counts the outermost.
fn with_inner_lengths(interpreter: &Interpreter<'_>, gathered: &Value, axis: i64, lengths: &[Dim]) -> Value {
    let Value::Tensor(tensor) = gathered else { return gathered.clone() };
    let mut elements = interpreter.solver.resolve_shape(&tensor.shape).elements().to_vec();
    let behind = usize::try_from(axis + 1).unwrap_or(0);
    for (element, length) in elements.iter_mut().skip(behind).zip(lengths) {
        let Element::Dim(_) = element else { break };
        *element = Element::Dim(*length);
    }
    Value::Tensor(Rc::new(Tensor { shape: Shape::new(elements), ..Tensor::clone(tensor) }))
}

/// `pad_sequence(sequences, batch_first=False)` of a list of unknown length: the longest of its items is as long as nobody knows, unless they have
/// one length by what the program says.
fn pad(interpreter: &mut Interpreter<'_>, name: Name, arguments: CallArguments) -> Eval {
    crate::torch::nn::packed_sequences::for_each_first(interpreter, "sequences", arguments, |this, arguments| {
        let Some(Entry::Api(spec)) = this.library_entry(name) else {
            return Ok(this.symbolic(&format!("{name}(…)"), arguments.span, true));
        };
        let callee = Callee { spec, api: name };
        let batch_first = match arguments.get(1, "batch_first").map(|value| this.read(value)) {
            None => Some(false),
            Some(Value::Bool(is_first)) => Some(is_first),
            Some(_) => None,
        };
        let open = arguments.get(0, "sequences").cloned().and_then(|list| this.open_list(&list, false));
        let (Some(batch_first), Some(open)) = (batch_first, open) else {
            return this.call_api(callee, None, None, arguments);
        };
        this.state_items(&open.list, &arguments);
        let first = Value::Bool(batch_first);
        let own = CallArguments::positional(vec![open.example, first], arguments.span);
        let padded = this.call_api(callee, None, None, own)?;
        let (batch, time) = if batch_first { (0, 1) } else { (1, 0) };
        this.for_each_alternative(&padded, |this, padded| {
            let padded = with_open_axis(this, &padded, batch, open.length, (&open.list, true));
            Ok(with_longest(this, padded, time))
        })
    })
}

/// The greatest of the sizes along an axis for the one that stands for all of them.
fn with_longest(interpreter: &Interpreter<'_>, padded: Value, axis: usize) -> Value {
    let Value::Tensor(tensor) = &padded else { return padded };
    let mut elements = interpreter.solver.resolve_shape(&tensor.shape).elements().to_vec();
    let Some(Element::Dim(one)) = elements.get_mut(axis) else { return padded };
    let vars = one.vars();
    if vars.iter().all(|var| var.kind() == VarKind::Config) {
        return padded;
    }
    let source = vars.first().and_then(|var| var.source());
    *one = Dim::var(Var::fresh(VarInfo::varying("longest").counted_in(source)));
    Value::Tensor(Rc::new(Tensor { shape: Shape::new(elements), ..Tensor::clone(tensor) }))
}

/// How a tensor class is called where its annotation does not say it: with a size, or a list of unknown length.
pub fn tensor_constructor(
    interpreter: &Interpreter<'_>,
    class: Name,
    arguments: &CallArguments,
) -> Option<FunctionHandler> {
    let [data] = arguments.positional.as_slice() else { return None };
    let is_size = size_of(interpreter, data).is_some();
    if !is_size && !interpreter.is_filled_list(data) && !interpreter.has_filled_lists(data) {
        return None;
    }
    let is_tensor = interpreter.ancestors(class).iter().any(|ancestor| ancestor.as_str() == "torch.Tensor");
    is_tensor.then_some(if is_size { of_size } else { of_filled_list })
}

/// `torch.FloatTensor(x.size())`: a size is no data.
fn of_size(interpreter: &mut Interpreter<'_>, class: Name, mut arguments: CallArguments) -> Eval {
    let size = arguments.positional.pop().unwrap_or(Value::None);
    let shape = size_of(interpreter, &size).unwrap_or_else(|| Shape::unknown("s"));
    arguments.positional = shape.dims().into_iter().flatten().map(Value::Int).collect();
    made_of_size(shape, construct(interpreter, class, arguments)?)
}

/// The shape that a value is the size of, where it may be one.
fn size_of(interpreter: &Interpreter<'_>, value: &Value) -> Option<Shape> {
    match interpreter.read(value) {
        Value::Size(shape) => Some(interpreter.solver.resolve_shape(&shape)),
        Value::Tuple(items) => match interpreter.is_size(&items) {
            Some(true) => {
                let dim =
                    |item: &Value| item.as_dim().unwrap_or_else(|| Dim::var(Var::fresh(VarInfo::counted("size"))));
                Some(Shape::known(items.iter().map(dim).collect::<Vec<_>>()))
            }
            Some(false) => None,
            // Whether the tuple is a size is not known any more.
            None => Some(Shape::unknown("s")),
        },
        // `torch.Tensor(np.prod(shape))`: one of NumPy's numbers is a whole number like any other.
        Value::Tensor(tensor)
            if is_numpy_array(&tensor)
                && !tensor.dtype.is_floating()
                && interpreter.solver.resolve_shape(&tensor.shape).rank() == Some(0) =>
        {
            Some(Shape::known(vec![Dim::var(Var::fresh(VarInfo::counted("size")))]))
        }
        _ => None,
    }
}

/// Sizes may be more than their number tells.
fn made_of_size(shape: Shape, made: Value) -> Eval {
    Ok(match made {
        Value::Tensor(tensor) => Value::Tensor(Rc::new(Tensor { shape, ..Tensor::clone(&tensor) })),
        made => made,
    })
}

fn of_filled_list(interpreter: &mut Interpreter<'_>, class: Name, mut arguments: CallArguments) -> Eval {
    let Some(open) = arguments.positional.first().and_then(|list| interpreter.open_list(list, true)) else {
        return construct(interpreter, class, arguments);
    };
    arguments.positional = vec![open.example];
    let made = construct(interpreter, class, arguments)?;
    let within = interpreter.lengths_within(&open.item);
    let made = with_inner_lengths(interpreter, &made, open.axis, &within);
    Ok(with_open_axis(interpreter, &made, open.axis, open.length, (&open.list, true)))
}

fn construct(interpreter: &mut Interpreter<'_>, class: Name, arguments: CallArguments) -> Eval {
    match interpreter.library_class(class) {
        Some(spec) => interpreter.construct_library(spec, class, arguments),
        None => Ok(interpreter.symbolic(&format!("{class}(…)"), arguments.span, true)),
    }
}

/// One item for a list whose length is not known.
fn representative(interpreter: &mut Interpreter<'_>, list: &Value) -> Option<Value> {
    let Value::List(id) = interpreter.read(list) else { return None };
    let data = interpreter.heap.list(id)?.clone();
    let rest = data.rest.clone()?;
    let mut all = data.items.clone();
    all.push(rest);
    Some(interpreter.widen(&all))
}

/// A list of unknown length, or a list of such lists.
pub struct OpenList {
    /// The same with one item in place of each list of unknown length.
    example: Value,
    /// The representative of its items.
    item: Value,
    /// The list of unknown length.
    list: Value,
    /// The axis that counts its items.
    axis: i64,
    length: Option<Dim>,
}

#[easy_ext::ext(TensorsFromListsMethods)]
pub impl Interpreter<'_> {
    fn open_list(&mut self, list: &Value, is_nested: bool) -> Option<OpenList> {
        if let Some(item) = representative(self, list) {
            let shown = if is_nested { self.one_item_each(&item, DEEPEST) } else { item.clone() };
            let example = Value::List(self.heap.allocate_list(vec![shown]));
            let length =
                self.length_of_filled(list).or_else(|| self.length_of_open(list)).or_else(|| self.rounds_of(list));
            return Some(OpenList { example, item, list: list.clone(), axis: 0, length });
        }
        if !is_nested || !self.has_filled_lists(list) {
            return None;
        }
        let Value::List(id) = self.read(list) else { return None };
        let lists = self.heap.list(id)?.items.clone();
        let mut examples = Vec::with_capacity(lists.len());
        for list in &lists {
            let item = representative(self, list)?;
            examples.push(Value::List(self.heap.allocate_list(vec![item])));
        }
        let example = Value::List(self.heap.allocate_list(examples));
        let length = lists.iter().find_map(|list| self.length_of_open(list));
        Some(OpenList { example, item: Value::None, list: lists.first()?.clone(), axis: 1, length })
    }

    /// An item with one item in place of each list of unknown length in it.
    fn one_item_each(&mut self, item: &Value, depth: usize) -> Value {
        match representative(self, item) {
            Some(inner) if depth > 0 => {
                let inner = self.one_item_each(&inner, depth - 1);
                Value::List(self.heap.allocate_list(vec![inner]))
            }
            _ => item.clone(),
        }
    }

    /// The lengths of the lists of unknown length that an item is and has, from the outside. Lists that become one tensor
    /// share a length at each depth.
    fn lengths_within(&mut self, item: &Value) -> Vec<Dim> {
        let (mut lengths, mut item) = (Vec::new(), item.clone());
        while let Some(inner) = representative(self, &item).filter(|_| lengths.len() < DEEPEST) {
            let known = self.length_of_open(&item).map(|length| self.solver.resolve(length));
            let length = known.filter(|length| length.as_const().is_some());
            lengths.push(length.unwrap_or_else(|| self.free_dim("length", 0)));
            item = inner;
        }
        lengths
    }

    /// Whether a value is a list of lists, of all of which only a representative is known.
    fn has_filled_lists(&self, value: &Value) -> bool {
        let Value::List(id) = self.read(value) else { return false };
        self.heap.list(id).is_some_and(|data| {
            let is_small = data.rest.is_none() && (1..=64).contains(&data.items.len());
            is_small && data.items.iter().all(|item| self.is_filled_list(item))
        })
    }

    /// Whether a value is a list of which only a representative is known.
    fn is_filled_list(&self, value: &Value) -> bool {
        let Value::List(id) = self.read(value) else { return false };
        self.heap.list(id).is_some_and(|data| data.rest.is_some())
    }
}

fn with_open_axis(
    interpreter: &mut Interpreter<'_>,
    gathered: &Value,
    axis: i64,
    length: Option<Dim>,
    (list, is_new_axis): (&Value, bool),
) -> Value {
    let Value::Tensor(tensor) = gathered else { return gathered.clone() };
    let shape = interpreter.solver.resolve_shape(&tensor.shape);
    let mut elements = shape.elements().to_vec();
    let count = elements.len() as i64;
    let position = usize::try_from(if axis < 0 { axis + count } else { axis }).ok();
    let open = interpreter.free_dim("n", 0);
    let one = match position.and_then(|position| elements.get(position)) {
        Some(Element::Dim(one)) => Some(*one),
        _ => None,
    };
    let joined = one.filter(|_| !is_new_axis).and_then(|one| interpreter.joined_size(list, axis, one));
    match position.and_then(|position| elements.get_mut(position)) {
        Some(element) if let Element::Dim(one) = *element => {
            // Items of different sizes are not as many rows each.
            let length = length.filter(|_| is_new_axis || joined.is_some() || !interpreter.is_pass(list));
            if length.is_none() && joined.is_none() {
                interpreter.note_length_of_open(list, open);
            }
            *element = Element::Dim(joined.or(length.map(|length| length * one)).unwrap_or(open));
        }
        _ => return gathered.clone(),
    }
    Value::Tensor(Rc::new(Tensor { shape: Shape::new(elements), ..Tensor::clone(tensor) }))
}
