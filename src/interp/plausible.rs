//! Which values a setting or a size may well have: a requirement that fails for one of them is worth telling, whatever its form.

use crate::shape::{Constraint, Var, VarKind};

/// Whether a requirement fails for usual values: half or twice the default of what is configured, and both ends of what has a range, such as
/// the size of the last batch.
pub fn fails_at_usual_values(constraint: &Constraint) -> bool {
    let variables = constraint.variables();
    !variables.is_empty()
        && [Side::Low, Side::High]
            .into_iter()
            .any(|side| constraint.evaluate(&mut |variable| usual(variable, side)) == Some(false))
}

#[derive(Clone, Copy)]
enum Side {
    Low,
    High,
}

fn usual(variable: Var, side: Side) -> Option<i64> {
    let info = variable.info();
    let least = info.lower.unwrap_or(1);
    match (info.kind, info.default, info.upper, side) {
        (VarKind::Config, Some(default), _, Side::Low) => Some((default / 2).max(least)),
        (VarKind::Config, Some(default), _, Side::High) => Some(default.checked_mul(2)?.max(least)),
        (VarKind::Fixed, _, Some(_), Side::Low) => Some(least),
        (VarKind::Fixed, _, Some(most), Side::High) => Some(most),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::{Dim, VarInfo};

    #[test]
    fn a_bound_near_the_default_is_met_by_usual_settings() {
        let size = Dim::var(Var::fresh(VarInfo::config("size", 64)));
        let at_least = |least: i64| Constraint::LessEqual(Dim::constant(least), size);
        assert!(!fails_at_usual_values(&at_least(4)));
        assert!(fails_at_usual_values(&at_least(33)));
        let height = Dim::var(Var::fresh(VarInfo::fixed("height")));
        assert!(!fails_at_usual_values(&Constraint::Less(Dim::constant(2), height)));
    }

    #[test]
    fn both_ends_of_a_range_are_usual() {
        let last = Dim::var(Var::fresh(VarInfo::fixed("last_batch").between(Some(1), Some(15))));
        let divides = |divisor: i64| Constraint::Divides { divisor: Dim::constant(divisor), value: last };
        assert!(fails_at_usual_values(&divides(16)));
        assert!(!fails_at_usual_values(&divides(1)));
    }
}
