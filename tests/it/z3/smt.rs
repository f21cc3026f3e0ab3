//! Questions in SMT-LIB, written from their text alone, so that nothing of the solver's own forms is shared.

use std::fmt::Write;

use harp::shape::notation::{BinaryOperator, Comparison, Condition, PatternDim};

use super::questions::Question;

/// Declarations, ranges and facts. A division by zero is no legal value: there the program has stopped.
pub fn premises(question: &Question, is_at_defaults: bool) -> String {
    let mut text = String::new();
    for variable in &question.variables {
        let name = variable.name;
        let lower = variable.default.map_or(variable.lower, |default| variable.lower.min(default));
        writeln!(text, "(declare-const {name} Int)(assert (>= {name} {lower}))").unwrap();
        if let Some(upper) = variable.upper {
            writeln!(text, "(assert (<= {name} {upper}))").unwrap();
        }
        if let (true, Some(default)) = (is_at_defaults, variable.default) {
            writeln!(text, "(assert (= {name} {default}))").unwrap();
        }
    }
    let mut divisors = Vec::new();
    for fact in &question.facts {
        writeln!(text, "(assert {})", condition(fact, &mut divisors)).unwrap();
    }
    condition(&question.claim, &mut divisors);
    divisors.sort();
    divisors.dedup();
    for divisor in divisors {
        writeln!(text, "(assert (distinct {divisor} 0))").unwrap();
    }
    text
}

pub fn claim(question: &Question) -> String {
    condition(&question.claim, &mut Vec::new())
}

fn condition(written: &Condition, divisors: &mut Vec<String>) -> String {
    let mut all =
        |parts: &[Condition]| parts.iter().map(|part| condition(part, divisors)).collect::<Vec<_>>().join(" ");
    match written {
        Condition::And(parts) => format!("(and {})", all(parts)),
        Condition::Or(parts) => format!("(or {})", all(parts)),
        Condition::Not(inner) => format!("(not {})", condition(inner, divisors)),
        Condition::Compare(comparison, left, right) => {
            let (left, right) = (number(left, divisors), number(right, divisors));
            let operator = match comparison {
                Comparison::Equal => "=",
                Comparison::NotEqual => "distinct",
                Comparison::Less => "<",
                Comparison::LessEqual => "<=",
                Comparison::Greater => ">",
                Comparison::GreaterEqual => ">=",
            };
            format!("({operator} {left} {right})")
        }
        other => panic!("{other} is no condition on numbers"),
    }
}

fn number(written: &PatternDim, divisors: &mut Vec<String>) -> String {
    match written {
        PatternDim::Constant(value) if *value < 0 => format!("(- {})", value.unsigned_abs()),
        PatternDim::Constant(value) => value.to_string(),
        PatternDim::Name(name) => name.clone(),
        PatternDim::Negate(inner) => format!("(- {})", number(inner, divisors)),
        PatternDim::Binary(operator, left, right) => {
            let (left, right) = (number(left, divisors), number(right, divisors));
            match operator {
                BinaryOperator::Add => format!("(+ {left} {right})"),
                BinaryOperator::Subtract => format!("(- {left} {right})"),
                BinaryOperator::Multiply => format!("(* {left} {right})"),
                BinaryOperator::FloorDivide => quotient(&left, &right, divisors),
                BinaryOperator::Modulo => {
                    format!("(- {left} (* {right} {}))", quotient(&left, &right, divisors))
                }
            }
        }
        PatternDim::CeilDivide(left, right) => {
            let (left, right) = (number(left, divisors), number(right, divisors));
            format!("(- {})", quotient(&format!("(- {left})"), &right, divisors))
        }
        PatternDim::Minimum(dims) => extreme("<=", dims, divisors),
        PatternDim::Maximum(dims) => extreme(">=", dims, divisors),
        other => panic!("{other} is no number of a question"),
    }
}

/// SMT-LIB's `div` rounds so that the remainder is not negative, Python's `//` rounds down; they differ for negative divisors.
fn quotient(left: &str, right: &str, divisors: &mut Vec<String>) -> String {
    if right.parse::<u64>().is_ok_and(|value| value > 0) {
        return format!("(div {left} {right})");
    }
    divisors.push(right.to_owned());
    format!("(ite (> {right} 0) (div {left} {right}) (div (- {left}) (- {right})))")
}

fn extreme(operator: &str, dims: &[PatternDim], divisors: &mut Vec<String>) -> String {
    let mut numbers = dims.iter().map(|dim| number(dim, divisors)).collect::<Vec<_>>().into_iter();
    let first = numbers.next().unwrap_or_default();
    numbers.fold(first, |best, other| format!("(ite ({operator} {best} {other}) {best} {other})"))
}
