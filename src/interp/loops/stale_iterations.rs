//! Iterations that show nothing new. A loop that trains counts its steps and keeps its losses, so that its state never settles; but its iterations
//! run the same operations on the same shapes. Once several of them in turn did, and found nothing, those that are left need not be executed one by one.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use crate::heap::objects::LogMark;
use crate::loops::loop_statements::{Begin, STEPS_OF_A_SHORT_LOOP};
use crate::state::interpreter::Interpreter;
use harp_shape::{Dim, Element, Remembered, Shape, remembered};

/// So many iterations in turn have to be like the one before.
const ALIKE: usize = 3;
/// A loop with fewer iterations left is executed to its end.
const FEW_LEFT: usize = 8;
/// Layers and tables that a loop builds are told apart up to so many iterations.
const BUILT_ONE_BY_ONE: usize = 32;

/// What the iterations of a loop have shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Watch {
    begin: Begin,
    /// Steps that the loop may take before its iterations are compared.
    patience: u64,
    operations: usize,
    issues: usize,
    mark: LogMark,
    made: Remembered,
    /// The operations of the last iteration.
    last: Option<u64>,
    alike: usize,
}

impl Interpreter<'_> {
    /// A loop begins. What tests its counter may do something else later, and is followed further.
    pub(crate) fn watch(&self, begin: Begin, decides: bool) -> Watch {
        Watch {
            begin,
            patience: if decides { 5 * STEPS_OF_A_SHORT_LOOP } else { STEPS_OF_A_SHORT_LOOP },
            operations: self.trace.operations.len(),
            issues: self.trace.issues.len(),
            mark: self.heap.mark(),
            made: remembered(),
            last: None,
            alike: 0,
        }
    }

    /// An iteration begins.
    pub(crate) fn watch_iteration(&self, watch: &mut Watch) {
        watch.operations = self.trace.operations.len();
        watch.issues = self.trace.issues.len();
        watch.mark = self.heap.mark();
        watch.made = remembered();
    }

    /// The iteration of this number is over. Whether those after it, `left` of them, show nothing that it and those before it did not.
    pub(crate) fn is_stale(&self, watch: &mut Watch, index: usize, left: Option<usize>) -> bool {
        let known = Some(self.operations_since(watch.operations, watch.made));
        let is_alike = watch.last == known && self.trace.issues.len() == watch.issues;
        watch.alike = if is_alike { watch.alike + 1 } else { 0 };
        watch.last = known;
        let used = self.steps.saturating_sub(watch.begin.steps);
        watch.alike >= ALIKE
            && used > watch.patience
            && left.is_none_or(|left| left > FEW_LEFT)
            && self.inference.is_none()
            && (index >= BUILT_ONE_BY_ONE || !self.heap.builds_since(watch.mark))
    }

    /// The operations since then, by their places and what is known of the shapes that they gave.
    fn operations_since(&self, start: usize, made: Remembered) -> u64 {
        let mut hasher = FxHasher::default();
        for operation in self.trace.operations.get(start..).unwrap_or_default() {
            operation.span.hash(&mut hasher);
            operation.shape.as_ref().map(|shape| outline(shape, made)).hash(&mut hasher);
        }
        hasher.finish()
    }
}

/// The sizes of a shape, but for those that rest on what was made since: iterations make sizes of the same kind anew.
fn outline(shape: &Shape, made: Remembered) -> Vec<Option<Dim>> {
    let size = |element: &Element| match element {
        Element::Dim(dim) => Some(*dim).filter(|dim| dim.vars().into_iter().all(|var| made.has(var))),
        _ => None,
    };
    shape.elements().iter().map(size).collect()
}
