//! Path conditions: the decisions that lead to where the program is, with what is asked of them at every value that is
//! read, whether one was taken, and how.

use std::cell::Cell;
use std::ops::Deref;
use std::rc::Rc;

use rustc_hash::FxHashSet;

use crate::paths::fails_on_every_path::FailingWays;
use crate::paths::predicates::Question;
use crate::state::interpreter::Interpreter;
use crate::values::value::{DecisionId, Guard, Literal, ObjectId};
use harp_corpus::Span;
use harp_shape::Constraint;

/// A branch condition that is explored both ways.
#[derive(Clone, Debug)]
pub struct Decision {
    /// Where the program asks.
    pub place: Option<Span>,
    /// The condition in the program, also where nothing is learned from it.
    pub asked_at: Option<Span>,
    /// The condition as the program writes it or as dimensions.
    pub text: Rc<str>,
    pub constraint: Option<Constraint>,
    /// The number of the call in which the program asks; `None` where it is no question of the program.
    pub asked_in: Option<u64>,
    /// Whether an object is being made where the program asks.
    pub is_of_construction: bool,
    /// What is asked of a value of which nothing is known.
    pub question: Option<(ObjectId, Question)>,
    /// Where it stands for several guards: it is taken where one of them holds.
    pub ways: Vec<Guard>,
    /// Whether it stands for more guards than are kept.
    pub is_blurred: bool,
    /// Where it stands for more than are kept: the guards of what else a value or a way on is. Where one of them holds, it is not taken.
    pub rivals: Vec<Guard>,
}

impl Decision {
    /// A decision that nobody asks about yet.
    pub fn new(text: &str, constraint: Option<Constraint>) -> Decision {
        Decision {
            place: None,
            asked_at: None,
            text: Rc::from(text),
            constraint,
            asked_in: None,
            is_of_construction: false,
            question: None,
            ways: Vec::new(),
            is_blurred: false,
            rivals: Vec::new(),
        }
    }
}

/// Functions that draw a number, each time another one.
const DRAWS: [&str; 8] = ["bernoulli", "choice", "rand", "randint", "randn", "random", "randrange", "uniform"];

impl Decision {
    /// Whether the program asks for what it draws as it asks: each answer is as possible as the other, whatever the one before was.
    pub(crate) fn is_drawn(&self) -> bool {
        let mut calls = self.text.match_indices('(').map(|(place, _)| &self.text[..place]);
        let name = |before: &str| before.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().map(str::to_owned);
        calls.any(|before| name(before).is_some_and(|name| DRAWS.contains(&name.as_str())))
    }
}

/// The decisions that were taken on the way, in order. It reads like a slice of them.
#[derive(Debug, Default)]
pub struct Path {
    literals: Vec<Literal>,
    /// By decision: how it stands on the path.
    standing: Vec<Standing>,
    /// The places of the literals that stand for several guards, of which one holds.
    compound: Vec<u32>,
    /// How often somebody asked how a decision stands.
    asked: Cell<u64>,
    /// Where something failed, and on which paths.
    pub failing: FailingWays,
}

impl Interpreter<'_> {
    /// Whether the program asked the same of values that nothing is known of several times on the way, as in the turns of a loop. Each answer
    /// is possible; whether they all are together is not known.
    pub(crate) fn answers_one_question_often(&self) -> bool {
        let mut asked = FxHashSet::default();
        self.path.iter().filter(|literal| !self.settled.contains(literal)).any(|literal| {
            let is_of_values = |it: &&Decision| it.constraint.is_none() && !it.is_drawn();
            let decision = self.decisions.get(literal.decision.0 as usize).filter(is_of_values);
            decision.and_then(|decision| decision.asked_at).is_some_and(|place| !asked.insert(place))
        })
    }
}

/// How a decision stands on a path.
#[derive(Clone, Copy, Debug, Default)]
struct Standing {
    /// How often it was taken, and how often it was not.
    times: [u32; 2],
    /// Which way it went first, while it is on the path.
    first: bool,
    /// Whether it stands for several guards, or excludes some; also of one that was forgotten.
    may_be_compound: bool,
}

impl Deref for Path {
    type Target = [Literal];

    fn deref(&self) -> &[Literal] {
        &self.literals
    }
}

impl Path {
    /// Adds a literal; `decisions` are all there are.
    pub fn push(&mut self, literal: Literal, decisions: &[Decision]) {
        let index = literal.decision.0 as usize;
        if self.standing.len() <= index {
            self.standing.resize(index + 1, Standing::default());
        }
        let standing = &mut self.standing[index];
        if standing.times == [0, 0] {
            standing.first = literal.taken;
        }
        let times = &mut standing.times[usize::from(literal.taken)];
        *times = times.saturating_add(1);
        let is_compound = |decision: &Decision| !decision.ways.is_empty() || !decision.rivals.is_empty();
        if literal.taken && decisions.get(index).is_some_and(is_compound) {
            self.compound.push(self.literals.len() as u32);
        }
        self.literals.push(literal);
    }

    /// Adds literals.
    pub fn extend(&mut self, literals: impl IntoIterator<Item = Literal>, decisions: &[Decision]) {
        literals.into_iter().for_each(|literal| self.push(literal, decisions));
    }

    /// Takes the last literal away.
    pub fn pop(&mut self) {
        self.truncate(self.literals.len().saturating_sub(1));
    }

    /// Takes the literals behind the first `length` away.
    pub fn truncate(&mut self, length: usize) {
        let left = self.literals.get(length..).unwrap_or_default();
        for literal in left {
            if let Some(standing) = self.standing.get_mut(literal.decision.0 as usize) {
                let times = &mut standing.times[usize::from(literal.taken)];
                *times = times.saturating_sub(1);
            }
        }
        self.literals.truncate(length);
        while self.compound.last().is_some_and(|place| *place as usize >= length) {
            self.compound.pop();
        }
    }

    /// Takes all literals away.
    pub fn clear(&mut self) {
        self.failing.clear();
        self.truncate(0);
    }

    /// Makes it the path of these literals.
    pub fn go_to(&mut self, literals: &[Literal], decisions: &[Decision]) {
        let alike = self.literals.iter().zip(literals).take_while(|(one, other)| one == other).count();
        self.truncate(alike);
        self.extend(literals[alike..].iter().copied(), decisions);
    }

    /// Which way a decision went, where it is on the path.
    pub fn way_of(&self, decision: DecisionId) -> Option<bool> {
        self.note_question();
        let standing = self.standing.get(decision.0 as usize)?;
        (standing.times != [0, 0]).then_some(standing.first)
    }

    /// Whether the opposite of a literal is on the path.
    pub fn has_opposite(&self, literal: Literal) -> bool {
        self.note_question();
        let standing = self.standing.get(literal.decision.0 as usize);
        standing.is_some_and(|standing| standing.times[usize::from(!literal.taken)] > 0)
    }

    /// Whether the opposite of one of these literals is on the path.
    pub(crate) fn opposes(&self, literals: &[Literal]) -> bool {
        if !literals.is_empty() {
            self.note_question();
        }
        literals.iter().any(|literal| {
            let standing = self.standing.get(literal.decision.0 as usize);
            standing.is_some_and(|standing| standing.times[usize::from(!literal.taken)] > 0)
        })
    }

    /// Notes that a decision stands for several guards, or excludes some.
    pub(crate) fn note_compound(&mut self, decision: DecisionId) {
        let index = decision.0 as usize;
        if self.standing.len() <= index {
            self.standing.resize(index + 1, Standing::default());
        }
        self.standing[index].may_be_compound = true;
    }

    /// Whether a decision may stand for several guards, or exclude some.
    pub(crate) fn may_be_compound(&self, decision: DecisionId) -> bool {
        self.standing.get(decision.0 as usize).is_some_and(|standing| standing.may_be_compound)
    }

    /// Whether a literal is on the path.
    pub fn has(&self, literal: Literal) -> bool {
        self.note_question();
        self.tells(literal)
    }

    /// The same for whoever tells of the path: that is no question on which a result rests.
    pub(crate) fn tells(&self, literal: Literal) -> bool {
        let standing = self.standing.get(literal.decision.0 as usize);
        standing.is_some_and(|standing| standing.times[usize::from(literal.taken)] > 0)
    }

    /// How often somebody asked how a decision stands: what nobody asked rests on no path.
    pub fn questions(&self) -> u64 {
        self.asked.get()
    }

    pub(crate) fn note_question(&self) {
        self.asked.set(self.asked.get() + 1);
    }

    /// The literals on it that stand for several guards, or exclude some.
    pub fn compound(&self) -> impl ExactSizeIterator<Item = Literal> {
        self.compound.iter().map(|place| self.literals[*place as usize])
    }
}
