//! Executes statements.

use std::rc::Rc;
use std::sync::Arc;

use crate::budget::costly_calls::EntryKind;
use crate::calls::call::CallArguments;
use crate::generators::suspension::Position;
use crate::heap::objects::{ListData, Payload, SymbolicData};
use crate::judge::filters::GUESSED_RANK;
use crate::judge::misused_values::Use;
use crate::paths::predicates::ASKED_OF;
use crate::state::interpreter::{Eval, Flow, Interpreter, Interrupt};
use crate::values::value::{Iteration, ObjectId, Value};
use harp_corpus::Span;
use harp_python::ir::{Expr, ExprKind, Stmt, StmtKind};
use harp_python::name::{Name, name};
use harp_shape::{Constraint, Dim};
use harp_trace::Subject;
use harp_trace::answers::Moment;
use harp_trace::assumption::AssumptionKind;

impl Interpreter<'_> {
    pub fn execute_block(&mut self, statements: &[Stmt]) -> Eval<Flow> {
        let first = if self.is_resuming() { self.first_statement() } else { 0 };
        for (index, statement) in statements.iter().enumerate().skip(first) {
            let result = self.execute_as_stated(statement);
            match result {
                Ok(Flow::Normal) => self.exceptions.raised.exception = None,
                Ok(Flow::Raise) | Err(Interrupt::Raise) => {
                    self.note_behind(statements.get(index + 1));
                    return Ok(Flow::Raise);
                }
                Ok(flow) => return Ok(flow),
                Err(other) => return self.leaving(Err(other), || Position::Statement(index)),
            }
            self.end_statement();
        }
        Ok(Flow::Normal)
    }

    /// Executes a statement between what comments say before and after it.
    fn execute_as_stated(&mut self, statement: &Stmt) -> Eval<Flow> {
        if !self.trace.answers.states_values() || self.is_resuming() {
            return self.execute(statement);
        }
        let start = statement.range.start;
        self.take_stated(start, Moment::Before)?;
        let flow = self.execute(statement)?;
        if matches!(flow, Flow::Normal) {
            self.take_stated(start, Moment::After)?;
        }
        Ok(flow)
    }

    fn execute(&mut self, statement: &Stmt) -> Eval<Flow> {
        self.within_statements(self.span(statement.range), |this| this.execute_kind(statement))
    }

    fn execute_kind(&mut self, statement: &Stmt) -> Eval<Flow> {
        self.step()?;
        self.show_statement(statement);
        match &statement.kind {
            StmtKind::Expr(expression) => {
                self.evaluate(expression)?;
            }
            StmtKind::Assign { targets, value } => {
                let value = match self.evaluate_spread(targets, value)? {
                    Some(items) => Value::tuple(items),
                    None => self.evaluate_held(value)?,
                };
                for target in targets {
                    self.assign(target, value.clone())?;
                }
            }
            StmtKind::AnnotatedAssign { target, annotation, value } => {
                if let Some(value) = value {
                    let value = self.evaluate_held(value)?;
                    let value = self.take_hint(annotation, target, value);
                    self.assign(target, value)?;
                }
            }
            StmtKind::AugmentedAssign { target, operator, value } => {
                let left = self.evaluate(target)?;
                let right = self.evaluate(value)?;
                let span = self.span(statement.range);
                let result = self.augmented(*operator, &left, &right, span)?;
                self.assign(target, result)?;
            }
            StmtKind::Return(value) => {
                let value = match value {
                    Some(value) => self.evaluate(value)?,
                    None => Value::None,
                };
                return Ok(Flow::Return(value));
            }
            StmtKind::Raise { exception, cause } => {
                let span = self.span(statement.range);
                return self.execute_raise(exception.as_ref(), cause.as_ref(), span);
            }
            StmtKind::Assert { test, message } => return self.execute_assert(test, message.as_ref()),
            // What an installed package says it gives is imported when it is asked for.
            StmtKind::If { .. } if self.replaces_running_module(statement) => {}
            StmtKind::If { test, body, orelse } => {
                if let Some(Position::Branch(branch)) = self.take_position(|it| matches!(it, Position::Branch(_))) {
                    let block = if branch == 0 { body } else { orelse };
                    return self.execute_part(block, || Position::Branch(branch));
                }
                let mut value = self.evaluate_condition(test)?;
                if matches!(value, Value::Bool(true))
                    && orelse.is_empty()
                    && body.last().is_some_and(stops)
                    && self.models.supply(self, test)?
                {
                    value = self.evaluate_condition(test)?;
                }
                if let Some(is_unset) = self.models.presumed(self, test)
                    && !(if is_unset { body } else { orelse }).last().is_some_and(stops)
                {
                    value = Value::Bool(is_unset);
                }
                if let Some(Stmt { kind: StmtKind::Raise { exception: Some(_), .. }, range }) = body.first()
                    && self.surely_is(&value, true)
                {
                    let place = self.span(*range);
                    self.report_guard("raise", test, false, place)?;
                }
                self.report_raise_at_defaults(&value, test, body)?;
                let span = self.span(test.range);
                return self.branch_on(&value, Some(test), span, |this, taken| {
                    this.coverage.note_arm(span, taken);
                    this.execute_part(if taken { body } else { orelse }, || Position::Branch(usize::from(!taken)))
                });
            }
            StmtKind::While { test, body, orelse } => return self.execute_while(statement, test, body, orelse),
            StmtKind::For { target, iterable, body, orelse } => {
                return self.counting([target].into_iter(), |this| {
                    this.execute_for(statement, target, iterable, body, orelse)
                });
            }
            StmtKind::With { items, body } => return self.execute_with(items, body),
            StmtKind::Try { body, handlers, orelse, finally } => {
                return self.execute_try(body, handlers, orelse, finally);
            }
            StmtKind::Match { subject, cases } => {
                if let Some(Position::Branch(case)) = self.take_position(|it| matches!(it, Position::Branch(_))) {
                    let block = cases.get(case).map_or(&[][..], |case| &case.body);
                    return self.execute_part(block, || Position::Branch(case));
                }
                let subject = self.evaluate(subject)?;
                return self.execute_cases(&subject, cases, 0);
            }
            StmtKind::Function(function) => self.define_function(function)?,
            StmtKind::Class(class) => self.define_class(class)?,
            StmtKind::Import(modules) => {
                for module in modules {
                    self.import_module(module)?;
                }
            }
            StmtKind::ImportFrom(import) => self.import_from(import, statement.range)?,
            StmtKind::Delete(targets) => {
                for target in targets {
                    self.delete(target)?;
                }
            }
            StmtKind::Break => return Ok(Flow::Break),
            StmtKind::Continue => return Ok(Flow::Continue),
            StmtKind::Global(_) | StmtKind::Nonlocal(_) | StmtKind::Pass => {}
            StmtKind::Unsupported { what } => {
                let span = self.span(statement.range);
                self.not_understood(&format!("statement: {what}"), span);
            }
        }
        Ok(Flow::Normal)
    }

    /// After an `assert`, its condition holds; where it certainly does not, the path ends.
    pub(crate) fn execute_assert(&mut self, test: &Expr, message: Option<&Expr>) -> Eval<Flow> {
        let mut value = self.evaluate_condition(test)?;
        if matches!(value, Value::Bool(false)) && self.models.supply(self, test)? {
            value = self.evaluate_condition(test)?;
        }
        let span = self.span(test.range);
        let is_literal = matches!(test.kind, ExprKind::Bool(_) | ExprKind::Int(_));
        if !is_literal && self.exceptions.caught == 0 && self.inference.is_none() && self.surely_is(&value, false) {
            // What comes after is not looked at, and the program surely does not fail each time that it is run.
            if !self.report_guard("assert", test, true, span)? {
                self.not_understood("an assertion that does not hold", span);
            }
        }
        self.report_guard_at_defaults("assert", &value, test, true, span)?;
        self.branch_on(&value, Some(test), span, |this, holds| {
            if holds {
                return Ok(Flow::Normal);
            }
            let message = match message {
                Some(message) if this.exceptions.caught > 0 => vec![this.evaluate(message)?],
                _ => Vec::new(),
            };
            let exception = this.new_exception(name!("builtins.AssertionError"), message, span);
            this.program_raises(Some(exception));
            Ok(Flow::Raise)
        })
    }

    fn define_function(&mut self, function: &Arc<harp_python::ir::Function>) -> Eval<()> {
        let mut closure = self.closure(function)?;
        if let Some(scope) = self.scope_of_type_parameters(&function.type_parameters) {
            closure.enclosing = [scope].into_iter().chain(closure.enclosing.iter().copied()).collect();
        }
        let closure = Rc::new(closure);
        let mut value = Value::Function(Rc::clone(&closure));
        let made = self.evaluate_decorators(&function.decorators)?;
        for (decorator, made) in function.decorators.iter().zip(made).rev() {
            value = self.decorate(decorator, made, value)?;
        }
        let is_itself = matches!(&value, Value::Function(known) if Arc::ptr_eq(&known.function, function));
        if let Some(frame) = self.frames.last().filter(|frame| frame.function.is_none() && !is_itself) {
            self.tables.decorated.insert((frame.locals, function.name), closure);
        }
        self.store_name(function.name, value);
        Ok(())
    }

    /// Binds `value` to a target.
    pub fn assign(&mut self, target: &Expr, value: Value) -> Eval<()> {
        match &target.kind {
            ExprKind::Name(name) => {
                self.name_result(&value, *name);
                if !self.perhaps_unbound.is_empty() {
                    self.is_bound_now(*name);
                }
                if let Value::Int(dim) = value
                    && self.is_in_inferred_function()
                {
                    self.name_dim(dim, *name);
                }
                let before = self.scope_of(*name).and_then(|scope| self.heap.attribute(scope, *name).cloned());
                self.note_rebinding(before.as_ref(), &value, self.span(target.range));
                self.store_name(*name, value);
            }
            ExprKind::Attribute { value: object, attribute, .. } => {
                let holder = self.evaluate(object)?;
                let span = self.span(target.range);
                self.models.attribute_is_set(self, (object, &holder), *attribute, &value, span)?;
                self.set_attribute(&holder, *attribute, value, span)?;
            }
            ExprKind::Subscript { value: container, index } => {
                let object = self.evaluate_changed(container)?;
                self.note_kind(container, &object);
                let index = self.evaluate_index(index)?;
                let span = self.span(target.range);
                self.set_item(&object, &index, value, span)?;
            }
            ExprKind::Tuple(targets) | ExprKind::List(targets) => self.unpack(targets, &value)?,
            ExprKind::Starred(inner) => self.assign(inner, value)?,
            _ => {}
        }
        Ok(())
    }

    /// A result of unknown type is called by the name that the program gives it. An answer keeps the question by which it is described.
    fn name_result(&mut self, value: &Value, name: Name) {
        let Value::Symbolic(id) = value else { return };
        let Some(data) = self.heap.symbolic(*id) else { return };
        let is_named = data.description.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.');
        let is_answer = || self.heap.attribute(*id, Name::new(ASKED_OF)).is_some();
        if data.is_result && data.refined.is_none() && !is_named && !is_answer() {
            let data = SymbolicData { description: Rc::from(name.as_str()), ..SymbolicData::clone(data) };
            self.heap.set_payload(*id, Payload::Symbolic(Rc::new(data)));
        }
    }

    /// Unpacks a value into targets, one of which may be starred.
    fn unpack(&mut self, targets: &[Expr], value: &Value) -> Eval<()> {
        // All items are taken, whatever becomes of them.
        let taken = match self.generator_id(value) {
            Some(id) => Some(Value::Iterator(Rc::new(self.take_rest(id)?))),
            None => None,
        };
        let value = taken.as_ref().unwrap_or(value);
        let starred = targets.iter().position(|target| matches!(target.kind, ExprKind::Starred(_)));
        let place = match targets {
            [first, .., last] => Some(Span { end: self.span(last.range).end, ..self.span(first.range) }),
            [only] => Some(self.span(only.range)),
            [] => None,
        };
        if let Some(place) = place {
            let known = self.read(value);
            self.use_misfits(&known, Use::Iteration, place);
        }
        let before = self.learn_at(place);
        let fails = self.unpacking_fails(value, targets.len(), starred.is_some(), place);
        let columns = if fails {
            Ok(vec![Value::Unknown("unpacked value"); targets.len()])
        } else {
            self.unpack_values(value, targets.len(), starred)
        };
        self.solver.speak_for(before);
        let columns = columns?;
        for (target, value) in targets.iter().zip(columns) {
            self.assign(target, value)?;
        }
        Ok(())
    }

    /// Reports a value that certainly has another number of items than there are targets, of which a starred one takes any number. Returns
    /// whether the items are none of its own.
    fn unpacking_fails(&mut self, value: &Value, width: usize, is_starred: bool, place: Option<Span>) -> bool {
        let value = self.read(value);
        let is_sequence = matches!(
            value,
            Value::Tuple(_)
                | Value::List(_)
                | Value::Size(_)
                | Value::Tensor(_)
                | Value::Iterator(_)
                | Value::Cursor(_)
        );
        if self.inference.is_some() || !self.is_judged_in_try("ValueError") || !is_sequence {
            return false;
        }
        if let Some(place) = place {
            self.refuse_rows_of_scalar(&value, place);
        }
        if !is_starred && self.rows_are_taken_for_columns(&value, width, place) {
            return true;
        }
        let size = self.length_of(&value).or_else(|| self.length_of_open(&value));
        let Some(size) = size.map(|length| self.solver.resolve(length)) else { return false };
        let Some(length) = self.solver.at_default(size).and_then(|length| usize::try_from(length).ok()) else {
            return false;
        };
        // An empty list is there to be filled, perhaps by what was not seen.
        if length == 0 && matches!(value, Value::List(_)) {
            return false;
        }
        // The parts of a text are as many as the setting has that it comes from.
        if let Value::List(id) = value
            && self.heap.list(id).is_some_and(|data| {
                !data.items.is_empty() && data.items.iter().all(|item| matches!(item, Value::Str(_)))
            })
            && self.rests_on_defaults()
        {
            return false;
        }
        // Where a condition of the path holds that is not known, it may be what tells one form of the value from another; not so of the
        // shape of what a script made.
        let is_shape = matches!(&value, Value::Tuple(items) if self.is_size(items) == Some(true));
        let is_certain = is_shape && self.entry.kind != EntryKind::Symbolic;
        let fits = if is_starred { length + 1 >= width } else { length == width };
        let Some(place) = place.filter(|_| !fits) else { return false };
        if self.is_of_guessed_rank(&value) {
            self.note_silenced(GUESSED_RANK, place, name!("tuple.__iter__"), "sizes that are unpacked");
            self.unproved("sizes of a tensor whose number of dimensions was guessed are unpacked", place);
            return true;
        }
        if !is_certain && !self.fails_on_every_way(place) {
            // The way ends here, should the value be what it seems to be.
            return size.as_const().is_some();
        }
        let problem = if length < width { "not enough" } else { "too many" };
        let names = match (is_starred, width) {
            (true, 2) => "1 name and a starred one".to_owned(),
            (true, _) => format!("{} names and a starred one", width - 1),
            (false, 1) => "1 name".to_owned(),
            (false, _) => format!("{width} names"),
        };
        let message = format!("{problem} values to unpack: there are {length} for {names}");
        let sign = if is_starred { "<" } else { "!=" };
        let least = if is_starred { width - 1 } else { width };
        let condition = size.as_const().is_none().then(|| format!("{size} {sign} {least}"));
        let subject = if is_shape { Subject::Operands } else { Subject::Unpacking };
        // What is around was found not to be there for it.
        let caught = std::mem::take(&mut self.exceptions.caught);
        let others = std::mem::take(&mut self.exceptions.caught_others);
        let least_count = Dim::constant(i64::try_from(least).unwrap_or(i64::MAX));
        let wanted = match is_starred {
            true => Constraint::LessEqual(least_count, size),
            false => Constraint::Equal(size, least_count),
        };
        let at_defaults =
            condition.as_ref().and_then(|_| self.broken_at_defaults(Some(&wanted), Some(&wanted.negated())));
        if let Some(known) = at_defaults {
            self.fails_as_it_stands(subject, "tuple.__iter__", message, known, place);
        } else if is_certain && condition.is_none() {
            self.fails_on_this_way(subject, "tuple.__iter__", message, place);
        } else {
            self.fails_always(subject, "tuple.__iter__", message, condition, place);
        }
        self.exceptions.caught = caught;
        self.exceptions.caught_others = others;
        true
    }

    /// Whether the running entry takes a setting for its default.
    fn rests_on_defaults(&self) -> bool {
        let kind = |id| self.trace.assumptions.get(id).map(|assumption| assumption.kind);
        self.entry.assumptions.iter().any(|id| kind(id) == Some(AssumptionKind::DefaultValue))
    }

    /// The values that `width` targets get, alternatives of the whole becoming alternatives of each. An alternative of another length
    /// is not the value, or the program would end here.
    pub(crate) fn unpack_values(&mut self, value: &Value, width: usize, starred: Option<usize>) -> Eval<Vec<Value>> {
        let value = self.read(value);
        if !matches!(value, Value::Alternatives(_)) {
            return self.unpack_one(&value, width, starred);
        }
        let whole =
            self.for_each_alternative(&value, |this, value| match this.length_of(&value).and_then(Dim::as_const) {
                Some(length) if starred.is_none() && usize::try_from(length) != Ok(width) => Err(Interrupt::Raise),
                _ => Ok(Value::tuple(this.unpack_one(&value, width, starred)?)),
            })?;
        let alternatives = match self.read(&whole) {
            Value::Tuple(items) => return Ok(items.to_vec()),
            Value::Alternatives(alternatives) => alternatives,
            _ => return Ok(vec![Value::Unknown("unpacked value"); width]),
        };
        let column = |index: usize| {
            let item = |value: &Value| match value {
                Value::Tuple(items) => items.get(index).cloned(),
                _ => None,
            };
            alternatives.iter().filter_map(|(guard, value)| Some((guard.clone(), item(value)?))).collect::<Vec<_>>()
        };
        Ok((0..width).map(|index| self.join(column(index))).collect())
    }

    fn unpack_one(&mut self, value: &Value, width: usize, starred: Option<usize>) -> Eval<Vec<Value>> {
        if let Value::Tensor(_) | Value::Symbolic(_) | Value::Size(_) = value
            && starred.is_none()
        {
            return self.unpack_opaque(value, width);
        }
        if starred.is_none()
            && let Some(items) = self.models.unpack(self, value, width)?
        {
            return Ok(items);
        }
        if matches!(value, Value::Int(_) | Value::Float(_) | Value::Ratio(_) | Value::Bool(_) | Value::None) {
            self.raise_if_caught("TypeError", "cannot unpack non-iterable object", self.current_span())?;
        }
        let iteration = self.iterate(value)?;
        let iteration = if starred.is_some() { self.itemised(iteration) } else { iteration };
        match iteration {
            Iteration::Items(items)
                if matches!(value, Value::Tuple(_))
                    && starred.is_none()
                    && self.rejects_unpacking(items.len(), width) =>
            {
                Err(Interrupt::Raise)
            }
            Iteration::Items(items) => {
                let fits = if starred.is_some() { items.len() + 1 >= width } else { items.len() == width };
                if !fits {
                    self.raise_if_caught("ValueError", "wrong number of values to unpack", self.current_span())?;
                }
                Ok(self.distribute(items, width, starred))
            }
            Iteration::Repeated { element, count, .. } => {
                if let (Some(count), None) = (count.or_else(|| self.length_of_open(value)), starred) {
                    self.require_count(count, width);
                }
                // Each item of an unknown sequence is a value of its own.
                let mut values = match value {
                    Value::Symbolic(_) | Value::List(_) => (0..width).map(|_| self.another(&element)).collect(),
                    _ => vec![element.clone(); width],
                };
                if let Some(index) = starred {
                    // Any number of items is left.
                    let data = ListData { items: Vec::new(), rest: Some(element) };
                    values[index] = Value::List(self.heap.allocate(Payload::List(Rc::new(data))));
                }
                if let (Value::Size(shape), Some(index)) = (value, starred)
                    && let Some((front, _, back)) = self.solver.split(shape, index, width - index - 1)
                {
                    let sizes = front.into_iter().chain(back).map(Value::Int);
                    let places = (0..width).filter(|place| *place != index);
                    for (place, size) in places.zip(sizes) {
                        values[place] = size;
                    }
                }
                Ok(values)
            }
            // `RED, GREEN, BLUE = range(3)`
            Iteration::Counter { start, step, stop } if starred.is_none() => {
                if let Some(stop) = stop
                    && step.as_const() == Some(1)
                {
                    self.require_count(stop - start, width);
                }
                Ok((0..width as i64).map(|index| Value::Int(start + Dim::constant(index) * step)).collect())
            }
            Iteration::Counter { .. } | Iteration::View { .. } => Ok(vec![Value::Unknown("unpacked items"); width]),
        }
    }

    fn distribute(&mut self, items: Vec<Value>, width: usize, starred: Option<usize>) -> Vec<Value> {
        let Some(index) = starred else {
            let mut items = items;
            items.resize(width, Value::Unknown("too few values to unpack"));
            return items;
        };
        let after = width - index - 1;
        let middle_end = items.len().saturating_sub(after).max(index.min(items.len()));
        let mut values: Vec<Value> = items.iter().take(index).cloned().collect();
        values.resize(index, Value::Unknown("too few values to unpack"));
        let middle = items.get(index.min(middle_end)..middle_end).unwrap_or_default().to_vec();
        values.push(Value::List(self.heap.allocate_list(middle)));
        values.extend(items.iter().skip(middle_end).cloned());
        values.resize(width, Value::Unknown("too few values to unpack"));
        values
    }

    fn delete(&mut self, target: &Expr) -> Eval<()> {
        match &target.kind {
            ExprKind::Name(name) => {
                if let Some(scope) = self.scope_of(*name) {
                    self.heap.delete_attribute(scope, *name);
                }
            }
            ExprKind::Attribute { value, attribute, .. } => {
                let object = self.evaluate(value)?;
                let span = self.span(target.range);
                self.delete_attribute(&object, *attribute, span)?;
            }
            ExprKind::Subscript { value, index } => {
                let object = self.evaluate_changed(value)?;
                let index = self.evaluate_index(index)?;
                let span = self.span(target.range);
                if let Some(method) = self.own_method(&self.read(&object), "__delitem__") {
                    self.call(&method, CallArguments::positional(vec![index], span))?;
                } else if let Value::Instance(id) = self.read(&object) {
                    self.models.delete_item(self, id, &index, span)?;
                } else {
                    self.delete_item(&object, &index);
                }
            }
            ExprKind::Tuple(targets) | ExprKind::List(targets) => {
                for target in targets {
                    self.delete(target)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// The namespace that a plain assignment to `name` writes to.
    pub fn scope_of(&self, name: Name) -> Option<ObjectId> {
        let frame = self.frames.last()?;
        let Some(function) = &frame.function else {
            let class = frame.class.filter(|_| frame.is_class_body).map(|class| self.heap.payload(class));
            let is_global =
                matches!(class, Some(Payload::Class(data)) if data.definition.globals.binary_search(&name).is_ok());
            return Some(if is_global { frame.globals } else { frame.locals });
        };
        if function.globals.contains(&name) {
            return Some(frame.globals);
        }
        if function.nonlocals.contains(&name) {
            return frame
                .enclosing
                .iter()
                .copied()
                .find(|scope| self.heap.attribute(*scope, name).is_some())
                .or(Some(frame.locals));
        }
        Some(frame.locals)
    }

    /// The scope around a definition with what stands between the brackets of `def f[T]` and `class C[T]`.
    pub(crate) fn scope_of_type_parameters(&mut self, names: &[Name]) -> Option<ObjectId> {
        if names.is_empty() {
            return None;
        }
        let scope = self.heap.allocate(Payload::Plain);
        for name in names {
            self.heap.set_attribute(scope, *name, Value::Unknown("a type parameter"));
        }
        Some(scope)
    }

    pub fn store_name(&mut self, name: Name, value: Value) {
        if let Some(scope) = self.scope_of(name) {
            self.heap.set_attribute(scope, name, value);
        }
    }
}

/// Whether a statement ends the program: it raises, or calls what exits by name.
pub(crate) fn stops(statement: &Stmt) -> bool {
    let call = match &statement.kind {
        StmtKind::Raise { .. } => return true,
        StmtKind::Expr(Expr { kind: ExprKind::Call(call), .. }) => call,
        _ => return false,
    };
    match &call.function.kind {
        ExprKind::Name(name) => matches!(name.as_str(), "exit" | "quit"),
        ExprKind::Attribute { attribute, .. } => matches!(attribute.as_str(), "exit" | "_exit" | "error"),
        _ => false,
    }
}
