//! The rule language's functors: partial functions and tests over cells. Those of the language are here; a caller
//! brings its own.

use serde::{Deserialize, Serialize};

use super::patterns::Patterns;
use super::values::{Cell, Values};

/// What a column holds at bottom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Base {
    /// A text.
    Symbol,
    /// An integer of 64 bits.
    Number,
}

impl Base {
    /// The type's name in the rule language.
    pub fn name(self) -> &'static str {
        match self {
            Base::Symbol => "symbol",
            Base::Number => "number",
        }
    }
}

/// Name and types of a functor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctorSignature {
    /// As rules call it.
    pub name: String,
    /// The types of its arguments.
    pub arguments: Vec<Base>,
    /// `None` for a test, which stands as a literal of its own: `known(x)`.
    pub result: Option<Base>,
}

impl FunctorSignature {
    /// The signature of a functor; without a `result`, of a test.
    pub fn new(name: &str, arguments: &[Base], result: Option<Base>) -> Self {
        FunctorSignature { name: name.to_owned(), arguments: arguments.to_vec(), result }
    }
}

/// Functors that the caller supplies, such as those over shapes.
pub trait Functors: Sync {
    /// What there is; the position in the list is the number of a functor.
    fn signatures(&self) -> Vec<FunctorSignature>;

    /// The value of functor number `index` of [`Functors::signatures`]; `None` where it has none, so that the literal does not
    /// hold. A test holds where it yields any cell. Must depend on its arguments alone.
    fn apply(&self, index: usize, arguments: &[Cell], values: &mut Values) -> Option<Cell>;
}

/// No functors beyond those of the language.
pub struct NoFunctors;

impl Functors for NoFunctors {
    fn signatures(&self) -> Vec<FunctorSignature> {
        Vec::new()
    }

    fn apply(&self, _: usize, _: &[Cell], _: &mut Values) -> Option<Cell> {
        None
    }
}

/// A functor of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Builtin {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Power,
    Negate,
    BitAnd,
    BitOr,
    BitXor,
    BitNot,
    ShiftLeft,
    ShiftRight,
    ShiftRightUnsigned,
    And,
    Or,
    ExclusiveOr,
    Not,
    Min,
    Max,
    Cat,
    StrLen,
    SubStr,
    ToString,
    ToNumber,
    Match,
    Contains,
}

use Base::{Number, Symbol};

/// The functors of the language with their types. `cat`, `min` and `max` take two or more arguments.
const BUILTINS: [(&str, Builtin, &[Base], Option<Base>); 27] = [
    ("+", Builtin::Add, &[Number, Number], Some(Number)),
    ("-", Builtin::Subtract, &[Number, Number], Some(Number)),
    ("*", Builtin::Multiply, &[Number, Number], Some(Number)),
    ("/", Builtin::Divide, &[Number, Number], Some(Number)),
    ("%", Builtin::Remainder, &[Number, Number], Some(Number)),
    ("^", Builtin::Power, &[Number, Number], Some(Number)),
    ("neg", Builtin::Negate, &[Number], Some(Number)),
    ("band", Builtin::BitAnd, &[Number, Number], Some(Number)),
    ("bor", Builtin::BitOr, &[Number, Number], Some(Number)),
    ("bxor", Builtin::BitXor, &[Number, Number], Some(Number)),
    ("bnot", Builtin::BitNot, &[Number], Some(Number)),
    ("bshl", Builtin::ShiftLeft, &[Number, Number], Some(Number)),
    ("bshr", Builtin::ShiftRight, &[Number, Number], Some(Number)),
    ("bshru", Builtin::ShiftRightUnsigned, &[Number, Number], Some(Number)),
    ("land", Builtin::And, &[Number, Number], Some(Number)),
    ("lor", Builtin::Or, &[Number, Number], Some(Number)),
    ("lxor", Builtin::ExclusiveOr, &[Number, Number], Some(Number)),
    ("lnot", Builtin::Not, &[Number], Some(Number)),
    ("min", Builtin::Min, &[Number, Number], Some(Number)),
    ("max", Builtin::Max, &[Number, Number], Some(Number)),
    ("cat", Builtin::Cat, &[Symbol, Symbol], Some(Symbol)),
    ("strlen", Builtin::StrLen, &[Symbol], Some(Number)),
    ("substr", Builtin::SubStr, &[Symbol, Number, Number], Some(Symbol)),
    ("to_string", Builtin::ToString, &[Number], Some(Symbol)),
    ("to_number", Builtin::ToNumber, &[Symbol], Some(Number)),
    ("match", Builtin::Match, &[Symbol, Symbol], None),
    ("contains", Builtin::Contains, &[Symbol, Symbol], None),
];

impl Builtin {
    pub fn find(name: &str) -> Option<(Builtin, FunctorSignature)> {
        let (name, builtin, arguments, result) = BUILTINS.iter().find(|entry| entry.0 == name)?;
        Some((*builtin, FunctorSignature::new(name, arguments, *result)))
    }

    pub fn names() -> impl Iterator<Item = &'static str> {
        BUILTINS.iter().map(|entry| entry.0)
    }

    /// What it yields; of a test, the base of the text it looks at.
    pub fn result(self) -> Base {
        BUILTINS.iter().find(|entry| entry.1 == self).and_then(|entry| entry.3).unwrap_or(Symbol)
    }

    /// Whether further arguments of the last one's type may follow.
    pub fn is_variadic(self) -> bool {
        matches!(self, Builtin::Cat | Builtin::Min | Builtin::Max)
    }

    /// Whether it has no value for some arguments that users guard against. A test always answers.
    pub fn is_partial(self) -> bool {
        matches!(self, Builtin::Divide | Builtin::Remainder | Builtin::Power | Builtin::SubStr | Builtin::ToNumber)
    }

    /// How many steps a call counts as: more for long texts.
    pub fn work(self, arguments: &[Cell], values: &Values) -> i64 {
        match self {
            Builtin::Cat
            | Builtin::StrLen
            | Builtin::SubStr
            | Builtin::ToNumber
            | Builtin::Match
            | Builtin::Contains => {
                let bytes: usize = arguments.iter().map(|cell| values.text(*cell).len()).sum();
                1 + (bytes / 32) as i64
            }
            _ => 1,
        }
    }

    /// The value, where there is one: not for an overflow, a division by zero, or a range outside of the text.
    pub fn apply(self, arguments: &[Cell], values: &mut Values, patterns: &mut Patterns) -> Option<Cell> {
        match self {
            Builtin::Match => {
                let (pattern, text) = (*arguments.first()?, *arguments.get(1)?);
                patterns.matches(pattern, text, values).then_some(text)
            }
            Builtin::Contains => {
                let (part, whole) = (*arguments.first()?, *arguments.get(1)?);
                values.text(whole).contains(values.text(part)).then_some(whole)
            }
            Builtin::Cat => {
                let length: usize = arguments.iter().map(|cell| values.text(*cell).len()).sum();
                if length > LONGEST_TEXT {
                    values.exhaust();
                    return None;
                }
                let text: String = arguments.iter().map(|cell| values.text(*cell)).collect();
                Some(values.symbol(&text))
            }
            Builtin::StrLen => {
                let length = values.text(*arguments.first()?).chars().count();
                Some(values.number(length as i64))
            }
            Builtin::SubStr => substring(arguments, values),
            Builtin::ToString => {
                let text = values.integer(*arguments.first()?).to_string();
                Some(values.symbol(&text))
            }
            Builtin::ToNumber => {
                let number = values.text(*arguments.first()?).parse().ok()?;
                Some(values.number(number))
            }
            _ => {
                let numbers = arguments.iter().map(|cell| values.integer(*cell));
                let number = self.calculate(numbers)?;
                Some(values.number(number))
            }
        }
    }

    /// Whether it takes numbers to a number.
    pub fn is_arithmetic(self) -> bool {
        let known = BUILTINS.iter().find(|entry| entry.1 == self);
        known.is_some_and(|entry| entry.3 == Some(Number) && entry.2.iter().all(|base| *base == Number))
    }

    /// Arithmetic as in Soufflé: division truncates, and shifts look at the last six bits of their distance.
    pub fn calculate(self, mut numbers: impl Iterator<Item = i64>) -> Option<i64> {
        let first = numbers.next()?;
        match self {
            Builtin::Negate => return first.checked_neg(),
            Builtin::BitNot => return Some(!first),
            Builtin::Not => return Some(i64::from(first == 0)),
            _ => {}
        }
        numbers.try_fold(first, |left, right| match self {
            Builtin::Add => left.checked_add(right),
            Builtin::Subtract => left.checked_sub(right),
            Builtin::Multiply => left.checked_mul(right),
            Builtin::Divide => left.checked_div(right),
            Builtin::Remainder => left.checked_rem(right),
            Builtin::Power => left.checked_pow(u32::try_from(right).ok()?),
            Builtin::BitAnd => Some(left & right),
            Builtin::BitOr => Some(left | right),
            Builtin::BitXor => Some(left ^ right),
            Builtin::ShiftLeft => Some(left.wrapping_shl(right as u32)),
            Builtin::ShiftRight => Some(left.wrapping_shr(right as u32)),
            Builtin::ShiftRightUnsigned => Some((left as u64).wrapping_shr(right as u32) as i64),
            Builtin::And => Some(i64::from(left != 0 && right != 0)),
            Builtin::Or => Some(i64::from(left != 0 || right != 0)),
            Builtin::ExclusiveOr => Some(i64::from((left != 0) != (right != 0))),
            Builtin::Min => Some(left.min(right)),
            Builtin::Max => Some(left.max(right)),
            _ => None,
        })
    }
}

/// Rules make no longer texts than this.
const LONGEST_TEXT: usize = 1 << 20;

fn substring(arguments: &[Cell], values: &mut Values) -> Option<Cell> {
    let [text, start, length] = arguments else { return None };
    let start = usize::try_from(values.integer(*start)).ok()?;
    let length = usize::try_from(values.integer(*length)).ok()?;
    let text = values.text(*text);
    if start > text.chars().count() {
        return None;
    }
    let part: String = text.chars().skip(start).take(length).collect();
    Some(values.symbol(&part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_has_no_value_where_it_would_fail() {
        let calculate = |functor: Builtin, numbers: &[i64]| functor.calculate(numbers.iter().copied());
        assert_eq!(calculate(Builtin::Divide, &[7, -2]), Some(-3));
        assert_eq!(calculate(Builtin::Divide, &[7, 0]), None);
        assert_eq!(calculate(Builtin::Remainder, &[i64::MIN, -1]), None);
        assert_eq!(calculate(Builtin::Add, &[i64::MAX, 1]), None);
        assert_eq!(calculate(Builtin::Power, &[2, -1]), None);
        assert_eq!(calculate(Builtin::Power, &[2, 62]), Some(1 << 62));
        assert_eq!(calculate(Builtin::Negate, &[i64::MIN]), None);
        assert_eq!(calculate(Builtin::Max, &[1, 5, 3]), Some(5));
        assert_eq!(calculate(Builtin::ShiftRightUnsigned, &[-1, 60]), Some(15));
        assert_eq!(calculate(Builtin::ShiftLeft, &[1, 65]), Some(2));
        assert_eq!(calculate(Builtin::ExclusiveOr, &[2, 4]), Some(0));
    }

    #[test]
    fn texts_are_cut_by_characters() {
        let mut values = Values::default();
        let mut patterns = Patterns::default();
        let text = values.symbol("größe");
        let [two, nine] = [2, 9].map(|number| values.number(number));
        let cut = Builtin::SubStr.apply(&[text, two, nine], &mut values, &mut patterns);
        assert_eq!(cut.map(|cell| values.text(cell).to_owned()).as_deref(), Some("öße"));
        assert_eq!(Builtin::SubStr.apply(&[text, nine, two], &mut values, &mut patterns), None);
    }
}
