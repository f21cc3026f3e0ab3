//! What the rewrite of a finding saves: calls, bytes, arithmetic and waits, in an iteration and in all, and the numbers of iterations that
//! this rests on.

use std::cmp::Ordering;
use std::fmt::{self, Write};

use harp_corpus::Span;
use serde::{Deserialize, Serialize};

use crate::finding::{Assumption, Finding};

/// How much of something.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Amount {
    /// A known number, or one at the defaults of the program's settings.
    Number(i64),
    /// A formula over sizes and numbers of iterations that are not known: `4*b*784`.
    Symbol(String),
}

impl Amount {
    /// The number, where it is one.
    pub fn number(&self) -> Option<i64> {
        match self {
            Amount::Number(number) => Some(*number),
            Amount::Symbol(_) => None,
        }
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Amount::Number(number) => write!(formatter, "{number}"),
            Amount::Symbol(formula) => formatter.write_str(formula),
        }
    }
}

/// Work of each kind; `None` is what nobody knows, or what a rewrite does not save.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Work {
    /// Calls of libraries.
    pub calls: Option<Amount>,
    /// Bytes that are written.
    pub bytes: Option<Amount>,
    /// Floating-point operations.
    pub flops: Option<Amount>,
    /// Waits of the host for an accelerator.
    pub syncs: Option<Amount>,
}

/// What a number of iterations rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum TripBasis {
    /// The program says it.
    Known,
    /// Settings have their defaults.
    Default,
    /// It is a symbol.
    Unknown,
}

impl TripBasis {
    /// The word in every output form.
    pub fn as_str(self) -> &'static str {
        match self {
            TripBasis::Known => "known",
            TripBasis::Default => "default",
            TripBasis::Unknown => "unknown",
        }
    }
}

/// A loop in which work is saved.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SavingLoop {
    /// Its statement.
    pub span: Span,
    /// How often it runs.
    pub trips: Amount,
    /// How that is known.
    pub basis: TripBasis,
}

/// What a rewrite saves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Saving {
    /// In an iteration of the loop of which the rule speaks, or of the nearest one.
    pub per_iteration: Work,
    /// In one run through all loops.
    pub in_all: Work,
    /// The loops, outermost first, through calls.
    pub loops: Vec<SavingLoop>,
    /// What the numbers take for granted.
    pub assumptions: Vec<Assumption>,
    /// What is saved in all with every symbol at its least: findings are sorted by it.
    pub least: LeastWork,
}

/// Numbers of work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeastWork {
    /// Calls of libraries.
    pub calls: i64,
    /// Bytes that are written.
    pub bytes: i64,
    /// Floating-point operations.
    pub flops: i64,
    /// Waits of the host for an accelerator.
    pub syncs: i64,
}

impl LeastWork {
    /// A rough time in nanoseconds, by which savings of several kinds are compared and which is shown nowhere: a call 5 µs, a wait 20 µs, ten
    /// bytes and ten operations a nanosecond.
    pub fn weight(&self) -> i128 {
        let [calls, bytes, flops, syncs] = [self.calls, self.bytes, self.flops, self.syncs].map(i128::from);
        calls * 5_000 + syncs * 20_000 + bytes / 10 + flops / 10
    }
}

impl Saving {
    /// All of it in words: "99 calls and 1.6 MB in all (1 call and 16.4 kB in each iteration), of 100 iterations". Empty where nothing is known
    /// but zeros.
    pub fn sentence(&self) -> String {
        let (all, each) = (phrase(&self.in_all), phrase(&self.per_iteration));
        let amounts = match (all.as_str(), each.as_str()) {
            ("", "") => return String::new(),
            (all, _) if self.loops.is_empty() => return format!("{all} each time"),
            (all, "") => format!("{all} in all"),
            ("", each) => format!("{each} in each iteration"),
            (all, each) if all == each => format!("{all} in all"),
            (all, each) => format!("{all} in all ({each} in each iteration)"),
        };
        format!("{amounts}, of {}", self.trips())
    }

    /// The numbers of iterations that this rests on: "20 (by default) × 100 iterations".
    fn trips(&self) -> String {
        let mut text = String::new();
        for (index, around) in self.loops.iter().enumerate() {
            let by = match around.basis {
                TripBasis::Known => "",
                TripBasis::Default => " (by default)",
                TripBasis::Unknown => " (not known)",
            };
            let times = if index == 0 { "" } else { " × " };
            // A string takes everything.
            let _ = write!(text, "{times}{}{by}", around.trips);
        }
        format!("{text} iterations")
    }
}

/// What is not zero of the work, in words.
fn phrase(work: &Work) -> String {
    let one = |amount: &Option<Amount>, unit: Unit| match amount {
        None | Some(Amount::Number(0)) => None,
        Some(amount) => Some(unit.of(amount)),
    };
    let parts = [
        one(&work.calls, Unit::Counted("call")),
        one(&work.bytes, Unit::Scaled("B")),
        one(&work.flops, Unit::Scaled("flop")),
        one(&work.syncs, Unit::Counted("wait")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    match parts.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, before)) => format!("{} and {last}", before.join(", ")),
        None => String::new(),
    }
}

#[derive(Clone, Copy)]
enum Unit {
    Counted(&'static str),
    Scaled(&'static str),
}

impl Unit {
    fn of(self, amount: &Amount) -> String {
        match (self, amount) {
            (Unit::Counted(word), Amount::Number(1)) => format!("1 {word}"),
            (Unit::Counted(word), Amount::Number(number)) => format!("{number} {word}s"),
            (Unit::Counted(word), Amount::Symbol(formula)) => format!("`{formula}` {word}s"),
            (Unit::Scaled(unit), Amount::Number(number)) => scaled(*number, unit),
            (Unit::Scaled(unit), Amount::Symbol(formula)) => format!("`{formula}` {unit}"),
        }
    }
}

/// A number with three digits and a decimal prefix.
fn scaled(number: i64, unit: &str) -> String {
    let mut value = number as f64;
    for prefix in ["", "k", "M", "G", "T", "P"] {
        if value.abs() < 999.5 {
            let digits = match prefix {
                "" => 0,
                _ if value.abs() < 9.995 => 2,
                _ if value.abs() < 99.95 => 1,
                _ => 0,
            };
            return format!("{value:.digits$} {prefix}{unit}");
        }
        value /= 1_000.0;
    }
    format!("{number} {unit}")
}

/// Those that save most come first; what saves nothing that is known stands behind, in the order that there was.
pub fn sort_by_saving(findings: &mut [Finding]) {
    let weight = |finding: &Finding| finding.saving.as_ref().map(|saving| saving.least.weight());
    findings.sort_by(|left, right| match (weight(left), weight(right)) {
        (Some(left), Some(right)) => right.cmp(&left),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => Ordering::Equal,
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits_and_a_prefix() {
        let texts = [0, 999, 1_000, 16_384, 999_499, 999_500, 1_638_400, i64::MAX].map(|number| scaled(number, "B"));
        assert_eq!(
            texts,
            ["0 B", "999 B", "1.00 kB", "16.4 kB", "999 kB", "1.00 MB", "1.64 MB", "9223372036854775807 B"]
        );
    }

    #[test]
    fn a_sentence_tells_what_is_known_and_not_zero() {
        let work = |calls, bytes| Work { calls, bytes, flops: None, syncs: Some(Amount::Number(0)) };
        let saving = Saving {
            per_iteration: work(Some(Amount::Number(1)), Some(Amount::Symbol("4*b".to_owned()))),
            in_all: work(Some(Amount::Number(99)), Some(Amount::Symbol("396*b".to_owned()))),
            loops: vec![SavingLoop {
                span: Span::new(harp_corpus::FileId(0), 0, 1),
                trips: Amount::Number(100),
                basis: TripBasis::Default,
            }],
            assumptions: Vec::new(),
            least: LeastWork::default(),
        };
        let told =
            "99 calls and `396*b` B in all (1 call and `4*b` B in each iteration), of 100 (by default) iterations";
        assert_eq!(saving.sentence(), told);
        assert_eq!(Saving { loops: Vec::new(), ..saving }.sentence(), "99 calls and `396*b` B each time");
    }
}
