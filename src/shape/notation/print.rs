//! Patterns of the shape notation as text. What is printed reads back as the same pattern.

use std::fmt::{Display, Formatter, Result};

use super::{
    BinaryOperator, Comparison, Condition, Domain, Edit, Fold, Input, Loop, Padding, Passing, Pattern, PatternAxes,
    PatternDim, PatternElement, PatternPart, PatternShape, Sequence, Signature, Value, Window,
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
        PatternDim::If(..) => 0,
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
        _ => 3,
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
            PatternDim::Length(parameter) => write!(formatter, "len({parameter})"),
            PatternDim::Fold(fold, body, over) => {
                let name = match fold {
                    Fold::Sum => "sum",
                    Fold::Minimum => "min",
                    Fold::Maximum => "max",
                };
                write!(formatter, "{name}({body} {over})")
            }
            PatternDim::If(condition, yes, no) => {
                write_operand(formatter, yes, 1)?;
                write!(formatter, " if {condition} else {no}")
            }
            PatternDim::Pick(pick) => {
                write!(formatter, "pick({}, {}, {}", pick.parameter, pick.index, pick.count)?;
                write_last(formatter, pick.first.as_ref())
            }
            PatternDim::Window(window) => {
                let Window { length, size, stride, dilation, padding, .. } = &**window;
                let name = if window.is_transposed { "transposed_window" } else { "window" };
                write!(formatter, "{name}({length}, {size}, {stride}, {dilation}, ")?;
                match padding {
                    Padding::Text(text) => write!(formatter, "'{text}'")?,
                    Padding::Of(padding) => write!(formatter, "{padding}")?,
                }
                write_last(formatter, window.extra.as_ref())
            }
        }
    }
}

/// The last argument of a call, where there is one, and the end of the call.
fn write_last(formatter: &mut Formatter<'_>, last: Option<&PatternDim>) -> Result {
    match last {
        Some(last) => write!(formatter, ", {last})"),
        None => formatter.write_str(")"),
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
            PatternPart::BroadcastAll(shape, over) => write!(formatter, "broadcast({shape} {over})"),
            PatternPart::Edit(edit) => write!(formatter, "{edit}"),
        }
    }
}

impl Display for Loop {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> Result {
        write!(formatter, "for {} in ", self.variable)?;
        match &self.over {
            Domain::Range(count) => write!(formatter, "range({count})"),
            Domain::Items(parameter) => formatter.write_str(parameter),
        }
    }
}

impl Display for Edit {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> Result {
        match self {
            Edit::Drop(shape, axes) => write!(formatter, "drop({shape}, {axes})"),
            Edit::Replace(shape, axes, size) => write!(formatter, "replace({shape}, {axes}, {size})"),
            Edit::Insert(shape, axes, size) => write!(formatter, "insert({shape}, {axes}, {size})"),
            Edit::Permute(shape, axes) => write!(formatter, "permute({shape}, {axes})"),
            Edit::Swap(shape, one, other) => write!(formatter, "swap({shape}, {one}, {other})"),
            Edit::Move(shape, from, to) => write!(formatter, "move({shape}, {from}, {to})"),
        }
    }
}

impl Display for PatternAxes {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> Result {
        match self {
            PatternAxes::All => formatter.write_str("None"),
            PatternAxes::One(dim) => write_operand(formatter, dim, 1),
            PatternAxes::Several(dims) => write_tuple(formatter, dims),
            // A choice of axes reads to the end, so that the first of two has no choice in it.
            PatternAxes::If(condition, yes, no) => write!(formatter, "{yes} if {condition} else {no}"),
        }
    }
}

/// `(a, b)`, `(a,)`, `()`
fn write_tuple<T: Display>(formatter: &mut Formatter<'_>, items: &[T]) -> Result {
    formatter.write_str("(")?;
    write_list(formatter, items, ", ")?;
    formatter.write_str(if items.len() == 1 { ",)" } else { ")" })
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
            Pattern::None => formatter.write_str("None"),
            Pattern::Shape(shape) => write!(formatter, "{shape}"),
            Pattern::Tuple(patterns) => write_tuple(formatter, patterns),
            Pattern::List(sequence, item, over) => {
                formatter.write_str(match sequence {
                    Sequence::List => "list of ",
                    Sequence::Tuple => "tuple of ",
                })?;
                let is_open = matches!(**item, Pattern::If(..) | Pattern::List(..));
                if is_open {
                    write!(formatter, "({item})")?
                } else {
                    write!(formatter, "{item}")?
                }
                match over {
                    Some(over) => write!(formatter, " {over}"),
                    None => Ok(()),
                }
            }
            Pattern::If(condition, yes, no) => {
                let is_choice = matches!(**yes, Pattern::If(..));
                if is_choice {
                    write!(formatter, "({yes})")?
                } else {
                    write!(formatter, "{yes}")?
                }
                write!(formatter, " if {condition} else {no}")
            }
        }
    }
}

impl Display for Input {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> Result {
        if let Some(name) = &self.name {
            match self.passing {
                Passing::Required => write!(formatter, "{name}: ")?,
                Passing::Optional => write!(formatter, "{name}?: ")?,
                Passing::Variadic => write!(formatter, "*{name}: ")?,
                Passing::Keywords => write!(formatter, "**{name}: ")?,
            }
        }
        write!(formatter, "{}", self.pattern)
    }
}

impl Display for Condition {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> Result {
        match self {
            Condition::Compare(comparison, left, right) => {
                write_operand(formatter, left, 1)?;
                write!(formatter, " {} ", comparison.symbol())?;
                write_operand(formatter, right, 1)
            }
            Condition::Flag(parameter) => formatter.write_str(parameter),
            Condition::Is { parameter, value: Value::None, negated } => {
                write!(formatter, "{parameter} is {}None", if *negated { "not " } else { "" })
            }
            Condition::Is { parameter, value, negated } => {
                write!(formatter, "{parameter} {} ", if *negated { "!=" } else { "==" })?;
                match value {
                    Value::Text(text) => write!(formatter, "'{text}'"),
                    _ => formatter.write_str("()"),
                }
            }
            Condition::HasAxis(shape, axes) => write!(formatter, "has_axis({shape}, {axes})"),
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
        write_list(formatter, &self.inputs, ", ")?;
        write!(formatter, ") -> {}", self.outputs)?;
        match &self.condition {
            Some(condition) => write!(formatter, " where {condition}"),
            None => Ok(()),
        }
    }
}
