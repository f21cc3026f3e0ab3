//! What NumPy makes of lists of numbers where it joins arrays, or gives them more axes: arrays.

use harp_operations::operation::{Argument, Arguments, TensorArgument};
use harp_python::name::Name;
use harp_shape::{DType, Dim, Shape};

/// The functions that take several arrays, each of which may be a sequence of numbers, and their parameters. What is joined is one sequence;
/// what gets more axes are arguments of their own, each of which may be a sequence of arrays as well.
const JOIN: [(&str, &str); 10] = [
    ("numpy.atleast_1d", "arys"),
    ("numpy.atleast_2d", "arys"),
    ("numpy.atleast_3d", "arys"),
    ("numpy.concatenate", "arrays"),
    ("numpy.stack", "arrays"),
    ("numpy.hstack", "tup"),
    ("numpy.vstack", "tup"),
    ("numpy.row_stack", "tup"),
    ("numpy.dstack", "tup"),
    ("numpy.column_stack", "tup"),
];

/// How deep sequences are looked into.
const DEEPEST: usize = 8;

/// Puts arrays in the place of the sequences among the items that a call joins.
pub(crate) fn with_arrays(api: Name, spec_name: impl Fn(&str) -> String, arguments: &mut Arguments) {
    let Some((_, parameter)) = JOIN.iter().find(|(name, _)| *name == api.as_str()) else { return };
    let items_are_arrays = *parameter == "arys";
    let parameter = spec_name(parameter);
    let Some(Argument::Sequence(items)) = arguments.get(&parameter) else { return };
    if !items.iter().any(|item| matches!(item, Argument::Sequence(_))) {
        return;
    }
    let items = items.iter().map(|item| match item {
        Argument::Sequence(_) => match contents(item, DEEPEST, items_are_arrays) {
            Some((dims, dtype)) => Argument::Tensor(TensorArgument { shape: Shape::known(dims), dtype }),
            None => Argument::Unknown,
        },
        item => item.clone(),
    });
    let items = Argument::Sequence(items.collect());
    arguments.push(&parameter, items);
}

/// The sizes of nested sequences of numbers, which must be even, and the type of the numbers. `takes_arrays`: arrays may stand among them.
fn contents(argument: &Argument, depth: usize, takes_arrays: bool) -> Option<(Vec<Dim>, DType)> {
    match argument {
        Argument::Integer(_) => Some((Vec::new(), DType::Int64)),
        Argument::Float(_) => Some((Vec::new(), DType::Float64)),
        Argument::Boolean(_) => Some((Vec::new(), DType::Bool)),
        // A number among numbers. A pair of tensors may be what `max` gives of a tensor that was taken for an array.
        Argument::Tensor(tensor) => {
            let dims = tensor.shape.dims()?;
            (takes_arrays || dims.is_empty()).then_some((dims, tensor.dtype))
        }
        Argument::Sequence(items) if depth > 0 => {
            // What is not known is as its neighbours are, since the sequences must be even.
            let mut all = items.iter().filter(|item| !matches!(item, Argument::Unknown));
            let (inner, mut dtype) = contents(all.next()?, depth - 1, takes_arrays)?;
            for item in all {
                let (dims, other) = contents(item, depth - 1, takes_arrays)?;
                if dims != inner {
                    return None;
                }
                dtype = if other == dtype { dtype } else { DType::Unknown };
            }
            if items.iter().any(|item| matches!(item, Argument::Unknown)) {
                dtype = DType::Unknown;
            }
            let mut dims = vec![Dim::constant(i64::try_from(items.len()).ok()?)];
            dims.extend(inner);
            Some((dims, dtype))
        }
        _ => None,
    }
}
