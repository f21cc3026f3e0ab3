//! Which conditions of an issue in the trace are told: those that say most, in at most two clauses.

/// More clauses are not read.
const MOST_TOLD: usize = 2;
/// What stands for conditions that hold in too many ways to be written out.
pub const SEVERAL: &str = "one of several conditions holds";

/// A condition in words, and the clauses of the way there that are not among them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToldCondition {
    /// At most two clauses; `None` where there is no condition.
    pub text: Option<String>,
    pub left_out: Vec<String>,
}

impl ToldCondition {
    /// Chooses among the conditions of a path, which come from the outermost to the innermost, with those on sizes last.
    ///
    /// What another one implies is left out altogether, as is that several may hold, beside one that says something. Of the others the last
    /// are told: they stand next to what fails, or speak of its sizes.
    pub fn of(conditions: &[String]) -> ToldCondition {
        let mut kept: Vec<&String> = Vec::new();
        for (index, condition) in conditions.iter().enumerate() {
            let others = || conditions.iter().enumerate().filter(|(other, _)| *other != index).map(|(_, other)| other);
            let is_empty = condition.as_str() == SEVERAL && others().any(|other| other != SEVERAL);
            if !is_empty && !kept.contains(&condition) && !others().any(|other| implies(other, condition)) {
                kept.push(condition);
            }
        }
        let told = kept.split_off(kept.len().saturating_sub(MOST_TOLD));
        let text = told.iter().map(|condition| condition.as_str()).collect::<Vec<_>>().join(" and ");
        ToldCondition { text: (!told.is_empty()).then_some(text), left_out: kept.into_iter().cloned().collect() }
    }
}

/// Whether one says that a value is a certain constant, and the other that it is not another one: `x == 'a'` and `not (x == 'b')`.
fn implies(one: &str, other: &str) -> bool {
    let Some(denied) = other.strip_prefix("not (").and_then(|rest| rest.strip_suffix(')')) else { return false };
    match (compared(one), compared(denied)) {
        (Some((value, constant)), Some((same, another))) => value == same && constant != another,
        _ => false,
    }
}

/// The value and the constant of `value == constant`.
fn compared(text: &str) -> Option<(&str, &str)> {
    let (value, constant) = text.split_once(" == ")?;
    let is_constant = constant.starts_with(['\'', '"']) && constant.len() > 1 && constant.ends_with(['\'', '"'])
        || constant.parse::<i64>().is_ok();
    let is_one = |text: &str| ![" and ", " or ", " == ", "not "].iter().any(|word| text.contains(word));
    (is_constant && is_one(value) && is_one(constant)).then_some((value, constant))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(conditions: &[&str]) -> (Option<String>, usize) {
        let conditions: Vec<String> = conditions.iter().map(|it| (*it).to_owned()).collect();
        let told = ToldCondition::of(&conditions);
        (told.text, told.left_out.len())
    }

    #[test]
    fn tells_what_stands_next_to_the_failure() {
        assert_eq!(told(&[]), (None, 0));
        assert_eq!(told(&["a"]), (Some("a".to_owned()), 0));
        assert_eq!(told(&["a", "b", "n != 3"]), (Some("b and n != 3".to_owned()), 1));
        assert_eq!(told(&["a", "a"]), (Some("a".to_owned()), 0));
    }

    #[test]
    fn leaves_out_what_another_one_implies() {
        assert_eq!(
            told(&["not (kind == 'a')", "not (kind == 'b')", "kind == 'c'"]),
            (Some("kind == 'c'".to_owned()), 0)
        );
        assert_eq!(told(&["not (n == 3)", "n == 4"]), (Some("n == 4".to_owned()), 0));
        assert_eq!(told(&["not (other == 'a')", "kind == 'c'"]).1, 0);
        assert_eq!(
            told(&["not (other == 'a')", "kind == 'c'"]).0,
            Some("not (other == 'a') and kind == 'c'".to_owned())
        );
        assert_eq!(told(&["not (a == 'x' and b)", "a == 'y'"]).0, Some("not (a == 'x' and b) and a == 'y'".to_owned()));
    }

    #[test]
    fn says_that_several_hold_where_nothing_else_is_known() {
        assert_eq!(told(&[SEVERAL]), (Some(SEVERAL.to_owned()), 0));
        assert_eq!(told(&[SEVERAL, "b"]), (Some("b".to_owned()), 0));
    }
}
