//! Transfer functions of subscripts of tensors: integers, slices, `None`, `...`, index tensors, masks and lists, as
//! PyTorch combines them.

use crate::creation::{Nested, nested};
use crate::dtypes::is_real;
use crate::operation::{Argument, Operation, Output};
use crate::support::{Evaluated, Stop, constant, fresh_count, fresh_within, joined, unknown_tensor};
use harp_shape::{Constraint, DType, Dim, Shape, VarKind};

/// `input[index]`. The parameter `index` holds the items of the subscript: `x[a, b]` binds the sequence of both, `x[a]` that of
/// the one, so that a list inside it is an array of indices.
pub(crate) fn getitem(op: &mut Operation) -> Evaluated {
    let input = op.input();
    match subscript(op, &input.shape)? {
        Some(shape) => Ok(Output::tensor(shape, input.dtype)),
        None => Ok(unknown_tensor(input.dtype)),
    }
}

/// `input[index] = value`: the value broadcasts to the place.
pub(crate) fn setitem(op: &mut Operation) -> Evaluated {
    let input = op.input();
    let place = subscript(op, &input.shape)?;
    // One place of an array of objects takes anything.
    let takes_objects = input.dtype == DType::Unknown && op.rules.holds_objects;
    let place = place.filter(|place| !(takes_objects && op.rank(place) == Some(0)));
    if let (Some(place), Some(value)) = (place, op.given_tensor("value")) {
        // Leading dimensions of 1 are dropped from the value.
        if let (Some(mut from), Some(to)) = (op.dims(&value.shape), op.dims(&place)) {
            while from.len() > to.len() {
                let message = format_args!("`value` {} has more dimensions than the place {place}", value.shape);
                op.demand(Constraint::Equal(from.remove(0), constant(1)), &["value", "index"], || message.to_string())?;
            }
            op.broadcast_into(("value", &Shape::known(from)), ("place", &place))?;
        }
    }
    Ok(Output::None)
}

/// An index array after conversion to a tensor.
struct Advanced {
    shape: Shape,
    /// The number of dimensions it stands for: a mask stands for as many as it has.
    consumed: usize,
    mask: bool,
    /// How many places a mask chooses, where it is written down.
    chosen: Option<Dim>,
}

/// One item of the subscript.
enum Item {
    Integer(Option<Dim>),
    /// One that is an index array without dimensions.
    IntegerArray(Option<Dim>),
    Slice {
        lower: Option<Option<Dim>>,
        upper: Option<Option<Dim>>,
        step: Option<Option<Dim>>,
    },
    NewAxis,
    Ellipsis,
    /// `True` or `False`, which add a dimension.
    Truth(Option<bool>),
    Advanced(Advanced),
    Unknown,
}

impl Item {
    fn is_array(&self) -> bool {
        matches!(self, Item::Advanced(_) | Item::Truth(_))
    }

    fn consumed(&self) -> usize {
        match self {
            Item::Integer(_) | Item::IntegerArray(_) | Item::Slice { .. } => 1,
            Item::Advanced(index) => index.consumed,
            Item::NewAxis | Item::Ellipsis | Item::Truth(_) | Item::Unknown => 0,
        }
    }
}

/// Whether integers stand beside an index array, so that it matters which dimensions come first.
fn has_integer_beside_array(items: &[Item]) -> bool {
    let is_integer = |item: &Item| matches!(item, Item::Integer(_));
    items.iter().any(Item::is_array) && items.iter().any(is_integer)
}

/// Makes integers that stand beside an index array index arrays without dimensions.
fn index_with_integers(items: &mut [Item]) {
    if items.iter().any(Item::is_array) {
        for item in items {
            if let Item::Integer(index) = item {
                *item = Item::IntegerArray(*index);
            }
        }
    }
}

/// A dimension of the result before index arrays are combined.
enum Place {
    Kept(Dim),
    Indexed(Shape),
}

/// The shape of a subscript's result; `None` where it is not known.
fn subscript(op: &mut Operation, shape: &Shape) -> Result<Option<Shape>, Stop> {
    place_of(op, shape, "index")
}

/// The shape of what a parameter's items select; `None` where it is not known.
pub(crate) fn place_of(op: &mut Operation, shape: &Shape, parameter: &str) -> Result<Option<Shape>, Stop> {
    let items = match op.arguments.value(parameter) {
        Argument::Sequence(items) => items,
        single => vec![single],
    };
    let items = match &items[..] {
        [Argument::Sequence(list)] if stands_for_tuple(op, list) => list.clone(),
        _ => items,
    };
    let mut parsed = Vec::with_capacity(items.len());
    for item in &items {
        parsed.push(item_of(op, item)?);
    }
    if parsed.iter().any(|item| matches!(item, Item::Unknown)) {
        return Ok(None);
    }
    let dots = parsed.iter().filter(|item| matches!(item, Item::Ellipsis)).count();
    if dots > 1 && op.rules.tuple_subscripts {
        // PyTorch takes the others for nothing.
        return Ok(None);
    }
    if dots > 1 {
        return op.reject(&["index"], "a subscript can have only one `...`".to_owned());
    }
    // Arrays take an integer beside an array of indices for one of them, tensors never do.
    if !op.rules.tuple_subscripts {
        index_with_integers(&mut parsed);
    } else if op.arguments.may_be_arrays && has_integer_beside_array(&parsed) {
        return Ok(None);
    }
    let consumed: usize = parsed.iter().map(Item::consumed).sum();
    let shape = op.solver.resolve_shape(shape);
    if let Some(rank) = shape.rank() {
        if consumed > rank {
            let message = format!("too many indices: {consumed} for {}", op.operand(op.input_name(), &shape));
            return op.reject(&["index", op.input_name()], message);
        }
        let dims = shape.dims().unwrap_or_default();
        let places = walk(op, &parsed, &dims, consumed, &shape)?;
        return combine(op, places).map(Some);
    }
    unknown_rank(op, &parsed, &shape)
}

/// Of a tensor of unknown rank, so many dimensions may be named from either end.
const MOST_NAMED_DIMENSIONS: usize = 64;

/// Whether PyTorch takes a list in a subscript for a tuple: one that has tensors with dimensions (`torch/csrc/autograd/python_variable_indexing.cpp`,
/// `treatSequenceAsTuple`; a version that takes it for an array will refuse it).
fn stands_for_tuple(op: &Operation, list: &[Argument]) -> bool {
    let has_dimensions = |item: &Argument| match item {
        Argument::Tensor(tensor) => op.rank(&tensor.shape).is_some_and(|rank| rank > 0),
        _ => false,
    };
    op.rules.tuple_subscripts && list.len() < 32 && list.iter().any(has_dimensions)
}

/// A subscript of a tensor of unknown rank: what stands before `...` works from the front, what follows from the back.
fn unknown_rank(op: &mut Operation, items: &[Item], shape: &Shape) -> Result<Option<Shape>, Stop> {
    let split = items.iter().position(|item| matches!(item, Item::Ellipsis));
    let (before, after) = match split {
        Some(position) => (&items[..position], &items[position + 1..]),
        None => (items, &items[items.len()..]),
    };
    let advanced = items.iter().any(|item| matches!(item, Item::Advanced(_) | Item::Truth(_)));
    let front: usize = before.iter().map(Item::consumed).sum();
    let back: usize = after.iter().map(Item::consumed).sum();
    if advanced && !(after.is_empty() && before.len() == 1) {
        return Ok(None);
    }
    // The solver names no more dimensions than these, and no library takes so many indices.
    if front.max(back) > MOST_NAMED_DIMENSIONS {
        return Ok(None);
    }
    let Some((front, rest, back)) = op.solver.split(shape, front, back) else {
        let message = format!("too many indices for {}", op.operand(op.input_name(), shape));
        return op.reject(&["index", op.input_name()], message);
    };
    let (leading, trailing) =
        (walk(op, before, &front, front.len(), shape)?, walk(op, after, &back, back.len(), shape)?);
    let leading = combine(op, leading)?;
    let trailing = combine(op, trailing)?;
    let Some(trailing) = trailing.dims() else { return Ok(None) };
    let mut elements = leading.elements().to_vec();
    elements.extend(rest.elements().iter().cloned());
    Ok(Some(joined(&[], Some(&Shape::new(elements)), &trailing)))
}

/// Applies the items to the dimensions, from the first to the last.
fn walk(op: &mut Operation, items: &[Item], dims: &[Dim], consumed: usize, shape: &Shape) -> Result<Vec<Place>, Stop> {
    let mut places = Vec::new();
    let mut next = 0;
    for item in items {
        match item {
            Item::Integer(index) | Item::IntegerArray(index) => {
                if let Some(index) = index {
                    op.in_bounds(*index, dims[next], "index", shape)?;
                }
                if matches!(item, Item::IntegerArray(_)) {
                    places.push(Place::Indexed(Shape::known(Vec::new())));
                }
                next += 1;
            }
            Item::Slice { lower, upper, step } => {
                places.push(Place::Kept(sliced(op, dims[next], *lower, *upper, *step)?));
                next += 1;
            }
            Item::NewAxis => places.push(Place::Kept(constant(1))),
            Item::Truth(value) => {
                let size = value.map_or_else(|| fresh_count("selected"), |value| constant(i64::from(value)));
                places.push(Place::Indexed(Shape::known(vec![size])));
            }
            Item::Ellipsis => {
                let skipped = dims.len() - consumed;
                places.extend(dims[next..next + skipped].iter().map(|dim| Place::Kept(*dim)));
                next += skipped;
            }
            Item::Advanced(index) => {
                if index.mask {
                    check_mask(op, &index.shape, &dims[next..next + index.consumed], shape)?;
                    let chosen = index.chosen.unwrap_or_else(|| fresh_count("selected"));
                    places.push(Place::Indexed(Shape::known(vec![chosen])));
                } else {
                    places.push(Place::Indexed(index.shape.clone()));
                }
                next += index.consumed;
            }
            Item::Unknown => {}
        }
    }
    places.extend(dims[next.min(dims.len())..].iter().map(|dim| Place::Kept(*dim)));
    Ok(places)
}

/// Requires that a mask has the sizes of the dimensions that it stands for.
fn check_mask(op: &mut Operation, mask: &Shape, dims: &[Dim], shape: &Shape) -> Result<(), Stop> {
    let Some(sizes) = op.dims(mask) else { return Ok(()) };
    let subject = op.operand(op.input_name(), shape);
    for (size, dim) in sizes.iter().zip(dims) {
        let message = format_args!("the mask {mask} does not have the shape of {subject}: {size} against {dim}");
        // NumPy takes an empty mask for no indices.
        if size.as_const() == Some(0) && !op.rules.tuple_subscripts {
            continue;
        }
        op.demand(Constraint::Equal(*size, *dim), &["index", op.input_name()], || message.to_string())?;
    }
    Ok(())
}

/// Puts the common shape of the index arrays where they stand, or first where they do not stand together.
fn combine(op: &mut Operation, places: Vec<Place>) -> Result<Shape, Stop> {
    let indexed: Vec<usize> = (0..places.len()).filter(|place| matches!(places[*place], Place::Indexed(_))).collect();
    let mut common: Option<Shape> = None;
    for place in &places {
        if let Place::Indexed(shape) = place {
            common = Some(match common {
                None => shape.clone(),
                Some(before) => op.broadcast(("index", &before), ("index", shape))?,
            });
        }
    }
    let kept = |places: &[Place]| -> Vec<Dim> {
        places.iter().filter_map(|place| if let Place::Kept(dim) = place { Some(*dim) } else { None }).collect()
    };
    let (Some(first), Some(last), Some(common)) = (indexed.first(), indexed.last(), common) else {
        return Ok(Shape::known(kept(&places)));
    };
    let together = last - first + 1 == indexed.len();
    let before = if together { kept(&places[..*first]) } else { Vec::new() };
    let after = if together { kept(&places[*last..]) } else { kept(&places) };
    Ok(joined(&before, Some(&common), &after))
}

fn item_of(op: &mut Operation, argument: &Argument) -> Result<Item, Stop> {
    Ok(match argument {
        Argument::Integer(dim) => Item::Integer(Some(op.solver.resolve(*dim))),
        Argument::Boolean(value) => Item::Truth(Some(*value)),
        Argument::Truth => Item::Truth(None),
        Argument::None => Item::NewAxis,
        Argument::Ellipsis => Item::Ellipsis,
        Argument::Slice { lower, upper, step } => {
            Item::Slice { lower: bound(op, lower), upper: bound(op, upper), step: bound(op, step) }
        }
        Argument::Tensor(tensor) => tensor_item(op, &tensor.shape, tensor.dtype)?,
        // Older versions take a list of lists for a tuple, newer ones for an array. What is unknown may be a tensor.
        Argument::Sequence(items)
            if op.rules.tuple_subscripts
                && items.iter().any(|item| matches!(item, Argument::Sequence(_) | Argument::Unknown)) =>
        {
            Item::Unknown
        }
        Argument::Sequence(items)
            if !items.is_empty() && items.iter().all(|item| matches!(item, Argument::Boolean(_))) =>
        {
            let chosen = items.iter().filter(|item| matches!(item, Argument::Boolean(true))).count();
            let shape = Shape::known(vec![constant(items.len() as i64)]);
            Item::Advanced(Advanced { consumed: 1, shape, mask: true, chosen: Some(constant(chosen as i64)) })
        }
        Argument::Sequence(_) => match nested(op, argument, 0) {
            Nested::Regular { dims, dtype } => {
                // An empty list is an array of no indices.
                let dtype = if dims.iter().any(|dim| dim.as_const() == Some(0)) { DType::Int64 } else { dtype };
                tensor_item(op, &Shape::known(dims), dtype)?
            }
            _ => Item::Unknown,
        },
        Argument::Float(_) => return op.reject(&["index"], "a float is not an index".to_owned()),
        Argument::Text(_) => return op.reject(&["index"], "a string is not an index of a tensor".to_owned()),
        Argument::DType(_) | Argument::Unknown => Item::Unknown,
    })
}

fn tensor_item(op: &mut Operation, shape: &Shape, dtype: DType) -> Result<Item, Stop> {
    if is_real(dtype) {
        let message = format!("tensors used as indices must be integers or `bool`, got {dtype}");
        op.fail(&["index"], message);
    }
    let shape = op.solver.resolve_shape(shape);
    let is_whole = matches!(dtype, DType::Int32 | DType::Int64);
    let Some(rank) = shape.rank() else {
        // Integers stand for one dimension, however they are arranged.
        return Ok(match is_whole {
            true => Item::Advanced(Advanced { consumed: 1, shape, mask: false, chosen: None }),
            false => Item::Unknown,
        });
    };
    // Of bytes PyTorch makes a mask, NumPy takes them for numbers as it does all integers.
    let is_array = !op.rules.tuple_subscripts || op.arguments.may_be_arrays;
    if rank > 0 && !is_array && matches!(dtype, DType::Int8 | DType::Int16) {
        let message = format!("tensors used as indices must be int64, int32, uint8 or `bool`, got {dtype}");
        op.fail(&["index"], message);
    }
    if rank > 0 && dtype == DType::UInt8 && op.arguments.may_be_arrays {
        return Ok(Item::Unknown);
    }
    let mask = dtype == DType::Bool || dtype == DType::UInt8 && !is_array;
    Ok(match (rank, mask) {
        (0, true) => Item::Truth(None),
        (0, false) if dtype != DType::Unknown => Item::Integer(None),
        (_, true) => Item::Advanced(Advanced { consumed: rank, shape, mask: true, chosen: None }),
        (1, false) if dtype == DType::Unknown => Item::Advanced(Advanced {
            consumed: 1,
            shape: Shape::known(vec![fresh_count("selected")]),
            mask: false,
            chosen: None,
        }),
        (_, false) if dtype == DType::Unknown => Item::Unknown,
        (_, false) => Item::Advanced(Advanced { consumed: 1, shape, mask: false, chosen: None }),
    })
}

/// A slice's bound: `None` where it was left out, `Some(None)` where it is not known.
fn bound(op: &Operation, argument: &Argument) -> Option<Option<Dim>> {
    match argument {
        Argument::None => None,
        other => Some(other.as_dim().map(|dim| op.solver.resolve(dim))),
    }
}

/// The number of elements that a slice takes of a dimension.
fn sliced(
    op: &mut Operation,
    size: Dim,
    lower: Option<Option<Dim>>,
    upper: Option<Option<Dim>>,
    step: Option<Option<Dim>>,
) -> Result<Dim, Stop> {
    let step = match step {
        None => constant(1),
        Some(Some(step)) => step,
        Some(None) => return Ok(fresh_count("slice")),
    };
    // NumPy's slices may go backwards: whole ones keep their length.
    if (op.rules.negative_steps || op.arguments.may_be_arrays) && step.as_const().is_some_and(|step| step < 0) {
        let is_whole = lower.is_none() && upper.is_none();
        let stride = constant(0) - step;
        return Ok(if is_whole { size.ceil_div(stride) } else { backwards(op, size, (lower, upper), stride) });
    }
    if step.as_const().is_some_and(|step| step <= 0) {
        return op.reject(&["index"], format!("the step of a slice of a tensor must be positive, got {step}"));
    }
    if lower.is_none() && upper.is_none() && step.as_const() == Some(1) {
        return Ok(size);
    }
    // Bounds from the same end that are out of order take nothing, whatever the size.
    let constant_of = |bound: Option<Option<Dim>>| bound.flatten().and_then(Dim::as_const);
    if let (Some(from), Some(to)) = (constant_of(lower), constant_of(upper))
        && to <= from
        && (from < 0) == (to < 0)
    {
        return Ok(constant(0));
    }
    let (Some(start), Some(stop)) = (end(op, lower, constant(0), size), end(op, upper, size, size)) else {
        return Ok(at_most(lower.flatten().zip(upper.flatten()).map(|(from, to)| to - from), step));
    };
    let length = stop - start;
    // The bounds are in order unless both are constants that are not.
    let length = match length.as_const() {
        Some(length) => constant(length.max(0)),
        None => length,
    };
    Ok(if step.as_const() == Some(1) { length } else { length.ceil_div(step) })
}

/// The number of elements of a slice from a place that is not known, that many places on: `x[i:i + 4]` has four, or fewer at an end.
fn at_most(distance: Option<Dim>, step: Dim) -> Dim {
    let most = distance.and_then(Dim::as_const).filter(|distance| *distance >= 0);
    match (most, step.as_const()) {
        (Some(0), _) => constant(0),
        (Some(most), Some(step)) if step > 0 => fresh_within("slice", 0, (most - 1) / step + 1),
        _ => fresh_count("slice"),
    }
}

/// The number of elements of a slice that goes backwards.
fn backwards(
    op: &Operation,
    size: Dim,
    (lower, upper): (Option<Option<Dim>>, Option<Option<Dim>>),
    stride: Dim,
) -> Dim {
    // Where a bound falls, from -1 (before the first) to the last.
    let place = |bound: Option<Option<Dim>>, default: i64, size: i64| match bound {
        None => Some(default),
        Some(bound) => {
            let bound = bound?.as_const()?;
            Some((if bound < 0 { bound + size } else { bound }).clamp(-1, size - 1))
        }
    };
    let length = || {
        let size = size.as_const().filter(|size| *size > 0)?;
        let (from, to) = (place(lower, size - 1, size)?, place(upper, -1, size)?);
        Some(constant((from - to).max(0)).ceil_div(stride))
    };
    let of_open_size = || {
        let (from, to) = (lower??.as_const()?, upper??.as_const()?);
        if (from < 0) != (to < 0) {
            return None;
        }
        if from <= to {
            return Some(constant(0));
        }
        // All of it is there where the size reaches as far.
        let least = constant(if from < 0 { to.checked_neg()? } else { from.checked_add(1)? });
        let is_whole = matches!(op.solver.judge(&Constraint::LessEqual(least, size)), harp_shape::Verdict::Holds);
        let distance = constant(from - to);
        Some(if is_whole { distance.ceil_div(stride) } else { at_most(Some(distance), stride) })
    };
    length().or_else(of_open_size).unwrap_or_else(|| fresh_count("slice"))
}

/// Where a bound of a slice falls, from 0 to `size`; `None` where that is not known.
fn end(op: &mut Operation, bound: Option<Option<Dim>>, default: Dim, size: Dim) -> Option<Dim> {
    let bound = match bound {
        None => return Some(default),
        Some(bound) => bound?,
    };
    let zero = constant(0);
    match (bound.as_const(), size.as_const()) {
        (Some(bound), Some(size)) => Some(constant(if bound < 0 { (bound + size).max(0) } else { bound.min(size) })),
        (Some(0), None) => Some(zero),
        (Some(-1), None) => Some(size - constant(1)),
        (Some(bound), None) if bound < 0 => Some((size + constant(bound)).max(zero)),
        _ if bound == size => Some(size),
        (Some(bound), None) if op.solver.follows_from_a_loop(constant(bound), size) => Some(constant(bound)),
        (Some(bound), None) => Some(constant(bound).min(size)),
        (None, _) => {
            let within = op.solver.judge(&Constraint::LessEqual(bound, size));
            // Of nothing there is nothing to take, wherever the bound lies.
            let mark = op.solver.mark();
            op.solver.assume(&Constraint::LessEqual(Dim::ONE, size));
            let holds = |verdict| matches!(verdict, harp_shape::Verdict::Holds);
            if holds(op.solver.judge(&Constraint::LessEqual(bound, constant(-1)))) {
                op.solver.rollback(mark);
                return Some((size + bound).max(zero));
            }
            let mut positive = op.solver.judge(&Constraint::LessEqual(zero, bound));
            // Settings by which a window begins before the data does are taken for none that anybody gives.
            if !holds(positive.clone()) && at_defaults(bound) != bound {
                positive = op.solver.judge(&Constraint::LessEqual(zero, at_defaults(bound)));
            }
            op.solver.rollback(mark);
            // Settings by which nothing is left out at the end are taken for none that anybody gives.
            let usual = at_defaults(bound).as_const();
            if usual.is_some_and(|usual| usual < 0) && bound.vars().iter().all(|var| var.kind() == VarKind::Config) {
                return Some((size + bound).max(zero));
            }
            match (holds(positive), holds(within)) {
                (true, true) => Some(bound),
                // How much of a window lies over the end, differs from draw to draw.
                (true, false) if bound.vars().iter().any(|var| var.name() == crate::size_names::DRAWN) => None,
                (true, false) => Some(bound.min(size)),
                _ => None,
            }
        }
    }
}

/// A number with the settings in it at their defaults.
fn at_defaults(number: Dim) -> Dim {
    number.substitute(&mut |var| var.default_value().filter(|_| var.kind() == VarKind::Config).map(constant))
}
