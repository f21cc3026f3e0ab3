//! Which settings a user may well choose: a requirement that fails for one of them is worth telling, whatever its form.

use crate::shape::{Constraint, Var, VarKind};

/// Whether a requirement over configured values fails when all of them are half, or all of them twice, what they are by default.
pub fn fails_at_usual_settings(constraint: &Constraint) -> bool {
    let variables = constraint.variables();
    let is_configured = !variables.is_empty() && variables.iter().all(|variable| variable.kind() == VarKind::Config);
    is_configured
        && [Side::Half, Side::Twice]
            .into_iter()
            .any(|side| constraint.evaluate(&mut |variable| setting(variable, side)) == Some(false))
}

#[derive(Clone, Copy)]
enum Side {
    Half,
    Twice,
}

fn setting(variable: Var, side: Side) -> Option<i64> {
    let default = variable.default_value()?;
    let value = match side {
        Side::Half => default / 2,
        Side::Twice => default.checked_mul(2)?,
    };
    Some(value.max(variable.info().lower.unwrap_or(1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::{Dim, VarInfo};

    #[test]
    fn a_bound_near_the_default_is_met_by_usual_settings() {
        let size = Dim::var(Var::fresh(VarInfo::config("size", 64)));
        let at_least = |least: i64| Constraint::LessEqual(Dim::constant(least), size);
        assert!(!fails_at_usual_settings(&at_least(4)));
        assert!(fails_at_usual_settings(&at_least(33)));
        let height = Dim::var(Var::fresh(VarInfo::fixed("height")));
        assert!(!fails_at_usual_settings(&Constraint::Less(Dim::constant(2), height)));
    }
}
