//! Transfer functions of linear algebra that are rarer: factors, systems of equations solved by them, and what is
//! computed of samples.

use crate::operation::{Operation, Output};
use crate::support::{Evaluated, constant, joined, unknown_tensor};
use harp_shape::{Constraint, DType, Dim, Shape};

/// A matrix or a batch of them: what stands before the last two dimensions, rows, columns.
fn matrices(op: &mut Operation, name: &'static str) -> Result<(Shape, Dim, Dim, DType), crate::support::Stop> {
    let tensor = op.tensor(name);
    match op.solver.split(&tensor.shape, 0, 2) {
        Some((_, batch, dims)) => Ok((batch, dims[0], dims[1], tensor.dtype)),
        None => {
            let message = format!("{} must have at least 2 dimensions", op.operand(name, &tensor.shape));
            op.reject(&[name], message)
        }
    }
}

/// `linalg.lu(A)`: permutation, lower and upper triangle.
pub(crate) fn lu(op: &mut Operation) -> Evaluated {
    let name = op.input_name();
    let (batch, rows, columns, dtype) = matrices(op, name)?;
    let least = rows.min(columns);
    let sizes = [[rows, rows], [rows, least], [least, columns]];
    let parts = sizes.iter().map(|sizes| Output::tensor(joined(&[], Some(&batch), sizes), dtype));
    // Without pivoting there is no permutation.
    let without = op.flag_or("pivot", true) == Some(false);
    let mut parts: Vec<Output> = parts.collect();
    if without {
        parts[0] = Output::tensor(Shape::known(vec![constant(0)]), dtype);
    }
    Ok(Output::Tuple(parts))
}

/// `linalg.lu_factor(A)`: both triangles in one matrix, the pivots, and whether it went well.
pub(crate) fn lu_factor(op: &mut Operation) -> Evaluated {
    let name = op.input_name();
    let (batch, rows, columns, dtype) = matrices(op, name)?;
    let mut parts = vec![
        Output::tensor(joined(&[], Some(&batch), &[rows, columns]), dtype),
        Output::tensor(joined(&[], Some(&batch), &[rows.min(columns)]), DType::Int32),
    ];
    if op.short_name().ends_with("_ex") {
        parts.push(Output::tensor(batch, DType::Int32));
    }
    Ok(Output::Tuple(parts))
}

/// `linalg.cholesky_ex(A)`, `inv_ex`: the matrix, and whether it went well.
pub(crate) fn square_matrix_and_info(op: &mut Operation) -> Evaluated {
    let name = op.input_name();
    let matrix = crate::linalg::square_matrix(op)?;
    let (batch, ..) = matrices(op, name)?;
    Ok(Output::Tuple(vec![matrix, Output::tensor(batch, DType::Int32)]))
}

/// A system of equations: requires that the matrix is square and the right-hand sides go with it, and gives the solutions' shape.
fn solutions(op: &mut Operation) -> Result<(Shape, Shape, DType), crate::support::Stop> {
    let (batch, rows, columns, dtype) = matrices(op, "A")?;
    let message = format_args!("`A` must hold square matrices, got {rows} by {columns}");
    op.demand(Constraint::Equal(rows, columns), &["A"], || message.to_string())?;
    let (own, height, width, _) = matrices(op, "B")?;
    let right = op.tensor("B").dtype;
    if op.short_name() != "solve_triangular" {
        op.same_type(("A", dtype), ("B", right));
    }
    let from_left = op.flag_or("left", true) != Some(false);
    let against = if from_left { height } else { width };
    let message = format_args!("`A` is {rows} by {columns}, but `B` is {height} by {width}");
    op.demand(Constraint::Equal(rows, against), &["A", "B"], || message.to_string())?;
    let batch = op.broadcast(("A", &batch), ("B", &own))?;
    let solved = joined(&[], Some(&batch), &[height, width]);
    Ok((solved, joined(&[], Some(&batch), &[rows, columns]), dtype))
}

/// `lu_solve`, `cholesky_solve`, `linalg.solve_triangular`: solutions for a matrix of right-hand sides.
pub(crate) fn solve_by_factors(op: &mut Operation) -> Evaluated {
    let (shape, _, dtype) = solutions(op)?;
    Ok(Output::tensor(shape, dtype))
}

/// `torch.triangular_solve(b, A)`: the solutions, and a copy of the matrix.
pub(crate) fn triangular_solve(op: &mut Operation) -> Evaluated {
    let (shape, copy, dtype) = solutions(op)?;
    Ok(Output::Tuple(vec![Output::tensor(shape, dtype), Output::tensor(copy, dtype)]))
}

/// `linalg.tensorsolve(A, B)`: `A` has the dimensions of `B`, then those of the solution.
pub(crate) fn tensor_solve(op: &mut Operation) -> Evaluated {
    let (left, right) = (op.tensor("A"), op.tensor("B"));
    op.same_type(("A", left.dtype), ("B", right.dtype));
    let (Some(dims), Some(known), true) = (op.dims(&left.shape), op.dims(&right.shape), op.is_absent("dims")) else {
        return Ok(unknown_tensor(left.dtype));
    };
    let solution = dims.get(known.len()..).unwrap_or_default().to_vec();
    let total = |dims: &[Dim]| dims.iter().fold(constant(1), |product, dim| product * *dim);
    let (rows, columns) = (total(&dims[..dims.len().min(known.len())]), total(&solution));
    let message = format_args!("`A` stands for a matrix of {rows} by {columns}, which is not square");
    op.demand(Constraint::Equal(rows, columns), &["A", "B"], || message.to_string())?;
    let elements = total(&known);
    let message = format_args!("`B` has {elements} elements, but `A` stands for {rows} equations");
    op.demand(Constraint::Equal(elements, rows), &["A", "B"], || message.to_string())?;
    Ok(Output::tensor(Shape::known(solution), left.dtype))
}

/// `linalg.lstsq(A, B)`: the solutions; residuals, rank and singular values depend on the values and the method.
pub(crate) fn least_squares(op: &mut Operation) -> Evaluated {
    let (batch, rows, columns, dtype) = matrices(op, "A")?;
    let right = op.tensor("B");
    let unknown = || unknown_tensor(DType::Unknown);
    let vector = op.rank(&right.shape) == Some(1);
    // NumPy knows no batches.
    let is_single = op.takes_arrays() || op.rank(&batch) == Some(0);
    let solved = if vector && is_single {
        let against = op.with_rank(&right.shape, 1, "B")?[0];
        let message = format_args!("`A` has {rows} rows, but `B` has {against}");
        op.demand(Constraint::Equal(rows, against), &["A", "B"], || message.to_string())?;
        Shape::known(vec![columns])
    } else {
        let (own, against, sides, _) = matrices(op, "B")?;
        let message = format_args!("`A` has {rows} rows, but `B` has {against}");
        op.demand(Constraint::Equal(rows, against), &["A", "B"], || message.to_string())?;
        let batch = op.broadcast(("A", &batch), ("B", &own))?;
        joined(&[], Some(&batch), &[columns, sides])
    };
    let dtype = if op.takes_arrays() { op.default_float() } else { dtype };
    Ok(Output::Tuple(vec![Output::tensor(solved, dtype), unknown(), unknown(), unknown()]))
}

/// `cov(input)`, `corrcoef`: a number for each pair of variables; of one variable, one number.
pub(crate) fn covariance(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let is_numpy = op.takes_arrays();
    let dtype = if is_numpy { op.default_float() } else { input.dtype };
    if !op.is_absent("y") || op.rank(&input.shape).is_none() {
        return Ok(unknown_tensor(dtype));
    }
    let dims = op.with_rank_of(&input.shape, &[0, 1, 2], op.input_name())?;
    let Some(rows_first) = op.flag_or("rowvar", true) else { return Ok(unknown_tensor(dtype)) };
    let shape = match dims.as_slice() {
        [rows, columns] => {
            let variables = if rows_first { *rows } else { *columns };
            // NumPy drops dimensions of one variable, and PyTorch does, too.
            if variables.as_const() == Some(1) { Shape::scalar() } else { Shape::known(vec![variables, variables]) }
        }
        _ => Shape::scalar(),
    };
    Ok(Output::tensor(shape, dtype))
}

/// `vander(x, N)`: powers of the elements, as many as there are elements unless told.
pub(crate) fn vandermonde(op: &mut Operation) -> Evaluated {
    let name = op.input_name();
    let input = op.input();
    let one_dimension = !op.api.contains("linalg");
    if one_dimension {
        op.with_rank(&input.shape, 1, name)?;
    }
    let Some((_, rest, last)) = op.solver.split(&input.shape, 0, 1) else {
        return op.reject(&[name], format!("`{name}` must have at least 1 dimension"));
    };
    let columns = if op.is_absent("N") { Some(last[0]) } else { op.dim_argument("N") };
    let columns = columns.unwrap_or_else(|| crate::support::fresh("N"));
    let least = constant(if one_dimension { 0 } else { 2 });
    if !op.is_absent("N") {
        let message = format_args!("`N` must be at least {least}, got {columns}");
        op.demand(Constraint::LessEqual(least, columns), &["N"], || message.to_string())?;
    }
    let dtype = if !op.takes_arrays() { crate::dtypes::accumulated(input.dtype) } else { input.dtype };
    Ok(Output::tensor(joined(&[], Some(&rest), &[last[0], columns]), dtype))
}

/// `linalg.vecdot(x, y, dim=-1)`: products along a dimension, summed.
pub(crate) fn vector_dot(op: &mut Operation) -> Evaluated {
    let names = (op.input_name(), "other");
    let (left, right) = (op.tensor(names.0), op.tensor(names.1));
    op.same_type((names.0, left.dtype), (names.1, right.dtype));
    let shape = op.broadcast((names.0, &left.shape), (names.1, &right.shape))?;
    let Some(dim) = op.int_or("dim", -1) else { return Ok(unknown_tensor(left.dtype)) };
    let shape = match op.open_at(&shape, dim, "dim")? {
        Some((axes, place)) => axes.without(&[place]),
        None if op.is_scalar(&shape) => Shape::scalar(),
        None => Shape::unknown("products"),
    };
    Ok(Output::tensor(shape, left.dtype))
}
