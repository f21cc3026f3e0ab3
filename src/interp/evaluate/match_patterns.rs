//! Executes `match` statements.

use crate::generators::suspension::Position;
use crate::state::interpreter::{Eval, Flow, Interpreter};
use crate::values::value::{Iteration, Value};
use harp_python::ir::{Case, CompareOperator, Expr, Pattern};
use harp_python::name::{Name, name};

const UNDECIDED: Value = Value::Unknown("pattern");

impl Interpreter<'_> {
    pub fn execute_cases(&mut self, subject: &Value, cases: &[Case], first: usize) -> Eval<Flow> {
        let Some(case) = cases.get(first) else { return Ok(Flow::Normal) };
        let position = || Position::Branch(first);
        let matches = self.match_pattern(&case.pattern, subject)?;
        let span = self.span(case.range);
        self.branch(&matches, span, |this, taken| {
            this.coverage.note_arm(span, taken && case.guard.is_none());
            if !taken {
                return this.execute_cases(subject, cases, first + 1);
            }
            let Some(guard) = &case.guard else { return this.execute_part(&case.body, position) };
            let test = this.evaluate(guard)?;
            let place = span;
            let span = this.span(guard.range);
            this.branch(&test, span, |this, taken| {
                if taken {
                    this.coverage.note_arm(place, true);
                    return this.execute_part(&case.body, position);
                }
                this.execute_cases(subject, cases, first + 1)
            })
        })
    }

    /// Whether a pattern matches, binding its names as if it did.
    fn match_pattern(&mut self, pattern: &Pattern, subject: &Value) -> Eval {
        match pattern {
            Pattern::Capture(name) | Pattern::Star(name) => {
                if let Some(name) = name {
                    self.store_name(*name, subject.clone());
                }
                Ok(Value::Bool(true))
            }
            Pattern::Singleton(expression) => {
                let value = self.evaluate(expression)?;
                let span = self.span(expression.range);
                self.compare(CompareOperator::Is, subject, &value, span, [span; 2])
            }
            Pattern::Value(expression) => {
                let value = self.evaluate(expression)?;
                Ok(self.equals(subject, &value))
            }
            Pattern::Or(patterns) => {
                let mut undecided = false;
                for pattern in patterns {
                    match self.match_pattern(pattern, subject)? {
                        Value::Bool(true) => return Ok(Value::Bool(true)),
                        Value::Bool(false) => {}
                        _ => undecided = true,
                    }
                }
                Ok(if undecided { Value::Unknown("pattern") } else { Value::Bool(false) })
            }
            Pattern::As { pattern, name } => {
                self.store_name(*name, subject.clone());
                self.match_pattern(pattern, subject)
            }
            Pattern::Sequence(patterns) => self.match_sequence(patterns, subject),
            Pattern::Mapping { entries, rest } => self.match_mapping(entries, *rest, subject),
            Pattern::Class { class, positional, keywords } => self.match_class(class, positional, keywords, subject),
        }
    }

    /// Whether all of some patterns match their values.
    fn match_all<'a>(&mut self, parts: impl IntoIterator<Item = (&'a Pattern, Value)>) -> Eval {
        let mut result = Value::Bool(true);
        for (pattern, value) in parts {
            match self.match_pattern(pattern, &value)? {
                Value::Bool(true) => {}
                Value::Bool(false) => return Ok(Value::Bool(false)),
                _ => result = UNDECIDED,
            }
        }
        Ok(result)
    }

    fn match_sequence(&mut self, patterns: &[Pattern], subject: &Value) -> Eval {
        let is_record = matches!(subject, Value::Instance(_)) && self.fields_of_named_tuple(subject).is_some();
        if !is_record && !matches!(subject, Value::Tuple(_) | Value::List(_) | Value::Range(_)) {
            self.bind_all(patterns.iter());
            return Ok(if self.may_be_container(subject) { UNDECIDED } else { Value::Bool(false) });
        }
        let iteration = self.iterate(subject)?;
        let Iteration::Items(mut items) = self.itemised(iteration) else {
            self.bind_all(patterns.iter());
            return Ok(UNDECIDED);
        };
        let starred = patterns.iter().position(|pattern| matches!(pattern, Pattern::Star(_)));
        if let Some(position) = starred {
            if items.len() + 1 < patterns.len() {
                return Ok(Value::Bool(false));
            }
            let count = items.len() + 1 - patterns.len();
            let middle: Vec<Value> = items.splice(position..position + count, [Value::None]).collect();
            items[position] = Value::List(self.heap.allocate_list(middle));
        }
        if items.len() != patterns.len() {
            return Ok(Value::Bool(false));
        }
        self.match_all(patterns.iter().zip(items))
    }

    fn match_mapping(&mut self, entries: &[(Expr, Pattern)], rest: Option<Name>, subject: &Value) -> Eval {
        let Value::Dict(id) = subject else {
            self.bind_all(entries.iter().map(|(_, pattern)| pattern));
            if let Some(name) = rest {
                self.store_name(name, Value::Unknown("part of an unknown value"));
            }
            if matches!(subject, Value::Range(_) | Value::Size(_)) {
                return Ok(Value::Bool(false));
            }
            return Ok(if self.may_be_container(subject) { UNDECIDED } else { Value::Bool(false) });
        };
        let Some(mut data) = self.heap.dict(*id).map(|data| (**data).clone()) else { return Ok(UNDECIDED) };
        let mut result = Value::Bool(true);
        for (key, pattern) in entries {
            let key = self.evaluate(key)?;
            let matches = match data.entries.iter().position(|(known, _)| known.same_key(&key)) {
                Some(position) => {
                    let (_, value) = data.entries.remove(position);
                    let value = self.read(&value);
                    self.match_pattern(pattern, &value)?
                }
                None if data.rest.is_some() => {
                    self.bind_all([pattern]);
                    UNDECIDED
                }
                None => return Ok(Value::Bool(false)),
            };
            match matches {
                Value::Bool(true) => {}
                Value::Bool(false) => return Ok(Value::Bool(false)),
                _ => result = UNDECIDED,
            }
        }
        if let Some(name) = rest {
            let remaining = Value::Dict(self.heap.allocate_dict(data.entries));
            self.store_name(name, remaining);
        }
        Ok(result)
    }

    fn match_class(
        &mut self,
        class: &Expr,
        positional: &[Pattern],
        keywords: &[(Name, Pattern)],
        subject: &Value,
    ) -> Eval {
        let span = self.span(class.range);
        let class = self.evaluate(class)?;
        let is_instance = self.instance_test(subject, &class);
        if let Value::Bool(false) = is_instance {
            return Ok(is_instance);
        }
        let fields = self.match_arguments(&class, positional.len(), subject, span)?;
        let mut parts: Vec<(&Pattern, Value)> = positional.iter().zip(fields).collect();
        for (name, pattern) in keywords {
            parts.push((pattern, self.get_attribute(subject, *name, span)?));
        }
        let matches = self.match_all(parts)?;
        Ok(match (is_instance, matches) {
            (_, Value::Bool(false)) => Value::Bool(false),
            (Value::Bool(true), matches) => matches,
            _ => UNDECIDED,
        })
    }

    /// What the positional patterns of a class are matched with: the value itself for built-in types, else the attributes that
    /// `__match_args__` names, which for a record are its fields.
    fn match_arguments(
        &mut self,
        class: &Value,
        count: usize,
        subject: &Value,
        span: harp_corpus::Span,
    ) -> Eval<Vec<Value>> {
        let builtin = matches!(class, Value::Library(name) if name.as_str().starts_with("builtins."));
        if builtin && count == 1 {
            return Ok(vec![subject.clone()]);
        }
        let names = match class {
            _ if let Some(Value::Tuple(names)) = self.fields_of_named_tuple(subject) => {
                names.iter().filter_map(|name| name.as_text().map(Name::new)).collect()
            }
            Value::Class(id) => match self.member_of(class, name!("__match_args__"), None) {
                Some(Value::Tuple(names)) => names.iter().filter_map(|name| name.as_text().map(Name::new)).collect(),
                _ => self.record_fields(*id),
            },
            _ => Vec::new(),
        };
        let mut values = Vec::with_capacity(count);
        for position in 0..count {
            values.push(match names.get(position) {
                Some(name) => self.get_attribute(subject, *name, span)?,
                None => self.symbolic("matched part", span, true),
            });
        }
        Ok(values)
    }

    /// Whether nothing excludes that the value is a sequence or a mapping. Objects of classes that derive from none are neither.
    fn may_be_container(&self, value: &Value) -> bool {
        let is_plain = matches!(value, Value::Instance(_))
            && (self.ends_at_object(&self.class_of(value))
                || (self.is_module(value) || self.is_enumeration(&self.class_of(value)))
                    && self.plain_of(value).is_none());
        is_open(value) && !is_plain
    }

    /// Binds the names of patterns that may match a value whose parts are not known.
    fn bind_all<'a>(&mut self, patterns: impl IntoIterator<Item = &'a Pattern>) {
        for pattern in patterns {
            match pattern {
                Pattern::Capture(Some(name)) | Pattern::Star(Some(name)) | Pattern::As { name, .. } => {
                    self.store_name(*name, Value::Unknown("part of an unknown value"));
                }
                Pattern::Sequence(parts) => self.bind_all(parts.iter()),
                _ => {}
            }
        }
    }
}

/// Whether nothing excludes that the value is a sequence or a mapping.
fn is_open(value: &Value) -> bool {
    value.is_unknown()
        || matches!(value, Value::Instance(_) | Value::Size(_) | Value::Alternatives(_) | Value::Range(_))
}
