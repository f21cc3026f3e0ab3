//! Checks a shape annotation in the program against a tensor of which something is known.

use std::rc::Rc;

use crate::hints::{Hint, Part, Said, narrower, narrower_kind};
use crate::state::interpreter::Interpreter;
use crate::values::value::{OperationId, Tensor, Value};
use harp_corpus::Span;
use harp_python::name::Name;
use harp_shape::notation::PatternDim;
use harp_shape::{Constraint, Dim, Element, Shape, Verdict};
use harp_trace::assumption::AssumptionSet;
use harp_trace::{Issue, IssueKind, Subject};

impl Interpreter<'_> {
    /// A tensor with what its annotation tells beyond what is known; `None` where that is nothing.
    pub(super) fn known_as_annotated(&mut self, tensor: &Rc<Tensor>, hint: &Hint, said: Said<'_>) -> Option<Value> {
        let known = self.solver.resolve_shape(&tensor.shape);
        let Some(dims) = known.dims() else {
            let assumptions = self.assume_annotated(hint, said)?;
            let shape = self.shape_of_parts(&hint.parts, &assumptions);
            return self
                .make_equal(&tensor.shape, &shape)
                .then(|| self.with_hint(tensor, hint, assumptions, said.place));
        };
        let open = self.match_known(&dims, &hint.parts)?;
        // What holds already is no assumption.
        let open: Vec<Constraint> = open.into_iter().filter(|it| self.solver.judge(it) != Verdict::Holds).collect();
        if open.is_empty() {
            return None;
        }
        let is_wrong = |it: &Constraint| self.solver.judge(it) == Verdict::Violated || self.equates_names(it);
        if open.iter().any(is_wrong) {
            self.annotation_is_wrong(tensor, &known, hint, said);
            return None;
        }
        let assumptions = self.assume_annotated(hint, said)?;
        let was_contradictory = self.solver.is_contradictory();
        let mark = self.solver.mark();
        open.iter().for_each(|it| self.solver.assume(it));
        if self.solver.is_contradictory() && !was_contradictory {
            self.solver.rollback(mark);
            return None;
        }
        Some(self.with_hint(tensor, hint, assumptions, said.place))
    }

    /// Whether a size that an annotation names would have to be another that one names, of whatever size that is.
    fn equates_names(&self, constraint: &Constraint) -> bool {
        let Constraint::Equal(one, other) = constraint else { return false };
        let (one, other) = (self.solver.resolve(*one), self.solver.resolve(*other));
        one != other && self.is_independent(one) && self.is_independent(other)
    }

    /// Records that the shape of a tensor is known, and is another than its annotation says.
    fn annotation_is_wrong(&mut self, tensor: &Tensor, known: &Shape, hint: &Hint, said: Said<'_>) {
        if self.solver.is_contradictory() || !self.is_path_possible() {
            return;
        }
        let conditions = self.path_conditions();
        let message = format!("`{}` is {known}, but its annotation says {hint}", said.subject);
        let made_by = (known.to_string(), tensor.origin);
        let because = if tensor.origin == said.place { Vec::new() } else { vec![made_by] };
        self.add_issue(Issue {
            subject: Subject::Operands,
            kind: IssueKind::WrongAnnotation,
            span: said.place,
            api: Name::new("annotation"),
            message,
            operands: Vec::new(),
            is_conditional: !conditions.is_empty(),
            conditions,
            notes: self.loops.circumstances.clone(),
            counterexample: None,
            help: None,
            edit: None,
            because,
            assumptions: tensor.assumptions.clone(),
            calls: Rc::clone(&self.calls.shared),
            module_origin: None,
            operation: OperationId::NONE,
            left_to_callers: None,
            inside: None,
            route: self.route.clone(),
        });
    }

    /// Compares the dimensions of a tensor with those of an annotation: names that stand for nothing yet stand for them from now on, and
    /// what is to hold for the others is returned. `None` where the annotation has no meaning for so many dimensions.
    fn match_known(&mut self, dims: &[Dim], parts: &[Part]) -> Option<Vec<Constraint>> {
        let is_rest = |part: &Part| matches!(part, Part::Rest | Part::Named(_));
        let mut open = Vec::new();
        match parts.iter().position(is_rest) {
            None if dims.len() != parts.len() => return Some(vec![Constraint::False]),
            None => self.match_each(dims, parts, &mut open),
            Some(at) => {
                let behind = parts.len() - at - 1;
                if parts[at + 1..].iter().any(is_rest) {
                    return None;
                }
                let Some(middle) = dims.len().checked_sub(at + behind) else { return Some(vec![Constraint::False]) };
                self.match_each(&dims[..at], &parts[..at], &mut open);
                if let Part::Named(name) = &parts[at] {
                    let shape = Shape::new(dims[at..at + middle].iter().copied().map(Element::Dim).collect());
                    match self.letter_shape(name) {
                        Some(known) => open.push(Constraint::SameShape(known, shape)),
                        None => self.set_letter_shape(name, shape),
                    }
                }
                self.match_each(&dims[at + middle..], &parts[at + 1..], &mut open);
            }
        }
        Some(open)
    }

    fn match_each(&mut self, dims: &[Dim], parts: &[Part], open: &mut Vec<Constraint>) {
        for (dim, part) in dims.iter().zip(parts) {
            let Part::Dim(pattern) = part else { continue };
            match pattern {
                PatternDim::Name(name) if self.letter(name).is_none() => self.set_letter(name, *dim),
                // An expression of names that nothing was said of yet says nothing either.
                pattern if !self.has_letters(pattern) => {}
                pattern => {
                    if let Some(said) = self.dim_of(pattern, &AssumptionSet::default()) {
                        open.push(Constraint::Equal(*dim, said));
                    }
                }
            }
        }
    }

    /// Whether each name of a size stands for something.
    fn has_letters(&self, pattern: &PatternDim) -> bool {
        match pattern {
            PatternDim::Name(name) => self.letter(name).is_some(),
            PatternDim::Negate(inner) => self.has_letters(inner),
            PatternDim::Binary(_, left, right) => self.has_letters(left) && self.has_letters(right),
            _ => true,
        }
    }
}

impl Interpreter<'_> {
    fn with_hint(&self, tensor: &Rc<Tensor>, hint: &Hint, assumptions: AssumptionSet, place: Span) -> Value {
        Value::Tensor(Rc::new(Tensor {
            dtype: narrower(tensor.dtype, hint.dtype),
            kind: narrower_kind(tensor.kind, self.annotated_kind(hint, place)),
            assumptions: tensor.assumptions.union(&assumptions),
            ..Tensor::clone(tensor)
        }))
    }
}
