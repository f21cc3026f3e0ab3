//! The trace's assumptions: what the analysis took for granted, where, and on which evidence.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use harp_corpus::Span;

pub use crate::speculation_patterns::{AssumptionKind, PATTERNS, words};

/// One speculation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Assumption {
    pub kind: AssumptionKind,
    /// What it is about, as the program names it.
    pub subject: String,
    /// A sentence: "`x` is a float tensor".
    pub text: String,
    /// Why: "`x.grad` is read here".
    pub evidence: String,
    pub span: Span,
}

/// Why a parameter has its default where a function is looked at by itself.
pub const NOBODY_CALLS: &str = "nobody calls the function";

/// A speculation by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AssumptionId(pub u32);

/// A small sorted set of speculations, shared between the values that rest on it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct AssumptionSet(Option<Rc<[AssumptionId]>>);

impl AssumptionSet {
    pub fn one(id: AssumptionId) -> Self {
        AssumptionSet(Some(Rc::from([id])))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    pub fn iter(&self) -> impl Iterator<Item = AssumptionId> + '_ {
        self.0.iter().flat_map(|ids| ids.iter().copied())
    }

    /// The union of both sets.
    pub fn union(&self, other: &AssumptionSet) -> AssumptionSet {
        match (&self.0, &other.0) {
            (_, None) => self.clone(),
            (None, _) => other.clone(),
            (Some(left), Some(right)) if Rc::ptr_eq(left, right) || is_subset(right, left) => self.clone(),
            (Some(left), Some(right)) if is_subset(left, right) => other.clone(),
            (Some(left), Some(right)) => {
                let mut ids: Vec<AssumptionId> = left.iter().chain(right.iter()).copied().collect();
                ids.sort_unstable();
                ids.dedup();
                AssumptionSet(Some(Rc::from(ids)))
            }
        }
    }

    /// Those that are not among `others`.
    pub fn without(&self, others: &[AssumptionId]) -> AssumptionSet {
        let Some(ids) = self.0.as_ref().filter(|ids| ids.iter().any(|id| others.contains(id))) else {
            return self.clone();
        };
        let left: Vec<AssumptionId> = ids.iter().copied().filter(|id| !others.contains(id)).collect();
        AssumptionSet((!left.is_empty()).then(|| Rc::from(left)))
    }

    pub fn with(&self, id: AssumptionId) -> AssumptionSet {
        match &self.0 {
            Some(ids) if ids.binary_search(&id).is_ok() => self.clone(),
            _ => self.union(&AssumptionSet::one(id)),
        }
    }
}

/// Whether each of the sorted `part` is among the sorted `whole`.
fn is_subset(part: &[AssumptionId], whole: &[AssumptionId]) -> bool {
    if part.len() > whole.len() {
        return false;
    }
    let mut rest = whole.iter();
    part.iter().all(|id| rest.by_ref().find(|other| *other >= id) == Some(id))
}

/// All speculations of an analysis, each once.
#[derive(Debug, Default)]
pub struct Assumptions {
    list: Vec<Rc<Assumption>>,
    index: FxHashMap<Rc<Assumption>, AssumptionId>,
}

impl Assumptions {
    pub fn add(&mut self, assumption: Assumption) -> AssumptionId {
        if let Some(&id) = self.index.get(&assumption) {
            return id;
        }
        let id = AssumptionId(self.list.len() as u32);
        let assumption = Rc::new(assumption);
        self.list.push(Rc::clone(&assumption));
        self.index.insert(assumption, id);
        id
    }

    pub fn get(&self, id: AssumptionId) -> Option<&Assumption> {
        self.list.get(id.0 as usize).map(Rc::as_ref)
    }

    pub fn iter(&self) -> impl Iterator<Item = (AssumptionId, &Assumption)> {
        self.list.iter().enumerate().map(|(index, assumption)| (AssumptionId(index as u32), assumption.as_ref()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn union_is_sorted_and_without_duplicates() {
        let left = AssumptionSet::one(AssumptionId(3)).with(AssumptionId(1));
        let right = AssumptionSet::one(AssumptionId(3));
        let union: Vec<u32> = left.union(&right).iter().map(|id| id.0).collect();
        assert_eq!(union, [1, 3]);
        assert_eq!(right.union(&left), left);
        assert_eq!(left.with(AssumptionId(3)), left);
        let both = left.union(&AssumptionSet::one(AssumptionId(2)));
        assert_eq!(both.iter().map(|id| id.0).collect::<Vec<_>>(), [1, 2, 3]);
    }
}
