//! Which conditional findings are worth telling: a bound that only sizes break that nobody chooses is not.

use crate::shape::{Constraint, Var, VarKind};

/// Sizes of what only a file or the user tells.
const USUAL_SIZES: [i64; 2] = [16, 64];

/// Whether a requirement bounds numbers from above or below, and still holds at half and at twice the defaults (and at usual sizes of what has
/// no default). That a kernel is larger than an image of one pixel is no news about a program.
pub fn is_far_fetched(constraint: &Constraint) -> bool {
    if !is_bound(constraint) {
        return false;
    }
    let variables = constraint.variables();
    let is_open = |variable: &Var| variable.kind() == VarKind::Config || variable.info().upper.is_none();
    !variables.is_empty()
        && variables.iter().all(is_open)
        && [0, 1].into_iter().all(|side| constraint.evaluate(&mut |variable| Some(usual(variable, side))) == Some(true))
}

/// A value that the variable may well have: a small one, or a large one.
fn usual(variable: Var, side: usize) -> i64 {
    let least = variable.info().lower.unwrap_or(1);
    let value = match variable.default_value() {
        Some(default) => [default / 2, default.saturating_mul(2)][side],
        None => USUAL_SIZES[side],
    };
    value.max(least)
}

fn is_bound(constraint: &Constraint) -> bool {
    match constraint {
        Constraint::Less(..) | Constraint::LessEqual(..) => true,
        Constraint::And(parts) => parts.iter().all(is_bound),
        Constraint::Not(inner) => is_bound(inner),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::{Dim, VarInfo};

    #[test]
    fn only_bounds_that_usual_sizes_keep_are_far_fetched() {
        let size = Dim::var(Var::fresh(VarInfo::config("size", 64)));
        let at_least = |least: i64| Constraint::LessEqual(Dim::constant(least), size);
        assert!(is_far_fetched(&at_least(4)));
        assert!(!is_far_fetched(&at_least(33)));
        assert!(!is_far_fetched(&Constraint::Equal(size, Dim::constant(64))));
        let height = Dim::var(Var::fresh(VarInfo::fixed("height")));
        assert!(is_far_fetched(&Constraint::Less(Dim::constant(2), height)));
        let rest = Dim::var(Var::fresh(VarInfo::fixed("last_batch").between(Some(1), Some(63))));
        assert!(!is_far_fetched(&Constraint::Less(Dim::ONE, rest)));
    }
}
