//! The solver's ranges that conditions gave to variables, and how many of them have no number in them.

use rustc_hash::FxHashMap;

use super::interval::Interval;
use super::variable::Var;

/// Narrower ranges than the variables' own.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Ranges {
    known: FxHashMap<Var, Interval>,
    empty: usize,
}

impl Ranges {
    pub fn all(&self) -> &FxHashMap<Var, Interval> {
        &self.known
    }

    pub fn has_empty(&self) -> bool {
        self.empty > 0
    }

    /// Sets a range, or with `None` removes it; returns what it was.
    pub fn replace(&mut self, var: Var, range: Option<Interval>) -> Option<Interval> {
        self.empty += usize::from(range.is_some_and(Interval::is_empty));
        let before = match range {
            Some(range) => self.known.insert(var, range),
            None => self.known.remove(&var),
        };
        self.empty -= usize::from(before.is_some_and(Interval::is_empty));
        before
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::variable::VarInfo;

    #[test]
    fn empty_ranges_are_counted() {
        let mut ranges = Ranges::default();
        let var = Var::fresh(VarInfo::free("n"));
        assert_eq!(ranges.replace(var, Some(Interval::between(Some(2), Some(1)))), None);
        assert!(ranges.has_empty());
        ranges.replace(var, Some(Interval::point(1)));
        assert!(!ranges.has_empty());
        assert_eq!(ranges.replace(var, None), Some(Interval::point(1)));
        assert!(ranges.all().is_empty() && !ranges.has_empty());
    }
}
