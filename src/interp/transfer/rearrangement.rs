//! The patterns of einops: `b (h w) c -> b h w c`.

use std::collections::BTreeMap;

use super::support::{Evaluated, Stop, constant, fresh, product, unknown_tensor};
use crate::interp::operation::{Operation, Output};
use crate::shape::{Constraint, Dim, Element, Shape};

/// A dimension of a pattern: its axes, which are multiplied; or the dimensions that `...` stands for.
#[derive(Clone, Debug, PartialEq)]
enum Group {
    Axes(Vec<Axis>),
    Ellipsis,
}

#[derive(Clone, Debug, PartialEq)]
enum Axis {
    Named(String),
    Size(i64),
}

/// What a function may do with axes.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Rearrange,
    /// Axes of the left side may be missing on the right.
    Reduce,
    /// The right side may have axes of its own.
    Repeat,
}

/// `rearrange(tensor, pattern, **axes_lengths)`
pub(super) fn rearrange(op: &mut Operation) -> Evaluated {
    evaluate(op, Kind::Rearrange)
}

/// `reduce(tensor, pattern, reduction, **axes_lengths)`
pub(super) fn reduce(op: &mut Operation) -> Evaluated {
    evaluate(op, Kind::Reduce)
}

/// `repeat(tensor, pattern, **axes_lengths)`
pub(super) fn repeat(op: &mut Operation) -> Evaluated {
    evaluate(op, Kind::Repeat)
}

fn evaluate(op: &mut Operation, kind: Kind) -> Evaluated {
    let input = op.tensor("tensor");
    let Some(pattern) = op.text_argument("pattern").map(str::to_owned) else { return Ok(unknown_tensor(input.dtype)) };
    let sides = pattern.split_once("->").and_then(|(left, right)| Some((parse(left)?, parse(right)?)));
    let Some((left, right)) = sides else {
        return op.reject(&["pattern"], format!("`{pattern}` is not a pattern of einops"));
    };
    check_names(op, &pattern, &left, &right, kind)?;
    let mut sizes = BTreeMap::new();
    let Some(rest) = match_left(op, &pattern, &left, &input.shape, &mut sizes)? else {
        return Ok(unknown_tensor(input.dtype));
    };
    let mut elements = Vec::new();
    for group in &right {
        match group {
            Group::Ellipsis => elements.extend(rest.elements().iter().cloned()),
            Group::Axes(axes) => {
                let dims: Vec<Dim> = axes.iter().map(|axis| size_of(op, axis, &mut sizes)).collect();
                elements.push(Element::Dim(product(&dims)));
            }
        }
    }
    Ok(Output::tensor(Shape::new(elements), input.dtype))
}

/// The dimensions of a side; `None` where brackets do not match or a word is no axis.
fn parse(side: &str) -> Option<Vec<Group>> {
    let spaced = side.replace('(', " ( ").replace(')', " ) ").replace('…', " ... ");
    let mut groups = Vec::new();
    let mut open: Option<Vec<Axis>> = None;
    for word in spaced.split_whitespace() {
        match (word, open.as_mut()) {
            ("(", None) => open = Some(Vec::new()),
            (")", Some(_)) => groups.extend(open.take().map(Group::Axes)),
            ("(" | "...", Some(_)) | (")", None) => return None,
            ("...", None) => groups.push(Group::Ellipsis),
            (word, Some(axes)) => axes.push(axis(word)?),
            (word, None) => groups.push(Group::Axes(vec![axis(word)?])),
        }
    }
    let ellipses = groups.iter().filter(|group| **group == Group::Ellipsis).count();
    (open.is_none() && ellipses <= 1).then_some(groups)
}

fn axis(word: &str) -> Option<Axis> {
    if let Ok(size) = word.parse() {
        return Some(Axis::Size(size));
    }
    let is_name = word.chars().all(|character| character.is_alphanumeric() || character == '_');
    is_name.then(|| Axis::Named(word.to_owned()))
}

fn names(side: &[Group]) -> Vec<&str> {
    let mut names = Vec::new();
    for group in side {
        match group {
            Group::Ellipsis => names.push("..."),
            Group::Axes(axes) => names.extend(axes.iter().filter_map(|axis| match axis {
                Axis::Named(name) => Some(name.as_str()),
                Axis::Size(_) => None,
            })),
        }
    }
    names
}

/// Which axes may stand on one side only.
fn check_names(op: &mut Operation, pattern: &str, left: &[Group], right: &[Group], kind: Kind) -> Result<(), Stop> {
    let (left, right) = (names(left), names(right));
    let only =
        |side: &[&str], other: &[&str]| side.iter().find(|name| !other.contains(name)).map(|name| (*name).to_owned());
    let lost = only(&left, &right).filter(|_| kind != Kind::Reduce);
    let new = only(&right, &left).filter(|name| kind != Kind::Repeat || name == "...");
    match lost.or(new) {
        Some(name) => op.reject(&["pattern"], format!("`{name}` stands only on one side of the pattern `{pattern}`")),
        None => Ok(()),
    }
}

/// Gives the axes of the left side their sizes; the result is what `...` stands for. `None` where too little is known.
fn match_left(
    op: &mut Operation,
    pattern: &str,
    left: &[Group],
    shape: &Shape,
    sizes: &mut BTreeMap<String, Dim>,
) -> Result<Option<Shape>, Stop> {
    let ellipsis = left.iter().position(|group| *group == Group::Ellipsis);
    let subject = op.operand("tensor", shape);
    let (dims, rest) = match ellipsis {
        None => match op.solver.with_rank(shape, left.len()) {
            Some(dims) => (dims, Shape::scalar()),
            None => {
                let message = format!("the pattern `{pattern}` has {} dimensions, but {subject} has not", left.len());
                return op.reject(&["tensor", "pattern"], message);
            }
        },
        Some(place) => {
            let Some((front, rest, back)) = op.solver.split(shape, place, left.len() - place - 1) else {
                let message = format!(
                    "the pattern `{pattern}` needs {} dimensions or more, but {subject} has fewer",
                    left.len() - 1
                );
                return op.reject(&["tensor", "pattern"], message);
            };
            ([front, back].concat(), rest)
        }
    };
    let groups = left.iter().filter_map(|group| match group {
        Group::Axes(axes) => Some(axes),
        Group::Ellipsis => None,
    });
    for (axes, dim) in groups.zip(dims) {
        match_group(op, &subject, axes, dim, sizes)?;
    }
    Ok(Some(rest))
}

/// `(h w)` against a dimension: the one axis of unknown size follows from the others.
fn match_group(
    op: &mut Operation,
    subject: &str,
    axes: &[Axis],
    dim: Dim,
    sizes: &mut BTreeMap<String, Dim>,
) -> Result<(), Stop> {
    let mut known = constant(1);
    let mut unknown = Vec::new();
    for axis in axes {
        match (known_size(op, axis, sizes), axis) {
            (Some(size), _) => known = known * size,
            (None, Axis::Named(name)) => unknown.push(name.clone()),
            (None, Axis::Size(_)) => {}
        }
    }
    match unknown.as_slice() {
        [] => {
            let message = format!("the axes of a dimension of {subject} make {known}, but the dimension is {dim}");
            op.demand(Constraint::Equal(known, dim), &["tensor", "pattern"], || message)
        }
        [name] if known.as_const() == Some(1) => {
            sizes.insert(name.clone(), dim);
            Ok(())
        }
        [name] => {
            let message = format!("a dimension of {subject} ({dim}) cannot be divided into parts of {known}");
            op.demand(Constraint::Divides { divisor: known, value: dim }, &["tensor", "pattern"], || message)?;
            let size = op.solver.resolve(dim).floor_div(known);
            sizes.insert(name.clone(), size);
            Ok(())
        }
        names => {
            for name in names {
                sizes.insert(name.clone(), fresh(name));
            }
            Ok(())
        }
    }
}

/// The size of an axis: a number in the pattern, what was found on the left, or what the call gives by name.
fn known_size(op: &Operation, axis: &Axis, sizes: &BTreeMap<String, Dim>) -> Option<Dim> {
    match axis {
        Axis::Size(size) => Some(constant(*size)),
        Axis::Named(name) => sizes.get(name).copied().or_else(|| op.dim_argument(name)),
    }
}

fn size_of(op: &Operation, axis: &Axis, sizes: &mut BTreeMap<String, Dim>) -> Dim {
    if let Some(size) = known_size(op, axis, sizes) {
        return size;
    }
    let Axis::Named(name) = axis else { return constant(1) };
    *sizes.entry(name.clone()).or_insert_with(|| fresh(name))
}

#[cfg(test)]
mod tests {
    use super::super::arrays::known;
    use crate::interp::operation::{Argument, Arguments, Operation, Output, TensorArgument};
    use crate::interp::transfer::lookup;
    use crate::shape::{DType, Dim, Solver};

    /// The shape that a function gives, or the message of the requirement that is broken.
    fn evaluate(transfer: &str, dims: &[i64], pattern: &str, sizes: &[(&str, i64)]) -> Result<String, String> {
        let mut bound = Arguments::default();
        bound.push("tensor", Argument::Tensor(TensorArgument { shape: known(dims), dtype: DType::Float32 }));
        bound.push("pattern", Argument::Text(pattern.into()));
        sizes.iter().for_each(|(name, size)| bound.push(name, Argument::Integer(Dim::constant(*size))));
        let mut solver = Solver::new();
        let mut operation = Operation::new("einops", &bound, &mut solver);
        let output = lookup(transfer).expect("a transfer function")(&mut operation);
        match (output, operation.judged.first()) {
            (_, Some(judged)) => Err(judged.message.clone()),
            (Output::Tensor { shape, .. }, None) => Ok(shape.to_string()),
            (other, None) => Ok(format!("{other:?}")),
        }
    }

    #[test]
    fn axes_are_split_joined_and_reordered() {
        let rearrange =
            |dims: &[i64], pattern, sizes: &[(&str, i64)]| evaluate("einops_rearrange", dims, pattern, sizes);
        assert_eq!(rearrange(&[2, 3, 4, 5], "b c h w -> b (h w) c", &[]), Ok("[2, 20, 3]".to_owned()));
        assert_eq!(rearrange(&[2, 12, 7], "b (h d) n -> b h n d", &[("h", 3)]), Ok("[2, 3, 7, 4]".to_owned()));
        assert_eq!(rearrange(&[2, 3, 4, 5], "... h w -> ... (h w)", &[]), Ok("[2, 3, 20]".to_owned()));
        assert_eq!(rearrange(&[6], "n -> n 1 ()", &[]), Ok("[6, 1, 1]".to_owned()));
        assert!(rearrange(&[2, 13, 7], "b (h d) n -> b h n d", &[("h", 3)]).is_err());
        assert!(rearrange(&[2, 3], "a b c -> c b a", &[]).is_err());
        assert!(rearrange(&[2, 3], "a b -> a c", &[]).is_err());
        assert!(rearrange(&[2, 3], "a (b -> a b", &[]).is_err());
    }

    #[test]
    fn axes_may_be_reduced_or_added() {
        let reduced = evaluate("einops_reduce", &[2, 3, 8, 6], "b c (h p) (w q) -> b c h w", &[("p", 2), ("q", 3)]);
        assert_eq!(reduced, Ok("[2, 3, 4, 2]".to_owned()));
        assert_eq!(evaluate("einops_repeat", &[5], "d -> n d", &[("n", 3)]), Ok("[3, 5]".to_owned()));
        assert!(evaluate("einops_reduce", &[5], "d -> n d", &[]).is_err());
    }
}
