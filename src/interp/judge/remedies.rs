//! What to write in place of a call that fails: small changes of its operands and of its layer are tried, and the first one with which the
//! operation goes through is told.

use std::rc::Rc;

use crate::api::call_api::{Bound, Callee};
use crate::calls::call::CallArguments;
use crate::heap::objects::InstanceData;
use crate::judge::member_lists::class_has;
use crate::state::interpreter::Interpreter;
use crate::values::value::Value;
use harp_corpus::Span;
use harp_operations::operation::{Argument, Arguments, Judged, TensorArgument};
use harp_python::name::Name;
use harp_shape::{Constraint, DType, Dim, Outcome, Shape, work_done};

/// Tensors of a higher rank are not rearranged.
const MOST_DIMENSIONS: usize = 6;
/// Longer texts of operands are not quoted.
const LONGEST_OPERAND: usize = 40;
/// So often changes are tried at one place.
const MOST_TRIES: u32 = 4;
/// Stands for a size that is not written down.
const OPEN: i64 = -2;
/// Parameters that name the sizes of the result.
const SIZES: [&str; 3] = ["size", "shape", "newshape"];
/// Parameters that name a dimension.
const DIMENSIONS: [&str; 2] = ["dim", "axis"];

/// The call that fails.
pub(crate) struct Call<'a, 'p> {
    pub callee: Callee<'p>,
    /// What the operation got.
    pub given: &'a Arguments,
    pub bound: &'a Bound,
    /// The call as the program has it.
    pub arguments: &'a CallArguments,
    pub object: Option<&'a InstanceData>,
}

/// An operand: its parameter, how the program writes it, and whether its class has the methods that rearrange dimensions one by one, as NumPy's has
/// not.
struct Blamed<'a> {
    parameter: &'a Rc<str>,
    text: String,
    has_methods: bool,
}

/// A change of one argument, and how it is written.
struct Change {
    parameter: Rc<str>,
    argument: Argument,
    text: String,
    adds_dimension: bool,
}

impl<'p> Interpreter<'p> {
    /// For each requirement that fails or may fail, a sentence that says what to write; `None` where no small change mends it. What a place was
    /// told before is not told anew.
    pub(crate) fn remedies(&mut self, call: &Call<'_, 'p>, judged: &[Judged]) -> Vec<Option<String>> {
        let is_told = self.inference.is_some()
            || !judged.iter().any(Judged::may_fail)
            || self.trace.issues_within(call.arguments.span).next().is_some();
        if is_told || !self.has_tries_left(call.arguments.span) {
            return Vec::new();
        }
        let before = work_done();
        let remedy = |one: &Judged| if one.may_fail() { self.remedy(call, one) } else { None };
        let remedies = judged.iter().map(remedy).collect();
        self.solver_work.leave_out(before, work_done());
        remedies
    }

    /// Whether changes are still tried at a place: what may fail there and is no finding, may do so thousands of times in a deep network.
    fn has_tries_left(&mut self, place: Span) -> bool {
        let tries = self.remedies_tried.entry(place).or_default();
        *tries += 1;
        *tries <= MOST_TRIES
    }

    fn remedy(&mut self, call: &Call<'_, 'p>, judged: &Judged) -> Option<String> {
        if let Some(text) = self.its_number(call, judged) {
            return Some(text);
        }
        let changes = self.changes(call, judged);
        let fitting = changes.into_iter().find(|change| self.goes_through(call, &change.parameter, &change.argument));
        let setting = || call.object.and_then(|object| self.other_setting(object, judged));
        fitting.map(|change| change.text).or_else(setting).or_else(|| self.other_size(call, judged))
    }

    /// Who takes an item of a tensor without dimensions wants the number in it, as `loss.data[0]` was in old versions.
    fn its_number(&self, call: &Call<'_, 'p>, judged: &Judged) -> Option<String> {
        const INDEX: &str = "index";
        let takes_item = call.callee.api.as_str().ends_with(".__getitem__");
        if !takes_item || !judged.operands.iter().any(|name| **name == *INDEX) {
            return None;
        }
        let operands = judged.operands.iter().filter(|name| ***name != *INDEX);
        operands.into_iter().find_map(|name| {
            let Some(Argument::Tensor(tensor)) = call.given.get(name) else { return None };
            let is_scalar = self.solver.resolve_shape(&tensor.shape).rank() == Some(0);
            is_scalar.then(|| format!("`{}.item()` is the number in it", self.blamed(call, name).text))
        })
    }

    /// Whether the operation accepts another argument as it is, and nothing has to be taken for granted.
    fn goes_through(&mut self, call: &Call<'_, 'p>, parameter: &str, argument: &Argument) -> bool {
        let mut arguments = call.given.clone();
        arguments.push(parameter, argument.clone());
        let mark = self.solver.mark();
        let (_, judged, ..) = self.run_operation(call.callee.spec, call.callee.api, &arguments);
        self.solver.rollback(mark);
        self.solver.fixed_ranks.clear();
        judged.iter().all(|it| it.outcome == Outcome::Holds)
    }

    /// The changes that are tried, the likely ones first.
    fn changes(&self, call: &Call<'_, 'p>, judged: &Judged) -> Vec<Change> {
        let arguments = call.given;
        let mut changes = Vec::new();
        for name in &judged.operands {
            let Some(Argument::Tensor(tensor)) = arguments.get(name) else { continue };
            let Some(dims) = self.solver.resolve_shape(&tensor.shape).dims() else { continue };
            if dims.len() > MOST_DIMENSIONS {
                continue;
            }
            changes.extend(rearranged(&self.blamed(call, name), tensor, &dims));
        }
        for parameter in SIZES {
            if let (Some(Argument::Sequence(sizes)), Some(dims)) =
                (arguments.get(parameter), self.dims_of_input(call, judged))
            {
                changes.extend(other_sizes(parameter, sizes, &dims));
            }
        }
        // Where sizes are to broadcast, a dimension is missing more often than two are swapped.
        if judged.message.contains("broadcast") {
            let rank = |argument: &Argument| match argument {
                Argument::Tensor(tensor) => self.solver.resolve_shape(&tensor.shape).rank().unwrap_or(0),
                _ => 0,
            };
            let highest = judged.operands.iter().filter_map(|name| arguments.get(name)).map(rank).max().unwrap_or(0);
            let is_likely = |change: &Change| change.adds_dimension && rank(&change.argument) <= highest;
            changes.sort_by_key(|change| !is_likely(change));
        }
        let mut dimensions = Vec::new();
        for parameter in DIMENSIONS {
            let Some(Argument::Integer(now)) = arguments.get(parameter) else { continue };
            let written = |(name, _): &&(Name, Value)| call.callee.spec.argument_name(name.as_str()) == parameter;
            let written = call.bound.iter().find(written).map_or(parameter, |(name, _)| name.as_str());
            let others = (0..MOST_DIMENSIONS as i64).rev().filter(|dim| Some(*dim) != now.as_const());
            dimensions.extend(others.map(|dim| Change {
                parameter: Rc::from(parameter),
                argument: Argument::Integer(Dim::constant(dim)),
                text: format!("`{written}={dim}` fits"),
                adds_dimension: false,
            }));
        }
        dimensions.extend(changes);
        dimensions
    }

    /// An operand of which one size is another, so that it fits.
    fn other_size(&mut self, call: &Call<'_, 'p>, judged: &Judged) -> Option<String> {
        let (Constraint::Equal(one, other) | Constraint::Broadcastable(one, other)) = &judged.constraint else {
            return None;
        };
        let (one, other) = (self.solver.resolve(*one), self.solver.resolve(*other));
        for name in &judged.operands {
            let Some(Argument::Tensor(tensor)) = call.given.get(name) else { continue };
            let Some(dims) = self.solver.resolve_shape(&tensor.shape).dims() else { continue };
            for (at, size) in dims.iter().enumerate() {
                let wanted = match *size {
                    size if size == one => other,
                    size if size == other => one,
                    _ => continue,
                };
                let mut fitting = dims.clone();
                fitting[at] = wanted;
                let shape = Shape::known(fitting);
                let argument = Argument::Tensor(TensorArgument { shape: shape.clone(), dtype: tensor.dtype });
                if self.goes_through(call, name, &argument) {
                    return Some(format!(
                        "`{}` would have to be {shape}",
                        without_brackets(&self.blamed(call, name).text)
                    ));
                }
            }
        }
        None
    }

    fn dims_of_input(&self, call: &Call<'_, 'p>, judged: &Judged) -> Option<Vec<Dim>> {
        let tensor = judged.operands.iter().find_map(|name| call.given.get(name)?.as_tensor())?;
        self.solver.resolve_shape(&tensor.shape).dims()
    }

    /// An operand as the program writes it, where that is short.
    fn blamed<'n>(&self, call: &Call<'_, 'p>, parameter: &'n Rc<str>) -> Blamed<'n> {
        let is_it = |(known, _): &&(Name, Value)| call.callee.spec.argument_name(known.as_str()) == &**parameter;
        let value = call.bound.iter().rev().find(is_it).map(|(_, value)| self.read(value));
        let class = match &value {
            Some(Value::Tensor(tensor)) => tensor.kind.class_name(),
            _ => "",
        };
        let is_method = call.callee.api.as_str().strip_prefix(class).is_some_and(|rest| rest.starts_with('.'));
        let text = match value.as_ref().and_then(|value| self.argument_span(value, call.arguments)) {
            // A sequence that is unpacked stands for several operands.
            Some(_) if call.arguments.is_unpacked => "",
            Some(place) => self.source_text(place),
            None if is_method => receiver_text(self.source_text(call.arguments.span)),
            None => "",
        };
        let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '[' | ']');
        let text = match text.len() {
            1..=LONGEST_OPERAND if text.chars().all(is_plain) => text.to_owned(),
            1..=LONGEST_OPERAND if !text.contains('\n') => format!("({text})"),
            _ => parameter.to_string(),
        };
        Blamed { parameter, text, has_methods: class_has(class, "unsqueeze") != Some(false) }
    }

    /// What a layer should be made with: the parameter that states the size which is asked for, with the size that there is.
    fn other_setting(&self, object: &InstanceData, judged: &Judged) -> Option<String> {
        let Constraint::Equal(one, other) = &judged.constraint else { return None };
        let (one, other) = (self.solver.resolve(*one), self.solver.resolve(*other));
        let stated = |size: Dim| -> Option<Name> {
            let is_stated =
                |value: &Value| matches!(self.read(value), Value::Int(known) if self.solver.resolve(known) == size);
            let named: Vec<Name> =
                object.arguments.iter().filter(|(_, value)| is_stated(value)).map(|(name, _)| *name).collect();
            // Where two parameters say so, it is the one that the message names.
            let is_told = |name: &&Name| judged.message.contains(&format!("`{name}`"));
            match named[..] {
                [only] => Some(only),
                _ => named.iter().find(is_told).copied(),
            }
        };
        let (name, found) = match (stated(one), stated(other)) {
            (Some(name), None) => (name, other),
            (None, Some(name)) => (name, one),
            _ => return None,
        };
        let class = self.name_of_class(&object.class);
        let is_told = found.as_const().is_some() || !found.to_string().contains(['/', '%']);
        is_told.then(|| format!("make the `{class}` with `{name}={found}`, or give it what it was made for"))
    }
}

/// What a method is called on, in the text of the call.
fn receiver_text(call: &str) -> &str {
    let mut depth = 0_usize;
    for (at, next) in call.char_indices().rev() {
        match next {
            ')' | ']' => depth += 1,
            '(' | '[' if depth == 0 => return "",
            '(' | '[' => depth -= 1,
            '.' if depth == 0 => return &call[..at],
            _ => {}
        }
    }
    ""
}

/// A tensor in other arrangements, with what makes them.
fn rearranged(operand: &Blamed<'_>, tensor: &TensorArgument, dims: &[Dim]) -> Vec<Change> {
    let (rank, has_methods) = (dims.len(), operand.has_methods);
    let mut changes = Vec::new();
    let mut add = |dims: Vec<Dim>, dtype: DType, call: String| {
        changes.push(Change {
            parameter: Rc::clone(operand.parameter),
            adds_dimension: dims.len() > rank,
            argument: Argument::Tensor(TensorArgument { shape: Shape::known(dims), dtype }),
            text: format!("`{}{call}` fits", operand.text),
        });
    };
    for (dtype, call) in [(DType::Int64, ".long()"), (DType::Float32, ".float()")] {
        if has_methods && tensor.dtype != dtype {
            add(dims.to_vec(), dtype, call.to_owned());
        }
    }
    let dtype = tensor.dtype;
    let swap = if has_methods { "transpose" } else { "swapaxes" };
    if rank >= 2 {
        let mut turned = dims.to_vec();
        turned.swap(rank - 1, rank - 2);
        add(turned, dtype, if rank == 2 { ".T".to_owned() } else { format!(".{swap}(-2, -1)") });
    }
    if rank >= 3 {
        let mut first = dims.to_vec();
        first.swap(0, 1);
        add(first, dtype, format!(".{swap}(0, 1)"));
    }
    if rank >= 4 && has_methods {
        let mut channels = dims.to_vec();
        let last = channels.remove(rank - 1);
        channels.insert(1, last);
        let order: Vec<String> = [0, rank - 1].into_iter().chain(1..rank - 1).map(|at| at.to_string()).collect();
        add(channels, dtype, format!(".permute({})", order.join(", ")));
    }
    for (at, size) in dims.iter().enumerate() {
        if *size == Dim::ONE && rank > 1 {
            let mut less = dims.to_vec();
            less.remove(at);
            add(less, dtype, format!(".squeeze({at})"));
        }
    }
    if rank < MOST_DIMENSIONS {
        for at in (1..=rank).chain([0]) {
            let mut more = dims.to_vec();
            more.insert(at, Dim::ONE);
            let call = if has_methods { format!(".unsqueeze({at})") } else { format!("[{}None]", ":, ".repeat(at)) };
            add(more, dtype, call);
        }
    }
    if rank >= 3 && has_methods {
        let flat = dims[1..].iter().fold(Dim::ONE, |product, dim| product * *dim);
        add(vec![dims[0], flat], dtype, ".flatten(1)".to_owned());
    }
    changes
}

/// Sizes of which one is another, so that there are as many elements as the tensor has beside its first dimension.
fn other_sizes(parameter: &str, sizes: &[Argument], dims: &[Dim]) -> Vec<Change> {
    let numbers: Option<Vec<i64>> = sizes
        .iter()
        .map(|size| match size {
            Argument::Integer(dim) => Some(dim.as_const().unwrap_or(OPEN)),
            _ => None,
        })
        .collect();
    let each = dims.iter().skip(1).try_fold(1_i64, |product, dim| product.checked_mul(dim.as_const()?));
    let (Some(numbers), Some(each)) = (numbers, each) else { return Vec::new() };
    let mut changes = Vec::new();
    for (at, now) in numbers.iter().enumerate().skip(1) {
        let rest = numbers.iter().enumerate().skip(1).filter(|(other, _)| *other != at);
        let rest = rest.map(|(_, number)| *number).try_fold(1_i64, i64::checked_mul);
        let Some(size) = rest.filter(|rest| *rest > 0 && each % rest == 0).map(|rest| each / rest) else { continue };
        if *now <= 0 || size == *now {
            continue;
        }
        let mut others = sizes.to_vec();
        others[at] = Argument::Integer(Dim::constant(size));
        changes.push(Change {
            parameter: Rc::from(parameter),
            argument: Argument::Sequence(others),
            text: format!(
                "write {size} in place of {now}: that is how many elements there are for each of the first dimension"
            ),
            adds_dimension: false,
        });
    }
    changes
}

/// An expression without the brackets around all of it, unless these make it a tuple.
fn without_brackets(text: &str) -> &str {
    let Some(inner) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) else { return text };
    let mut depth = 0;
    for char in inner.chars() {
        match char {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => return text,
            _ => {}
        }
        if depth < 0 {
            return text;
        }
    }
    inner.trim()
}
