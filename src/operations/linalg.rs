//! Transfer functions of linear algebra: decompositions and solvers.

use crate::dtypes::{is_complex, is_integral, magnitude};
use crate::operation::{Operation, Output, TensorArgument};
use crate::support::{Evaluated, Stop, constant, joined, unknown_tensor};
use harp_shape::{Constraint, DType, Dim, Shape};

/// A matrix, or a batch of them.
struct Matrices {
    batch: Shape,
    rows: Dim,
    columns: Dim,
    dtype: DType,
    name: &'static str,
}

impl Matrices {
    fn read(op: &mut Operation) -> Result<Matrices, Stop> {
        let name = op.input_name();
        Matrices::named(op, name)
    }

    fn named(op: &mut Operation, name: &'static str) -> Result<Matrices, Stop> {
        let tensor = op.tensor(name);
        let is_numpy = op.takes_arrays();
        let tensor = TensorArgument {
            dtype: if is_numpy && is_integral(tensor.dtype) { op.default_float() } else { tensor.dtype },
            ..tensor
        };
        // Powers and traces need no division.
        if is_integral(tensor.dtype) && !op.short_name().starts_with("matrix_power") {
            let message = format!("`{name}` must be floats, got {}", tensor.dtype);
            return op.reject(&[name], message);
        }
        match op.solver.split(&tensor.shape, 0, 2) {
            Some((_, batch, dims)) => {
                Ok(Matrices { batch, rows: dims[0], columns: dims[1], dtype: tensor.dtype, name })
            }
            None => {
                let message = format!("{} must have at least 2 dimensions", op.operand(name, &tensor.shape));
                op.reject(&[name], message)
            }
        }
    }

    fn square(op: &mut Operation) -> Result<Matrices, Stop> {
        let matrices = Matrices::read(op)?;
        let message = format_args!(
            "`{}` must hold square matrices, got {} by {}",
            matrices.name, matrices.rows, matrices.columns
        );
        op.demand(Constraint::Equal(matrices.rows, matrices.columns), &[matrices.name], || message.to_string())?;
        Ok(matrices)
    }

    fn with(&self, dims: &[Dim]) -> Shape {
        joined(&[], Some(&self.batch), dims)
    }

    fn tensor(&self, dims: &[Dim]) -> Output {
        Output::tensor(self.with(dims), self.dtype)
    }

    fn real(&self, dims: &[Dim]) -> Output {
        Output::tensor(self.with(dims), magnitude(self.dtype))
    }

    fn complex(&self, dims: &[Dim]) -> Output {
        let dtype = match self.dtype {
            DType::Float32 => DType::Complex64,
            DType::Float64 => DType::Complex128,
            other if is_complex(other) => other,
            _ => DType::Unknown,
        };
        Output::tensor(self.with(dims), dtype)
    }
}

/// `inv`, `cholesky`, `matrix_exp`, `matrix_power`: square matrices, whose shape stays.
pub(crate) fn square_matrix(op: &mut Operation) -> Evaluated {
    let matrices = Matrices::square(op)?;
    Ok(matrices.tensor(&[matrices.rows, matrices.columns]))
}

/// `det`, `logdet`: a number a square matrix.
pub(crate) fn determinant(op: &mut Operation) -> Evaluated {
    let matrices = Matrices::square(op)?;
    Ok(matrices.tensor(&[]))
}

/// `slogdet`: sign and logarithm.
pub(crate) fn sign_and_log_determinant(op: &mut Operation) -> Evaluated {
    let matrices = Matrices::square(op)?;
    Ok(Output::Tuple(vec![matrices.tensor(&[]), matrices.real(&[])]))
}

/// `linalg.svd(A, full_matrices=True)`, `svd(input, some=True, compute_uv=True)`.
pub(crate) fn svd(op: &mut Operation) -> Evaluated {
    let matrices = Matrices::read(op)?;
    let (rows, columns) = (matrices.rows, matrices.columns);
    let least = rows.min(columns);
    let old = op.arguments.get("some").is_some();
    let full = if old { op.flag_or("some", true).map(|some| !some) } else { op.flag_or("full_matrices", true) };
    let Some(full) = full else { return Ok(Output::Unknown("whether the matrices are full is not known")) };
    match op.flag_or("compute_uv", true) {
        Some(false) if op.takes_arrays() => return Ok(matrices.real(&[least])),
        None => return Ok(Output::Unknown("whether the matrices are computed is not known")),
        _ => {}
    }
    let (left, right) = if full { (rows, columns) } else { (least, least) };
    // The older function gives V, the newer one its transpose.
    let last = if old { [columns, right] } else { [right, columns] };
    Ok(Output::Tuple(vec![matrices.tensor(&[rows, left]), matrices.real(&[least]), matrices.tensor(&last)]))
}

/// `svdvals`.
pub(crate) fn singular_values(op: &mut Operation) -> Evaluated {
    let matrices = Matrices::read(op)?;
    Ok(matrices.real(&[matrices.rows.min(matrices.columns)]))
}

/// `qr(A, mode='reduced')`.
pub(crate) fn qr(op: &mut Operation) -> Evaluated {
    let matrices = Matrices::read(op)?;
    let (rows, columns) = (matrices.rows, matrices.columns);
    let complete = op.text_argument("mode") == Some("complete") || op.flag_or("some", true) == Some(false);
    let inner = if complete { rows } else { rows.min(columns) };
    if op.text_argument("mode") == Some("r") && op.takes_arrays() {
        return Ok(matrices.tensor(&[inner, columns]));
    }
    if op.text_argument("mode") == Some("r") {
        return Ok(Output::Tuple(vec![
            Output::tensor(Shape::known(vec![constant(0)]), matrices.dtype),
            matrices.tensor(&[inner, columns]),
        ]));
    }
    Ok(Output::Tuple(vec![matrices.tensor(&[rows, inner]), matrices.tensor(&[inner, columns])]))
}

/// `eigh`: real eigenvalues and eigenvectors.
pub(crate) fn eigen_symmetric(op: &mut Operation) -> Evaluated {
    let matrices = Matrices::square(op)?;
    Ok(Output::Tuple(vec![matrices.real(&[matrices.rows]), matrices.tensor(&[matrices.rows, matrices.columns])]))
}

/// `eigvalsh`.
pub(crate) fn eigenvalues_symmetric(op: &mut Operation) -> Evaluated {
    let matrices = Matrices::square(op)?;
    Ok(matrices.real(&[matrices.rows]))
}

/// `eig`: complex eigenvalues and eigenvectors; with NumPy real ones, where they happen to be.
pub(crate) fn eigen(op: &mut Operation) -> Evaluated {
    let mut matrices = Matrices::square(op)?;
    if op.takes_arrays() {
        matrices.dtype = DType::Unknown;
    }
    Ok(Output::Tuple(vec![matrices.complex(&[matrices.rows]), matrices.complex(&[matrices.rows, matrices.columns])]))
}

/// `eigvals`.
pub(crate) fn eigenvalues(op: &mut Operation) -> Evaluated {
    let mut matrices = Matrices::square(op)?;
    if op.takes_arrays() {
        matrices.dtype = DType::Unknown;
    }
    Ok(matrices.complex(&[matrices.rows]))
}

/// `pinv(A)`: rows and columns change places.
pub(crate) fn pseudo_inverse(op: &mut Operation) -> Evaluated {
    let matrices = Matrices::read(op)?;
    Ok(matrices.tensor(&[matrices.columns, matrices.rows]))
}

/// `matrix_rank(A)`.
pub(crate) fn matrix_rank(op: &mut Operation) -> Evaluated {
    // To NumPy a vector is a matrix of rank 1, or of rank 0.
    let input = op.input();
    if op.takes_arrays() && op.rank(&input.shape).is_none_or(|rank| rank < 2) {
        let is_vector = op.rank(&input.shape).is_some();
        return Ok(if is_vector {
            Output::tensor(Shape::scalar(), DType::Int64)
        } else {
            unknown_tensor(DType::Int64)
        });
    }
    let matrices = Matrices::read(op)?;
    Ok(Output::tensor(matrices.with(&[]), DType::Int64))
}

/// `solve(A, B)`: a vector or a matrix of right-hand sides.
pub(crate) fn solve(op: &mut Operation) -> Evaluated {
    let matrices = Matrices::square(op)?;
    let right = op.tensor("B");
    let (Some(sizes), Some(batch)) = (op.dims(&right.shape), op.dims(&matrices.batch)) else {
        return Ok(unknown_tensor(matrices.dtype));
    };
    let vectors = [batch.as_slice(), &[matrices.rows]].concat();
    let subject = op.operand("B", &right.shape);
    // A batch of vectors must have exactly the shape of the rows, unless it is a single one.
    let from_left = op.flag_or("left", true);
    let are_vectors = sizes.len() == 1 || (sizes.len() == vectors.len() && sizes == vectors);
    // From the right no vectors are solved for.
    if from_left.is_none() || are_vectors && from_left == Some(false) {
        return Ok(unknown_tensor(matrices.dtype));
    }
    if are_vectors {
        let size = sizes[sizes.len() - 1];
        let message = format_args!("{subject} has {size} elements, but `{}` has {} rows", matrices.name, matrices.rows);
        op.demand(Constraint::Equal(size, matrices.rows), &["B", matrices.name], || message.to_string())?;
        return Ok(matrices.tensor(&[size]));
    }
    let Some((_, own, dims)) = op.solver.split(&right.shape, 0, 2) else {
        return op.reject(&["B"], format!("{subject} must have at least 1 dimension"));
    };
    if sizes.len() == vectors.len() && sizes.iter().chain(&vectors).any(|dim| dim.as_const().is_none()) {
        return Ok(unknown_tensor(matrices.dtype));
    }
    let (met, side) = if from_left == Some(false) { (dims[1], "columns") } else { (dims[0], "rows") };
    let message = format_args!("{subject} has {met} {side}, but `{}` has {}", matrices.name, matrices.rows);
    op.demand(Constraint::Equal(met, matrices.rows), &["B", matrices.name], || message.to_string())?;
    let batch = op.broadcast((matrices.name, &matrices.batch), ("B", &own))?;
    Ok(Output::tensor(joined(&[], Some(&batch), &dims), matrices.dtype))
}
