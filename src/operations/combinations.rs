//! Transfer functions of grids and combinations: results with a place for each choice of elements.

use crate::join_and_split::{entry, list_parameter, tensors};
use crate::operation::{Operation, Output, TensorArgument};
use crate::support::{Evaluated, constant, count, fresh, fresh_count, unknown_tensor};
use harp_shape::{DType, Dim, Shape};

/// `meshgrid(*tensors, indexing)`.
pub(crate) fn meshgrid(op: &mut Operation) -> Evaluated {
    let name = list_parameter(op);
    let Some((tensors, _)) = tensors(op, name) else {
        return Ok(Output::Unknown("the tensors are not known one by one"));
    };
    let mut dims = Vec::with_capacity(tensors.len());
    for (index, tensor) in tensors.iter().enumerate() {
        match op.dims(&tensor.shape).as_deref() {
            Some([]) => dims.push(constant(1)),
            Some([size]) => dims.push(*size),
            Some(_) if op.takes_arrays() => dims.push(op.solver.resolve(tensor.shape.prod())),
            Some(_) => {
                let message = format!(
                    "`meshgrid` needs tensors of at most 1 dimension, but {}",
                    entry(op, name, index, &tensor.shape)
                );
                return op.reject(&[name], message);
            }
            None => dims.push(op.solver.with_rank(&tensor.shape, 1).map_or_else(|| fresh("grid"), |dims| dims[0])),
        }
    }
    let exchanged = op.text_argument("indexing") == Some("xy") && dims.len() >= 2;
    if exchanged {
        dims.swap(0, 1);
    }
    match op.flag_or("sparse", false) {
        Some(false) => {}
        Some(true) => return Ok(sparse_grid(&tensors, &dims, exchanged)),
        None => return Ok(Output::Unknown("whether the grid is sparse is not known")),
    }
    let shape = Shape::known(dims);
    Ok(Output::Tuple(tensors.iter().map(|tensor| Output::tensor(shape.clone(), tensor.dtype)).collect()))
}

/// The arrays of a sparse grid: each has its own dimension, and 1 elsewhere.
fn sparse_grid(tensors: &[TensorArgument], dims: &[Dim], exchanged: bool) -> Output {
    let one = |(index, tensor): (usize, &TensorArgument)| {
        let place = match index {
            0 | 1 if exchanged => 1 - index,
            other => other,
        };
        let mut sizes = vec![constant(1); dims.len()];
        sizes[place] = dims[place];
        Output::tensor(Shape::known(sizes), tensor.dtype)
    };
    Output::Tuple(tensors.iter().enumerate().map(one).collect())
}

/// `cartesian_prod(*tensors)`.
pub(crate) fn cartesian_product(op: &mut Operation) -> Evaluated {
    let name = list_parameter(op);
    let Some((tensors, dtype)) = tensors(op, name) else { return Ok(unknown_tensor(DType::Unknown)) };
    let mut rows = constant(1);
    for tensor in &tensors {
        rows = rows * op.with_rank(&tensor.shape, 1, name)?[0];
    }
    let shape = if tensors.len() == 1 { vec![rows] } else { vec![rows, count(tensors.len())] };
    Ok(Output::tensor(Shape::known(shape), dtype))
}

/// `combinations(input, r=2, with_replacement=False)`: a row for each.
pub(crate) fn combinations(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let size = op.with_rank(&input.shape, 1, op.input_name())?[0];
    let (Some(r), Some(repeats)) = (op.int_or("r", 2), op.flag_or("with_replacement", false)) else {
        return Ok(unknown_tensor(input.dtype));
    };
    if r < 0 {
        return op.reject(&["r"], format!("`r` must not be negative, got {r}"));
    }
    if r == 0 {
        return Ok(Output::tensor(Shape::known(vec![constant(0)]), input.dtype));
    }
    let rows = match size.as_const() {
        Some(size @ 0..=1000) if r <= 16 => {
            let from = if repeats { (size + r - 1).max(0) } else { size };
            let chosen = (0..r).try_fold(1_i64, |product, index| {
                product.checked_mul((from - index).max(0)).map(|product| product / (index + 1))
            });
            chosen.map_or_else(|| fresh_count("combinations"), constant)
        }
        _ if r == 2 && !repeats => (size * (size - constant(1))).floor_div(constant(2)),
        _ => fresh_count("combinations"),
    };
    Ok(Output::tensor(Shape::known(vec![rows, constant(r)]), input.dtype))
}

/// `block_diag(*tensors)`.
pub(crate) fn block_diagonal(op: &mut Operation) -> Evaluated {
    let name = list_parameter(op);
    let Some((tensors, dtype)) = tensors(op, name) else { return Ok(unknown_tensor(DType::Unknown)) };
    let (mut rows, mut columns) = (constant(0), constant(0));
    for tensor in &tensors {
        let dims = op.with_rank_of(&tensor.shape, &[0, 1, 2], name)?;
        let (height, width) = match dims.as_slice() {
            [height, width] => (*height, *width),
            [width] => (constant(1), *width),
            _ => (constant(1), constant(1)),
        };
        (rows, columns) = (rows + height, columns + width);
    }
    Ok(Output::tensor(Shape::known(vec![rows, columns]), dtype))
}
