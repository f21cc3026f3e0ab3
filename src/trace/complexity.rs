//! The trace's places that are hard to analyse without running the program, and what became of each.
//!
//! The kinds are those of HARP (Zhou et al., ICSE 2020, Table 2), which counted the programs that have them.

use std::collections::BTreeMap;

use harp_corpus::Span;

/// A kind of difficulty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Complexity {
    /// A branch whose condition is not known before the program runs.
    DataDependentBranch,
    /// A call of a value that is one of several functions, or of which nothing is known.
    UnknownDispatch,
    /// A function that calls what it was passed.
    HigherOrderFunction,
    /// An operator that runs a method of a class of the program.
    OperatorOverload,
    /// An attribute that is set by a name which the program computes.
    DynamicAttribute,
    /// A variable that gets a value of another type than it had.
    DynamicType,
    /// A list, set or dictionary with values of several types.
    DynamicContainer,
}

impl Complexity {
    pub const ALL: [Complexity; 7] = [
        Complexity::DataDependentBranch,
        Complexity::UnknownDispatch,
        Complexity::HigherOrderFunction,
        Complexity::OperatorOverload,
        Complexity::DynamicAttribute,
        Complexity::DynamicType,
        Complexity::DynamicContainer,
    ];

    /// The name that reports use.
    pub fn as_str(self) -> &'static str {
        match self {
            Complexity::DataDependentBranch => "data-dependent-branch",
            Complexity::UnknownDispatch => "unknown-dispatch",
            Complexity::HigherOrderFunction => "higher-order-function",
            Complexity::OperatorOverload => "operator-overload",
            Complexity::DynamicAttribute => "dynamic-attribute",
            Complexity::DynamicType => "dynamic-type",
            Complexity::DynamicContainer => "dynamic-container",
        }
    }
}

/// What became of a difficult place, the worst of all executions; later is worse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Treatment {
    /// Every way it can go was followed.
    Followed,
    /// It was not understood: what it gives is unknown from there on.
    NotFollowed,
}

/// Difficult places of a program.
#[derive(Debug, Default)]
pub struct Complexities(BTreeMap<(Complexity, Span), Treatment>);

impl Complexities {
    /// Notes a place; the worst treatment of it counts.
    pub fn note(&mut self, complexity: Complexity, span: Span, treatment: Treatment) {
        let known = self.0.entry((complexity, span)).or_insert(treatment);
        *known = treatment.max(*known);
    }

    /// Every place, by kind and then in the order of the corpus.
    pub fn iter(&self) -> impl Iterator<Item = (Complexity, Span, Treatment)> + '_ {
        self.0.iter().map(|((complexity, span), treatment)| (*complexity, *span, *treatment))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use harp_corpus::FileId;

    #[test]
    fn the_worst_execution_of_a_place_counts() {
        let span = Span::new(FileId(0), 3, 5);
        let mut places = Complexities::default();
        for treatment in [Treatment::Followed, Treatment::NotFollowed, Treatment::Followed] {
            places.note(Complexity::UnknownDispatch, span, treatment);
        }
        let all: Vec<_> = places.iter().collect();
        assert_eq!(all, [(Complexity::UnknownDispatch, span, Treatment::NotFollowed)]);
    }
}
