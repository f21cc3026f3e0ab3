//! Computes what the rewrites of findings save. A rule says with `@saves` which executions it removes; what these cost is in the trace.

mod executions;
mod trips;

use std::cell::OnceCell;
use std::collections::BTreeMap;

use harp_corpus::Span;
use harp_datalog::{Evaluation, FindingRow, Quantity, Removed, SavedRow};
use harp_graph::{Facts, OperationCost, operation_cost};
use harp_report::{Amount, Assumption, LeastWork, Saving, SavingLoop, TripBasis, Work};
use harp_shape::Dim;

use self::executions::{Execution, Executions};
use self::trips::{LoopFacts, Trips};
use crate::rule_findings;

/// The least number of iterations of a loop of which rules say that it runs often, by which findings are compared where it is not known.
const LEAST_TRIPS: i64 = 6;

/// Counts what findings save. What that takes is looked up for the first of them.
pub(super) struct Savings<'a> {
    program: harp_graph::Program<'a>,
    facts: &'a Facts,
    evaluation: &'a Evaluation<'a>,
    executions: OnceCell<Executions<'a>>,
    loops: OnceCell<LoopFacts>,
}

/// What a row's rewrite saves.
pub(super) struct Saved {
    /// `None` where nothing of it is known.
    pub saving: Option<Saving>,
    /// Whether it is known to be less than what the rule tells of.
    pub is_below_floor: bool,
}

impl<'a> Savings<'a> {
    pub fn new(program: harp_graph::Program<'a>, facts: &'a Facts, evaluation: &'a Evaluation<'a>) -> Savings<'a> {
        Savings { program, facts, evaluation, executions: OnceCell::new(), loops: OnceCell::new() }
    }

    /// What the rewrite of a row saves.
    pub fn of(&self, row: &FindingRow) -> Saved {
        // Sizes have the names of the program, each finding's its own.
        let _names = harp_shape::naming::apart();
        let mut count =
            Count { savings: self, trips: BTreeMap::new(), assumptions: Vec::new(), loops: Vec::new(), is_exact: true };
        let mut sums = Sums::default();
        for saved in &row.saves {
            count.add(saved, &mut sums);
        }
        let is_below_floor = !row.floor.is_empty() && count.is_exact && sums.is_below(&row.floor);
        Saved { saving: count.saving(&sums), is_below_floor }
    }

    fn executions(&self) -> &Executions<'a> {
        self.executions.get_or_init(|| Executions::of(self.program.trace))
    }

    fn loops(&self) -> &LoopFacts {
        self.loops.get_or_init(|| LoopFacts::of(self.evaluation, self.facts, self.program.corpus))
    }

    fn place(&self, text: &str) -> Option<Span> {
        self.facts.place(self.facts.find(text)?)
    }
}

/// Work of each kind as formulas, in the order of [`Quantity::ALL`].
type Formulas = [Option<Dim>; 4];

/// What was counted so far.
#[derive(Default)]
struct Sums {
    per_iteration: Formulas,
    in_all: Formulas,
}

impl Sums {
    /// Whether each quantity of a floor is known and less than it says.
    fn is_below(&self, floor: &[(Quantity, i64)]) -> bool {
        let is_less = |(quantity, least): &(Quantity, i64)| {
            self.in_all[index(*quantity)].and_then(Dim::as_const).is_some_and(|number| number < *least)
        };
        floor.iter().all(is_less)
    }
}

fn index(quantity: Quantity) -> usize {
    Quantity::ALL.iter().position(|it| *it == quantity).unwrap_or_default()
}

fn add(sum: &mut Formulas, more: &Formulas) {
    for (sum, more) in sum.iter_mut().zip(more) {
        if let Some(more) = more {
            *sum = Some(sum.map_or(*more, |sum| sum + *more));
        }
    }
}

fn times(work: &Formulas, count: Dim) -> Formulas {
    work.map(|amount| amount.map(|amount| amount * count))
}

/// The executions of a place in one of the ways to it: through the same calls, in the same loops.
struct Context<'e> {
    calls: &'e [Span],
    around: &'e [Span],
    executions: Vec<Execution<'e>>,
}

/// Counts for one finding.
struct Count<'s, 'a> {
    savings: &'s Savings<'a>,
    /// By the loop, with one symbol for all of its uses.
    trips: BTreeMap<Span, Trips>,
    assumptions: Vec<Assumption>,
    loops: Vec<Span>,
    /// Whether nothing of what is counted is hidden: all is known, and the program says how often it runs.
    is_exact: bool,
}

impl Count<'_, '_> {
    fn add(&mut self, saved: &SavedRow, sums: &mut Sums) {
        let Some(place) = self.savings.place(&saved.place) else { return };
        let in_loop = match &saved.in_loop {
            Some(text) => match self.savings.place(text) {
                Some(span) => Some(span),
                None => return,
            },
            None => None,
        };
        let executions = self.savings.executions().within(place);
        let mut contexts: Vec<Context<'_>> = Vec::new();
        for execution in &executions {
            let (calls, around) = (execution.calls(), execution.around());
            if in_loop.is_some_and(|in_loop| !around.contains(&in_loop)) {
                continue;
            }
            match contexts.iter_mut().find(|known| (known.calls, known.around) == (calls, around)) {
                Some(known) => known.executions.push(*execution),
                None => contexts.push(Context { calls, around, executions: vec![*execution] }),
            }
        }
        let mut lexical = Vec::new();
        if contexts.is_empty() {
            lexical = self.lexical(place, in_loop);
            self.is_exact = false;
        }
        if contexts.is_empty() {
            contexts.push(Context { calls: &[], around: &lexical, executions: Vec::new() });
        }
        let mut iteration: Option<(Vec<Span>, Formulas)> = None;
        // Of several scripts that lead there, one runs.
        let mut in_all: BTreeMap<Option<harp_corpus::FileId>, Formulas> = BTreeMap::new();
        for context in &contexts {
            let script = context.calls.first().map(|call| call.file);
            let (each, all) = self.counted(saved, place, in_loop, context);
            add(in_all.entry(script).or_default(), &all);
            let outside = calls_outside(context, in_loop).to_vec();
            match &mut iteration {
                None => {
                    self.note_loops(context, place);
                    iteration = Some((outside, each));
                }
                Some((first, sum)) if *first == outside => add(sum, &each),
                Some(_) => {}
            }
        }
        if let Some((_, each)) = iteration {
            add(&mut sums.per_iteration, &each);
        }
        let most = in_all.into_values().max_by_key(|all| least_of(all).weight());
        add(&mut sums.in_all, &most.unwrap_or_default());
    }

    /// The loops that were seen to run around a place, and around the loop of the rule.
    fn lexical(&self, place: Span, in_loop: Option<Span>) -> Vec<Span> {
        let executions = self.savings.executions();
        let mut loops = in_loop.map_or(Vec::new(), |in_loop| executions.loops_around(in_loop));
        if let Some(in_loop) = in_loop.filter(|it| !loops.contains(it)) {
            loops.push(in_loop);
        }
        for around in executions.loops_around(place) {
            if !loops.contains(&around) {
                loops.push(around);
            }
        }
        loops
    }

    /// What is saved in an iteration and in all, of one way to the place.
    fn counted(
        &mut self,
        saved: &SavedRow,
        place: Span,
        in_loop: Option<Span>,
        context: &Context<'_>,
    ) -> (Formulas, Formulas) {
        let once = self.once(saved, context);
        let depth = in_loop.and_then(|it| context.around.iter().rposition(|around| *around == it));
        let depth = depth.or_else(|| context.around.len().checked_sub(1));
        let product = |count: &mut Self, loops: &[Span]| {
            loops.iter().fold(Dim::ONE, |product, around| product * count.trips(*around).count)
        };
        let Some(depth) = depth else { return (once, once) };
        let outer = product(self, &context.around[..depth]);
        let between = product(self, &context.around[depth + 1..]);
        let trips = self.trips(context.around[depth]).count;
        self.is_exact &= is_of_module(place, context, self.savings.program.corpus);
        match saved.removed {
            Removed::Each => (times(&once, between), times(&once, between * trips * outer)),
            Removed::Repeats => (times(&once, between), times(&once, (between * trips - Dim::ONE) * outer)),
            Removed::Growth => {
                let grown = growth(self.savings, saved, context);
                let half = |count: Dim| count.floor_div(Dim::constant(2));
                let of_trips = |count: Dim| grown.map(|amount| amount.map(|amount| amount * count * between));
                (of_trips(half(trips - Dim::ONE)), of_trips(half(trips * (trips - Dim::ONE)) * outer))
            }
        }
    }

    /// What one execution of the place costs, with what runs within it.
    fn once(&mut self, saved: &SavedRow, context: &Context<'_>) -> Formulas {
        // The last iteration that was followed stands for all others.
        let mut operations: BTreeMap<_, Execution<'_>> = BTreeMap::new();
        for execution in &context.executions {
            let record = execution.record;
            let key = (record.span, record.api.as_str(), record.identity.object, &record.calls, &record.loops);
            operations.insert(key, *execution);
        }
        let mut work: Formulas = [None; 4];
        for execution in operations.values() {
            let record = execution.record;
            let OperationCost { bytes, flops, waits } = operation_cost(self.savings.program, record);
            let within = execution.within();
            let count = within.iter().fold(Dim::ONE, |count, around| count * self.trips(*around).count);
            let waits = waits.map(|waits| Dim::constant(i64::from(waits)));
            let one = [Some(Dim::ONE), bytes, flops, waits];
            self.is_exact &= one.iter().all(Option::is_some);
            let known = one.map(|amount| amount.filter(|amount| !amount.is_opaque()));
            add(&mut work, &times(&known, count));
            let is_by_default = known.iter().flatten().any(|amount| amount.as_const().is_none());
            if is_by_default {
                let grounds = self.savings.program.trace.sites.assumed(record.sizes_assume);
                self.assumptions.extend(grounds.into_iter().map(|id| rule_findings::given(id, self.savings.facts)));
            }
        }
        for quantity in Quantity::ALL {
            let amount = &mut work[index(quantity)];
            let listed = saved.only.as_ref().map(|only| only.iter().find(|(listed, _)| *listed == quantity));
            match listed {
                Some(None) => *amount = None,
                Some(Some((_, Some(number)))) => *amount = Some(Dim::constant(*number)),
                // What the rule says of each execution holds whatever is known of it.
                _ if quantity == Quantity::Calls => *amount = amount.or(Some(Dim::ONE)),
                Some(_) if quantity == Quantity::Syncs && amount.is_none_or(|it| it == Dim::ZERO) => {
                    *amount = Some(Dim::ONE);
                }
                _ => {}
            }
        }
        work
    }

    fn trips(&mut self, around: Span) -> Trips {
        let (loops, corpus) = (self.savings.loops(), self.savings.program.corpus);
        let trips = self.trips.entry(around).or_insert_with(|| loops.trips(around, corpus)).clone();
        self.is_exact &= trips.basis == TripBasis::Known && trips.assumptions.is_empty();
        trips
    }

    /// Remembers the loops of the first way to the place, with what else they take for granted.
    fn note_loops(&mut self, context: &Context<'_>, place: Span) {
        let corpus = self.savings.program.corpus;
        for around in context.around {
            let trips = self.trips(*around);
            self.assumptions.extend(trips.assumptions);
            let inner = context.calls.iter().copied().chain([place]);
            let inner = inner.rev().find(|inner| executions::is_around(*around, *inner));
            let taken = inner.and_then(|inner| self.savings.loops().taken(inner, *around, corpus));
            self.is_exact &= taken.is_none();
            self.assumptions.extend(taken);
            if !self.loops.contains(around) {
                self.loops.push(*around);
            }
        }
    }

    fn saving(mut self, sums: &Sums) -> Option<Saving> {
        // The outermost loop's symbol is `trips`, the next one's `trips_2`.
        let loops = std::mem::take(&mut self.loops);
        let loops = loops.into_iter().filter_map(|span| {
            let trips = self.trips(span);
            Some(SavingLoop { span, trips: amount(trips.count)?, basis: trips.basis })
        });
        let loops: Vec<SavingLoop> = loops.collect();
        let work = |formulas: &Formulas| {
            let [calls, bytes, flops, syncs] = formulas.map(|formula| formula.and_then(amount));
            Work { calls, bytes, flops, syncs }
        };
        let (per_iteration, in_all) = (work(&sums.per_iteration), work(&sums.in_all));
        if per_iteration == Work::default() && in_all == Work::default() {
            return None;
        }
        let mut assumptions = self.assumptions;
        assumptions.sort();
        assumptions.dedup();
        Some(Saving { per_iteration, in_all, loops, assumptions, least: least_of(&sums.in_all) })
    }
}

/// The calls through which the loop of a rule was reached: the place may be called several times in an iteration.
fn calls_outside<'e>(context: &Context<'e>, in_loop: Option<Span>) -> &'e [Span] {
    let inner = in_loop.and_then(|it| context.calls.iter().rposition(|call| executions::is_around(it, *call)));
    &context.calls[..inner.unwrap_or(context.calls.len())]
}

/// What an execution takes more than that of the iteration before, as long as this is always the same.
fn growth(savings: &Savings<'_>, saved: &SavedRow, context: &Context<'_>) -> Formulas {
    let place = savings.place(&saved.place);
    let of_place = context.executions.iter().filter(|execution| Some(execution.record.span) == place);
    let sizes: Vec<Dim> = of_place.filter_map(|it| operation_cost(savings.program, it.record).bytes).collect();
    let grown: Vec<Dim> = sizes.windows(2).map(|pair| pair[1] - pair[0]).collect();
    // The last iteration stands for several.
    let steps = if grown.len() > 1 { &grown[..grown.len() - 1] } else { &grown[..] };
    let first = steps.first().copied().filter(|first| steps.iter().all(|step| step == first) && !first.is_opaque());
    [None, first, None, None]
}

/// Whether the way to a place begins with a statement of a module, which runs once. Else its function is one that nobody calls, or a method.
fn is_of_module(place: Span, context: &Context<'_>, corpus: &harp_corpus::Corpus) -> bool {
    let first = context.calls.first().copied().unwrap_or(place);
    let Some(file) = corpus.file(first.file) else { return false };
    let is_outermost = |line: &&str| line.starts_with(|first: char| !first.is_whitespace() && !"#)]}".contains(first));
    let before = file.slice(0..first.end).lines().rev().find(is_outermost);
    before.is_some_and(|line| !["def ", "async def ", "class ", "@"].iter().any(|word| line.starts_with(word)))
}

/// A formula as a number, at the defaults where it is known there, else as text.
fn amount(formula: Dim) -> Option<Amount> {
    if let Some(number) = formula.as_const() {
        return Some(Amount::Number(number));
    }
    if formula.is_opaque() {
        return None;
    }
    let at_defaults = formula.evaluate(&mut |var| var.default_value());
    Some(at_defaults.map_or_else(|| Amount::Symbol(formula.to_string()), Amount::Number))
}

/// The amounts with sizes at their defaults, unknown ones at 1 and numbers of iterations at the least for which rules speak.
fn least_of(formulas: &Formulas) -> LeastWork {
    let least = |formula: &Option<Dim>| {
        let value = |var: harp_shape::Var| {
            Some(var.default_value().unwrap_or_else(|| if var.name() == "trips" { LEAST_TRIPS } else { 1 }))
        };
        formula.and_then(|formula| formula.evaluate(&mut { value })).unwrap_or(0).max(0)
    };
    let [calls, bytes, flops, syncs] = formulas;
    LeastWork { calls: least(calls), bytes: least(bytes), flops: least(flops), syncs: least(syncs) }
}
