//! Transfer functions of `einops`, by its patterns.
//!
//! The lengths of axes (`h=2`) are read under their own names.

use std::collections::BTreeMap;

use crate::einsum::{Subscripts, summed};
use crate::operation::{Argument, Operation, Output, TensorArgument};
use crate::support::{Evaluated, Operand, Stop, constant, count, fresh, joined, product, unknown_tensor};
use harp_shape::{Constraint, DType, Dim, Shape};

/// A part of a side of a pattern.
#[derive(Clone, Debug, PartialEq)]
enum Part {
    Axis(String),
    /// An axis that is only a number.
    Length(i64),
    Ellipsis,
    /// `(a b)`: several axes in one dimension.
    Group(Vec<Part>),
}

/// A pattern, such as `b (h w) c -> b c h w`.
struct Pattern {
    left: Vec<Part>,
    right: Vec<Part>,
}

fn parse(pattern: &str) -> Result<Pattern, String> {
    let (left, right) = pattern.split_once("->").ok_or("it has no `->`")?;
    Ok(Pattern { left: parse_side(left)?, right: parse_side(right)? })
}

fn parse_side(text: &str) -> Result<Vec<Part>, String> {
    let spaced = text.replace('(', " ( ").replace(')', " ) ").replace('…', " ... ").replace("...", " ... ");
    let mut parts = Vec::new();
    let mut group: Option<Vec<Part>> = None;
    for word in spaced.split_whitespace() {
        match word {
            "(" if group.is_some() => return Err("brackets are nested".to_owned()),
            "(" => group = Some(Vec::new()),
            ")" => parts.push(Part::Group(group.take().ok_or("a bracket is closed that is not open")?)),
            word => {
                let part = match word {
                    "..." => Part::Ellipsis,
                    _ if word.chars().all(|character| character.is_ascii_digit()) => {
                        Part::Length(word.parse().map_err(|_| format!("{word} is too large"))?)
                    }
                    _ if word.chars().all(|character| character.is_alphanumeric() || character == '_') => {
                        Part::Axis(word.to_owned())
                    }
                    _ => return Err(format!("`{word}` is not a name of an axis")),
                };
                group.as_mut().unwrap_or(&mut parts).push(part);
            }
        }
    }
    if group.is_some() { Err("a bracket is not closed".to_owned()) } else { Ok(parts) }
}

/// The names on a side.
fn names(parts: &[Part]) -> Vec<&str> {
    let mut names = Vec::new();
    for part in parts {
        match part {
            Part::Axis(name) => names.push(name.as_str()),
            Part::Group(inner) => names.extend(self::names(inner)),
            _ => {}
        }
    }
    names
}

/// What a pattern's left side has bound.
struct Bound {
    axes: BTreeMap<String, Dim>,
    rest: Option<Shape>,
}

/// `rearrange(tensor, pattern, **lengths)`: the same axes on both sides.
pub(crate) fn einops_rearrange(op: &mut Operation) -> Evaluated {
    transformed(op, |left, right| {
        let missing =
            left.iter().find(|name| !right.contains(name)).or_else(|| right.iter().find(|name| !left.contains(name)));
        missing.map(|name| format!("`{name}` is on one side only"))
    })
}

/// `reduce(tensor, pattern, reduction, **lengths)`: axes that are missing on the right are reduced.
pub(crate) fn einops_reduce(op: &mut Operation) -> Evaluated {
    if let Some(reduction) = op.text_argument("reduction")
        && !["min", "max", "sum", "mean", "prod", "any", "all"].contains(&reduction)
    {
        let message =
            format!("`reduction` must be 'min', 'max', 'sum', 'mean', 'prod', 'any' or 'all', not '{reduction}'");
        return op.reject(&["reduction"], message);
    }
    let reduced = transformed(op, |left, right| {
        right.iter().find(|name| !left.contains(name)).map(|name| format!("`{name}` is only on the right"))
    })?;
    Ok(match reduced {
        Output::Tensor { shape, dtype } => Output::tensor(shape, reduced_type(op, dtype)),
        other => other,
    })
}

/// Integers and truth values are added and multiplied as integers of 64 bits, as `sum` and `prod` of the libraries do.
fn reduced_type(op: &Operation, dtype: DType) -> DType {
    let is_counted = dtype == DType::Bool || dtype.is_integer();
    match op.text_argument("reduction") {
        Some("sum" | "prod") if is_counted => DType::Int64,
        Some("any" | "all") => DType::Bool,
        None if is_counted => DType::Unknown,
        _ => dtype,
    }
}

/// `repeat(tensor, pattern, **lengths)`: axes that are missing on the left are new.
pub(crate) fn einops_repeat(op: &mut Operation) -> Evaluated {
    transformed(op, |left, right| {
        left.iter().find(|name| !right.contains(name)).map(|name| format!("`{name}` is only on the left"))
    })
}

fn transformed(op: &mut Operation, misplaced: impl Fn(&[&str], &[&str]) -> Option<String>) -> Evaluated {
    let input = stacked(op)?;
    let Some(text) = op.text_argument("pattern").map(str::to_owned) else { return Ok(unknown_tensor(input.dtype)) };
    let pattern = match parse(&text) {
        Ok(pattern) => pattern,
        Err(reason) => return op.reject(&["pattern"], format!("the pattern '{text}' cannot be read: {reason}")),
    };
    let (left, right) = (names(&pattern.left), names(&pattern.right));
    if let Some(reason) = misplaced(&left, &right) {
        return op.reject(&["pattern"], format!("in the pattern '{text}', {reason}"));
    }
    check_names(op, &text, &pattern)?;
    let mut bound = bind(op, &text, &pattern.left, &input.shape)?;
    for name in right {
        if !bound.axes.contains_key(name) {
            let is_missing = [name, LENGTHS].iter().all(|name| op.arguments.get(name).is_none());
            if is_missing && op.short_name().eq_ignore_ascii_case("repeat") {
                return op.reject(
                    &["pattern"],
                    format!("in the pattern '{text}', the length of the new axis `{name}` is not given"),
                );
            }
            let length = op.dim_argument(name).unwrap_or_else(|| fresh(name));
            bound.axes.insert(name.to_owned(), length);
        }
    }
    let shape = result(op, &pattern.right, &bound);
    Ok(Output::tensor(shape, input.dtype))
}

/// The parameter for the lengths of axes, which is bound where a call may give some that are not known.
const LENGTHS: &str = "axes_lengths";

/// Parameters of the functions that are not the lengths of axes.
const OTHER_PARAMETERS: [&str; 6] = ["tensor", "pattern", "reduction", "self", "training", LENGTHS];

/// Requires that an axis has one name, that the sides agree on `...`, and that no length is given of an axis that is not there.
fn check_names(op: &mut Operation, text: &str, pattern: &Pattern) -> Result<(), Stop> {
    for side in [&pattern.left, &pattern.right] {
        let known = names(side);
        if let Some(twice) = (1..known.len()).find(|place| known[..*place].contains(&known[*place])) {
            return op
                .reject(&["pattern"], format!("in the pattern '{text}', `{}` stands twice on a side", known[twice]));
        }
    }
    if has_ellipsis(&pattern.right) && !has_ellipsis(&pattern.left) {
        return op.reject(&["pattern"], format!("in the pattern '{text}', `...` is only on the right"));
    }
    let (left, right) = (names(&pattern.left), names(&pattern.right));
    let unused = op.arguments.iter().map(|(name, _)| name.to_owned()).find(|name| {
        !OTHER_PARAMETERS.contains(&name.as_str()) && !left.contains(&name.as_str()) && !right.contains(&name.as_str())
    });
    match unused {
        Some(name) => {
            op.reject(&["pattern"], format!("the length of `{name}` is given, but '{text}' has no such axis"))
        }
        None => Ok(()),
    }
}

fn has_ellipsis(parts: &[Part]) -> bool {
    parts.iter().any(|part| match part {
        Part::Ellipsis => true,
        Part::Group(inner) => has_ellipsis(inner),
        _ => false,
    })
}

/// The tensor; several in a list get a first dimension.
fn stacked(op: &mut Operation) -> Result<TensorArgument, Stop> {
    let Some(Argument::Sequence(tensors)) = op.arguments.get("tensor") else { return Ok(op.tensor("tensor")) };
    let tensors = tensors.clone();
    let Some(first) = tensors.first() else {
        return op.reject(&["tensor"], "the list of tensors is empty".to_owned());
    };
    let dtype = op.result_type(&tensors);
    let first = op.as_tensor(first, "tensor");
    for tensor in &tensors[1..] {
        let other = op.as_tensor(tensor, "tensor");
        let texts = (op.text(&first.shape), op.text(&other.shape));
        let message = format_args!("the tensors in the list must have one shape, got {} and {}", texts.0, texts.1);
        op.demand(Constraint::SameShape(first.shape.clone(), other.shape), &["tensor"], || message.to_string())?;
    }
    Ok(TensorArgument { shape: joined(&[count(tensors.len())], Some(&first.shape), &[]), dtype })
}

/// Binds the axes of the left side to the dimensions of the tensor.
fn bind(op: &mut Operation, text: &str, left: &[Part], shape: &Shape) -> Result<Bound, Stop> {
    let mut bound = Bound { axes: BTreeMap::new(), rest: None };
    let subject = op.operand("tensor", shape);
    let ellipsis = left.iter().position(|part| matches!(part, Part::Ellipsis));
    let dims = match ellipsis {
        None => op.solver.with_rank(shape, left.len()),
        Some(place) => op.solver.split(shape, place, left.len() - place - 1).map(|(mut front, rest, back)| {
            bound.rest = Some(rest);
            front.extend(back);
            front
        }),
    };
    let Some(dims) = dims else {
        let message = format!("the pattern '{text}' does not go with the number of dimensions of {subject}");
        return op.reject(&["pattern", "tensor"], message);
    };
    let parts = left.iter().filter(|part| !matches!(part, Part::Ellipsis));
    for (part, dim) in parts.zip(dims) {
        let dim = op.solver.resolve(dim);
        let single = std::slice::from_ref(part);
        let axes = if let Part::Group(inner) = part { inner.as_slice() } else { single };
        bind_dimension(op, text, axes, dim, &subject, &mut bound)?;
    }
    Ok(bound)
}

/// Binds the axes that make up one dimension: all but one must be known.
fn bind_dimension(
    op: &mut Operation,
    text: &str,
    axes: &[Part],
    dim: Dim,
    subject: &Operand<'_>,
    bound: &mut Bound,
) -> Result<(), Stop> {
    let mut known = constant(1);
    let mut unknown = Vec::new();
    for axis in axes {
        match axis {
            Part::Length(length) => known = known * constant(*length),
            Part::Axis(name) => match op.dim_argument(name) {
                Some(length) => {
                    bound.axes.insert(name.clone(), length);
                    known = known * length;
                }
                None => unknown.push(name),
            },
            Part::Ellipsis | Part::Group(_) => return Ok(()),
        }
    }
    match unknown.as_slice() {
        [] => {
            let message = format_args!("in '{text}', a dimension of {known} elements meets one of {dim} in {subject}");
            op.demand(Constraint::Equal(dim, known), &["tensor", "pattern"], || message.to_string())
        }
        [name] => {
            if known.as_const() == Some(0) {
                return op.reject(&["pattern"], format!("in '{text}', an axis beside `{name}` has no elements"));
            }
            let message = format_args!("in '{text}', the dimension {dim} of {subject} is not divisible by {known}");
            op.demand(Constraint::Divides { divisor: known, value: dim }, &["tensor", "pattern"], || {
                message.to_string()
            })?;
            bound.axes.insert((*name).clone(), op.solver.resolve(dim).floor_div(known));
            Ok(())
        }
        names => {
            let is_open = op.arguments.iter().any(|(_, argument)| matches!(argument, Argument::Unknown));
            // A length that is given and no known number, such as a tensor of one element or an option that is left out, is some number.
            let are_given = names.iter().filter(|name| op.arguments.get(name.as_str()).is_none()).count() < 2;
            if is_open || are_given {
                for name in names {
                    bound.axes.insert((*name).clone(), fresh(name));
                }
                return Ok(());
            }
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            op.reject(&["pattern"], format!("in '{text}', the lengths of {} cannot be told apart", names.join(" and ")))
        }
    }
}

/// The shape of the right side.
fn result(op: &Operation, right: &[Part], bound: &Bound) -> Shape {
    let size = |part: &Part| match part {
        Part::Axis(name) => bound.axes.get(name).map_or_else(|| fresh(name), |dim| op.solver.resolve(*dim)),
        Part::Length(length) => constant(*length),
        Part::Ellipsis => bound.rest.as_ref().map_or(constant(1), |rest| op.solver.resolve_shape(rest).prod()),
        Part::Group(_) => constant(1),
    };
    let mut shape = Shape::scalar();
    for part in right {
        shape = match part {
            Part::Ellipsis => bound.rest.as_ref().map_or(shape.clone(), |rest| shape.concat(rest)),
            Part::Group(inner) => joined(&[], Some(&shape), &[product(&inner.iter().map(size).collect::<Vec<_>>())]),
            other => joined(&[], Some(&shape), &[size(other)]),
        };
    }
    op.solver.resolve_shape(&shape)
}

/// `einops.einsum(*tensors, pattern)`: axes have names of any length.
pub(crate) fn einops_einsum(op: &mut Operation) -> Evaluated {
    let Some(Argument::Sequence(arguments)) = op.arguments.get("tensors_and_pattern") else {
        return Ok(unknown_tensor(DType::Unknown));
    };
    let mut arguments = arguments.clone();
    let Some(Argument::Text(text)) = arguments.pop() else { return Ok(unknown_tensor(DType::Unknown)) };
    let Some((inputs, output)) = text.split_once("->") else {
        return op.reject(&["tensors_and_pattern"], format!("the pattern '{text}' has no `->`"));
    };
    let side = |text: &str| -> Option<Subscripts> {
        let mut subscripts = Subscripts { letters: Vec::new(), ellipsis: None };
        for part in parse_side(text).ok()? {
            match part {
                Part::Axis(name) => subscripts.letters.push(name),
                Part::Ellipsis => subscripts.ellipsis = Some(subscripts.letters.len()),
                _ => return None,
            }
        }
        Some(subscripts)
    };
    let inputs: Option<Vec<Subscripts>> = inputs.split(',').map(side).collect();
    let (Some(inputs), Some(output)) = (inputs, side(output)) else { return Ok(unknown_tensor(DType::Unknown)) };
    summed(op, &text, &inputs, Some(&output), &arguments)
}
