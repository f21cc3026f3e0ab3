//! The family of a tensor in the trace, as far as it is known.

use harp_shape::{Family, FamilyRules};

/// The families that a tensor may be of.
///
/// An operator asks the rules of the first family; where a tensor may be of another one too, nothing is judged that the other would take, and
/// whether it is an instance of the class of one of them is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TensorKind {
    family: Family,
    /// The family that it may be of as well: nothing was done with it that only one of them can do.
    other: Option<Family>,
    /// Whether the program trains it.
    is_parameter: bool,
}

impl TensorKind {
    /// A tensor of one family.
    pub fn of(family: Family) -> TensorKind {
        TensorKind { family, other: None, is_parameter: false }
    }

    /// A tensor of one family or of another.
    pub fn either(family: Family, other: Family) -> TensorKind {
        TensorKind { other: Some(other).filter(|other| *other != family), ..TensorKind::of(family) }
    }

    /// The same, as something that the program trains.
    #[must_use]
    pub fn trained(self) -> TensorKind {
        TensorKind { is_parameter: true, ..self }
    }

    /// The same, as what is computed of it.
    #[must_use]
    pub fn untrained(self) -> TensorKind {
        TensorKind { is_parameter: false, ..self }
    }

    /// The family, or the first of two.
    pub fn family(self) -> Family {
        self.family
    }

    /// The family, where there is one alone.
    pub fn only_family(self) -> Option<Family> {
        self.other.is_none().then_some(self.family)
    }

    /// What is true of the tensors of the first family.
    pub fn rules(self) -> &'static FamilyRules {
        self.family.rules()
    }

    /// What is true of the tensor, where its family is known.
    pub fn known_rules(self) -> Option<&'static FamilyRules> {
        self.only_family().map(Family::rules)
    }

    /// The families that it may be of.
    pub fn families(self) -> impl Iterator<Item = Family> {
        std::iter::once(self.family).chain(self.other)
    }

    /// Whether it may be of more than one family.
    pub fn is_open(self) -> bool {
        self.other.is_some()
    }

    /// Whether the program trains it.
    pub fn is_parameter(self) -> bool {
        self.is_parameter
    }

    /// The qualified name of the class that has the methods.
    pub fn class_name(self) -> &'static str {
        self.family.class()
    }
}
