//! Lists that a loop fills with an item a round: their length, and where one pass over the mini-batches of a loader fills them,
//! the row for each sample that they have when they are joined, also where the last mini-batch is smaller.

use std::rc::Rc;

use crate::interp::heap::{Content, Location, Payload};
use crate::interp::inference::Growth;
use crate::interp::loops::Iterated;
use crate::interp::machine::{Eval, Flow, Interpreter};
use crate::interp::mini_batches::Shortage;
use crate::interp::paths::Arm;
use crate::interp::value::{Literal, ObjectId, Residual, Value};
use crate::python::ir::{Expr, Stmt};
use crate::shape::{Constraint, Dim, Verdict};

/// What such a list was filled with.
#[derive(Clone, Debug)]
pub struct Pass {
    /// What a mini-batch of the usual size gave.
    example: Value,
    /// The number of mini-batches.
    count: Dim,
    /// Where there is a smaller one: the usual size, and the number of all samples.
    uneven: Option<(Dim, Dim)>,
}

impl Pass {
    pub fn new(example: Value, count: Dim, residual: Option<&Rc<Residual>>) -> Pass {
        Pass { example, count, uneven: residual.map(|residual| (residual.batch, residual.samples)) }
    }
}

impl Interpreter<'_> {
    /// The last mini-batch, which is smaller where the batch size does not divide the data set's length.
    pub(super) fn loop_residual(&mut self, target: &Expr, residual: &Residual, body: &[Stmt]) -> Eval<Flow> {
        let circumstance = format!("this is the last mini-batch, which is smaller because {}", residual.text);
        self.note_iteration(|_| format!("the last mini-batch, which is smaller because {}", residual.text));
        self.circumstances.push((circumstance, residual.origin));
        let flow = self.loop_last_batch(target, residual, body);
        self.circumstances.pop();
        flow
    }

    fn loop_last_batch(&mut self, target: &Expr, residual: &Residual, body: &[Stmt]) -> Eval<Flow> {
        if residual.certain {
            self.assign(target, residual.element.clone())?;
            return Ok(match self.iterate_body(body)? {
                Iterated::Continues => Flow::Normal,
                Iterated::Stops(flow) => flow,
            });
        }
        let decision = self.batch_decision(residual.origin, &residual.text, &residual.condition);
        match self.path.iter().find(|literal| literal.decision == decision) {
            Some(literal) if !literal.taken => return Ok(Flow::Normal),
            Some(_) => {
                self.assign(target, residual.element.clone())?;
                return Ok(match self.iterate_body(body)? {
                    Iterated::Continues => Flow::Normal,
                    Iterated::Stops(flow) => flow,
                });
            }
            None => {}
        }
        let arms = [true, false]
            .map(|taken| Arm {
                literals: vec![Literal { decision, taken }],
                constraint: taken.then(|| residual.condition.clone()),
            })
            .to_vec();
        self.explore(arms, |this, index| {
            if index == 1 {
                return Ok(Flow::Normal);
            }
            this.assign(target, residual.element.clone())?;
            Ok(match this.iterate_body(body)? {
                Iterated::Continues => Flow::Normal,
                Iterated::Stops(flow) => flow,
            })
        })
    }

    /// A loop of which only representatives of the items are known, and how often it runs.
    pub(super) fn loop_over_elements(
        &mut self,
        target: &Expr,
        elements: &[Value; 2],
        trips: Option<Dim>,
        residual: Option<Rc<Residual>>,
        body: &[Stmt],
    ) -> Eval<Flow> {
        match self.shortage(trips) {
            Some(Shortage::Certain) => return Ok(Flow::Normal),
            Some(Shortage::Possible(literal)) => self.keep_way_without_batches(literal),
            None => {}
        }
        let mut growth = Growth::new(self.heap.mark());
        let waiting = self.pending.len();
        match self.loop_growing(target, elements, trips, body, &mut growth)? {
            Flow::Normal => {}
            other => return Ok(other),
        }
        let flow = match &residual {
            Some(residual) => self.loop_residual(target, residual, body)?,
            None => Flow::Normal,
        };
        if let (Some(trips), Flow::Normal) = (trips, &flow) {
            let is_left = self.pending.len() > waiting;
            self.note_passes(&growth, trips, residual.as_ref(), is_left);
        }
        Ok(flow)
    }

    /// Notes the lists that a loop over batches has filled. Who leaves the loop early (`is_left`) has seen nobody knows how many.
    pub(super) fn note_passes(&mut self, growth: &Growth, trips: Dim, residual: Option<&Rc<Residual>>, is_left: bool) {
        let is_settled = residual.is_none_or(|residual| residual.certain);
        if is_left || !is_settled || self.inference.is_some() {
            return;
        }
        if self.solver.judge(&Constraint::LessEqual(Dim::constant(0), trips)) != Verdict::Holds {
            return;
        }
        for (location, old) in self.heap.old_since(growth.before()) {
            let (Location::Payload(id), Content::Payload(Payload::List(old))) = (location, old) else { continue };
            let Some(example) = growth.item_of_each(id) else { continue };
            if self.heap.is_newer(location, growth.before()) || old.rest.is_some() || !old.items.is_empty() {
                continue;
            }
            self.note_pass(id, Pass::new(example.clone(), trips, residual));
        }
    }

    pub(super) fn note_pass(&mut self, list: ObjectId, pass: Pass) {
        if self.heap.list(list).is_some_and(|data| data.rest.is_some()) {
            let payload: Payload = self.heap.payload(list).clone();
            self.passes.renew(list, (payload, pass));
        }
    }

    /// The size of what the items of such a list are joined to along an axis, of which the representative of all items has the size `one`.
    pub(super) fn joined_size(&mut self, list: &Value, axis: i64, one: Dim) -> Option<Dim> {
        let pass = self.pass_of(list)?.clone();
        let size = self.size_along(&pass.example, axis)?;
        if self.solver.resolve(one) == size {
            return Some(size * pass.count);
        }
        let (batch, samples) = pass.uneven?;
        let (size, batch) = (size.as_const()?, batch.as_const()?);
        // So many rows for each sample.
        (batch > 0 && size % batch == 0).then(|| samples * Dim::constant(size / batch))
    }

    /// How many items such a list has: as many as the loop had rounds.
    pub(super) fn rounds_of(&self, list: &Value) -> Option<Dim> {
        self.pass_of(list).map(|pass| pass.count)
    }

    /// Whether a loop is known to have filled a list.
    pub(super) fn is_pass(&self, list: &Value) -> bool {
        self.pass_of(list).is_some()
    }

    fn pass_of(&self, list: &Value) -> Option<&Pass> {
        let Value::List(id) = self.read(list) else { return None };
        self.passes.get(&id).filter(|(known, _)| known.is_one_with(self.heap.payload(id))).map(|(_, pass)| pass)
    }

    fn size_along(&self, value: &Value, axis: i64) -> Option<Dim> {
        let Value::Tensor(tensor) = self.read(value) else { return None };
        let dims = self.solver.resolve_shape(&tensor.shape).dims()?;
        let place = if axis < 0 { axis + i64::try_from(dims.len()).ok()? } else { axis };
        dims.get(usize::try_from(place).ok()?).copied()
    }
}
