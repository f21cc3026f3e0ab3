//! What is printed reads back, and any text is read or refused.

use proptest::prelude::*;

use crate::notation::*;

fn dim_name() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["n", "m", "k", "in_features", "d1"]).prop_map(str::to_owned)
}

fn shape_name() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["s", "t", "batch"]).prop_map(str::to_owned)
}

fn parameter_name() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["keepdim", "tensors", "mode"]).prop_map(str::to_owned)
}

fn one_name() -> impl Strategy<Value = PatternShape> {
    shape_name().prop_map(|name| PatternShape { parts: vec![PatternPart::Name(name)] })
}

/// A loop whose variable is a shape, or a number.
fn loops(variable: &'static str) -> impl Strategy<Value = Loop> {
    let over = prop_oneof![
        parameter_name().prop_map(Domain::Items),
        dim_name().prop_map(|name| Domain::Range(Box::new(PatternDim::Name(name)))),
    ];
    over.prop_map(move |over| Loop { variable: variable.to_owned(), over })
}

/// Conditions without numbers.
fn tests() -> impl Strategy<Value = Condition> {
    let value = prop_oneof![
        Just(crate::notation::Value::None),
        Just(crate::notation::Value::Empty),
        "[a-z ]{0,5}".prop_map(crate::notation::Value::Text),
    ];
    prop_oneof![
        parameter_name().prop_map(Condition::Flag),
        (parameter_name(), value, any::<bool>()).prop_map(|(parameter, value, negated)| Condition::Is {
            parameter,
            value,
            negated
        }),
        (one_name(), dim_name())
            .prop_map(|(shape, dim)| Condition::HasAxis(shape, PatternAxes::One(PatternDim::Name(dim)))),
    ]
}

fn dims() -> impl Strategy<Value = PatternDim> {
    let leaf = prop_oneof![
        any::<i64>().prop_map(PatternDim::Constant),
        (-9_i64..9).prop_map(PatternDim::Constant),
        dim_name().prop_map(PatternDim::Name),
        one_name().prop_map(PatternDim::Rank),
        parameter_name().prop_map(PatternDim::Length),
        (shape_name(), -3_i64..3)
            .prop_map(|(name, index)| PatternDim::Index(name, Box::new(PatternDim::Constant(index)))),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        let operator = prop::sample::select(vec![
            BinaryOperator::Add,
            BinaryOperator::Subtract,
            BinaryOperator::Multiply,
            BinaryOperator::FloorDivide,
            BinaryOperator::Modulo,
        ]);
        let fold = prop::sample::select(vec![Fold::Sum, Fold::Minimum, Fold::Maximum]);
        let compared = (prop::sample::select(Comparison::ALL.to_vec()), inner.clone(), inner.clone())
            .prop_map(|(comparison, a, b)| Condition::Compare(comparison, a, b));
        let condition = prop_oneof![2 => tests(), 1 => compared];
        prop_oneof![
            3 => (operator, inner.clone(), inner.clone()).prop_map(|(operator, a, b)| PatternDim::Binary(
                operator,
                Box::new(a),
                Box::new(b)
            )),
            1 => inner.clone().prop_map(|a| PatternDim::Negate(Box::new(a))),
            1 => prop::collection::vec(inner.clone(), 1..3).prop_map(PatternDim::Minimum),
            1 => prop::collection::vec(inner.clone(), 1..3).prop_map(PatternDim::Maximum),
            1 => (inner.clone(), inner.clone()).prop_map(|(a, b)| PatternDim::CeilDivide(Box::new(a), Box::new(b))),
            1 => (fold, inner.clone(), loops("d2"))
                .prop_map(|(fold, body, over)| PatternDim::Fold(fold, Box::new(body), over)),
            2 => (condition, inner.clone(), inner.clone())
                .prop_map(|(condition, a, b)| PatternDim::If(Box::new(condition), Box::new(a), Box::new(b))),
            1 => prop::collection::vec(inner, 0..3).prop_map(|dims| {
                let elements = dims.into_iter().map(PatternElement::Dim).collect();
                PatternDim::Product(PatternShape { parts: vec![PatternPart::Dims(elements)] })
            }),
        ]
    })
}

fn axes() -> impl Strategy<Value = PatternAxes> {
    // A choice among numbers is one among axes.
    let number = dims().prop_filter("no choice", |dim| !matches!(dim, PatternDim::If(..)));
    let simple = prop_oneof![
        Just(PatternAxes::All),
        dim_name().prop_map(|name| PatternAxes::One(PatternDim::Name(name))),
        number.prop_map(PatternAxes::One),
        prop::collection::vec(dims(), 0..3).prop_map(PatternAxes::Several),
    ];
    let choice = (tests(), simple.clone(), simple.clone())
        .prop_map(|(condition, yes, no)| PatternAxes::If(Box::new(condition), Box::new(yes), Box::new(no)));
    prop_oneof![3 => simple, 1 => choice]
}

fn edits(shape: impl Strategy<Value = PatternShape>) -> impl Strategy<Value = Edit> {
    (0..6, shape, axes(), axes(), dims()).prop_map(|(kind, shape, axes, other, size)| match kind {
        0 => Edit::Drop(shape, axes),
        1 => Edit::Replace(shape, axes, size),
        2 => Edit::Insert(shape, axes, size),
        3 => Edit::Permute(shape, axes),
        4 => Edit::Swap(shape, axes, other),
        _ => Edit::Move(shape, axes, other),
    })
}

fn shapes() -> impl Strategy<Value = PatternShape> {
    let element = prop_oneof![4 => dims().prop_map(PatternElement::Dim), 1 => Just(PatternElement::Ragged)];
    let slice = (shape_name(), prop::option::of(dims()), prop::option::of(dims()))
        .prop_map(|(shape, from, to)| PatternPart::Slice { shape, from, to });
    let flat = prop_oneof![
        prop::collection::vec(element, 0..4).prop_map(PatternPart::Dims),
        shape_name().prop_map(PatternPart::Name),
        slice,
    ];
    let part = flat.prop_recursive(2, 8, 3, |inner| {
        let shape = prop::collection::vec(inner, 1..3).prop_map(|parts| PatternShape { parts }).boxed();
        prop_oneof![
            prop::collection::vec(shape.clone(), 1..3).prop_map(PatternPart::Broadcast),
            (shape.clone(), loops("u")).prop_map(|(shape, over)| PatternPart::BroadcastAll(Box::new(shape), over)),
            edits(shape).prop_map(|edit| PatternPart::Edit(Box::new(edit))),
        ]
    });
    prop::collection::vec(part, 1..4).prop_map(|parts| PatternShape { parts })
}

/// A condition that does not hold the same kind of condition directly, which would be one.
fn conditions() -> impl Strategy<Value = Condition> {
    let compare = (prop::sample::select(Comparison::ALL.to_vec()), dims(), dims())
        .prop_map(|(comparison, a, b)| Condition::Compare(comparison, a, b));
    prop_oneof![3 => compare, 2 => tests()].prop_recursive(3, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 2..4).prop_map(Condition::And),
            prop::collection::vec(inner.clone(), 2..4).prop_map(Condition::Or),
            inner.prop_map(|inner| Condition::Not(Box::new(inner))),
        ]
    })
}

/// Patterns: of results, with loops over the items of lists.
fn patterns(results: bool) -> impl Strategy<Value = Pattern> {
    let leaf = prop_oneof![
        1 => Just(Pattern::Nothing),
        4 => shapes().prop_map(Pattern::Shape),
        u32::from(results) => Just(Pattern::None),
    ];
    let sequence = prop::sample::select(vec![Sequence::List, Sequence::Tuple]);
    leaf.prop_recursive(2, 6, 3, move |inner| {
        let over = if results { prop::option::of(loops("u")).boxed() } else { Just(None).boxed() };
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Pattern::Tuple),
            (sequence.clone(), inner.clone(), over).prop_map(|(sequence, item, over)| Pattern::List(
                sequence,
                Box::new(item),
                over
            )),
            (conditions(), inner.clone(), inner).prop_map(|(condition, yes, no)| Pattern::If(
                Box::new(condition),
                Box::new(yes),
                Box::new(no)
            )),
        ]
    })
}

fn signatures() -> impl Strategy<Value = Signature> {
    let passing =
        prop::sample::select(vec![Passing::Required, Passing::Optional, Passing::Variadic, Passing::Keywords]);
    let named = (dim_name(), passing, patterns(false)).prop_map(|(name, passing, pattern)| Input {
        name: Some(name),
        passing,
        pattern,
    });
    let unnamed = patterns(false).prop_map(|pattern| Input { name: None, passing: Passing::Required, pattern });
    let inputs = prop::collection::vec(prop_oneof![named, unnamed], 0..3);
    (inputs, patterns(true), prop::option::of(conditions())).prop_map(|(inputs, outputs, condition)| Signature {
        inputs,
        outputs,
        condition,
    })
}

proptest! {
    #[test]
    fn what_is_printed_reads_back(signature in signatures()) {
        let text = signature.to_string();
        // What is too long is refused, never misread.
        match parse_signature(&text) {
            Ok(parsed) => prop_assert_eq!(parsed, signature, "{}", text),
            Err(error) => prop_assert!(error.message.contains("too"), "{text}: {error}"),
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,40}|[-()\\[\\],:@+*/%<>=?'nst0-9_ ]{0,60}") {
        let _ = (parse_dim(&text), parse_shape(&text), parse_condition(&text));
        if let Ok(signature) = parse_signature(&text) {
            prop_assert_eq!(parse_signature(&signature.to_string()), Ok(signature));
        }
    }

    /// Words of the language in any order.
    #[test]
    fn any_words_are_read_or_refused(words in prop::collection::vec(word(), 0..40)) {
        for text in [words.join(" "), format!("({}) -> {}", words.join(" "), words.join(" "))] {
            let _ = (parse_dim(&text), parse_shape(&text), parse_condition(&text));
            if let Ok(signature) = parse_signature(&text) {
                prop_assert_eq!(parse_signature(&signature.to_string()), Ok(signature));
            }
        }
    }
}

fn word() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "(",
        ")",
        "[",
        "]",
        ",",
        ":",
        "@",
        "?",
        "*",
        "-",
        "->",
        "==",
        "<",
        "'a'",
        "1",
        "s",
        "t",
        "n",
        "_",
        "None",
        "if",
        "else",
        "for",
        "in",
        "is",
        "not",
        "and",
        "or",
        "where",
        "list",
        "tuple",
        "of",
        "range",
        "drop",
        "replace",
        "insert",
        "swap",
        "has_axis",
        "len",
        "sum",
        "min",
        "broadcast",
        "prod",
        "rank",
        "dim",
    ])
}
