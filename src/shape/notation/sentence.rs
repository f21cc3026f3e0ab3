//! Conditions of the shape notation as sentences: "`p` must be at least 0 and at most 1, got 2".

use super::{Actual, BinaryOperator, Comparison, Condition, Domain, Fold, PatternDim, PatternShape, Value};

/// What is known of the names in a condition.
pub struct Names<'a> {
    /// The argument of a parameter.
    pub argument: &'a dyn Fn(&str) -> Actual,
    /// How the tensor is called whose shape a pattern is.
    pub operand: &'a dyn Fn(&PatternShape) -> String,
}

impl Condition {
    /// What the condition demands, in words; `None` where only the condition itself says it.
    pub fn sentence(&self, names: &Names<'_>) -> Option<String> {
        match self {
            Condition::And(parts) => bounds(parts, names),
            Condition::Or(parts) => choice(parts, names).or_else(|| alternatives(parts, names)),
            Condition::Compare(
                Comparison::Equal,
                PatternDim::Binary(operator, left, right),
                PatternDim::Constant(0),
            ) if *operator == BinaryOperator::Modulo => {
                let but = names.value(left).map_or(String::new(), |value| format!(", got {value}"));
                let divisor = match &**right {
                    PatternDim::Constant(divisor) => divisor.to_string(),
                    divisor => subject(divisor, names)?,
                };
                Some(format!("{} must be divisible by {divisor}{but}", subject(left, names)?))
            }
            single => bounds(std::slice::from_ref(single), names).or_else(|| demand(single, names)),
        }
    }
}

impl Names<'_> {
    /// The value of a parameter as the program has it, where it is one that messages can show.
    fn value(&self, dim: &PatternDim) -> Option<String> {
        let PatternDim::Name(name) = dim else { return None };
        self.shown(name)
    }

    fn shown(&self, name: &str) -> Option<String> {
        match (self.argument)(name) {
            Actual::None => Some("None".to_owned()),
            Actual::Integer(dim) => Some(dim.to_string()),
            Actual::Text(text) => Some(format!("'{text}'")),
            _ => None,
        }
    }
}

/// What a number is called: a parameter, its items, a property of a tensor.
fn subject(dim: &PatternDim, names: &Names<'_>) -> Option<String> {
    match dim {
        PatternDim::Name(name) => Some(format!("`{name}`")),
        PatternDim::Length(name) => Some(format!("the number of items of `{name}`")),
        PatternDim::Rank(base) => Some(format!("the number of dimensions of {}", (names.operand)(base))),
        PatternDim::Product(base) => Some(format!("the number of elements of {}", (names.operand)(base))),
        PatternDim::Fold(Fold::Minimum, body, each) => match (&**body, &each.over) {
            (PatternDim::Name(variable), Domain::Items(items)) if *variable == each.variable => {
                Some(format!("every number of `{items}`"))
            }
            _ => None,
        },
        _ => None,
    }
}

/// Bounds of one and the same number.
fn bounds(parts: &[Condition], names: &Names<'_>) -> Option<String> {
    let mut bounded: Option<&PatternDim> = None;
    let mut words = Vec::new();
    for part in parts {
        let Condition::Compare(comparison, left, right) = part else { return None };
        if bounded.is_some_and(|known| known != left) {
            return None;
        }
        bounded = Some(left);
        let bound = match right {
            PatternDim::Constant(bound) => bound.to_string(),
            other => match names.value(other) {
                Some(value) => format!("{} ({value})", subject(other, names)?),
                None => subject(other, names)?,
            },
        };
        words.push(match comparison {
            Comparison::Equal => bound,
            Comparison::NotEqual => format!("other than {bound}"),
            Comparison::Less => format!("less than {bound}"),
            Comparison::LessEqual => format!("at most {bound}"),
            Comparison::Greater => format!("more than {bound}"),
            Comparison::GreaterEqual => format!("at least {bound}"),
        });
    }
    let bounded = bounded?;
    let but = names.value(bounded).map_or(String::new(), |value| format!(", got {value}"));
    Some(format!("{} must be {}{but}", subject(bounded, names)?, words.join(" and ")))
}

/// One parameter that is one of several values.
fn choice(parts: &[Condition], names: &Names<'_>) -> Option<String> {
    let mut chosen: Option<&str> = None;
    let mut values = Vec::new();
    for part in parts {
        let Condition::Is { parameter, value, negated: false } = part else { return None };
        if chosen.is_some_and(|known| known != parameter) {
            return None;
        }
        chosen = Some(parameter);
        values.push(value_text(value));
    }
    let parameter = chosen?;
    let (last, others) = values.split_last()?;
    let but = names.shown(parameter).map_or(String::new(), |value| format!(", got {value}"));
    Some(match others.is_empty() {
        true => format!("`{parameter}` must be {last}{but}"),
        false => format!("`{parameter}` must be {} or {last}{but}", others.join(", ")),
    })
}

fn value_text(value: &Value) -> String {
    match value {
        Value::None => "None".to_owned(),
        Value::Empty => "()".to_owned(),
        Value::Text(text) => format!("'{text}'"),
    }
}

/// Several demands of which one must be met.
fn alternatives(parts: &[Condition], names: &Names<'_>) -> Option<String> {
    let silent = Names { argument: &|_| Actual::Unknown, operand: names.operand };
    let parts: Option<Vec<String>> = parts.iter().map(|part| part.sentence(&silent)).collect();
    Some(parts?.join(", or "))
}

/// A demand of one parameter that is no bound.
fn demand(condition: &Condition, names: &Names<'_>) -> Option<String> {
    match condition {
        Condition::Flag(parameter) => Some(format!("`{parameter}` must be true")),
        Condition::Not(inner) => match &**inner {
            Condition::Flag(parameter) => Some(format!("`{parameter}` must be false")),
            _ => None,
        },
        Condition::Is { parameter, value: Value::None, negated: true } => Some(format!("`{parameter}` must be given")),
        Condition::Is { parameter, value, negated: true } => {
            Some(format!("`{parameter}` must not be {}", value_text(value)))
        }
        Condition::Is { negated: false, .. } => choice(std::slice::from_ref(condition), names),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dim, parse_condition};

    #[track_caller]
    fn says(condition: &str, expected: Option<&str>) {
        let argument = |name: &str| match name {
            "p" => Actual::Integer(Dim::constant(2)),
            "mode" => Actual::Text("cubic".into()),
            _ => Actual::Unknown,
        };
        let operand = |base: &PatternShape| format!("`{base}`");
        let condition = parse_condition(condition).expect("a condition");
        assert_eq!(condition.sentence(&Names { argument: &argument, operand: &operand }).as_deref(), expected);
    }

    #[test]
    fn conditions_are_sentences() {
        says("p >= 0 and p <= 1", Some("`p` must be at least 0 and at most 1, got 2"));
        says("size >= 0", Some("`size` must be at least 0"));
        says("mode == 'a' or mode == 'b' or mode is None", Some("`mode` must be 'a', 'b' or None, got 'cubic'"));
        says("p % groups == 0", Some("`p` must be divisible by `groups`, got 2"));
        says("min(n for n in shape) >= 0", Some("every number of `shape` must be at least 0"));
        says(
            "ord is None or dim is not None or rank(s) == 1",
            Some("`ord` must be None, or `dim` must be given, or the number of dimensions of `s` must be 1"),
        );
        says("sum(n for n in sizes) == p", None);
    }
}
