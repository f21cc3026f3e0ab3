//! Transfer functions of Einstein summation.

use std::collections::BTreeMap;

use crate::operation::{Argument, Operation, Output, TensorArgument};
use crate::support::{Evaluated, Stop, constant, items, joined, unknown_tensor};
use harp_shape::{Constraint, DType, Dim, Shape};

/// One side of an equation: letters, with the place of `...` among them.
pub(crate) struct Subscripts {
    pub letters: Vec<String>,
    pub ellipsis: Option<usize>,
}

/// The equation of an `einsum`.
struct Equation {
    inputs: Vec<Subscripts>,
    output: Option<Subscripts>,
}

fn parse(equation: &str) -> Result<Equation, String> {
    let compact: String = equation.chars().filter(|character| !character.is_whitespace()).collect();
    let (inputs, output) = match compact.split_once("->") {
        Some((inputs, output)) => (inputs, Some(output)),
        None => (compact.as_str(), None),
    };
    let inputs = inputs.split(',').map(subscripts).collect::<Result<Vec<_>, _>>()?;
    let output = output.map(subscripts).transpose()?;
    Ok(Equation { inputs, output })
}

fn subscripts(text: &str) -> Result<Subscripts, String> {
    let mut letters = Vec::new();
    let mut ellipsis = None;
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("...") {
            if ellipsis.replace(letters.len()).is_some() {
                return Err(format!("`{text}` has more than one `...`"));
            }
            rest = after;
        } else if character.is_ascii_alphabetic() {
            letters.push(character.to_string());
            rest = &rest[1..];
        } else {
            return Err(format!("`{character}` in `{text}` is not a letter"));
        }
    }
    Ok(Subscripts { letters, ellipsis })
}

/// What is known of the letters and of `...` so far.
#[derive(Default)]
struct Sizes {
    letters: BTreeMap<String, Dim>,
    ellipsis: Option<Shape>,
}

/// `einsum(equation, *operands)`.
pub(crate) fn einsum(op: &mut Operation) -> Evaluated {
    let operands = match op.arguments.value("operands") {
        Argument::Sequence(_) => op.arguments.get("operands").and_then(items),
        tensor @ Argument::Tensor(_) => Some(vec![tensor]),
        _ => None,
    };
    let (Some(text), Some(operands)) = (op.text_argument("equation").map(str::to_owned), operands) else {
        return Ok(unknown_tensor(DType::Unknown));
    };
    match parse(&text) {
        Ok(equation) => summed(op, &text, &equation.inputs, equation.output.as_ref(), &operands),
        Err(reason) => op.reject(&["equation"], format!("the equation '{text}' cannot be read: {reason}")),
    }
}

/// The result of summing over the subscripts that are not in the output.
pub(crate) fn summed(
    op: &mut Operation,
    text: &str,
    inputs: &[Subscripts],
    output: Option<&Subscripts>,
    operands: &[Argument],
) -> Evaluated {
    let dtype = op.result_type(operands);
    let tensors: Vec<TensorArgument> = operands.iter().map(|operand| op.as_tensor(operand, "operands")).collect();
    if inputs.len() != tensors.len() {
        let message = format!("the equation '{text}' has {} operands, but {} are given", inputs.len(), tensors.len());
        return op.reject(&["equation", "operands"], message);
    }
    let mut sizes = Sizes::default();
    for (index, (subscripts, tensor)) in inputs.iter().zip(&tensors).enumerate() {
        bind(op, text, subscripts, &tensor.shape, index, &mut sizes)?;
    }
    let shape = result(op, text, inputs, output, &sizes)?;
    // A sum over one operand adds integers up in 64 bits.
    let is_narrow = crate::dtypes::is_integral(dtype) && dtype != DType::Int64 && inputs.len() == 1;
    Ok(Output::tensor(shape, if is_narrow { DType::Unknown } else { dtype }))
}

/// Binds the letters of one operand to its dimensions.
fn bind(
    op: &mut Operation,
    text: &str,
    subscripts: &Subscripts,
    shape: &Shape,
    index: usize,
    sizes: &mut Sizes,
) -> Result<(), Stop> {
    let letters = &subscripts.letters;
    let subject = format!("operand {index} {}", op.text(shape));
    let dims = match subscripts.ellipsis {
        None => match op.solver.dims_of_rank(shape, letters.len()) {
            Some(dims) => dims,
            None => {
                let message = format!(
                    "'{text}' gives {subject} {} subscripts, which is not its number of dimensions",
                    letters.len()
                );
                return op.reject(&["equation", "operands"], message);
            }
        },
        Some(place) => match op.solver.split(shape, place, letters.len() - place) {
            Some((mut front, rest, back)) => {
                sizes.ellipsis = Some(match sizes.ellipsis.take() {
                    None => rest,
                    Some(before) => op.broadcast(("operands", &before), ("operands", &rest))?,
                });
                front.extend(back);
                front
            }
            None => {
                let message = format!(
                    "'{text}' gives {subject} {} subscripts beside `...`, more than it has dimensions",
                    letters.len()
                );
                return op.reject(&["equation", "operands"], message);
            }
        },
    };
    for (place, (letter, dim)) in letters.iter().zip(dims).enumerate() {
        let dim = op.solver.resolve(dim);
        let again = letters[..place].contains(letter);
        match sizes.letters.get(letter).copied() {
            None => {
                sizes.letters.insert(letter.clone(), dim);
            }
            Some(before) => {
                let message =
                    format_args!("in '{text}', the subscript `{letter}` is {before} before, but {dim} in {subject}");
                let constraint =
                    if again || (before.as_const().is_some_and(|size| size != 1) && dim.as_const().is_none()) {
                        Constraint::Equal(before, dim)
                    } else {
                        Constraint::Broadcastable(before, dim)
                    };
                op.demand(constraint, &["operands"], || message.to_string())?;
                let before = op.solver.resolve(before);
                let dim = op.solver.resolve(dim);
                let size = match () {
                    () if before == constant(1) => dim,
                    () if again || dim == constant(1) || before == dim || !op.solver.fixes_ranks => before,
                    // A signature says that either may be 1.
                    () => before.max(dim),
                };
                sizes.letters.insert(letter.clone(), size);
            }
        }
    }
    Ok(())
}

/// The shape that the output side asks for; without one, the letters that occur once, in alphabetical order.
fn result(
    op: &mut Operation,
    text: &str,
    inputs: &[Subscripts],
    output: Option<&Subscripts>,
    sizes: &Sizes,
) -> Result<Shape, Stop> {
    let ellipsis = sizes.ellipsis.as_ref();
    let Some(output) = output else {
        let all: Vec<&String> = inputs.iter().flat_map(|input| &input.letters).collect();
        let once = sizes.letters.iter().filter(|(letter, _)| all.iter().filter(|other| *other == letter).count() == 1);
        let dims: Vec<Dim> = once.map(|(_, dim)| op.solver.resolve(*dim)).collect();
        return Ok(joined(&[], ellipsis, &dims));
    };
    let mut dims = Vec::with_capacity(output.letters.len());
    for (place, letter) in output.letters.iter().enumerate() {
        if output.letters[..place].contains(letter) {
            return op
                .reject(&["equation"], format!("in '{text}', the output subscript `{letter}` appears more than once"));
        }
        match sizes.letters.get(letter) {
            Some(dim) => dims.push(op.solver.resolve(*dim)),
            None => {
                return op.reject(
                    &["equation"],
                    format!("in '{text}', the output subscript `{letter}` is not in any operand"),
                );
            }
        }
    }
    Ok(match output.ellipsis {
        Some(place) => joined(&dims[..place], ellipsis, &dims[place..]),
        None => Shape::known(dims),
    })
}
