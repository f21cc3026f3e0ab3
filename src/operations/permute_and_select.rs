//! Transfer functions that reorder, select or pad out the dimensions of a tensor.

use crate::operation::{Argument, Operation, Output, TensorArgument};
use crate::support::{Evaluated, Stop, constant, fresh, fresh_count, fresh_value, joined, unknown_tensor};
use harp_shape::{Constraint, Dim, OutOfRange, Shape};

fn transposed(op: &mut Operation, shape: &Shape, one: (&str, i64), other: (&str, i64)) -> Result<Shape, Stop> {
    if let Some(mut dims) = op.dims(shape) {
        let first = op.axis(one.1, dims.len(), one.0, shape)?;
        let second = op.axis(other.1, dims.len(), other.0, shape)?;
        if !dims.is_empty() {
            dims.swap(first, second);
        }
        return Ok(Shape::known(dims));
    }
    if one.1 == other.1 {
        return Ok(shape.clone());
    }
    let Some((mut axes, places)) = op.open(shape, &[one.1, other.1], one.0)? else {
        return Ok(Shape::unknown("transposed"));
    };
    let (left, right) = (axes.get(places[0]), axes.get(places[1]));
    axes.set(places[0], right);
    axes.set(places[1], left);
    Ok(axes.shape())
}

/// `t()`: at most two dimensions.
pub(crate) fn t(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let Some(mut dims) = op.dims(&input.shape) else {
        // A vector stays as it is, and a matrix is meant where nothing says which.
        let dims = op.with_rank_of(&input.shape, &[1, 2], op.input_name())?;
        return Ok(Output::tensor(Shape::known(dims.into_iter().rev().collect::<Vec<_>>()), input.dtype));
    };
    if dims.len() > 2 {
        let message = format!(
            "`t` takes at most 2 dimensions, but {} has {}",
            op.operand(op.input_name(), &input.shape),
            dims.len()
        );
        return op.reject(&[op.input_name()], message);
    }
    dims.reverse();
    Ok(Output::tensor(Shape::known(dims), input.dtype))
}

/// `input.mT`, `adjoint()`, `H`: the last two dimensions swapped.
pub(crate) fn matrix_transpose(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let only_matrices = op.short_name() == "H";
    if op.rank(&input.shape).is_some_and(|rank| rank == 1 || (only_matrices && rank > 2)) {
        let wanted = if only_matrices { "2 dimensions" } else { "at least 2 dimensions" };
        let message = format!("`{}` needs {wanted}, got shape {}", op.short_name(), op.text(&input.shape));
        return op.reject(&[op.input_name()], message);
    }
    let scalar = op.is_scalar(&input.shape);
    let shape = if scalar { input.shape } else { transposed(op, &input.shape, ("dim", -2), ("dim", -1))? };
    Ok(Output::tensor(shape, input.dtype))
}

/// `expand(*sizes)`, `broadcast_to(size)`: -1 keeps a dimension.
pub(crate) fn expand(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let parameter = ["size", "sizes", "shape"].into_iter().find(|name| !op.is_absent(name)).unwrap_or("size");
    let Some(sizes) = op.sizes(parameter)? else { return Ok(unknown_tensor(input.dtype)) };
    let Some(dims) = op.dims(&input.shape) else {
        let kept = |size: &Dim| if size.as_const() == Some(-1) { fresh("kept") } else { *size };
        return Ok(Output::tensor(Shape::known(sizes.iter().map(kept).collect::<Vec<_>>()), input.dtype));
    };
    let target = format!("[{}]", sizes.iter().map(Dim::to_string).collect::<Vec<_>>().join(", "));
    let subject = op.operand(op.input_name(), &input.shape);
    let operands = [op.input_name(), parameter];
    if sizes.len() < dims.len() {
        let message = format!("{subject} cannot be expanded to {target}, which has fewer dimensions");
        return op.reject(&operands, message);
    }
    let leading = sizes.len() - dims.len();
    let mut result = Vec::with_capacity(sizes.len());
    for (place, size) in sizes.iter().enumerate() {
        let own = place.checked_sub(leading).map(|place| dims[place]);
        if size.as_const() == Some(-1) {
            let Some(own) = own else {
                return op.reject(
                    &operands,
                    format!("-1 in {target} stands at dimension {place}, which {subject} does not have"),
                );
            };
            result.push(own);
            continue;
        }
        let now = own.map_or_else(String::new, |own| own.to_string());
        let message = format_args!(
            "{subject} cannot be expanded to {target}: dimension {place} would become {size}, but it is {now}, not 1"
        );
        op.demand(Constraint::LessEqual(constant(0), *size), &operands, || {
            format!("the size {size} in {target} is negative")
        })?;
        if let Some(own) = own {
            let constraint = expandable(own, *size);
            op.demand(constraint, &operands, || message.to_string())?;
        }
        result.push(*size);
    }
    Ok(Output::tensor(Shape::known(result), input.dtype))
}

/// That a dimension is 1, or already of the size asked for.
fn expandable(own: Dim, size: Dim) -> Constraint {
    match own.as_const() {
        Some(1) => Constraint::True,
        Some(_) => Constraint::Equal(own, size),
        None => Constraint::Or(vec![Constraint::Equal(own, size), Constraint::Equal(own, constant(1))]),
    }
}

/// `expand_as(other)`.
pub(crate) fn expand_as(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let other = op.tensor("other");
    op.broadcast_into((op.input_name(), &input.shape), ("other", &other.shape))?;
    Ok(Output::tensor(other.shape, input.dtype))
}

/// `repeat(*repeats)`: at least one factor a dimension.
pub(crate) fn repeat(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let parameter = ["repeats", "sizes", "size"].into_iter().find(|name| !op.is_absent(name)).unwrap_or("repeats");
    let Some(factors) = op.sizes(parameter)? else { return Ok(unknown_tensor(input.dtype)) };
    let Some(dims) = op.dims(&input.shape) else {
        // There are as many dimensions as factors, however many the tensor has.
        if op.arguments.may_be_arrays && may_repeat_elements(&factors) {
            return Ok(unknown_tensor(input.dtype));
        }
        let sizes: Vec<Dim> = factors.iter().map(|_| fresh("repeated")).collect();
        return Ok(Output::tensor(Shape::known(sizes), input.dtype));
    };
    if factors.len() < dims.len() {
        let message = format!(
            "`repeat` needs a factor for each dimension of {}, but is given {}",
            op.operand(op.input_name(), &input.shape),
            factors.len()
        );
        return op.reject(&[parameter, op.input_name()], message);
    }
    let shape = multiplied(op, &dims, &factors, parameter)?;
    Ok(Output::tensor(shape, input.dtype))
}

/// Whether an array of NumPy may be meant, which repeats its elements so many times, along an axis where there is one. Nobody writes that each
/// is there once.
fn may_repeat_elements(factors: &[Dim]) -> bool {
    match factors {
        [_] => true,
        [times, _] => *times != Dim::ONE,
        _ => false,
    }
}

/// `tile(dims)`: missing factors are 1.
pub(crate) fn tile(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let parameter = if op.is_absent("dims") { "reps" } else { "dims" };
    let (Some(factors), Some(dims)) = (op.sizes(parameter)?, op.dims(&input.shape)) else {
        return Ok(unknown_tensor(input.dtype));
    };
    let missing = dims.len().saturating_sub(factors.len());
    let mut all = vec![constant(1); missing];
    all.extend(factors);
    let shape = multiplied(op, &dims, &all, parameter)?;
    Ok(Output::tensor(shape, input.dtype))
}

/// The dimensions, aligned at the end, times their factors.
fn multiplied(op: &mut Operation, dims: &[Dim], factors: &[Dim], parameter: &str) -> Result<Shape, Stop> {
    let leading = factors.len() - dims.len();
    let mut result = Vec::with_capacity(factors.len());
    for (place, factor) in factors.iter().enumerate() {
        op.demand(Constraint::LessEqual(constant(0), *factor), &[parameter], || {
            format!("the factor {factor} is negative")
        })?;
        result.push(place.checked_sub(leading).map_or(*factor, |place| dims[place] * *factor));
    }
    Ok(Shape::known(result))
}

/// `repeat_interleave(repeats, dim)`.
pub(crate) fn repeat_interleave(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let repeats = op.dim_argument("repeats");
    let listed = listed_repeats(op, &input);
    if let Some(repeats) = repeats {
        let message = format_args!("`repeats` must not be negative, got {repeats}");
        op.demand(Constraint::LessEqual(constant(0), repeats), &["repeats"], || message.to_string())?;
    }
    if op.is_absent("dim") {
        let size = listed.unwrap_or_else(|| {
            repeats.map_or_else(|| fresh_count("repeated"), |repeats| op.solver.resolve(input.shape.prod()) * repeats)
        });
        return Ok(Output::tensor(Shape::known(vec![size]), input.dtype));
    }
    let Some(dim) = op.int_argument("dim") else { return Ok(unknown_tensor(input.dtype)) };
    if op.is_scalar(&input.shape) && !op.takes_arrays() {
        return op.reject(
            &["dim", op.input_name()],
            "`repeat_interleave` along a dimension needs a tensor that has one".to_owned(),
        );
    }
    let Some((mut axes, place)) = op.open_at(&input.shape, dim, "dim")? else {
        let scalar = op.is_scalar(&input.shape);
        return Ok(if scalar {
            Output::tensor(Shape::known(vec![repeats.unwrap_or_else(|| fresh_count("repeated"))]), input.dtype)
        } else {
            unknown_tensor(input.dtype)
        });
    };
    if let Some(size) = count_of_repeats(op) {
        let own = axes.get(place);
        let message = format_args!(
            "`repeats` must have one entry for each of the {own} items in dimension {dim} of {}, got {size}",
            op.operand(op.input_name(), &input.shape)
        );
        op.demand(Constraint::Broadcastable(size, own), &["repeats", op.input_name()], || message.to_string())?;
    }
    let size =
        listed.unwrap_or_else(|| repeats.map_or_else(|| fresh_count("repeated"), |repeats| axes.get(place) * repeats));
    axes.set(place, size);
    Ok(Output::tensor(axes.shape(), input.dtype))
}

/// How many numbers say how often each is repeated, where they are a list or a tensor.
fn count_of_repeats(op: &mut Operation) -> Option<Dim> {
    if let Some(Argument::Sequence(items)) = op.arguments.get("repeats") {
        return i64::try_from(items.len()).ok().map(constant);
    }
    let counts = op.given_tensor("repeats")?;
    match op.dims(&counts.shape)?[..] {
        [size] => Some(size),
        _ => None,
    }
}

/// How many there are together, where a list says how often each is repeated.
fn listed_repeats(op: &Operation, input: &TensorArgument) -> Option<Dim> {
    let Some(Argument::Sequence(items)) = op.arguments.get("repeats") else { return None };
    let repeats: Vec<Dim> = items.iter().map(Argument::as_dim).collect::<Option<_>>()?;
    // One number stands for all.
    match repeats.as_slice() {
        [] => None,
        [all] => {
            Some(op.solver.resolve(input.shape.prod()) * *all).filter(|_| op.is_absent("dim") && op.is_absent("axis"))
        }
        several => Some(several.iter().fold(constant(0), |total, one| total + *one)),
    }
}

/// `narrow(dim, start, length)`.
pub(crate) fn narrow(op: &mut Operation) -> Evaluated {
    let input = op.input();
    if op.is_scalar(&input.shape) {
        return op.reject(&[op.input_name()], "`narrow` cannot be applied to a tensor without dimensions".to_owned());
    }
    let Some(dim) = op.int_argument("dim") else { return Ok(unknown_tensor(input.dtype)) };
    let Some((mut axes, place)) = op.open_at(&input.shape, dim, "dim")? else { return Ok(unknown_tensor(input.dtype)) };
    let size = axes.get(place);
    let length = op.dim_argument("length").unwrap_or_else(|| fresh_count("length"));
    let subject = op.operand(op.input_name(), &input.shape);
    let message = format_args!("`length` must not be negative, got {length}");
    op.demand(Constraint::LessEqual(constant(0), length), &["length"], || message.to_string())?;
    if let (Some(start), true) = (op.dim_argument("start"), op.dim_argument("length").is_some()) {
        let start = if start.as_const().is_some_and(|start| start < 0) { start + size } else { start };
        let message = format_args!("`start` ({start}) is outside dimension {dim} of {subject}");
        op.demand(Constraint::LessEqual(constant(0), start), &["start", op.input_name()], || message.to_string())?;
        let message =
            format_args!("`start` ({start}) and `length` ({length}) reach beyond dimension {dim} of {subject}");
        op.demand(Constraint::LessEqual(start + length, size), &["start", "length", op.input_name()], || {
            message.to_string()
        })?;
    }
    axes.set(place, length);
    Ok(Output::tensor(axes.shape(), input.dtype))
}

/// `select(dim, index)`.
pub(crate) fn select(op: &mut Operation) -> Evaluated {
    let input = op.input();
    if op.is_scalar(&input.shape) {
        return op.reject(&[op.input_name()], "`select` cannot be applied to a tensor without dimensions".to_owned());
    }
    let Some(dim) = op.int_argument("dim") else { return Ok(unknown_tensor(input.dtype)) };
    let Some((axes, place)) = op.open_at(&input.shape, dim, "dim")? else { return Ok(unknown_tensor(input.dtype)) };
    if let Some(index) = op.dim_argument("index") {
        op.in_bounds(index, axes.get(place), "index", &input.shape)?;
    }
    Ok(Output::tensor(axes.without(&[place]), input.dtype))
}

impl Operation<'_> {
    /// Requires that an index, counted from either end, is within a dimension.
    pub(crate) fn in_bounds(&mut self, index: Dim, size: Dim, parameter: &str, shape: &Shape) -> Result<(), Stop> {
        if self.rules.out_of_range == OutOfRange::Clamps {
            return Ok(());
        }
        let constraint = match index.as_const() {
            Some(index) if index < 0 => Constraint::LessEqual(constant(index.saturating_neg()), size),
            _ => Constraint::Less(index, size),
        };
        let input = self.input_name();
        let message = format_args!(
            "index {index} is out of range for a dimension of {size} elements of {}",
            self.operand(input, shape)
        );
        self.demand(constraint, &[parameter, input], || message.to_string())
    }
}

/// `diagonal(offset=0, dim1=0, dim2=1)`: the diagonal becomes the last dimension.
pub(crate) fn diagonal(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let is_linalg = op.api.contains("linalg");
    let default = if is_linalg { (-2, -1) } else { (0, 1) };
    let (Some(one), Some(other)) = (op.int_or("dim1", default.0), op.int_or("dim2", default.1)) else {
        return Ok(unknown_tensor(input.dtype));
    };
    let Some((axes, places)) = op.open(&input.shape, &[one, other], "dim1, dim2")? else {
        if op.is_scalar(&input.shape) {
            return op.reject(&[op.input_name()], "`diagonal` needs at least 2 dimensions".to_owned());
        }
        return Ok(unknown_tensor(input.dtype));
    };
    let size = diagonal_size(axes.get(places[0]), axes.get(places[1]), op.int_or("offset", 0));
    Ok(Output::tensor(joined(&[], Some(&axes.without(&places)), &[size]), input.dtype))
}

/// The length of a diagonal of a matrix.
fn diagonal_size(rows: Dim, columns: Dim, offset: Option<i64>) -> Dim {
    match offset {
        Some(0) => rows.min(columns),
        Some(offset) if offset > 0 => rows.min(columns - constant(offset)).max(constant(0)),
        Some(offset) => (rows + constant(offset)).min(columns).max(constant(0)),
        None => fresh_count("diagonal"),
    }
}

/// `diag(diagonal=0)`: a matrix from a vector, or the diagonal of a matrix.
pub(crate) fn diag(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let offset = op.int_or("diagonal", 0);
    if op.rank(&input.shape).is_none() {
        return Ok(unknown_tensor(input.dtype));
    }
    let dims = op.with_rank_of(&input.shape, &[1, 2], op.input_name())?;
    let shape = match dims.as_slice() {
        [size] => {
            let size = offset.map_or_else(|| fresh("diagonal"), |offset| *size + constant(offset.saturating_abs()));
            Shape::known(vec![size, size])
        }
        [rows, columns] => Shape::known(vec![diagonal_size(*rows, *columns, offset)]),
        _ => Shape::unknown("diag"),
    };
    Ok(Output::tensor(shape, input.dtype))
}

/// `diag_embed(offset=0, dim1=-2, dim2=-1)` at the last two dimensions.
pub(crate) fn diag_embed(op: &mut Operation) -> Evaluated {
    let input = op.input();
    if op.is_scalar(&input.shape) {
        return op.reject(&[op.input_name()], "`diag_embed` needs at least 1 dimension".to_owned());
    }
    let (Some((_, rest, back)), Some(offset)) = (op.solver.split(&input.shape, 0, 1), op.int_or("offset", 0)) else {
        return Ok(unknown_tensor(input.dtype));
    };
    let size = back[0] + constant(offset.saturating_abs());
    let (Some(one), Some(other)) = (op.int_or("dim1", -2), op.int_or("dim2", -1)) else {
        return Ok(unknown_tensor(input.dtype));
    };
    if (one, other) == (-2, -1) {
        return Ok(Output::tensor(joined(&[], Some(&rest), &[size, size]), input.dtype));
    }
    let Some(mut dims) = op.dims(&rest) else { return Ok(unknown_tensor(input.dtype)) };
    let mut places = op.distinct_axes(&[one, other], dims.len() + 2, "dim1", &input.shape)?;
    places.sort_unstable();
    places.into_iter().for_each(|place| dims.insert(place.min(dims.len()), size));
    Ok(Output::tensor(Shape::known(dims), input.dtype))
}

/// `input.unfold(dimension, size, step)`: windows along a dimension, put last.
pub(crate) fn windows(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let Some(dim) = op.int_argument("dimension") else { return Ok(unknown_tensor(input.dtype)) };
    let size = op.dim_argument("size").unwrap_or_else(|| fresh("size"));
    let step = op.dim_argument("step");
    if step.and_then(Dim::as_const).is_some_and(|step| step <= 0) {
        return op.reject(&["step"], "`step` must be positive".to_owned());
    }
    let opened = op.open_at(&input.shape, dim, "dimension")?;
    if opened.is_none() && !op.is_scalar(&input.shape) {
        return Ok(unknown_tensor(input.dtype));
    }
    let own = opened.as_ref().map_or(constant(1), |(axes, place)| axes.get(*place));
    let message = format_args!(
        "`size` is {size}, but dimension {dim} of {} is only {own}",
        op.operand(op.input_name(), &input.shape)
    );
    op.demand(Constraint::LessEqual(size, own), &["size", op.input_name()], || message.to_string())?;
    let Some((mut axes, place)) = opened else { return Ok(Output::tensor(Shape::known(vec![size]), input.dtype)) };
    let windows = step.map_or_else(|| fresh("windows"), |step| (own - size).floor_div(step) + constant(1));
    axes.set(place, windows);
    Ok(Output::tensor(joined(&[], Some(&axes.shape()), &[size]), input.dtype))
}

/// `as_strided(size, stride)`.
pub(crate) fn as_strided(op: &mut Operation) -> Evaluated {
    let input = op.input();
    Ok(match op.sizes("size")? {
        Some(sizes) => Output::tensor(Shape::known(sizes), input.dtype),
        None => unknown_tensor(input.dtype),
    })
}

/// `rot90(k=1, dims=[0, 1])`.
pub(crate) fn rotate(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let dims = if op.is_absent("dims") { Some(vec![0, 1]) } else { op.int_list("dims") };
    let (Some(k), Some([one, other])) = (op.int_or("k", 1), dims.as_deref()) else {
        return Ok(unknown_tensor(input.dtype));
    };
    let Some((mut axes, places)) = op.open(&input.shape, &[*one, *other], "dims")? else {
        return Ok(unknown_tensor(input.dtype));
    };
    if k % 2 != 0 {
        let (left, right) = (axes.get(places[0]), axes.get(places[1]));
        axes.set(places[0], right);
        axes.set(places[1], left);
    }
    Ok(Output::tensor(axes.shape(), input.dtype))
}

/// `size(dim)`, `shape`: a size with `dim`, else all of them.
pub(crate) fn size(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let dim = match op.arguments.get("dim") {
        None | Some(Argument::None) => {
            return Ok(match op.dims(&input.shape) {
                Some(dims) => Output::Size(dims),
                None if op.solver.fixes_ranks => Output::Unknown("the number of dimensions is not known"),
                None => Output::OpenSize(input.shape),
            });
        }
        Some(_) => op.int_argument("dim"),
    };
    let Some(dim) = dim else { return Ok(Output::Integer(fresh("size"))) };
    if op.is_scalar(&input.shape) {
        let message = format!("a tensor without dimensions has no dimension {dim}");
        return op.reject(&["dim", op.input_name()], message);
    }
    let opened = op.open_at(&input.shape, dim, "dim")?;
    Ok(Output::Integer(opened.map_or_else(|| fresh("size"), |(axes, place)| axes.get(place))))
}

/// `dim()`, `ndim`.
pub(crate) fn rank(op: &mut Operation) -> Evaluated {
    let input = op.input();
    Ok(Output::Integer(input.shape.rank_dim()))
}

/// `numel()`.
pub(crate) fn element_count(op: &mut Operation) -> Evaluated {
    let input = op.input();
    Ok(Output::Integer(op.solver.resolve(input.shape.prod())))
}

/// `len(tensor)`.
pub(crate) fn length(op: &mut Operation) -> Evaluated {
    let input = op.input();
    if op.is_scalar(&input.shape) {
        return op.reject(&[op.input_name()], "a tensor without dimensions has no `len`".to_owned());
    }
    let opened = op.open_at(&input.shape, 0, "dim")?;
    Ok(Output::Integer(opened.map_or_else(|| fresh("length"), |(axes, place)| axes.get(place))))
}

/// `item()`: exactly one element.
pub(crate) fn item(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let elements = op.solver.resolve(input.shape.prod());
    let message = format_args!(
        "`item` needs a tensor of one element, but {} has {elements}",
        op.operand(op.input_name(), &input.shape)
    );
    // NumPy's takes the place of one element among many: one number for all axes together, or one for each.
    let places = match op.arguments.get("args") {
        None | Some(Argument::None) => Some(0),
        Some(Argument::Sequence(places)) => Some(places.len()),
        Some(_) => None,
    };
    let rank = op.solver.resolve_shape(&input.shape).rank();
    match (places, rank) {
        (Some(0), _) => {
            op.demand(Constraint::Equal(elements, constant(1)), &[op.input_name()], || message.to_string())?
        }
        (Some(count @ 2..), Some(rank)) if count != rank => {
            let message = format!("{count} indices are given for {}", op.operand(op.input_name(), &input.shape));
            return op.reject(&["args"], message);
        }
        _ => {}
    }
    Ok(match input.dtype {
        harp_shape::DType::Bool => Output::Boolean(None),
        dtype if crate::dtypes::is_integral(dtype) => Output::Integer(fresh_value(crate::size_names::READ_FROM_TENSOR)),
        dtype if crate::dtypes::is_real(dtype) => Output::Float,
        _ => Output::Unknown("the value of an element"),
    })
}

/// `tolist()`.
pub(crate) fn to_list(_: &mut Operation) -> Evaluated {
    Ok(Output::Unknown("the values of a tensor"))
}

/// `bool(tensor)`: exactly one element.
pub(crate) fn truth_value(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let elements = op.solver.resolve(input.shape.prod());
    let subject = op.operand(op.input_name(), &input.shape);
    let message =
        format_args!("the truth value of {subject} is ambiguous: it has {elements} elements; use `any()` or `all()`");
    op.demand(Constraint::LessEqual(elements, constant(1)), &[op.input_name()], || message.to_string())?;
    Ok(Output::Boolean(None))
}

/// `backward(gradient)`: a gradient must be given where there is more than one element.
pub(crate) fn backward(op: &mut Operation) -> Evaluated {
    let input = op.input();
    if op.arguments.get("gradient").is_some() && op.is_absent("gradient") {
        let elements = op.solver.resolve(input.shape.prod());
        let subject = op.operand(op.input_name(), &input.shape);
        let message = format_args!("`backward` needs a tensor of one element, but {subject} has {elements}");
        op.demand(Constraint::Equal(elements, constant(1)), &[op.input_name()], || message.to_string())?;
    } else if let Some(gradient) = op.given_tensor("gradient") {
        let name = op.input_name();
        op.same_shape((name, &input.shape), ("gradient", &gradient.shape))?;
    }
    Ok(Output::None)
}
