//! Transfer functions that join tensors, or take one apart.

use crate::operation::{Argument, Operation, Output, TensorArgument};
use crate::support::{Evaluated, Stop, constant, count, fresh, fresh_count, joined, unknown_tensor};
use harp_shape::{Constraint, DType, Dim, Shape, Var, VarInfo, Verdict};

/// The tensors of a parameter, one by one, with their common type; `None` where they are not known.
pub(crate) fn tensors(op: &mut Operation, name: &str) -> Option<(Vec<TensorArgument>, DType)> {
    let arguments = op.tensor_list(name)?;
    let named: Vec<(String, &Argument)> =
        arguments.iter().enumerate().map(|(index, argument)| (format!("{name}[{index}]"), argument)).collect();
    let named: Vec<(&str, &Argument)> = named.iter().map(|(name, argument)| (name.as_str(), *argument)).collect();
    op.refuse_mixed_types(&named);
    let dtype = op.result_type(&arguments);
    let dtype = op.type_in_list(dtype);
    let tensors = arguments.iter().map(|argument| op.as_tensor(argument, name)).collect();
    Some((tensors, dtype))
}

pub(crate) fn list_parameter(op: &Operation) -> &'static str {
    ["tensors", "sequences", "arrays", "input"]
        .into_iter()
        .find(|name| op.arguments.get(name).is_some())
        .unwrap_or("tensors")
}

/// How a tensor of a sequence is written in a message: `` `tensors[1]` [2, 3] ``.
pub(crate) fn entry(op: &Operation, name: &str, index: usize, shape: &Shape) -> String {
    format!("`{name}[{index}]` {}", op.text(shape))
}

/// A tensor of shape `[0]`, which `cat` skips for the sake of old programs.
fn is_legacy_empty(op: &Operation, shape: &Shape) -> bool {
    op.dims(shape).is_some_and(|dims| matches!(dims.as_slice(), [size] if size.as_const() == Some(0)))
}

/// `cat(tensors, dim=0)`.
pub(crate) fn cat(op: &mut Operation) -> Evaluated {
    let name = list_parameter(op);
    let Some((tensors, dtype)) = tensors(op, name) else { return Ok(unknown_tensor(DType::Unknown)) };
    if tensors.is_empty() {
        return op.reject(&[name], format!("`{name}` must hold at least one tensor"));
    }
    let parameter = if op.arguments.get("dim").is_some() { "dim" } else { "axis" };
    if crate::reduction::is_flattened(op) {
        let size = tensors.iter().fold(constant(0), |size, tensor| size + op.solver.resolve(tensor.shape.prod()));
        return Ok(Output::tensor(Shape::known(vec![size]), op.dtype_or(dtype)));
    }
    let Some(dim) = op.int_or(parameter, 0) else { return Ok(cat_somewhere(op, &tensors, dtype)) };
    let shape = concatenated(op, &tensors, name, dim)?;
    Ok(Output::tensor(shape, dtype))
}

/// The result where the dimension is not known: the number of dimensions stays.
fn cat_somewhere(op: &Operation, tensors: &[TensorArgument], dtype: DType) -> Output {
    match tensors.iter().find_map(|tensor| op.rank(&tensor.shape)) {
        Some(rank) => Output::tensor(Shape::known((0..rank).map(|_| fresh("joined")).collect::<Vec<_>>()), dtype),
        None => unknown_tensor(dtype),
    }
}

fn concatenated(op: &mut Operation, tensors: &[TensorArgument], name: &str, dim: i64) -> Result<Shape, Stop> {
    for (index, tensor) in tensors.iter().enumerate() {
        if op.is_scalar(&tensor.shape) {
            return op.reject(
                &[name],
                format!("`{name}[{index}]` has no dimensions and cannot be joined with `cat`; use `stack`"),
            );
        }
    }
    let parts: Vec<(usize, &TensorArgument)> =
        tensors.iter().enumerate().filter(|(_, tensor)| !is_legacy_empty(op, &tensor.shape)).collect();
    let Some(rank) = parts.iter().find_map(|(_, tensor)| op.rank(&tensor.shape)) else {
        return concatenated_unknown_rank(op, &parts, tensors, dim);
    };
    let mut result: Option<(usize, Vec<Dim>)> = None;
    let mut axis = 0;
    for (index, tensor) in parts {
        let Some(dims) = op.solver.dims_of_rank(&tensor.shape, rank) else {
            let first = result.as_ref().map_or(0, |(first, _)| *first);
            let (one, other) = (entry(op, name, first, &tensors[first].shape), entry(op, name, index, &tensor.shape));
            return op.reject(
                &[name],
                format!("the joined tensors must have the same number of dimensions, but {one} and {other} differ"),
            );
        };
        match &mut result {
            None => {
                axis = op.axis(dim, rank, "dim", &tensor.shape)?;
                result = Some((index, dims));
            }
            Some((first, joined)) => {
                for place in (0..rank).filter(|place| *place != axis) {
                    let (one, other) =
                        (entry(op, name, *first, &tensors[*first].shape), entry(op, name, index, &tensor.shape));
                    let message = format_args!(
                        "the joined tensors must have the same sizes except in dimension {axis}, but {one} and {other} differ in dimension {place}"
                    );
                    op.demand(Constraint::Equal(joined[place], dims[place]), &[name], || message.to_string())?;
                    joined[place] = op.solver.resolve(joined[place]);
                }
                joined[axis] = op.solver.resolve(joined[axis]) + op.solver.resolve(dims[axis]);
            }
        }
    }
    Ok(result.map_or_else(|| Shape::known(vec![constant(0)]), |(_, dims)| Shape::known(dims)))
}

fn concatenated_unknown_rank(
    op: &mut Operation,
    parts: &[(usize, &TensorArgument)],
    tensors: &[TensorArgument],
    dim: i64,
) -> Result<Shape, Stop> {
    let Some((_, first)) = parts.first() else {
        return Ok(tensors.first().map_or_else(|| Shape::unknown("joined"), |tensor| tensor.shape.clone()));
    };
    let Some((mut axes, place)) = op.open_at(&first.shape, dim, "dim")? else { return Ok(Shape::unknown("joined")) };
    let mut size = axes.get(place);
    let own = axes.without(&[place]);
    let name = list_parameter(op);
    for (index, tensor) in &parts[1..] {
        let Some((other, other_place)) = op.open_at(&tensor.shape, dim, "dim")? else {
            return Ok(Shape::unknown("joined"));
        };
        let (one, another) = (entry(op, name, parts[0].0, &first.shape), entry(op, name, *index, &tensor.shape));
        let message = format_args!(
            "the joined tensors must have the same sizes except in one dimension, but {one} and {another} differ"
        );
        // What is unknown of the others becomes that of the first one: what is known of the first stays as it is, however many are joined.
        op.demand(Constraint::SameShape(other.without(&[other_place]), own.clone()), &[name], || message.to_string())?;
        size = size + other.get(other_place);
    }
    axes.set(place, size);
    Ok(op.solver.resolve_shape(&axes.shape()))
}

/// `hstack`, `vstack`, `dstack`, `column_stack`, `row_stack`: tensors of few dimensions get more, then `cat`.
pub(crate) fn stack_along(op: &mut Operation) -> Evaluated {
    let name = list_parameter(op);
    let Some((mut tensors, dtype)) = tensors(op, name) else { return Ok(unknown_tensor(DType::Unknown)) };
    if tensors.is_empty() {
        return op.reject(&[name], format!("`{name}` must hold at least one tensor"));
    }
    let kind = op.short_name().to_owned();
    for tensor in &mut tensors {
        let Some(dims) = op.dims(&tensor.shape) else { return Ok(unknown_tensor(dtype)) };
        tensor.shape = Shape::known(at_least(&kind, dims));
    }
    let first_rank = tensors[0].shape.rank().unwrap_or(0);
    let dim = match kind.as_str() {
        "hstack" if first_rank == 1 => 0,
        "hstack" | "column_stack" => 1,
        "dstack" => 2,
        _ => 0,
    };
    let shape = concatenated(op, &tensors, name, dim)?;
    Ok(Output::tensor(shape, dtype))
}

/// The dimensions after `atleast_1d`, `atleast_2d` and so on, as each function needs them.
fn at_least(kind: &str, mut dims: Vec<Dim>) -> Vec<Dim> {
    let one = constant(1);
    match (kind, dims.len()) {
        ("hstack" | "atleast_1d", 0) => dims.push(one),
        ("vstack" | "row_stack" | "atleast_2d", 0 | 1) => {
            let last = dims.pop().unwrap_or(one);
            dims = vec![one, last];
        }
        ("dstack" | "atleast_3d", 0 | 1) => {
            let last = dims.pop().unwrap_or(one);
            dims = vec![one, last, one];
        }
        ("dstack" | "atleast_3d", 2) | ("column_stack", 1) => dims.push(one),
        ("column_stack", 0) => dims = vec![one, one],
        _ => {}
    }
    dims
}

/// `atleast_1d`, `atleast_2d`, `atleast_3d`: of one tensor, or of each of several.
pub(crate) fn at_least_rank(op: &mut Operation) -> Evaluated {
    let name = list_parameter(op);
    let kind = op.short_name().to_owned();
    let one = |op: &Operation, argument: &Argument| {
        let input = op.as_tensor(argument, name);
        match op.dims(&input.shape) {
            Some(dims) => Output::tensor(Shape::known(at_least(&kind, dims)), input.dtype),
            None => unknown_tensor(input.dtype),
        }
    };
    Ok(match op.arguments.value(name) {
        Argument::Sequence(items) => match items.as_slice() {
            [Argument::Sequence(inner)] => Output::Tuple(inner.iter().map(|item| one(op, item)).collect()),
            [only] => one(op, only),
            items => Output::Tuple(items.iter().map(|item| one(op, item)).collect()),
        },
        argument @ Argument::Tensor(_) => one(op, &argument),
        _ => Output::Unknown("several tensors"),
    })
}

/// More parts than this are not listed one by one.
const MOST_PARTS: i64 = 4096;

/// The parts of a dimension, each with its size, as tensors.
fn parts(axes: &crate::axis_errors::Axes, place: crate::axis_errors::Axis, sizes: &[Dim], dtype: DType) -> Output {
    let part = |size: &Dim| {
        let mut axes = axes.clone();
        axes.set(place, *size);
        Output::tensor(axes.shape(), dtype)
    };
    Output::Tuple(sizes.iter().map(part).collect())
}

/// `chunk(chunks, dim=0)`: at most as many parts as asked for, of equal size but for the last.
pub(crate) fn chunk(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let unknown = Ok(Output::Unknown("the number of chunks is not known"));
    let Some(dim) = op.int_or("dim", 0) else { return unknown };
    if op.is_scalar(&input.shape) {
        return op.reject(&[op.input_name()], "`chunk` needs a tensor with at least one dimension".to_owned());
    }
    let opened = op.open_at(&input.shape, dim, "dim")?;
    let Some(chunks) = op.int_argument("chunks") else { return unknown };
    if chunks < 1 {
        return op.reject(&["chunks"], format!("`chunks` must be positive, got {chunks}"));
    }
    let (Some((axes, place)), true) = (opened, chunks <= MOST_PARTS) else { return unknown };
    let size = axes.get(place);
    let each = size.ceil_div(constant(chunks));
    let sizes = match (size.as_const(), each.as_const()) {
        (Some(size), Some(each)) => even_parts(size, each, Some(chunks)),
        // Where the size is symbolic, it is taken to be large enough for all chunks.
        _ => {
            let last = size - each * constant(chunks - 1);
            if op.solver.fixes_ranks {
                // Else there are fewer, which a signature has to say.
                op.solver.assume(&Constraint::LessEqual(Dim::ONE, last));
            }
            let mut sizes = vec![each; usize::try_from(chunks - 1).unwrap_or(0)];
            sizes.push(last);
            sizes
        }
    };
    Ok(parts(&axes, place, &sizes, input.dtype))
}

/// `size` in parts of `each`, the last one smaller.
fn even_parts(size: i64, each: i64, empty: Option<i64>) -> Vec<Dim> {
    if size == 0 || each <= 0 {
        return vec![constant(0); usize::try_from(empty.unwrap_or(1)).unwrap_or(1)];
    }
    let full = size / each;
    let mut sizes = vec![constant(each); usize::try_from(full).unwrap_or(0)];
    if size % each != 0 {
        sizes.push(constant(size % each));
    }
    sizes
}

/// `split(split_size_or_sections, dim=0)`.
pub(crate) fn split(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let parameter = ["split_size_or_sections", "split_size", "split_sizes"]
        .into_iter()
        .find(|name| op.arguments.get(name).is_some());
    let parameter = parameter.unwrap_or("split_size_or_sections");
    let unknown = Ok(Output::Unknown("the sizes of the parts are not known"));
    if op.is_scalar(&input.shape) {
        return op.reject(&[op.input_name()], "`split` needs a tensor with at least one dimension".to_owned());
    }
    let Some(dim) = op.int_or("dim", 0) else { return unknown };
    let Some((axes, place)) = op.open_at(&input.shape, dim, "dim")? else { return unknown };
    match op.arguments.value(parameter) {
        Argument::Sequence(_) => {
            let Some(sections) = op.sizes(parameter)? else { return unknown };
            check_sections(op, &sections, axes.get(place), dim, parameter, &input.shape)?;
            Ok(parts(&axes, place, &sections, input.dtype))
        }
        Argument::Float(_) => {
            op.reject(&[parameter], format!("`{parameter}` must be an integer or a list of them, not a float"))
        }
        argument => {
            let Some(each) = argument.as_dim() else {
                return if op.solver.fixes_ranks {
                    unknown
                } else {
                    Ok(several(&axes, place, fresh("part"), input.dtype))
                };
            };
            let each = op.solver.resolve(each);
            split_evenly(op, &axes, place, each, input.dtype, parameter)
        }
    }
}

fn check_sections(
    op: &mut Operation,
    sections: &[Dim],
    size: Dim,
    dim: i64,
    parameter: &str,
    shape: &Shape,
) -> Result<(), Stop> {
    for section in sections {
        let message = format_args!("`{parameter}` must not contain negative sizes, got {section}");
        op.demand(Constraint::LessEqual(constant(0), *section), &[parameter], || message.to_string())?;
    }
    let total = sections.iter().fold(constant(0), |total, section| total + *section);
    let texts: Vec<String> = sections.iter().map(Dim::to_string).collect();
    let message = format_args!(
        "the sizes [{}] add up to {total}, but dimension {dim} of {} is {size}",
        texts.join(", "),
        op.operand(op.input_name(), shape)
    );
    op.demand(Constraint::Equal(total, size), &[parameter, op.input_name()], || message.to_string())
}

fn split_evenly(
    op: &mut Operation,
    axes: &crate::axis_errors::Axes,
    place: crate::axis_errors::Axis,
    each: Dim,
    dtype: DType,
    parameter: &str,
) -> Evaluated {
    let size = axes.get(place);
    if let Some(each) = each.as_const()
        && (each < 0 || (each == 0 && size.as_const() != Some(0)))
    {
        return op.reject(&[parameter], format!("`{parameter}` must be positive, got {each}"));
    }
    if let (Some(size), Some(each)) = (size.as_const(), each.as_const()) {
        if each > 0 && size / each > MOST_PARTS {
            return Ok(Output::Unknown("too many parts"));
        }
        return Ok(parts(axes, place, &even_parts(size, each, None), dtype));
    }
    // `x.split(d, dim=2)` where the dimension is `3*d`.
    if size.modulo(each).as_const() == Some(0)
        && let Some(full @ 1..=MOST_PARTS) = size.floor_div(each).as_const()
    {
        return Ok(parts(axes, place, &vec![each; usize::try_from(full).unwrap_or(1)], dtype));
    }
    if op.solver.fixes_ranks {
        return Ok(Output::Unknown("the number of parts is not known"));
    }
    // The last part may be smaller than the others.
    let length = if each.as_const() == Some(1) { each } else { fresh("part") };
    Ok(several(axes, place, length, dtype))
}

/// A number of parts of this length that is not known.
fn several(axes: &crate::axis_errors::Axes, place: crate::axis_errors::Axis, length: Dim, dtype: DType) -> Output {
    match parts(axes, place, &[length], dtype) {
        Output::Tuple(mut parts) | Output::List(mut parts) => match parts.pop() {
            Some(part) => Output::Several(Box::new(part), None),
            None => Output::Unknown("the parts are not known"),
        },
        other => other,
    }
}

/// `tensor_split(indices_or_sections, dim=0)`; NumPy's `split` too, whose parts must be equal.
pub(crate) fn tensor_split(op: &mut Operation) -> Evaluated {
    match op.int_or("dim", 0) {
        Some(dim) => split_at(op, dim),
        None => Ok(Output::Unknown("the parts are not known")),
    }
}

fn split_at(op: &mut Operation, dim: i64) -> Evaluated {
    let input = op.input();
    let unknown = Ok(Output::Unknown("the parts are not known"));
    let must_be_even = matches!(op.short_name(), "hsplit" | "vsplit" | "dsplit" | "split");
    if op.is_scalar(&input.shape) {
        let message = format!("`{}` needs a tensor with at least one dimension", op.short_name());
        return op.reject(&[op.input_name()], message);
    }
    let Some((axes, place)) = op.open_at(&input.shape, dim, "dim")? else { return unknown };
    let open = axes.get(place);
    let name = ["indices_or_sections", "sections", "indices"].into_iter().find(|name| op.arguments.get(name).is_some());
    let asked = op.arguments.value(name.unwrap_or("indices_or_sections"));
    let Some(size) = open.as_const() else {
        // The first parts are larger by one, where it does not come out even.
        let Some(sections @ 1..=MOST_PARTS) = asked.as_int() else { return unknown };
        let part = |index: i64| (open + constant(sections - 1 - index)).floor_div(constant(sections));
        let sizes: Vec<Dim> = (0..sections).map(if must_be_even { |_| 0 } else { |index| index }).map(part).collect();
        return Ok(parts(&axes, place, &sizes, input.dtype));
    };
    let sizes: Vec<Dim> = match asked {
        Argument::Sequence(items) => {
            let Some(mut cuts) = items.iter().map(Argument::as_int).collect::<Option<Vec<i64>>>() else {
                return unknown;
            };
            cuts.push(size);
            let mut from = 0;
            let sizes = cuts.into_iter().map(|cut| {
                let to = if cut < 0 { (cut + size).max(0) } else { cut.min(size) };
                let length = (to - from).max(0);
                from = to;
                constant(length)
            });
            sizes.collect()
        }
        argument => {
            let sections = argument.as_int();
            if let Some(sections) = sections
                && (sections < 1 || (must_be_even && size % sections != 0))
            {
                let message = format!("{size} elements cannot be split into {sections} equal parts");
                return op.reject(&["indices_or_sections", op.input_name()], message);
            }
            let Some(sections @ 1..=MOST_PARTS) = sections else { return unknown };
            (0..sections).map(|index| constant(size / sections + i64::from(index < size % sections))).collect()
        }
    };
    Ok(parts(&axes, place, &sizes, input.dtype))
}

/// `hsplit`, `vsplit`, `dsplit`: along the dimension that the name tells.
pub(crate) fn split_along(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let (least, dim) = match op.short_name() {
        "hsplit" => (1, 1),
        "vsplit" => (2, 0),
        _ => (3, 2),
    };
    let Some(rank) = op.rank(&input.shape) else { return Ok(Output::Unknown("the parts are not known")) };
    if rank < least {
        let message = format!("`{}` needs at least {least} dimensions, got shape {}", op.short_name(), input.shape);
        return op.reject(&[op.input_name()], message);
    }
    split_at(op, if rank == 1 { 0 } else { dim })
}

/// As many lengths of sequences are told apart.
const MOST_DIFFERING: usize = 3;

/// `nn.utils.rnn.pad_sequence(sequences, batch_first=False)`: all dimensions but the first agree.
pub(crate) fn pad_sequence(op: &mut Operation) -> Evaluated {
    let name = list_parameter(op);
    let Some((tensors, dtype)) = tensors(op, name) else { return Ok(unknown_tensor(DType::Unknown)) };
    let Some(first) = tensors.first().cloned() else {
        return op.reject(&[name], format!("`{name}` must hold at least one tensor"));
    };
    let Some((front, rest, _)) = op.solver.split(&first.shape, 1, 0) else {
        return op.reject(&[name], format!("`{name}` must hold tensors with at least one dimension"));
    };
    let mut longest = front[0];
    let mut lengths = vec![longest];
    let mut differing = 0;
    for (index, tensor) in tensors.iter().enumerate().skip(1) {
        let Some((front, other, _)) = op.solver.split(&tensor.shape, 1, 0) else { continue };
        let (one, two) = (entry(op, name, 0, &first.shape), entry(op, name, index, &tensor.shape));
        let message =
            format!("the sequences may differ only in their first dimension, but {one} and {two} differ elsewhere");
        // Each sequence is copied into a place of the first one's sizes, to which it may broadcast.
        match (op.dims(&rest), op.dims(&other)) {
            (Some(to), Some(from)) if to.len() == from.len() => {
                for (to, from) in to.iter().zip(&from) {
                    let fits =
                        if from.as_const() == Some(1) { Constraint::True } else { Constraint::Equal(*to, *from) };
                    op.demand(fits, &[name], || message.clone())?;
                }
            }
            (Some(to), Some(from)) if from.len() < to.len() => {}
            _ => op.demand(Constraint::SameShape(rest.clone(), other), &[name], || message)?,
        }
        let longer = longest.max(front[0]);
        lengths.push(front[0]);
        differing += usize::from(longer != longest && longer.as_const().is_none());
        longest = longer;
    }
    // The greatest of many sizes that nothing is known of says no more than a name does.
    if differing > MOST_DIFFERING {
        longest = Dim::var(Var::fresh(VarInfo::varying("longest").counted_in(common_source(&lengths))));
    }
    let batch = count(tensors.len());
    let leading = match op.flag_or("batch_first", false) {
        Some(true) => vec![batch, longest],
        Some(false) => vec![longest, batch],
        None => vec![fresh("size"), fresh("size")],
    };
    Ok(Output::tensor(joined(&leading, Some(&op.solver.resolve_shape(&rest)), &[]), dtype))
}

/// The source in which all of the lengths were counted.
fn common_source(lengths: &[Dim]) -> Option<u32> {
    let mut sources = lengths.iter().flat_map(|length| length.vars()).map(Var::source);
    let first = sources.next()??;
    sources.all(|source| source == Some(first)).then_some(first)
}

/// `unique(input, return_inverse, return_counts, dim)`: how many there are depends on the values.
pub(crate) fn unique(op: &mut Operation) -> Evaluated {
    let input = op.input();
    // Of nothing there is nothing.
    let elements = op.dims(&input.shape).map(|dims| dims.into_iter().fold(Dim::ONE, |product, dim| product * dim));
    let size = if elements == Some(Dim::ZERO) { Dim::ZERO } else { fresh_count("unique") };
    let values = if op.is_absent("dim") {
        Shape::known(vec![size])
    } else {
        let Some(dim) = op.int_argument("dim") else { return Ok(Output::Unknown("the dimension is not known")) };
        match op.open_at(&input.shape, dim, "dim")? {
            Some((mut axes, place)) => {
                axes.set(place, size);
                axes.shape()
            }
            None => Shape::unknown("unique"),
        }
    };
    let inverse = if op.is_absent("dim") { input.shape } else { Shape::known(vec![fresh("inverse")]) };
    let mut results = vec![Output::tensor(values, input.dtype)];
    let per_value = || Shape::known(vec![size]);
    // NumPy also tells where each value was first.
    for (flag, shape) in [("return_index", per_value()), ("return_inverse", inverse), ("return_counts", per_value())] {
        match op.flag_or(flag, false) {
            Some(true) => results.push(Output::tensor(shape, DType::Int64)),
            Some(false) => {}
            None => return Ok(Output::Unknown("the number of results is not known")),
        }
    }
    Ok(match results.len() {
        1 => results.remove(0),
        _ => Output::Tuple(results),
    })
}

/// `nonzero(input, as_tuple=False)`: a row for each element that is not zero, or a vector for each dimension.
pub(crate) fn nonzero(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let rows = fresh_count("nonzero");
    let indices = || Output::tensor(Shape::known(vec![rows]), DType::Int64);
    let rank = op.rank(&input.shape);
    Ok(match (op.flag_or("as_tuple", false), rank) {
        (Some(false), Some(rank)) => Output::tensor(Shape::known(vec![rows, count(rank)]), DType::Int64),
        (Some(false), None) => unknown_tensor(DType::Int64),
        (Some(true), Some(rank)) => Output::Tuple(vec![indices(); rank.max(1)]),
        (Some(true), None) => Output::Several(Box::new(indices()), None),
        (None, _) => Output::Unknown("a tensor or a tuple of them"),
    })
}

/// `bincount`, `histc`: a vector whose length the values decide.
pub(crate) fn bin_counts(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let (size, dtype) = if op.short_name() == "histc" {
        (op.dim_argument("bins").unwrap_or(constant(100)), input.dtype)
    } else {
        op.with_rank(&input.shape, 1, op.input_name())?;
        // More than are asked for if the numbers are larger; who asks for so many has no such number.
        let least = op.dim_argument("minlength").map(|least| op.solver.resolve(least));
        let is_positive = |least: &Dim| op.solver.judge(&Constraint::Less(Dim::ZERO, *least)) == Verdict::Holds;
        let size = match least.filter(is_positive) {
            Some(least) => {
                op.guess(op.input_name(), format!("no number above {}", least - Dim::ONE), Vec::new());
                // With other settings a number that is written down need not be the greatest, unless there is one alone.
                match least.as_const() {
                    Some(number) if number > 1 => {
                        let other = VarInfo::config("bins", number).between(Some(0), None);
                        least.max(Dim::var(Var::fresh(other)))
                    }
                    _ => least,
                }
            }
            None => {
                let counted = fresh_count("bins");
                op.dim_argument("minlength").map_or(counted, |least| least.max(counted))
            }
        };
        (size, if op.is_absent("weights") { DType::Int64 } else { DType::Unknown })
    };
    Ok(Output::tensor(Shape::known(vec![size]), dtype))
}
