//! The memory layout of tensors, where it is known for certain: `view` needs it.
//!
//! The strides of a tensor are known where it was made contiguous, and follow from there through transpositions, slices and operations that
//! keep them. Parameters and inputs may lie in memory otherwise, and have no strides here.

use crate::api::call_api::Bound;
use crate::budget::costly_calls::EntryKind;
use crate::state::interpreter::Interpreter;
use crate::values::value::{OperationId, Value};
use harp_operations::operation::{Argument, Arguments, Judged, Output};
use harp_python::name::Name;
use harp_shape::{Constraint, Counterexample, Dim, Outcome, Shape, Var, Verdict};

/// The distance between neighbours along each dimension, in elements.
pub type Strides = Vec<Dim>;

/// Functions that make a new contiguous tensor, whatever their operands.
const MAKERS: [&str; 19] = [
    "arange",
    "embedding",
    "empty",
    "eye",
    "full",
    "linspace",
    "logspace",
    "normal",
    "one_hot",
    "ones",
    "rand",
    "randint",
    "randn",
    "randperm",
    "tensor",
    "tril_indices",
    "triu_indices",
    "zeros",
    "linear",
];

/// Functions of one tensor whose result lies in memory as the tensor does, if that has no gaps and no overlaps.
const KEEPERS: [&str; 30] = [
    "abs",
    "bool",
    "clamp",
    "clone",
    "cos",
    "cpu",
    "cuda",
    "detach",
    "double",
    "dropout",
    "exp",
    "float",
    "gelu",
    "half",
    "int",
    "log",
    "long",
    "neg",
    "relu",
    "requires_grad_",
    "round",
    "sigmoid",
    "sign",
    "silu",
    "sin",
    "softmax",
    "sqrt",
    "square",
    "tanh",
    "to",
];

/// Layers and functions that make a contiguous result of a contiguous tensor, where no weight lies in memory channel by channel.
const LAYERS: [&str; 38] = [
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AvgPool1d",
    "AvgPool2d",
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "ConvTranspose3d",
    "GroupNorm",
    "LayerNorm",
    "MaxPool1d",
    "MaxPool2d",
    "MaxPool3d",
    "Upsample",
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "avg_pool1d",
    "avg_pool2d",
    "batch_norm",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "group_norm",
    "interpolate",
    "layer_norm",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "pad",
    "upsample",
];

/// What programs write that have weights lie in memory channel by channel.
const CHANNELS_LAST: &str = "channels_last";

/// Functions of two tensors whose result lies in memory as the first one does, where that is as large as the result.
const PAIRED: [&str; 24] = [
    "__add__",
    "__eq__",
    "__ge__",
    "__gt__",
    "__le__",
    "__lt__",
    "__mul__",
    "__ne__",
    "__sub__",
    "__truediv__",
    "add",
    "div",
    "eq",
    "ge",
    "gt",
    "le",
    "logical_and",
    "logical_or",
    "lt",
    "masked_fill",
    "mul",
    "ne",
    "not_equal",
    "sub",
];

/// Functions of one tensor that give several, each made contiguous.
const SEVERAL: [&str; 1] = ["topk"];

/// Functions that change how a tensor itself lies in memory.
const MOVERS: [&str; 9] =
    ["as_strided_", "resize_", "set_", "squeeze_", "swapaxes_", "swapdims_", "t_", "transpose_", "unsqueeze_"];

/// Whether a method changes the shape of the tensor itself, or how it lies in memory.
pub fn moves(method: &str) -> bool {
    MOVERS.contains(&method)
}

/// What an operation needs of memory, and leaves there.
struct Step<'a> {
    name: &'a str,
    arguments: &'a Arguments,
    /// The first tensor's dimensions and strides.
    input: Option<(Vec<Dim>, Strides)>,
    /// The result's dimensions.
    dims: Vec<Dim>,
}

impl Interpreter<'_> {
    /// Notes how the result of an operation lies in memory, and judges what the operation needs of its operand.
    pub(crate) fn follow_strides(
        &mut self,
        api: Name,
        bound: &Bound,
        arguments: &Arguments,
        output: &Output,
        operation: OperationId,
        judged: &mut Vec<Judged>,
    ) {
        let qualified = api.as_str();
        if !self.is_of_tensors(api) || operation == OperationId::NONE {
            return;
        }
        let name = qualified.rsplit('.').next().unwrap_or(qualified);
        let first = bound.iter().rev().find(|(name, _)| matches!(name.as_str(), "input" | "self"));
        let first = match first.map(|(_, value)| self.read(value)) {
            Some(Value::Tensor(tensor))
                if !tensor.kind.is_parameter() && tensor.kind.known_rules().is_some_and(|rules| rules.has_gradient) =>
            {
                Some(tensor)
            }
            _ => None,
        };
        if MOVERS.contains(&name) {
            if let Some(tensor) = &first {
                self.model_state.strides.remove(&tensor.operation);
            }
            return;
        }
        let first_operation = first.as_ref().map(|tensor| tensor.operation);
        let input = first.and_then(|tensor| {
            let strides = self.model_state.strides.get(&tensor.operation)?.clone();
            let dims = self.solver.resolve_shape(&tensor.shape).dims()?;
            let strides = self.strides_of_another(tensor.operation, &dims, strides)?;
            (dims.len() == strides.len()).then_some((dims, strides))
        });
        let shape = match output {
            Output::Tensor { shape, .. } => shape.clone(),
            Output::Tuple(items) | Output::List(items) => match items.first() {
                Some(Output::Tensor { shape, .. }) => shape.clone(),
                _ => return,
            },
            _ => return,
        };
        let Some(dims) = self.solver.resolve_shape(&shape).dims() else { return };
        let is_single = matches!(output, Output::Tensor { .. });
        let step = Step { name, arguments, input, dims };
        let strides = match name {
            "view" if is_single => match self.viewed(&step, false) {
                Ok(None) => {
                    judged.extend(self.usually_not_viewed(&step));
                    None
                }
                Ok(strides) => strides,
                Err(()) => {
                    judged.push(does_not_fit(&step));
                    None
                }
            },
            "reshape" | "flatten" | "ravel" if is_single => {
                self.viewed(&step, false).unwrap_or_else(|()| Some(contiguous(&step.dims)))
            }
            "as_strided" if is_single => {
                let whole = first_operation.is_some_and(|made_by| self.is_whole(made_by));
                judged.extend(whole.then(|| outside_of_memory(&step)).flatten());
                None
            }
            "matmul" | "bmm" | "mm" | "__matmul__" if is_single => self.multiplied(&step, bound),
            "split" | "chunk" | "tensor_split" | "unbind" if !is_single => parted(&step),
            name if LAYERS.contains(&name) && is_single => {
                let is_contiguous = step.input.as_ref().is_some_and(|(dims, strides)| *strides == contiguous(dims));
                (is_contiguous && !self.may_have_channels_last()).then(|| contiguous(&step.dims))
            }
            name if SEVERAL.contains(&name) && !is_single => Some(contiguous(&step.dims)),
            _ if is_single => arranged(&step, qualified),
            _ => None,
        };
        if let Some(strides) = strides.filter(|strides| strides.len() == step.dims.len()) {
            self.model_state.strides.insert(operation, strides);
        }
    }

    /// The strides of a tensor that stands for another one than the operation made: with the unknown sizes of its own where it is contiguous.
    fn strides_of_another(&self, made_by: OperationId, dims: &[Dim], strides: Strides) -> Option<Strides> {
        let is_known = |dim: &Dim| self.solver.resolve(*dim).as_const().is_some();
        if self.is_whole(made_by) {
            return Some(contiguous(dims));
        }
        if dims.iter().chain(&strides).all(is_known) {
            return Some(strides);
        }
        let made = self.trace.operation(made_by).and_then(|record| record.shape.clone());
        let Some(made) = made.and_then(|shape| self.solver.resolve_shape(&shape).dims()) else { return Some(strides) };
        if made == dims || made.len() != dims.len() {
            return Some(strides);
        }
        (strides == contiguous(&made)).then(|| contiguous(dims))
    }

    /// Whether some file of the program says that weights lie in memory channel by channel: what a convolution makes does then, too.
    fn may_have_channels_last(&self) -> bool {
        *self
            .model_state
            .channels_last
            .get_or_init(|| self.corpus.files.iter().any(|file| file.text.contains(CHANNELS_LAST)))
    }

    /// Whether a tensor is all that is in its memory: one that was just made, not a part of another.
    fn is_whole(&self, made_by: OperationId) -> bool {
        let api = self.trace.operation(made_by).map(|record| record.api);
        let name = api.filter(|api| self.is_of_tensors(*api)).and_then(|api| Some(api.as_str().split_once('.')?.1));
        name.is_some_and(|name| MAKERS.contains(&name)) && self.model_state.strides.contains_key(&made_by)
    }

    /// What questions about memory are answered with, where the answer is known.
    pub(crate) fn in_memory(&self, api: Name, bound: &Bound, output: Output) -> Output {
        let method = api.as_str().rsplit_once('.').filter(|(class, _)| self.families().of_class(class).is_some());
        let name = match method.map(|(_, name)| name) {
            Some(name @ ("stride" | "is_contiguous" | "storage_offset")) => name,
            _ => return output,
        };
        let own = bound.first().and_then(|(_, value)| match self.read(value) {
            Value::Tensor(tensor) => {
                let dims = self.solver.resolve_shape(&tensor.shape).dims()?;
                Some((dims, self.model_state.strides.get(&tensor.operation)?.clone(), tensor.operation))
            }
            _ => None,
        });
        let Some((dims, strides, made_by)) = own else { return output };
        let asked = bound.get(1).map(|(_, value)| self.read(value));
        match (name, asked) {
            ("stride", Some(Value::Int(dim))) => {
                let rank = strides.len() as i64;
                let wrapped = dim.as_const().map(|dim| if dim < 0 { dim + rank } else { dim });
                let stride = wrapped.and_then(|dim| strides.get(usize::try_from(dim).ok()?));
                stride.map_or(output, |stride| Output::Integer(*stride))
            }
            ("stride", Some(Value::None)) => Output::Size(strides),
            ("storage_offset", _) if self.is_whole(made_by) => Output::Integer(Dim::constant(0)),
            ("is_contiguous", _) if strides == contiguous(&dims) => Output::Boolean(Some(true)),
            _ => output,
        }
    }

    /// The strides of a view of other sizes; an error where there is none. Where a size decides that is not known, nothing is, unless it is taken
    /// for one of the usual: larger than 1, and no other's.
    fn viewed(&self, step: &Step<'_>, is_usual: bool) -> Result<Option<Strides>, ()> {
        let is_same = |left: Dim, right: Dim| {
            self.is_same_size(left, right).or_else(|| self.is_usually_same(left, right).filter(|_| is_usual))
        };
        let Some((dims, strides)) = &step.input else { return Ok(None) };
        if *strides == contiguous(dims) {
            return Ok(Some(contiguous(&step.dims)));
        }
        let is_size = |dim: &Dim, size: i64| is_same(*dim, Dim::constant(size));
        if dims.is_empty() || dims.iter().any(|dim| is_size(dim, 0) != Some(false)) {
            return Ok(None);
        }
        // Neighbouring dimensions that lie together in memory form a block, which the new sizes divide among themselves.
        let mut result = vec![Dim::constant(1); step.dims.len()];
        let mut next = step.dims.len();
        let mut base = strides[strides.len() - 1];
        let (mut elements, mut filled) = (Dim::constant(1), Dim::constant(1));
        for place in (0..dims.len()).rev() {
            elements = self.solver.resolve(elements * dims[place]);
            let ends = match place.checked_sub(1) {
                None => true,
                Some(before) => {
                    let Some(is_one) = is_size(&dims[before], 1) else { return Ok(None) };
                    let Some(follows) = is_same(strides[before], elements * base) else { return Ok(None) };
                    !is_one && !follows
                }
            };
            if !ends {
                continue;
            }
            while next > 0 {
                let Some(is_full) = is_same(filled, elements) else { return Ok(None) };
                let Some(is_one) = is_size(&step.dims[next - 1], 1) else { return Ok(None) };
                if is_full && !is_one {
                    break;
                }
                next -= 1;
                result[next] = filled * base;
                filled = self.solver.resolve(filled * step.dims[next]);
                // More than the block holds: no view is possible.
                if let (Some(filled), Some(elements)) = (filled.as_const(), elements.as_const())
                    && filled > elements
                {
                    return Err(());
                }
            }
            match is_same(filled, elements) {
                Some(true) => {}
                Some(false) => return Err(()),
                None => return Ok(None),
            }
            if place > 0 {
                base = strides[place - 1];
                (elements, filled) = (Dim::constant(1), Dim::constant(1));
            }
        }
        Ok(Some(result))
    }

    /// Whether two sizes are equal for usual sizes of data.
    fn is_usually_same(&self, left: Dim, right: Dim) -> Option<bool> {
        const USUAL: [i64; 6] = [1_009, 1_013, 1_019, 1_021, 1_031, 1_033];
        let difference = self.solver.resolve(left - right);
        let open: Vec<Var> = difference.vars().into_iter().filter(|var| var.default_value().is_none()).collect();
        let value = |var: Var| {
            let place = || open.iter().position(|one| *one == var).and_then(|place| USUAL.get(place).copied());
            var.default_value().or_else(place)
        };
        difference.evaluate(&mut { value }).map(|difference| difference == 0)
    }

    /// A view that there is none of where no size of data is 1.
    fn usually_not_viewed(&self, step: &Step<'_>) -> Option<Judged> {
        let (dims, _) = step.input.as_ref()?;
        let elements = |dims: &[Dim]| Dim::product_of(dims.iter().copied());
        // A size that was inferred by a division may be whole for other sizes alone.
        let is_whole = || self.is_usually_same(elements(dims), elements(&step.dims)) == Some(true);
        let is_followed = self.entry.kind != EntryKind::Symbolic && self.inference.is_none();
        if !is_followed || self.viewed(step, true).is_ok() || !is_whole() {
            return None;
        }
        let is_open = |dim: &&Dim| dim.vars().iter().any(|var| var.default_value().is_none());
        let parts = dims.iter().filter(is_open).map(|dim| Constraint::NotEqual(*dim, Dim::ONE)).collect();
        let condition = Constraint::And(parts);
        Some(Judged {
            outcome: Outcome::Possible(Counterexample {
                assignment: Vec::new(),
                condition: condition.clone(),
                is_default_fine: false,
                fails_usually: true,
            }),
            constraint: condition.negated(),
            ..does_not_fit(step)
        })
    }

    /// Whether two sizes are equal, where that is certain.
    fn is_same_size(&self, left: Dim, right: Dim) -> Option<bool> {
        let (left, right) = (self.solver.resolve(left), self.solver.resolve(right));
        if left == right {
            return Some(true);
        }
        match self.solver.judge(&Constraint::Equal(left, right)) {
            Verdict::Holds => Some(true),
            Verdict::Violated => Some(false),
            Verdict::Possible(_) | Verdict::Unknown => None,
        }
    }

    /// Products of batches, and of a batch with a matrix, are made contiguous.
    fn multiplied(&self, step: &Step<'_>, bound: &Bound) -> Option<Strides> {
        let ranks: Vec<usize> = bound
            .iter()
            .filter_map(|(_, value)| match self.read(value) {
                Value::Tensor(tensor) => self.solver.resolve_shape(&tensor.shape).rank(),
                _ => None,
            })
            .collect();
        match ranks.as_slice() {
            [left, right, ..] if *right >= 2 && (left >= right || *right == *left) => Some(contiguous(&step.dims)),
            [left, right, ..] if *left >= 3 && *right >= 3 => Some(contiguous(&step.dims)),
            _ => None,
        }
    }
}

/// The strides of a tensor without gaps whose last dimension lies together.
fn contiguous(dims: &[Dim]) -> Strides {
    let mut strides = vec![Dim::constant(1); dims.len()];
    for place in (1..dims.len()).rev() {
        strides[place - 1] = strides[place] * dims[place];
    }
    strides
}

fn does_not_fit(step: &Step<'_>) -> Judged {
    let (from, to) = (step.input.as_ref().map(|(dims, _)| dims.clone()).unwrap_or_default(), step.dims.clone());
    let message = format!(
        "a tensor {} that is not contiguous in memory cannot be viewed as {}; use `reshape`, or `contiguous` before `view`",
        Shape::known(from),
        Shape::known(to)
    );
    Judged::violated(message, vec!["self".into()])
}

/// Why `as_strided(size, stride, storage_offset)` of a tensor that is all of its memory reaches beyond its end, if it does.
fn outside_of_memory(step: &Step<'_>) -> Option<Judged> {
    let numbers = |name: &str| -> Option<Vec<i64>> {
        let Argument::Sequence(items) = step.arguments.get(name)? else { return None };
        items.iter().map(Argument::as_int).collect()
    };
    let (sizes, strides) = (numbers("size")?, numbers("stride")?);
    let first = match step.arguments.get("storage_offset") {
        None | Some(Argument::None) => 0,
        Some(offset) => offset.as_int()?,
    };
    if sizes.len() != strides.len() || sizes.iter().any(|size| *size < 1) {
        return None;
    }
    let mut last = first;
    for (size, stride) in sizes.iter().zip(&strides) {
        last = last.checked_add(stride.checked_mul(size - 1)?)?;
    }
    let mut elements: i64 = 1;
    for dim in &step.input.as_ref()?.0 {
        elements = elements.checked_mul(dim.as_const()?)?;
    }
    if last < elements {
        return None;
    }
    let message = format!("these sizes and strides reach element {last} of a tensor that has {elements} in memory");
    let operands = vec!["size".into(), "stride".into()];
    Some(Judged::violated(message, operands))
}

/// An axis that a parameter names, counted from the front.
fn axis(step: &Step<'_>, parameter: &str, rank: usize) -> Option<usize> {
    let dim = step.arguments.get(parameter)?.as_int()?;
    let rank = i64::try_from(rank).ok()?;
    usize::try_from(if dim < 0 { dim + rank } else { dim }).ok().filter(|axis| *axis < rank as usize)
}

fn parted(step: &Step<'_>) -> Option<Strides> {
    let (_, mut strides) = step.input.clone()?;
    if step.name == "unbind" {
        let axis = match step.arguments.get("dim") {
            None => 0,
            Some(_) => axis(step, "dim", strides.len())?,
        };
        strides.remove(axis);
    }
    Some(strides)
}

/// The strides after an operation that does not depend on the values of sizes.
fn arranged(step: &Step<'_>, api: &str) -> Option<Strides> {
    let keeps_format =
        |argument: Option<&Argument>| matches!(argument, None | Some(Argument::None | Argument::Unknown));
    let is_module = api.contains(".nn.") && !api.contains(".functional.");
    let name = match step.name {
        "Linear" | "Embedding" => "linear",
        "ReLU" | "GELU" | "SiLU" | "Sigmoid" | "Tanh" | "Softmax" | "Dropout" | "Identity" => "relu",
        _ if is_module => return None,
        name => name,
    };
    if MAKERS.contains(&name) {
        return keeps_format(step.arguments.get("memory_format")).then(|| contiguous(&step.dims));
    }
    let (dims, strides) = step.input.as_ref()?;
    let rank = dims.len();
    match name {
        // The default is a name of the library, which is no value here.
        "contiguous" => keeps_format(step.arguments.get("memory_format")).then(|| contiguous(dims)),
        "t" | "T" => Some(strides.iter().rev().copied().collect()),
        "mT" if rank >= 2 => {
            let mut strides = strides.clone();
            strides.swap(rank - 1, rank - 2);
            Some(strides)
        }
        "transpose" | "swapaxes" | "swapdims" => {
            let (one, other) =
                if step.arguments.get("axis0").is_some() { ("axis0", "axis1") } else { ("dim0", "dim1") };
            let mut strides = strides.clone();
            strides.swap(axis(step, one, rank)?, axis(step, other, rank)?);
            Some(strides)
        }
        "permute" => {
            let Some(Argument::Sequence(order)) = step.arguments.get("dims") else { return None };
            let order = match order.as_slice() {
                [Argument::Sequence(order)] => order,
                order => order,
            };
            let wrapped = |dim: &Argument| {
                let dim = dim.as_int()?;
                usize::try_from(if dim < 0 { dim + rank as i64 } else { dim }).ok()
            };
            order.iter().map(|dim| strides.get(wrapped(dim)?).copied()).collect()
        }
        "unsqueeze" => {
            let axis = axis(step, "dim", rank + 1)?;
            let mut strides = strides.clone();
            let own = strides.get(axis).map_or(Dim::constant(1), |stride| *stride * dims[axis]);
            strides.insert(axis, own);
            Some(strides)
        }
        "squeeze" => {
            let asked = match step.arguments.get("dim") {
                None | Some(Argument::None) => None,
                Some(_) => Some(axis(step, "dim", rank)?),
            };
            let mut kept = Vec::with_capacity(rank);
            for (place, (dim, stride)) in dims.iter().zip(strides).enumerate() {
                let is_asked = asked.is_none_or(|asked| asked == place);
                if !is_asked || dim.as_const()? != 1 {
                    kept.push(*stride);
                }
            }
            Some(kept)
        }
        "select" => {
            let mut strides = strides.clone();
            strides.remove(axis(step, "dim", rank)?);
            Some(strides)
        }
        "narrow" => Some(strides.clone()),
        "expand" | "expand_as" | "broadcast_to" => {
            let added = step.dims.len().checked_sub(rank)?;
            let own = strides.iter().zip(dims).zip(&step.dims[added..]);
            let own = own.map(|((stride, dim), size)| if dim == size { *stride } else { Dim::constant(0) });
            Some(std::iter::repeat_n(Dim::constant(0), added).chain(own).collect())
        }
        "__getitem__" => subscripted(step, dims, strides),
        // The first operand's order decides, and where its strides are equal the next one's.
        _ if PAIRED.contains(&name) => (*dims == step.dims && is_dense(dims, strides)).then(|| strides.clone()),
        _ if KEEPERS.contains(&name) && keeps_format(step.arguments.get("memory_format")) => {
            (*strides == contiguous(dims) || is_dense(dims, strides)).then(|| strides.clone())
        }
        _ => None,
    }
}

/// Whether strides are those of a contiguous tensor in another order.
fn is_dense(dims: &[Dim], strides: &[Dim]) -> bool {
    let mut left: Vec<usize> = (0..dims.len()).filter(|place| dims[*place].as_const() != Some(1)).collect();
    let mut expected = Dim::constant(1);
    while !left.is_empty() {
        let Some(next) = left.iter().position(|place| strides[*place] == expected) else { return false };
        expected = expected * dims[left.swap_remove(next)];
    }
    true
}

/// Integers, slices, `None` and `...` give a view.
fn subscripted(step: &Step<'_>, dims: &[Dim], strides: &[Dim]) -> Option<Strides> {
    let items = match step.arguments.get("index")? {
        Argument::Sequence(items) => items.clone(),
        single => vec![single.clone()],
    };
    let consumed = items.iter().filter(|item| matches!(item, Argument::Integer(_) | Argument::Slice { .. })).count();
    let skipped = dims.len().checked_sub(consumed)?;
    let mut result = Vec::with_capacity(step.dims.len());
    let mut next = 0;
    for item in &items {
        match item {
            Argument::Integer(_) => next += 1,
            Argument::None => {
                let own =
                    strides.get(next).zip(dims.get(next)).map_or(Dim::constant(1), |(stride, dim)| *stride * *dim);
                result.push(own);
            }
            Argument::Slice { step, .. } => {
                let factor = if step.is_none() { Dim::constant(1) } else { step.as_dim()? };
                result.push(*strides.get(next)? * factor);
                next += 1;
            }
            Argument::Ellipsis => {
                result.extend(strides.get(next..next + skipped)?);
                next += skipped;
            }
            _ => return None,
        }
    }
    result.extend(strides.get(next..)?);
    Some(result)
}
