//! Remedies of an issue: what to write in place of a call that fails. Causes come first: what made an operand of a
//! wrong shape. Then small changes of the operands and of the layer are tried in the state before the call, where the
//! requirement does not hold; the only one with which the operation goes through is told. A change that may mean
//! something else, such as combining every item with every other, is none.

use std::rc::Rc;

use crate::api::call_api::{Bound, Callee};
use crate::calls::call::CallArguments;
use crate::heap::objects::InstanceData;
use crate::judge::member_lists::class_has;
use crate::judge::rearrangements::{
    Change, ChangeKind, MOST_DIMENSIONS, Operand, only_place, other_sizes, rearranged, receiver_text, without_brackets,
};
use crate::state::interpreter::Interpreter;
use crate::values::value::Value;
use harp_corpus::Span;
use harp_operations::operation::{Argument, Arguments, Judged, Output, TensorArgument};
use harp_python::name::Name;
use harp_shape::{Constraint, Dim, Mark, Outcome, Shape, work_done};
use harp_trace::Remedy;

/// Longer texts of operands are not quoted.
const LONGEST_OPERAND: usize = 40;
/// So often changes are tried at one place.
const MOST_TRIES: u32 = 4;
/// Parameters that name the sizes of the result.
const SIZES: [&str; 3] = ["size", "shape", "newshape"];
/// Parameters that name a dimension.
const DIMENSIONS: [&str; 2] = ["dim", "axis"];

/// The call that fails.
pub(crate) struct Call<'a, 'p> {
    pub callee: Callee<'p>,
    /// What the operation got.
    pub given: &'a Arguments,
    pub bound: &'a Bound,
    /// The call as the program has it.
    pub arguments: &'a CallArguments,
    pub object: Option<&'a InstanceData>,
    /// The moment before anything was required of it.
    pub before: Mark,
}

impl<'p> Interpreter<'p> {
    /// For each requirement that fails or may fail, what to write; `None` where no small change mends it for sure. What a place was told before is
    /// not told anew.
    pub(crate) fn remedies(&mut self, call: &Call<'_, 'p>, judged: &[Judged]) -> Vec<Option<Remedy>> {
        let is_told = self.inference.is_some()
            || !judged.iter().any(Judged::may_fail)
            || self.trace.issues_within(call.arguments.span).next().is_some();
        if is_told || !self.has_tries_left(call.arguments.span) {
            return Vec::new();
        }
        let before = work_done();
        let remedy = |one: &Judged| match one.outcome {
            Outcome::Violated => self.remedy(call, one),
            Outcome::Possible(_) => self.remedy_where_it_fails(call, one),
            _ => None,
        };
        let remedies = judged.iter().map(remedy).collect();
        self.work.solver_work.leave_out(before, work_done());
        remedies
    }

    /// Whether changes are still tried at a place: what may fail there and is no finding, may do so thousands of times in a deep network.
    fn has_tries_left(&mut self, place: Span) -> bool {
        let tries = self.entry.remedies_tried.entry(place).or_default();
        *tries += 1;
        *tries <= MOST_TRIES
    }

    /// The remedy of what only may fail. By now it is taken to hold, and any change would go through: so it is sought in the state before the
    /// call, for the sizes with which it fails.
    fn remedy_where_it_fails(&mut self, call: &Call<'_, 'p>, judged: &Judged) -> Option<Remedy> {
        let now = self.solver.clone();
        self.solver.rollback(call.before);
        self.solver.assume(&judged.constraint.negated());
        let remedy = if self.solver.is_contradictory() { None } else { self.remedy(call, judged) };
        self.solver = now;
        remedy
    }

    fn remedy(&mut self, call: &Call<'_, 'p>, judged: &Judged) -> Option<Remedy> {
        if let Some(number) = self.its_number(call, judged) {
            return Some(number);
        }
        if let Some(cause) = self.cause(call, judged) {
            return Some(cause);
        }
        let batch_first = call.object.and_then(|object| self.with_batch_first(call, object));
        batch_first
            .or_else(|| self.fitting_change(call, judged))
            .or_else(|| call.object.and_then(|object| self.other_setting(call, object, judged)))
            .or_else(|| self.other_size(call, judged))
    }

    /// Who takes an item of a tensor without dimensions wants the number in it, as `loss.data[0]` was in old versions.
    fn its_number(&self, call: &Call<'_, 'p>, judged: &Judged) -> Option<Remedy> {
        const INDEX: &str = "index";
        let takes_item = call.callee.api.as_str().ends_with(".__getitem__");
        if !takes_item || !judged.operands.iter().any(|name| **name == *INDEX) {
            return None;
        }
        let operands = judged.operands.iter().filter(|name| ***name != *INDEX);
        operands.into_iter().find_map(|name| {
            let Some(Argument::Tensor(tensor)) = call.given.get(name) else { return None };
            if self.solver.resolve_shape(&tensor.shape).rank() != Some(0) {
                return None;
            }
            let written = format!("{}.item()", self.written_operand(call, name).text);
            let is_subscript = self.source_text(call.arguments.span).ends_with(']');
            let edit = is_subscript.then(|| (call.arguments.span, written.clone()));
            Some(Remedy { edit, ..Remedy::told(format!("`{written}` is the number in it")) })
        })
    }

    /// Whether the operation accepts another argument as it is, and nothing has to be taken for granted: what it gives then.
    pub(crate) fn goes_through(&mut self, call: &Call<'_, 'p>, parameter: &str, argument: &Argument) -> Option<Output> {
        let mut arguments = call.given.clone();
        arguments.push(parameter, argument.clone());
        let mark = self.solver.mark();
        let (output, judged, remarks, _) = self.run_operation(call.callee.spec, call.callee.api, &arguments);
        let output = match output {
            Output::Tensor { shape, dtype } => Output::Tensor { shape: self.solver.resolve_shape(&shape), dtype },
            other => other,
        };
        self.solver.rollback(mark);
        self.solver.fixed_ranks.clear();
        let holds = remarks.is_empty() && judged.iter().all(|it| it.outcome == Outcome::Holds);
        holds.then_some(output)
    }

    /// The change of an argument with which the operation goes through, where there is one alone.
    fn fitting_change(&mut self, call: &Call<'_, 'p>, judged: &Judged) -> Option<Remedy> {
        let mut fitting: Vec<Change> = Vec::new();
        for change in self.changes(call, judged) {
            let is_known = |known: &Change| known.parameter == change.parameter && known.argument == change.argument;
            if fitting.iter().any(is_known) || !self.may_be_meant(call, judged, &change) {
                continue;
            }
            let Some(output) = self.goes_through(call, &change.parameter, &change.argument) else { continue };
            if change.kind != ChangeKind::Added
                || !is_broadcast(judged)
                || self.is_size_of_other(call, &change, &output)
            {
                fitting.push(change);
            }
        }
        // Where another dimension is meant, none is missing.
        if fitting.iter().any(|change| change.kind == ChangeKind::Dimension) {
            fitting.retain(|change| change.kind == ChangeKind::Dimension);
        }
        let is_flattened = |change: &Change| change.kind == ChangeKind::Flattened;
        let chosen = match &fitting[..] {
            [only] => only,
            // A layer for flat items takes them flat.
            [..] if call.object.is_some() => fitting.iter().find(|change| is_flattened(change))?,
            _ => return None,
        };
        Some(self.remedy_of(call, chosen))
    }

    /// Whether a change keeps the meaning of the call, if it fits.
    fn may_be_meant(&self, call: &Call<'_, 'p>, judged: &Judged, change: &Change) -> bool {
        let rank_of = |argument: &Argument| match argument {
            Argument::Tensor(tensor) => tensor.shape.rank(),
            _ => None,
        };
        // One rearrangement more would only mend another one.
        if change.instead_of.is_none() && is_rearranged(&change.written) {
            return false;
        }
        match change.kind {
            // What sizes do not fit, fits with no other type.
            ChangeKind::ElementType => judged.constraint == Constraint::False,
            // The first of two dimensions is the batch, where a layer takes them; of equal tensors, nobody knows which is the right one.
            ChangeKind::Transposed => {
                !is_broadcast(judged) && (call.object.is_none() || rank_of(&change.argument) != Some(2))
            }
            ChangeKind::ChannelsFirst => !is_broadcast(judged) && call.object.is_some(),
            // As many features are asked for as there are elements of each item.
            ChangeKind::Flattened => match (&judged.constraint, &change.argument) {
                (Constraint::Equal(one, other), Argument::Tensor(tensor)) => {
                    let last = tensor.shape.dims().and_then(|dims| dims.last().copied());
                    last.is_some_and(|last| {
                        [one, other].into_iter().any(|dim| self.solver.resolve(*dim) == self.solver.resolve(last))
                    })
                }
                _ => false,
            },
            ChangeKind::Dropped | ChangeKind::Added => true,
            // Along another dimension, a result of sizes that are not known fits anything that follows.
            ChangeKind::Dimension => call.given.iter().all(|(_, argument)| match argument {
                Argument::Tensor(tensor) => self.has_constant_sizes(tensor),
                Argument::Sequence(items) => {
                    items.iter().all(|item| item.as_tensor().is_none_or(|tensor| self.has_constant_sizes(tensor)))
                }
                _ => true,
            }),
            ChangeKind::Size => true,
        }
    }

    fn has_constant_sizes(&self, tensor: &TensorArgument) -> bool {
        let dims = self.solver.resolve_shape(&tensor.shape).dims();
        dims.is_some_and(|dims| dims.iter().all(|dim| dim.as_const().is_some()))
    }

    /// Whether a broadcast gives just the shape of its other operand, and not each item combined with each.
    fn is_size_of_other(&self, call: &Call<'_, 'p>, change: &Change, output: &Output) -> bool {
        let Output::Tensor { shape, .. } = output else { return false };
        call.given.iter().filter(|(name, _)| *name != &*change.parameter).any(|(_, argument)| {
            argument.as_tensor().is_some_and(|tensor| self.solver.resolve_shape(&tensor.shape) == *shape)
        })
    }

    /// The changes that are tried.
    fn changes(&self, call: &Call<'_, 'p>, judged: &Judged) -> Vec<Change> {
        let arguments = call.given;
        let mut changes = self.other_dimensions(call);
        for name in &judged.operands {
            let Some(Argument::Tensor(tensor)) = arguments.get(name) else { continue };
            let Some(dims) = self.solver.resolve_shape(&tensor.shape).dims() else { continue };
            if dims.len() <= MOST_DIMENSIONS {
                changes.extend(rearranged(&self.written_operand(call, name), tensor, &dims));
            }
        }
        for parameter in SIZES {
            if let (Some(Argument::Sequence(sizes)), Some(dims)) =
                (arguments.get(parameter), self.dims_of_input(call, judged))
            {
                changes.extend(other_sizes(parameter, sizes, &dims));
            }
        }
        changes
    }

    /// Other dimensions than the one that is named. One that is just too high was counted from 1.
    fn other_dimensions(&self, call: &Call<'_, 'p>) -> Vec<Change> {
        let mut changes = Vec::new();
        for parameter in DIMENSIONS {
            let Some(Argument::Integer(now)) = call.given.get(parameter) else { continue };
            let Some(now) = now.as_const() else { continue };
            let ranks = call.given.iter().filter_map(|(_, argument)| {
                Some(self.solver.resolve_shape(&argument.as_tensor()?.shape).rank()? as i64)
            });
            let is_behind = now > 0 && ranks.max() == Some(now);
            let others = (0..MOST_DIMENSIONS as i64).filter(|dim| *dim != now && (!is_behind || *dim == now - 1));
            changes.extend(others.map(|dim| Change {
                kind: ChangeKind::Dimension,
                parameter: Rc::from(parameter),
                argument: Argument::Integer(Dim::constant(dim)),
                written: dim.to_string(),
                instead_of: Some(now.to_string()),
            }));
        }
        changes
    }

    /// A change as it is told, and where it is made.
    fn remedy_of(&self, call: &Call<'_, 'p>, change: &Change) -> Remedy {
        let edit = self.place_of(call, change).map(|place| (place, change.written.clone()));
        let text = match (change.kind, &change.instead_of) {
            (ChangeKind::Size, Some(now)) => format!(
                "write {} in place of {now}: that is how many elements there are for each of the first dimension",
                change.written
            ),
            (ChangeKind::Dimension, _) => {
                let is_it =
                    |(name, _): &&(Name, Value)| call.callee.spec.argument_name(name.as_str()) == &*change.parameter;
                let name = call.bound.iter().find(is_it).map_or(&*change.parameter, |(name, _)| name.as_str());
                format!("`{name}={}` fits", change.written)
            }
            _ => format!("`{}` fits", change.written),
        };
        Remedy { text, edit, is_cause: change.kind == ChangeKind::Size }
    }

    /// What the text of a change takes the place of; `None` where the program does not write it there.
    fn place_of(&self, call: &Call<'_, 'p>, change: &Change) -> Option<Span> {
        let whole = call.arguments.span;
        if let Some(now) = &change.instead_of {
            // Behind what a method is called on.
            let text = self.source_text(whole);
            let from = receiver_text(text).len();
            let at = from + only_place(&text[from..], now)?;
            let start = whole.start + u32::try_from(at).ok()?;
            return Some(Span { start, end: start + now.len() as u32, ..whole });
        }
        let is_it = |(known, _): &&(Name, Value)| call.callee.spec.argument_name(known.as_str()) == &*change.parameter;
        let value = call.bound.iter().rev().find(is_it).map(|(_, value)| self.read(value))?;
        let place = match self.argument_span(&value, call.arguments) {
            Some(_) if call.arguments.is_unpacked => return None,
            Some(place) => place,
            None => {
                let length = receiver_text(self.source_text(whole)).len();
                (length > 0).then(|| Span { end: whole.start + length as u32, ..whole })?
            }
        };
        let text = self.written_operand(call, &change.parameter).text;
        let old = self.source_text(place);
        (text == old || without_brackets(&text) == old).then_some(place)
    }

    /// An operand of which one size is another, so that it fits.
    fn other_size(&mut self, call: &Call<'_, 'p>, judged: &Judged) -> Option<Remedy> {
        let (Constraint::Equal(one, other) | Constraint::Broadcastable(one, other)) = &judged.constraint else {
            return None;
        };
        let (one, other) = (self.solver.resolve(*one), self.solver.resolve(*other));
        for name in &judged.operands {
            let Some(Argument::Tensor(tensor)) = call.given.get(name) else { continue };
            let Some(dims) = self.solver.resolve_shape(&tensor.shape).dims() else { continue };
            for (at, size) in dims.iter().enumerate() {
                let wanted = match *size {
                    size if size == one => other,
                    size if size == other => one,
                    _ => continue,
                };
                let mut fitting = dims.clone();
                fitting[at] = wanted;
                let shape = Shape::known(fitting);
                let argument = Argument::Tensor(TensorArgument { shape: shape.clone(), dtype: tensor.dtype });
                if self.goes_through(call, name, &argument).is_some() {
                    let operand = self.written_operand(call, name).text;
                    let text = format!("`{}` would have to be {shape}", without_brackets(&operand));
                    return Some(Remedy::told(text));
                }
            }
        }
        None
    }

    fn dims_of_input(&self, call: &Call<'_, 'p>, judged: &Judged) -> Option<Vec<Dim>> {
        let tensor = judged.operands.iter().find_map(|name| call.given.get(name)?.as_tensor())?;
        self.solver.resolve_shape(&tensor.shape).dims()
    }

    /// An operand as the program writes it, where that is short.
    fn written_operand<'n>(&self, call: &Call<'_, 'p>, parameter: &'n Rc<str>) -> Operand<'n> {
        let is_it = |(known, _): &&(Name, Value)| call.callee.spec.argument_name(known.as_str()) == &**parameter;
        let value = call.bound.iter().rev().find(is_it).map(|(_, value)| self.read(value));
        let class = match &value {
            Some(Value::Tensor(tensor)) => tensor.kind.class_name(),
            _ => "",
        };
        let is_method = call.callee.api.as_str().strip_prefix(class).is_some_and(|rest| rest.starts_with('.'));
        let text = match value.as_ref().and_then(|value| self.argument_span(value, call.arguments)) {
            // A sequence that is unpacked stands for several operands.
            Some(_) if call.arguments.is_unpacked => "",
            Some(place) => self.source_text(place),
            None if is_method => receiver_text(self.source_text(call.arguments.span)),
            None => "",
        };
        let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '[' | ']');
        let text = match text.len() {
            1..=LONGEST_OPERAND if text.chars().all(is_plain) || is_one_call(text) => text.to_owned(),
            1..=LONGEST_OPERAND if !text.contains('\n') => format!("({text})"),
            _ => parameter.to_string(),
        };
        Operand { parameter, text, has_methods: class_has(class, "unsqueeze") != Some(false) }
    }
}

/// Whether a text is one call of a name, `torch.rand(2, 3)`, behind which a method can be written without brackets.
fn is_one_call(text: &str) -> bool {
    let Some(open) = text.find('(') else { return false };
    let is_name = |char: char| char.is_alphanumeric() || matches!(char, '_' | '.');
    if open == 0 || text.contains(['\n', '"', '\'']) || !text[..open].chars().all(is_name) {
        return false;
    }
    let mut depth = 0;
    for (at, char) in text.char_indices() {
        match char {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 && at > open {
            return at + 1 == text.len();
        }
    }
    false
}

/// Whether the expression to which a call was added is the result of such a call already.
fn is_rearranged(written: &str) -> bool {
    const CALLS: [&str; 9] = [
        ".transpose(",
        ".swapaxes(",
        ".permute(",
        ".unsqueeze(",
        ".squeeze(",
        ".flatten(",
        ".view(",
        ".reshape(",
        ".T",
    ];
    CALLS.iter().map(|call| written.matches(call).count()).sum::<usize>() > 1
}

/// Whether a requirement is about sizes that broadcast.
fn is_broadcast(judged: &Judged) -> bool {
    matches!(judged.constraint, Constraint::Broadcastable(..) | Constraint::Broadcast { .. })
        || judged.message.contains("broadcast")
}
