//! Iterations that are not executed: what is left of a loop where an entry goes in haste and the last iteration showed nothing new. It stands for them.

use crate::inference::list_lengths::Growth;
use crate::loops::novelty::Watch;
use crate::state::interpreter::{Eval, Flow, Interpreter};
use crate::values::value::Value;
use harp_python::ir::Expr;
use harp_shape::Dim;

impl Interpreter<'_> {
    /// Ends a loop behind the iteration that was watched last, where that is done in haste: the loop's target becomes an item that stands for those that
    /// are `left`, and what the iteration changed becomes anything that it may be after as many of its kind. `None` where they are to be executed.
    pub(crate) fn skip_rest(&mut self, target: &Expr, item: &Value, left: usize, watch: &Watch) -> Eval<Option<Flow>> {
        if !self.is_in_haste() {
            return Ok(None);
        }
        let mark = watch.iteration();
        let mut growth = Growth::new(mark, true);
        growth.note_iteration(&self.heap, mark);
        self.widen_since(mark);
        self.forget_drifting(mark);
        self.note_lengths(&growth, Dim::constant(left as i64 + 1));
        self.assign_item(target, item.clone())?;
        Ok(Some(Flow::Normal))
    }
}
