//! Branches: arms are executed one after the other from the same state and merged; what stays different becomes a value with guarded
//! alternatives, so that a chain of branches stays linear wherever the arms agree.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::heap::objects::{Content, Delta, Location, LogMark, Payload};
use crate::inference::Choice;
use crate::paths::arm_effects::{ArmDelta, held_by_arms};
use crate::paths::reachability::Split;
use crate::state::interpreter::{Eval, Flow, Interpreter, Interrupt, Pending};
use crate::values::value::{Guard, Literal, ObjectId, Value};
use harp_shape::Constraint;
use harp_trace::route::{Route, StepKind};

/// So many places are merged in the time of a step.
const PLACES_OF_A_STEP: u64 = 16;

/// One way on.
#[derive(Clone, Debug, Default)]
pub struct Arm {
    pub literals: Vec<Literal>,
    /// What holds on this way.
    pub constraint: Option<Constraint>,
}

/// How an arm ended, its changes undone.
pub struct ArmResult<T> {
    pub literals: Vec<Literal>,
    pub constraint: Option<Constraint>,
    pub outcome: Eval<T>,
    pub delta: ArmDelta,
    pub route: Route,
    /// What a constructor that runs asserts on this way.
    pub guards: Vec<Constraint>,
}

impl Interpreter<'_> {
    /// Whether a guard can hold on the current path.
    fn is_consistent(&self, guard: &[Literal]) -> bool {
        let mut compound = guard.iter().filter(|literal| literal.taken && self.path.may_be_compound(literal.decision));
        !self.path.opposes(guard)
            && compound.all(|literal| !self.contradicts_path(literal))
            && self.leaves_a_way_to(guard)
    }

    /// The value on the current path: alternatives that cannot be the case are dropped.
    pub fn read(&self, value: &Value) -> Value {
        let Value::Alternatives(alternatives) = value else {
            return self.refined(value);
        };
        let Some(first) = alternatives.iter().position(|(guard, _)| self.is_consistent(guard)) else {
            return Value::Unknown("no alternative fits this path");
        };
        let is_possible = |index: &usize| self.is_consistent(&alternatives[*index].0);
        let others: Vec<usize> = (first + 1..alternatives.len()).filter(is_possible).collect();
        let value = self.refined(&alternatives[first].1);
        if others.is_empty() {
            return value;
        }
        // Mostly all are possible, and none is what was found out since.
        let is_settled = |value: &Value| !matches!(value, Value::Symbolic(id) if self.refinement(*id).is_some());
        if others.len() + 1 == alternatives.len() && alternatives.iter().all(|(_, value)| is_settled(value)) {
            let is_one = alternatives.iter().all(|(_, other)| other.same(&value));
            return if is_one { value } else { Value::Alternatives(Rc::clone(alternatives)) };
        }
        let kept = others.iter().map(|index| &alternatives[*index]);
        let kept = kept.map(|(guard, value)| (Rc::clone(guard), self.refined(value)));
        let kept: Vec<(Guard, Value)> = [(Rc::clone(&alternatives[first].0), value)].into_iter().chain(kept).collect();
        let first = &kept[0].1;
        if kept.iter().all(|(_, value)| value.same(first)) {
            return first.clone();
        }
        Value::Alternatives(Rc::new(kept))
    }

    /// What a symbolic value turned out to be.
    fn refined(&self, value: &Value) -> Value {
        if let Value::Symbolic(id) = value
            && let Some(refined) = self.refinement(*id)
        {
            return refined.clone();
        }
        value.clone()
    }

    fn refinement(&self, id: ObjectId) -> Option<&Value> {
        self.heap.symbolic(id)?.refined.as_ref()
    }

    /// Executes each arm from the current state and undoes it. `at_end` says whether anybody may go on from where the arm ended.
    pub fn run_arms<T>(
        &mut self,
        arms: Vec<Arm>,
        mut run: impl FnMut(&mut Self, usize) -> Eval<T>,
        mut at_end: impl FnMut(&mut Self, &Eval<T>, usize) -> bool,
    ) -> Vec<ArmResult<T>> {
        if self.inference.is_some() && arms.len() > 1 {
            return vec![self.run_one_arm(arms, run, at_end)];
        }
        let base = self.heap.mark();
        let route = self.route.clone();
        let path_length = self.path.len();
        let was_contradictory = self.solver.is_contradictory();
        let violated_at_start = self.entry.violated.len();
        let mut results = Vec::with_capacity(arms.len());
        let mut on_all_arms: Option<Vec<usize>> = None;
        let settled_before = self.entry.settled_defaults.len();
        for (index, arm) in arms.into_iter().enumerate() {
            let solver_mark = self.solver.mark();
            let pending_before = self.pending.len();
            let violated_before = self.entry.violated.len();
            let guards_before = self.guards_passed();
            self.path.extend(arm.literals.iter().copied(), &self.decisions);
            if let Some(constraint) = &arm.constraint {
                self.assume_at(&arm.literals, constraint);
            }
            // What the arm supposes of sizes may contradict what the path knows of them.
            let is_possible = was_contradictory || !self.solver.is_contradictory();
            self.suspension.arms += 1;
            self.executions.turn();
            let outcome = if is_possible { run(self, index) } else { Err(Interrupt::Raise) };
            self.suspension.arms -= 1;
            let own = self.first_own_object(base, pending_before);
            let goes_on = at_end(self, &outcome, own);
            let literals = self.path[path_length..].to_vec();
            let guards = self.take_passed(guards_before);
            let delta = if goes_on { self.heap.delta_of_arm(base, own) } else { ArmDelta::default() };
            self.heap.undo_all_but(base, own);
            self.solver.rollback(solver_mark);
            self.path.truncate(path_length);
            let way = std::mem::replace(&mut self.route, route.clone());
            if !matches!(outcome, Err(Interrupt::Raise)) {
                let here = self.entry.violated.get(violated_before..).unwrap_or_default();
                on_all_arms = Some(match on_all_arms {
                    None => here.to_vec(),
                    Some(before) => before.into_iter().filter(|issue| here.contains(issue)).collect(),
                });
            }
            let out_of_budget = matches!(outcome, Err(Interrupt::Budget(_)));
            results.push(ArmResult { literals, constraint: arm.constraint, outcome, delta, route: way, guards });
            if out_of_budget {
                break;
            }
        }
        self.executions.turn();
        self.keep_settled_defaults(settled_before);
        // What only some arms violate is not certain here.
        let on_all_arms = on_all_arms.unwrap_or_default();
        self.entry.violated.truncate(violated_at_start);
        self.entry.violated.extend(&on_all_arms);
        self.drop_conditions(&on_all_arms);
        results
    }

    /// Takes one arm for good, where each run follows one path.
    fn run_one_arm<T>(
        &mut self,
        mut arms: Vec<Arm>,
        mut run: impl FnMut(&mut Self, usize) -> Eval<T>,
        mut at_end: impl FnMut(&mut Self, &Eval<T>, usize) -> bool,
    ) -> ArmResult<T> {
        let count = arms.len();
        let index = self.inference.as_ref().map_or(0, |inference| inference.choices.next(count));
        let key: Vec<&str> = arms
            .iter()
            .flat_map(|arm| arm.literals.last())
            .filter_map(|literal| Some(&*self.decisions.get(literal.decision.0 as usize)?.text))
            .collect();
        let key = key.join(" | ");
        let arm = arms.swap_remove(index);
        if let Some(inference) = &mut self.inference {
            let (literals, constraint) = (arm.literals.clone(), arm.constraint.clone());
            inference.choices.made.push(Choice { taken: index, arms: count, literals, constraint, key });
        }
        self.path.extend(arm.literals.iter().copied(), &self.decisions);
        if let Some(constraint) = &arm.constraint {
            self.solver.assume(constraint);
        }
        let outcome = if self.solver.is_contradictory() { Err(Interrupt::Raise) } else { run(self, index) };
        let objects = self.heap.len();
        at_end(self, &outcome, objects);
        // Nothing was undone, so there is nothing to resume.
        let delta = ArmDelta::default();
        let (route, guards) = (self.route.clone(), Vec::new());
        ArmResult { literals: Vec::new(), constraint: None, outcome, delta, route, guards }
    }

    /// Forgets the decisions taken since the path was so long; a run that follows one path keeps them.
    pub fn leave_path(&mut self, length: usize) {
        if self.inference.is_none() {
            self.path.truncate(length);
        }
    }

    /// What is violated on every arm does not depend on which one is taken.
    fn drop_conditions(&mut self, issues: &[usize]) {
        if issues.is_empty() {
            return;
        }
        let conditions = self.path_conditions();
        let is_left_to_callers = self.is_left_to_callers();
        for &index in issues {
            if let Some(issue) = self.trace.issues.get_mut(index)
                && issue.conditions.len() > conditions.len()
            {
                issue.is_conditional = !conditions.is_empty();
                issue.conditions.clone_from(&conditions);
                issue.left_to_callers = issue.left_to_callers.filter(|_| is_left_to_callers);
            }
        }
    }

    /// Takes the condition of an arm as given, because of the place where the program asks.
    fn assume_at(&mut self, literals: &[Literal], constraint: &Constraint) {
        let decision = literals.last().and_then(|literal| self.decisions.get(literal.decision.0 as usize));
        let before = self.learn_at(decision.and_then(|decision| decision.place));
        self.solver.assume(constraint);
        self.settle_powers();
        self.solver.speak_for(before);
    }

    /// Goes on in the one arm that survived: its changes, its literals and its condition hold from here on.
    fn resume<T>(&mut self, result: &ArmResult<T>) {
        for (location, content) in &result.delta.changes {
            self.heap.store(*location, content.clone());
        }
        self.path.extend(result.literals.iter().copied(), &self.decisions);
        self.route = result.route.clone();
        if let Some(constraint) = &result.constraint {
            self.assume_at(&result.literals, constraint);
        }
    }

    /// Goes on in the one arm of several that survived, and notes what became of the others.
    fn resume_only<T>(&mut self, result: &ArmResult<T>, arms: usize, ends: bool) {
        let base = self.route.clone();
        self.resume(result);
        let parted = self.route.apart_from(&base).first().map(|step| step.span);
        if let Some(span) = parted.filter(|_| arms > 1) {
            self.note_step(StepKind::OnlyWay { ends }, span, |_| String::new());
        }
    }

    /// Executes statements under each arm; those that end normally are merged, those that leave the block wait as pending exits.
    pub fn explore(&mut self, arms: Vec<Arm>, run: impl FnMut(&mut Self, usize) -> Eval<Flow>) -> Eval<Flow> {
        let pending_before = self.pending.len();
        let results = self.run_arms(arms, run, Self::note_exit);
        let mut normal = Vec::new();
        let mut raising = Vec::new();
        let arms = results.len();
        for result in results {
            match result.outcome {
                Err(Interrupt::Budget(what)) => return Err(Interrupt::Budget(what)),
                Ok(Flow::Normal) => normal.push(result),
                Ok(Flow::Raise) | Err(Interrupt::Raise) => raising.push(result.literals),
                _ => {}
            }
        }
        if raising.len() < arms {
            self.state_guards(&raising);
        }
        match normal.len() {
            0 if self.pending.len() > pending_before => Ok(self.take_last_exit()),
            0 => Ok(Flow::Raise),
            1 => {
                let ends = self.pending.len() == pending_before;
                if ends {
                    self.settled.extend(normal[0].literals.iter().copied());
                }
                if ends && raising.len() + 1 == arms {
                    self.note_passed_arm(&normal[0]);
                }
                self.resume_only(&normal[0], arms, ends);
                Ok(Flow::Normal)
            }
            _ => {
                let mut known = self.merge(&normal);
                if normal.len() < arms {
                    known.extend(self.hold_one_of(&normal, &known));
                }
                if self.pending.len() == pending_before {
                    self.settled.extend(known);
                }
                Ok(Flow::Normal)
            }
        }
    }

    /// Keeps an early exit of an arm, with the state it leaves in, before the arm is undone but for its own objects.
    /// Says whether the arm goes on.
    fn note_exit(&mut self, outcome: &Eval<Flow>, own: usize) -> bool {
        let base = match outcome {
            Ok(Flow::Return(_)) => self.frames.last().map(|frame| frame.base),
            Ok(Flow::Continue) => self.loops.iterations.last().map(|(iteration, _)| *iteration),
            Ok(Flow::Break) => self.loops.iterations.last().map(|(_, whole)| *whole),
            _ => None,
        };
        if let (Some(base), Ok(exit)) = (base, outcome) {
            let delta = self.heap.delta_of_arm(base, own);
            self.pay_for(&delta.changes);
            let (literals, route, objects) = (self.path.to_vec(), self.route.clone(), self.heap.len());
            self.pending.push(Pending { literals, exit: exit.clone(), delta, objects, route });
        }
        matches!(outcome, Ok(Flow::Normal))
    }

    /// Keeping changes takes time like any step, so that a function of very many ways out uses up its steps.
    pub fn pay_for(&mut self, delta: &Delta) {
        self.entry.steps += delta.len() as u64 / PLACES_OF_A_STEP;
    }

    /// All arms left the block: one of the exits becomes the way on.
    fn take_last_exit(&mut self) -> Flow {
        let Some(pending) = self.pending.pop() else { return Flow::Raise };
        self.restore_arm(pending.delta);
        self.path.go_to(&pending.literals, &self.decisions);
        self.route = pending.route;
        pending.exit
    }

    /// Merges the exits of the given kind that wait since `pending_base` with the current state. `base` is the state that their
    /// changes are relative to. Returns what they return, with their guards, and the guard of the way on.
    pub fn merge_pending(
        &mut self,
        pending_base: usize,
        path_base: usize,
        base: LogMark,
        is_meant: impl Fn(&Flow) -> bool,
    ) -> (Vec<(Guard, Value)>, Guard) {
        let here: Vec<Literal> = self.path.get(path_base..).unwrap_or_default().to_vec();
        let waiting = self.pending.split_off(pending_base.min(self.pending.len()));
        let (merged, kept): (Vec<Pending>, Vec<Pending>) =
            waiting.into_iter().partition(|pending| is_meant(&pending.exit));
        self.pending.extend(kept);
        if merged.is_empty() {
            return (Vec::new(), Rc::from(here));
        }
        // Who left later did not leave before.
        let mut guards: Vec<Vec<Literal>> = Vec::with_capacity(merged.len() + 1);
        for pending in &merged {
            let guard = pending.literals.get(path_base..).unwrap_or_default().to_vec();
            let guard = self.apart_from(guard, &guards);
            guards.push(guard);
        }
        let here = self.apart_from(here, &guards);
        let old = self.heap.old_since(base);
        let mut changed: Vec<Location> = old.iter().map(|(location, _)| *location).collect();
        let mut old: FxHashMap<Location, Content> = old.into_iter().collect();
        for (location, _) in merged.iter().flat_map(|pending| &pending.delta.changes) {
            old.entry(*location).or_insert_with(|| {
                changed.push(*location);
                self.heap.content(*location)
            });
        }
        let current = changed.iter().map(|location| (*location, self.heap.content(*location))).collect();
        let mut arms = vec![(here.clone(), current)];
        let mut returned = Vec::new();
        for (pending, guard) in merged.into_iter().zip(guards) {
            if let Flow::Return(value) = pending.exit {
                returned.push((Rc::from(guard.as_slice()), value));
            }
            self.open_under(&guard, &pending.delta);
            arms.push((guard, pending.delta.changes));
        }
        let by_arm: Vec<(&[Literal], &Delta)> = arms.iter().map(|(guard, delta)| (guard.as_slice(), delta)).collect();
        self.store_merged(&by_arm, &old);
        self.heap.compact(base);
        (returned, Rc::from(here))
    }

    /// Merges arms that all go on. What all of them decided alike holds from here on. Returns that.
    fn merge<T>(&mut self, results: &[ArmResult<T>]) -> Vec<Literal> {
        let arms: Vec<(&[Literal], &Delta)> =
            results.iter().map(|result| (result.literals.as_slice(), &result.delta.changes)).collect();
        results.iter().for_each(|result| self.open_under(&result.literals, &result.delta));
        self.store_merged(&arms, &FxHashMap::default());
        if let Some(first) = results.first() {
            let base = self.route.clone();
            self.note_merged(&base, &first.route, results.len());
        }
        let Some((first, others)) = arms.split_first() else { return Vec::new() };
        let is_shared = |literal: &&Literal| others.iter().all(|(literals, _)| literals.contains(literal));
        let shared: Vec<Literal> = first.0.iter().filter(is_shared).copied().collect();
        self.path.extend(shared.iter().copied(), &self.decisions);
        shared
    }

    /// Stores, for every place that an arm changed, the merge of what the arms leave there; `old` is what a place held before, where that is not
    /// what it holds now.
    fn store_merged(&mut self, arms: &[(&[Literal], &Delta)], old: &FxHashMap<Location, Content>) {
        // Merging takes time like any step, so that a function of very many paths uses up its steps.
        self.entry.steps += arms.iter().map(|(_, delta)| delta.len() as u64).sum::<u64>() / PLACES_OF_A_STEP;
        let guards: Vec<Guard> = arms.iter().map(|(literals, _)| Rc::from(*literals)).collect();
        let (places, held) = held_by_arms(arms);
        for (location, held) in places.into_iter().zip(held.chunks_exact(arms.len().max(1))) {
            if held.iter().any(|content| !matches!(content, Some(Content::Attribute(Some(_)))))
                && !old.contains_key(&location)
            {
                let bound: Vec<bool> =
                    held.iter().map(|content| matches!(content, Some(Content::Attribute(Some(_))))).collect();
                self.note_bound_by_arms(location, &guards, &bound);
            }
            if let Some(merged) = self.known_to_one_arm(held, old, location) {
                self.heap.store(location, merged);
                continue;
            }
            let before = if held.iter().all(Option::is_some) { None } else { Some(self.before_arms(location, old)) };
            let contents: Vec<&Content> = held.iter().filter_map(|content| content.or(before.as_ref())).collect();
            let merged = self.merge_contents(&guards, &contents);
            self.heap.store(location, merged);
        }
    }

    fn before_arms(&self, location: Location, old: &FxHashMap<Location, Content>) -> Content {
        old.get(&location).cloned().unwrap_or_else(|| self.heap.content(location))
    }

    fn merge_contents(&mut self, guards: &[Guard], contents: &[&Content]) -> Content {
        if let Some(Content::Payload(_)) = contents.first() {
            let payloads: Vec<Payload> = contents
                .iter()
                .filter_map(
                    |content| if let Content::Payload(payload) = content { Some(payload.clone()) } else { None },
                )
                .collect();
            return Content::Payload(self.merge_payloads(guards, payloads));
        }
        // A name that one arm leaves unbound: the program could only use it where the other arm was taken.
        let mut bound = guards.iter().zip(contents).filter_map(|(guard, content)| match content {
            Content::Attribute(Some(value)) => Some((guard, value)),
            _ => None,
        });
        // Most are objects that one arm made, or places where all arms leave the same.
        let others = bound.clone().skip(1);
        let merged = match bound.next() {
            None => None,
            Some((_, first)) if is_left_by_all(first, others.clone().map(|(_, value)| value)) => Some(first.clone()),
            Some(first) => {
                let all = std::iter::once(first).chain(others);
                let mut alternatives = Vec::with_capacity(contents.len());
                alternatives.extend(all.map(|(guard, value)| (Rc::clone(guard), value.clone())));
                Some(self.join(alternatives))
            }
        };
        Content::Attribute(merged)
    }

    /// Applies `run` to the value, or to each of its alternatives on its own path, and joins the results.
    pub fn for_each_alternative(&mut self, value: &Value, mut run: impl FnMut(&mut Self, Value) -> Eval) -> Eval {
        let value = self.read(value);
        let Value::Alternatives(alternatives) = &value else { return run(self, value) };
        let alternatives = Rc::clone(alternatives);
        let arms = alternatives.iter().map(|(guard, _)| self.arm_of(guard)).collect();
        let start = self.path.len();
        let take = |this: &mut Self, index: usize| {
            this.note_alternative(&alternatives[index].0);
            this.splits.push(Split { start, end: this.path.len() });
            let result = run(this, alternatives[index].1.clone());
            this.splits.pop();
            result
        };
        let results = self.run_arms(arms, take, |_, outcome, _| outcome.is_ok());
        self.join_results(results)
    }

    /// The way on which an alternative is the value, with what its decisions were about.
    fn arm_of(&self, guard: &[Literal]) -> Arm {
        let literals = self.new_literals(guard);
        let mut facts: Vec<Constraint> = literals
            .iter()
            .filter_map(|literal| {
                let constraint = self.decisions.get(literal.decision.0 as usize)?.constraint.clone()?;
                Some(if literal.taken { constraint } else { Constraint::Not(Box::new(constraint)) })
            })
            .collect();
        let constraint = if facts.len() > 1 { Some(Constraint::And(facts)) } else { facts.pop() };
        Arm { literals, constraint }
    }

    /// Literals of a guard that the path does not have yet.
    fn new_literals(&self, guard: &[Literal]) -> Vec<Literal> {
        guard.iter().filter(|literal| !self.path.has(**literal)).copied().collect()
    }

    /// Merges the states of arms that computed a value and joins the values.
    pub fn join_results(&mut self, results: Vec<ArmResult<Value>>) -> Eval {
        let mut survivors = Vec::new();
        let mut raising = Vec::new();
        let arms = results.len();
        for result in results {
            match &result.outcome {
                Err(Interrupt::Budget(what)) => return Err(Interrupt::Budget(what)),
                Err(Interrupt::Raise) => raising.push(result.literals),
                Err(Interrupt::Yield) => {}
                Ok(_) => survivors.push(result),
            }
        }
        if raising.len() < arms {
            self.state_guards(&raising);
        }
        match survivors.len() {
            0 => Err(Interrupt::Raise),
            1 => {
                if raising.len() + 1 == arms {
                    self.note_passed_arm(&survivors[0]);
                }
                self.resume_only(&survivors[0], arms, true);
                survivors.swap_remove(0).outcome
            }
            _ => {
                let shared = self.merge(&survivors);
                if survivors.len() < arms {
                    let known = self.hold_one_of(&survivors, &shared);
                    self.settled.extend(known);
                }
                let alternatives = survivors
                    .into_iter()
                    .filter_map(|result| Some((Rc::from(result.literals), result.outcome.ok()?)))
                    .collect();
                Ok(self.join(alternatives))
            }
        }
    }

    /// Arms for the alternatives of a value, with the values.
    pub fn arms_of(&self, value: &Value) -> Vec<(Arm, Value)> {
        match self.read(value) {
            Value::Alternatives(alternatives) => {
                alternatives.iter().map(|(guard, value)| (self.arm_of(guard), value.clone())).collect()
            }
            value => vec![(Arm::default(), value)],
        }
    }
}

/// Whether all arms leave the same one value, or the same alternatives as there were before them: a table of hundreds of entries that depend on an early
/// decision is merged again and again.
pub(crate) fn is_left_by_all<'v>(first: &Value, mut others: impl Iterator<Item = &'v Value>) -> bool {
    match first {
        Value::Alternatives(first) => {
            others.all(|value| matches!(value, Value::Alternatives(other) if Rc::ptr_eq(first, other)))
        }
        _ => others.all(|value| is_one_value(first, value)),
    }
}

/// Whether two values are the same in everything, also in the speculations that they rest on.
fn is_one_value(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Tensor(one), Value::Tensor(other)) => Rc::ptr_eq(one, other),
        _ => one.same(other),
    }
}
