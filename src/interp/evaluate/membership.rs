//! Evaluates `item in container`.

use std::rc::Rc;

use crate::builtins::attribute_tests::has_attribute;
use crate::calls::call::CallArguments;
use crate::evaluate::comparisons::is_plain_constant;
use crate::loops::iterators::{Next, TAKEN};
use crate::paths::predicates::{ONE_OF, Place, Question, SEPARATOR};
use crate::paths::truth::Truth;
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::{Iteration, ObjectId, Value, ViewPart};
use harp_annotations::Library;
use harp_corpus::Span;
use harp_python::ir::CompareOperator;
use harp_python::name::{Name, name};
use harp_shape::Constraint;

impl Interpreter<'_> {
    /// `item in container`: the container's own class may say it.
    pub(crate) fn membership(&mut self, container: &Value, item: &Value, span: Span) -> Eval {
        let own = match container {
            Value::Instance(_) | Value::Dict(_) => self.class_attribute(container, name!("__contains__")),
            Value::Class(class) => self.method_of_metaclass(*class, "__contains__"),
            _ => None,
        };
        match own {
            Some(method @ Value::Function(_)) => {
                let bound = self.bind_method(container, method);
                self.call(&bound, CallArguments::positional(vec![item.clone()], span))
            }
            _ if let Value::Dict(id) = container => {
                let key = self.key_in(*id, item);
                // No entry has it where it was not found, and then what it is as a key tells that.
                let is_entry = self.heap.dict(*id).is_some_and(|data| data.find(&key).is_some());
                let key = self.plain_of(&key).filter(|_| !is_entry).unwrap_or(key);
                match self.contains_equal(container, &key, span)? {
                    Some(answer) => Ok(answer),
                    None => Ok(self.contains(container, &key)),
                }
            }
            _ if let Value::Iterator(iteration) = container => self.membership_of_view(&iteration.clone(), item, span),
            _ if let Some((container, item)) = self.held_operands(container, item) => {
                self.membership(&container, &item, span)
            }
            _ if let Value::Cursor(id) = container => self.sought(*id, item, span),
            _ if self.is_instance_of(container, "argparse.Namespace") => {
                let known = item.as_text().map(Name::new).and_then(|name| has_attribute(self, container, name));
                Ok(known.map_or(Value::Unknown("membership"), Value::Bool))
            }
            _ if matches!(container, Value::Instance(_)) && self.holds_items(container) => {
                match self.iterate(container)? {
                    Iteration::Items(items) => Ok(self.contains(&Value::tuple(items), item)),
                    _ => Ok(Value::Unknown("membership")),
                }
            }
            _ => match self.contains_equal(container, item, span)? {
                Some(answer) => Ok(answer),
                None => Ok(self.contains(container, item)),
            },
        }
    }

    /// `item in dictionary.keys()` and its like.
    fn membership_of_view(&mut self, iteration: &Iteration, item: &Value, span: Span) -> Eval {
        let items = match iteration {
            Iteration::View { dict, part: ViewPart::Keys } => {
                let key = self.key_in(*dict, item);
                return Ok(self.contains(&Value::Dict(*dict), &key));
            }
            Iteration::View { dict, part } => self.shown(*dict, *part),
            Iteration::Items(items) => Some(items.clone()),
            _ => None,
        };
        match items {
            Some(items) => self.membership(&Value::tuple(items), item, span),
            None => Ok(Value::Unknown("membership")),
        }
    }

    /// `item in iterator` takes what comes before the item, and the item.
    pub(crate) fn sought(&mut self, iterator: ObjectId, item: &Value, span: Span) -> Eval {
        for _ in 0..MOST_SOUGHT {
            let next = match self.take_next(iterator)? {
                Next::Item(next) => next,
                Next::End(_) => return Ok(Value::Bool(false)),
                Next::Any(_) => return Ok(Value::Unknown("membership")),
            };
            let equal = self.compare(CompareOperator::Equal, &next, item, span, [span; 2])?;
            match self.truth(&equal) {
                Truth::Known(true) => return Ok(Value::Bool(true)),
                Truth::Known(false) => {}
                _ => break,
            }
        }
        // How many were taken is not known.
        self.take_rest(iterator)?;
        self.heap.set_attribute(iterator, Name::new(TAKEN), Value::Unknown("items taken"));
        Ok(Value::Unknown("membership"))
    }

    pub(crate) fn contains(&mut self, container: &Value, item: &Value) -> Value {
        // No number equals it, but an object is among others that it is one of.
        if matches!(item, Value::Float(Some(number)) if number.is_nan()) {
            return Value::Unknown("membership of a NaN");
        }
        if let Some(answer) = self.models.contains(self, container, item) {
            return answer;
        }
        let candidates: Vec<Value> = match container {
            Value::Str(Some(text)) => {
                return match item.as_text() {
                    Some(part) => Value::Bool(text.contains(part)),
                    None => Value::Unknown("membership"),
                };
            }
            // Only members of a `Flag`, which stand for their bits, have others in them.
            Value::Int(all) => {
                return match (all.as_const(), item.as_int()) {
                    (Some(all), Some(part)) => Value::Bool(all & part == part),
                    _ => Value::Unknown("membership"),
                };
            }
            Value::Library(name) if name.as_str() == "sys.modules" => {
                let is_there = item.as_text().is_some_and(|name| self.surely_imported(name));
                return if is_there { Value::Bool(true) } else { Value::Unknown("membership") };
            }
            Value::Symbolic(id) if let Some(part) = item.as_text().filter(|_| self.is_some_text(*id)) => {
                return self.asked_of_text(*id, Place::Anywhere, part);
            }
            Value::Tuple(items) => items.to_vec(),
            Value::List(id) | Value::Set(id) => match self.heap.list(*id) {
                Some(data) if data.rest.is_none() => data.items.clone(),
                Some(data) if data.items.iter().any(|known| known.same_key(item)) => return Value::Bool(true),
                _ => return Value::Unknown("membership"),
            },
            Value::Dict(id) if let Some(truth) = self.heap.dict(*id).and_then(|data| data.doubt_of(item)) => {
                return self.read(truth);
            }
            Value::Dict(id) => match self.heap.dict(*id) {
                Some(data) if data.rest.is_none() && data.find(item).is_some() => return Value::Bool(true),
                Some(data) if data.rest.is_none() => data.entries.iter().map(|(key, _)| key.clone()).collect(),
                Some(data) => {
                    let found = data.entries.iter().any(|(key, _)| key.same_key(item));
                    if self.is_filled_by_callers(*id) {
                        return Value::Bool(found);
                    }
                    return if found { Value::Bool(true) } else { Value::Unknown("membership") };
                }
                None => return Value::Unknown("membership"),
            },
            Value::Range(bounds) => {
                let Some(item) = item.as_dim() else { return Value::Unknown("membership") };
                let [start, stop, step] = **bounds;
                if let (Some(item), Some(start), Some(stop), Some(step)) =
                    (item.as_const(), start.as_const(), stop.as_const(), step.as_const())
                    && step != 0
                {
                    let inside = if step > 0 { start <= item && item < stop } else { stop < item && item <= start };
                    return Value::Bool(inside && (item - start) % step == 0);
                }
                if step.as_const() != Some(1) {
                    return Value::Unknown("membership");
                }
                let inside = vec![Constraint::LessEqual(start, item), Constraint::Less(item, stop)];
                return self.constraint_value(Constraint::And(inside));
            }
            Value::Instance(id) => {
                let known = item.as_text().map(Name::new);
                return match known {
                    Some(name) if self.is_module(container) => Value::Bool(self.heap.attribute(*id, name).is_some()),
                    _ => Value::Unknown("membership"),
                };
            }
            _ => return Value::Unknown("membership"),
        };
        let candidates: Vec<Value> = match item {
            Value::Symbolic(_) => candidates.iter().map(|candidate| self.value_of_member(candidate)).collect(),
            _ => candidates,
        };
        if let Value::Symbolic(id) = item
            && candidates.iter().all(is_plain_constant)
        {
            let answered = self.answered(*id);
            let open: Vec<&Value> =
                candidates.iter().filter(|candidate| !is_excluded(self.library, &answered, candidate)).collect();
            let texts: Vec<String> = open.iter().map(|candidate| candidate.describe()).collect();
            return match &open[..] {
                [] => Value::Bool(false),
                [one] => self.memoised_comparison(item, one),
                _ => self.memoised_answer(*id, &format!("{ONE_OF}{}", texts.join(SEPARATOR))),
            };
        }
        if matches!(item, Value::Instance(_)) && candidates.iter().any(|candidate| candidate.same(item)) {
            return Value::Bool(true);
        }
        self.is_one_of(candidates, item)
    }

    /// Whether a value equals one of these. Of sizes that is a condition like any other.
    fn is_one_of(&mut self, candidates: Vec<Value>, item: &Value) -> Value {
        let (mut is_open, mut conditions) = (false, Vec::new());
        for candidate in candidates {
            match self.equals(&candidate, item) {
                Value::Bool(true) => return Value::Bool(true),
                Value::Bool(false) => {}
                Value::Condition(condition) if conditions.len() < MOST_CASES => {
                    conditions.push(Constraint::clone(&condition));
                }
                _ => is_open = true,
            }
        }
        match (is_open, conditions.is_empty()) {
            (true, _) => Value::Unknown("membership"),
            (false, true) => Value::Bool(false),
            (false, false) => self.constraint_value(Constraint::Or(conditions)),
        }
    }
}

/// Of a longer list it is left open which of its sizes a size equals.
const MOST_CASES: usize = 8;

/// An item is looked for among so many that an iterator gives.
const MOST_SOUGHT: usize = 4096;

/// Whether a value of which these questions were answered so is another one than this constant.
pub(crate) fn is_excluded(library: &Library, answered: &[(Question, bool)], constant: &Value) -> bool {
    if answered.is_empty() {
        return false;
    }
    let constant = Question::Equals(Rc::from(constant.describe()));
    answered.iter().any(|(question, taken)| {
        *question != constant && !Question::is_possible(library, &[(question, *taken), (&constant, true)])
    })
}
