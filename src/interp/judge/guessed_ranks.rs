//! Filters alarms on numbers of dimensions that were taken for granted where an operation takes several: what rests on
//! a wrong guess is no mistake of the program.

use std::rc::Rc;

use crate::api::call_api::{Bound, Callee};
use crate::api::results::assumptions_of;
use crate::judge::filters::GUESSED_RANK;
use crate::state::interpreter::{Interpreter, Speculation};
use crate::values::value::Value;
use harp_corpus::Span;
use harp_operations::operation::{Argument, Arguments, Guess, Judged, TensorArgument};
use harp_python::name::Name;
use harp_shape::{Constraint, Dim, Element, Outcome, Shape, ShapeVar, Var};
use harp_trace::answers::{Asked, Reply};
use harp_trace::assumption::{AssumptionId, AssumptionKind, AssumptionSet, words};

/// Which guesses are taken back.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Which {
    One(AssumptionId),
    /// All, of operands whose number of dimensions is still open.
    OfOpenRank,
    All,
}

/// A guess in words.
struct Guessed {
    subject: &'static str,
    text: String,
    evidence: String,
    /// The shape of the operand, where it is known which one it is.
    shape: Option<Shape>,
}

/// A number of dimensions that unifying shapes took for granted.
fn guess_of(rank: usize, is_least: bool) -> Guess {
    let least = if is_least { "at least " } else { "" };
    let text = match rank {
        1 => format!("{least}1 dimension"),
        rank => format!("{least}{rank} dimensions"),
    };
    // Where a batch of matrices is taken, a vector is, too.
    let others = if is_least && rank > 1 { vec![-1] } else { Vec::new() };
    Guess { operand: Rc::from(""), text, others }
}

impl<'p> Interpreter<'p> {
    /// An operand's number of dimensions that follows from a guess is no reason to complain where another guess would do.
    pub(crate) fn forgive_wrong_guesses(
        &mut self,
        Callee { spec, api }: Callee<'p>,
        bound: &Bound,
        arguments: &Arguments,
        span: Span,
        judged: &mut Vec<Judged>,
    ) {
        let is_structural = |judged: &Judged| {
            judged.outcome == Outcome::Violated && matches!(judged.constraint, Constraint::False | Constraint::Rank(..))
        };
        if self.inference.is_some() || !judged.iter().any(is_structural) {
            return;
        }
        let guesses: Vec<(AssumptionId, i64)> = assumptions_of(bound)
            .union(&self.guesses_behind(bound))
            .iter()
            .filter_map(|id| Some((id, self.sizes.guessed_ranks.get(&id)?)))
            .flat_map(|(id, others)| others.iter().map(move |other| (id, *other)))
            .collect();
        // One guess after the other, then all of them at once, of operands whose rank is still open and of all.
        let mut differences: Vec<i64> = guesses.iter().map(|(_, difference)| *difference).collect();
        differences.sort_unstable();
        differences.dedup();
        let one_by_one = guesses.iter().map(|(id, difference)| (Which::One(*id), *difference));
        let all = differences
            .into_iter()
            .flat_map(|difference| [(Which::OfOpenRank, difference), (Which::All, difference)])
            .filter(|(which, _)| *which == Which::OfOpenRank || guesses.len() > 1);
        let ways: Vec<(Which, i64)> = one_by_one.chain(all).collect();
        for (which, difference) in ways {
            let mut others = arguments.clone();
            // What follows from the guess besides: sizes of a tensor, as many as it was taken to have dimensions.
            let is_open = |item: &Argument| matches!(item, Argument::Integer(dim) if dim.as_const().is_none());
            for (name, value) in bound {
                let known = arguments.get(name.as_str());
                if matches!(known, Some(Argument::Sequence(items)) if items.iter().any(is_open)) {
                    others.push(name.as_str(), Argument::Unknown);
                } else if let Some(other) =
                    known.and_then(|known| self.guessed_otherwise(known, value, which, difference))
                {
                    others.push(name.as_str(), other);
                }
            }
            let mark = self.solver.mark();
            let (_, again, ..) = self.run_operation(spec, api, &others);
            self.solver.rollback(mark);
            self.solver.fixed_ranks.clear();
            if !again.iter().any(is_structural) {
                for forgiven in judged.extract_if(.., |judged| is_structural(judged)) {
                    self.note_silenced(GUESSED_RANK, span, api, &forgiven.message);
                }
                return;
            }
        }
    }

    /// An argument as it would be with so many dimensions more where it rests on one of these guesses.
    fn guessed_otherwise(
        &mut self,
        argument: &Argument,
        value: &Value,
        which: Which,
        difference: i64,
    ) -> Option<Argument> {
        match (argument, self.read(value)) {
            (Argument::Tensor(_), Value::Tensor(tensor)) => {
                let is_guess = |assumption: AssumptionId| {
                    !matches!(which, Which::One(id) if id != assumption)
                        && self.sizes.guessed_ranks.get(&assumption).is_some_and(|others| others.contains(&difference))
                };
                let behind = self.guesses_of_shape(&tensor.shape);
                let is_open = || self.solver.resolve_shape(&tensor.shape).rank().is_none();
                if !tensor.assumptions.iter().chain(behind).any(is_guess) || which == Which::OfOpenRank && !is_open() {
                    return None;
                }
                let rank = usize::try_from(self.least_rank(&tensor.shape) + difference).ok()?;
                let dims: Vec<_> = (0..rank).map(|_| self.free_dim("d", 1)).collect();
                Some(Argument::Tensor(TensorArgument { shape: Shape::known(dims), dtype: tensor.dtype }))
            }
            (Argument::Sequence(arguments), Value::Tuple(items)) if arguments.len() == items.len() => {
                self.items_guessed_otherwise(arguments, &items, which, difference)
            }
            (Argument::Sequence(arguments), Value::List(list)) => {
                let items = self.heap.list(list).filter(|data| data.rest.is_none())?.items.clone();
                self.items_guessed_otherwise(arguments, &items, which, difference)
            }
            _ => None,
        }
    }

    fn items_guessed_otherwise(
        &mut self,
        arguments: &[Argument],
        items: &[Value],
        which: Which,
        difference: i64,
    ) -> Option<Argument> {
        if arguments.len() != items.len() || !items.iter().all(|item| matches!(self.read(item), Value::Tensor(_))) {
            return None;
        }
        let others: Vec<Option<Argument>> = arguments
            .iter()
            .zip(items)
            .map(|(argument, item)| self.guessed_otherwise(argument, item, which, difference))
            .collect();
        others.iter().any(Option::is_some).then(|| {
            let parts =
                others.into_iter().zip(arguments).map(|(other, argument)| other.unwrap_or_else(|| argument.clone()));
            Argument::Sequence(parts.collect())
        })
    }

    /// The guesses that bound the shapes of arguments. What is computed from these rests on them.
    pub(crate) fn guesses_behind(&self, bound: &Bound) -> AssumptionSet {
        if self.sizes.guessed_shapes.is_empty() {
            return AssumptionSet::default();
        }
        let tensors = bound.iter().filter_map(|(_, value)| match self.read(value) {
            Value::Tensor(tensor) => Some(tensor),
            _ => None,
        });
        let mut set = AssumptionSet::default();
        for tensor in tensors {
            set = self.guesses_of_shape(&tensor.shape).fold(set, |set, id| set.with(id));
        }
        set
    }

    fn guesses_of_shape(&self, shape: &Shape) -> impl Iterator<Item = AssumptionId> {
        shape.shape_vars().filter_map(|var| self.sizes.guessed_shapes.get(&var)).copied()
    }

    /// Whether a tuple has as many sizes as it has because the number of dimensions of a tensor was guessed.
    pub(crate) fn is_of_guessed_rank(&self, sizes: &Value) -> bool {
        let Value::Tuple(items) = sizes else { return false };
        let of_guess = |shape: &ShapeVar| self.solver.sizes_within(*shape);
        let guessed: Vec<Var> = self.sizes.guessed_shapes.keys().flat_map(of_guess).collect();
        let is_guessed = |dim: Dim| dim.vars().iter().any(|var| guessed.contains(var));
        items.iter().any(|item| self.read(item).as_dim().is_some_and(is_guessed))
    }

    /// How many dimensions a tensor has that are known one by one.
    fn least_rank(&self, shape: &Shape) -> i64 {
        let shape = self.solver.resolve_shape(shape);
        shape.elements().iter().filter(|element| !matches!(element, Element::Rest(_))).count() as i64
    }

    /// Whether the user denies something that an operation took for granted of operands of unknown rank.
    pub(crate) fn denies_guesses(&mut self, api: Name, guesses: &[Guess], bound: &Bound, span: Span) -> bool {
        if self.trace.answers.is_empty() || guesses.is_empty() && self.solver.fixed_ranks.is_empty() {
            return false;
        }
        let fixed: Vec<Guess> = self.solver.fixed_ranks.iter().map(|it| guess_of(it.rank, it.is_least)).collect();
        guesses.iter().chain(&fixed).any(|guess| {
            let Guessed { subject, text, evidence, .. } = self.guessed(api, guess, bound);
            let (kind, subject) = (AssumptionKind::UsedAs.as_str().to_owned(), subject.to_owned());
            let asked = Asked { span: Some(span), kind, subject, text, evidence };
            self.trace.answers.reply(&asked, self.corpus) == Some(Reply::Denied)
        })
    }

    /// A guess in words, and the shape that it is about.
    fn guessed(&self, api: Name, guess: &Guess, bound: &Bound) -> Guessed {
        let operand = bound.iter().rev().find(|(name, _)| name.as_str() == &*guess.operand);
        let (subject, shape) = match operand.map(|(_, value)| self.read(value)) {
            Some(Value::Tensor(tensor)) => (tensor.name.map_or("", Name::as_str), Some(tensor.shape.clone())),
            _ => ("", None),
        };
        let named = if subject.is_empty() { "an operand".to_owned() } else { format!("`{subject}`") };
        let text = words::used_as_rank(named, api, &guess.text);
        Guessed { subject, text, evidence: format!("`{api}` takes others too"), shape }
    }

    /// What an operation took for granted of operands of unknown rank becomes assumptions.
    pub(crate) fn assume_guesses(
        &mut self,
        api: Name,
        mut guesses: Vec<Guess>,
        bound: &Bound,
        span: Span,
    ) -> AssumptionSet {
        let ranks = std::mem::take(&mut self.solver.fixed_ranks);
        guesses.extend(ranks.iter().map(|it| guess_of(it.rank, it.is_least)));
        let mut set = AssumptionSet::default();
        for guess in guesses {
            let Guessed { subject, text, evidence, shape } = self.guessed(api, &guess, bound);
            let speculation = self.speculate(AssumptionKind::UsedAs, subject, text, evidence, span);
            let shape = shape.filter(|_| self.inference.is_none() && !guess.others.is_empty());
            let vars = shape.map_or_else(Vec::new, |shape| {
                let resolved = self.solver.resolve_shape(&shape);
                shape.shape_vars().chain(resolved.shape_vars()).collect()
            });
            match speculation {
                Speculation::Assumed(id) => {
                    if !guess.others.is_empty() {
                        self.sizes.guessed_ranks.insert(id, guess.others.clone());
                    }
                    self.sizes.guessed_shapes.extend(vars.into_iter().map(|var| (var, id)));
                    set = set.with(id);
                }
                // What is known says more than an earlier guess did.
                Speculation::Confirmed => vars.iter().for_each(|var| _ = self.sizes.guessed_shapes.remove(var)),
                Speculation::Denied => {}
            }
        }
        set
    }
}
