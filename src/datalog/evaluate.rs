//! Evaluates rules semi-naively, stratum by stratum, within budgets.

mod relevance;

use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;

use harp_limits::{Defect, Stopped, fault_point, watched};

use self::relevance::Progress;
use super::budget::{Breach, Limits, STEPS_OF_A_RUN, Used, bytes_of_row};
use super::database::{Database, InputRows};
use super::demand::{Demand, Supplied, Supplier};
use super::memory_shares::MemoryShares;
use super::metadata::Metadata;
use super::patterns::Patterns;
use super::plan::{Plan, Purpose, intern, plan};
use super::program::Program;
use super::relation::Relation;
use super::rule::{Literal, LiteralKind, RelationId, RelationInfo, Use, uses};
use super::source::{Diagnostic, Place, Problem, SourceId};
use super::strata::Stratum;
use super::values::{Cell, Values};
use crate::results::Evaluation;
use crate::run_plan::{Allowance, Outcome, Surroundings, run};

/// What one rule cost.
#[derive(Clone, Debug, Default)]
pub struct RuleProfile {
    /// The head's relation and the place of the rule; empty where it did not run.
    pub rule: String,
    /// How long all its runs took together, by the clock.
    pub time: Duration,
    /// New rows.
    pub rows: usize,
    /// Rows looked at and functors called, by their work.
    pub steps: u64,
    /// How often the rule ran: in a recursion once a round and atom.
    pub runs: usize,
    /// In which of the strata it ran, counted from 1.
    pub stratum: usize,
}

/// Unrelated atoms whose product is expected to be larger than this are worth a warning.
const LARGE_PRODUCT: u64 = 10_000_000;

/// To have the rows made that a rule needs may take so many ticks, each time that the rule runs.
const TICKS_OF_A_RULE: u64 = 20_000_000;

/// Relations and values during and after evaluation.
pub(super) struct State {
    pub relations: Vec<Relation>,
    pub values: Values,
    pub patterns: Patterns,
    /// The program's constants.
    pub cells: Vec<Cell>,
    /// By relation, which rows were asked for; `None` where all are there.
    pub supplied: Vec<Option<Supplied>>,
}

impl Program<'_> {
    /// Evaluates all rules over a database.
    pub fn evaluate(&self, database: Database, limits: &Limits) -> Evaluation<'_> {
        self.evaluate_with(database, None, &|_| true, limits)
    }

    /// The same where a supplier makes rows that the database leaves out. What the evaluation knows of these relations afterwards is no
    /// more than its rules needed; and of rules with findings it evaluates what those need that are asked for.
    pub fn evaluate_with(
        &self,
        database: Database,
        supplier: Option<&mut dyn Supplier>,
        asked: &dyn Fn(&Metadata) -> bool,
        limits: &Limits,
    ) -> Evaluation<'_> {
        let (mut values, inputs) = database.into_parts();
        let cells = intern(&self.constants, &mut values);
        let relations = self.relations.iter().map(|info| Relation::new(info.columns.len())).collect();
        let mut evaluator = Evaluator {
            program: self,
            demand: Demand::new(self, supplier),
            limits,
            state: State { relations, values, patterns: Patterns::default(), cells, supplied: Vec::new() },
            warnings: Vec::new(),
            defects: Vec::new(),
            profile: vec![RuleProfile::default(); self.rules.len()],
            used: Used::new(self.rules.len()),
            warned_all: false,
            stopped: vec![false; self.rules.len()],
            warned_product: vec![false; self.rules.len()],
            shares: MemoryShares::unbounded(self.relations.len()),
        };
        inputs.into_iter().for_each(|rows| evaluator.load(&rows));
        for relation in &mut evaluator.state.relations {
            relation.delta = 0..relation.len;
        }
        evaluator.strata(asked);
        evaluator.broken_patterns();
        // Questions about the results may make values, too.
        evaluator.state.values.allow(limits.made);
        let Evaluator { state, warnings, mut profile, defects, mut demand, .. } = evaluator;
        let named = profile.iter_mut().enumerate().filter(|(_, profile)| profile.runs > 0);
        named.for_each(|(rule, profile)| profile.rule = self.rule_name(rule));
        let evaluation = Evaluation { defects, ..Evaluation::new(self, state, warnings, profile) };
        evaluation.explore_findings(&mut demand);
        evaluation.state.borrow_mut().supplied = demand.into_supplied();
        evaluation
    }
}

struct Evaluator<'p, 's> {
    program: &'p Program<'p>,
    demand: Demand<'s>,
    limits: &'p Limits,
    state: State,
    warnings: Vec<Diagnostic>,
    /// Panics, by the rule that ran.
    defects: Vec<(String, Defect)>,
    profile: Vec<RuleProfile>,
    used: Used,
    /// That all rules together went beyond a bound is said once.
    warned_all: bool,
    stopped: Vec<bool>,
    warned_product: Vec<bool>,
    shares: MemoryShares,
}

impl Evaluator<'_, '_> {
    fn load(&mut self, input: &InputRows) {
        let infos = self.program.relations.iter().enumerate();
        let takes = |info: &RelationInfo| info.input && self.program.is_called(info, &input.name);
        let takers: Vec<usize> = infos.filter(|(_, info)| takes(info)).map(|(index, _)| index).collect();
        if takers.is_empty() {
            let count = input.lengths.len();
            let message = format!("there are {count} rows of `{}`, which no schema declares", input.name);
            self.warn(Problem::warning(self.program_start(), message, "not loaded"));
        }
        takers.into_iter().for_each(|index| self.load_into(index, input));
    }

    fn load_into(&mut self, index: usize, input: &InputRows) {
        let relation = &mut self.state.relations[index];
        let (mut start, mut refused) = (0, 0);
        let mut assumptions = input.assumptions.iter().peekable();
        let mut row = Vec::new();
        for (number, length) in input.lengths.iter().enumerate() {
            let end = start + *length as usize;
            let rests_on = assumptions.next_if(|(with, _)| *with == number).map_or(&[][..], |(_, ids)| ids);
            if *length as usize == relation.arity {
                row.clear();
                row.extend(input.cells[start..end].iter().map(|cell| cell.0));
                relation.add_fact(&row, rests_on);
            } else {
                refused += 1;
            }
            start = end;
        }
        if refused > 0 {
            let info = &self.program.relations[index];
            let message = format!("{refused} rows of `{}` do not have {} columns", info.name, info.columns.len());
            self.warn(Problem::warning(info.place, message, "not loaded"));
        }
    }

    fn program_start(&self) -> Place {
        Place { source: SourceId(0), start: 0, end: 0 }
    }

    fn warn(&mut self, problem: Problem) {
        let diagnostic = self.program.sources.diagnostic(problem);
        // What is done once more, with more memory, is not told once more.
        if !self.warnings.contains(&diagnostic) {
            self.warnings.push(diagnostic);
        }
    }

    /// All strata, those last that need much memory. Where rows are made on request and there are findings, only these are asked for, and so only what they need.
    fn strata(&mut self, asked: &dyn Fn(&Metadata) -> bool) {
        let program = self.program;
        for (number, stratum) in program.strata.iter().enumerate() {
            stratum.rules.iter().for_each(|rule| self.profile[*rule].stratum = number + 1);
        }
        let is_finding = |relation: &RelationId| program.metadata(*relation).is_some_and(asked);
        let tells_all = !self.demand.is_supplied() || program.identified().next().is_none();
        let is_asked = |stratum: &Stratum| tells_all || stratum.relations.iter().any(is_finding);
        let asked: Vec<usize> =
            (0..).zip(&program.strata).filter(|(_, stratum)| is_asked(stratum)).map(|(number, _)| number).collect();
        let mut progress = Progress::new(program);
        for part in MemoryShares::rounds() {
            self.shares.begin(part);
            asked.iter().for_each(|number| self.need(*number, &mut progress, 0));
            progress.next_round();
        }
    }

    fn reads_what_waits(&self, stratum: &Stratum) -> bool {
        let mut waits = false;
        for rule in &stratum.rules {
            uses(&self.program.rules[*rule].body, &mut |relation, _, _| waits |= self.shares.waits(relation.index()));
        }
        waits
    }

    /// Evaluates rules together. Where they take more than their share of the memory, the rows so far are kept, and all of it is done once more.
    fn stratum(&mut self, stratum: &Stratum) {
        let inside = |relation: usize| stratum.relations.iter().any(|member| member.index() == relation);
        let mut recursive = Vec::new();
        for rule in &stratum.rules {
            if !self.may_run(*rule) {
                continue;
            }
            let mut uses_stratum = false;
            uses(&self.program.rules[*rule].body, &mut |relation, _, _| uses_stratum |= inside(relation.index()));
            if uses_stratum {
                recursive.push(*rule);
                continue;
            }
            let is_idle = !self.meet(*rule, None) || self.is_without_rows(*rule);
            if self.shares.is_exceeded() {
                return;
            }
            if is_idle {
                continue;
            }
            let plan = self.plan(*rule, None, &|_| false);
            self.run(*rule, &plan);
        }
        if stratum.recursive && !self.shares.is_exceeded() {
            self.fixpoint(stratum, &recursive, &inside);
        }
        if self.shares.is_exceeded() {
            return;
        }
        for member in &stratum.relations {
            let relation = &mut self.state.relations[member.index()];
            relation.delta = 0..relation.len;
        }
        if stratum.relations.iter().any(|member| self.state.relations[member.index()].incomplete) {
            stratum.relations.iter().for_each(|member| self.state.relations[member.index()].incomplete = true);
        }
    }

    /// A rule that asks for the absence of rows that may only be missing has no answer. Rules that use such rows have part of
    /// the answer.
    fn may_run(&mut self, rule: usize) -> bool {
        let mut blocked = None;
        let mut partial = false;
        uses(&self.program.rules[rule].body, &mut |relation, how, place| {
            if self.state.relations[relation.index()].incomplete {
                partial = true;
                if how != Use::Positive {
                    blocked = Some((relation, place));
                }
            }
        });
        let head = self.program.rules[rule].head;
        self.state.relations[head.index()].incomplete |= partial;
        let Some((relation, place)) = blocked else { return true };
        let name = &self.program.relations[relation.index()].name;
        let message = format!("{} was not evaluated", self.program.rule_title(rule));
        let label = format!("`{name}` is not complete, as one of its rules was stopped");
        self.warn(Problem::warning(place, message, label));
        false
    }

    fn fixpoint(&mut self, stratum: &Stratum, rules: &[usize], inside: &dyn Fn(usize) -> bool) {
        let mut versions = Vec::new();
        for rule in rules {
            for (number, literal) in self.program.rules[*rule].body.iter().enumerate() {
                if let LiteralKind::Atom(atom) = &literal.kind
                    && inside(atom.relation.index())
                {
                    versions.push((*rule, number, atom.relation.index()));
                }
            }
        }
        for member in &stratum.relations {
            let relation = &mut self.state.relations[member.index()];
            relation.delta = 0..relation.len;
            relation.update_indexes(relation.len);
        }
        let mut plans: FxHashMap<(usize, usize), Plan> = FxHashMap::default();
        let mut round = 0usize;
        loop {
            if stratum.relations.iter().all(|member| self.state.relations[member.index()].delta.is_empty()) {
                return;
            }
            round += 1;
            // Rules that do not run in this round cost a little all the same.
            self.used.steps += (versions.len() + stratum.relations.len()) as u64;
            // Sizes change most at the beginning.
            if round.is_power_of_two() {
                plans.clear();
            }
            for (rule, literal, relation) in &versions {
                if self.stopped[*rule] || self.state.relations[*relation].delta.is_empty() {
                    continue;
                }
                if !self.meet(*rule, Some(*literal)) || self.is_without_rows(*rule) {
                    continue;
                }
                let plan = match plans.remove(&(*rule, *literal)) {
                    Some(plan) => plan,
                    None => self.plan(*rule, Some(*literal), inside),
                };
                self.run(*rule, &plan);
                plans.insert((*rule, *literal), plan);
            }
            if self.shares.is_exceeded() {
                return;
            }
            for member in &stratum.relations {
                let relation = &mut self.state.relations[member.index()];
                relation.delta = relation.delta.end..relation.len;
                relation.update_indexes(relation.len);
            }
            if round >= self.limits.rounds {
                let first = rules.first().copied().unwrap_or(0);
                self.stop(first, Breach::Rounds);
                return;
            }
        }
    }

    /// Has the rows made that the rule can use. Where they cannot be made, the rule is stopped, and what it asked for has not all of its rows.
    fn meet(&mut self, rule: usize, delta: Option<usize>) -> bool {
        let watch = self.shares.watch().with_ticks(TICKS_OF_A_RULE);
        let met = watched(watch, || self.demand.meet(self.program, rule, delta, &mut self.state));
        let Err(stopped) = met else { return true };
        if self.shares.puts_off(&stopped) {
            return false;
        }
        uses(&self.program.rules[rule].body, &mut |relation, _, _| {
            if self.program.relations[relation.index()].input {
                self.state.relations[relation.index()].incomplete = true;
            }
        });
        let breach = self.breach(rule, stopped);
        self.stop(rule, breach);
        false
    }

    /// Whether a rule gives nothing, since one of its positive literals has no rows so far: most rules have nothing to do with most programs, and to
    /// plan one takes longer than to look. It counts as run.
    fn is_without_rows(&mut self, rule: usize) -> bool {
        let relations = &self.state.relations;
        let is_empty = |literal: &Literal| match &literal.kind {
            LiteralKind::Atom(atom) => relations[atom.relation.index()].len == 0,
            _ => false,
        };
        if !self.program.rules[rule].body.iter().any(is_empty) {
            return false;
        }
        let spent = &mut self.profile[rule];
        if self.used.steps_left(self.limits, spent).left < STEPS_OF_A_RUN {
            return false;
        }
        spent.steps += STEPS_OF_A_RUN;
        spent.runs += 1;
        self.used.add(rule, STEPS_OF_A_RUN, 0, 0);
        true
    }

    /// Why a rule was stopped that did not end by itself.
    fn breach(&mut self, rule: usize, stopped: Stopped) -> Breach {
        match stopped {
            Stopped::Ceiling(ceiling) => Breach::Ceiling(ceiling),
            Stopped::Defect(defect) => {
                self.defects.push((self.program.rule_name(rule), defect));
                Breach::Defect
            }
        }
    }

    fn plan(&mut self, rule: usize, delta: Option<usize>, inside: &dyn Fn(usize) -> bool) -> Plan {
        let State { relations, cells, .. } = &mut self.state;
        let record = self.limits.provenance;
        let made = plan(&self.program.rules[rule], Purpose::Derive { delta }, &[], relations, cells, inside, record);
        if made.product.is_some_and(|product| product > LARGE_PRODUCT) && !self.warned_product[rule] {
            self.warned_product[rule] = true;
            let message = format!("{} multiplies unrelated rows", self.program.rule_title(rule));
            let label = format!("about {} combinations", made.product.unwrap_or(0));
            let problem = Problem::warning(self.program.rules[rule].head_place, message, label)
                .hint("let its literals share variables, or give a part of it a relation of its own");
            self.warn(problem);
        }
        made
    }

    fn run(&mut self, rule: usize, plan: &Plan) {
        let limits = self.limits;
        let head = self.program.rules[rule].head.index();
        let info = &self.program.relations[head];
        let spent = &self.profile[rule];
        let started = Instant::now();
        let row = bytes_of_row(info.columns.len(), if limits.provenance { plan.premises } else { 0 });
        let rows = self.used.rows_left(limits, rule, spent, row, info.documentation.metadata.is_some());
        let steps = self.used.steps_left(limits, spent);
        let made = self.used.made_left(limits, rule);
        let State { relations, values, patterns, .. } = &mut self.state;
        let mut sink = relations[head].open_sink(rule, plan.premises, limits.provenance, rows.left);
        let data = &relations[head].data;
        let allowance = Allowance {
            steps: steps.left.saturating_sub(STEPS_OF_A_RUN),
            until: limits.time_per_rule.map(|limit| started + limit.saturating_sub(spent.time)),
        };
        values.allow(made.left);
        let mut around = Surroundings { values, functors: self.program.functors, patterns };
        let mut deliver = |batch: &[u32], count: usize| sink.insert(data, batch, count);
        let name = &self.program.relations[self.program.rules[rule].head.index()].name;
        let ran = watched(self.shares.watch(), || {
            fault_point("rule", name);
            run(plan, &[], relations, &mut around, allowance, &mut deliver)
        });
        let (outcome, stopped) = match ran {
            Ok(outcome) => (outcome, None),
            Err(stopped) => (Outcome { steps: 0, breach: None }, Some(stopped)),
        };
        let new_rows = sink.fresh_len;
        let made_bytes = self.state.values.made();
        self.state.relations[head].close_sink(sink);
        let spent = &mut self.profile[rule];
        spent.time += started.elapsed();
        spent.rows += new_rows;
        spent.steps += outcome.steps + STEPS_OF_A_RUN;
        spent.runs += 1;
        self.used.add(rule, outcome.steps + STEPS_OF_A_RUN, new_rows * row, made_bytes);
        let stopped = stopped.filter(|stopped| !self.shares.puts_off(stopped));
        let breach = stopped.map(|stopped| self.breach(rule, stopped)).or(outcome.breach);
        match breach {
            None => {}
            Some(Breach::Rows) => self.stop(rule, rows.breach),
            Some(Breach::Steps) => self.stop(rule, steps.breach),
            Some(Breach::Made) => self.stop(rule, made.breach),
            Some(other) => self.stop(rule, other),
        }
    }

    fn stop(&mut self, rule: usize, breach: Breach) {
        self.stopped[rule] = true;
        let head = self.program.rules[rule].head.index();
        self.state.relations[head].incomplete = true;
        if breach.is_of_all() && std::mem::replace(&mut self.warned_all, true) {
            return;
        }
        let is_finding = self.program.relations[head].documentation.metadata.is_some();
        let reason = breach.reason(self.limits, is_finding);
        let message = format!("{} was stopped: {reason}", self.program.rule_title(rule));
        let label = if breach.is_of_all() { "the rules' rows so far are kept" } else { "its rows so far are kept" };
        let problem = Problem::warning(self.program.rules[rule].head_place, message, label);
        self.warn(problem);
    }

    fn broken_patterns(&mut self) {
        for (pattern, reason) in self.state.patterns.broken().clone() {
            let message = format!("`{pattern}` is not a regular expression: {reason}");
            self.warn(Problem::warning(self.program_start(), message, "it matched nothing"));
        }
    }
}
