#[cfg(test)]
mod calls;
#[cfg(test)]
mod printing;

use super::*;
use crate::{Dim, Outcome, Shape, Solver, Var, VarInfo};

fn known(dims: &[i64]) -> Shape {
    Shape::known(dims.iter().map(|dim| Dim::constant(*dim)).collect::<Vec<_>>())
}

fn no_parameters(_: &str) -> Actual {
    Actual::Unknown
}

/// Applies a signature to shapes of known size; the results and the descriptions of what clashed.
fn apply(text: &str, inputs: &[&[i64]]) -> (Vec<String>, Vec<String>) {
    let signature = parse_signature(text).unwrap();
    let inputs: Vec<_> = inputs.iter().map(|dims| Actual::Shape(known(dims))).collect();
    let applied = signature.apply(&mut Solver::new(), &inputs, &no_parameters);
    let outputs = applied.shapes().iter().map(ToString::to_string).collect();
    (outputs, applied.outcomes.into_iter().map(|(description, ..)| description).collect())
}

#[test]
fn a_signature_is_applied() {
    let matmul = "(input: s@[n, k], other: s@[k, m]) -> s@[n, m]";
    assert_eq!(apply(matmul, &[&[8, 2, 3], &[8, 3, 5]]), (vec!["[8, 2, 5]".to_owned()], vec![]));
    let (outputs, clashes) = apply(matmul, &[&[2, 3], &[4, 5]]);
    assert_eq!(outputs, ["[2, 5]"]);
    assert_eq!(clashes, ["`k` is 4 in `other` ([4, 5]) but 3 in `input` ([2, 3])"]);
    let (_, clashes) = apply(matmul, &[&[2, 3], &[4]]);
    assert_eq!(clashes, ["`other` ([4]) must have at least 2 dimensions"]);
    let (_, clashes) = apply(matmul, &[&[7, 2, 3], &[8, 3, 5]]);
    assert_eq!(clashes, ["`s` is [8] in `other` ([8, 3, 5]) but [7] in `input` ([7, 2, 3])"]);
}

#[test]
fn expressions_are_inverted_and_evaluated() {
    assert_eq!(apply("([2*n]) -> [n]", &[&[10]]), (vec!["[5]".to_owned()], vec![]));
    let (_, clashes) = apply("([2*n]) -> [n]", &[&[11]]);
    assert_eq!(clashes.len(), 1);
    assert_eq!(apply("([2*n], [n]) -> [n + 1]", &[&[10], &[5]]).0, ["[6]"]);
    assert_eq!(apply("(s, t) -> broadcast(s, t)@[rank(s), prod(t)]", &[&[4, 1], &[3]]).0, ["[4, 3, 2, 3]"]);
    assert_eq!(apply("(s) -> (s[1:], [s[0], s[-1]], s[:-1])", &[&[2, 3, 4]]).0, ["[3, 4]", "[2, 4]", "[2, 3]"]);
    let (_, clashes) = apply("(s, t) -> broadcast(s, t)", &[&[4, 2], &[3]]);
    assert_eq!(
        clashes,
        [
            "argument 1 [4, 2] and argument 2 [3] cannot be broadcast together: dimension -1 is 2 against 3, and neither is 1"
        ]
    );
    let (_, clashes) = apply("([n]) -> [n//3] where n % 3 == 0", &[&[7]]);
    assert_eq!(clashes, ["`n` must be divisible by 3, got 7"]);
}

#[test]
fn scalar_parameters_have_the_value_that_the_caller_gives() {
    let signature = parse_signature("(input: s@[in_features]) -> s@[out_features]").unwrap();
    let scalars = |name: &str| match name {
        "in_features" => Actual::Integer(Dim::constant(3)),
        "out_features" => Actual::Integer(Dim::constant(7)),
        _ => Actual::Unknown,
    };
    let applied = signature.apply(&mut Solver::new(), &[Actual::Shape(known(&[2, 3]))], &scalars);
    assert_eq!(applied.shapes()[0].to_string(), "[2, 7]");
    assert!(applied.outcomes.is_empty());
    let applied = signature.apply(&mut Solver::new(), &[Actual::Shape(known(&[2, 4]))], &scalars);
    assert!(applied.is_violated());
}

#[test]
fn unknown_inputs_get_their_shape_from_the_signature() {
    // Axon's attention: softmax(q @ k^T) @ v.
    let mut solver = Solver::new();
    let inputs = ["q", "k", "v"].map(Shape::unknown);
    let matmul = parse_signature("([n, k], [k, m]) -> [n, m]").unwrap();
    let transpose = parse_signature("([n, m]) -> [m, n]").unwrap();
    let mut apply = |signature: &Signature, inputs: &[&Shape]| {
        let inputs: Vec<_> = inputs.iter().map(|shape| Actual::Shape((*shape).clone())).collect();
        signature.apply(&mut solver, &inputs, &no_parameters).shapes().remove(0)
    };
    let transposed = apply(&transpose, &[&inputs[1]]);
    let scores = apply(&matmul, &[&inputs[0], &transposed]);
    let result = apply(&matmul, &[&scores, &inputs[2]]);
    let shown: Vec<String> = inputs.iter().map(|shape| solver.resolve_shape(shape).to_string()).collect();
    assert_eq!(shown, ["[q_0, k_1]", "[k_0, k_1]", "[k_0, v_1]"]);
    assert_eq!(solver.resolve_shape(&result).to_string(), "[q_0, v_1]");
}

#[test]
fn an_assumption_about_an_input_is_told() {
    let n = Dim::var(Var::fresh(VarInfo::free("n")));
    let mut solver = Solver::new();
    let signature = parse_signature("([k], [k]) -> [k]").unwrap();
    let applied =
        signature.apply(&mut solver, &[Actual::Shape(Shape::known([n])), Actual::Shape(known(&[4]))], &no_parameters);
    assert_eq!(applied.outcomes[0].2, Outcome::Assumed);
    assert_eq!(applied.shapes()[0].to_string(), "[4]");
}

#[test]
fn errors_say_where_and_what_to_write() {
    let error = parse_shape("[n / 2]").unwrap_err();
    assert_eq!((error.offset, error.hint.as_deref()), (3, Some("division rounds down and is written `//`")));
    assert_eq!(parse_signature("([n] -> [n]").unwrap_err().message, "expected `)`, found `->`");
    assert_eq!(parse_signature("([n], n) -> [n]").unwrap_err().message, "`n` is used as a dimension and as a shape");
    assert_eq!(parse_signature("([n]) -> [_]").unwrap_err().offset, 10);
    assert!(parse_dim(&"(".repeat(10_000)).is_err());
    assert!(parse_dim(&"-".repeat(900)).is_err());
    assert!(parse_dim("99999999999999999999999").is_err());
    assert_eq!(parse_dim("-9223372036854775808").unwrap(), PatternDim::Constant(i64::MIN));
    assert_eq!(parse_dim("mean(n)").unwrap_err().message, "there is no function `mean`");
}

#[test]
fn conditions_have_parentheses_and_not() {
    let holds = |text: &str| {
        let (_, clashes) = apply(&format!("([n], [m]) -> [n] where {text}"), &[&[6], &[1]]);
        clashes.is_empty()
    };
    assert!(holds("(n == m or m == 1) and not n % 4 == 0"));
    assert!(!holds("not (n > m and (n + m)//2 == 3)"));
    assert!(holds("not not ((n - 1)//5) == m"));
    assert!(parse_condition(&format!("{}n == 1{}", "(".repeat(400), ")".repeat(400))).is_err());
}

#[test]
fn unbound_names_are_listed() {
    let signature = parse_signature("(input: s@[k]) -> t@[m, k] where groups > 0").unwrap();
    assert_eq!(signature.unbound(|name| name == "m"), ["groups", "t"]);
}

#[test]
fn the_examples_of_the_documentation_are_read() {
    let page = include_str!("../../../../docs/shapes.md");
    let mut fence = "";
    let mut count = 0;
    for line in page.lines() {
        if let Some(kind) = line.strip_prefix("```") {
            fence = kind;
            continue;
        }
        let read = match fence {
            "shape" => parse_shape(line).map(|shape| shape.to_string()),
            "signature" => parse_signature(line).map(|signature| signature.to_string()),
            _ => continue,
        };
        assert_eq!(read.as_deref(), Ok(line));
        count += 1;
    }
    assert_eq!(count, 30);
}
