//! Signatures that depend on more than the shapes of tensors: axes, flags, lists, what may be left out.

use crate::notation::*;
use crate::{Dim, Outcome, Shape, Solver};

fn tensor(dims: &[i64]) -> Actual {
    Actual::Shape(Shape::known(dims.iter().map(|dim| Dim::constant(*dim)).collect::<Vec<_>>()))
}

fn number(value: i64) -> Actual {
    Actual::Integer(Dim::constant(value))
}

fn numbers(values: &[i64]) -> Actual {
    Actual::Items(values.iter().map(|value| number(*value)).collect())
}

fn tensors(shapes: &[&[i64]]) -> Actual {
    Actual::Items(shapes.iter().map(|dims| tensor(dims)).collect())
}

fn text(text: &str) -> Actual {
    Actual::Text(text.into())
}

/// Applies a signature to arguments by name.
fn call(signature: &str, arguments: &[(&str, Actual)]) -> Applied {
    let signature = parse_signature(signature).unwrap();
    let argument = |name: &str| {
        let found = arguments.iter().find(|(known, _)| *known == name);
        found.map_or(Actual::Unknown, |(_, actual)| actual.clone())
    };
    let inputs: Vec<Actual> =
        signature.inputs.iter().map(|input| argument(input.name.as_deref().unwrap_or(""))).collect();
    signature.apply(&mut Solver::new(), &inputs, &argument)
}

fn shown(returned: &Returned) -> String {
    let all = |items: &[Returned]| items.iter().map(shown).collect::<Vec<_>>().join(", ");
    match returned {
        Returned::Nothing => "_".to_owned(),
        Returned::None => "None".to_owned(),
        Returned::Shape(shape) => shape.to_string(),
        Returned::Tuple(items) => format!("({})", all(items)),
        Returned::List(items) => format!("[{}]", all(items)),
        Returned::Several(item, None) => format!("list of {}", shown(item)),
        Returned::Several(item, Some(count)) => format!("{count} times {}", shown(item)),
        Returned::Unknown => "?".to_owned(),
    }
}

/// What a call gives that is certainly correct.
#[track_caller]
fn gives(signature: &str, arguments: &[(&str, Actual)], expected: &str) {
    let applied = call(signature, arguments);
    assert!(applied.outcomes.iter().all(|(.., outcome)| *outcome != Outcome::Violated), "{:?}", applied.outcomes);
    assert_eq!(shown(&applied.output), expected);
}

/// What is said of a call that is certainly wrong.
#[track_caller]
fn fails(signature: &str, arguments: &[(&str, Actual)], expected: &[&str]) {
    let applied = call(signature, arguments);
    let told: Vec<&str> = applied.outcomes.iter().map(|(message, ..)| &**message).collect();
    assert_eq!(told, expected);
    assert!(applied.is_violated());
}

const SUM: &str = "(x: s) -> replace(s, dim, 1) if keepdim else drop(s, dim)";

#[test]
fn a_parameter_names_the_axes() {
    let sum = |dim: Actual, keepdim: bool| {
        let arguments = [("x", tensor(&[2, 3, 4])), ("dim", dim), ("keepdim", Actual::Flag(keepdim))];
        shown(&call(SUM, &arguments).output)
    };
    assert_eq!(sum(number(1), false), "[2, 4]");
    assert_eq!(sum(number(-1), true), "[2, 3, 1]");
    assert_eq!(sum(numbers(&[0, -1]), false), "[3]");
    assert_eq!(sum(numbers(&[0, 2]), true), "[1, 3, 1]");
    assert_eq!(sum(numbers(&[]), false), "[2, 3, 4]");
    assert_eq!(sum(Actual::None, false), "[]");
    assert_eq!(sum(Actual::None, true), "[1, 1, 1]");
    // An axis that is not known leaves the rank; nothing known of `dim` leaves nothing.
    assert_eq!(sum(Actual::Integer(crate::unify::fresh_dim("d")), false).matches(',').count(), 1);
    assert_eq!(sum(Actual::Unknown, false).matches(',').count(), 0);
}

#[test]
fn wrong_axes_are_reported_once() {
    let sum = |dim: Actual, expected: &[&str]| {
        fails(SUM, &[("x", tensor(&[2, 3])), ("dim", dim), ("keepdim", Actual::Flag(true))], expected);
    };
    sum(number(2), &["dimension out of range: `dim` is 2, but `x` [2, 3] has only the dimensions -2 to 1"]);
    sum(numbers(&[0, -3]), &["dimension out of range: `dim` is -3, but `x` [2, 3] has only the dimensions -2 to 1"]);
    sum(numbers(&[0, -2]), &["dimension 0 appears more than once in `dim` ([0, -2])"]);
    fails(
        "(x: s) -> drop(s, dim if dim != () else None)",
        &[("x", tensor(&[2, 3])), ("dim", number(2))],
        &["dimension out of range: `dim` is 2, but `x` [2, 3] has only the dimensions -2 to 1"],
    );
    fails(
        "(x: s@[k]) -> s where has_axis(s, dim)",
        &[("x", tensor(&[2, 3])), ("dim", number(1))],
        &["dimension out of range: `dim` is 1, but `s` [2] has only the dimensions -1 to 0"],
    );
    fails(
        "(self: s) -> [s[2]]",
        &[("self", tensor(&[2, 3]))],
        &["dimension out of range: the tensor [2, 3] has no dimension 2"],
    );
}

#[test]
fn a_tensor_without_dimensions_has_an_axis_in_name() {
    let arguments = |dim| [("x", tensor(&[])), ("dim", number(dim)), ("keepdim", Actual::Flag(false))];
    gives(SUM, &arguments(0), "[]");
    gives(SUM, &arguments(-1), "[]");
    assert!(call(SUM, &arguments(1)).is_violated());
    gives("(x: s) -> insert(s, dim, 1)", &arguments(-1), "[1]");
}

#[test]
fn axes_are_inserted_and_rearranged() {
    let x = || ("x", tensor(&[2, 3, 4]));
    let insert = "(x: s) -> insert(s, dim, n)";
    gives(insert, &[x(), ("dim", number(0)), ("n", number(7))], "[7, 2, 3, 4]");
    gives(insert, &[x(), ("dim", number(-1)), ("n", number(7))], "[2, 3, 4, 7]");
    gives(insert, &[x(), ("dim", numbers(&[0, 2])), ("n", number(1))], "[1, 2, 1, 3, 4]");
    fails(
        insert,
        &[x(), ("dim", number(4)), ("n", number(1))],
        &["dimension out of range: `dim` is 4, but a dimension can be added to `x` [2, 3, 4] only at -4 to 3"],
    );
    gives("(x: s) -> swap(s, a, b)", &[x(), ("a", number(0)), ("b", number(-1))], "[4, 3, 2]");
    gives("(x: s) -> permute(s, dims)", &[x(), ("dims", numbers(&[2, 0, 1]))], "[4, 2, 3]");
    gives("(x: s) -> permute(s, dims)", &[x(), ("dims", Actual::None)], "[4, 3, 2]");
    gives("(x: s) -> move(s, 0, -1)", &[x()], "[3, 4, 2]");
    gives("(x: s) -> move(s, a, b)", &[x(), ("a", numbers(&[0, 1])), ("b", numbers(&[1, 2]))], "[4, 2, 3]");
    fails(
        "(x: s) -> permute(s, dims)",
        &[x(), ("dims", numbers(&[1, 0]))],
        &["`dims` must name each dimension once: it is [1, 0], but `x` [2, 3, 4] has another number of dimensions"],
    );
    fails(
        "(x: s) -> move(s, a, b)",
        &[x(), ("a", numbers(&[0, 1])), ("b", number(0))],
        &["`a` names 2 dimensions, but `b` names 1"],
    );
}

#[test]
fn axes_are_found_from_either_end_where_the_rank_is_not_known() {
    let mut solver = Solver::new();
    let mut result = |text: &str| {
        let signature = parse_signature(text).unwrap();
        let shape = Shape::unknown("a").concat(&Shape::known([Dim::constant(3), Dim::constant(4)]));
        signature.apply(&mut solver, &[Actual::Shape(shape)], &|_| Actual::Unknown).shapes().remove(0).to_string()
    };
    assert_eq!(result("(s) -> drop(s, -1)"), "a@[3]");
    assert_eq!(result("(s) -> replace(s, (-1, -2), 1)"), "a@[1, 1]");
    assert_eq!(result("(s) -> insert(s, -1, 5)"), "a@[3, 4, 5]");
    assert_eq!(result("(s) -> insert(s, 0, 5)"), "[5]@a@[3, 4]");
    assert_eq!(result("(s) -> swap(s, -1, -2)"), "a@[4, 3]");
    assert_eq!(result("(s) -> [s[-2]]"), "[3]");
    assert_eq!(result("(s) -> drop(s, None)"), "[]");
}

#[test]
fn results_depend_on_flags() {
    let pool = "(x: [n, h]) -> ([n, h//2], [n, h//2]) if return_indices else [n, h//2]";
    let arguments = |flag| [("x", tensor(&[3, 8])), ("return_indices", flag)];
    gives(pool, &arguments(Actual::Flag(true)), "([3, 4], [3, 4])");
    gives(pool, &arguments(Actual::Flag(false)), "[3, 4]");
    gives(pool, &arguments(Actual::None), "[3, 4]");
    gives(pool, &arguments(Actual::Unknown), "?");
    // What both arms agree in is known.
    gives("(x: [n]) -> ([n], [n]) if flag else ([n], [2*n])", &[("x", tensor(&[3]))], "([3], s)");
    gives("(x: [n]) -> [n] if flag else [n]", &[("x", tensor(&[3]))], "[3]");
    let rnn = "(x: [b, t, e] if batch_first else [t, b, e]) -> [t, b, (2 if bidirectional else 1)*hidden]";
    let flags = |first| {
        [
            ("x", tensor(&[5, 7, 3])),
            ("batch_first", Actual::Flag(first)),
            ("bidirectional", Actual::Flag(true)),
            ("hidden", number(10)),
        ]
    };
    gives(rnn, &flags(true), "[7, 5, 20]");
    gives(rnn, &flags(false), "[5, 7, 20]");
    let loss = "(input: s, target: t) -> broadcast(s, t) if reduction == 'none' else []";
    let arguments = |reduction| [("input", tensor(&[4, 1])), ("target", tensor(&[3])), ("reduction", reduction)];
    gives(loss, &arguments(text("none")), "[4, 3]");
    gives(loss, &arguments(text("mean")), "[]");
    gives("(x: s) -> s if mask is not None else None", &[("x", tensor(&[4])), ("mask", tensor(&[1]))], "[4]");
    gives("(x: s) -> s if mask is not None else None", &[("x", tensor(&[4])), ("mask", Actual::None)], "None");
    gives("(x: s) -> drop(s, dim if dim != () else None)", &[("x", tensor(&[4, 5])), ("dim", numbers(&[]))], "[]");
}

#[test]
fn a_condition_may_ask_for_the_rank() {
    let first = "(x: s) -> [s[0]] if rank(s) > 0 and s[0] > 1 else [1]";
    gives(first, &[("x", tensor(&[4, 5]))], "[4]");
    gives(first, &[("x", tensor(&[]))], "[1]");
    fails("(x: s) -> s where rank(s) >= 2", &[("x", tensor(&[3]))], &["`x` [3] must have at least 2 dimensions"]);
    fails("(x: [n, m]) -> [n] where n == m and n > 1", &[("x", tensor(&[3, 4]))], &["`n` must be `m` (4), got 3"]);
    fails(
        "(x: s) -> s where not (training and s[0] == 1)",
        &[("x", tensor(&[1])), ("training", Actual::Flag(true))],
        &["`not (training and s[0] == 1)` must hold, here 1 != 1"],
    );
    gives(
        "(x: s) -> s where not (training and s[0] == 1)",
        &[("x", tensor(&[1])), ("training", Actual::Flag(false))],
        "[1]",
    );
}

#[test]
fn what_may_be_left_out_is_matched_where_it_is_given() {
    let linear = "(x: s@[k], weight: [m, k], bias?: [m]) -> s@[m]";
    let arguments = |bias| [("x", tensor(&[2, 3])), ("weight", tensor(&[5, 3])), ("bias", bias)];
    gives(linear, &arguments(Actual::None), "[2, 5]");
    gives(linear, &arguments(tensor(&[5])), "[2, 5]");
    fails(linear, &arguments(tensor(&[4])), &["`m` is 4 in `bias` ([4]) but 5 in `weight` ([5, 3])"]);
}

const STACK: &str = "(tensors: list of s) -> insert(s, dim, len(tensors))";
const CAT: &str = "(*tensors: replace(s, dim, _)) -> replace(s, dim, sum(t[dim] for t in tensors))";

#[test]
fn lists_of_tensors_are_matched_item_by_item() {
    let of = |shapes: &[&[i64]], dim| [("tensors", tensors(shapes)), ("dim", number(dim))];
    gives(STACK, &of(&[&[2, 3], &[2, 3]], -1), "[2, 3, 2]");
    fails(
        STACK,
        &of(&[&[2, 3], &[2, 4]], 0),
        &["`tensors[0]` ([2, 3]) and `tensors[1]` ([2, 4]) must have the same shape"],
    );
    gives(CAT, &of(&[&[2, 3], &[2, 4], &[2, 5]], 1), "[2, 12]");
    gives(CAT, &of(&[&[2, 3], &[4, 3]], -2), "[6, 3]");
    fails(
        CAT,
        &of(&[&[2, 3], &[4, 4]], 0),
        &["`tensors[0]` ([2, 3]) and `tensors[1]` ([4, 4]) must have the same shape except at `dim`"],
    );
    let applied = call(CAT, &of(&[&[2, 3]], 2));
    assert_eq!(applied.outcomes.len(), 1);
    // A variadic parameter may be given a sequence.
    let one = Actual::Items(vec![tensors(&[&[2], &[3]])]);
    gives(CAT, &[("tensors", one), ("dim", number(0))], "[5]");
    // A list of unknown length.
    gives(STACK, &[("tensors", Actual::Unknown), ("dim", number(0))], "s");
    gives("(h: ([n, k], [n, m])) -> [k + m]", &[("h", tensors(&[&[4, 2], &[4, 3]]))], "[5]");
    fails(
        "(h: ([n, k], [n, m])) -> [k + m]",
        &[("h", tensors(&[&[4, 2], &[5, 3]]))],
        &["`n` is 5 in `h[1]` ([5, 3]) but 4 in `h[0]` ([4, 2])"],
    );
    gives("(tensors: list of _) -> broadcast(t for t in tensors)", &[("tensors", tensors(&[&[4, 1], &[3]]))], "[4, 3]");
    gives(
        "(tensors: list of [_]@s) -> [len(tensors), max(t[0] for t in tensors)]@s",
        &[("tensors", tensors(&[&[4, 9], &[6, 9]]))],
        "[2, 6, 9]",
    );
}

#[test]
fn results_are_lists() {
    let x = || ("x", tensor(&[2, 6]));
    let unbind = "(x: s) -> tuple of drop(s, dim) for i in range(s[dim])";
    gives(unbind, &[x(), ("dim", number(0))], "([6], [6])");
    let split = "(x: s) -> list of replace(s, dim, n) for n in sizes where sum(n for n in sizes) == s[dim]";
    gives(split, &[x(), ("dim", number(1)), ("sizes", numbers(&[2, 4]))], "[[2, 2], [2, 4]]");
    fails(
        split,
        &[x(), ("dim", number(1)), ("sizes", numbers(&[2, 5]))],
        &["`sum(n for n in sizes) == s[dim]` must hold, here 7 == 6"],
    );
    let chunk = "(x: s) -> tuple of replace(s, dim, min(n, s[dim] - i*n)) for i in range(ceil_div(s[dim], n))";
    gives(chunk, &[x(), ("dim", number(1)), ("n", number(4))], "([2, 4], [2, 2])");
    gives("(x: s) -> list of s", &[x()], "list of [2, 6]");
    // The length is a number that only the call knows.
    let mut solver = Solver::new();
    let n = crate::unify::fresh_dim("n");
    let signature = parse_signature(unbind).unwrap();
    let inputs = [Actual::Shape(Shape::known([n, Dim::constant(3)]))];
    let applied =
        signature.apply(&mut solver, &inputs, &|name| if name == "dim" { number(0) } else { Actual::Unknown });
    assert_eq!(shown(&applied.output), "n times [3]");
    // Too many, or a size that differs from item to item.
    gives("(x: s) -> list of s for i in range(n)", &[x(), ("n", number(1 << 40))], "1099511627776 times [2, 6]");
    gives("(x: s) -> list of [i] for i in range(n)", &[x()], "?");
}

#[test]
fn loops_are_bounded() {
    let deep = "sum(sum(sum(1 for i in range(4000)) for j in range(4000)) for k in range(4000))";
    gives(&format!("(x: s) -> [{deep}]"), &[("x", tensor(&[1]))], "[size]");
}

#[test]
fn a_parameter_that_holds_numbers_is_a_shape() {
    gives("(x: [n]@s) -> [n]@size", &[("x", tensor(&[2, 6, 6])), ("size", numbers(&[3, 4]))], "[2, 3, 4]");
    gives("() -> size", &[("size", Actual::Items(vec![numbers(&[3, 4])]))], "[3, 4]");
}

#[test]
fn everything_nests() {
    gives(
        "(x: [a]@s@[b]) -> [a//b, -a//b, a % -b, ceil_div(min(a, b), max(2, b - 1)), prod(s[1:]@[rank(s)])]",
        &[("x", tensor(&[7, 5, 6, 2]))],
        "[3, -4, -1, 1, 12]",
    );
    gives(
        "(x: s) -> swap(replace(insert(s, 0, 9), -1, s[0]//s[1]), 0, 1)",
        &[("x", tensor(&[8, 2, 3]))],
        "[8, 9, 2, 4]",
    );
    // A shape variable in the middle, with a divisor that is not known.
    let mut solver = Solver::new();
    let signature = parse_signature("([a]@s@[b]) -> [a//b, a % b]@s").unwrap();
    let applied = signature.apply(&mut solver, &[Actual::Shape(Shape::unknown("x"))], &|_| Actual::Unknown);
    assert_eq!(applied.shapes().remove(0).to_string(), "[x_0//x_last, x_0 % x_last]@x");
}

/// Each kind of mistake, with the byte at which it is and what to write instead.
#[test]
fn mistakes_are_placed_and_answered() {
    let cases: [(&str, usize, &str, &str); 18] = [
        ("(x: s) -> drop(s)", 16, "expected `,`, found `)`", "write `drop(s, dim)`"),
        ("(x: s) -> replace(s, dim)", 24, "expected `,`, found `)`", "write `replace(s, dim, n)`"),
        ("(x: s) -> swap(s, a, b, c)", 22, "expected `)`, found `,`", "write `swap(s, dim0, dim1)`"),
        (
            "(x: s) -> remove(s, dim)",
            10,
            "there is no function `remove` that gives a shape",
            "the functions are broadcast, drop, replace, insert, permute, swap, move",
        ),
        (
            "(x: s) -> s if keepdim",
            22,
            "expected `else`, found the end",
            "what is returned otherwise is written `… if flag else …`",
        ),
        (
            "(x: [n if keepdim]) -> []",
            17,
            "expected `else`, found `]`",
            "the number otherwise is written `… if flag else …`",
        ),
        ("(x?: s, *y?: s) -> s", 9, "a variadic parameter cannot be optional too", "write `*y: …`; it may be empty"),
        ("(*s) -> s", 2, "expected a parameter, found `s`", "a variadic parameter is written `*tensors: s`"),
        (
            "(x: None) -> []",
            4,
            "expected a shape or `_`, found `None`",
            "a parameter that may be `None` is written `name?: shape`",
        ),
        (
            "(x: list of s for i in range(2)) -> s",
            14,
            "expected `,` or `)`, found `for`",
            "each item of a parameter matches alike: `tensors: list of s`",
        ),
        (
            "(x: s) -> [sum(n)]",
            16,
            "expected `for`, found `)`",
            "a loop is written `for t in tensors` or `for i in range(n)`",
        ),
        (
            "(x: s) -> list of s for i range(n)",
            26,
            "expected `in`, found `range`",
            "a loop is written `for t in tensors` or `for i in range(n)`",
        ),
        (
            "(x: s) -> s if m == 'mean else s",
            20,
            "this text does not end",
            "a text is written between single quotes: `'mean'`",
        ),
        (
            "(x: s) -> s if m == \"mean\" else s",
            20,
            "unexpected `\"`",
            "a text is written between single quotes: `'mean'`",
        ),
        ("(x: s) -> s if m is 3 else s", 20, "expected `None`, found `3`", "write `m is None` or `m is not None`"),
        ("(x: s) -> s where has_axis(s)", 28, "expected `,`, found `)`", "write `has_axis(s, dim)`"),
        ("(x: [?]) -> []", 5, "expected a dimension, found `?`", "any dimension is written `_`"),
        ("(x: ['n']) -> []", 5, "expected a dimension, found `'n'`", "a text can only be compared: `mode == 'mean'`"),
    ];
    for (text, offset, message, hint) in cases {
        let error = parse_signature(text).expect_err(text);
        assert_eq!((error.offset, &*error.message, error.hint.as_deref()), (offset, message, Some(hint)), "{text}");
    }
}

#[test]
fn names_of_loops_are_their_own() {
    let signature = parse_signature(CAT).unwrap();
    assert_eq!(signature.unbound(|name| name == "tensors"), Vec::<String>::new());
    assert_eq!(signature.unbound(|_| false), ["tensors"]);
    let signature = parse_signature("(x: s if flag else t) -> [len(sizes)] where other is None").unwrap();
    assert_eq!(signature.unbound(|_| false), ["flag", "other", "sizes"]);
}

const CONV: &str =
    "(input: [b, h, c] , filters: [k, c, o]) -> [b, window(h, k, pick(strides, 0, 1), pick(rates, 0, 1), padding), o]";

#[test]
fn windows_leave_lengths() {
    let conv = |h: i64, k: i64, strides: Actual, rates: Actual, padding: Actual, expected: &str| {
        let arguments = [
            ("input", tensor(&[2, h, 3])),
            ("filters", tensor(&[k, 3, 5])),
            ("strides", strides),
            ("rates", rates),
            ("padding", padding),
        ];
        gives(CONV, &arguments, expected);
    };
    conv(8, 3, number(1), number(1), text("SAME"), "[2, 8, 5]");
    conv(9, 3, number(2), number(1), text("same"), "[2, 5, 5]");
    conv(9, 3, numbers(&[2]), number(1), text("causal"), "[2, 5, 5]");
    conv(9, 3, numbers(&[1, 2, 1]), number(1), text("VALID"), "[2, 4, 5]");
    conv(9, 3, number(1), numbers(&[1, 4, 1]), text("valid"), "[2, 1, 5]");
    conv(9, 3, number(1), number(1), number(1), "[2, 9, 5]");
    conv(9, 3, number(2), number(1), numbers(&[0, 1]), "[2, 4, 5]");
    let fails_so = |k: i64, strides: Actual, padding: Actual, expected: &[&str]| {
        let arguments = [
            ("input", tensor(&[2, 4, 3])),
            ("filters", tensor(&[k, 3, 5])),
            ("strides", strides),
            ("rates", number(2)),
            ("padding", padding),
        ];
        fails(CONV, &arguments, expected);
    };
    let too_large = "the window (size 5 with dilation) is larger than the size 4 of dimension 1 of `input` [2, 4, 3]";
    fails_so(3, number(1), text("VALID"), &[too_large]);
    let padded =
        "the window (size 7 with dilation) is larger than the padded size 6 of dimension 1 of `input` [2, 4, 3]";
    fails_so(4, number(1), number(1), &[padded]);
    fails_so(1, numbers(&[1, 1]), text("VALID"), &["`strides` must be one value, or a list of 1 or 3, got 2"]);
    fails_so(1, numbers(&[0]), text("VALID"), &["`strides` must be positive, got 0"]);
}

#[test]
fn a_list_for_all_dimensions_has_those_of_space_where_the_layout_says() {
    let pool = "(x: s) -> [window(s[1], 2, pick(strides, 0, 2, 2 if layout == 'NCHW' else 1), 1, \
                pick(padding, 0, 2, 2 if layout == 'NCHW' else 1))]";
    let pool = |strides: &[i64], padding: &[&[i64]], layout: &str, expected: &str| {
        let padding = Actual::Items(padding.iter().map(|ends| numbers(ends)).collect());
        let arguments = [
            ("x", tensor(&[1, 10, 10, 3])),
            ("strides", numbers(strides)),
            ("padding", padding),
            ("layout", text(layout)),
        ];
        gives(pool, &arguments, expected);
    };
    pool(&[1, 2, 3, 1], &[&[0, 0], &[1, 1], &[2, 2], &[0, 0]], "NHWC", "[6]");
    pool(&[1, 1, 3, 2], &[&[0, 0], &[0, 0], &[1, 2], &[0, 0]], "NCHW", "[4]");
    pool(&[5, 2], &[&[1, 1], &[2, 2]], "NCHW", "[3]");
    pool(&[5], &[&[1, 1]], "NHWC", "[3]");
}

#[test]
fn a_window_may_leave_nothing_and_be_transposed() {
    gives("(x: [n]) -> [window(n, 5, 1, 1, 'VALID', 0)]", &[("x", tensor(&[3]))], "[0]");
    let up = |padding: Actual, extra: Actual, expected: &str| {
        let arguments = [("x", tensor(&[7])), ("padding", padding), ("extra", extra)];
        gives("(x: [n]) -> [transposed_window(n, 3, 2, 1, padding, extra)]", &arguments, expected);
    };
    up(text("same"), Actual::None, "[14]");
    up(text("valid"), Actual::None, "[15]");
    up(text("same"), number(0), "[13]");
    up(text("valid"), number(1), "[16]");
    up(number(1), number(1), "[14]");
    gives("(x: [n]) -> [transposed_window(n, 2, 3, 1, 'VALID')]", &[("x", tensor(&[7]))], "[21]");
}

#[test]
fn none_among_sizes_is_any_size() {
    let arguments = [("x", tensor(&[2, 3])), ("shape", Actual::Items(vec![Actual::None, number(3)]))];
    gives("(x: shape) -> shape", &arguments, "[2, 3]");
    let arguments = [("x", tensor(&[2, 3])), ("shape", Actual::Items(vec![Actual::None, number(4)]))];
    assert!(call("(x: shape) -> shape", &arguments).is_violated());
}
