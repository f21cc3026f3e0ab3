//! Whether a place can be reached under its path condition, and whether what fails there is a mistake or only input
//! that the program is not made for.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::api::call_api::Bound;
use crate::paths::path_condition::Decision;
use crate::paths::predicates::Question;
use crate::state::interpreter::Interpreter;
use crate::values::type_of_unknown::fits_answers;
use crate::values::value::{DecisionId, Guard, Literal, ObjectId, Value};
use harp_corpus::Span;
use harp_limits::light_ticks;
use harp_operations::operation::Judged;
use harp_python::name::Name;
use harp_shape::{Constraint, Leaf, ShapeVar, VarKind};

/// The name of the variable that stands for the number of different values of a tensor.
const UNIQUE: &str = "unique";
/// Alternatives that fall together on more ways than this are not told apart any more.
const MOST_WAYS: usize = 8;
/// Of more alternatives than this, it is not kept that they exclude each other.
const MOST_RIVALS: usize = 16;
/// Longer guards are hashed before they are asked for many literals.
const SHORT_GUARD: usize = 8;
/// Ways within ways are looked at to this depth.
const DEEPEST_WAY: usize = 4;

/// Of decisions that stand for several ways, at a depth, whether they are what a function that has ended found out: one is met on many ways.
type Foreign = FxHashMap<(DecisionId, usize), bool>;

/// The attribute by which a value knows what it can be.
pub(crate) const MEMBERS: &str = "\u{1}members";
/// The attribute by which it knows the enumeration.
pub(crate) const ENUMERATION: &str = "\u{1}enumeration";

/// Literals that were added to the path because one of several alternatives of a value was taken.
#[derive(Clone, Copy, Debug)]
pub struct Split {
    pub start: usize,
    pub end: usize,
}

impl Interpreter<'_> {
    /// A decision that is taken where one of these guards holds, for a value that is the same under all of them. Of many guards it knows
    /// only that there are some.
    pub(crate) fn decision_for_ways(&mut self, ways: Vec<Guard>) -> DecisionId {
        let decision = self.new_decision("", None);
        if let Some(data) = self.decisions.get_mut(decision.0 as usize) {
            data.is_blurred = ways.len() > MOST_WAYS;
            data.ways = if data.is_blurred { Vec::new() } else { ways };
        }
        self.path.note_compound(decision);
        decision
    }

    /// The literals, and that none of these guards holds.
    pub(crate) fn apart_from(&mut self, literals: Vec<Literal>, guards: &[Vec<Literal>]) -> Vec<Literal> {
        let mut ways = vec![literals.clone()];
        for guard in guards {
            ways = ways.iter().flat_map(|way| without(way, guard)).collect();
            if ways.len() > MOST_WAYS {
                break;
            }
        }
        if ways.len() == 1 {
            return ways.swap_remove(0);
        }
        if ways.is_empty() || self.inference.is_some() {
            return literals;
        }
        let decision = self.decision_for_ways(ways.into_iter().map(Guard::from).collect());
        self.exclude(decision, guards.iter().map(|guard| Guard::from(guard.as_slice())));
        literals.into_iter().chain([Literal { decision, taken: true }]).collect()
    }

    /// Notes what a decision that stands for more guards than are kept excludes.
    pub(crate) fn exclude(&mut self, decision: DecisionId, rivals: impl Iterator<Item = Guard>) {
        if let Some(data) = self.decisions.get_mut(decision.0 as usize).filter(|data| data.is_blurred) {
            data.rivals.extend(rivals.filter(|rival| !rival.is_empty()).take(MOST_RIVALS));
            self.path.note_compound(decision);
        }
    }

    /// Whether the path says the opposite of a literal.
    pub(crate) fn contradicts_path(&self, literal: &Literal) -> bool {
        let is_opposite = |literal: &Literal| self.path.has_opposite(*literal);
        let ways = self.ways_of(literal);
        let is_rival = |rival: &Guard| rival.iter().all(|literal| self.path.has(*literal));
        is_opposite(literal)
            || (!ways.is_empty() && ways.iter().all(|way| way.iter().any(is_opposite)))
            || self.rivals_of(literal).iter().any(is_rival)
    }

    /// Whether what the path says of several ways leaves one open on which a guard holds.
    pub(crate) fn leaves_a_way_to(&self, guard: &[Literal]) -> bool {
        let compound = self.path.compound();
        if compound.len() == 0 {
            return true;
        }
        let is_long = guard.len() > SHORT_GUARD;
        let hashed: Option<FxHashSet<Literal>> = is_long.then(|| guard.iter().copied().collect());
        let says = |literal: &Literal| match &hashed {
            Some(hashed) => hashed.contains(literal),
            None => guard.contains(literal),
        };
        let is_opposite = |literal: &Literal| says(&Literal { taken: !literal.taken, ..*literal });
        let is_closed = |way: &Guard| {
            light_ticks(way.len());
            way.iter().any(is_opposite)
        };
        let is_rival = |rival: &Guard| rival.iter().all(|literal| says(literal) || self.path.has(*literal));
        light_ticks(compound.len() + guard.len());
        compound.into_iter().all(|literal| {
            let ways = self.ways_of(&literal);
            (ways.is_empty() || !ways.iter().all(is_closed)) && !self.rivals_of(&literal).iter().any(is_rival)
        })
    }

    fn rivals_of(&self, literal: &Literal) -> &[Guard] {
        match self.decisions.get(literal.decision.0 as usize) {
            Some(decision) if literal.taken => &decision.rivals,
            _ => &[],
        }
    }

    pub(super) fn ways_of(&self, literal: &Literal) -> &[Guard] {
        match self.decisions.get(literal.decision.0 as usize) {
            Some(decision) if literal.taken => &decision.ways,
            _ => &[],
        }
    }

    /// Whether the decisions of the path agree with each other, as far as the questions that they answer tell.
    pub(crate) fn is_path_possible(&self) -> bool {
        self.is_some_combination_coherent(true)
    }

    /// Whether they agree but for a question that a function answers one way in one call and the other way in another: the path is neither
    /// known to be possible nor to be impossible.
    pub(crate) fn is_path_doubtful(&self) -> bool {
        self.answers_both_ways(&self.path) && self.is_some_combination_coherent(false)
    }

    /// Whether no decision is taken both ways and no value is said to be two things.
    pub(super) fn is_coherent(&self, literals: &[Literal]) -> bool {
        let mut taken: FxHashMap<DecisionId, bool> = FxHashMap::default();
        let mut questions: FxHashMap<ObjectId, Vec<(&Question, bool)>> = FxHashMap::default();
        for literal in literals {
            if *taken.entry(literal.decision).or_insert(literal.taken) != literal.taken {
                return false;
            }
            let decision = self.decisions.get(literal.decision.0 as usize);
            if let Some((of, question)) = decision.and_then(|decision| decision.question.as_ref()) {
                questions.entry(*of).or_default().push((question, literal.taken));
            }
        }
        let holds = |guard: &Guard| guard.iter().all(|literal| taken.get(&literal.decision) == Some(&literal.taken));
        if literals.iter().any(|literal| self.rivals_of(literal).iter().any(holds)) {
            return false;
        }
        questions.iter().all(|(of, answers)| {
            let members = self.heap.attribute(*of, Name::new(MEMBERS));
            Question::is_possible(self.library, answers)
                && self
                    .heap
                    .symbolic(*of)
                    .and_then(|data| data.refined.as_ref())
                    .is_none_or(|it| fits_answers(self.library, it, answers))
                && members.is_none_or(|members| match members {
                    Value::Tuple(members) => members.iter().any(|member| Question::fit(answers, &member.describe())),
                    _ => true,
                })
        })
    }

    /// Whether a function that is called again gives another answer to its own question, of values that nothing is known of. The answers may
    /// both be possible, each with values of its own; that these come together here is not known.
    pub(super) fn answers_both_ways(&self, literals: &[Literal]) -> bool {
        let mut answers: FxHashMap<(Span, &str), (u64, bool)> = FxHashMap::default();
        literals.iter().filter(|literal| !self.settled.contains(literal)).any(|literal| {
            let is_asked = |it: &&Decision| it.ways.is_empty() && !it.is_drawn();
            let decision = self.decisions.get(literal.decision.0 as usize).filter(is_asked);
            let Some((place, call, text)) = decision.and_then(|it| Some((it.asked_at?, it.asked_in?, &*it.text)))
            else {
                return false;
            };
            let (first, taken) = *answers.entry((place, text)).or_insert((call, literal.taken));
            let is_running = || self.frames.iter().any(|frame| frame.number == first);
            taken != literal.taken && first != call && !is_running()
        })
    }

    /// Whether what fails here fails only for some of several alternatives, in a way that says more of the inputs than of the program:
    /// inputs that are not known would have to go together badly, or an input would need a shape that only a function which serves other
    /// callers, too, asks for. Whoever calls the program is taken to know what it is made for.
    pub(crate) fn is_left_to_callers(&self) -> bool {
        let splits: Vec<&[Literal]> = self
            .splits
            .iter()
            .filter_map(|split| self.path.get(split.start..split.end))
            .filter(|literals| literals.iter().any(|literal| self.is_asked(literal)))
            .collect();
        if self.path.iter().any(|literal| self.is_of_another_item(literal) || self.counts_values(literal))
            || self.answers_data_both_ways()
            || (self.runs_test() && !self.path_conditions().is_empty())
        {
            return true;
        }
        match splits[..] {
            [] => self.rules_out_ranks_of_several(),
            [split] => {
                let mut known = FxHashMap::default();
                split.iter().any(|literal| self.is_foreign(literal, 0, &mut known)) || self.relates_inputs(split)
            }
            _ => true,
        }
    }

    /// Whether data of which nothing is known answer a question of the program one way in one iteration and the other way in another: data
    /// that go together in this way are for those who make them.
    fn answers_data_both_ways(&self) -> bool {
        let mut answers: FxHashMap<(Span, u64), bool> = FxHashMap::default();
        self.path.iter().filter(|literal| !self.settled.contains(literal)).any(|literal| {
            let decision = self.decisions.get(literal.decision.0 as usize);
            let is_of_data = |it: &&Decision| {
                it.ways.is_empty() && it.constraint.is_none() && it.question.is_none() && !it.is_drawn()
            };
            let of_data = decision.filter(is_of_data);
            // In another call the same words ask for something else.
            let Some(asked) = of_data.and_then(|it| Some((it.asked_at?, it.asked_in?))) else { return false };
            *answers.entry(asked).or_insert(literal.taken) != literal.taken
        })
    }

    /// Whether a literal says how many different values a tensor has: classes of labels, for as many of which a model was made.
    fn counts_values(&self, literal: &Literal) -> bool {
        let decision = self.decisions.get(literal.decision.0 as usize);
        let constraint = decision.and_then(|decision| decision.constraint.as_ref());
        constraint.is_some_and(|constraint| {
            constraint
                .variables()
                .iter()
                .any(|variable| variable.name() == UNIQUE && self.tables.by_chance.contains_key(variable))
        })
    }

    /// Whether the path says how many dimensions one input has, and of another only what number it has not: a value that both made has
    /// then more dimensions than anybody meant.
    fn rules_out_ranks_of_several(&self) -> bool {
        let ranks = |taken: bool| {
            let literals = self.path.iter().filter(move |literal| literal.taken == taken && self.is_asked(literal));
            let leaves = literals.filter_map(|literal| self.sizes_of(literal));
            leaves.filter(|leaves| leaves.iter().all(|leaf| matches!(leaf, Leaf::Shape(_))))
        };
        let ruled_out: Vec<Vec<Leaf>> = ranks(false).collect();
        ranks(true).any(|known| ruled_out.iter().any(|other| !other.iter().any(|leaf| known.contains(leaf))))
    }

    /// Whether sizes of an input decide which alternative it is, and what the path says of another input's sizes has a part in it.
    fn relates_inputs(&self, split: &[Literal]) -> bool {
        let sizes = |literals: &[Literal]| -> Vec<Vec<Leaf>> {
            literals
                .iter()
                .filter(|literal| self.is_asked(literal))
                .filter_map(|literal| self.sizes_of(literal))
                .collect()
        };
        let (here, everywhere) = (sizes(split), sizes(&self.path));
        let is_apart = |one: &[Leaf], other: &[Leaf]| !one.iter().any(|leaf| other.contains(leaf));
        match here.first() {
            Some(first) => everywhere.iter().any(|other| is_apart(first, other)),
            // The alternative is another's choice.
            None => !everywhere.is_empty(),
        }
    }

    /// The sizes of inputs that a decision is about.
    fn sizes_of(&self, literal: &Literal) -> Option<Vec<Leaf>> {
        let decision = self.decisions.get(literal.decision.0 as usize)?;
        let constraint = decision.constraint.as_ref().filter(|_| !decision.is_of_construction)?;
        let leaves = Leaf::of(constraint);
        let is_input = |leaf: &Leaf| match leaf {
            Leaf::Size(variable) => variable.kind() == VarKind::Free,
            Leaf::Shape(_) => true,
        };
        (!leaves.is_empty() && leaves.iter().all(is_input)).then_some(leaves)
    }

    /// Whether a requirement is on a tensor of which the path says a rank that it has not, and nothing else does which one it has: it may be of
    /// ranks that nobody meant.
    pub(crate) fn rules_out_one_rank(&self, judged: &Judged, bound: &Bound) -> bool {
        // What is left of a shape behind its first dimensions has the other ones.
        let ranks = |constraint: &Constraint| -> Vec<ShapeVar> {
            let leaves = Leaf::of(&self.solver.resolve_constraint(constraint)).into_iter();
            let shapes = leaves.filter_map(|leaf| match leaf {
                Leaf::Shape(shape) => Some(shape.whole()),
                Leaf::Size(_) => None,
            });
            shapes.collect()
        };
        let open = match judged.constraint {
            // What was refused outright was refused for its rank, as far as that is known.
            Constraint::False => self.open_ranks(judged, bound),
            _ => ranks(&judged.constraint),
        };
        let rules_out = |literal: &Literal| {
            let decision = self.decisions.get(literal.decision.0 as usize);
            let constraint = decision.and_then(|decision| decision.constraint.as_ref());
            constraint.is_some_and(|constraint| ranks(constraint).iter().any(|shape| open.contains(shape)))
        };
        !open.is_empty() && self.path.iter().any(rules_out)
    }

    /// The shapes of the operands of a clash of whose ranks only the least is known.
    fn open_ranks(&self, judged: &Judged, bound: &Bound) -> Vec<ShapeVar> {
        let tensors =
            bound.iter().filter(|(name, _)| judged.operands.iter().any(|operand| **operand == *name.as_str()));
        let mut open = Vec::new();
        for (_, value) in tensors {
            if let Value::Tensor(tensor) = self.read(value) {
                open.extend(self.solver.resolve_shape(&tensor.shape).shape_vars().map(ShapeVar::whole));
            }
        }
        open
    }

    /// Whether a literal says which iteration made an object, of a loop that has ended: what stands for all that it made is each of them.
    fn is_of_another_item(&self, literal: &Literal) -> bool {
        let Some(decision) = self.decisions.get(literal.decision.0 as usize) else { return false };
        let (Some(asked_in), Some(constraint)) = (decision.asked_in, &decision.constraint) else { return false };
        let is_running = self.frames.iter().any(|frame| frame.number == asked_in);
        !is_running && constraint.variables().iter().any(|variable| self.tables.counters.contains_key(variable))
    }

    /// Whether a literal is the program's own question, and one that did not end the program where it was answered otherwise.
    fn is_asked(&self, literal: &Literal) -> bool {
        let decision = self.decisions.get(literal.decision.0 as usize);
        !self.settled.contains(literal)
            && decision.is_some_and(|decision| {
                (decision.asked_in.is_some() || decision.is_blurred || !decision.ways.is_empty())
                    && !decision.is_drawn()
            })
    }

    /// Whether a literal is what a function that has ended found out of the shape of an input. What the making of an object decides is the
    /// object's own.
    fn is_foreign(&self, literal: &Literal, depth: usize, known: &mut Foreign) -> bool {
        let ways = self.ways_of(literal);
        if !ways.is_empty() {
            if let Some(is_foreign) = known.get(&(literal.decision, depth)) {
                return *is_foreign;
            }
            let mut is_foreign = |way: &Guard| {
                light_ticks(way.len());
                way.iter().any(|literal| self.is_foreign(literal, depth + 1, known))
            };
            let is_foreign = depth < DEEPEST_WAY && ways.iter().all(&mut is_foreign);
            known.insert((literal.decision, depth), is_foreign);
            return is_foreign;
        }
        let Some(decision) = self.decisions.get(literal.decision.0 as usize) else { return false };
        if decision.is_blurred {
            return true;
        }
        let (Some(asked_in), Some(constraint)) = (decision.asked_in, &decision.constraint) else { return false };
        let is_running = self.frames.iter().any(|frame| frame.number == asked_in);
        !is_running
            && !decision.is_of_construction
            && constraint.variables().iter().all(|variable| variable.kind() == VarKind::Free)
    }
}

/// The ways on which a conjunction holds and a guard does not, no two of them at once.
fn without(way: &[Literal], guard: &[Literal]) -> Vec<Vec<Literal>> {
    let says = |literal: &Literal| way.iter().find(|known| known.decision == literal.decision);
    if guard.iter().any(|literal| says(literal).is_some_and(|known| known.taken != literal.taken)) {
        return vec![way.to_vec()];
    }
    let mut ways = Vec::new();
    let mut before = way.to_vec();
    for literal in guard.iter().filter(|literal| says(literal).is_none()) {
        let opposite = Literal { taken: !literal.taken, ..*literal };
        ways.push(before.iter().copied().chain([opposite]).collect());
        before.push(*literal);
    }
    ways
}
