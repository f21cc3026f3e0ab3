//! Constraints as statements in SMT-LIB, for an [`Oracle`].

use std::collections::BTreeSet;
use std::fmt::{self, Write};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::dim::{Dim, atom};
use super::formula::Formula;
use super::interval::Interval;
use super::polynomial::{Atom, AtomId, Factor};
use super::variable::Var;

/// Someone who may know what the solver cannot decide.
pub trait Oracle: fmt::Debug + Send + Sync {
    /// Whether declarations and assertions in SMT-LIB can all be true; `None` where that was not found out.
    fn is_satisfiable(&self, assertions: &str) -> Option<bool>;
}

/// The oracle of a solver, if there is one. It is no part of the solver's state.
#[derive(Clone, Debug, Default)]
pub(super) struct MaybeOracle(pub Option<Arc<dyn Oracle>>);

impl PartialEq for MaybeOracle {
    fn eq(&self, _: &MaybeOracle) -> bool {
        true
    }
}

/// Declarations of everything in the statements, and the statements as assertions. A statement that cannot be said is left out.
///
/// What a statement divides by is not 0. Of alternatives only one need have been looked at, so they say nothing of that.
pub(super) fn script(statements: &[Formula], ranges: &FxHashMap<Var, Interval>) -> String {
    let mut writer = Writer { text: String::new(), ranges, declared: BTreeSet::new(), divisors: BTreeSet::new() };
    for statement in statements {
        let is_evaluated = !matches!(statement, Formula::Or(_));
        let before = writer.divisors.clone();
        let formula = writer.formula(statement);
        let divisors = std::mem::replace(&mut writer.divisors, before);
        if is_evaluated {
            writer.divisors = divisors;
        }
        writer.line(&format!("(assert {formula})"));
    }
    for divisor in std::mem::take(&mut writer.divisors) {
        writer.line(&format!("(assert (distinct {divisor} 0))"));
    }
    writer.text
}

struct Writer<'a> {
    text: String,
    ranges: &'a FxHashMap<Var, Interval>,
    declared: BTreeSet<Factor>,
    divisors: BTreeSet<String>,
}

impl Writer<'_> {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn formula(&mut self, formula: &Formula) -> String {
        let join = |writer: &mut Self, parts: &[Formula]| {
            parts.iter().map(|part| writer.formula(part)).collect::<Vec<_>>().join(" ")
        };
        match formula {
            Formula::True | Formula::Unclear => "true".to_owned(),
            Formula::False => "false".to_owned(),
            Formula::Zero(number) => format!("(= {} 0)", self.number(*number)),
            Formula::NonZero(number) => format!("(distinct {} 0)", self.number(*number)),
            Formula::NonNegative(number) => format!("(>= {} 0)", self.number(*number)),
            Formula::And(parts) => format!("(and {})", join(self, parts)),
            // An alternative of which nothing can be said may be true.
            Formula::Or(parts) => format!("(or {})", join(self, parts)),
        }
    }

    fn number(&mut self, number: Dim) -> String {
        let mut text = "(+ 0".to_owned();
        for (monomial, coefficient) in number.polynomial().terms() {
            _ = write!(text, " (* {}", constant(*coefficient));
            for factor in monomial.iter() {
                let name = self.factor(*factor);
                _ = write!(text, " {name}");
            }
            text.push_str(" 1)");
        }
        text.push(')');
        text
    }

    /// The name of a factor, which is declared before its first use.
    fn factor(&mut self, factor: Factor) -> String {
        match factor {
            Factor::Var(var) => {
                let name = format!("v{}", var.0);
                if self.declared.insert(factor) {
                    let range = self.ranges.get(&var).copied().unwrap_or_else(|| var.interval());
                    self.declare(&name, range);
                }
                name
            }
            Factor::Atom(id) => self.atom(factor, id),
        }
    }

    fn atom(&mut self, factor: Factor, id: AtomId) -> String {
        let name = format!("a{}", id.0);
        let Some(found) = atom(id) else { return "0".to_owned() };
        let Some((left, right)) = found.operands() else {
            if self.declared.insert(factor) {
                self.declare(&name, Dim::factor(factor).interval());
            }
            return name;
        };
        let (left, right) = (self.number(left), self.number(right));
        if matches!(found, Atom::FloorDivide(..) | Atom::Modulo(..)) {
            self.divisors.insert(right.clone());
        }
        if self.declared.insert(factor) {
            // SMT-LIB's `div` rounds so that the remainder is not negative, `//` rounds down; they differ for negative divisors.
            let quotient = format!("(ite (> {right} 0) (div {left} {right}) (div (- {left}) (- {right})))");
            let value = match found {
                Atom::FloorDivide(..) => quotient,
                Atom::Modulo(..) => format!("(- {left} (* {right} {quotient}))"),
                Atom::Minimum(..) => format!("(ite (<= {left} {right}) {left} {right})"),
                _ => format!("(ite (>= {left} {right}) {left} {right})"),
            };
            self.line(&format!("(define-fun {name} () Int {value})"));
        }
        name
    }

    fn declare(&mut self, name: &str, range: Interval) {
        self.line(&format!("(declare-const {name} Int)"));
        if let Some(low) = range.low() {
            self.line(&format!("(assert (>= {name} {}))", constant(low)));
        }
        if let Some(high) = range.high() {
            self.line(&format!("(assert (<= {name} {}))", constant(high)));
        }
    }
}

fn constant(value: i64) -> String {
    if value < 0 { format!("(- {})", value.unsigned_abs()) } else { value.to_string() }
}
