//! Speculations: what the analysis took for granted, where, and on which evidence.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::corpus::Span;

/// The pattern of a speculation. S1–S5 are the five classes of the HARP paper; the others are what real code asks for beyond them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AssumptionKind {
    /// S1: reading an attribute or an index has no side effect.
    PureAccess,
    /// S2: an object's type follows from the names of the members that are used.
    MemberName,
    /// S2 in its weaker form: an object's type follows from where it is passed.
    UsedAs,
    /// S3: a list that becomes a tensor has elements of one type.
    UniformElements,
    /// S4: branches that all return a value give one type.
    UniformReturns,
    /// S5: input and output is loading or logging.
    InputOutput,
    /// A command-line option or parameter has its default value.
    DefaultValue,
    /// A name in the code says what a data set or file holds.
    DataSet,
    /// No exception is thrown where one could be.
    NoException,
    /// A loop runs at least once.
    LoopRuns,
    /// A call that was not understood leaves its arguments as they are.
    NoSideEffect,
    /// A module of the program that could not be resolved.
    Unresolved,
    /// S6: a loop runs often.
    TripCount,
    /// S10: other rounding does no harm.
    ReAssociation,
    /// Sizes that are not known are large enough to matter.
    Size,
    /// S11: containers with different names share no elements.
    NoAlias,
    /// Code that was not resolved does nothing that a rule asks for the absence of.
    NoHiddenChange,
}

impl AssumptionKind {
    pub const ALL: [AssumptionKind; 17] = [
        AssumptionKind::PureAccess,
        AssumptionKind::MemberName,
        AssumptionKind::UsedAs,
        AssumptionKind::UniformElements,
        AssumptionKind::UniformReturns,
        AssumptionKind::InputOutput,
        AssumptionKind::DefaultValue,
        AssumptionKind::DataSet,
        AssumptionKind::NoException,
        AssumptionKind::LoopRuns,
        AssumptionKind::NoSideEffect,
        AssumptionKind::Unresolved,
        AssumptionKind::TripCount,
        AssumptionKind::ReAssociation,
        AssumptionKind::Size,
        AssumptionKind::NoAlias,
        AssumptionKind::NoHiddenChange,
    ];

    /// The kind of that name.
    pub fn parse(text: &str) -> Option<AssumptionKind> {
        AssumptionKind::ALL.into_iter().find(|kind| kind.as_str() == text)
    }

    /// The name that reports and configuration use.
    pub fn as_str(self) -> &'static str {
        match self {
            AssumptionKind::PureAccess => "pure-access",
            AssumptionKind::MemberName => "member-name",
            AssumptionKind::UsedAs => "used-as",
            AssumptionKind::UniformElements => "uniform-elements",
            AssumptionKind::UniformReturns => "uniform-returns",
            AssumptionKind::InputOutput => "input-output",
            AssumptionKind::DefaultValue => "default-value",
            AssumptionKind::DataSet => "data-set",
            AssumptionKind::NoException => "no-exception",
            AssumptionKind::LoopRuns => "loop-runs",
            AssumptionKind::NoSideEffect => "no-side-effect",
            AssumptionKind::Unresolved => "unresolved",
            AssumptionKind::TripCount => "trip-count",
            AssumptionKind::ReAssociation => "re-association",
            AssumptionKind::Size => "size",
            AssumptionKind::NoAlias => "no-alias",
            AssumptionKind::NoHiddenChange => "no-hidden-change",
        }
    }
}

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

/// A speculation by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AssumptionId(pub u32);

/// A small sorted set of speculations, shared between the values that rest on it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
    fn every_kind_has_a_name_of_its_own() {
        for kind in AssumptionKind::ALL {
            assert_eq!(AssumptionKind::parse(kind.as_str()), Some(kind));
        }
        assert_eq!(AssumptionKind::parse("loop"), None);
    }

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
