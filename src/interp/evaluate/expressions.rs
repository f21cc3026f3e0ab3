//! Evaluates expressions.

use std::rc::Rc;

use crate::calls::call::CallArguments;
use crate::evaluate::binary_operators::{LONGEST_SEQUENCE, LONGEST_TEXT};
use crate::evaluate::shared_items::changes_container;
use crate::heap::objects::{DictData, ListData, Payload};
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::{TRUTH, Value};
use harp_corpus::Span;
use harp_python::ir::{BooleanOperator, Expr, ExprKind, FStringFormat, FStringPart, UnaryOperator};
use harp_python::name::Name;
use harp_trace::Ground;
use harp_trace::ValueKind;

impl Interpreter<'_> {
    pub fn evaluate(&mut self, expression: &Expr) -> Eval {
        self.within(self.span(expression.range), |this| this.evaluate_kind(expression))
    }

    fn evaluate_kind(&mut self, expression: &Expr) -> Eval {
        match &expression.kind {
            ExprKind::Name(name) => {
                if self.exceptions.caught > 0 && self.lookup(*name).is_none() {
                    let span = self.span(expression.range);
                    self.raise_if_caught("NameError", name.as_str(), span)?;
                }
                if !self.perhaps_unbound.is_empty() {
                    self.state_bound(*name);
                }
                self.load_name(*name, expression)
            }
            ExprKind::None => Ok(Value::None),
            ExprKind::Bool(value) => Ok(Value::Bool(*value)),
            ExprKind::Int(value) => Ok(Value::int(*value)),
            ExprKind::BigInt => Ok(self.any_integer("n")),
            ExprKind::Float(value) => Ok(Value::Float(Some(*value))),
            ExprKind::Complex => Ok(Value::Complex),
            ExprKind::Str(text) => Ok(Value::Str(Some(Rc::from(&**text)))),
            ExprKind::Bytes(_) => Ok(Value::Bytes),
            ExprKind::FString(parts) => self.evaluate_fstring(parts),
            ExprKind::Ellipsis => Ok(Value::Ellipsis),
            ExprKind::Attribute { value, attribute, .. } => {
                let object =
                    if changes_container(*attribute) { self.evaluate_changed(value)? } else { self.evaluate(value)? };
                let span = self.span(expression.range);
                let result = self.get_attribute(&object, *attribute, span);
                self.note_owner(&object, span);
                result
            }
            ExprKind::Subscript { value, index } => {
                let object = self.evaluate(value)?;
                let index = self.evaluate_index(index)?;
                let span = self.span(expression.range);
                self.note_kind(value, &object);
                let result = self.get_item(&object, &index, span).map(|item| self.one_of_several(item));
                self.note_owner(&object, span);
                result
            }
            ExprKind::Slice { .. } => self.evaluate_index(expression),
            ExprKind::Call(call) => self.evaluate_call(expression, call),
            ExprKind::Unary { operator, operand } => {
                let operand = self.evaluate(operand)?;
                let span = self.span(expression.range);
                match operator {
                    UnaryOperator::Not => {
                        self.refuse_truth_of_many(&operand, span);
                        self.for_each_alternative(&operand, |this, value| Ok(this.negate(&value)))
                    }
                    _ => self.for_each_alternative(&operand, |this, value| this.unary(*operator, &value, span)),
                }
            }
            ExprKind::Binary { operator, left, right } => {
                let left_value = self.evaluate(left)?;
                let right_value = self.evaluate(right)?;
                self.step()?;
                let spans = [self.span(left.range), self.span(right.range)];
                let span = self.span(expression.range);
                self.binary(*operator, &left_value, &right_value, span, spans)
            }
            ExprKind::Boolean { operator, values } => self.evaluate_boolean(*operator, values, false),
            ExprKind::Compare { left, rest } => self.evaluate_compare(expression, left, rest),
            ExprKind::Lambda(function) => Ok(Value::Function(Rc::new(self.closure(function)?))),
            ExprKind::Conditional { test, body, orelse } => {
                let value = self.evaluate_condition(test)?;
                if self.models.is_absent(self, &value) {
                    return self.evaluate(orelse);
                }
                let span = self.span(test.range);
                self.choose_on(&value, Some(test), span, |this, taken| this.evaluate(if taken { body } else { orelse }))
            }
            ExprKind::List(items) => {
                let (items, rest) = self.evaluate_items(items)?;
                self.note_items(&items, self.span(expression.range));
                Ok(Value::List(self.heap.allocate(Payload::List(Rc::new(ListData { items, rest })))))
            }
            ExprKind::Set(items) => {
                let (items, rest) = self.evaluate_items(items)?;
                self.note_items(&items, self.span(expression.range));
                let id = self.heap.allocate(Payload::List(Rc::new(ListData { items, rest })));
                self.keep_distinct(id, self.span(expression.range))?;
                Ok(Value::Set(id))
            }
            ExprKind::Tuple(items) => {
                let (items, rest) = self.evaluate_items(items)?;
                match rest {
                    None => Ok(Value::tuple(items)),
                    Some(_) => Ok(Value::List(self.heap.allocate(Payload::List(Rc::new(ListData { items, rest }))))),
                }
            }
            ExprKind::Dict(entries) => self.evaluate_dict(entries, self.span(expression.range)),
            ExprKind::Comprehension(comprehension) => self.evaluate_comprehension(comprehension),
            ExprKind::Starred(inner) => self.evaluate(inner),
            ExprKind::Named { target, value, .. } => {
                let value = self.evaluate_held(value)?;
                self.store_named(*target, value.clone());
                Ok(value)
            }
            ExprKind::Await(inner) => {
                let awaited = self.evaluate(inner)?;
                self.outcome_of_task(awaited, self.span(expression.range))
            }
            ExprKind::Yield(value) => self.evaluate_yield(value.as_deref(), self.span(expression.range)),
            ExprKind::YieldFrom(value) => self.evaluate_yield_from(value),
            ExprKind::Invalid => Ok(Value::Unknown("syntax error")),
        }
    }

    /// Looks a name up as Python does: local, enclosing functions, module, built-in.
    fn load_name(&mut self, name: Name, expression: &Expr) -> Eval {
        if let Some(value) = self.bound_name(name) {
            return Ok(self.read(&value));
        }
        let span = self.span(expression.range);
        if let Some(globals) = self.frames.last().map(|frame| frame.globals)
            && let Some(value) = self.deferred_name(globals, name, span)?
        {
            return Ok(self.read(&value));
        }
        if name.as_str() == "__path__"
            && let Some(globals) = self.frames.last().map(|frame| frame.globals)
            && let Some(path) = self.models.attribute_of_module(self, globals, name)
        {
            return Ok(path);
        }
        Ok(match self.builtin(name) {
            Some(Value::Library(qualified)) if name.as_str().ends_with("ExceptionGroup") => {
                self.library_value(qualified, span)
            }
            Some(value) => {
                self.check_builtin_of_python_2(name, span);
                self.read(&value)
            }
            None if let Some(module) = self.submodule_of_running_package(name)? => module,
            // The program fails here: nothing is to be guessed from what it would do with the value.
            None if !self.may_be_defined(name) => {
                if !self.name_is_undefined(name, span) {
                    self.not_understood(&format!("the name `{name}`, which is not defined"), span);
                }
                Value::Unknown("a name that is not defined")
            }
            None => {
                self.not_understood(&format!("the name `{name}`, which is not defined"), span);
                self.symbolic(name.as_str(), span, true)
            }
        })
    }

    pub fn lookup(&self, name: Name) -> Option<Value> {
        self.bound_name(name).or_else(|| self.builtin(name))
    }

    /// The value of a name that the program has bound.
    fn bound_name(&self, name: Name) -> Option<Value> {
        let frame = self.frames.last()?;
        if let Some(value) = self.heap.attribute(frame.locals, name) {
            return Some(value.clone());
        }
        // A name that the function declares `global` is not one of the functions around.
        let is_global = frame.function.as_ref().is_some_and(|function| function.globals.contains(&name));
        for scope in frame.enclosing.iter().filter(|_| !is_global) {
            if let Some(value) = self.heap.attribute(*scope, name) {
                return Some(value.clone());
            }
        }
        self.heap.attribute(frame.globals, name).cloned()
    }

    fn evaluate_fstring(&mut self, parts: &[FStringPart]) -> Eval {
        let mut text = String::new();
        let mut is_known = true;
        for part in parts {
            match part {
                FStringPart::Literal(literal) => text.push_str(literal),
                FStringPart::Interpolation { value, format, conversion } => {
                    let place = self.span(value.range);
                    let value = self.evaluate(value)?;
                    match self.interpolated(&value, *conversion, format.as_ref(), place)? {
                        Some(part) => text.push_str(&part),
                        None => is_known = false,
                    }
                }
            }
            if text.len() > LONGEST_TEXT {
                is_known = false;
                text.clear();
            }
        }
        Ok(Value::Str(is_known.then(|| Rc::from(text))))
    }

    /// The value of an expression of which only the truth is asked.
    pub fn evaluate_condition(&mut self, expression: &Expr) -> Eval {
        match &expression.kind {
            ExprKind::Boolean { operator, values } => self.evaluate_boolean(*operator, values, true),
            ExprKind::Unary { operator: UnaryOperator::Not, operand } => {
                let span = self.span(operand.range);
                let operand = self.evaluate_condition(operand)?;
                self.refuse_truth_of_many(&operand, span);
                self.for_each_alternative(&operand, |this, value| Ok(this.negate(&value)))
            }
            _ => self.evaluate(expression),
        }
    }

    /// What a value becomes between the braces of an f-string, where that is known.
    fn interpolated(
        &mut self,
        value: &Value,
        conversion: Option<char>,
        format: Option<&FStringFormat>,
        place: Span,
    ) -> Eval<Option<Rc<str>>> {
        let span = self.current_span();
        let value = self.read(value);
        let value = match (conversion, &value) {
            (Some('r'), _) => Value::Str(self.representation_of(&value, span)?),
            (Some('a'), _) => {
                let text = self.representation_of(&value, span)?;
                Value::Str(text.filter(|text| text.is_ascii()))
            }
            (Some(_), _) => Value::Str(self.text_of(&value, span)?),
            (None, _) => value,
        };
        let specification = match format {
            None => Rc::from(""),
            Some(FStringFormat::Constant(text)) => Rc::from(&**text),
            Some(FStringFormat::Computed(parts)) => match self.evaluate_fstring(parts)? {
                Value::Str(Some(text)) => text,
                _ => return Ok(None),
            },
        };
        if specification.is_empty() && !matches!(value, Value::Instance(_)) {
            return self.text_of(&value, span);
        }
        if let Some(method) = self.own_method(&value, "__format__") {
            let text = self.call(&method, CallArguments::positional(vec![Value::Str(Some(specification))], span))?;
            return Ok(text.as_text().map(Rc::from));
        }
        if specification.is_empty() {
            return self.text_of(&value, span);
        }
        let value = self.plain_of(&value).unwrap_or(value);
        if let Some(shape) = self.shape_of_many(&value) {
            let message = format!("only one element is formatted by `{specification}`, but the shape is {shape}");
            self.sequence_fails("format", message, place);
        }
        Ok(crate::builtins::format_spec::formatted(self, &value, &specification))
    }

    fn evaluate_boolean(&mut self, operator: BooleanOperator, values: &[Expr], is_condition: bool) -> Eval {
        let Some((first, others)) = values.split_first() else { return Ok(Value::Unknown("empty expression")) };
        let value = if is_condition { self.evaluate_condition(first)? } else { self.evaluate(first)? };
        if others.is_empty() {
            return Ok(value);
        }
        let span = self.span(first.range);
        let stops_at = operator == BooleanOperator::Or;
        // `os.getenv("WIDTH") or 8`
        if stops_at && !is_condition && self.models.is_absent(self, &value) {
            return self.evaluate_boolean(operator, others, is_condition);
        }
        // The condition as a whole is a step of the way, not each of its parts.
        let route = self.route.clone();
        let result = self.choose(&value, span, |this, truth| {
            if truth != stops_at {
                return this.evaluate_boolean(operator, others, is_condition);
            }
            // A condition that was decided is known from here on.
            match this.read(&value) {
                Value::Condition(_) | Value::Unknown(_) => Ok(Value::Bool(truth)),
                _ if is_condition => Ok(Value::Bool(truth)),
                value => Ok(value),
            }
        });
        self.route = route;
        result
    }

    fn evaluate_compare(
        &mut self,
        expression: &Expr,
        left: &Expr,
        rest: &[(harp_python::ir::CompareOperator, Expr)],
    ) -> Eval {
        let mut left_value = self.evaluate(left)?;
        let span = self.span(expression.range);
        let mut left_span = self.span(left.range);
        let mut result: Option<Value> = None;
        for (operator, right) in rest {
            let right_value = self.evaluate(right)?;
            let right_span = self.span(right.range);
            let compared = self.compare(*operator, &left_value, &right_value, span, [left_span, right_span])?;
            result = Some(match result {
                None => compared,
                Some(before) => {
                    // The next comparison is asked for where the one before holds.
                    self.refuse_truth_of_many(&before, span);
                    self.both(&before, &compared)
                }
            });
            left_value = right_value;
            left_span = right_span;
        }
        Ok(match result {
            Some(Value::Unknown(TRUTH)) => {
                let truth = self.truth_of_source(span);
                self.is_now_truth(&truth);
                truth
            }
            Some(Value::Unknown(_)) | None => self.truth_of_source(span),
            Some(value) => value,
        })
    }

    /// An undecided truth; the value that holds it has the same truth wherever it is asked for.
    fn truth_of_source(&mut self, span: Span) -> Value {
        let text = self.source_text(span).to_owned();
        self.symbolic(&text, span, true)
    }

    /// `before and compared` of a chained comparison.
    fn both(&mut self, before: &Value, compared: &Value) -> Value {
        match (before, compared) {
            (Value::Bool(false), _) | (_, Value::Bool(false)) => Value::Bool(false),
            (Value::Bool(true), other) | (other, Value::Bool(true)) => other.clone(),
            (Value::Condition(a), Value::Condition(b)) => {
                Value::Condition(Rc::new(harp_shape::Constraint::And(vec![(**a).clone(), (**b).clone()])))
            }
            _ => Value::Unknown("comparison"),
        }
    }

    /// Items of a display, with starred ones spliced in; the second part stands for an unknown number of further items.
    pub fn evaluate_items(&mut self, items: &[Expr]) -> Eval<(Vec<Value>, Option<Value>)> {
        let mut values = Vec::with_capacity(items.len());
        let mut rest: Option<Value> = None;
        for item in items {
            if values.len() & 1023 == 1023 {
                self.step()?;
            }
            match &item.kind {
                ExprKind::Starred(inner) => {
                    let inner = self.evaluate(inner)?;
                    let iteration = self.iterate_at(&inner, self.span(item.range))?;
                    let (more, exact, _) = self.sample(iteration);
                    match rest.take() {
                        None if exact && values.len() + more.len() <= LONGEST_SEQUENCE => values.extend(more),
                        // Nothing has a known place any more.
                        before => {
                            let all: Vec<Value> = before.into_iter().chain(more).collect();
                            rest = Some(self.widen(&all));
                        }
                    }
                }
                _ => {
                    let value = self.evaluate_held(item)?;
                    match rest.take() {
                        None => values.push(value),
                        Some(before) => rest = Some(self.widen(&[before, value])),
                    }
                }
            }
        }
        Ok((values, rest))
    }

    fn evaluate_dict(&mut self, entries: &[(Option<Expr>, Expr)], span: Span) -> Eval {
        let dict = self.heap.allocate_dict(Vec::new());
        let mut data = DictData::default();
        for (key, value) in entries {
            match key {
                Some(key) => {
                    let key = self.evaluate(key)?;
                    let value = self.evaluate(value)?;
                    if data.entries.len() < 4096 {
                        let key = self.key_among(&data, self.read(&key));
                        insert(&mut data, key, value);
                    } else {
                        data.entries.push((key, value));
                    }
                }
                None => {
                    let other = self.evaluate(value)?;
                    let other = match self.read(&other) {
                        own @ Value::Instance(_) => self.mapping_of_keys(&own, span).unwrap_or(own),
                        other => other,
                    };
                    match other {
                        Value::Dict(id) => {
                            if let Some(other) = self.heap.dict(id).cloned() {
                                self.heap.count_copied(other.entries.len());
                                for (key, value) in &other.entries {
                                    insert(&mut data, key.clone(), value.clone());
                                }
                                if !self.is_filled_by_callers(id) {
                                    data.rest = data.rest.or_else(|| other.rest.clone());
                                }
                            }
                        }
                        _ => data.rest = Some((Value::Str(None), Value::Unknown("unpacked dictionary"))),
                    }
                }
            }
        }
        self.note_items(data.entries.iter().map(|(_, value)| value), span);
        self.heap.set_payload(dict, Payload::Dict(Rc::new(data)));
        Ok(Value::Dict(dict))
    }

    /// Records that something was read in a loop of an object whose type is not known even so.
    pub(super) fn note_owner(&mut self, object: &Value, span: Span) {
        let is_open = matches!(object, Value::Symbolic(_) | Value::Unknown(_));
        if is_open
            && !self.loops.stack.is_empty()
            && matches!(self.read(object), Value::Symbolic(_) | Value::Unknown(_))
        {
            self.trace.unknown_owners.insert(span);
        }
    }

    /// Records what kind of value an expression had, for rules that ask about containers.
    pub fn note_kind(&mut self, expression: &Expr, value: &Value) {
        let span = self.span(expression.range);
        self.note_kind_at(span, value);
    }

    /// The same by the place.
    pub fn note_kind_at(&mut self, span: Span, value: &Value) {
        let kind = self.kind_of(value);
        let tensor = if let Value::Tensor(tensor) = value { Some(Rc::clone(tensor)) } else { None };
        let shape = tensor.as_ref().map(|tensor| self.shape_of_site(&tensor.shape));
        let sizes_assume = tensor.as_ref().map(|tensor| self.sizes_assumed([&tensor.shape])).unwrap_or_default();
        let value_assumes = match &tensor {
            Some(tensor) => self.trace.sites.ground(&tensor.assumptions),
            None => Ground::CERTAIN,
        };
        let site = self.trace.site(span);
        site.value_assumes.add(value_assumes);
        site.kinds.add(kind);
        if let Some(tensor) = tensor {
            site.shape = shape;
            site.dtype = Some(tensor.dtype);
            site.lies_on(tensor.device);
            site.has_shape(&tensor.shape, sizes_assume);
        }
    }

    pub fn kind_of(&self, value: &Value) -> ValueKind {
        match value {
            Value::Tensor(tensor) => ValueKind::Tensor(tensor.kind.into()),
            Value::List(_) => ValueKind::List,
            Value::Dict(_) => ValueKind::Dict,
            Value::Tuple(_) => ValueKind::Tuple,
            Value::Int(_) => ValueKind::Integer,
            Value::Float(_) | Value::Ratio(_) => ValueKind::Float,
            Value::Str(_) => ValueKind::Text,
            Value::Bool(_) | Value::Condition(_) => ValueKind::Boolean,
            Value::Instance(_) => ValueKind::Object,
            Value::Function(_)
            | Value::BoundMethod(_)
            | Value::Class(_)
            | Value::Library(_)
            | Value::LibraryMethod(_) => ValueKind::Callable,
            _ => ValueKind::Unknown,
        }
    }
}

/// Whether a dictionary has an entry of its own with the key.
pub fn has_key(data: &DictData, key: &Value) -> bool {
    data.find(key).is_some()
}

/// Sets a key of a dictionary, keeping the place of an equal one.
pub fn insert(data: &mut DictData, key: Value, value: Value) {
    data.insert(key, value);
}

pub(crate) fn collect_names(target: &Expr, names: &mut Vec<Name>) {
    match &target.kind {
        ExprKind::Name(name) => names.push(*name),
        ExprKind::Tuple(items) | ExprKind::List(items) => items.iter().for_each(|item| collect_names(item, names)),
        ExprKind::Starred(inner) => collect_names(inner, names),
        _ => {}
    }
}
