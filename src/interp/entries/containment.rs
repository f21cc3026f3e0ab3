//! The borders of an entry: a panic, or a ceiling of the process that is reached, ends the entry that runs and nothing else.

use crate::entries::entry_points::Moment;
use crate::heap::objects::LogMark;
use crate::loops::unused_sizes::LoopMoment;
use crate::state::interpreter::{Eval, Interpreter, Interrupt};
use crate::values::value::OperationId;
use harp_corpus::Span;
use harp_limits::{Ceiling, Stopped, fault_point, reached, ticks_done, watched};
use harp_python::project::ModuleId;
use harp_trace::defect_of_entry::DefectOfEntry;

/// An entry may take such a part of the ticks that are left for the project: a few that take as many as they can leave some for all others.
const PART_FOR_AN_ENTRY: u64 = 4;

/// What ran out where Harp itself is wrong.
pub const DEFECT: &str = "a defect in Harp";

impl Interpreter<'_> {
    /// Runs something of an entry. Where a panic or a ceiling ends it, that is a bound which ran out.
    pub(crate) fn contained<T>(
        &mut self,
        (name, span): (&str, Span),
        run: impl FnOnce(&mut Self) -> Eval<T>,
    ) -> Eval<T> {
        self.within_borders((name, span), |this| {
            fault_point("entry", name);
            run(this)
        })
    }

    fn within_borders<T>(&mut self, (name, span): (&str, Span), run: impl FnOnce(&mut Self) -> Eval<T>) -> Eval<T> {
        let ticks = (self.work.watch.ticks_left() / PART_FOR_AN_ENTRY).min(self.options.limits.ticks);
        let stopped = match watched(self.work.watch.with_ticks(ticks), || run(self)) {
            Ok(result) => return result,
            Err(stopped) => stopped,
        };
        self.leave_everything_at_once();
        match stopped {
            Stopped::Ceiling(ceiling) => Err(self.exhaust(ceiling.name())),
            Stopped::Defect(defect) => {
                self.trace.defects.push(DefectOfEntry { defect, entry: name.to_owned(), span });
                Err(self.exhaust(DEFECT))
            }
        }
    }

    /// The same for work between entries. After a panic in it nothing can be said of what the state is: no further entry runs.
    pub(crate) fn contained_between(&mut self, place: (&str, Span), run: impl FnOnce(&mut Self)) {
        let result = self.within_borders(place, |this| {
            run(this);
            Ok(())
        });
        if matches!(result, Err(Interrupt::Budget(DEFECT))) {
            self.work.is_out_of_order = true;
        }
    }

    /// Takes back what the running entry has made, as it took more memory than there is. What it has found stays.
    pub(crate) fn release_memory(&mut self, moment: Moment, operations: usize, issues: usize) {
        self.go_back(moment);
        self.forget_dims(moment);
        self.trace.operations.truncate(operations);
        self.model_state.fed.forget_after(operations);
        self.trace.operations.shrink_to_fit();
        for issue in self.trace.issues.iter_mut().skip(issues) {
            // The operations that they tell of are no more.
            issue.operation = OperationId::NONE;
            issue.operands.iter_mut().for_each(|operand| operand.operation = OperationId::NONE);
        }
    }

    /// Notes that a module, which was the last entry, takes more memory than there is.
    pub(crate) fn note_too_large(&mut self, module: ModuleId, as_main: bool) {
        if self.entry.exhausted == Some(Ceiling::Memory.name()) {
            self.work.too_large.push((module, as_main));
        }
    }

    /// The ceiling of the process that the running entry has reached, as a bound that ran out.
    pub(crate) fn ceiling_reached(&mut self) -> Option<Interrupt> {
        let of_import = (ticks_done() > self.work.imports.end).then_some(Ceiling::Work);
        of_import.or_else(reached).map(|ceiling| self.exhaust(ceiling.name()))
    }

    /// Forgets what was running when an unwinding passed by: what each part of the interpreter puts back behind itself was not put back.
    fn leave_everything_at_once(&mut self) {
        self.leave_everything();
        self.why = None;
        self.loops.iterations.clear();
        self.loops.base = LogMark::default();
        self.loops.moment = LoopMoment::default();
        self.caches.resolving.clear();
        self.calls.classes_in_making.clear();
        self.calls.generated.clear();
        self.model_state.replicas.clear();
        self.exceptions.caught = 0;
        self.exceptions.handled.clear();
        self.exceptions.raised = Default::default();
        self.calls.next_block = None;
        self.calls.last_generator = None;
        self.suspension = Default::default();
        self.model_state.tracing = Default::default();
        self.sizes.shared = Default::default();
        self.solver.loop_lengths.clear();
        self.solver.fixed_ranks.clear();
        self.work.costs.begin();
        self.work.imports.leave();
        self.forget_summaries();
        self.entry.defaults.others.end_run();
    }
}
