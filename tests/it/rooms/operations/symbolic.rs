//! Transfer functions on shapes that are only partly known.

use crate::common::families::rules;
use harp::operations::operation::{Argument, Arguments, Operation, Output, Remark, TensorArgument};
use harp::operations::{lookup, names};
use harp::shape::{DType, Dim, Outcome, Shape, Solver, Var, VarInfo};

/// What became of an operation.
struct Result {
    output: Output,
    violated: Vec<String>,
    possible: usize,
    remarks: usize,
}

fn evaluate(solver: &mut Solver, transfer: &str, api: &str, arguments: Vec<(&str, Argument)>) -> Result {
    let mut bound = Arguments::default();
    arguments.into_iter().for_each(|(name, argument)| bound.push(name, argument));
    let mut operation = Operation::new(api, rules(api), &bound, solver);
    let output = lookup(transfer).expect("the transfer function exists")(&mut operation);
    let judged = &operation.judged;
    let count = |fits: fn(&Outcome) -> bool| judged.iter().filter(move |judged| fits(&judged.outcome));
    let violated = count(|outcome| matches!(outcome, Outcome::Violated)).map(|judged| judged.message.clone()).collect();
    let possible = count(|outcome| matches!(outcome, Outcome::Possible(_))).count();
    let is_broadcast = |remark: &&Remark| matches!(remark, Remark::SuspiciousBroadcast { .. });
    let remarks = operation.remarks.iter().filter(is_broadcast).count();
    Result { output, violated, possible, remarks }
}

/// The shape of a result, with the solver's bindings.
fn shape(solver: &Solver, result: &Result) -> String {
    match &result.output {
        Output::Tensor { shape, .. } => solver.resolve_shape(shape).to_string(),
        other => format!("{other:?}"),
    }
}

fn free(name: &str) -> Dim {
    Dim::var(Var::fresh(VarInfo::free(name)))
}

fn tensor(shape: &Shape) -> Argument {
    Argument::Tensor(TensorArgument { shape: shape.clone(), dtype: DType::Float32 })
}

fn known(dims: &[Dim]) -> Argument {
    tensor(&Shape::known(dims.to_vec()))
}

fn integer(value: i64) -> Argument {
    Argument::Integer(Dim::constant(value))
}

fn integers(values: &[i64]) -> Argument {
    Argument::Sequence(values.iter().copied().map(integer).collect())
}

fn constants(values: &[i64]) -> Vec<Dim> {
    values.iter().copied().map(Dim::constant).collect()
}

#[test]
fn a_convolution_speaks_of_free_sizes() {
    let mut solver = Solver::new();
    let image = known(&[free("n"), Dim::constant(3), free("h"), free("w")]);
    let arguments = vec![
        ("in_channels", integer(3)),
        ("out_channels", integer(16)),
        ("kernel_size", integer(3)),
        ("stride", integer(2)),
        ("padding", integer(1)),
        ("dilation", integer(1)),
        ("groups", integer(1)),
        ("input", image),
    ];
    let result = evaluate(&mut solver, "conv_module", "torch.nn.Conv2d", arguments);
    assert_eq!(result.violated, Vec::<String>::new());
    assert_eq!(shape(&solver, &result), "[n, 16, (h + 1)//2, (w + 1)//2]");
}

#[test]
fn an_unknown_kernel_leaves_the_spatial_sizes_open() {
    let mut solver = Solver::new();
    let arguments = vec![
        ("out_channels", integer(16)),
        ("kernel_size", Argument::Unknown),
        ("input", known(&constants(&[4, 3, 32, 32]))),
    ];
    let result = evaluate(&mut solver, "conv_module", "torch.nn.Conv2d", arguments);
    assert_eq!(result.violated, Vec::<String>::new());
    let Output::Tensor { shape, .. } = result.output else { panic!("a tensor") };
    let dims = shape.dims().expect("a known rank");
    assert_eq!(dims[..2], constants(&[4, 16]));
    assert!(dims[2..].iter().all(|dim| dim.as_const().is_none()));
}

#[test]
fn a_wrong_number_of_channels_is_named_and_the_result_still_known() {
    let mut solver = Solver::new();
    let arguments =
        vec![("in_features", integer(9217)), ("out_features", integer(10)), ("input", known(&constants(&[64, 9216])))];
    let result = evaluate(&mut solver, "linear_module", "torch.nn.Linear", arguments);
    assert_eq!(
        result.violated,
        [
            "mat1 and mat2 cannot be multiplied: expected 9217 features (`in_features`), got 9216 in the last dimension of `input` [64, 9216]"
        ]
    );
    assert_eq!(shape(&solver, &result), "[64, 10]");
}

#[test]
fn a_linear_layer_determines_an_unknown_input() {
    let mut solver = Solver::new();
    let input = Shape::unknown("x");
    let arguments = vec![("in_features", integer(8)), ("out_features", integer(4)), ("input", tensor(&input))];
    let result = evaluate(&mut solver, "linear_module", "torch.nn.Linear", arguments);
    assert_eq!(result.violated, Vec::<String>::new());
    let input = solver.resolve_shape(&input).to_string();
    assert!(input.ends_with("@[8]"), "{input}");
    assert_eq!(shape(&solver, &result), input.replace("[8]", "[4]"));
}

#[test]
fn a_view_cancels_a_free_batch() {
    let mut solver = Solver::new();
    let batch = free("b");
    let input = known(&[batch, Dim::constant(64), Dim::constant(7), Dim::constant(7)]);
    let sizes = Argument::Sequence(vec![Argument::Integer(batch), integer(-1)]);
    let result = evaluate(&mut solver, "reshape", "torch.Tensor.view", vec![("self", input), ("shape", sizes)]);
    assert_eq!(shape(&solver, &result), "[b, 3136]");
}

#[test]
fn a_view_that_cannot_divide_is_an_error() {
    let mut solver = Solver::new();
    let arguments = vec![("self", known(&constants(&[2, 3, 5]))), ("shape", integers(&[-1, 4]))];
    let result = evaluate(&mut solver, "reshape", "torch.Tensor.view", arguments);
    assert_eq!(
        result.violated,
        ["cannot arrange the 30 elements of the tensor [2, 3, 5] in the shape [-1, 4]: 30 is not divisible by 4"]
    );
}

#[test]
fn attention_has_its_principal_signature() {
    let mut solver = Solver::new();
    let [a, b, c, d] = ["a", "b", "c", "d"].map(free);
    let (query, key, value) = (known(&[a, b]), known(&[c, free("b2")]), known(&[free("c2"), d]));
    let transposed = evaluate(&mut solver, "matrix_transpose", "torch.Tensor.mT", vec![("self", key)]);
    let Output::Tensor { shape: transposed, .. } = transposed.output else { panic!("a tensor") };
    let arguments = vec![("input", query), ("other", tensor(&transposed))];
    let scores = evaluate(&mut solver, "matmul", "torch.matmul", arguments);
    let Output::Tensor { shape: scores, .. } = scores.output else { panic!("a tensor") };
    let arguments = vec![("input", tensor(&scores)), ("other", value)];
    let result = evaluate(&mut solver, "matmul", "torch.matmul", arguments);
    assert_eq!(result.violated, Vec::<String>::new());
    assert_eq!(shape(&solver, &result), "[a, d]");
}

#[test]
fn a_column_against_a_row_is_remarked_upon() {
    let batch = free("n");
    for (left, right, remarks) in [
        (vec![batch, Dim::constant(1)], vec![batch], 1),
        (vec![batch], vec![batch, Dim::constant(1)], 1),
        (vec![batch, Dim::constant(1)], vec![batch, Dim::constant(1)], 0),
        (constants(&[8, 1]), constants(&[8]), 1),
        (constants(&[8, 1]), constants(&[4]), 0),
        (constants(&[1, 1]), constants(&[1]), 0),
    ] {
        let arguments = vec![("input", known(&left)), ("other", known(&right))];
        let result = evaluate(&mut Solver::new(), "elementwise", "torch.add", arguments);
        assert_eq!((result.violated.len(), result.remarks), (0, remarks), "{left:?} {right:?}");
    }
}

#[test]
fn a_setting_may_break_a_requirement() {
    let mut solver = Solver::new();
    let hidden = Dim::var(Var::fresh(VarInfo::config("nhid", 200)));
    let heads = Dim::var(Var::fresh(VarInfo::config("nhead", 2)));
    let arguments = vec![("embed_dim", Argument::Integer(hidden)), ("num_heads", Argument::Integer(heads))];
    let result = evaluate(&mut solver, "multihead_init", "torch.nn.MultiheadAttention", arguments);
    assert_eq!((result.violated.len(), result.possible), (0, 1));
}

#[test]
fn an_unknown_dimension_turns_the_check_off() {
    let arguments = || vec![("input", known(&constants(&[2, 3]))), ("dim", Argument::Unknown)];
    for transfer in ["squeeze", "top_k", "kth_value", "flip", "roll", "narrow", "select", "index_select", "gather"] {
        let result = evaluate(&mut Solver::new(), transfer, "torch.f", arguments());
        assert_eq!(result.violated, Vec::<String>::new(), "{transfer}");
    }
}

#[test]
fn no_transfer_function_alarms_without_arguments_or_panics_on_odd_ones() {
    let odd = [
        Argument::Unknown,
        Argument::None,
        integer(-7),
        integer(i64::MAX),
        integer(i64::MIN),
        Argument::Float(None),
        Argument::Text("x".into()),
        Argument::Sequence(Vec::new()),
        Argument::Sequence(vec![Argument::Sequence(vec![integer(1)]), Argument::None]),
        Argument::Ellipsis,
        known(&[]),
        known(&constants(&[0, 3])),
        tensor(&Shape::unknown("s")),
    ];
    let parameters = [
        "input",
        "self",
        "other",
        "dim",
        "dims",
        "index",
        "shape",
        "size",
        "weight",
        "kernel_size",
        "stride",
        "padding",
        "output_size",
        "equation",
        "operands",
        "tensors",
        "pattern",
        "tensor",
        "hx",
        "query",
        "key",
        "value",
        "data",
        "k",
        "n",
        "pad",
        "mode",
        "scale_factor",
        "normalized_shape",
        "num_features",
        "split_size_or_sections",
        "repeats",
    ];
    let alarms = |name: &&str| !evaluate(&mut Solver::new(), name, "torch.f2d", Vec::new()).violated.is_empty();
    assert_eq!(names().filter(alarms).collect::<Vec<_>>(), Vec::<&str>::new());
    for name in names() {
        for (first, value) in odd.iter().enumerate() {
            let arguments = parameters.iter().enumerate();
            let arguments =
                arguments.map(|(place, parameter)| (*parameter, odd[(first + place * 5) % odd.len()].clone()));
            evaluate(&mut Solver::new(), name, "torch.f2d", arguments.collect());
            let all = parameters.iter().map(|parameter| (*parameter, value.clone())).collect();
            evaluate(&mut Solver::new(), name, "torch.nn.F3d", all);
        }
    }
}
