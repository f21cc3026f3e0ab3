//! A call of an annotated API goes through five stages, each of which takes what the one before gave: the bound values are *reduced* to what the
//! operation needs, the operation *runs*, what it requires is *judged*, the call is *recorded* with its findings, and its output becomes the *result*.

use std::cell::Cell;

use crate::api::call_api::{
    Bound, Callee, DEEPEST_ARGUMENT, OPERATORS, TENSOR_PARAMETERS, in_the_library_s_names, into_given, is_number_like,
};
use crate::api::results::{Maker, assumptions_of};
use crate::calls::call::CallArguments;
use crate::heap::objects::InstanceData;
use crate::judge::alarms::Context;
use crate::judge::remedies::Call;
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::{Device, OperationId, Value};
use harp_annotations::{Behaviour, Effects};
use harp_operations::operation::{Arguments, Guess, Judged, Output, Remark};
use harp_python::name::Name;
use harp_shape::{Mark, Outcome, Reason, VarKind};
use harp_trace::assumption::AssumptionSet;
use harp_trace::{Remedy, Subject};

/// A call whose values are bound to the parameters of the API.
#[derive(Clone, Copy)]
pub(super) struct ApiCall<'a, 'p> {
    pub callee: Callee<'p>,
    pub bound: &'a Bound,
    /// So many of the values belong to the object that is called.
    pub own: usize,
    pub object: Option<&'a InstanceData>,
    /// The call as the program has it.
    pub call: &'a CallArguments,
}

/// What the operation gave, before its requirements were judged.
struct Ran {
    output: Output,
    required: Vec<Judged>,
    remarks: Vec<Remark>,
    /// The moment before anything was required.
    before: Mark,
    /// For what the solver spoke before.
    spoke_for: Option<Reason>,
}

/// A call of which it is known whether it fails.
struct Finished {
    output: Output,
    judged: Vec<Judged>,
    remarks: Vec<Remark>,
    /// What to write where a requirement fails, in their order.
    help: Vec<Option<Remedy>>,
    /// What a failing call would give had it been written as it was meant.
    meant: Option<Output>,
}

/// A call that is an operation of the graph, with its findings told.
struct Recorded {
    output: Output,
    operation: OperationId,
    device: Device,
}

impl<'p> Interpreter<'p> {
    pub(super) fn evaluate_api(&mut self, call: ApiCall<'_, 'p>) -> Eval {
        // What is said of one call is one text.
        let _names = harp_shape::naming::apart();
        let Some(arguments) = self.reduce(call) else { return Ok(self.anything(call)) };
        let Some((ran, guesses)) = self.run(call, &arguments) else { return Ok(self.anything(call)) };
        let finished = self.judge(call, &arguments, ran);
        let recorded = self.record(call, &arguments, finished)?;
        let assumptions = self.assumptions_of_call(call, &arguments, &recorded, guesses);
        self.result(call, recorded, assumptions)
    }

    /// What is given may be anything, and so may what the operation makes of it.
    fn anything(&mut self, ApiCall { callee, call, .. }: ApiCall<'_, 'p>) -> Value {
        self.symbolic(&format!("{}(…)", callee.api), call.span, true)
    }

    /// The bound values as what an operation takes; `None` where the user denied an assumption that one of them rests on.
    fn reduce(&mut self, ApiCall { callee, bound, own, call, .. }: ApiCall<'_, 'p>) -> Option<Arguments> {
        let Callee { spec, api } = callee;
        let is_opaque = matches!(spec.behaviour, Behaviour::Opaque(_));
        let denials = self.sizes.denials;
        if !is_opaque {
            bound.iter().for_each(|(_, value)| self.heed(value));
        }
        let mut arguments = Arguments::with_room_for(bound.len());
        for (index, (name, value)) in bound.iter().enumerate() {
            let is_given = index >= own;
            let is_tensor = is_given
                && (TENSOR_PARAMETERS.contains(&name.as_str())
                    || name.as_str() == "other" && self.has_known_shape(value))
                && !is_number_like(value);
            if self.inference.is_some() && is_given {
                self.refine_inputs(api, *name, value, call.span);
            }
            if is_given {
                self.refine_items(api, *name, value, call.span);
            }
            let value = &self.settled_axis(*name, value);
            let sizes = if is_given { self.sizes_given(spec, *name, value) } else { None };
            let argument = match sizes.or_else(|| self.long_range(*name, value)) {
                Some(argument) => argument,
                None => self.argument(value, is_tensor.then_some((api, call.span)), 0),
            };
            let is_renamed = is_given && !spec.renames.is_empty();
            let name = if is_renamed { Name::new(spec.argument_name(name.as_str())) } else { *name };
            arguments.push_named(name, argument);
        }
        if self.sizes.denials > denials && !is_opaque {
            return None;
        }
        self.models.operands_are_made(api, spec, &mut arguments);
        arguments.may_be_arrays =
            bound.iter().any(|(_, value)| matches!(value, Value::Tensor(tensor) if tensor.kind.is_open()));
        arguments.has_array_items = bound.iter().any(|(_, value)| self.has_arrays(value, DEEPEST_ARGUMENT));
        Some(arguments)
    }

    /// The operation as the library has it, under the reason that this place gives; `None` where the user denied what it guessed.
    fn run(&mut self, call: ApiCall<'_, 'p>, arguments: &Arguments) -> Option<(Ran, Vec<Guess>)> {
        let (Callee { spec, api }, span) = (call.callee, call.call.span);
        let spoke_for = self.learn_at(Some(span));
        let before = self.solver.mark();
        let (output, required, remarks, guesses) = self.run_operation(spec, api, arguments);
        if self.denies_guesses(api, &guesses, call.bound, span) {
            self.solver.rollback(before);
            self.solver.fixed_ranks.clear();
            self.solver.speak_for(spoke_for);
            return None;
        }
        Some((Ran { output, required, remarks, before, spoke_for }, guesses))
    }

    /// Which requirements fail, what mends them, and what the call would have given.
    fn judge(&mut self, call: ApiCall<'_, 'p>, arguments: &Arguments, ran: Ran) -> Finished {
        let ApiCall { callee, bound, object, call, .. } = call;
        let (Callee { spec, api }, span) = (callee, call.span);
        let Ran { output, required: mut judged, remarks, before, spoke_for } = ran;
        // What a file holds is decided by who gives it.
        if !spec.effects.has(Effects::IO) {
            self.note_sizes_by_chance(bound, &output);
        }
        self.forgive_wrong_guesses(callee, bound, arguments, span, &mut judged);
        self.judge_requirements(spec, arguments, &mut judged);
        self.refuse_data(api, bound, arguments, &mut judged);
        self.forgive_empty_ranges(api, span, &mut judged);
        self.solver.speak_for(spoke_for);
        let failing = Call { callee, given: arguments, bound, arguments: call, object, before };
        let help = self.remedies(&failing, &judged);
        let meant = self.as_it_was_meant(callee, arguments, &judged, object);
        let (output, judged, remarks) = in_the_library_s_names(spec, output, judged, remarks);
        Finished { output: into_given(output, arguments), judged, remarks, help, meant }
    }

    /// The call becomes an operation, changes what it changes, and its findings are told.
    ///
    /// # Errors
    /// Where a finding ends the way that the program takes.
    fn record(&mut self, whole: ApiCall<'_, 'p>, arguments: &Arguments, finished: Finished) -> Eval<Recorded> {
        let ApiCall { callee, bound, own, object, call } = whole;
        let (Callee { spec, api }, span) = (callee, call.span);
        let Finished { output, mut judged, remarks, help, meant } = finished;
        self.note_default_device(spec, bound);
        self.note_default_float(spec, bound);
        let device = self.device_of_call(spec, api, bound, span);
        let operation = self.record_operation(callee, bound, &output, device, span);
        self.note_change(spec, bound);
        self.forget_written_masks(spec, bound);
        self.follow_strides(api, bound, arguments, &output, operation, &mut judged);
        let output = self.in_memory(api, bound, output);
        let output = self.without_consequences(output, meant, &judged, object);
        let is_refused = judged.iter().any(|it| it.outcome == Outcome::Violated);
        if !is_refused && self.keep_if_fed(callee, bound, own, operation, span) {
            // Each run decides it.
            judged.retain(|it| !it.constraint.mentions(|var| var.kind() == VarKind::Free));
        }
        let subject = Subject::Operands;
        let context = Context { api, bound, object, call, operation, help: &help, subject };
        self.record_issues(&context, judged, remarks)?;
        self.state_nonempty(spec, api, bound, call);
        self.check_numbers(spec, api, bound, &output, span);
        Ok(Recorded { output, operation, device })
    }

    /// What the result rests on.
    fn assumptions_of_call(
        &mut self,
        ApiCall { callee: Callee { api, .. }, bound, call, .. }: ApiCall<'_, 'p>,
        arguments: &Arguments,
        recorded: &Recorded,
        guesses: Vec<Guess>,
    ) -> AssumptionSet {
        if let Some(run) = &mut self.inference {
            run.touches_library |= !OPERATORS.contains(&api.as_str().rsplit('.').next().unwrap_or(""));
        }
        let mut guessed = self.assume_guesses(api, guesses, bound, call.span);
        if self.inference.is_some()
            && let Some(assumption) = self.assume_accepted(api, arguments, &recorded.output, call.span)
        {
            guessed = guessed.with(assumption);
        }
        assumptions_of(bound)
            .union(&self.assumptions_in_lists(bound))
            .union(&guessed)
            .union(&self.guesses_behind(bound))
            .union(&self.taken_for_tensors(bound))
            .union(&self.taken_in_lists(api, bound, call.span))
    }

    /// The value that the program gets.
    fn result(
        &mut self,
        ApiCall { callee: Callee { spec, api }, bound, own, call, .. }: ApiCall<'_, 'p>,
        Recorded { output, operation, device }: Recorded,
        assumptions: AssumptionSet,
    ) -> Eval {
        let maker = Maker {
            spec,
            api,
            kind: self.result_kind(spec, api, bound, own),
            operation,
            device,
            origin: call.span,
            assumptions,
            bound,
            parts: Cell::new(0),
            gives_some: matches!(output, Output::Several(..)),
        };
        let value = self.value_of(output, &maker);
        let value = match &spec.numbers {
            Some(rule) => self.with_followed_numbers(rule, bound, value),
            None => self.with_elements(spec, api, bound, value),
        };
        Ok(self.models.result_is_made(self, api, bound, value))
    }
}
