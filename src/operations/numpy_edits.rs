//! Transfer functions of NumPy that take elements out of arrays, put some in, or put arrays together.

use crate::dtypes::{accumulated, is_integral, magnitude};
use crate::join_and_split;
use crate::operation::{Argument, Arguments, Operation, Output, TensorArgument};
use crate::support::{Evaluated, Stop, constant, count, fresh, fresh_count, items, joined, unknown_tensor};
use harp_shape::{Constraint, DType, Dim, Shape};

/// The array as one dimension.
fn flat(op: &Operation, shape: &Shape) -> Dim {
    op.solver.resolve(shape.prod())
}

fn vector(size: Dim, dtype: DType) -> Output {
    Output::tensor(Shape::known(vec![size]), dtype)
}

/// `append(arr, values, axis=None)`: both flattened, or joined along the axis.
pub(crate) fn append(op: &mut Operation) -> Evaluated {
    let name = op.input_name();
    let arguments = [op.arguments.value(name), op.arguments.value("values")];
    let dtype = op.result_type(&arguments);
    if op.is_absent("dim") {
        let Some(added) = elements(op, "values") else { return Ok(vector(fresh_count("appended"), dtype)) };
        let input = op.input();
        return Ok(vector(flat(op, &input.shape) + added, dtype));
    }
    let mut bound = Arguments::default();
    bound.push("tensors", Argument::Sequence(arguments.to_vec()));
    bound.push("dim", op.arguments.value("dim"));
    let mut inner = Operation::new(op.api, op.rules, &bound, op.solver);
    let output = join_and_split::cat(&mut inner);
    let judged = std::mem::take(&mut inner.judged);
    op.judged.extend(judged);
    output
}

/// The number of elements of an argument: an array, nested sequences, or a number.
fn elements(op: &Operation, name: &str) -> Option<Dim> {
    match op.arguments.get(name)? {
        Argument::Tensor(tensor) => Some(flat(op, &tensor.shape)),
        argument => match crate::creation::nested(op, argument, 0) {
            crate::creation::Nested::Regular { dims, .. } => {
                Some(dims.into_iter().fold(constant(1), |product, dim| product * dim))
            }
            _ => None,
        },
    }
}

/// An axis of the array with its size, or the flattened array's where no axis is given; `None` where it is not known.
fn opened(op: &mut Operation) -> Result<Option<(Vec<Dim>, usize, DType)>, crate::support::Stop> {
    let input = op.input();
    if op.is_absent("dim") {
        return Ok(Some((vec![flat(op, &input.shape)], 0, input.dtype)));
    }
    let (Some(dims), Some(dim)) = (op.dims(&input.shape), op.int_argument("dim")) else { return Ok(None) };
    let place = op.axis(dim, dims.len(), "axis", &input.shape)?;
    Ok(Some((dims, place, input.dtype)))
}

/// `insert(arr, obj, values, axis=None)`.
pub(crate) fn insert(op: &mut Operation) -> Evaluated {
    let dtype = op.input().dtype;
    let Some((mut dims, place, dtype)) = opened(op)? else { return Ok(unknown_tensor(dtype)) };
    let places = match op.arguments.get("obj") {
        Some(Argument::Sequence(places)) => Some(count(places.len())),
        Some(Argument::Integer(_)) => None,
        _ => Some(fresh_count("inserted")),
    };
    let is_number =
        matches!(op.arguments.get("values"), Some(Argument::Integer(_) | Argument::Float(_) | Argument::Boolean(_)));
    let inserted = match places {
        Some(places) => places,
        None if is_number => constant(1),
        None if dims.len() == 1 => elements(op, "values").unwrap_or_else(|| fresh_count("inserted")),
        None => fresh_count("inserted"),
    };
    dims[place] = dims[place] + inserted;
    Ok(Output::tensor(Shape::known(dims), dtype))
}

/// `delete(arr, obj, axis=None)`.
pub(crate) fn delete(op: &mut Operation) -> Evaluated {
    let dtype = op.input().dtype;
    let Some((mut dims, place, dtype)) = opened(op)? else { return Ok(unknown_tensor(dtype)) };
    let size = dims[place];
    let shape = Shape::known(dims.clone());
    dims[place] = match op.arguments.value("obj") {
        Argument::Integer(index) => {
            op.in_bounds(index, size, "obj", &shape)?;
            size - constant(1)
        }
        Argument::Sequence(indices) => {
            let known: Option<Vec<i64>> = indices.iter().map(Argument::as_int).collect();
            match (known, size.as_const()) {
                (Some(mut known), Some(size)) => {
                    for index in &known {
                        op.in_bounds(constant(*index), constant(size), "obj", &shape)?;
                    }
                    known.iter_mut().filter(|index| **index < 0).for_each(|index| *index += size);
                    known.sort_unstable();
                    known.dedup();
                    constant(size) - count(known.len())
                }
                _ => fresh_count("kept"),
            }
        }
        _ => fresh_count("kept"),
    };
    Ok(Output::tensor(Shape::known(dims), dtype))
}

/// `take(a, indices, axis=None)`: the shape of the indices in the place of the axis.
pub(crate) fn take(op: &mut Operation) -> Evaluated {
    let dtype = op.input().dtype;
    let Some((dims, place, dtype)) = opened(op)? else { return Ok(unknown_tensor(dtype)) };
    let indices = match op.arguments.value("indices") {
        Argument::Tensor(tensor) => match op.dims(&tensor.shape) {
            Some(dims) => dims,
            None => return Ok(unknown_tensor(dtype)),
        },
        argument => match crate::creation::nested(op, &argument, 0) {
            crate::creation::Nested::Regular { dims, .. } => dims,
            _ => return Ok(unknown_tensor(dtype)),
        },
    };
    if let Some(known) = op.int_list("indices") {
        let shape = Shape::known(dims.clone());
        let checks = op.text_argument("mode").is_none_or(|mode| mode == "raise");
        for index in known.into_iter().filter(|_| checks) {
            op.in_bounds(constant(index), dims[place], "indices", &shape)?;
        }
    }
    let mut result = dims[..place].to_vec();
    result.extend(indices);
    result.extend(&dims[place + 1..]);
    Ok(Output::tensor(Shape::known(result), dtype))
}

/// `compress(condition, a, axis)`: a list of truths tells how many.
pub(crate) fn compress(op: &mut Operation) -> Evaluated {
    let dtype = op.input().dtype;
    let Some((mut dims, place, dtype)) = opened(op)? else { return Ok(unknown_tensor(dtype)) };
    let truths = match op.arguments.get("condition") {
        Some(Argument::Sequence(items)) => items
            .iter()
            .map(|item| if let Argument::Boolean(truth) = item { Some(usize::from(*truth)) } else { None })
            .sum::<Option<usize>>(),
        _ => None,
    };
    dims[place] = truths.map_or_else(|| fresh_count("selected"), count);
    Ok(Output::tensor(Shape::known(dims), dtype))
}

/// `rollaxis(a, axis, start=0)`: the axis is moved before another.
pub(crate) fn roll_axis(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let (Some(dims), Some(axis), Some(start)) = (op.dims(&input.shape), op.int_argument("dim"), op.int_or("start", 0))
    else {
        return Ok(unknown_tensor(input.dtype));
    };
    let from = op.axis(axis, dims.len(), "axis", &input.shape)?;
    let rank = i64::try_from(dims.len()).unwrap_or(i64::MAX);
    let start = if start < 0 { start + rank } else { start };
    if !(0..=rank).contains(&start) {
        return op.reject(&["start"], format!("`start` is out of range for {rank} dimensions"));
    }
    let mut to = usize::try_from(start).unwrap_or(0);
    if from < to {
        to -= 1;
    }
    let mut dims = dims;
    let moved = dims.remove(from);
    dims.insert(to.min(dims.len()), moved);
    Ok(Output::tensor(Shape::known(dims), input.dtype))
}

/// `choose(a, choices)`, `select(condlist, choicelist)`: all arrays broadcast against one another.
pub(crate) fn choices(op: &mut Operation) -> Evaluated {
    let mut shape = Shape::scalar();
    let mut values = Vec::new();
    for name in ["input", "self", "choices", "condlist", "choicelist"] {
        match op.arguments.get(name).cloned() {
            None => {}
            Some(Argument::Sequence(items)) => {
                if matches!(name, "choices" | "choicelist") {
                    values.clone_from(&items);
                }
                for item in &items {
                    let tensor = op.as_tensor(item, name);
                    shape = op.broadcast(("the arrays", &shape), (name, &tensor.shape))?;
                }
            }
            Some(argument) => {
                let tensor = op.as_tensor(&argument, name);
                shape = op.broadcast(("the arrays", &shape), (name, &tensor.shape))?;
            }
        }
    }
    let dtype = op.result_type(&values);
    Ok(Output::tensor(shape, dtype))
}

/// `block(arrays)`: the innermost lists are joined along the last axis, the next along the one before.
pub(crate) fn block(op: &mut Operation) -> Evaluated {
    let arrays = op.arguments.value("arrays");
    let depth = depth_of(&arrays);
    if depth > 8 {
        return Ok(unknown_tensor(DType::Unknown));
    }
    match joined_block(op, &arrays, depth)? {
        Some(TensorArgument { shape, dtype }) => Ok(Output::tensor(shape, dtype)),
        None => Ok(unknown_tensor(DType::Unknown)),
    }
}

fn depth_of(argument: &Argument) -> usize {
    match argument {
        Argument::Sequence(items) => 1 + items.first().map_or(0, depth_of),
        _ => 0,
    }
}

fn joined_block(
    op: &mut Operation,
    argument: &Argument,
    depth: usize,
) -> Result<Option<TensorArgument>, crate::support::Stop> {
    let Argument::Sequence(items) = argument else {
        return Ok(matches!(argument, Argument::Tensor(_)).then(|| op.as_tensor(argument, "arrays")));
    };
    let mut parts = Vec::with_capacity(items.len());
    for item in items {
        match joined_block(op, item, depth - 1)? {
            Some(tensor) => parts.push(Argument::Tensor(tensor)),
            None => return Ok(None),
        }
    }
    // Arrays of fewer dimensions than there are lists, or than others have, get leading ones.
    let ranks: Option<Vec<usize>> =
        parts.iter().map(|part| part.as_tensor().and_then(|tensor| op.rank(&tensor.shape))).collect();
    let rank = ranks.unwrap_or_default().into_iter().chain([depth]).max().unwrap_or(depth);
    for part in &mut parts {
        if let Argument::Tensor(tensor) = part
            && let Some(mut dims) = op.dims(&tensor.shape)
        {
            dims.splice(0..0, vec![constant(1); rank.saturating_sub(dims.len())]);
            tensor.shape = Shape::known(dims);
        }
    }
    let mut bound = Arguments::default();
    bound.push("tensors", Argument::Sequence(parts));
    bound.push("dim", Argument::Integer(constant(0) - count(depth)));
    let mut inner = Operation::new(op.api, op.rules, &bound, op.solver);
    let output = join_and_split::cat(&mut inner);
    let judged = std::mem::take(&mut inner.judged);
    op.judged.extend(judged);
    Ok(match output? {
        Output::Tensor { shape, dtype } => Some(TensorArgument { shape, dtype }),
        _ => None,
    })
}

/// `trace(a, offset, axis1=0, axis2=1)`: both axes go.
pub(crate) fn trace(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let dtype = op.dtype_or(accumulated(input.dtype));
    let (Some(one), Some(other)) = (op.int_or("axis1", 0), op.int_or("axis2", 1)) else {
        return Ok(unknown_tensor(dtype));
    };
    let Some((axes, places)) = op.open(&input.shape, &[one, other], "axis1, axis2")? else {
        return if op.is_scalar(&input.shape) {
            op.reject(&[op.input_name()], "`trace` needs at least 2 dimensions".to_owned())
        } else {
            Ok(unknown_tensor(dtype))
        };
    };
    Ok(Output::tensor(axes.without(&places), dtype))
}

/// `ediff1d(ary)`: the differences of the flattened array.
pub(crate) fn differences(op: &mut Operation) -> Evaluated {
    let input = op.input();
    if !op.is_absent("to_begin") || !op.is_absent("to_end") {
        return Ok(vector(fresh_count("differences"), input.dtype));
    }
    let size = (flat(op, &input.shape) - constant(1)).max(constant(0));
    Ok(vector(size, input.dtype))
}

/// `indices(dimensions)`: a grid a dimension.
pub(crate) fn indices(op: &mut Operation) -> Evaluated {
    let dtype = op.dtype_or(DType::Int64);
    let dtype = if dtype == DType::Unknown { DType::Int64 } else { dtype };
    let Some(sizes) = op.sizes("dimensions")? else { return Ok(unknown_tensor(dtype)) };
    if op.flag_or("sparse", false) != Some(false) {
        return Ok(Output::Unknown("the grid is sparse"));
    }
    let mut dims = vec![count(sizes.len())];
    dims.extend(sizes);
    Ok(Output::tensor(Shape::known(dims), dtype))
}

/// `unravel_index(indices, shape)`: an array a dimension.
pub(crate) fn unravel(op: &mut Operation) -> Evaluated {
    let Some(dims) = op.sizes("shape")? else { return Ok(Output::Unknown("the number of dimensions is not known")) };
    let one = match op.arguments.get("indices") {
        Some(Argument::Tensor(_)) => Output::tensor(op.tensor("indices").shape, DType::Int64),
        Some(Argument::Integer(_)) => Output::Integer(fresh_count("index")),
        _ => return Ok(Output::Unknown("the indices are not known")),
    };
    Ok(Output::Tuple(vec![one; dims.len()]))
}

/// `flatnonzero(a)`.
pub(crate) fn flat_nonzero(_: &mut Operation) -> Evaluated {
    Ok(vector(fresh_count("nonzero"), DType::Int64))
}

/// `union1d(a, b)`, `extract(condition, arr)`: how many elements depends on the values. `intersect1d` gives where they were, too, if asked to.
pub(crate) fn flat_selection(op: &mut Operation) -> Evaluated {
    let dtype = op.input().dtype;
    let dtype = if op.short_name() == "in1d" { DType::Bool } else { dtype };
    if op.arguments.get("return_indices").is_some() {
        return Ok(match op.flag_or("return_indices", false) {
            Some(true) => {
                let count = fresh_count("selected");
                Output::Tuple(vec![vector(count, dtype), vector(count, DType::Int64), vector(count, DType::Int64)])
            }
            Some(false) => vector(fresh_count("selected"), dtype),
            None => Output::Unknown("elements of both, or with their places"),
        });
    }
    Ok(vector(fresh_count("selected"), dtype))
}

/// `tril_indices(n, k=0, m=None)`: the rows and the columns.
pub(crate) fn triangle_indices(op: &mut Operation) -> Evaluated {
    let (rows, columns) = if op.arguments.get("n").is_some() {
        let rows = op.int_argument("n");
        (rows, if op.is_absent("m") { rows } else { op.int_argument("m") })
    } else {
        let input = op.input();
        let dims = op.with_rank(&input.shape, 2, op.input_name())?;
        (dims[0].as_const(), dims[1].as_const())
    };
    let size = match (rows, columns, op.int_or("k", 0)) {
        (Some(rows @ 0..=100_000), Some(columns), Some(offset)) => {
            let upper = op.short_name().starts_with("triu");
            let below =
                |row: i64| row.saturating_add(offset).saturating_add(i64::from(!upper)).clamp(0, columns.max(0));
            constant((0..rows).map(|row| if upper { columns - below(row) } else { below(row) }).sum())
        }
        _ => fresh_count("indices"),
    };
    Ok(Output::Tuple(vec![vector(size, DType::Int64); 2]))
}

/// `diag_indices(n, ndim=2)`.
pub(crate) fn diagonal_indices(op: &mut Operation) -> Evaluated {
    let size = op.dim_argument("n").unwrap_or_else(|| fresh("n"));
    match op.int_or("ndim", 2) {
        Some(rank @ 0..=64) => Ok(Output::Tuple(vec![vector(size, DType::Int64); usize::try_from(rank).unwrap_or(2)])),
        _ => Ok(Output::Unknown("the number of dimensions is not known")),
    }
}

/// `ix_(*args)`: each argument along a dimension of its own.
pub(crate) fn open_mesh(op: &mut Operation) -> Evaluated {
    let Some(Argument::Sequence(arguments)) = op.arguments.get("args").cloned() else {
        return Ok(Output::Unknown("the arguments are not known one by one"));
    };
    let mut results = Vec::with_capacity(arguments.len());
    for (place, argument) in arguments.iter().enumerate() {
        let (size, dtype) = match argument {
            // A mask stands for the places where it is true.
            Argument::Sequence(items) if items.iter().any(|item| matches!(item, Argument::Boolean(_))) => {
                (fresh("indices"), DType::Int64)
            }
            Argument::Sequence(items) => {
                let are_places = items.iter().all(|item| matches!(item, Argument::Integer(_)));
                (count(items.len()), if are_places { DType::Int64 } else { DType::Unknown })
            }
            Argument::Tensor(tensor) => {
                let size = op.with_rank(&tensor.shape, 1, "args")?[0];
                match tensor.dtype {
                    DType::Bool | DType::Unknown => (fresh("indices"), DType::Int64),
                    dtype => (size, dtype),
                }
            }
            _ => (fresh("indices"), DType::Unknown),
        };
        let mut sizes = vec![constant(1); arguments.len()];
        sizes[place] = size;
        results.push(Output::tensor(Shape::known(sizes), dtype));
    }
    Ok(Output::Tuple(results))
}

/// `lexsort(keys)`: the keys have one shape, which the order has, too.
pub(crate) fn lexsort(op: &mut Operation) -> Evaluated {
    let Some(Argument::Sequence(keys)) = op.arguments.get("keys").cloned() else {
        return Ok(unknown_tensor(DType::Int64));
    };
    let keys: Vec<TensorArgument> = keys.iter().map(|key| op.as_tensor(key, "keys")).collect();
    let Some(first) = keys.first() else { return op.reject(&["keys"], "`keys` must not be empty".to_owned()) };
    for key in &keys[1..] {
        let texts = (op.text(&first.shape), op.text(&key.shape));
        let message = format_args!("the keys must have one shape, got {} and {}", texts.0, texts.1);
        op.demand(Constraint::SameShape(first.shape.clone(), key.shape.clone()), &["keys"], || message.to_string())?;
    }
    Ok(Output::tensor(first.shape.clone(), DType::Int64))
}

/// `histogram2d(x, y, bins=10)`: the counts, and the edges of the bins of each.
pub(crate) fn histogram_2d(op: &mut Operation) -> Evaluated {
    let (left, right) = (op.tensor("input"), op.tensor("y"));
    let texts = (op.text(&left.shape), op.text(&right.shape));
    let message = format_args!("`x` {} and `y` {} must have the same length", texts.0, texts.1);
    op.demand(Constraint::SameShape(left.shape, right.shape), &["input", "y"], || message.to_string())?;
    let bins = match op.dim_argument("bins") {
        Some(bins) => [bins, bins],
        None => match op.arguments.get("bins").and_then(items).as_deref() {
            Some([rows, columns]) => [rows, columns].map(|bins| bins.as_dim().unwrap_or_else(|| fresh_count("bins"))),
            _ => [fresh_count("bins"), fresh_count("bins")],
        },
    };
    for size in bins {
        let message = format_args!("`bins` must be positive, got {size}");
        op.demand(Constraint::Less(constant(0), size), &["bins"], || message.to_string())?;
    }
    let edges = bins.map(|size| vector(size + constant(1), op.default_float()));
    let [rows, columns] = edges;
    Ok(Output::Tuple(vec![Output::tensor(Shape::known(bins.to_vec()), op.default_float()), rows, columns]))
}

/// `polyfit(x, y, deg)`: coefficients, for each column of `y` where there are some.
pub(crate) fn polyfit(op: &mut Operation) -> Evaluated {
    let (left, right) = (op.tensor("input"), op.tensor("y"));
    let Some(degree) = op.dim_argument("deg") else { return Ok(unknown_tensor(op.default_float())) };
    if op.flag_or("full", false) != Some(false) || op.flag_or("cov", false) != Some(false) {
        return Ok(Output::Unknown("the fit comes with more"));
    }
    let message = format_args!("`deg` must not be negative, got {degree}");
    op.demand(Constraint::LessEqual(constant(0), degree), &["deg"], || message.to_string())?;
    let size = op.with_rank(&left.shape, 1, "input")?[0];
    let against = op.with_rank_of(&right.shape, &[2, 1], "y")?;
    let message = format_args!("`x` has {size} elements, but `y` has {}", against[0]);
    op.demand(Constraint::Equal(size, against[0]), &["input", "y"], || message.to_string())?;
    Ok(Output::tensor(joined(&[degree + constant(1)], None, &against[1..]), op.default_float()))
}

/// Functions of single elements whose result is a float.
pub(crate) fn floating(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let dtype = if is_integral(input.dtype) { op.default_float() } else { input.dtype };
    Ok(Output::tensor(input.shape, dtype))
}

/// `logical_or.accumulate(array, axis=0)`.
pub(crate) fn truth_along(op: &mut Operation) -> Evaluated {
    match crate::reduction::along(op)? {
        Output::Tensor { shape, .. } => Ok(Output::tensor(shape, DType::Bool)),
        other => Ok(other),
    }
}

/// `random.choice(a, size)`: of numbers below `a`, or of the rows of an array.
pub(crate) fn choice(op: &mut Operation) -> Evaluated {
    let name = op.input_name();
    let source = op.arguments.value(name);
    let (rest, dtype) = match &source {
        Argument::Tensor(tensor)
            if op.takes_arrays()
                && op.short_name() == "choice"
                && op.rank(&tensor.shape).is_some_and(|rank| rank > 1) =>
        {
            return op.reject(&[name], format!("`a` must have 1 dimension, got shape {}", op.text(&tensor.shape)));
        }
        Argument::Tensor(tensor) => match op.solver.split(&tensor.shape, 1, 0) {
            Some((_, rest, _)) => (rest, tensor.dtype),
            None => return op.reject(&[name], "`a` must have at least 1 dimension".to_owned()),
        },
        Argument::Integer(_) => (Shape::scalar(), DType::Int64),
        _ => (Shape::scalar(), DType::Unknown),
    };
    check_probabilities(op, &source)?;
    if op.is_absent("size") {
        return Ok(match (&source, dtype) {
            (Argument::Integer(_), _) => Output::Integer(fresh_count("choice")),
            _ => Output::Unknown("the value of an element"),
        });
    }
    match op.sizes("size")? {
        Some(sizes) => Ok(Output::tensor(joined(&sizes, Some(&rest), &[]), dtype)),
        None => Ok(unknown_tensor(dtype)),
    }
}

/// The probabilities of a choice: one for each of what is chosen from.
fn check_probabilities(op: &mut Operation, source: &Argument) -> Result<(), Stop> {
    let given = match op.arguments.value("p") {
        Argument::Sequence(items) => count(items.len()),
        Argument::Tensor(tensor) => op.with_rank(&tensor.shape, 1, "p")?[0],
        _ => return Ok(()),
    };
    let from = match source {
        Argument::Integer(_) => source.as_dim(),
        Argument::Sequence(items) => Some(count(items.len())),
        Argument::Tensor(tensor) if op.rank(&tensor.shape) == Some(1) => {
            op.dims(&tensor.shape).and_then(|dims| dims.first().copied())
        }
        _ => None,
    };
    let Some(from) = from else { return Ok(()) };
    let message = format_args!("`p` has {given} probabilities, but there are {from} to choose from");
    op.demand(Constraint::Equal(given, from), &["p", op.input_name()], || message.to_string())
}

/// `random.dirichlet(alpha, size)`, `multinomial(n, pvals, size)`, `multivariate_normal(mean, cov, size)`: vectors as long as one given.
pub(crate) fn random_vectors(op: &mut Operation) -> Evaluated {
    let dtype = if op.short_name() == "multinomial" { DType::Int64 } else { op.default_float() };
    let size = match op.arguments.value("vector") {
        Argument::Sequence(items) => count(items.len()),
        Argument::Tensor(tensor) => op.with_rank(&tensor.shape, 1, "vector")?[0],
        _ => return Ok(unknown_tensor(dtype)),
    };
    if let Some(covariance) = op.given_tensor("cov") {
        let dims = op.with_rank(&covariance.shape, 2, "cov")?;
        for side in dims {
            let message = format_args!("`mean` has {size} elements, but `cov` has {side}");
            op.demand(Constraint::Equal(side, size), &["vector", "cov"], || message.to_string())?;
        }
    }
    if op.is_absent("size") {
        return Ok(vector(size, dtype));
    }
    match op.sizes("size")? {
        Some(sizes) => Ok(Output::tensor(joined(&sizes, None, &[size]), dtype)),
        None => Ok(unknown_tensor(dtype)),
    }
}

/// `linalg.cond(x)`: a number a matrix.
pub(crate) fn condition_number(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let Some((_, batch, dims)) = op.solver.split(&input.shape, 0, 2) else {
        return op.reject(&[op.input_name()], "`cond` needs at least 2 dimensions".to_owned());
    };
    // By the 2-norm, which is the one that is meant without `p`, all matrices have one; others need an inverse.
    let needs_inverse = match op.arguments.get("p") {
        Some(Argument::Text(_)) => true,
        Some(argument) => argument.as_dim().and_then(|p| p.as_const()).is_some_and(|p| p.abs() == 1),
        None => false,
    };
    if needs_inverse {
        let (name, [rows, columns]) = (op.input_name(), [dims[0], dims[1]]);
        let message = format_args!("`{name}` must hold square matrices, got {rows} by {columns}");
        op.demand(Constraint::Equal(rows, columns), &[name], || message.to_string())?;
    }
    let dtype = if op.takes_arrays() { op.default_float() } else { magnitude(input.dtype) };
    Ok(Output::tensor(batch, dtype))
}
