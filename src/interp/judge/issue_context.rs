//! What an issue tells beside itself: the conditions of its path in words, its operands, and the assumptions behind it.

use std::rc::Rc;

use rustc_hash::FxHashSet;

use crate::api::call_api::Bound;
use crate::api::results::assumptions_of;
use crate::calls::call::CallArguments;
use crate::state::interpreter::Interpreter;
use crate::values::value::{Guard, Literal, ObjectId, OperationId, Tensor, Value};
use harp_corpus::Span;
use harp_limits::light_ticks;
use harp_operations::operation::Judged;
use harp_python::name::Name;
use harp_shape::Shape;
use harp_trace::Operand;
use harp_trace::assumption::AssumptionSet;
use harp_trace::told_conditions::SEVERAL;

/// Conditions that hold on more ways than this are not written out.
const MAX_WAYS: usize = 3;
/// So many bytes of a text are written in the time of a light tick.
const BYTES_OF_A_TICK: usize = 64;

impl Interpreter<'_> {
    /// Values for which the path's conditions over sizes hold.
    pub(crate) fn example_of_path(&self) -> Option<String> {
        let constraints: Vec<harp_shape::Constraint> = self
            .path
            .iter()
            .filter(|literal| !self.settled.contains(literal))
            .filter_map(|literal| {
                let constraint = self.decisions.get(literal.decision.0 as usize)?.constraint.clone()?;
                Some(if literal.taken { constraint } else { constraint.negated() })
            })
            .collect();
        if constraints.is_empty() {
            return None;
        }
        let all = harp_shape::Constraint::And(constraints);
        let [variable] = all.variables()[..] else { return None };
        let values = (65..=300).chain(-1..65).filter(|value| variable.allows(*value));
        let value = values.into_iter().find(|value| all.evaluate(&mut |_| Some(*value)) == Some(true))?;
        Some(format!("{} = {value}", variable.shown_name()))
    }

    /// The undecided conditions under which the current place is reached.
    pub fn path_conditions(&self) -> Vec<String> {
        let mut conditions = Vec::new();
        let mut told = FxHashSet::default();
        for literal in self.path.iter().filter(|literal| !self.settled.contains(literal)) {
            let mut text = self.condition(literal);
            light_ticks(1 + text.len() / BYTES_OF_A_TICK);
            // The same words in another call are another condition.
            if !text.is_empty() && (told.contains(&negated(&text)) || told.contains(&format!("not {text}"))) {
                text.push_str(" in a later call");
            }
            if !text.is_empty() && told.insert(text.clone()) {
                conditions.push(text);
            }
        }
        conditions
    }

    /// A literal as the program writes it; of several ways the first ones, without what the path says anyway.
    pub(crate) fn condition(&self, literal: &Literal) -> String {
        let Some(decision) = self.decisions.get(literal.decision.0 as usize) else { return String::new() };
        if decision.is_blurred || !decision.ways.is_empty() {
            let way = |way: &Guard| {
                light_ticks(way.len());
                let unknown = way.iter().filter(|literal| !self.path.tells(**literal));
                let parts: Vec<String> =
                    unknown.map(|literal| self.plain_condition(literal)).filter(|text| !text.is_empty()).collect();
                parts.join(" and ")
            };
            let mut ways: Vec<String> = Vec::new();
            for text in decision.ways.iter().map(way) {
                if text.is_empty() || (ways.len() == MAX_WAYS && !ways.contains(&text)) {
                    return SEVERAL.to_owned();
                }
                if !ways.contains(&text) {
                    ways.push(text);
                }
            }
            return if ways.is_empty() { SEVERAL.to_owned() } else { ways.join(" or ") };
        }
        self.plain_condition(literal)
    }

    fn plain_condition(&self, literal: &Literal) -> String {
        let text = self.decisions.get(literal.decision.0 as usize).map_or("", |decision| &*decision.text);
        match (text.is_empty(), literal.taken) {
            (true, _) => String::new(),
            (_, true) => text.to_owned(),
            (_, false) => negated(text),
        }
    }

    /// The operands of these names; those in `before` with the shapes that are told there.
    pub(crate) fn operands(
        &self,
        names: &[Rc<str>],
        before: &[(Rc<str>, Shape)],
        bound: &Bound,
        call: &CallArguments,
    ) -> Vec<Operand> {
        let mut operands = Vec::new();
        for name in names {
            let Some((_, value)) = bound.iter().rev().find(|(known, _)| known.as_str() == &**name) else { continue };
            let Some(tensor) = self.tensor_in(value) else { continue };
            let shape = match before.iter().find(|(known, _)| known == name) {
                Some((_, shape)) => shape.to_string(),
                None => self.solver.resolve_shape(&tensor.shape).to_string(),
            };
            let made_by = self.trace.operation(tensor.operation).map(|record| record.api.to_string());
            let origin = match made_by {
                Some(api) => Some((api, tensor.origin)),
                None => tensor.name.map(|name| (name.to_string(), tensor.origin)),
            };
            let span = self.argument_span(value, call);
            let shaped_by = self.object_behind(tensor.operation);
            operands.push(Operand { name: name.clone(), span, shape, origin, shaped_by, operation: tensor.operation });
        }
        operands
    }

    /// A tensor, or the only one among the indices of a subscript.
    pub(crate) fn tensor_in(&self, value: &Value) -> Option<Rc<Tensor>> {
        let tensor = |value: &Value| match self.read(value) {
            Value::Tensor(tensor) => Some(tensor),
            _ => None,
        };
        match self.read(value) {
            Value::Tuple(items) => {
                let mut tensors = items.iter().filter_map(tensor);
                tensors.next().filter(|_| tensors.next().is_none())
            }
            value => tensor(&value),
        }
    }

    /// The library object that gave the result of an operation its shape; operations on each element are looked through.
    fn object_behind(&self, operation: OperationId) -> Option<(String, Span)> {
        let record = self.trace.operation(operation)?;
        let record = self.trace.operation(record.shape_from).unwrap_or(record);
        let object = ObjectId(record.identity.object.checked_sub(1)?);
        let data = self.heap.instance(object)?;
        let class = self.name_of_class(&data.class);
        (class == record.api.as_str()).then_some((class, data.origin))
    }

    /// Where a call passes a value.
    pub(crate) fn argument_span(&self, value: &Value, call: &CallArguments) -> Option<Span> {
        let position = call.positional.iter().position(|argument| self.read(argument).same(value));
        if let Some(position) = position {
            return call.positional_spans.get(position).copied().flatten();
        }
        let position = call.keywords.iter().position(|(_, argument)| self.read(argument).same(value))?;
        call.keyword_spans.get(position).copied().flatten()
    }

    /// The speculations behind the arguments and behind the configured values in a requirement.
    pub(crate) fn assumptions_behind(&self, bound: &Bound, judged: &Judged) -> AssumptionSet {
        let mut set = assumptions_of(bound).union(&self.assumptions_in_lists(bound));
        // The call itself took some for tensors: that concerns what is required of them.
        let is_operand = |(name, value): &&(Name, Value)| {
            matches!(value, Value::Symbolic(_)) && judged.operands.iter().any(|operand| **operand == *name.as_str())
        };
        for (_, value) in bound.iter().filter(is_operand) {
            if let Value::Tensor(tensor) = self.read(value) {
                set = set.union(&tensor.assumptions);
            }
        }
        for variable in judged.constraint.variables() {
            if let Some(id) = self.tables.variable_assumptions.get(&variable) {
                set = set.with(*id);
            }
        }
        set.union(&self.relied_on())
    }
}

/// The words for the other way than a condition's, without a `not` of a `not`.
pub(crate) fn negated(text: &str) -> String {
    let Some(rest) = text.strip_prefix("not ").map(str::trim_start) else { return format!("not ({text})") };
    if let Some(inner) = rest.strip_prefix('(').and_then(|inner| inner.strip_suffix(')'))
        && is_closed(inner)
    {
        return inner.to_owned();
    }
    // `not a and b` is `(not a) and b`.
    let binds_less = [" and ", " or ", " if ", "\n"].iter().any(|word| rest.contains(word));
    if binds_less { format!("not ({text})") } else { rest.to_owned() }
}

/// Whether each parenthesis in a text is closed there.
fn is_closed(text: &str) -> bool {
    let mut depth = 0_i32;
    text.chars().all(|char| {
        depth += i32::from(char == '(') - i32::from(char == ')');
        depth >= 0
    })
}
