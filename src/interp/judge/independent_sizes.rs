//! Judges requirements that make independent sizes equal: the parameters that a constructor leaves to whoever makes an
//! object, and the names of an annotation. An operation that wants two of them to be the same works for some of the
//! objects or arguments that the program says it takes.

use std::rc::Rc;

use crate::api::call_api::Bound;
use crate::judge::named_classes::{NamedClasses, names_elsewhere};
use crate::state::interpreter::Interpreter;
use crate::values::value::{ObjectId, Value};
use harp_corpus::Span;
use harp_operations::operation::Judged;
use harp_python::name::Name;
use harp_shape::{Constraint, Counterexample, Dim, Element, Outcome, Shape, Var};
use harp_trace::assumption::{AssumptionKind, AssumptionSet, words};

/// Marks an argument of unknown type as one that a constructor gets.
const SETS_UP: &str = "\u{1}sets_up";
/// The sizes of an example of two that differ.
const EXAMPLE: (i64, i64) = (2, 3);

impl Interpreter<'_> {
    /// Notes that a size may be chosen whatever others are.
    pub(crate) fn note_independent(&mut self, size: Dim) {
        if let Some(var) = size.as_var().filter(|_| self.inference.is_none()) {
            self.tables.independent.insert(var, ());
        }
    }

    /// Whether the program makes objects of a class somewhere: how their sizes go together is decided there.
    pub(crate) fn is_made_somewhere(&self, class: Name) -> bool {
        let mut texts = self.corpus.files.iter().map(|file| file.text.as_str());
        let classes = self.caches.lookups.named_classes.get_or_init(|| NamedClasses::new(texts.clone()));
        let name = class.as_str();
        classes.is_named(name).unwrap_or_else(|| texts.any(|text| names_elsewhere(text, name)))
    }

    /// Notes that the arguments of a constructor may be chosen one by one; what they are may show only when they are used.
    pub(crate) fn note_set_up(&mut self, arguments: &[Value]) {
        for argument in arguments {
            match argument {
                Value::Int(size) => self.note_independent(*size),
                Value::Symbolic(id) => self.heap.set_attribute(*id, Name::new(SETS_UP), Value::Bool(true)),
                _ => {}
            }
        }
    }

    /// Notes what an argument of unknown type turned out to be.
    pub(crate) fn note_integer(&mut self, id: ObjectId, size: Dim) {
        if self.heap.attribute(id, Name::new(SETS_UP)).is_some() {
            self.note_independent(size);
        }
    }

    pub(crate) fn is_independent(&self, size: Dim) -> bool {
        size.as_var().is_some_and(|var| self.tables.independent.contains_key(&var))
    }

    /// An example for which a requirement fails that was taken to hold, though it makes two sizes equal that stand for all values.
    pub(crate) fn equates_independent(&self, judged: &Judged) -> Option<Counterexample> {
        if judged.outcome != Outcome::Assumed || self.tables.independent.holds_nothing() {
            return None;
        }
        // A condition may be what tells arguments that fit from others.
        if !self.path_conditions().is_empty() {
            return None;
        }
        let (one, other) = self.equated(&self.size_by_size(&judged.constraint))?;
        Some(Counterexample {
            assignment: vec![(one, EXAMPLE.0), (other, EXAMPLE.1)],
            condition: Constraint::NotEqual(Dim::var(one), Dim::var(other)),
            is_default_fine: false,
            fails_usually: true,
        })
    }

    fn equated(&self, constraint: &Constraint) -> Option<(Var, Var)> {
        match constraint {
            Constraint::Equal(one, other) | Constraint::Broadcastable(one, other) => {
                let are_meant = one != other && self.is_independent(*one) && self.is_independent(*other);
                if are_meant { one.as_var().zip(other.as_var()) } else { None }
            }
            Constraint::And(parts) => parts.iter().find_map(|part| self.equated(part)),
            _ => None,
        }
    }

    /// What a finding takes for granted that fails for all sizes but 0: that there is something of what callers give the number of. `None` where
    /// the user denies that.
    pub(crate) fn taken_as_positive(&mut self, judged: &Judged, bound: &Bound, span: Span) -> Option<AssumptionSet> {
        let mut set = AssumptionSet::default();
        if judged.outcome != Outcome::Violated || !self.fails_for_sizes_alone(&judged.constraint) {
            return Some(set);
        }
        for var in judged.constraint.variables() {
            let is_of_layer = self.sizes.layer_sizes.contains(&var);
            if var.info().lower != Some(1) || !(is_of_layer || self.is_size_of_operand(var, bound)) {
                continue;
            }
            let name = var.name();
            let evidence =
                if is_of_layer { "it is the size of a layer" } else { "it is the size of a tensor" }.to_owned();
            let text = words::used_as_positive(&name);
            let speculation = self.speculate(AssumptionKind::UsedAs, &name, text, evidence, span);
            set = set.union(&speculation.granted()?);
        }
        Some(set)
    }

    /// The shapes of operands before a requirement was taken to hold: as they were made, where they have a size that it is about.
    pub(crate) fn shapes_before(&self, judged: &Judged, bound: &Bound) -> Vec<(Rc<str>, Shape)> {
        if judged.outcome != Outcome::Assumed {
            return Vec::new();
        }
        let sizes = judged.constraint.variables();
        let is_about = |shape: &Shape| {
            shape.elements().iter().any(|element| match element {
                Element::Dim(dim) => dim.vars().iter().any(|var| sizes.contains(var)),
                Element::Rest(_) | Element::Ragged => false,
            })
        };
        let made = |name: &Rc<str>| {
            let (_, value) = bound.iter().rev().find(|(known, _)| known.as_str() == &**name)?;
            let Value::Tensor(tensor) = self.read(value) else { return None };
            is_about(&tensor.shape).then(|| (Rc::clone(name), tensor.shape.clone()))
        };
        judged.operands.iter().filter_map(made).collect()
    }

    /// Whether a tensor among the operands has a dimension of that size, which is therefore no index.
    pub(crate) fn is_size_of_operand(&self, var: Var, bound: &Bound) -> bool {
        bound.iter().any(|(_, value)| match self.read(value) {
            Value::Tensor(tensor) => {
                let dims = self.solver.resolve_shape(&tensor.shape).dims().unwrap_or_default();
                dims.iter().any(|dim| dim.vars().contains(&var))
            }
            _ => false,
        })
    }
}
