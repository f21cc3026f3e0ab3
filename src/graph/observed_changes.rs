//! Rows on expressions that were seen to read, in iterations of a loop, what the loop changes: tensors that are changed
//! in place under another name, through a container, an object or a view, and what a property or `__getitem__` of the
//! program draws anew. The text does not show these.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::host::{ExpressionId, Host, StatementId};
use crate::{Program, callee};
use harp_annotations::{ApiSpec, Effects};
use harp_corpus::Span;
use harp_python::name::Name;
use harp_trace::ids::OperationId;
use harp_trace::{Given, OperationRecord};

/// So many views of views, and operations of operations, are looked through.
const MOST_STEPS: usize = 16;

/// A tensor: the operation that gave it, and for a value of no operation the number of its source.
pub type Tensor = (OperationId, u32);

/// Expressions with the loops in which they were seen to read what these change, and the expressions around them.
pub fn observed(program: Program<'_>, host: &Host) -> FxHashSet<(ExpressionId, StatementId)> {
    let mut observed = FxHashSet::default();
    let loops: FxHashMap<Span, StatementId> = host.loops().map(|(id, _)| (host.statement(id).span, id)).collect();
    if loops.is_empty() {
        return observed;
    }
    let places = Observer::of(program).places();
    if places.is_empty() {
        return observed;
    }
    for index in 0..host.expressions.len() {
        let mut at = Some(ExpressionId(index as u32));
        let Some(loops_of_place) = places.get(&host.span_of(ExpressionId(index as u32))) else { continue };
        while let Some(id) = at {
            observed.extend(loops_of_place.iter().filter_map(|place| Some((id, *loops.get(place)?))));
            at = host.expression(id).parent();
        }
    }
    observed
}

/// For places of what is subscripted, the memory of what was seen there, and the tensor that it was.
pub fn memories_of(program: Program<'_>, places: &[Span]) -> Vec<Vec<(Tensor, Tensor)>> {
    let observer = Observer::of(program);
    let mut memories = vec![Vec::new(); places.len()];
    for record in &program.trace.operations {
        let is_subscript = record.api.as_str().ends_with("item__");
        let Some(given) = record.given.first().filter(|_| is_subscript) else { continue };
        let is_there = |place: &Span| {
            place.file == record.span.file && place.start == record.span.start && place.end <= record.span.end
        };
        for (at, _) in places.iter().enumerate().filter(|(_, place)| is_there(place)) {
            let part = if given.operation == OperationId::NONE { given.part } else { 0 };
            let memory = (observer.memory_of(given), (given.operation, part));
            if !memories[at].contains(&memory) {
                memories[at].push(memory);
            }
        }
    }
    memories
}

/// The memory of what operations within a statement were seen to read, besides what stands at these places.
pub fn memories_besides(program: Program<'_>, statement: Span, places: &[Span]) -> FxHashSet<Tensor> {
    let observer = Observer::of(program);
    let is_within =
        |span: Span| span.file == statement.file && statement.start <= span.start && span.end <= statement.end;
    let is_there = |span: Span| places.iter().any(|place| place.start == span.start && place.end <= span.end);
    let mut memories = FxHashSet::default();
    let is_place = |record: &OperationRecord| record.api.as_str().ends_with("item__") && is_there(record.span);
    // An element that was read at one of the places is a number of its own.
    let is_element = |given: &&Given| program.trace.operation(given.operation).is_some_and(is_place);
    for record in program.trace.operations.iter().filter(|record| is_within(record.span)) {
        // The first that a subscript is given is what stands at the place.
        let given = record.given.iter().skip(usize::from(is_place(record))).filter(|given| !is_element(given));
        memories.extend(given.map(|given| observer.memory_of(given)));
    }
    memories
}

struct Observer<'a> {
    program: Program<'a>,
    specs: FxHashMap<Name, Option<&'a ApiSpec>>,
}

impl<'a> Observer<'a> {
    fn of(program: Program<'a>) -> Observer<'a> {
        let mut specs: FxHashMap<Name, Option<&ApiSpec>> = FxHashMap::default();
        for record in &program.trace.operations {
            let has_tensor = record.shape.is_some();
            specs.entry(record.api).or_insert_with(|| callee::known_one(program, record.api, has_tensor).spec);
        }
        Observer { program, specs }
    }

    fn spec(&self, record: &OperationRecord) -> Option<&'a ApiSpec> {
        self.specs.get(&record.api).copied().flatten()
    }

    /// The places of operations, with the loops that change what they read.
    fn places(&self) -> FxHashMap<Span, FxHashSet<Span>> {
        let mut changed: FxHashSet<(Tensor, Span)> = FxHashSet::default();
        for record in self.program.trace.operations.iter().filter(|record| !record.loops.is_empty()) {
            let Some(spec) = self.spec(record) else { continue };
            for given in record.given.iter().filter(|given| spec.effects.writes(given.parameter.as_str())) {
                changed.extend(record.loops.iter().map(|around| (self.memory_of(given), *around)));
            }
        }
        let mut places: FxHashMap<Span, FxHashSet<Span>> = FxHashMap::default();
        let drawn = self.drawn_by_hidden_calls();
        for record in self.program.trace.operations.iter().filter(|record| !record.loops.is_empty()) {
            for given in record.given.iter() {
                let memory = self.memory_of(given);
                let is_own = |around: &&Span| {
                    changed.contains(&(memory, **around))
                        || self.steps_before(given, around, &drawn).is_some_and(|steps| steps < MOST_STEPS)
                };
                for around in record.loops.iter().filter(is_own) {
                    places.entry(record.span).or_default().insert(*around);
                }
            }
        }
        places
    }

    fn maker(&self, operation: OperationId) -> Option<&'a OperationRecord> {
        self.program.trace.operation(operation)
    }

    /// The tensor whose memory a value lies in: views are looked through.
    fn memory_of(&self, given: &Given) -> Tensor {
        let mut at = *given;
        for _ in 0..MOST_STEPS {
            let Some(record) = self.maker(at.operation) else { return (OperationId::NONE, at.part) };
            let is_view = self.spec(record).is_some_and(|spec| spec.effects.has(Effects::VIEWS));
            match record.given.first().filter(|_| is_view) {
                Some(whole) => at = *whole,
                None => break,
            }
        }
        (at.operation, 0)
    }

    /// For each operation and each loop around it, how many steps before it code that stands elsewhere, and runs in the loop, made what differs
    /// from call to call: 0 where that is the operation itself, and `None` where there is no such code.
    fn drawn_by_hidden_calls(&self) -> Vec<Vec<Option<usize>>> {
        let mut drawn: Vec<Vec<Option<usize>>> = Vec::with_capacity(self.program.trace.operations.len());
        for record in &self.program.trace.operations {
            let is_own = || {
                let spec = self.spec(record);
                spec.is_none_or(|spec| spec.effects.has(Effects::RNG) || spec.effects.has(Effects::IO))
            };
            let is_drawn = !record.loops.is_empty() && is_own();
            let steps = |around: &Span| {
                let stands_there = record.span.file == around.file
                    && around.start <= record.span.start
                    && record.span.end <= around.end;
                match () {
                    () if stands_there => None,
                    () if is_drawn => Some(0),
                    // What is given ran before.
                    () => {
                        let before = record.given.iter();
                        before.filter_map(|given| Some(self.steps_before(given, around, &drawn)? + 1)).min()
                    }
                }
            };
            let of_loops = record.loops.iter().map(steps).collect();
            drawn.push(of_loops);
        }
        drawn
    }

    fn steps_before(&self, given: &Given, around: &Span, drawn: &[Vec<Option<usize>>]) -> Option<usize> {
        let index = (given.operation.0 as usize).checked_sub(1)?;
        let place = self.maker(given.operation)?.loops.iter().position(|other| other == around)?;
        drawn.get(index)?.get(place).copied()?
    }
}
