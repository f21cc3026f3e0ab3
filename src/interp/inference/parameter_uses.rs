//! Infers what a function's parameter is from how it is used: values of unknown type that are passed where only tensors
//! or only integers make sense.

use crate::api::call_api::Bound;
use crate::inference::Problem;
use crate::state::interpreter::{Interpreter, Speculation};
use crate::values::value::Value;
use harp_corpus::Span;
use harp_limits::light_tick;
use harp_operations::operation::{Arguments, Output};
use harp_python::name::Name;
use harp_shape::{Assumed, Constraint, Dim, Family, Outcome, Shape, ShapeVar};
use harp_trace::assumption::{AssumptionId, AssumptionKind, words};
use harp_trace::speculation_patterns::{is_attribute_of_arrays, is_member_by_call, is_shared_method};

/// Parameters that take a tensor, or a number where that is the same.
const TENSORS: [&str; 36] = [
    "A",
    "B",
    "a",
    "arrays",
    "attn_mask",
    "b",
    "bias",
    "boxes",
    "condition",
    "end",
    "index",
    "indices",
    "mask",
    "mat3",
    "operands",
    "other",
    "q",
    "residual",
    "source",
    "tensor1",
    "tensor2",
    "tensors",
    "values",
    "vec",
    "vec1",
    "vec2",
    "weights",
    "x1",
    "x2",
    "y",
    "hx",
    "running_mean",
    "running_var",
    "grid",
    "src",
    "scores",
];

/// Parameters that take integers, alone or in a sequence.
const INTEGERS: [&str; 24] = [
    "N",
    "chunks",
    "diagonal",
    "dims",
    "dilation",
    "k",
    "kernel_size",
    "length",
    "m",
    "n",
    "newshape",
    "normalized_shape",
    "num_classes",
    "num_samples",
    "output_padding",
    "output_size",
    "padding",
    "repeats",
    "reps",
    "shape",
    "size",
    "sizes",
    "split_size_or_sections",
    "stride",
];

/// Those among them where a sequence may stand alone.
const MAYBE_SEQUENCES: [&str; 14] = [
    "dilation",
    "dims",
    "kernel_size",
    "newshape",
    "normalized_shape",
    "output_padding",
    "output_size",
    "padding",
    "repeats",
    "reps",
    "shape",
    "size",
    "sizes",
    "split_size_or_sections",
];

/// How deep sequences are looked into.
const DEEPEST: usize = 2;

impl Interpreter<'_> {
    /// Decides what parameters of the function are that are passed to a library's parameter of this name.
    pub(super) fn refine_inputs_of(&mut self, api: Name, parameter: Name, value: &Value, span: Span, depth: usize) {
        light_tick();
        let is_tensor = TENSORS.contains(&parameter.as_str());
        let is_integer = INTEGERS.contains(&parameter.as_str());
        if !is_tensor && !is_integer || depth > DEEPEST {
            return;
        }
        match self.read(value) {
            Value::Symbolic(id) if self.is_input(id) && is_tensor => {
                let evidence = format!("it is passed to {api} as `{parameter}`");
                self.refine_to_tensor(id, self.kind_of_api(api), AssumptionKind::UsedAs, evidence, span);
            }
            Value::Symbolic(id) if self.is_input(id) => {
                let is_guess = depth == 0 && MAYBE_SEQUENCES.contains(&parameter.as_str());
                let evidence = match is_guess {
                    true => format!("it is passed to {api} as `{parameter}`, where a sequence may stand too"),
                    false => format!("it is passed to {api} as `{parameter}`"),
                };
                self.refine_to_integer(id, &evidence, span);
            }
            Value::Tuple(items) => {
                for item in items.iter() {
                    self.refine_inputs_of(api, parameter, item, span, depth + 1);
                }
            }
            Value::List(id) => {
                let items = self.heap.list(id).map_or_else(Vec::new, |data| data.items.clone());
                for item in &items {
                    self.refine_inputs_of(api, parameter, item, span, depth + 1);
                }
            }
            _ => {}
        }
    }

    /// Whether a parameter with this member is a tensor, though others have such members too: a function of numerical code takes tensors far
    /// more often.
    pub(crate) fn is_member_of_arrays(&self, name: Name) -> bool {
        let text = name.as_str();
        is_attribute_of_arrays(text)
            || (!is_shared_method(text)
                && !is_member_by_call(text)
                && self.library.method(self.families().usual().class(), text).is_some())
    }

    /// Whether the arrays that may be in the place of tensors have the member too.
    pub(crate) fn is_member_of_arrays_as_well(&self, name: Name) -> bool {
        let text = name.as_str();
        let has_method = |family: Family| self.library.method(family.class(), text).is_some();
        matches!(text, "T" | "dtype" | "ndim" | "shape")
            || self.families().assumed(Assumed::AsWell).is_some_and(has_method)
    }

    /// What is unpacked has as many items as there are targets.
    pub(crate) fn require_count(&mut self, count: Dim, width: usize) {
        if self.inference.is_none() && !self.states_conditions() {
            return;
        }
        let needed = Constraint::Equal(count, Dim::constant(i64::try_from(width).unwrap_or(i64::MAX)));
        let outcome = self.solver.require(&needed);
        if self.inference.is_none() && matches!(outcome, Outcome::Assumed | Outcome::Possible(_)) {
            self.provided_where_it_matters(&needed);
        }
    }

    /// An operation that says nothing of the rank of its result does not say what it requires of operands of unknown rank either.
    pub(crate) fn assume_accepted(
        &mut self,
        api: Name,
        arguments: &Arguments,
        output: &Output,
        span: Span,
    ) -> Option<AssumptionId> {
        let Output::Tensor { shape, .. } = output else { return None };
        let shape = self.solver.resolve_shape(shape);
        let operands: Vec<Shape> = arguments
            .iter()
            .filter_map(|(_, argument)| Some(self.solver.resolve_shape(&argument.as_tensor()?.shape)))
            .collect();
        let is_open = |shape: &Shape| shape.rank().is_none();
        let is_known = |variable: &ShapeVar| {
            operands.iter().any(|operand| operand.shape_vars().any(|known| known == *variable))
                || self.solver.facts().iter().any(|fact| match fact {
                    Constraint::Broadcast { result, .. } => {
                        self.solver.resolve_shape(result).shape_vars().any(|known| known == *variable)
                    }
                    _ => false,
                })
        };
        if !operands.iter().any(is_open) || shape.shape_vars().all(|variable| is_known(&variable)) {
            return None;
        }
        let text = words::no_exception_rank(api);
        let evidence = "the shape of its result depends on it".to_owned();
        match self.speculate(AssumptionKind::NoException, "", text, evidence, span) {
            Speculation::Assumed(id) => Some(id),
            Speculation::Confirmed | Speculation::Denied => None,
        }
    }

    /// Whether a shape certainly has another number of sizes than there are targets for, which ends the path.
    pub(crate) fn is_of_other_rank(&mut self, shape: &Shape, width: usize) -> bool {
        let rank = self.solver.resolve_shape(shape).rank();
        rank.is_some_and(|rank| self.rejects_unpacking(rank, width))
    }

    /// Whether as many parts cannot be unpacked into so many targets, which ends the path.
    pub(crate) fn rejects_unpacking(&mut self, parts: usize, width: usize) -> bool {
        let is_handled = self.exceptions.caught > 0;
        let span = self.current_span();
        let Some(run) = &mut self.inference else { return false };
        if parts != width && !is_handled {
            let text = format!("{parts} values are unpacked into {width} names");
            run.clash.get_or_insert(Problem { text, span: Some(span) });
        }
        parts != width
    }

    /// Decides what parameters of the class are that one of the library's classes is made with.
    pub(crate) fn refine_settings(&mut self, class: Name, settings: &Bound, span: Span) {
        if self.inference.is_some() {
            settings.iter().for_each(|(parameter, value)| self.refine_inputs(class, *parameter, value, span));
            return;
        }
        // Where a sequence may stand too, one number is the usual thing.
        let is_shape = |(parameter, _): &&(Name, Value)| parameter.as_str() == "normalized_shape";
        if let Some((parameter, value)) = settings.iter().find(is_shape) {
            self.refine_inputs(class, *parameter, value, span);
        }
    }

    pub(crate) fn refine_inputs(&mut self, api: Name, parameter: Name, value: &Value, span: Span) {
        self.refine_inputs_of(api, parameter, value, span, 0);
    }
}
