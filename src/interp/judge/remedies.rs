//! What to write in place of a call that fails: small changes of its operands and of its layer are tried, and the first one with which the
//! operation goes through is told.

use std::rc::Rc;

use crate::api::call_api::{Bound, Callee};
use crate::calls::call::CallArguments;
use crate::heap::objects::InstanceData;
use crate::state::interpreter::Interpreter;
use crate::values::value::Value;
use harp_operations::operation::{Argument, Arguments, Judged, TensorArgument};
use harp_python::name::Name;
use harp_shape::{Constraint, DType, Dim, Outcome, Shape, work_done};

/// Tensors of a higher rank are not rearranged.
const MOST_DIMENSIONS: usize = 6;
/// Longer texts of operands are not quoted.
const LONGEST_OPERAND: usize = 40;
/// Stands for a size that is not written down.
const OPEN: i64 = -2;
/// Parameters that name the sizes of the result.
const SIZES: [&str; 3] = ["size", "shape", "newshape"];
/// Parameters that name a dimension.
const DIMENSIONS: [&str; 2] = ["dim", "axis"];

/// The call as the program has it.
pub(crate) struct Call<'a> {
    pub bound: &'a Bound,
    pub arguments: &'a CallArguments,
    pub object: Option<&'a InstanceData>,
}

/// A change of one argument, and how it is written.
struct Change {
    parameter: Rc<str>,
    argument: Argument,
    text: String,
}

impl<'p> Interpreter<'p> {
    /// For each requirement that fails or may fail, a sentence that says what to write; `None` where no small change mends it. What a place was
    /// told before is not told anew.
    pub(crate) fn remedies(
        &mut self,
        callee: Callee<'p>,
        arguments: &Arguments,
        call: &Call<'_>,
        judged: &[Judged],
    ) -> Vec<Option<String>> {
        let is_told = self.inference.is_some()
            || !judged.iter().any(Judged::may_fail)
            || self.trace.issues_within(call.arguments.span).next().is_some();
        if is_told {
            return Vec::new();
        }
        let before = work_done();
        let remedies = judged
            .iter()
            .map(|one| if one.may_fail() { self.remedy(callee, arguments, call, one) } else { None })
            .collect();
        self.solver_work.leave_out(before, work_done());
        remedies
    }

    fn remedy(
        &mut self,
        callee: Callee<'p>,
        arguments: &Arguments,
        call: &Call<'_>,
        judged: &Judged,
    ) -> Option<String> {
        for change in self.changes(call, arguments, judged) {
            let mut others = arguments.clone();
            others.push(&change.parameter, change.argument);
            if self.goes_through(callee, &others) {
                return Some(change.text);
            }
        }
        let setting = call.object.and_then(|object| self.other_setting(object, judged));
        setting.or_else(|| self.other_size(callee, arguments, call, judged))
    }

    /// Whether an operation accepts these arguments as they are, and nothing has to be taken for granted.
    fn goes_through(&mut self, Callee { spec, api }: Callee<'p>, arguments: &Arguments) -> bool {
        let mark = self.solver.mark();
        let (_, judged, ..) = self.run_operation(spec, api, arguments);
        self.solver.rollback(mark);
        self.solver.fixed_ranks.clear();
        judged.iter().all(|it| it.outcome == Outcome::Holds)
    }

    /// The changes that are tried, the likely ones first.
    fn changes(&mut self, call: &Call<'_>, arguments: &Arguments, judged: &Judged) -> Vec<Change> {
        let mut changes = Vec::new();
        for name in &judged.operands {
            let Some(Argument::Tensor(tensor)) = arguments.get(name) else { continue };
            let Some(dims) = self.solver.resolve_shape(&tensor.shape).dims() else { continue };
            if dims.len() > MOST_DIMENSIONS {
                continue;
            }
            let subject = self.operand_text(call, name);
            changes.extend(rearranged(name, &subject, tensor, &dims));
        }
        for parameter in SIZES {
            if let (Some(Argument::Sequence(sizes)), Some(dims)) =
                (arguments.get(parameter), self.dims_of_input(arguments, judged))
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
            let is_likely = |change: &Change| change.text.contains(".unsqueeze(") && rank(&change.argument) <= highest;
            changes.sort_by_key(|change| !is_likely(change));
        }
        let mut dimensions = Vec::new();
        for parameter in DIMENSIONS {
            let Some(Argument::Integer(now)) = arguments.get(parameter) else { continue };
            let others = (0..MOST_DIMENSIONS as i64).rev().filter(|dim| Some(*dim) != now.as_const());
            dimensions.extend(others.map(|dim| Change {
                parameter: Rc::from(parameter),
                argument: Argument::Integer(Dim::constant(dim)),
                text: format!("`{parameter}={dim}` fits"),
            }));
        }
        dimensions.extend(changes);
        dimensions
    }

    /// An operand of which one size is another, so that it fits.
    fn other_size(
        &mut self,
        callee: Callee<'p>,
        arguments: &Arguments,
        call: &Call<'_>,
        judged: &Judged,
    ) -> Option<String> {
        let (Constraint::Equal(one, other) | Constraint::Broadcastable(one, other)) = &judged.constraint else {
            return None;
        };
        let (one, other) = (self.solver.resolve(*one), self.solver.resolve(*other));
        for name in &judged.operands {
            let Some(Argument::Tensor(tensor)) = arguments.get(name) else { continue };
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
                let mut others = arguments.clone();
                others.push(name, Argument::Tensor(TensorArgument { shape: shape.clone(), dtype: tensor.dtype }));
                if self.goes_through(callee, &others) {
                    let subject = self.operand_text(call, name);
                    return Some(format!("`{subject}` fits as {shape}"));
                }
            }
        }
        None
    }

    fn dims_of_input(&self, arguments: &Arguments, judged: &Judged) -> Option<Vec<Dim>> {
        let tensor = judged.operands.iter().find_map(|name| match arguments.get(name)? {
            Argument::Tensor(tensor) => Some(tensor),
            _ => None,
        })?;
        self.solver.resolve_shape(&tensor.shape).dims()
    }

    /// An operand as the program writes it, where that is short.
    fn operand_text(&self, call: &Call<'_>, name: &str) -> String {
        let value = call.bound.iter().rev().find(|(known, _)| known.as_str() == name).map(|(_, value)| value);
        let place = value.and_then(|value| self.argument_span(value, call.arguments));
        let text = match place {
            Some(place) => self.source_text(place),
            None => receiver_text(self.source_text(call.arguments.span)),
        };
        let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '[' | ']');
        match text.len() {
            1..=LONGEST_OPERAND if text.chars().all(is_plain) => text.to_owned(),
            1..=LONGEST_OPERAND if !text.contains('\n') => format!("({text})"),
            _ => name.to_owned(),
        }
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
fn rearranged(name: &Rc<str>, subject: &str, tensor: &TensorArgument, dims: &[Dim]) -> Vec<Change> {
    let rank = dims.len();
    let mut changes = Vec::new();
    for (dtype, call) in [(DType::Int64, ".long()"), (DType::Float32, ".float()")] {
        if tensor.dtype != dtype {
            let argument = Argument::Tensor(TensorArgument { shape: Shape::known(dims.to_vec()), dtype });
            changes.push(Change { parameter: Rc::clone(name), argument, text: format!("`{subject}{call}` fits") });
        }
    }
    let mut add = |dims: Vec<Dim>, call: String| {
        let argument = Argument::Tensor(TensorArgument { shape: Shape::known(dims), dtype: tensor.dtype });
        changes.push(Change { parameter: Rc::clone(name), argument, text: format!("`{subject}{call}` fits") });
    };
    if rank >= 2 {
        let mut turned = dims.to_vec();
        turned.swap(rank - 1, rank - 2);
        add(turned, if rank == 2 { ".T".to_owned() } else { ".transpose(-2, -1)".to_owned() });
    }
    if rank >= 3 {
        let mut first = dims.to_vec();
        first.swap(0, 1);
        add(first, ".transpose(0, 1)".to_owned());
    }
    if rank >= 4 {
        let mut channels = dims.to_vec();
        let last = channels.remove(rank - 1);
        channels.insert(1, last);
        let order: Vec<String> = [0, rank - 1].into_iter().chain(1..rank - 1).map(|at| at.to_string()).collect();
        add(channels, format!(".permute({})", order.join(", ")));
    }
    for (at, size) in dims.iter().enumerate() {
        if *size == Dim::ONE && rank > 1 {
            let mut less = dims.to_vec();
            less.remove(at);
            add(less, format!(".squeeze({at})"));
        }
    }
    if rank < MOST_DIMENSIONS {
        for at in (1..=rank).chain([0]) {
            let mut more = dims.to_vec();
            more.insert(at, Dim::ONE);
            add(more, format!(".unsqueeze({at})"));
        }
    }
    if rank >= 3 {
        let flat = dims[1..].iter().fold(Dim::ONE, |product, dim| product * *dim);
        add(vec![dims[0], flat], ".flatten(1)".to_owned());
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
        });
    }
    changes
}
