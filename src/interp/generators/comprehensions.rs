//! Comprehensions and generator expressions as bodies that stop: of a generator expression all but what it first
//! iterates over is evaluated when an item is asked for.

use std::rc::Rc;
use std::sync::Arc;

use crate::evaluate::expressions::{collect_names, insert};
use crate::generators::generator_objects::{GeneratorData, State, Step};
use crate::heap::objects::{DictData, ListData, Payload};
use crate::loops::lists_filled_by_batches::Pass;
use crate::state::interpreter::{Eval, Flow, Frame, Interpreter};
use crate::values::value::{Iteration, ObjectId, Residual, Value};
use harp_corpus::Span;
use harp_python::ir::{Comprehension, ComprehensionKind, Generator};
use harp_python::name::Name;
use harp_shape::Dim;

/// Says of a list that nothing may have passed the test that its items passed; no name that a program can write.
pub(crate) const MAY_BE_EMPTY: &str = "#may be empty";

/// A generator expression that has not begun, or that stopped at an item.
#[derive(Clone, Debug)]
pub struct PausedExpression {
    pub frame: Frame,
    comprehension: Arc<Comprehension>,
    /// What its `for`s still iterate over, innermost last.
    levels: Vec<Level>,
}

#[derive(Clone, Debug)]
struct Level {
    depth: usize,
    over: Over,
}

#[derive(Clone, Debug)]
enum Over {
    Items {
        items: Rc<[Value]>,
        next: usize,
    },
    /// What is made when it is asked for.
    Source(Value),
    /// Items that are not known one by one.
    Open(Iteration),
}

impl PausedExpression {
    /// The values that it holds.
    pub fn values(&self) -> Vec<&Value> {
        let mut values = Vec::new();
        for level in &self.levels {
            match &level.over {
                Over::Items { items, .. } => values.extend(items.iter()),
                Over::Open(Iteration::Items(items)) => values.extend(items),
                Over::Source(source) => values.push(source),
                Over::Open(Iteration::Repeated { element, residual, .. }) => {
                    values.extend(std::iter::once(element).chain(residual.iter().map(|residual| &residual.element)));
                }
                Over::Open(Iteration::Counter { .. } | Iteration::View { .. }) => {}
            }
        }
        values
    }
}

/// How a generator expression went on.
enum Stepped {
    Item(Value, Vec<Level>),
    End,
    /// What follows is not known one by one.
    Open(Vec<Level>),
}

/// What a comprehension has yielded so far.
#[derive(Default)]
pub(crate) struct Collected {
    items: Vec<Value>,
    rest: Option<Value>,
    count: Option<Dim>,
    /// How many mini-batches it goes through, and the last of them.
    pass: Option<(Dim, Option<Rc<Residual>>)>,
    /// What the first of them gave.
    example: Option<Value>,
    /// Whether there are items of which it is not known whether they passed the tests.
    passed_a_test: bool,
}

/// Whether an item passes the tests of a comprehension.
enum Kept {
    Yes,
    No,
    /// Where this is so, which is asked there.
    Open(Value, Span),
}

impl Interpreter<'_> {
    pub(crate) fn evaluate_comprehension(&mut self, comprehension: &Arc<Comprehension>) -> Eval {
        if comprehension.kind == ComprehensionKind::Generator && self.inference.is_none() {
            return self.new_generator_expression(comprehension);
        }
        let targets = comprehension.generators.iter().map(|generator| &generator.target);
        self.counting(targets, |this| this.evaluate_at_once(comprehension))
    }

    /// All items of a comprehension now.
    pub(crate) fn evaluate_at_once(&mut self, comprehension: &Arc<Comprehension>) -> Eval {
        let mut collected = Collected::default();
        let is_class_body = self.frames.last().is_some_and(|frame| frame.is_class_body);
        if comprehension.has_closures || is_class_body {
            // Functions among the items share the names of the comprehension. The names of a class body are known where the comprehension begins,
            // and not within it.
            let Some(first) = comprehension.generators.first() else { return Ok(Value::Unknown("comprehension")) };
            let iterable = self.evaluate(&first.iterable)?;
            let iteration = self.iterate_at(&iterable, self.span(first.iterable.range))?;
            let scope = self.heap.allocate(Payload::Plain);
            let outer = self.frames.last_mut().map(|frame| enter_scope(frame, scope));
            let result = self.generate_over(comprehension, 0, iteration, false, &mut collected);
            if let (Some(frame), Some((locals, enclosing, around, is_class_body))) = (self.frames.last_mut(), outer) {
                (frame.locals, frame.enclosing) = (locals, enclosing);
                (frame.around, frame.is_class_body) = (around, is_class_body);
            }
            result?;
            return Ok(self.collect_with_length(comprehension, collected));
        }
        let saved = self.save_targets(&comprehension.generators);
        let result = self.generate(comprehension, 0, false, &mut collected);
        for (name, value) in saved {
            match value {
                Some(value) => self.store_name(name, value),
                None => {
                    if let Some(scope) = self.scope_of(name) {
                        self.heap.delete_attribute(scope, name);
                    }
                }
            }
        }
        result?;
        Ok(self.collect_with_length(comprehension, collected))
    }

    /// What was collected, as long as what was gone through where that is open.
    fn collect_with_length(&mut self, comprehension: &Comprehension, collected: Collected) -> Value {
        let length = collected.count.filter(|_| comprehension.generators.len() == 1 && collected.items.is_empty());
        let is_plain = comprehension.generators.len() == 1 && collected.items.is_empty();
        let pass = collected.pass.clone().zip(collected.example.clone()).filter(|_| is_plain);
        let may_be_empty = collected.passed_a_test && collected.items.is_empty();
        let made = self.collect(comprehension.kind, collected);
        if let (Value::List(list), true) = (&made, may_be_empty) {
            self.heap.set_attribute(*list, Name::new(MAY_BE_EMPTY), Value::Bool(true));
        }
        if let (Value::List(list), Some(((count, residual), example))) = (&made, pass) {
            self.note_pass(*list, Pass::new(example, count, residual.as_ref()));
        }
        if let Some(length) = length {
            self.note_length_of_open(&made, length);
        }
        made
    }

    /// Stores what `:=` binds: in the code around a comprehension.
    pub(crate) fn store_named(&mut self, name: Name, value: Value) {
        let around = self.frames.last().and_then(|frame| frame.around);
        let scope = self.scope_of(name);
        let own = self.frames.last().map(|frame| frame.locals);
        match around.filter(|_| scope == own) {
            Some(around) => self.heap.set_attribute(around, name, value),
            None => self.store_name(name, value),
        }
    }

    fn new_generator_expression(&mut self, comprehension: &Arc<Comprehension>) -> Eval {
        let mut levels = Vec::new();
        if let Some(first) = comprehension.generators.first() {
            let value = self.evaluate(&first.iterable)?;
            levels.push(Level { depth: 0, over: self.over(&value)? });
        }
        let scope = self.heap.allocate(Payload::Plain);
        let Some(running) = self.frames.last_mut() else { return Ok(Value::Unknown("generator expression")) };
        let yields = std::mem::take(&mut running.yields);
        let mut frame = Frame { stepping: None, block: None, yields_under: Vec::new(), ..running.clone() };
        running.yields = yields;
        enter_scope(&mut frame, scope);
        let comprehension = Arc::clone(comprehension);
        Ok(self.keep_generator(State::Expression(Rc::new(PausedExpression { frame, comprehension, levels }))))
    }

    fn over(&mut self, value: &Value) -> Eval<Over> {
        if let Some(source) = self.source_of(value)? {
            return Ok(Over::Source(source));
        }
        let iteration = self.iterate(value)?;
        Ok(match self.itemised(iteration) {
            Iteration::Items(items) => Over::Items { items: Rc::from(items), next: 0 },
            open => Over::Open(open),
        })
    }

    /// The next item of a generator expression.
    pub(crate) fn resume_expression(
        &mut self,
        id: ObjectId,
        data: &GeneratorData,
        paused: &Rc<PausedExpression>,
        _: Option<Span>,
    ) -> Eval<Step> {
        self.step()?;
        self.set_generator(id, State::Running);
        let base = self.heap.mark();
        let stepped = self
            .within_expression(id, paused, |this| this.step_expression(&paused.comprehension, paused.levels.clone()));
        match stepped {
            Ok(Stepped::Item(item, levels)) => {
                let paused = PausedExpression { levels, ..PausedExpression::clone(paused) };
                self.set_generator(id, State::Expression(Rc::new(paused)));
                Ok(Step::Item(item))
            }
            Ok(Stepped::End) => {
                self.set_generator(id, State::Ended(Value::None));
                Ok(Step::End(Value::None))
            }
            Ok(Stepped::Open(levels)) => {
                let paused = Rc::new(PausedExpression { levels, ..PausedExpression::clone(paused) });
                let rest = self.rest_of_expression(id, data, &paused)?;
                self.blur_since(base, id);
                Ok(self.step_of_rest(id, rest))
            }
            Err(interrupt) => {
                self.set_generator(id, State::Ended(Value::None));
                Err(interrupt)
            }
        }
    }

    /// All that a generator expression still gives.
    pub(crate) fn rest_of_expression(
        &mut self,
        id: ObjectId,
        _: &GeneratorData,
        paused: &Rc<PausedExpression>,
    ) -> Eval<Iteration> {
        self.set_generator(id, State::Running);
        let collected = self.within_expression(id, paused, |this| {
            let mut collected = Collected::default();
            for level in paused.levels.iter().rev() {
                let iteration = match &level.over {
                    Over::Items { items, next } => Iteration::Items(items.get(*next..).unwrap_or_default().to_vec()),
                    Over::Source(source) => this.iterate(source)?,
                    Over::Open(iteration) => iteration.clone(),
                };
                this.generate_over(&paused.comprehension, level.depth, iteration, false, &mut collected)?;
            }
            Ok(collected)
        });
        self.set_generator(id, State::Ended(Value::None));
        let Collected { mut items, rest, count, .. } = collected?;
        Ok(match rest {
            None => Iteration::Items(items),
            Some(element) if items.is_empty() => Iteration::Repeated { element, count, residual: None },
            Some(element) => {
                items.push(element);
                Iteration::Repeated { element: self.widen(&items), count: None, residual: None }
            }
        })
    }

    /// Runs in the scope of a generator expression.
    fn within_expression<T>(
        &mut self,
        id: ObjectId,
        paused: &PausedExpression,
        run: impl FnOnce(&mut Self) -> Eval<T>,
    ) -> Eval<T> {
        let outer = self.enter_generator(id, None);
        let (base, pending_base, path_base) = (self.heap.mark(), self.pending.len(), self.path.len());
        self.frames.push(Frame { base, pending_base, path_base, ..paused.frame.clone() });
        let result = run(self);
        self.frames.pop();
        self.leave_path(path_base);
        self.leave_generator(outer);
        result
    }

    fn step_expression(&mut self, comprehension: &Comprehension, mut levels: Vec<Level>) -> Eval<Stepped> {
        while let Some(level) = levels.last_mut() {
            self.step()?;
            let depth = level.depth;
            let item = match &mut level.over {
                Over::Items { items, next } => {
                    let item = items.get(*next).cloned();
                    *next += 1;
                    item
                }
                Over::Source(source) => {
                    let source = source.clone();
                    match self.ask_source(&source, None)? {
                        Step::Item(item) => Some(item),
                        Step::End(_) => None,
                        Step::Rest(rest) => {
                            level.over = Over::Open(rest);
                            return Ok(Stepped::Open(levels));
                        }
                    }
                }
                Over::Open(_) => return Ok(Stepped::Open(levels)),
            };
            let Some(item) = item else {
                levels.pop();
                continue;
            };
            let Some(generator) = comprehension.generators.get(depth) else { return Ok(Stepped::End) };
            self.assign(&generator.target, item.clone())?;
            match self.keeps(generator)? {
                Kept::No => {}
                Kept::Open(..) => {
                    levels.push(Level { depth, over: Over::Items { items: Rc::from([item]), next: 0 } });
                    return Ok(Stepped::Open(levels));
                }
                Kept::Yes => match comprehension.generators.get(depth + 1) {
                    None => {
                        let element = self.evaluate(&comprehension.element)?;
                        return Ok(Stepped::Item(element, levels));
                    }
                    Some(inner) => {
                        let value = self.evaluate(&inner.iterable)?;
                        let over = self.over(&value)?;
                        levels.push(Level { depth: depth + 1, over });
                    }
                },
            }
        }
        Ok(Stepped::End)
    }

    /// Whether the conditions behind a `for` hold.
    fn keeps(&mut self, generator: &Generator) -> Eval<Kept> {
        let mut kept = Kept::Yes;
        for condition in &generator.conditions {
            let value = self.evaluate_condition(condition)?;
            let span = self.span(condition.range);
            let arms = self.arms_for(&value, span);
            if arms.iter().all(|(_, truth)| !truth) {
                return Ok(Kept::No);
            }
            if arms.iter().any(|(_, truth)| !truth) {
                kept = Kept::Open(value, span);
            }
        }
        Ok(kept)
    }

    fn collect(&mut self, kind: ComprehensionKind, collected: Collected) -> Value {
        let Collected { items, rest, count, .. } = collected;
        match kind {
            ComprehensionKind::Dict => {
                let mut data = DictData::default();
                for item in items {
                    if let Value::Tuple(pair) = item
                        && let [key, value] = &pair[..]
                    {
                        let key = self.key_among(&data, key.clone());
                        insert(&mut data, key, value.clone());
                    }
                }
                if let Some(Value::Tuple(pair)) = rest
                    && let [key, value] = &pair[..]
                {
                    data.rest = Some((key.clone(), value.clone()));
                }
                let dict = self.heap.allocate_dict(Vec::new());
                self.heap.set_payload(dict, Payload::Dict(Rc::new(data)));
                Value::Dict(dict)
            }
            ComprehensionKind::Generator => Value::Iterator(Rc::new(match rest {
                None => Iteration::Items(items),
                Some(element) => Iteration::Repeated { element, count, residual: None },
            })),
            ComprehensionKind::List => {
                Value::List(self.heap.allocate(Payload::List(Rc::new(ListData { items, rest }))))
            }
            ComprehensionKind::Set => {
                let id = self.heap.allocate(Payload::List(Rc::new(ListData { items, rest })));
                let span = self.current_span();
                // What fails while items are compared fails in the comparison.
                let _ = self.keep_distinct(id, span);
                Value::Set(id)
            }
        }
    }

    fn save_targets(&self, generators: &[Generator]) -> Vec<(Name, Option<Value>)> {
        let mut names = Vec::new();
        for generator in generators {
            collect_names(&generator.target, &mut names);
        }
        let locals = |name: Name| {
            let scope = self.scope_of(name)?;
            self.heap.attribute(scope, name).cloned()
        };
        names.into_iter().map(|name| (name, locals(name))).collect()
    }

    fn generate(
        &mut self,
        comprehension: &Comprehension,
        depth: usize,
        is_repeated: bool,
        collected: &mut Collected,
    ) -> Eval<()> {
        let Some(generator) = comprehension.generators.get(depth) else {
            let element = self.evaluate(&comprehension.element)?;
            let item = match &comprehension.value {
                Some(value) => {
                    let value = self.evaluate(value)?;
                    Value::tuple(vec![element, value])
                }
                None => element,
            };
            if is_repeated {
                collected.rest = Some(match collected.rest.take() {
                    Some(before) => self.widen(&[before, item]),
                    None => {
                        collected.example = collected.pass.is_some().then(|| item.clone());
                        item
                    }
                });
            } else {
                collected.items.push(item);
            }
            return Ok(());
        };
        let iterable = self.evaluate(&generator.iterable)?;
        let iteration = self.iterate_at(&iterable, self.span(generator.iterable.range))?;
        self.generate_over(comprehension, depth, iteration, is_repeated, collected)
    }

    fn generate_over(
        &mut self,
        comprehension: &Comprehension,
        depth: usize,
        iteration: Iteration,
        is_repeated: bool,
        collected: &mut Collected,
    ) -> Eval<()> {
        let Some(generator) = comprehension.generators.get(depth) else { return Ok(()) };
        // The last mini-batch is of another size: so many items do not all have that of the representative.
        let residual = match &iteration {
            Iteration::Repeated { residual, .. } => residual.clone(),
            _ => None,
        };
        let (mut items, exact, count) = self.sample(iteration);
        if !exact && depth == 0 {
            let is_settled = residual.as_ref().is_none_or(|residual| residual.certain);
            collected.count = count.filter(|_| residual.is_none());
            collected.pass =
                count.filter(|count| is_settled && count.as_const().is_some()).map(|count| (count, residual.clone()));
            items.extend(residual.filter(|_| collected.pass.is_some()).map(|residual| residual.element.clone()));
        }
        for item in items {
            self.step()?;
            self.assign(&generator.target, item)?;
            match self.keeps(generator)? {
                Kept::No => collected.pass = None,
                Kept::Yes => self.generate(comprehension, depth + 1, is_repeated || !exact, collected)?,
                Kept::Open(test, span) => {
                    collected.count = None;
                    collected.pass = None;
                    collected.passed_a_test = true;
                    self.branch(&test, span, |this, passes| {
                        if passes {
                            this.generate(comprehension, depth + 1, true, collected)?;
                        }
                        Ok(Flow::Normal)
                    })?;
                }
            }
        }
        Ok(())
    }
}

/// Gives a frame a scope for the names of a comprehension; returns its scopes before, and whether it was that of a class body.
fn enter_scope(frame: &mut Frame, scope: ObjectId) -> (ObjectId, Rc<[ObjectId]>, Option<ObjectId>, bool) {
    let outer = (frame.locals, Rc::clone(&frame.enclosing), frame.around, frame.is_class_body);
    let own = (frame.locals != frame.globals && !frame.is_class_body).then_some(frame.locals);
    frame.enclosing = own.into_iter().chain(outer.1.iter().copied()).collect();
    frame.around = Some(frame.around.unwrap_or(frame.locals));
    frame.locals = scope;
    frame.is_class_body = false;
    outer
}
