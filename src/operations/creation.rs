//! Transfer functions that create tensors from sizes, numbers or other tensors.

use crate::dtypes::is_integral;
use crate::operation::{Argument, Operation, Output};
use crate::support::{Evaluated, Stop, constant, count, fresh, fresh_count, items, unknown_tensor};
use harp_shape::{Constraint, DType, Dim, Shape};

impl Operation<'_> {
    /// The sizes in a parameter: a sequence, several integers, or one. A size that is not known is a fresh dimension, and `None`
    /// means that not even their number is known.
    pub(crate) fn sizes(&mut self, name: &str) -> Result<Option<Vec<Dim>>, Stop> {
        let Some(sizes) = self.arguments.get(name).and_then(items) else { return Ok(None) };
        // One value of unknown type may be a whole shape: `x.reshape(shape)`.
        if matches!(sizes.as_slice(), [Argument::Unknown]) {
            return Ok(None);
        }
        // So may an array.
        if let [Argument::Tensor(tensor)] = sizes.as_slice()
            && tensor.shape.rank() != Some(0)
        {
            return Ok(None);
        }
        let mut dims = Vec::with_capacity(sizes.len());
        for size in &sizes {
            dims.push(match size {
                Argument::Integer(_) | Argument::Boolean(_) => {
                    self.solver.resolve(size.as_dim().unwrap_or(constant(0)))
                }
                Argument::Float(_) => {
                    let message = format!("the sizes in `{name}` must be integers, got a float");
                    return self.reject(&[name], message);
                }
                Argument::None | Argument::Text(_) => return Ok(None),
                // Nothing says that it is not 0.
                _ => fresh_count("size"),
            });
        }
        Ok(Some(dims))
    }

    /// Like [`Operation::sizes`], where no size may be negative.
    fn new_sizes(&mut self) -> Result<Option<Vec<Dim>>, Stop> {
        let sequence = |name: &&str| matches!(self.arguments.get(name), Some(Argument::Sequence(_)));
        let names = ["size", "shape", "sizes"];
        // `randint(high, size)`: the sizes stand where `high` does otherwise.
        let name = names.into_iter().find(|name| !self.is_absent(name)).or_else(|| ["high"].into_iter().find(sequence));
        let Some(name) = name else { return Ok(None) };
        let Some(sizes) = self.sizes(name)? else { return Ok(None) };
        for size in &sizes {
            let message = format_args!("a tensor cannot have the size {size} in a dimension");
            self.demand(Constraint::LessEqual(constant(0), *size), &[name], || message.to_string())?;
        }
        Ok(Some(sizes))
    }
}

/// Whether a tensor's bytes cannot be counted in 64 bits, which PyTorch finds out before it asks for memory.
fn exceeds_memory(sizes: &[Dim], dtype: DType) -> bool {
    let bytes = if dtype == DType::Unknown { 1 } else { i64::from(dtype.bits().div_ceil(8)).max(1) };
    // A number of which only a lower bound is known is at least that large.
    let least = |size: &Dim| size.as_const().or_else(|| size.as_var().and_then(|var| var.info().lower));
    let sizes: Option<Vec<i64>> = sizes.iter().map(least).collect();
    sizes.is_some_and(|sizes| {
        let total = sizes.iter().try_fold(bytes, |product, size| product.checked_mul(*size));
        sizes.iter().all(|size| *size > 0) && total.is_none()
    })
}

fn created(op: &mut Operation, dtype: DType) -> Evaluated {
    let dtype = op.dtype_or(dtype);
    Ok(match op.new_sizes()? {
        Some(sizes) => {
            if exceeds_memory(&sizes, dtype) {
                let message = format!("a tensor of shape {} is larger than any memory", Shape::known(sizes));
                return op.reject(&["size"], message);
            }
            Output::tensor(Shape::known(sizes), dtype)
        }
        None => unknown_tensor(dtype),
    })
}

/// `zeros(*size)`, `ones`, `empty`, `rand`, `randn`.
pub(crate) fn create(op: &mut Operation) -> Evaluated {
    created(op, DType::Float32)
}

/// `randint(low=0, high, size)`.
pub(crate) fn random_integers(op: &mut Operation) -> Evaluated {
    let known =
        |name: &str| op.arguments.get(name).and_then(Argument::as_dim).and_then(|it| op.solver.resolve(it).as_const());
    // `randint(high, size)`
    let bounds = match (op.arguments.get("low"), op.arguments.get("high")) {
        (Some(low), Some(Argument::Sequence(_) | Argument::None)) => {
            low.as_dim().and_then(Dim::as_const).map(|high| (0, high))
        }
        _ => known("low").zip(known("high")),
    };
    if let Some((low, high)) = bounds.filter(|(low, high)| low >= high && !op.takes_arrays()) {
        return op.reject(&["low", "high"], format!("there is no integer from {low} to below {high}"));
    }
    created(op, DType::Int64)
}

/// `randperm(n)`.
pub(crate) fn permutation(op: &mut Operation) -> Evaluated {
    let size = op.dim_argument("n").unwrap_or_else(|| fresh("n"));
    let message = format_args!("`n` must not be negative, got {size}");
    op.demand(Constraint::LessEqual(constant(0), size), &["n"], || message.to_string())?;
    let dtype = op.dtype_or(DType::Int64);
    Ok(Output::tensor(Shape::known(vec![size]), dtype))
}

/// `full(size, fill_value)`: the type follows the value.
pub(crate) fn full(op: &mut Operation) -> Evaluated {
    let dtype = match op.arguments.get("fill_value") {
        Some(Argument::Float(_)) => DType::Float32,
        Some(Argument::Boolean(_)) => DType::Bool,
        Some(Argument::Integer(_)) => op.default_int(),
        _ => DType::Unknown,
    };
    created(op, dtype)
}

/// `sparse_coo_tensor(indices, values, size)`: a column of the indices for each value, and a row for each dimension that they count.
pub(crate) fn sparse_coo(op: &mut Operation) -> Evaluated {
    let values = op.given_tensor("values");
    let dtype = values.as_ref().map_or(DType::Unknown, |values| values.dtype);
    if let (Some(indices), Some(values)) = (op.given_tensor("indices"), &values)
        && let Some([_, columns]) = op.dims(&indices.shape).as_deref()
        && let Some([count, ..]) = op.dims(&values.shape).as_deref()
    {
        let (columns, count) = (*columns, *count);
        let message = format_args!("`indices` has {columns} columns, but `values` has {count} rows");
        op.equal(columns, count, &["indices", "values"], || message.to_string());
    }
    if op.is_absent("size") {
        return Ok(unknown_tensor(op.dtype_or(dtype)));
    }
    let made = created(op, dtype)?;
    if let (Output::Tensor { shape, .. }, Some(indices), Some(values)) = (&made, op.given_tensor("indices"), &values)
        && let (Some(rank), Some(of_values)) = (op.rank(shape), op.rank(&values.shape))
        && let Some([counted, _]) = op.dims(&indices.shape).as_deref()
    {
        let (counted, dense) = (*counted, of_values.saturating_sub(1));
        let message = format_args!(
            "`indices` has {counted} rows and `values` has {dense} dimensions besides the first, but `size` has {rank} dimensions"
        );
        op.equal(counted, count(rank.saturating_sub(dense)), &["indices", "values"], || message.to_string());
    }
    Ok(made)
}

/// `zeros_like(input)` and its like.
pub(crate) fn like(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let dtype = op.dtype_or(input.dtype);
    Ok(Output::tensor(input.shape, dtype))
}

/// `input.new_zeros(*size)` and its like.
pub(crate) fn new_like(op: &mut Operation) -> Evaluated {
    let dtype = op.input().dtype;
    created(op, dtype)
}

/// `torch.normal(mean, std)` with tensors, or with a size.
pub(crate) fn normal(op: &mut Operation) -> Evaluated {
    if !op.is_absent("size") {
        return created(op, DType::Float32);
    }
    let mut shape = Shape::scalar();
    let mut dtype = None;
    for name in ["mean", "std"] {
        match op.arguments.get(name) {
            Some(Argument::Unknown) => return Ok(unknown_tensor(DType::Unknown)),
            Some(Argument::Tensor(_)) => {
                let tensor = op.tensor(name);
                shape = op.broadcast(("mean", &shape), (name, &tensor.shape))?;
                // That of the mean, and of the deviation where the mean is a number.
                dtype = dtype.or(Some(tensor.dtype));
            }
            _ => {}
        }
    }
    Ok(Output::tensor(shape, dtype.unwrap_or(DType::Float32)))
}

/// `eye(n, m=n)`.
pub(crate) fn eye(op: &mut Operation) -> Evaluated {
    let rows = op.dim_argument("n").unwrap_or_else(|| fresh("n"));
    let columns = match op.arguments.get("m") {
        None | Some(Argument::None) => rows,
        Some(_) => op.dim_argument("m").unwrap_or_else(|| fresh("m")),
    };
    // A triangle of negative size is empty.
    let least = |size: Dim| if op.short_name() == "tri" { size.max(constant(0)) } else { size };
    let (rows, columns) = (least(rows), least(columns));
    for (name, size) in [("n", rows), ("m", columns)] {
        let message = format_args!("`{name}` must not be negative, got {size}");
        op.demand(Constraint::LessEqual(constant(0), size), &[name], || message.to_string())?;
    }
    let dtype = op.dtype_or(op.default_float());
    Ok(Output::tensor(Shape::known(vec![rows, columns]), dtype))
}

/// `linspace(start, end, steps)`, `logspace`.
pub(crate) fn linspace(op: &mut Operation) -> Evaluated {
    let samples = samples_between(op)?;
    // `retstep=True` gives the distance between two of them, too.
    Ok(match op.flag_or("retstep", false) {
        Some(false) => samples,
        Some(true) => Output::Tuple(vec![samples, Output::Float]),
        None => Output::Unknown("whether the step is given, too, is not known"),
    })
}

fn samples_between(op: &mut Operation) -> Evaluated {
    let dtype = op.dtype_or(op.default_float());
    if let Some(Argument::Float(_)) = op.arguments.get("steps") {
        return op.reject(&["steps"], "`steps` must be an integer, not a float".to_owned());
    }
    let steps = op.dim_argument("steps").unwrap_or_else(|| fresh("steps"));
    let message = format_args!("`steps` must not be negative, got {steps}");
    op.demand(Constraint::LessEqual(constant(0), steps), &["steps"], || message.to_string())?;
    // Between arrays there are as many steps for each of their elements, in a dimension of their own.
    let ends = ["start", "end"].map(|name| match op.arguments.get(name) {
        Some(Argument::Tensor(end)) => Some(end.shape.clone()),
        Some(items @ Argument::Sequence(_)) => match nested(op, items, 0) {
            Nested::Regular { dims, .. } => Some(Shape::known(dims)),
            _ => None,
        },
        Some(Argument::Unknown) => None,
        _ => Some(Shape::scalar()),
    });
    let [Some(start), Some(end)] = ends else { return Ok(unknown_tensor(dtype)) };
    let ends = [start, end];
    let (Some(ends), _) = op.solver.broadcast(&ends[0], &ends[1]) else { return Ok(unknown_tensor(dtype)) };
    Ok(match op.int_or("dim", 0) {
        Some(0) => Output::tensor(Shape::known(vec![steps]).concat(&ends), dtype),
        _ if ends == Shape::scalar() => Output::tensor(Shape::known(vec![steps]), dtype),
        _ => unknown_tensor(dtype),
    })
}

/// A bound or step of `arange`.
#[derive(Clone, Copy)]
enum Number {
    Integer(Dim),
    Float(f64),
    Unknown { float: bool },
}

impl Number {
    fn read(op: &Operation, name: &str, default: i64) -> Number {
        match op.arguments.get(name) {
            None | Some(Argument::None) => Number::Integer(constant(default)),
            Some(Argument::Float(value)) => value.map_or(Number::Unknown { float: true }, Number::Float),
            Some(argument) => match argument.as_dim() {
                Some(dim) => Number::Integer(op.solver.resolve(dim)),
                None => Number::Unknown { float: false },
            },
        }
    }

    fn value(self) -> Option<f64> {
        match self {
            Number::Integer(dim) => dim.as_const().map(|value| value as f64),
            Number::Float(value) => Some(value),
            Number::Unknown { .. } => None,
        }
    }

    fn is_float(self) -> bool {
        matches!(self, Number::Float(_) | Number::Unknown { float: true })
    }
}

/// `arange(start=0, end, step=1)`. A single argument is `end`, also where it is bound to `start`.
pub(crate) fn arange(op: &mut Operation) -> Evaluated {
    let alone = op.is_absent("end");
    let start = if alone { Number::Integer(constant(0)) } else { Number::read(op, "start", 0) };
    let end = Number::read(op, if alone { "start" } else { "end" }, 0);
    let step = Number::read(op, "step", 1);
    let numbers = [start, end, step];
    let dtype = if numbers.iter().any(|number| number.is_float()) || op.short_name() == "range" {
        op.default_float()
    } else if numbers.iter().any(|number| matches!(number, Number::Unknown { .. })) {
        DType::Unknown
    } else {
        op.default_int()
    };
    let dtype = op.dtype_or(dtype);
    let size = arange_size(op, start, end, step)?;
    Ok(Output::tensor(Shape::known(vec![size]), dtype))
}

fn arange_size(op: &mut Operation, start: Number, end: Number, step: Number) -> Result<Dim, Stop> {
    if step.value() == Some(0.0) {
        return op.reject(&["step"], "`step` must not be 0".to_owned());
    }
    if let (Some(start), Some(end), Some(step)) = (start.value(), end.value(), step.value()) {
        let length = (end - start) / step;
        if length < 0.0 {
            if op.takes_arrays() {
                return Ok(constant(0));
            }
            let message = format!("the bounds {start} and {end} do not go with the sign of `step` ({step})");
            return op.reject(&["start", "end", "step"], message);
        }
        // `torch.range` has its end among the elements.
        let length = if op.short_name() == "range" { length.floor() + 1.0 } else { length.ceil() };
        return Ok(if length.is_finite() && length < 1e15 { constant(length as i64) } else { fresh_length() });
    }
    let (Number::Integer(start), Number::Integer(end), Number::Integer(step)) = (start, end, step) else {
        return Ok(fresh_length());
    };
    let end = if op.short_name() == "range" { end + constant(1) } else { end };
    match step.as_const() {
        Some(step) if step > 0 => Ok((end - start).ceil_div(constant(step))),
        Some(step) => Ok((start - end).ceil_div(constant(step.saturating_neg()))),
        None => Ok(fresh_length()),
    }
}

fn fresh_length() -> Dim {
    crate::support::fresh_count("length")
}

/// `tensor(data)`, `as_tensor`, `from_numpy`: the shape of the nested sequences.
pub(crate) fn tensor(op: &mut Operation) -> Evaluated {
    let name = ["data", "ndarray", "object", "obj"]
        .into_iter()
        .find(|name| op.arguments.get(name).is_some())
        .unwrap_or("data");
    let data = op.arguments.value(name);
    match nested(op, &data, 0) {
        Nested::Regular { dims, dtype } => {
            // `new_tensor` makes more of the same type.
            let dtype = if op.short_name() == "new_tensor" { op.input().dtype } else { dtype };
            let dtype = op.dtype_or(dtype);
            Ok(Output::tensor(Shape::known(dims), dtype))
        }
        Nested::Tensor(shape, dtype) => {
            let dtype = if op.short_name() == "new_tensor" { op.input().dtype } else { dtype };
            let dtype = op.dtype_or(dtype);
            Ok(Output::tensor(shape, dtype))
        }
        Nested::Unknown => {
            let dtype = op.dtype_or(DType::Unknown);
            Ok(of_unknown_items(op, &data, dtype))
        }
        // An array of objects may hold sequences of any lengths.
        Nested::Uneven { .. } if !op.is_absent("dtype") && op.dtype_or(DType::Unknown) == DType::Unknown => {
            Ok(unknown_tensor(DType::Unknown))
        }
        irregular => {
            let message = irregularity(&irregular, name);
            op.reject(&[name], message)
        }
    }
}

/// Whatever the items of a sequence are, PyTorch makes one entry of each.
fn of_unknown_items(op: &Operation, data: &Argument, dtype: DType) -> Output {
    match data {
        Argument::Sequence(items) if !items.is_empty() && !op.rules.lists_hold_tensors => {
            let rest = Shape::unknown("items");
            Output::tensor(crate::support::joined(&[count(items.len())], Some(&rest), &[]), dtype)
        }
        // What a file or another program gives.
        Argument::Unknown => Output::tensor(Shape::unknown("data"), dtype),
        _ => unknown_tensor(dtype),
    }
}

/// What a nested sequence of numbers amounts to.
pub(crate) enum Nested {
    Regular {
        dims: Vec<Dim>,
        dtype: DType,
    },
    Tensor(Shape, DType),
    Uneven {
        expected: Dim,
        found: Dim,
        depth: usize,
    },
    /// A tensor stands where a number must, but has another number of elements than one.
    NoNumber(Shape),
    Unknown,
}

/// Why nested sequences are no tensor.
fn irregularity(nested: &Nested, name: &str) -> String {
    match nested {
        Nested::Uneven { expected, found, depth } => {
            format!("the sequences in `{name}` differ in length at dimension {depth}: {expected} and {found}")
        }
        Nested::NoNumber(shape) => {
            format!("a tensor of one element can stand for a number in `{name}`, but there is one of shape {shape}")
        }
        Nested::Regular { .. } | Nested::Tensor(..) | Nested::Unknown => format!("`{name}` is not a tensor"),
    }
}

/// Deeper nesting is not followed.
const MOST_NESTING: usize = 32;

/// The shape and element type of nested sequences of numbers.
pub(crate) fn nested(op: &Operation, data: &Argument, depth: usize) -> Nested {
    let number = |dtype| Nested::Regular { dims: Vec::new(), dtype };
    match data {
        Argument::Integer(_) => number(op.default_int()),
        Argument::Float(_) => number(op.default_float()),
        Argument::Boolean(_) | Argument::Truth => number(DType::Bool),
        Argument::Tensor(tensor) if depth == 0 => Nested::Tensor(op.solver.resolve_shape(&tensor.shape), tensor.dtype),
        // PyTorch takes tensors inside lists for numbers; they must have one element. An array is a sequence of its own.
        Argument::Tensor(tensor) if !op.rules.lists_hold_tensors && !op.arguments.has_array_items => {
            let elements =
                |dims: Vec<Dim>| dims.iter().try_fold(1_i64, |count, dim| count.checked_mul(dim.as_const()?));
            match op.dims(&tensor.shape).and_then(elements) {
                Some(1) | None => number(tensor.dtype),
                Some(_) => Nested::NoNumber(op.solver.resolve_shape(&tensor.shape)),
            }
        }
        Argument::Tensor(tensor) => match op.dims(&tensor.shape) {
            Some(dims) => Nested::Regular { dims, dtype: op.type_in_list(tensor.dtype) },
            None => Nested::Unknown,
        },
        Argument::Sequence(items) if depth < MOST_NESTING => nested_items(op, items, depth),
        _ => Nested::Unknown,
    }
}

fn nested_items(op: &Operation, items: &[Argument], depth: usize) -> Nested {
    let mut inner: Option<(Vec<Dim>, DType)> = None;
    // Where one of the items is a number, so are all.
    let is_number = |item: &Argument| matches!(item, Argument::Integer(_) | Argument::Float(_) | Argument::Boolean(_));
    let are_numbers = items.iter().any(is_number);
    for item in items {
        // The first item says how deep the sequences are; a tensor behind it is a sequence where it stands for one.
        let is_sequence = inner.as_ref().is_some_and(|(first, _)| !first.is_empty());
        let of_tensor = item.as_tensor().filter(|_| is_sequence).map(|tensor| (op.dims(&tensor.shape), tensor.dtype));
        let found = match of_tensor {
            Some((Some(dims), dtype)) => Nested::Regular { dims, dtype },
            Some((None, _)) => return Nested::Unknown,
            None if are_numbers && matches!(item, Argument::Unknown) => {
                Nested::Regular { dims: Vec::new(), dtype: DType::Unknown }
            }
            None => nested(op, item, depth + 1),
        };
        let (dims, dtype) = match found {
            Nested::Regular { dims, dtype } => (dims, dtype),
            other => return other,
        };
        match &mut inner {
            None => inner = Some((dims, dtype)),
            Some((first, kind)) => {
                let differs = |(expected, found): (&Dim, &Dim)| match (expected.as_const(), found.as_const()) {
                    (Some(one), Some(other)) => one != other,
                    _ => false,
                };
                if let Some(axis) = first.iter().zip(&dims).position(differs) {
                    return Nested::Uneven { expected: first[axis], found: dims[axis], depth: depth + axis + 1 };
                }
                if first.len() != dims.len() {
                    return Nested::Unknown;
                }
                *kind = if *kind == DType::Unknown || dtype == DType::Unknown {
                    DType::Unknown
                } else {
                    DType::promote(*kind, dtype)
                };
            }
        }
    }
    let (mut dims, dtype) = inner.unwrap_or((Vec::new(), op.default_float()));
    dims.insert(0, count(items.len()));
    Nested::Regular { dims, dtype }
}

/// `one_hot(tensor, num_classes=-1)`.
pub(crate) fn one_hot(op: &mut Operation) -> Evaluated {
    let name = if op.arguments.get("tensor").is_some() { "tensor" } else { op.input_name() };
    let tensor = op.tensor(name);
    if crate::dtypes::is_real(tensor.dtype) || (is_integral(tensor.dtype) && tensor.dtype != DType::Int64) {
        let message = format!("`one_hot` needs int64 indices, but `{name}` is {}", tensor.dtype);
        return op.reject(&[name], message);
    }
    let classes = match op.dim_argument("num_classes") {
        Some(classes) if classes.as_const() != Some(-1) => classes,
        _ => fresh("classes"),
    };
    Ok(Output::tensor(crate::support::joined(&[], Some(&tensor.shape), &[classes]), DType::Int64))
}

/// `tril_indices(row, col, offset)`, `triu_indices`: two rows of indices.
pub(crate) fn triangle_indices(op: &mut Operation) -> Evaluated {
    let size = match (op.int_argument("row"), op.int_argument("col"), op.int_or("offset", 0)) {
        (Some(rows @ 0..=100_000), Some(columns), Some(offset)) => {
            let upper = op.short_name().contains("triu");
            let lower_part =
                |row: i64| row.saturating_add(offset).saturating_add(i64::from(!upper)).clamp(0, columns.max(0));
            let total = (0..rows).map(|row| if upper { columns - lower_part(row) } else { lower_part(row) }).sum();
            constant(total)
        }
        _ => crate::support::fresh_count("indices"),
    };
    let dtype = op.dtype_or(DType::Int64);
    Ok(Output::tensor(Shape::known(vec![constant(2), size]), dtype))
}

/// `torch.Tensor(*sizes)`, `torch.LongTensor(data)`: sizes as separate integers, or data as a sequence.
pub(crate) fn tensor_class(op: &mut Operation) -> Evaluated {
    let dtype = match op.short_name() {
        "LongTensor" => DType::Int64,
        "IntTensor" => DType::Int32,
        "ShortTensor" => DType::Int16,
        "CharTensor" => DType::Int8,
        "ByteTensor" => DType::UInt8,
        "BoolTensor" => DType::Bool,
        "DoubleTensor" => DType::Float64,
        "HalfTensor" => DType::Float16,
        "BFloat16Tensor" => DType::BFloat16,
        "new" => op.input().dtype,
        _ => DType::Float32,
    };
    // `torch.FloatTensor(size=(2, 3))`
    if !op.is_absent("size") {
        return Ok(match op.sizes("size")? {
            Some(sizes) => Output::tensor(Shape::known(sizes), dtype),
            None => unknown_tensor(dtype),
        });
    }
    let Argument::Sequence(arguments) = op.arguments.value("data") else { return Ok(unknown_tensor(dtype)) };
    // Of a tensor `torch.Tensor` makes one of the same type, and of an array floats.
    let dtype = match arguments.as_slice() {
        [Argument::Tensor(_)] if op.short_name() == "Tensor" && op.arguments.may_be_arrays => DType::Unknown,
        [Argument::Tensor(data)] if op.short_name() == "Tensor" && !op.arguments.has_array_items => data.dtype,
        _ => dtype,
    };
    if let [data @ (Argument::Sequence(_) | Argument::Tensor(_))] = arguments.as_slice() {
        return Ok(match nested(op, data, 0) {
            Nested::Regular { dims, .. } => Output::tensor(Shape::known(dims), dtype),
            Nested::Tensor(shape, _) => Output::tensor(shape, dtype),
            Nested::Unknown => of_unknown_items(op, data, dtype),
            irregular => {
                let message = irregularity(&irregular, "data");
                return op.reject(&["data"], message);
            }
        });
    }
    if arguments.is_empty() {
        return Ok(Output::tensor(Shape::known(vec![constant(0)]), dtype));
    }
    Ok(match op.sizes("data")? {
        Some(sizes) => Output::tensor(Shape::known(sizes), dtype),
        None => unknown_tensor(dtype),
    })
}
