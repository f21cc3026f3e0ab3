//! Iteration over `zip`, `enumerate`, `map` and their like of lazy sources: they ask in their turn, item by item.

use std::rc::Rc;

use crate::builtins::containers::map_iteration;
use crate::calls::call::CallArguments;
use crate::generators::generator_objects::{State, Step};
use crate::paths::truth::Truth;
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::{Iteration, ObjectId, Value};
use harp_corpus::Span;
use harp_shape::Dim;

/// So many items are taken one by one where all are wanted.
const MOST_ITEMS: usize = 4096;

/// What stands between others and what they take their items from.
#[derive(Clone, Debug)]
pub enum Adapter {
    Zip {
        sources: Vec<Value>,
        /// What stands in the place of sources that ended before others.
        fill: Option<Value>,
    },
    Enumerate {
        source: Value,
        next: Dim,
    },
    Map {
        function: Value,
        sources: Vec<Value>,
        span: Span,
    },
    Filter {
        function: Value,
        source: Value,
        span: Span,
    },
    /// The items of a source from `start` to `stop`, each `step`th; `at` counts those that were taken.
    Slice {
        source: Value,
        at: usize,
        start: usize,
        stop: Option<usize>,
        step: usize,
    },
    /// The sources that are left, the first of which may have begun, and what gives further ones.
    Chain {
        sources: Vec<Value>,
        others: Option<Value>,
    },
    /// A source and what it gave, which comes again.
    Cycle {
        source: Option<Value>,
        given: Rc<[Value]>,
        at: usize,
    },
    Count {
        next: Dim,
        step: Dim,
    },
    /// Items that are alike, of which so many are left, where that is known.
    Alike {
        element: Value,
        left: Option<Dim>,
    },
}

impl Adapter {
    /// The values that it holds.
    pub fn values(&self) -> Vec<&Value> {
        match self {
            Adapter::Zip { sources, fill } => sources.iter().chain(fill).collect(),
            Adapter::Enumerate { source, .. } | Adapter::Slice { source, .. } => vec![source],
            Adapter::Map { function, sources, .. } => sources.iter().chain([function]).collect(),
            Adapter::Filter { function, source, .. } => vec![function, source],
            Adapter::Chain { sources, others } => sources.iter().chain(others).collect(),
            Adapter::Cycle { source, given, .. } => source.iter().chain(given.iter()).collect(),
            Adapter::Count { .. } => Vec::new(),
            Adapter::Alike { element, .. } => vec![element],
        }
    }
}

fn any(element: Value) -> Step {
    Step::Rest(Iteration::Repeated { element, count: None, residual: None })
}

impl Interpreter<'_> {
    /// Whether the items of any of these values are made, or taken, one by one.
    pub fn are_lazy(&mut self, values: &[Value]) -> bool {
        self.inference.is_none()
            && values.iter().any(|value| {
                let value = self.read(value);
                match value {
                    Value::Cursor(_) => true,
                    Value::Instance(_) => self.own_method(&value, "__iter__").is_some(),
                    _ => false,
                }
            })
    }

    /// What a value's items are taken from.
    pub fn make_source(&mut self, value: &Value) -> Eval {
        if let Some(source) = self.source_of(value)? {
            return Ok(source);
        }
        if let Value::Cursor(_) = self.read(value) {
            return Ok(self.read(value));
        }
        let iteration = self.iterate(value)?;
        Ok(match self.itemised(iteration) {
            Iteration::Items(items) => self.new_cursor(items),
            Iteration::Counter { start, step, stop: None } => self.adapt(Adapter::Count { next: start, step }),
            open => Value::Iterator(Rc::new(open)),
        })
    }

    pub fn sources_of(&mut self, values: &[Value]) -> Eval<Vec<Value>> {
        values.iter().map(|value| self.make_source(value)).collect()
    }

    pub fn adapt(&mut self, adapter: Adapter) -> Value {
        self.keep_generator(State::Adapter(Rc::new(adapter)))
    }

    /// The next item of an adapter.
    pub(crate) fn resume_adapter(&mut self, id: ObjectId, adapter: &Adapter) -> Eval<Step> {
        self.step()?;
        self.set_generator(id, State::Running);
        let mut adapter = adapter.clone();
        let step = self.step_adapter(&mut adapter);
        let state = match &step {
            Ok(Step::Item(_)) => State::Adapter(Rc::new(adapter)),
            Ok(Step::Rest(rest)) => State::Rest(rest.clone()),
            Ok(Step::End(_)) | Err(_) => State::Ended(Value::None),
        };
        self.set_generator(id, state);
        step
    }

    /// All that an adapter still gives.
    pub(crate) fn rest_of_adapter(&mut self, id: ObjectId, adapter: &Adapter) -> Eval<Iteration> {
        if let Adapter::Alike { element, left } = adapter {
            // Whoever goes over them may stop before the end.
            let (rest, count) = (element.clone(), *left);
            self.set_generator(id, State::Adapter(Rc::new(Adapter::Alike { element: rest, left: None })));
            let count = count.map(|left| self.solver.resolve(left).max(Dim::constant(0)));
            return Ok(Iteration::Repeated { element: element.clone(), count, residual: None });
        }
        self.set_generator(id, State::Running);
        let mut adapter = adapter.clone();
        let mut items = Vec::new();
        let rest = loop {
            self.step()?;
            match self.step_adapter(&mut adapter)? {
                Step::Item(item) if items.len() < MOST_ITEMS => items.push(item),
                Step::End(_) => break Iteration::Items(items),
                Step::Rest(rest) if items.is_empty() => break rest,
                Step::Rest(rest) => {
                    items.extend(self.sample(rest).0);
                    break Iteration::Repeated { element: self.widen(&items), count: None, residual: None };
                }
                Step::Item(_) => {
                    break Iteration::Repeated { element: self.widen(&items), count: None, residual: None };
                }
            }
        };
        self.set_generator(id, State::Ended(Value::None));
        Ok(rest)
    }

    fn step_adapter(&mut self, adapter: &mut Adapter) -> Eval<Step> {
        match adapter {
            Adapter::Alike { element, left } => {
                if left.is_some_and(|left| self.solver.resolve(left).as_const().is_some_and(|left| left <= 0)) {
                    return Ok(Step::End(Value::None));
                }
                // A loop that stands for many iterations takes any number of them.
                *left = left.filter(|_| self.loops.abstract_loops == 0).map(|left| left - Dim::ONE);
                let element = element.clone();
                Ok(Step::Item(self.another(&element)))
            }
            Adapter::Zip { sources, fill } => {
                let fill = fill.clone();
                self.step_row(sources, fill)
            }
            Adapter::Enumerate { source, next } => Ok(match self.ask_source(source, None)? {
                Step::Item(item) => {
                    let number = *next;
                    *next = number + Dim::ONE;
                    Step::Item(Value::tuple(vec![Value::Int(number), item]))
                }
                Step::Rest(rest) => {
                    let from = *next;
                    Step::Rest(map_iteration(self, rest, |this, item| {
                        Ok(Value::tuple(vec![Value::Int(from + this.free_dim("i", 0)), item]))
                    })?)
                }
                end => end,
            }),
            Adapter::Map { function, sources, span } => {
                let (function, span) = (function.clone(), *span);
                Ok(match self.step_row(sources, None)? {
                    Step::Item(row) => Step::Item(called_with(self, &function, row, span)?),
                    Step::Rest(rest) => {
                        Step::Rest(map_iteration(self, rest, |this, row| called_with(this, &function, row, span))?)
                    }
                    end => end,
                })
            }
            Adapter::Filter { function, source, span } => self.step_filter(function, source, *span),
            Adapter::Slice { source, at, start, stop, step } => loop {
                if stop.is_some_and(|stop| *at >= stop) {
                    return Ok(Step::End(Value::None));
                }
                self.step()?;
                match self.ask_source(source, None)? {
                    Step::Item(item) => {
                        let is_meant = *at >= *start && (*at - *start) % *step == 0;
                        *at += 1;
                        if is_meant {
                            return Ok(Step::Item(item));
                        }
                    }
                    Step::Rest(rest) => return Ok(self.any_of(rest)),
                    end => return Ok(end),
                }
            },
            Adapter::Chain { sources, others } => self.step_chain(sources, others),
            Adapter::Cycle { source, given, at } => self.step_cycle(source, given, at),
            Adapter::Count { next, step } => {
                let number = *next;
                *next = number + *step;
                Ok(Step::Item(Value::Int(number)))
            }
        }
    }

    fn any_of(&mut self, rest: Iteration) -> Step {
        match self.sample(rest).0.as_slice() {
            [] => Step::End(Value::None),
            items => any(self.widen(items)),
        }
    }

    /// An item of each of some sources, to the end of the first that ends, or of the last where others are filled up.
    fn step_row(&mut self, sources: &[Value], fill: Option<Value>) -> Eval<Step> {
        let mut row = Vec::with_capacity(sources.len());
        let mut has_ended = sources.is_empty();
        let mut goes_on = false;
        for (index, source) in sources.iter().enumerate() {
            match (self.ask_source(source, None)?, &fill) {
                (Step::Item(item), _) => {
                    row.push(item);
                    goes_on = true;
                }
                (Step::End(_), Some(fill)) => row.push(fill.clone()),
                (Step::End(_), None) => {
                    has_ended = true;
                    break;
                }
                (Step::Rest(rest), _) => return self.rest_of_rows(sources, &row, (index, rest)),
            }
        }
        let is_end = has_ended || fill.is_some() && !goes_on;
        Ok(if is_end { Step::End(Value::None) } else { Step::Item(Value::tuple(row)) })
    }

    /// Rows of sources of which one is not known item by item.
    fn rest_of_rows(&mut self, sources: &[Value], row: &[Value], (open, rest): (usize, Iteration)) -> Eval<Step> {
        let mut rest = Some(rest);
        let mut column = Vec::with_capacity(sources.len());
        let mut batches = None;
        for (index, source) in sources.iter().enumerate() {
            let taken = row.get(index).cloned();
            let left = match rest.take_if(|_| index == open) {
                Some(rest) => rest,
                None => self.rest_of_source(source)?,
            };
            if let Iteration::Repeated { residual: Some(residual), .. } = &left {
                batches = Some((index, Rc::clone(residual)));
            }
            let mut items: Vec<Value> = taken.into_iter().collect();
            items.extend(self.sample(left).0);
            if items.is_empty() {
                return Ok(Step::End(Value::None));
            }
            column.push(self.widen(&items));
        }
        let residual = batches.map(|(index, residual)| {
            let mut last = column.clone();
            last[index] = residual.element.clone();
            Rc::new(crate::values::value::Residual { element: Value::tuple(last), ..(*residual).clone() })
        });
        Ok(Step::Rest(Iteration::Repeated { element: Value::tuple(column), count: None, residual }))
    }

    fn step_filter(&mut self, function: &Value, source: &Value, span: Span) -> Eval<Step> {
        loop {
            self.step()?;
            let item = match self.ask_source(source, None)? {
                Step::Item(item) => item,
                Step::Rest(rest) => return Ok(self.any_of(rest)),
                end => return Ok(end),
            };
            let verdict = match function {
                Value::None => item.clone(),
                function => self.call(function, CallArguments::positional(vec![item.clone()], span))?,
            };
            match self.truth(&verdict) {
                Truth::Known(true) => return Ok(Step::Item(item)),
                Truth::Known(false) => {}
                _ => {
                    let rest = self.rest_of_source(source)?;
                    let mut items = vec![item];
                    items.extend(self.sample(rest).0);
                    return Ok(any(self.widen(&items)));
                }
            }
        }
    }

    fn step_chain(&mut self, sources: &mut Vec<Value>, others: &mut Option<Value>) -> Eval<Step> {
        loop {
            self.step()?;
            let rest = match (sources.first().cloned(), others.clone()) {
                (Some(first), _) => match self.ask_source(&first, None)? {
                    Step::Item(item) => return Ok(Step::Item(item)),
                    Step::End(_) => {
                        sources.remove(0);
                        continue;
                    }
                    Step::Rest(rest) => rest,
                },
                (None, Some(other)) => match self.ask_source(&other, None)? {
                    Step::Item(item) => {
                        sources.push(self.make_source(&item)?);
                        continue;
                    }
                    Step::End(_) => return Ok(Step::End(Value::None)),
                    Step::Rest(rest) => {
                        let parts = self.sample(rest).0;
                        *sources = self.sources_of(&parts)?;
                        *others = None;
                        Iteration::Items(Vec::new())
                    }
                },
                (None, None) => return Ok(Step::End(Value::None)),
            };
            let mut items = self.sample(rest).0;
            if let Some(other) = others.take() {
                let parts = self.rest_of_source(&other)?;
                let parts = self.sample(parts).0;
                sources.extend(self.sources_of(&parts)?);
            }
            for source in sources.iter() {
                let rest = self.rest_of_source(source)?;
                items.extend(self.sample(rest).0);
            }
            return Ok(if items.is_empty() { Step::End(Value::None) } else { any(self.widen(&items)) });
        }
    }

    fn step_cycle(&mut self, source: &mut Option<Value>, given: &mut Rc<[Value]>, at: &mut usize) -> Eval<Step> {
        if let Some(from) = source.clone() {
            match self.ask_source(&from, None)? {
                Step::Item(item) => {
                    *given = given.iter().cloned().chain([item.clone()]).collect();
                    return Ok(Step::Item(item));
                }
                Step::End(_) => *source = None,
                Step::Rest(rest) => {
                    let mut items = given.to_vec();
                    items.extend(self.sample(rest).0);
                    return Ok(if items.is_empty() { Step::End(Value::None) } else { any(self.widen(&items)) });
                }
            }
        }
        let Some(item) = given.get(*at % given.len().max(1)).cloned() else { return Ok(Step::End(Value::None)) };
        *at = (*at + 1) % given.len().max(1);
        Ok(Step::Item(item))
    }
}

fn called_with(interpreter: &mut Interpreter<'_>, function: &Value, row: Value, span: Span) -> Eval {
    match row {
        Value::Tuple(row) => interpreter.call(function, CallArguments::positional(row.to_vec(), span)),
        _ => Ok(interpreter.symbolic("map", span, true)),
    }
}
