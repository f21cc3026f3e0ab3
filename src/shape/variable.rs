//! The variables of dimensions and shapes: numbers and parts of shapes of which the program does not tell the value.

use super::interval::Interval;
use crate::interner;
use crate::naming::{self, Named};

/// A whole number of unknown value: a dimension, a hyper-parameter, the length of a data set.
///
/// Two variables are the same only if they came from the same call of [`Var::fresh`]; names are for readers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Var(pub(super) u32);

/// Who decides the value of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VarKind {
    /// A dimension of an input that nobody describes: a requirement may bind it.
    Free,
    /// A setting with a default that its user may change: a requirement never binds it.
    Config,
    /// Unknown, but given: the length of a data set, the size of a residual batch. A requirement never binds it.
    Fixed,
    /// What a program counted in data from outside: given, and perhaps the same as another number by ways that the analysis does not see.
    /// A requirement never binds it, and nothing is said of it next to other numbers than settings.
    Counted,
    /// What differs from batch to batch, as the length of the longest of some texts: a count, and besides no number that a program states.
    Varying,
}

/// What is known of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VarInfo {
    /// For readers alone.
    pub name: String,
    /// Who decides its value.
    pub kind: VarKind,
    /// What a setting is where its user says nothing.
    pub default: Option<i64>,
    /// The least value; `None` means 1, or the default where that is smaller.
    pub lower: Option<i64>,
    /// The greatest value; `None` means any.
    pub upper: Option<i64>,
    /// What it was counted in, where that is known: counts in different sources, as the texts of two languages, have nothing to do with each other.
    pub source: Option<u32>,
}

impl VarInfo {
    /// A dimension of an input, at least 1.
    pub fn free(name: &str) -> VarInfo {
        VarInfo { name: name.to_owned(), kind: VarKind::Free, default: None, lower: None, upper: None, source: None }
    }

    /// A setting with a default.
    pub fn config(name: &str, default: i64) -> VarInfo {
        VarInfo { kind: VarKind::Config, default: Some(default), ..VarInfo::free(name) }
    }

    /// A number that is given from outside, at least 1.
    pub fn fixed(name: &str) -> VarInfo {
        VarInfo { kind: VarKind::Fixed, ..VarInfo::free(name) }
    }

    /// A count of what data from outside holds; it may be 0.
    pub fn counted(name: &str) -> VarInfo {
        VarInfo { kind: VarKind::Counted, lower: Some(0), ..VarInfo::free(name) }
    }

    /// A size that differs from batch to batch, at least 1.
    pub fn varying(name: &str) -> VarInfo {
        VarInfo { kind: VarKind::Varying, ..VarInfo::free(name) }
    }

    /// The same variable, counted in a source.
    pub fn counted_in(self, source: Option<u32>) -> VarInfo {
        VarInfo { source, ..self }
    }

    /// The same variable with a range; both ends belong to it.
    pub fn between(self, lower: Option<i64>, upper: Option<i64>) -> VarInfo {
        VarInfo { lower, upper, ..self }
    }

    pub(super) fn interval(&self) -> Interval {
        let implied = self.default.map_or(1, |default| default.min(1));
        Interval::between(Some(self.lower.unwrap_or(implied)), self.upper)
    }
}

impl Var {
    /// A variable that differs from all others.
    pub fn fresh(info: VarInfo) -> Var {
        interner::with(|table| table.add_var(info, false))
    }

    /// A variable for a number that the polynomials cannot express, such as one beyond 64 bits.
    pub(super) fn opaque() -> Var {
        let info = VarInfo::fixed("?").between(Some(i64::MIN), None);
        interner::with(|table| table.add_var(info, true))
    }

    /// All that is known of it.
    pub fn info(self) -> VarInfo {
        interner::with(|table| table.var(self).info.clone())
    }

    /// The name for readers; several variables may share it.
    pub fn name(self) -> String {
        interner::with(|table| table.var(self).info.name.clone())
    }

    /// The name under which readers know it from others: where [`naming::apart`](crate::naming::apart) tells names apart, one that is taken
    /// by another variable gets a number.
    pub fn shown_name(self) -> String {
        naming::shown(Named::Number(self), self.name())
    }

    /// Whether it may have the value, by its range alone.
    pub fn allows(self, value: i64) -> bool {
        self.interval().contains(value)
    }

    /// Who decides its value.
    pub fn kind(self) -> VarKind {
        interner::with(|table| table.var(self).info.kind)
    }

    /// What it was counted in, where that is known.
    pub fn source(self) -> Option<u32> {
        interner::with(|table| table.var(self).info.source)
    }

    /// The default of a setting; `None` for other variables.
    pub fn default_value(self) -> Option<i64> {
        interner::with(|table| table.var(self).info.default)
    }

    pub(super) fn interval(self) -> Interval {
        interner::with(|table| table.var(self).interval)
    }

    pub(super) fn is_opaque(self) -> bool {
        interner::with(|table| table.var(self).is_opaque)
    }

    pub(super) fn is_free(self) -> bool {
        self.kind() == VarKind::Free
    }
}

/// A list of dimensions of unknown length. A requirement may bind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ShapeVar(pub(super) u32);

impl ShapeVar {
    /// A shape variable that differs from all others.
    pub fn fresh(name: &str) -> ShapeVar {
        interner::with(|table| table.add_shape_var(name))
    }

    /// The name for readers; several variables may share it.
    pub fn name(self) -> String {
        interner::with(|table| table.shape_var(self).to_owned())
    }

    /// The name under which readers know it from others.
    pub fn shown_name(self) -> String {
        naming::shown(Named::Shape(self), self.name())
    }

    /// The shape variable that this one is what remains of behind some dimensions, or this one.
    pub fn whole(self) -> ShapeVar {
        interner::with(|table| table.whole_of(self))
    }
}
