//! Dimensions as text, in the notation: terms of high degree first, then in the alphabet's order, so that the text does not
//! depend on which expression was made first.

use std::fmt;

use super::dim::{Dim, atom};
use super::polynomial::{Atom, Factor};

impl fmt::Display for Dim {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.inline_constant() {
            Some(value) => write!(formatter, "{value}"),
            None => formatter.write_str(&render(*self)),
        }
    }
}

struct Term {
    degree: usize,
    is_negative: bool,
    text: String,
    /// Whether the text is `a//b` or `a % b`.
    is_infix: bool,
}

fn render(dim: Dim) -> String {
    let mut terms: Vec<Term> =
        dim.polynomial().terms().iter().map(|(factors, number)| term(factors, *number)).collect();
    // A positive term leads where there is one: `3 - n`, not `-n + 3`.
    terms.sort_by(|a, b| {
        (b.degree.cmp(&a.degree)).then_with(|| a.is_negative.cmp(&b.is_negative)).then_with(|| a.text.cmp(&b.text))
    });
    if let Some(first) = terms.iter().position(|term| !term.is_negative) {
        let lead = terms.remove(first);
        terms.insert(0, lead);
    }
    let mut text = String::new();
    for (index, term) in terms.iter().enumerate() {
        text.push_str(match (index, term.is_negative) {
            (0, false) => "",
            (0, true) => "-",
            (_, false) => " + ",
            (_, true) => " - ",
        });
        // `-n//2` is `(-n)//2` in Python.
        if index == 0 && term.is_negative && term.is_infix {
            text.push_str(&format!("({})", term.text));
        } else {
            text.push_str(&term.text);
        }
    }
    if text.is_empty() { "0".to_owned() } else { text }
}

fn term(factors: &[Factor], number: i64) -> Term {
    let is_alone = factors.len() == 1 && number.unsigned_abs() == 1;
    let mut parts: Vec<String> = factors
        .iter()
        .map(|factor| match factor {
            Factor::Var(var) => var.shown_name(),
            Factor::Atom(id) => atom(*id).map_or_else(String::new, |atom| render_atom(atom, is_alone)),
        })
        .collect();
    parts.sort_by_key(|part| (part.starts_with('('), part.clone()));
    if factors.is_empty() || number.unsigned_abs() != 1 {
        parts.insert(0, number.unsigned_abs().to_string());
    }
    let is_infix = is_alone && matches!(factors, [Factor::Atom(id)] if atom(*id).is_some_and(is_infix));
    Term { degree: factors.len(), is_negative: number < 0, text: parts.join("*"), is_infix }
}

fn is_infix(atom: Atom) -> bool {
    matches!(atom, Atom::FloorDivide(..) | Atom::Modulo(..))
}

fn render_atom(atom: Atom, is_alone: bool) -> String {
    let infix = |left: Dim, operator: &str, right: Dim| {
        let text = format!("{}{operator}{}", operand(left), operand(right));
        if is_alone { text } else { format!("({text})") }
    };
    match atom {
        Atom::FloorDivide(left, right) => infix(left, "//", right),
        Atom::Modulo(left, right) => infix(left, " % ", right),
        Atom::Minimum(left, right) => call("min", left, right),
        Atom::Maximum(left, right) => call("max", left, right),
        Atom::Product(shape) => format!("prod({})", shape.shown_name()),
        Atom::Rank(shape) => format!("rank({})", shape.shown_name()),
    }
}

fn call(name: &str, left: Dim, right: Dim) -> String {
    let mut operands = [left.to_string(), right.to_string()];
    // Numbers last, as one says it: `min(n, 3)`.
    operands.sort_by_key(|text| (text.starts_with(|first: char| first.is_ascii_digit() || first == '-'), text.clone()));
    format!("{name}({})", operands.join(", "))
}

/// An operand of `//` or `%`.
fn operand(dim: Dim) -> String {
    let text = dim.to_string();
    let is_simple = dim.as_var().is_some()
        || dim.as_const().is_some_and(|value| value >= 0)
        || matches!(dim.as_atom(), Some(Atom::Minimum(..) | Atom::Maximum(..) | Atom::Product(_) | Atom::Rank(_)));
    if is_simple { text } else { format!("({text})") }
}
