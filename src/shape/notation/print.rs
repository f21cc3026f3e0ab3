//! Patterns as text. What is printed reads back as the same pattern.

use std::fmt::{Display, Formatter, Result};

use super::{
    BinaryOperator, Comparison, Condition, Pattern, PatternDim, PatternElement, PatternPart, PatternShape, Signature,
};

impl BinaryOperator {
    pub(super) fn symbol(self) -> &'static str {
        match self {
            BinaryOperator::Add => "+",
            BinaryOperator::Subtract => "-",
            BinaryOperator::Multiply => "*",
            BinaryOperator::FloorDivide => "//",
            BinaryOperator::Modulo => "%",
        }
    }

    fn strength(self) -> u8 {
        match self {
            BinaryOperator::Add | BinaryOperator::Subtract => 1,
            BinaryOperator::Multiply | BinaryOperator::FloorDivide | BinaryOperator::Modulo => 2,
        }
    }
}

impl Comparison {
    /// Those whose symbol begins another's come later.
    pub(super) const ALL: [Comparison; 6] = [
        Comparison::Equal,
        Comparison::NotEqual,
        Comparison::LessEqual,
        Comparison::GreaterEqual,
        Comparison::Less,
        Comparison::Greater,
    ];

    pub(super) fn symbol(self) -> &'static str {
        match self {
            Comparison::Equal => "==",
            Comparison::NotEqual => "!=",
            Comparison::Less => "<",
            Comparison::LessEqual => "<=",
            Comparison::Greater => ">",
            Comparison::GreaterEqual => ">=",
        }
    }
}

/// How strongly an expression holds together; an operand that holds together less needs parentheses.
fn strength(dim: &PatternDim) -> u8 {
    match dim {
        PatternDim::Binary(operator, ..) => operator.strength(),
        PatternDim::Negate(_) => 3,
        _ => 4,
    }
}

fn write_operand(formatter: &mut Formatter<'_>, dim: &PatternDim, at_least: u8) -> Result {
    if strength(dim) >= at_least { write!(formatter, "{dim}") } else { write!(formatter, "({dim})") }
}

fn write_list<T: Display>(formatter: &mut Formatter<'_>, items: &[T], separator: &str) -> Result {
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            formatter.write_str(separator)?;
        }
        write!(formatter, "{item}")?;
    }
    Ok(())
}

/// Conditions, in parentheses where they hold together no more strongly than `strength`.
fn write_conditions(formatter: &mut Formatter<'_>, parts: &[Condition], joint: &str, strength: u8) -> Result {
    let strength_of = |condition: &Condition| match condition {
        Condition::Or(_) => 1,
        Condition::And(_) => 2,
        Condition::Compare(..) | Condition::Not(_) => 3,
    };
    for (index, part) in parts.iter().enumerate() {
        formatter.write_str(if index > 0 { joint } else { "" })?;
        if strength_of(part) > strength { write!(formatter, "{part}")? } else { write!(formatter, "({part})")? }
    }
    Ok(())
}

fn write_call<T: Display>(formatter: &mut Formatter<'_>, name: &str, arguments: &[T]) -> Result {
    write!(formatter, "{name}(")?;
    write_list(formatter, arguments, ", ")?;
    formatter.write_str(")")
}

impl Display for PatternDim {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> Result {
        match self {
            PatternDim::Constant(value) => write!(formatter, "{value}"),
            PatternDim::Name(name) => formatter.write_str(name),
            PatternDim::Any => formatter.write_str("_"),
            PatternDim::Negate(inner) => {
                formatter.write_str("-")?;
                // `-(3)` is the negation of a number, `-3` is a number.
                let is_number = matches!(**inner, PatternDim::Constant(_));
                write_operand(formatter, inner, if is_number { u8::MAX } else { 3 })
            }
            PatternDim::Binary(operator, left, right) => {
                write_operand(formatter, left, operator.strength())?;
                match operator {
                    BinaryOperator::Multiply | BinaryOperator::FloorDivide => formatter.write_str(operator.symbol())?,
                    _ => write!(formatter, " {} ", operator.symbol())?,
                }
                write_operand(formatter, right, operator.strength() + 1)
            }
            PatternDim::Minimum(dims) => write_call(formatter, "min", dims),
            PatternDim::Maximum(dims) => write_call(formatter, "max", dims),
            PatternDim::CeilDivide(value, divisor) => write!(formatter, "ceil_div({value}, {divisor})"),
            PatternDim::Rank(shape) => write!(formatter, "rank({shape})"),
            PatternDim::Product(shape) => write!(formatter, "prod({shape})"),
            PatternDim::Index(shape, index) => write!(formatter, "{shape}[{index}]"),
        }
    }
}

impl Display for PatternElement {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> Result {
        match self {
            PatternElement::Dim(dim) => write!(formatter, "{dim}"),
            PatternElement::Ragged => formatter.write_str("*"),
        }
    }
}

impl Display for PatternPart {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> Result {
        match self {
            PatternPart::Dims(elements) => {
                formatter.write_str("[")?;
                write_list(formatter, elements, ", ")?;
                formatter.write_str("]")
            }
            PatternPart::Name(name) => formatter.write_str(name),
            PatternPart::Slice { shape, from, to } => {
                let bound = |bound: &Option<PatternDim>| bound.as_ref().map(ToString::to_string).unwrap_or_default();
                write!(formatter, "{shape}[{}:{}]", bound(from), bound(to))
            }
            PatternPart::Broadcast(shapes) => write_call(formatter, "broadcast", shapes),
        }
    }
}

impl Display for PatternShape {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> Result {
        write_list(formatter, &self.parts, "@")
    }
}

impl Display for Pattern {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> Result {
        match self {
            Pattern::Nothing => formatter.write_str("_"),
            Pattern::Shape(shape) => write!(formatter, "{shape}"),
            Pattern::Tuple(patterns) => {
                formatter.write_str("(")?;
                write_list(formatter, patterns, ", ")?;
                formatter.write_str(")")
            }
        }
    }
}

impl Display for Condition {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> Result {
        match self {
            Condition::Compare(comparison, left, right) => write!(formatter, "{left} {} {right}", comparison.symbol()),
            Condition::And(parts) => write_conditions(formatter, parts, " and ", 2),
            Condition::Or(parts) => write_conditions(formatter, parts, " or ", 1),
            Condition::Not(inner) => {
                formatter.write_str("not ")?;
                write_conditions(formatter, std::slice::from_ref(&**inner), "", 2)
            }
        }
    }
}

impl Display for Signature {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> Result {
        formatter.write_str("(")?;
        for (index, input) in self.inputs.iter().enumerate() {
            if index > 0 {
                formatter.write_str(", ")?;
            }
            if let Some(Some(name)) = self.parameters.get(index) {
                write!(formatter, "{name}: ")?;
            }
            write!(formatter, "{input}")?;
        }
        write!(formatter, ") -> {}", self.outputs)?;
        match &self.condition {
            Some(condition) => write!(formatter, " where {condition}"),
            None => Ok(()),
        }
    }
}
