//! Remedies of an issue that change an argument a little: other arrangements of a tensor, other sizes, and how they are
//! written.

use std::rc::Rc;

use harp_operations::operation::{Argument, TensorArgument};
use harp_shape::{DType, Dim, Shape};

/// Tensors of a higher rank are not rearranged.
pub(crate) const MOST_DIMENSIONS: usize = 6;
/// Stands for a size that is not written down.
const OPEN: i64 = -2;

/// What a change does. Which of them keep the meaning of a call depends on what fails there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChangeKind {
    ElementType,
    /// The last two dimensions swap.
    Transposed,
    /// The channels, which are last, come behind the batch.
    ChannelsFirst,
    /// A dimension of one element goes.
    Dropped,
    /// A dimension of one element comes.
    Added,
    /// All dimensions behind the first become one.
    Flattened,
    /// Another dimension is named.
    Dimension,
    /// One size that is written down is another.
    Size,
}

/// A change of one argument.
pub(crate) struct Change {
    pub kind: ChangeKind,
    pub parameter: Rc<str>,
    pub argument: Argument,
    /// What is written in place of the argument's text, or of the part `instead_of` of it.
    pub written: String,
    pub instead_of: Option<String>,
}

/// An operand: its parameter, how the program writes it, and whether its class has the methods that rearrange dimensions one by one, as
/// NumPy's has not.
pub(crate) struct Operand<'a> {
    pub parameter: &'a Rc<str>,
    pub text: String,
    pub has_methods: bool,
}

/// A tensor in other arrangements, with what makes them. None of them moves the first dimension of more than two, which mostly is the batch.
pub(crate) fn rearranged(operand: &Operand<'_>, tensor: &TensorArgument, dims: &[Dim]) -> Vec<Change> {
    let (rank, has_methods) = (dims.len(), operand.has_methods);
    let mut changes = Vec::new();
    let mut add = |kind: ChangeKind, dims: Vec<Dim>, dtype: DType, call: String| {
        changes.push(Change {
            kind,
            parameter: Rc::clone(operand.parameter),
            argument: Argument::Tensor(TensorArgument { shape: Shape::known(dims), dtype }),
            written: format!("{}{call}", operand.text),
            instead_of: None,
        });
    };
    for (dtype, call) in [(DType::Int64, ".long()"), (DType::Float32, ".float()")] {
        if has_methods && tensor.dtype != dtype {
            add(ChangeKind::ElementType, dims.to_vec(), dtype, call.to_owned());
        }
    }
    let dtype = tensor.dtype;
    if rank >= 2 {
        let mut swapped = dims.to_vec();
        swapped.swap(rank - 1, rank - 2);
        let swap = if has_methods { "transpose" } else { "swapaxes" };
        let call = if rank == 2 { ".T".to_owned() } else { format!(".{swap}(-2, -1)") };
        add(ChangeKind::Transposed, swapped, dtype, call);
    }
    if rank >= 4 && has_methods {
        let mut channels = dims.to_vec();
        let last = channels.remove(rank - 1);
        channels.insert(1, last);
        let order: Vec<String> = [0, rank - 1].into_iter().chain(1..rank - 1).map(|at| at.to_string()).collect();
        add(ChangeKind::ChannelsFirst, channels, dtype, format!(".permute({})", order.join(", ")));
    }
    for (at, size) in dims.iter().enumerate() {
        if *size == Dim::ONE && rank > 1 {
            let mut less = dims.to_vec();
            less.remove(at);
            add(ChangeKind::Dropped, less, dtype, format!(".squeeze({at})"));
        }
    }
    if rank < MOST_DIMENSIONS {
        for at in (1..=rank).chain([0]) {
            let mut more = dims.to_vec();
            more.insert(at, Dim::ONE);
            let call = if has_methods { format!(".unsqueeze({at})") } else { format!("[{}None]", ":, ".repeat(at)) };
            add(ChangeKind::Added, more, dtype, call);
        }
    }
    if rank >= 3 && has_methods {
        let flat = dims[1..].iter().fold(Dim::ONE, |product, dim| product * *dim);
        add(ChangeKind::Flattened, vec![dims[0], flat], dtype, ".flatten(1)".to_owned());
    }
    changes
}

/// Sizes of which one is another, so that there are as many elements as the tensor has beside its first dimension.
pub(crate) fn other_sizes(parameter: &str, sizes: &[Argument], dims: &[Dim]) -> Vec<Change> {
    let numbers: Option<Vec<i64>> = sizes
        .iter()
        .map(|size| match size {
            Argument::Integer(dim) => Some(dim.as_const().unwrap_or(OPEN)),
            _ => None,
        })
        .collect();
    let each = dims.iter().skip(1).try_fold(1_i64, |product, dim| product.checked_mul(dim.as_const()?));
    let (Some(numbers), Some(each)) = (numbers, each) else { return Vec::new() };
    let mut changes = Vec::new();
    for (at, now) in numbers.iter().enumerate().skip(1) {
        let rest = numbers.iter().enumerate().skip(1).filter(|(other, _)| *other != at);
        let rest = rest.map(|(_, number)| *number).try_fold(1_i64, i64::checked_mul);
        let Some(size) = rest.filter(|rest| *rest > 0 && each % rest == 0).map(|rest| each / rest) else { continue };
        if *now <= 0 || size == *now {
            continue;
        }
        let mut others = sizes.to_vec();
        others[at] = Argument::Integer(Dim::constant(size));
        changes.push(Change {
            kind: ChangeKind::Size,
            parameter: Rc::from(parameter),
            argument: Argument::Sequence(others),
            written: size.to_string(),
            instead_of: Some(now.to_string()),
        });
    }
    changes
}

/// What a method is called on, in the text of the call.
pub(crate) fn receiver_text(call: &str) -> &str {
    let mut depth = 0_usize;
    for (at, next) in call.char_indices().rev() {
        match next {
            ')' | ']' => depth += 1,
            '(' | '[' if depth == 0 => return "",
            '(' | '[' => depth -= 1,
            '.' if depth == 0 => return &call[..at],
            _ => {}
        }
    }
    ""
}

/// The only place of a number in a text, not within another word or number.
pub(crate) fn only_place(text: &str, number: &str) -> Option<usize> {
    let is_word = |char: Option<char>| char.is_some_and(|char| char.is_alphanumeric() || matches!(char, '_' | '.'));
    let mut places = text.match_indices(number).map(|(at, _)| at).filter(|at| {
        let behind = text[at + number.len()..].chars().next();
        !is_word(text[..*at].chars().next_back()) && !is_word(behind)
    });
    let first = places.next()?;
    places.next().is_none().then_some(first)
}

/// The arguments of a call as they are written, with their places in its text; `None` where the text is no call.
pub(crate) fn written_arguments(call: &str) -> Option<Vec<(usize, &str)>> {
    let open = call.find('(')?;
    let inner = call.get(open + 1..call.len().checked_sub(1)?).filter(|_| call.ends_with(')'))?;
    let (mut depth, mut first, mut arguments) = (0_usize, 0, Vec::new());
    for (at, char) in inner.char_indices() {
        match char {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.checked_sub(1)?,
            // Texts may hold anything, and comments too.
            '"' | '\'' | '#' => return None,
            ',' if depth == 0 => {
                arguments.push((open + 1 + first, &inner[first..at]));
                first = at + 1;
            }
            _ => {}
        }
    }
    arguments.push((open + 1 + first, &inner[first..]));
    let trimmed = arguments.into_iter().map(|(at, text)| (at + text.len() - text.trim_start().len(), text.trim()));
    let written: Vec<(usize, &str)> = trimmed.filter(|(_, text)| !text.is_empty()).collect();
    // How many arguments are unpacked, is not written.
    (!written.iter().any(|(_, text)| text.starts_with('*'))).then_some(written)
}

/// An expression without the brackets around all of it, unless these make it a tuple.
pub(crate) fn without_brackets(text: &str) -> &str {
    let Some(inner) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) else { return text };
    let mut depth = 0;
    for char in inner.chars() {
        match char {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => return text,
            _ => {}
        }
        if depth < 0 {
            return text;
        }
    }
    inner.trim()
}
