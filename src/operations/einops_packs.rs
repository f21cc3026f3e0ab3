//! Transfer functions of `einops`: `pack`, `unpack` and `parse_shape`.

use crate::operation::{Argument, Operation, Output, TensorArgument};
use crate::support::{Evaluated, Stop, constant, fresh, joined, product, unknown_tensor};
use harp_shape::{Constraint, Dim, Shape};

/// How many axes stand before the `*` of a pattern, and how many behind.
fn star(op: &mut Operation) -> Result<Option<(String, usize, usize)>, Stop> {
    let Some(text) = op.text_argument("pattern").map(str::to_owned) else { return Ok(None) };
    let words: Vec<&str> = text.split_whitespace().collect();
    let stars: Vec<usize> = (0..words.len()).filter(|place| words[*place] == "*").collect();
    match stars.as_slice() {
        [place] => Ok(Some((text.clone(), *place, words.len() - place - 1))),
        _ => op.reject(&["pattern"], format!("the pattern '{text}' must have one `*`")),
    }
}

/// `pack(tensors, pattern)`: one tensor, and the shapes of what `*` stood for.
pub(crate) fn pack(op: &mut Operation) -> Evaluated {
    let Some(Argument::Sequence(tensors)) = op.arguments.get("tensors").cloned() else {
        return Ok(Output::Unknown("the tensors are not known one by one"));
    };
    let Some((text, before, after)) = star(op)? else { return Ok(Output::Unknown("the pattern is not known")) };
    let tensors: Vec<TensorArgument> = tensors.iter().map(|tensor| op.as_tensor(tensor, "tensors")).collect();
    let mut common: Option<(Vec<Dim>, Vec<Dim>)> = None;
    let mut packed = constant(0);
    let mut shapes = Vec::with_capacity(tensors.len());
    for (index, tensor) in tensors.iter().enumerate() {
        let Some((front, middle, back)) = op.solver.split(&tensor.shape, before, after) else {
            let message = format!("`tensors[{index}]` {} has too few dimensions for '{text}'", op.text(&tensor.shape));
            return op.reject(&["tensors", "pattern"], message);
        };
        if let Some((first, last)) = &common {
            for (one, other) in first.iter().chain(last).zip(front.iter().chain(&back)) {
                let message = format_args!("the tensors packed by '{text}' differ outside of `*`: {one} and {other}");
                op.demand(Constraint::Equal(*one, *other), &["tensors"], || message.to_string())?;
            }
        } else {
            common = Some((front, back));
        }
        packed = packed + op.solver.resolve(middle.prod());
        shapes.push(op.dims(&middle));
    }
    let Some((front, back)) = common else {
        return op.reject(&["tensors"], "`tensors` must hold at least one tensor".to_owned());
    };
    let dtype = op.result_type(&tensors.iter().cloned().map(Argument::Tensor).collect::<Vec<_>>());
    let shapes = shapes.into_iter().map(|dims| dims.map_or(Output::Unknown("a shape is not known"), Output::Size));
    let result = Output::tensor(joined(&[front.as_slice(), &[packed]].concat(), None, &back), dtype);
    Ok(Output::Tuple(vec![result, Output::List(shapes.collect())]))
}

/// `unpack(tensor, packed_shapes, pattern)`: a tensor a shape.
pub(crate) fn unpack(op: &mut Operation) -> Evaluated {
    let Some((text, before, after)) = star(op)? else { return Ok(Output::Unknown("the pattern is not known")) };
    let tensor = op.tensor("tensor");
    let Some(Argument::Sequence(shapes)) = op.arguments.get("packed_shapes").cloned() else {
        return Ok(Output::Unknown("the shapes are not known one by one"));
    };
    let Some(dims) = op.solver.with_rank(&tensor.shape, before + 1 + after) else {
        let message = format!("{} does not go with '{text}'", op.operand("tensor", &tensor.shape));
        return op.reject(&["tensor", "pattern"], message);
    };
    let (front, total, back) = (&dims[..before], op.solver.resolve(dims[before]), &dims[before + 1..]);
    let read = |shape: &Argument| match shape {
        Argument::Sequence(sizes) => sizes.iter().map(Argument::as_dim).collect::<Option<Vec<Dim>>>(),
        _ => None,
    };
    let Some(shapes) = shapes.iter().map(read).collect::<Option<Vec<Vec<Dim>>>>() else {
        return Ok(Output::Unknown("the shapes are not known one by one"));
    };
    let is_open = |dim: &Dim| dim.as_const() == Some(-1);
    let known = shapes.iter().filter(|shape| !shape.iter().any(is_open)).map(|shape| product(shape));
    let known = known.fold(constant(0), |sum, size| sum + size);
    let open = shapes.iter().flatten().filter(|dim| is_open(dim)).count();
    let message = format_args!("the shapes have {known} elements, but the packed dimension of '{text}' has {total}");
    let fits = match open {
        0 => Constraint::Equal(known, total),
        1 => Constraint::LessEqual(known, total),
        _ => return op.reject(&["packed_shapes"], "only one size can be -1".to_owned()),
    };
    // Of a tensor without elements every part can be made.
    if !dims.iter().any(|dim| dim.as_const() == Some(0)) {
        op.demand(fits, &["tensor", "packed_shapes"], || message.to_string())?;
    }
    let mut parts = Vec::with_capacity(shapes.len());
    for shape in &shapes {
        let others: Vec<Dim> = shape.iter().filter(|dim| !is_open(dim)).copied().collect();
        let rest = (total - known).floor_div(product(&others));
        let sizes: Vec<Dim> = shape.iter().map(|dim| if is_open(dim) { rest } else { *dim }).collect();
        parts.push(Output::tensor(joined(&[front, &sizes].concat(), None, back), tensor.dtype));
    }
    Ok(Output::List(parts))
}

/// `EinMix(pattern, weight_shape, bias_shape, **lengths)(input)`: a product with a weight of named axes.
pub(crate) fn mix(op: &mut Operation) -> Evaluated {
    let input = op.tensor("tensor");
    let Some(text) = op.text_argument("pattern").map(str::to_owned) else { return Ok(unknown_tensor(input.dtype)) };
    let Some((left, right)) = text.split_once("->") else {
        return op.reject(&["pattern"], format!("the pattern '{text}' has no `->`"));
    };
    if text.contains(['(', '.']) {
        return Ok(unknown_tensor(input.dtype));
    }
    let left: Vec<&str> = left.split_whitespace().collect();
    let right: Vec<&str> = right.split_whitespace().collect();
    let Some(dims) = op.solver.with_rank(&input.shape, left.len()) else {
        let subject = op.operand("tensor", &input.shape);
        return op.reject(
            &["pattern", "tensor"],
            format!("the pattern '{text}' does not go with the number of dimensions of {subject}"),
        );
    };
    for (name, dim) in left.iter().zip(&dims) {
        if let Some(length) = op.dim_argument(name) {
            let message = format_args!("in '{text}', the axis `{name}` is {length}, but meets a dimension of {dim}");
            op.demand(Constraint::Broadcastable(*dim, length), &["tensor", "pattern"], || message.to_string())?;
        }
    }
    let size = |op: &Operation, name: &str| match left.iter().position(|known| *known == name) {
        Some(place) => op.solver.resolve(dims[place]),
        None => op.dim_argument(name).unwrap_or_else(|| fresh(name)),
    };
    let sizes: Vec<Dim> = right.iter().map(|name| size(op, name)).collect();
    Ok(Output::tensor(Shape::known(sizes), crate::dtypes::floating(input.dtype)))
}

/// `parse_shape(x, pattern)`: requires that the pattern goes with the tensor; the sizes by name are made by the interpreter.
pub(crate) fn parse_shape(op: &mut Operation) -> Evaluated {
    let input = op.tensor("x");
    if let Some(text) = op.text_argument("pattern").map(str::to_owned) {
        let words = text.split_whitespace().count();
        let open = text.contains("...");
        let fits = match op.rank(&input.shape) {
            Some(rank) => {
                if open {
                    rank + 1 >= words
                } else {
                    rank == words
                }
            }
            None => true,
        };
        if !fits {
            let message = format!(
                "the pattern '{text}' does not go with the number of dimensions of {}",
                op.operand("x", &input.shape)
            );
            return op.reject(&["pattern", "x"], message);
        }
    }
    Ok(Output::Unknown("the sizes by name"))
}
