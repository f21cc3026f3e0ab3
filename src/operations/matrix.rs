//! Transfer functions of products of matrices and vectors.

use crate::dtypes::{is_integral, promote_arrays};
use crate::operation::{Argument, Operation, Output, TensorArgument};
use crate::support::{Evaluated, Stop, constant, fresh, items, joined, product, unknown_tensor};
use harp_shape::{Constraint, DType, Dim, Shape};

/// The names of the two operands of a product.
fn operand_names(op: &Operation) -> (&'static str, &'static str) {
    let right = ["other", "mat2", "vec", "vec2", "tensor", "batch2", "x2"]
        .into_iter()
        .find(|name| op.arguments.get(name).is_some());
    (op.input_name(), right.unwrap_or("other"))
}

/// Two named tensors, with the check that their types go together.
fn pair(op: &mut Operation, left: &str, right: &str) -> (TensorArgument, TensorArgument, DType) {
    let (one, other) = (op.tensor(left), op.tensor(right));
    op.same_type((left, one.dtype), (right, other.dtype));
    let dtype = type_of_product(op, one.dtype, other.dtype);
    (one, other, dtype)
}

/// The element type of a product. PyTorch's operands have one type, which the one that is known tells; NumPy's are promoted.
fn type_of_product(op: &Operation, one: DType, other: DType) -> DType {
    match (one, other) {
        _ if !op.takes_arrays() => {
            if one == DType::Unknown {
                other
            } else {
                one
            }
        }
        // Nearly all that NumPy multiplies is real, and no real type is wider.
        (DType::Unknown, DType::Float64) | (DType::Float64, DType::Unknown) => DType::Float64,
        _ => promote_arrays(one, other),
    }
}

impl Operation<'_> {
    /// Requires that the inner dimensions of a product agree.
    fn inner(&mut self, left: (&str, &Shape, Dim), right: (&str, &Shape, Dim), which: &str) -> Result<(), Stop> {
        let message = format_args!(
            "{} and {} cannot be multiplied: the last dimension of `{}` is {}, but the {which} of `{}` is {}",
            self.operand(left.0, left.1),
            self.operand(right.0, right.1),
            left.0,
            left.2,
            right.0,
            right.2
        );
        self.demand(Constraint::Equal(left.2, right.2), &[left.0, right.0], || message.to_string())
    }
}

/// `matmul(input, other)`, `@`: vectors, matrices and batches of them.
pub(crate) fn matmul(op: &mut Operation) -> Evaluated {
    let (left_name, right_name) = operand_names(op);
    let (left, right, dtype) = pair(op, left_name, right_name);
    for (name, tensor) in [(left_name, &left), (right_name, &right)] {
        if op.is_scalar(&tensor.shape) {
            return op.reject(
                &[name],
                format!("both operands of `matmul` need at least 1 dimension, but `{name}` has none"),
            );
        }
    }
    let shape = match (op.rank(&left.shape), op.rank(&right.shape)) {
        (Some(1), _) => vector_product(op, (left_name, &left.shape), (right_name, &right.shape))?,
        (_, Some(1)) => {
            let Some((_, rest, back)) = op.solver.split(&left.shape, 0, 1) else { return Ok(unknown_tensor(dtype)) };
            let size = op.with_rank(&right.shape, 1, right_name)?[0];
            op.inner((left_name, &left.shape, back[0]), (right_name, &right.shape, size), "length")?;
            op.solver.resolve_shape(&rest)
        }
        (_, Some(2)) => {
            let dims = op.with_rank(&right.shape, 2, right_name)?;
            let Some((_, rest, back)) = op.solver.split(&left.shape, 0, 1) else { return Ok(unknown_tensor(dtype)) };
            op.inner((left_name, &left.shape, back[0]), (right_name, &right.shape, dims[0]), "second-last dimension")?;
            joined(&[], Some(&rest), &dims[1..])
        }
        _ => batched_product(op, (left_name, &left.shape), (right_name, &right.shape))?,
    };
    Ok(Output::tensor(op.solver.resolve_shape(&shape), dtype))
}

/// A vector times a vector, a matrix or a batch of matrices.
fn vector_product(op: &mut Operation, left: (&str, &Shape), right: (&str, &Shape)) -> Result<Shape, Stop> {
    let size = op.with_rank(left.1, 1, left.0)?[0];
    if op.rank(right.1) == Some(1) {
        let other = op.with_rank(right.1, 1, right.0)?[0];
        op.inner((left.0, left.1, size), (right.0, right.1, other), "length")?;
        return Ok(Shape::scalar());
    }
    let Some((_, rest, back)) = op.solver.split(right.1, 0, 2) else { return Ok(Shape::unknown("product")) };
    op.inner((left.0, left.1, size), (right.0, right.1, back[0]), "second-last dimension")?;
    Ok(joined(&[], Some(&rest), &back[1..]))
}

/// Matrices, or batches of them whose leading dimensions broadcast.
fn batched_product(op: &mut Operation, left: (&str, &Shape), right: (&str, &Shape)) -> Result<Shape, Stop> {
    let is_open = |op: &Operation, shape: &Shape| op.rank(shape).is_none() && shape.minimum_rank() < 2;
    if op.rules.takes_vectors && (is_open(op, left.1) || is_open(op, right.1)) {
        return Ok(Shape::unknown("product"));
    }
    let (Some((_, left_rest, left_back)), Some((_, right_rest, right_back))) =
        (op.solver.split(left.1, 0, 2), op.solver.split(right.1, 0, 2))
    else {
        return Ok(Shape::unknown("product"));
    };
    for (name, shape) in [left, right] {
        if shape.minimum_rank() < 2 && op.solver.resolve_shape(shape).rank() != Some(2) && shape.rank().is_none() {
            op.guess(name, "at least 2 dimensions".to_owned(), vec![-1]);
        }
    }
    op.inner((left.0, left.1, left_back[1]), (right.0, right.1, right_back[0]), "second-last dimension")?;
    let rest = if op.solver.resolve_shape(&left_rest) == op.solver.resolve_shape(&right_rest) {
        left_rest
    } else {
        let count = op.judged.len();
        let rest = op.broadcast((left.0, &left_rest), (right.0, &right_rest));
        let context = format!(
            "the batch dimensions of {} and {} must broadcast: ",
            op.operand(left.0, left.1),
            op.operand(right.0, right.1)
        );
        op.judged[count..].iter_mut().for_each(|judged| judged.message.insert_str(0, &context));
        rest?
    };
    Ok(joined(&[], Some(&rest), &[left_back[0], right_back[1]]))
}

/// `mm(input, mat2)`: two matrices.
pub(crate) fn mm(op: &mut Operation) -> Evaluated {
    let (left_name, right_name) = operand_names(op);
    let (left, right, dtype) = pair(op, left_name, right_name);
    let shape = matrix_product(op, (left_name, &left.shape), (right_name, &right.shape))?;
    Ok(Output::tensor(shape, dtype))
}

fn matrix_product(op: &mut Operation, left: (&str, &Shape), right: (&str, &Shape)) -> Result<Shape, Stop> {
    let one = op.with_rank(left.1, 2, left.0)?;
    let other = op.with_rank(right.1, 2, right.0)?;
    op.inner((left.0, left.1, one[1]), (right.0, right.1, other[0]), "first dimension")?;
    Ok(Shape::known(vec![one[0], other[1]]))
}

/// `bmm(input, mat2)`: two batches of matrices of the same length.
pub(crate) fn bmm(op: &mut Operation) -> Evaluated {
    let (left_name, right_name) = operand_names(op);
    let (left, right, dtype) = pair(op, left_name, right_name);
    let shape = batch_product(op, (left_name, &left.shape), (right_name, &right.shape))?;
    Ok(Output::tensor(shape, dtype))
}

fn batch_product(op: &mut Operation, left: (&str, &Shape), right: (&str, &Shape)) -> Result<Shape, Stop> {
    let one = op.with_rank(left.1, 3, left.0)?;
    let other = op.with_rank(right.1, 3, right.0)?;
    let message = format_args!(
        "{} and {} must have the same batch size",
        op.operand(left.0, left.1),
        op.operand(right.0, right.1)
    );
    op.demand(Constraint::Equal(one[0], other[0]), &[left.0, right.0], || message.to_string())?;
    op.inner((left.0, left.1, one[2]), (right.0, right.1, other[1]), "second dimension")?;
    Ok(Shape::known(vec![op.solver.resolve(one[0]), one[1], other[2]]))
}

/// `mv(input, vec)`.
pub(crate) fn mv(op: &mut Operation) -> Evaluated {
    let (left_name, right_name) = operand_names(op);
    let (left, right, dtype) = pair(op, left_name, right_name);
    let one = op.with_rank(&left.shape, 2, left_name)?;
    let other = op.with_rank(&right.shape, 1, right_name)?;
    op.inner((left_name, &left.shape, one[1]), (right_name, &right.shape, other[0]), "length")?;
    Ok(Output::tensor(Shape::known(vec![one[0]]), dtype))
}

/// `dot(input, tensor)`, `vdot`, `inner` of vectors.
pub(crate) fn dot(op: &mut Operation) -> Evaluated {
    // NumPy's multiplies matrices, too.
    if op.arguments.may_be_arrays {
        return crate::numpy_functions::dot(op);
    }
    let (left_name, right_name) = operand_names(op);
    let (left, right, dtype) = pair(op, left_name, right_name);
    let one = op.with_rank(&left.shape, 1, left_name)?;
    let other = op.with_rank(&right.shape, 1, right_name)?;
    op.inner((left_name, &left.shape, one[0]), (right_name, &right.shape, other[0]), "length")?;
    Ok(Output::tensor(Shape::scalar(), dtype))
}

/// The names of the operands of `addmm` and its like.
fn added_names(op: &Operation) -> (&'static str, &'static str) {
    let pairs = [("mat1", "mat2"), ("batch1", "batch2"), ("mat", "vec"), ("vec1", "vec2")];
    pairs.into_iter().find(|(first, _)| op.arguments.get(first).is_some()).unwrap_or(("mat1", "mat2"))
}

/// `addmm(input, mat1, mat2)`, `addbmm`, `baddbmm`, `addmv`, `addr`: `input` is expanded to the product.
pub(crate) fn added_product(op: &mut Operation) -> Evaluated {
    // An older form, `addmm(beta, input, alpha, mat1, mat2)`, begins with a number.
    if matches!(op.arguments.value(op.input_name()), Argument::Integer(_) | Argument::Float(_)) {
        return Ok(unknown_tensor(DType::Unknown));
    }
    let name = op.input_name();
    let input = op.input();
    let (left_name, right_name) = added_names(op);
    let (left, right, dtype) = if op.short_name().trim_end_matches('_') == "addr" {
        // An outer product is element-wise: its types are promoted.
        let dtype =
            op.result_type(&[op.arguments.value(name), op.arguments.value(left_name), op.arguments.value(right_name)]);
        (op.tensor(left_name), op.tensor(right_name), dtype)
    } else {
        pair(op, left_name, right_name)
    };
    let (left, right) = ((left_name, &left.shape), (right_name, &right.shape));
    let shape = match op.short_name().trim_end_matches('_') {
        "baddbmm" => batch_product(op, left, right)?,
        "addbmm" => {
            let dims = batch_product(op, left, right)?.dims().unwrap_or_default();
            Shape::known(dims.get(1..).unwrap_or_default().to_vec())
        }
        "addmv" => {
            let (one, other) = (op.with_rank(left.1, 2, left.0)?, op.with_rank(right.1, 1, right.0)?);
            op.inner((left.0, left.1, one[1]), (right.0, right.1, other[0]), "length")?;
            Shape::known(vec![one[0]])
        }
        "addr" => {
            let (one, other) = (op.with_rank(left.1, 1, left.0)?, op.with_rank(right.1, 1, right.0)?);
            Shape::known(vec![one[0], other[0]])
        }
        _ => matrix_product(op, left, right)?,
    };
    op.broadcast_into((name, &input.shape), ("the product", &shape))?;
    Ok(Output::tensor(shape, dtype))
}

/// `linear(input, weight, bias)`.
pub(crate) fn linear(op: &mut Operation) -> Evaluated {
    let (input, weight, dtype) = pair(op, "input", "weight");
    if op.is_scalar(&input.shape) {
        return op.reject(&["input"], "`input` must have at least 1 dimension".to_owned());
    }
    let ranks: &[usize] = if op.is_absent("bias") { &[1, 2] } else { &[2] };
    let dims = op.with_rank_of(&weight.shape, ranks, "weight")?;
    let Some((_, rest, back)) = op.solver.split(&input.shape, 0, 1) else { return Ok(unknown_tensor(dtype)) };
    let inner = dims[dims.len() - 1];
    let fits = inner_agrees(op, &input.shape, back[0], "weight", &weight.shape, inner);
    let out = &dims[..dims.len() - 1];
    let shape = joined(&[], Some(&rest), out);
    if let Some(bias) = op.given_tensor("bias")
        && let (Some(sizes), [out]) = (op.dims(&bias.shape), out)
        && let Some(size) = sizes.last()
    {
        let message = format_args!(
            "{} must have {out} elements, one for each row of {}",
            op.operand("bias", &bias.shape),
            op.operand("weight", &weight.shape)
        );
        let fits = if size.as_const() == Some(1) { Constraint::True } else { Constraint::Equal(*size, *out) };
        op.demand(fits, &["bias", "weight"], || message.to_string())?;
    }
    if !fits && op.rank(&shape).is_none() {
        return Err(Stop);
    }
    Ok(Output::tensor(op.solver.resolve_shape(&shape), dtype))
}

fn inner_agrees(op: &mut Operation, input: &Shape, last: Dim, name: &str, weight: &Shape, inner: Dim) -> bool {
    let message = format_args!(
        "{} and {} cannot be multiplied: expected {inner} features (the last dimension of `{name}`), got {last}",
        op.operand("input", input),
        op.operand(name, weight)
    );
    op.require(Constraint::Equal(last, inner), &["input", name], |_| message.to_string())
}

/// `nn.Linear(in_features, out_features)(input)`.
pub(crate) fn linear_module(op: &mut Operation) -> Evaluated {
    let input = op.tensor("input");
    if is_integral(input.dtype) {
        op.fail(&["input"], format!("`input` is {}, but the weights of `Linear` are floats", input.dtype));
    }
    op.weights_take(("input", input.dtype));
    if op.is_scalar(&input.shape) {
        return op.reject(&["input"], "`input` must have at least 1 dimension".to_owned());
    }
    let out = op.dim_argument("out_features").unwrap_or_else(|| fresh("out_features"));
    let Some((_, rest, back)) = op.solver.split(&input.shape, 0, 1) else { return Ok(unknown_tensor(input.dtype)) };
    if let Some(features) = op.dim_argument("in_features") {
        let last = back[0];
        let message = format_args!(
            "mat1 and mat2 cannot be multiplied: expected {features} features (`in_features`), got {last} in the last dimension of {}",
            op.operand("input", &input.shape)
        );
        op.equal(last, features, &["input", "in_features"], || message.to_string());
    }
    Ok(Output::tensor(joined(&[], Some(&op.solver.resolve_shape(&rest)), &[out]), input.dtype))
}

/// `bilinear(input1, input2, weight)` and `nn.Bilinear(in1_features, in2_features, out_features)`.
pub(crate) fn bilinear(op: &mut Operation) -> Evaluated {
    let (left, right) = (op.tensor("input1"), op.tensor("input2"));
    let (out, features) = match op.given_tensor("weight") {
        Some(weight) => {
            let dims = op.with_rank(&weight.shape, 3, "weight")?;
            (dims[0], [Some(dims[1]), Some(dims[2])])
        }
        None => {
            let out = op.dim_argument("out_features").unwrap_or_else(|| fresh("out_features"));
            (out, [op.dim_argument("in1_features"), op.dim_argument("in2_features")])
        }
    };
    let (Some((_, left_rest, left_last)), Some((_, right_rest, right_last))) =
        (op.solver.split(&left.shape, 0, 1), op.solver.split(&right.shape, 0, 1))
    else {
        return op.reject(&["input1", "input2"], "`bilinear` needs inputs with at least 1 dimension".to_owned());
    };
    let texts = (op.operand("input1", &left.shape), op.operand("input2", &right.shape));
    let message = format_args!("{} and {} must have the same leading dimensions", texts.0, texts.1);
    op.demand(Constraint::SameShape(left_rest.clone(), right_rest), &["input1", "input2"], || message.to_string())?;
    let names = [("input1", "in1_features", left_last[0]), ("input2", "in2_features", right_last[0])];
    for ((name, parameter, last), features) in names.into_iter().zip(features) {
        if let Some(features) = features {
            let message = format_args!(
                "expected {features} features (`{parameter}`), got {last} in the last dimension of `{name}`"
            );
            op.demand(Constraint::Equal(last, features), &[name, parameter], || message.to_string())?;
        }
    }
    if let Some(bias) = op.given_tensor("bias") {
        let size = op.solver.resolve(bias.shape.prod());
        let message = format_args!("{} must have {out} entries, one for each output", op.operand("bias", &bias.shape));
        op.demand(Constraint::Equal(size, out), &["bias", "weight"], || message.to_string())?;
    }
    Ok(Output::tensor(joined(&[], Some(&op.solver.resolve_shape(&left_rest)), &[out]), left.dtype))
}

/// `tensordot(a, b, dims=2)`: a number of dimensions, or two lists of them.
pub(crate) fn tensordot(op: &mut Operation) -> Evaluated {
    let (left_name, right_name) = if op.arguments.get("a").is_some() { ("a", "b") } else { ("input", "other") };
    let (left, right, dtype) = pair(op, left_name, right_name);
    let (Some(one), Some(other)) = (op.dims(&left.shape), op.dims(&right.shape)) else {
        return Ok(unknown_tensor(dtype));
    };
    let axes = match op.arguments.value("dims") {
        Argument::Sequence(lists) if lists.len() == 2 => {
            let list =
                |argument: &Argument| -> Option<Vec<i64>> { items(argument)?.iter().map(Argument::as_int).collect() };
            match (list(&lists[0]), list(&lists[1])) {
                (Some(first), Some(second)) => Some((first, second)),
                _ => None,
            }
        }
        // More dimensions than a tensor can have are as wrong as one more.
        argument => {
            argument.as_int().map(|dims| dims.clamp(0, 65)).map(|dims| ((-dims..0).collect(), (0..dims).collect()))
        }
    };
    let Some((first, second)) = axes else { return Ok(unknown_tensor(dtype)) };
    let texts = (op.operand(left_name, &left.shape), op.operand(right_name, &right.shape));
    if first.len() != second.len() || first.len() > one.len() || second.len() > other.len() {
        let message = format!(
            "`dims` must name as many dimensions of {} as of {}, and not more than there are",
            texts.0, texts.1
        );
        return op.reject(&["dims", left_name, right_name], message);
    }
    let first = contracted(op, &first, &left.shape, &one)?;
    let second = contracted(op, &second, &right.shape, &other)?;
    for (one_axis, other_axis) in first.iter().zip(&second) {
        let (size, against) = (one[*one_axis], other[*other_axis]);
        let message = format_args!(
            "the contracted dimensions must agree: dimension {one_axis} of {} is {size}, but dimension {other_axis} of {} is {against}",
            texts.0, texts.1
        );
        let constraint = Constraint::Broadcastable(size, against);
        op.demand(constraint, &[left_name, right_name], || message.to_string())?;
    }
    let kept = |dims: &[Dim], gone: &[usize]| -> Vec<Dim> {
        dims.iter().enumerate().filter(|(axis, _)| !gone.contains(axis)).map(|(_, dim)| *dim).collect()
    };
    let mut result = kept(&one, &first);
    result.extend(kept(&other, &second));
    Ok(Output::tensor(Shape::known(result), dtype))
}

fn contracted(op: &mut Operation, dims: &[i64], shape: &Shape, known: &[Dim]) -> Result<Vec<usize>, Stop> {
    op.distinct_axes(dims, known.len(), "dims", shape)
}

/// `kron(input, other)`.
pub(crate) fn kron(op: &mut Operation) -> Evaluated {
    let (left_name, right_name) = operand_names(op);
    let (left, right) = (op.tensor(left_name), op.tensor(right_name));
    let dtype = op.result_type(&[op.arguments.value(left_name), op.arguments.value(right_name)]);
    let (Some(one), Some(other)) = (op.dims(&left.shape), op.dims(&right.shape)) else {
        return Ok(unknown_tensor(dtype));
    };
    let rank = one.len().max(other.len());
    let padded =
        |dims: &[Dim], place: usize| (place + dims.len()).checked_sub(rank).map_or(constant(1), |place| dims[place]);
    let result = (0..rank).map(|place| product(&[padded(&one, place), padded(&other, place)])).collect::<Vec<_>>();
    Ok(Output::tensor(Shape::known(result), dtype))
}

/// `cdist(x1, x2)`: distances between the rows of two matrices, or batches of them.
pub(crate) fn cdist(op: &mut Operation) -> Evaluated {
    let (left, right) = (op.tensor("x1"), op.tensor("x2"));
    op.same_type(("x1", left.dtype), ("x2", right.dtype));
    for (name, tensor) in [("x1", &left), ("x2", &right)] {
        if op.rank(&tensor.shape).is_some_and(|rank| rank < 2) {
            return op.reject(&[name], format!("`{name}` needs at least 2 dimensions, got shape {}", tensor.shape));
        }
    }
    let (Some((_, left_rest, one)), Some((_, right_rest, other))) =
        (op.solver.split(&left.shape, 0, 2), op.solver.split(&right.shape, 0, 2))
    else {
        return Ok(unknown_tensor(left.dtype));
    };
    let texts = (op.operand("x1", &left.shape), op.operand("x2", &right.shape));
    let message = format_args!(
        "{} and {} must have the same number of columns, got {} and {}",
        texts.0, texts.1, one[1], other[1]
    );
    op.demand(Constraint::Equal(one[1], other[1]), &["x1", "x2"], || message.to_string())?;
    let rest = op.broadcast(("x1", &left_rest), ("x2", &right_rest))?;
    Ok(Output::tensor(joined(&[], Some(&rest), &[one[0], other[0]]), left.dtype))
}

/// `cross(input, other, dim)`: both of size 3 along the dimension.
pub(crate) fn cross(op: &mut Operation) -> Evaluated {
    let (left_name, right_name) = operand_names(op);
    let (left, right) = (op.tensor(left_name), op.tensor(right_name));
    if op.takes_arrays() {
        return cross_of_arrays(op, (left_name, &left), (right_name, &right));
    }
    if let (Some(one), Some(other)) = (op.rank(&left.shape), op.rank(&right.shape))
        && one != other
    {
        let message = format!(
            "{} and {} must have the same number of dimensions",
            op.operand(left_name, &left.shape),
            op.operand(right_name, &right.shape)
        );
        return op.reject(&[left_name, right_name], message);
    }
    let shape = op.broadcast((left_name, &left.shape), (right_name, &right.shape))?;
    let default = if op.api.contains("linalg") { Some(-1) } else { None };
    let dim = if op.is_absent("dim") { default } else { op.int_argument("dim") };
    let Some(dim) = dim else { return Ok(Output::tensor(shape, left.dtype)) };
    for (name, tensor) in [(left_name, &left), (right_name, &right)] {
        if let Some((axes, place)) = op.open_at(&tensor.shape, dim, "dim")? {
            let size = axes.get(place);
            let message = format_args!("dimension {dim} of {} must be 3, got {size}", op.operand(name, &tensor.shape));
            op.demand(Constraint::Equal(size, constant(3)), &[name], || message.to_string())?;
        }
    }
    Ok(Output::tensor(shape, left.dtype))
}

/// `numpy.cross(a, b)`: vectors of 2 or 3 along the last axes, the other axes broadcast.
fn cross_of_arrays(op: &mut Operation, left: (&str, &TensorArgument), right: (&str, &TensorArgument)) -> Evaluated {
    let dtype = op.result_type(&[op.arguments.value(left.0), op.arguments.value(right.0)]);
    let is_plain = ["axisa", "axisb", "axisc"].into_iter().all(|name| matches!(op.int_or(name, -1), Some(-1)));
    let parts = (op.solver.split(&left.1.shape, 0, 1), op.solver.split(&right.1.shape, 0, 1));
    let ((Some((_, one_rest, one)), Some((_, other_rest, other))), true, true) = (parts, is_plain, op.is_absent("dim"))
    else {
        return Ok(unknown_tensor(dtype));
    };
    for (name, size) in [(left.0, one[0]), (right.0, other[0])] {
        let message = format_args!("the vectors of `{name}` must have 2 or 3 elements, got {size}");
        let fits = Constraint::Or(vec![Constraint::Equal(size, constant(3)), Constraint::Equal(size, constant(2))]);
        op.demand(fits, &[name], || message.to_string())?;
    }
    let rest = op.broadcast((left.0, &one_rest), (right.0, &other_rest))?;
    let is_flat = one[0].as_const() == Some(2) && other[0].as_const() == Some(2);
    let last: &[Dim] = if is_flat { &[] } else { &[constant(3)] };
    Ok(Output::tensor(joined(&[], Some(&rest), last), dtype))
}

/// `chain_matmul`, `linalg.multi_dot`: matrices whose inner dimensions agree in turn; the ends of `multi_dot` may be vectors.
pub(crate) fn chained_product(op: &mut Operation) -> Evaluated {
    let name = if op.arguments.get("tensors").is_some() { "tensors" } else { "matrices" };
    let Some(matrices) = op.tensor_list(name) else { return Ok(unknown_tensor(DType::Unknown)) };
    let mut tensors: Vec<TensorArgument> = matrices.iter().map(|matrix| op.as_tensor(matrix, name)).collect();
    let may_end_in_vectors = op.short_name() == "multi_dot";
    let least = usize::from(may_end_in_vectors) + 1;
    if tensors.len() < least {
        return op.reject(&[name], format!("`{}` needs at least {least} tensors", op.short_name()));
    }
    let is_vector = |op: &Operation, tensor: &TensorArgument| op.rank(&tensor.shape) == Some(1);
    let last = tensors.len() - 1;
    let from_vector = may_end_in_vectors && is_vector(op, &tensors[0]);
    let to_vector = may_end_in_vectors && is_vector(op, &tensors[last]);
    if from_vector {
        tensors[0].shape = joined(&[constant(1)], Some(&tensors[0].shape), &[]);
    }
    if to_vector {
        tensors[last].shape = joined(&[], Some(&tensors[last].shape), &[constant(1)]);
    }
    let mut tensors = tensors.into_iter();
    let Some(mut result) = tensors.next() else { return Ok(unknown_tensor(DType::Unknown)) };
    for next in tensors {
        op.same_type((name, result.dtype), (name, next.dtype));
        result.dtype = type_of_product(op, result.dtype, next.dtype);
        result.shape = matrix_product(op, (name, &result.shape), (name, &next.shape))?;
    }
    let mut dims = op.with_rank(&result.shape, 2, name)?;
    if to_vector {
        dims.pop();
    }
    if from_vector {
        dims.remove(0);
    }
    Ok(Output::tensor(Shape::known(dims), result.dtype))
}

/// `inner(input, other)`: the last dimensions are summed over; a number multiplies.
pub(crate) fn inner_product(op: &mut Operation) -> Evaluated {
    let (left_name, right_name) = operand_names(op);
    let (left, right, dtype) = pair(op, left_name, right_name);
    if op.is_scalar(&left.shape) || op.is_scalar(&right.shape) {
        let shape = op.broadcast((left_name, &left.shape), (right_name, &right.shape))?;
        return Ok(Output::tensor(shape, dtype));
    }
    let (Some((_, left_rest, one)), Some((_, right_rest, other))) =
        (op.solver.split(&left.shape, 0, 1), op.solver.split(&right.shape, 0, 1))
    else {
        return Ok(unknown_tensor(dtype));
    };
    op.inner((left_name, &left.shape, one[0]), (right_name, &right.shape, other[0]), "last dimension")?;
    Ok(Output::tensor(left_rest.concat(&right_rest), dtype))
}
