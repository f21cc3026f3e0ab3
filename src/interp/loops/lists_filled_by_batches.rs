//! Lists that one pass over the mini-batches of a loader fills with an item for each: they have a row for each sample when they are joined, also
//! where the last mini-batch is smaller.

use std::rc::Rc;

use crate::heap::objects::{Content, Location, Payload};
use crate::inference::Growth;
use crate::state::interpreter::Interpreter;
use crate::values::value::{ObjectId, Residual, Value};
use harp_shape::{Constraint, Dim, Shape, Verdict};

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
    /// Notes the lists that a loop over batches has filled. Who leaves the loop early (`is_left`) has seen nobody knows how many.
    pub(crate) fn note_passes(&mut self, growth: &Growth, trips: Dim, residual: &Rc<Residual>, is_left: bool) {
        if is_left || !residual.certain || self.inference.is_some() {
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
            self.note_pass(id, Pass::new(example.clone(), trips, Some(residual)));
        }
    }

    /// Whether a pass over mini-batches filled a list, which was not changed since.
    pub(crate) fn is_filled_by_batches(&self, list: ObjectId) -> bool {
        self.model_state.passes.get(&list).is_some_and(|(known, _)| known.is_one_with(self.heap.payload(list)))
    }

    pub(crate) fn note_pass(&mut self, list: ObjectId, pass: Pass) {
        if self.heap.list(list).is_some_and(|data| data.rest.is_some()) {
            let payload: Payload = self.heap.payload(list).clone();
            self.model_state.passes.insert(list, (payload, pass));
        }
    }

    /// The size of what the items of such a list are joined to along an axis, of which the representative of all items has the size `one`.
    pub fn joined_size(&mut self, list: &Value, axis: i64, one: Dim) -> Option<Dim> {
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

    /// The shapes of the first and the last of the items of such a list, where they surely differ: `all` is the representative of all of them.
    pub fn uneven_shapes(&self, list: &Value, all: &Value) -> Option<(Shape, Shape)> {
        let pass = self.pass_of(list)?;
        let (batch, samples) = pass.uneven?;
        let (batch, samples) = (self.solver.resolve(batch).as_const()?, self.solver.resolve(samples).as_const()?);
        let dims_of = |value: &Value| match self.read(value) {
            Value::Tensor(tensor) => self.solver.resolve_shape(&tensor.shape).dims(),
            _ => None,
        };
        let (usual, all) = (dims_of(&pass.example)?, dims_of(all)?);
        if usual.len() != all.len() || batch <= 0 || samples % batch == 0 {
            return None;
        }
        // What is as large in all items stands in the representative as it is.
        let mut last = usual.clone();
        for (size, all) in last.iter_mut().zip(&all).filter(|(size, all)| size != all) {
            let rows = size.as_const().filter(|rows| all.as_const().is_none() && rows % batch == 0)?;
            *size = Dim::constant(rows / batch * (samples % batch));
        }
        (last != usual).then(|| (Shape::known(usual), Shape::known(last)))
    }

    /// How many items such a list has: as many as the loop had rounds.
    pub fn rounds_of(&self, list: &Value) -> Option<Dim> {
        self.pass_of(list).map(|pass| pass.count)
    }

    /// Whether a loop is known to have filled a list.
    pub fn is_pass(&self, list: &Value) -> bool {
        self.pass_of(list).is_some()
    }

    fn pass_of(&self, list: &Value) -> Option<&Pass> {
        let Value::List(id) = self.read(list) else { return None };
        self.model_state
            .passes
            .get(&id)
            .filter(|(known, _)| known.is_one_with(self.heap.payload(id)))
            .map(|(_, pass)| pass)
    }

    fn size_along(&self, value: &Value, axis: i64) -> Option<Dim> {
        let Value::Tensor(tensor) = self.read(value) else { return None };
        let dims = self.solver.resolve_shape(&tensor.shape).dims()?;
        let place = if axis < 0 { axis + i64::try_from(dims.len()).ok()? } else { axis };
        dims.get(usize::try_from(place).ok()?).copied()
    }
}
