//! Transfer functions of recurrent layers and cells, and packed sequences.

use crate::operation::{Argument, Operation, Output, TensorArgument};
use crate::support::{Evaluated, Stop, constant, fresh};
use harp_shape::{Constraint, DType, Dim, Shape};

/// The sizes of a recurrent layer, from its constructor.
struct Layer {
    input_size: Option<Dim>,
    hidden: Dim,
    /// What one direction gives: the projection, or the hidden size.
    out: Dim,
    layers: Option<Dim>,
    directions: Option<i64>,
    batch_first: Option<bool>,
}

impl Layer {
    fn read(op: &Operation) -> Layer {
        let hidden = op.dim_argument("hidden_size").unwrap_or_else(|| fresh("hidden_size"));
        let projection = op.dim_argument("proj_size").filter(|size| size.as_const() != Some(0));
        Layer {
            input_size: op.dim_argument("input_size"),
            hidden,
            out: projection.unwrap_or(hidden),
            layers: if op.is_absent("num_layers") { Some(constant(1)) } else { op.dim_argument("num_layers") },
            directions: op.flag_or("bidirectional", false).map(|both| if both { 2 } else { 1 }),
            batch_first: op.flag_or("batch_first", false),
        }
    }
}

/// `nn.RNN(input_size, hidden_size, num_layers, …)(input, hx)` and `nn.GRU`: output and last hidden state.
pub(crate) fn rnn(op: &mut Operation) -> Evaluated {
    let (output, hidden, _, dtype) = recurrent(op, false)?;
    Ok(Output::Tuple(vec![Output::tensor(output, dtype), Output::tensor(hidden, dtype)]))
}

/// `nn.LSTM(…)(input, (h_0, c_0))`: output, and last hidden and cell state.
pub(crate) fn lstm(op: &mut Operation) -> Evaluated {
    let (output, hidden, cell, dtype) = recurrent(op, true)?;
    let states = Output::Tuple(vec![Output::tensor(hidden, dtype), Output::tensor(cell, dtype)]);
    Ok(Output::Tuple(vec![Output::tensor(output, dtype), states]))
}

fn recurrent(op: &mut Operation, lstm: bool) -> Result<(Shape, Shape, Shape, DType), Stop> {
    let layer = Layer::read(op);
    let argument = op.arguments.value("input");
    let input = op.as_tensor(&argument, "input");
    op.float_input(&input);
    op.weights_take(("input", input.dtype));
    if !matches!(argument, Argument::Tensor(_)) {
        // A packed sequence, or something unknown: only the states have a known form.
        let states = states(&layer, Some(fresh("batch")));
        return Ok((Shape::unknown("output"), states.0, states.1, DType::Unknown));
    }
    let dims = op.with_rank_of(&input.shape, &[2, 3], "input")?;
    let batched = dims.len() == 3;
    let features = dims[dims.len() - 1];
    if let Some(expected) = layer.input_size {
        let message = format_args!(
            "expected {expected} features (`input_size`), got {features} in the last dimension of {}",
            op.operand("input", &input.shape)
        );
        op.equal(features, expected, &["input", "input_size"], || message.to_string());
    }
    let batch = match layer.batch_first {
        _ if !batched => None,
        Some(true) => Some(dims[0]),
        Some(false) => Some(dims[1]),
        None => Some(fresh("batch")),
    };
    let (hidden, cell) = states(&layer, batch);
    check_states(op, &hidden, &cell, lstm, &layer)?;
    let mut output = dims[..dims.len() - 1].to_vec();
    output.push(layer.directions.map_or_else(|| fresh("output"), |directions| layer.out * constant(directions)));
    Ok((Shape::known(output), hidden, cell, input.dtype))
}

/// The shapes of the hidden and the cell state.
fn states(layer: &Layer, batch: Option<Dim>) -> (Shape, Shape) {
    let count = match (layer.layers, layer.directions) {
        (Some(layers), Some(directions)) => layers * constant(directions),
        _ => fresh("layers"),
    };
    let state = |size: Dim| Shape::known([Some(count), batch, Some(size)].into_iter().flatten().collect::<Vec<_>>());
    (state(layer.out), state(layer.hidden))
}

/// Checks the states that are passed in against the shapes that they must have.
fn check_states(op: &mut Operation, hidden: &Shape, cell: &Shape, lstm: bool, layer: &Layer) -> Result<(), Stop> {
    if layer.directions.is_none() || layer.layers.is_none() || layer.batch_first.is_none() {
        return Ok(());
    }
    match op.arguments.value("hx") {
        Argument::Sequence(states) if lstm && states.len() == 2 => {
            for (state, expected) in states.iter().zip([hidden, cell]) {
                check_state(op, state, expected)?;
            }
            Ok(())
        }
        state @ Argument::Tensor(_) if !lstm => check_state(op, &state, hidden),
        // Its two halves would be states with a dimension less than the layer takes, and the layer itself takes no tensor in their place.
        Argument::Tensor(state) => {
            let text = op.text(&state.shape);
            op.demand(Constraint::False, &["hx"], || {
                format!("`hx` must be the pair of states (h_0, c_0), but it is one tensor of the shape {text}")
            })
        }
        _ => Ok(()),
    }
}

fn check_state(op: &mut Operation, state: &Argument, expected: &Shape) -> Result<(), Stop> {
    let Argument::Tensor(state) = state else { return Ok(()) };
    op.weights_take(("hx", state.dtype));
    let message = format_args!("the initial state must have the shape {expected}, got {}", op.text(&state.shape));
    op.demand(Constraint::SameShape(state.shape.clone(), expected.clone()), &["hx", "input"], || message.to_string())
}

/// `nn.RNNCell(input_size, hidden_size)(input, hx)`, `nn.GRUCell`.
pub(crate) fn cell(op: &mut Operation) -> Evaluated {
    let (state, dtype) = step(op, false)?;
    Ok(Output::tensor(state, dtype))
}

/// `nn.LSTMCell(input_size, hidden_size)(input, (h, c))`.
pub(crate) fn lstm_cell(op: &mut Operation) -> Evaluated {
    let (state, dtype) = step(op, true)?;
    Ok(Output::Tuple(vec![Output::tensor(state.clone(), dtype), Output::tensor(state, dtype)]))
}

fn step(op: &mut Operation, lstm: bool) -> Result<(Shape, DType), Stop> {
    let input: TensorArgument = op.tensor("input");
    op.float_input(&input);
    op.weights_take(("input", input.dtype));
    let dims = op.with_rank_of(&input.shape, &[1, 2], "input")?;
    let hidden = op.dim_argument("hidden_size").unwrap_or_else(|| fresh("hidden_size"));
    if let Some(expected) = op.dim_argument("input_size") {
        let features = dims[dims.len() - 1];
        let message = format_args!(
            "expected {expected} features (`input_size`), got {features} in the last dimension of {}",
            op.operand("input", &input.shape)
        );
        op.equal(features, expected, &["input", "input_size"], || message.to_string());
    }
    let mut state = dims[..dims.len() - 1].to_vec();
    state.push(hidden);
    let state = Shape::known(state);
    match op.arguments.value("hx") {
        Argument::Sequence(states) if lstm => {
            for given in &states {
                check_state(op, given, &state)?;
            }
        }
        given @ Argument::Tensor(_) if !lstm => check_state(op, &given, &state)?,
        _ => {}
    }
    Ok((state, input.dtype))
}

/// `pack_padded_sequence(input, lengths, batch_first)`: the elements of all sequences, how many go on at each time, and the padded
/// sequences again, time first, as long as the longest.
pub(crate) fn pack_padded(op: &mut Operation) -> Evaluated {
    let input = op.tensor("input");
    let (Some(mut dims), Some(batch_first)) = (op.dims(&input.shape), op.flag_or("batch_first", false)) else {
        return Ok(Output::Unknown("the sequences to pack"));
    };
    if dims.len() < 2 {
        let message = format!("{} must have at least 2 dimensions", op.operand("input", &input.shape));
        return op.reject(&["input"], message);
    }
    if batch_first {
        dims.swap(0, 1);
    }
    let batch = dims[1];
    let count = match op.arguments.get("lengths") {
        Some(Argument::Sequence(lengths)) => i64::try_from(lengths.len()).ok().map(constant),
        Some(Argument::Tensor(lengths)) => {
            let shape = lengths.shape.clone();
            op.dims(&shape).filter(|dims| dims.len() == 1).map(|dims| dims[0])
        }
        _ => None,
    };
    if let Some(count) = count {
        let message = format_args!("there are {count} lengths for a batch of {batch}");
        // What is sorted here takes as many rows as there are lengths.
        let is_fitting = match op.flag_or("enforce_sorted", true) {
            Some(false) => Constraint::LessEqual(count, batch),
            _ => Constraint::Equal(count, batch),
        };
        op.demand(is_fitting, &["lengths", "input"], || message.to_string())?;
    }
    let batch = count.unwrap_or(batch);
    let lengths = op.int_list("lengths");
    if let Some(lengths) = &lengths {
        check_lengths(op, lengths, dims[0])?;
    }
    let total = lengths.as_ref().and_then(|lengths| lengths.iter().try_fold(0_i64, |sum, one| sum.checked_add(*one)));
    let longest = lengths.as_ref().and_then(|lengths| lengths.iter().max().copied());
    let longest = longest.map_or_else(|| fresh("longest"), constant);
    let elements: Vec<Dim> =
        [total.map_or_else(|| fresh("elements"), constant)].into_iter().chain(dims[2..].to_vec()).collect();
    let padded: Vec<Dim> = [longest, batch].into_iter().chain(dims[2..].to_vec()).collect();
    Ok(Output::Tuple(vec![
        Output::tensor(Shape::known(elements), input.dtype),
        Output::tensor(Shape::known(vec![longest]), DType::Int64),
        Output::tensor(Shape::known(padded), input.dtype),
    ]))
}

/// The lengths of padded sequences, which `torch._pack_padded_sequence` checks.
fn check_lengths(op: &mut Operation, lengths: &[i64], padded: Dim) -> Result<(), Stop> {
    if lengths.iter().any(|length| *length <= 0) {
        op.reject(&["lengths"], "each of the `lengths` must be at least 1".to_owned())?;
    }
    if op.flag_or("enforce_sorted", true) == Some(true) && !lengths.is_sorted_by(|one, next| one >= next) {
        op.reject(&["lengths"], "the `lengths` must not increase, unless `enforce_sorted` is `False`".to_owned())?;
    }
    let Some(longest) = lengths.iter().max().copied() else { return Ok(()) };
    let message = format_args!("one of the `lengths` is {longest}, but the sequences are padded to {padded}");
    op.demand(Constraint::LessEqual(constant(longest), padded), &["lengths", "input"], || message.to_string())
}

/// The constructor of a recurrent layer.
pub(crate) fn rnn_init(op: &mut Operation) -> Evaluated {
    for name in ["input_size", "hidden_size", "num_layers"] {
        if let Some(size) = op.dim_argument(name) {
            let least = constant(i64::from(name != "input_size"));
            let message = format_args!("`{name}` must be at least {least}, got {size}");
            op.demand(Constraint::LessEqual(least, size), &[name], || message.to_string())?;
        }
    }
    if let (Some(projection), Some(hidden)) = (op.dim_argument("proj_size"), op.dim_argument("hidden_size"))
        && projection.as_const() != Some(0)
    {
        let message = format_args!("`proj_size` ({projection}) must be smaller than `hidden_size` ({hidden})");
        op.demand(Constraint::Less(projection, hidden), &["proj_size", "hidden_size"], || message.to_string())?;
    }
    Ok(Output::None)
}
