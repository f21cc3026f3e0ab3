//! How a body stops at a `yield` and goes on from there. What stands around the `yield` leaves its position while the evaluation ends, innermost
//! first; who goes on walks the same statements again, and each takes its position back in place of beginning anew.

use std::rc::Rc;

use crate::evaluate::exceptions::Raised;
use crate::state::interpreter::{Eval, Flow, Interpreter, Interrupt};
use crate::values::value::{ObjectId, Value};
use harp_python::ir::Stmt;
use harp_shape::Dim;

/// Where in a statement a body stopped.
#[derive(Clone, Debug)]
pub enum Position {
    /// In this statement of a block.
    Statement(usize),
    /// In this branch of an `if`, or case of a `match`.
    Branch(usize),
    /// In a loop over known items, before the next of them.
    Items {
        items: Rc<[Value]>,
        next: usize,
        cursor: Option<(ObjectId, usize)>,
    },
    /// In an iteration of a loop over a `range`.
    Counter {
        start: Dim,
        step: Dim,
        count: i64,
        index: i64,
    },
    /// In an iteration of a loop over what is made when it is asked for.
    Source {
        source: Value,
        index: usize,
    },
    /// In a round of a `while`.
    Round,
    /// In what follows a loop that ran to its end.
    Orelse,
    Try(TryPart),
    With(WithPart),
    /// At a `yield`, with what the ones before it in the same statement gave.
    Yield(Vec<Value>),
    /// In a `yield from`, with the same, and what it takes items from.
    From {
        answers: Vec<Value>,
        source: Value,
    },
}

/// A part of a `try` statement.
#[derive(Clone, Debug)]
pub enum TryPart {
    Body,
    Handler {
        index: usize,
        exception: Option<Value>,
    },
    Orelse,
    /// How the parts before ended.
    Finally {
        flow: Flow,
        raised: Raised,
    },
}

/// What an item of a `with` statement is.
#[derive(Clone, Debug)]
pub enum WithPart {
    /// Nothing happens after the block.
    Plain,
    /// It takes the exceptions that end the block.
    TakesExceptions,
    /// An object with an `__exit__` of the program.
    Managed { exit: Value },
}

/// What a running body is that may stop at a `yield`.
#[derive(Clone, Copy, Debug)]
pub struct Stepping {
    /// How many branches and loops were open where it was asked: it may stop where there are no more.
    pub arms: usize,
    pub abstract_loops: usize,
    /// Whether it runs to its end, and what it yields is collected.
    pub is_eager: bool,
}

/// What is passed to a body that goes on.
#[derive(Clone, Debug)]
pub enum Sent {
    Value(Value),
    Exception(Value),
}

/// What bodies leave and take back.
#[derive(Debug, Default)]
pub struct Suspension {
    /// The positions that were left, innermost first.
    pub left: Vec<Position>,
    /// What was yielded.
    pub yielded: Option<Value>,
    pub replay: Replay,
    /// How many branches are open.
    pub arms: usize,
    /// How many objects there were when the innermost iteration began that stands for many.
    pub round: usize,
}

/// What the innermost running body takes back.
#[derive(Debug, Default)]
pub struct Replay {
    /// The positions that are still to be taken, outermost last.
    pub resuming: Vec<Position>,
    /// What is passed to the body.
    pub sent: Option<Sent>,
    /// What the `yield`s of the running statement gave before it stopped, and how many of them were asked for again.
    answers: Vec<Value>,
    replayed: usize,
    /// Where a `yield from` goes on.
    delegate: Option<Value>,
    thrown: Option<Value>,
}

impl Replay {
    pub fn new(resuming: Vec<Position>, sent: Option<Sent>) -> Replay {
        Replay { resuming, sent, ..Replay::default() }
    }
}

impl Interpreter<'_> {
    /// Whether a body goes on whose position is not reached yet.
    pub(crate) fn is_resuming(&self) -> bool {
        !self.suspension.replay.resuming.is_empty()
    }

    /// The position of the construct that is reached, where `is_meant` says that it is its own.
    pub(crate) fn take_position(&mut self, is_meant: impl Fn(&Position) -> bool) -> Option<Position> {
        let is_own = self.suspension.replay.resuming.last().is_some_and(is_meant);
        if is_own { self.suspension.replay.resuming.pop() } else { None }
    }

    /// The statement of a block with which to begin.
    pub(crate) fn first_statement(&mut self) -> usize {
        let Some(Position::Statement(index)) = self.take_position(|it| matches!(it, Position::Statement(_))) else {
            return 0;
        };
        match self.take_position(|it| matches!(it, Position::Yield(_) | Position::From { .. })) {
            Some(Position::Yield(answers)) => {
                self.suspension.replay.answers = answers;
                match self.suspension.replay.sent.take() {
                    Some(Sent::Exception(exception)) => self.suspension.replay.thrown = Some(exception),
                    Some(Sent::Value(value)) => self.suspension.replay.answers.push(value),
                    None => self.suspension.replay.answers.push(Value::None),
                }
            }
            Some(Position::From { answers, source }) => {
                self.suspension.replay.answers = answers;
                self.suspension.replay.delegate = Some(source);
            }
            _ => {}
        }
        index
    }

    /// The `yield`s of the next statement have not given anything yet.
    pub(crate) fn end_statement(&mut self) {
        if !self.loops.shared_items.is_empty() {
            self.open_shared_items();
        }
        let replay = &mut self.suspension.replay;
        if !replay.answers.is_empty() && self.frames.last().is_some_and(|frame| frame.stepping.is_some()) {
            replay.answers.clear();
            replay.replayed = 0;
        }
    }

    /// Executes a block of a compound statement, which leaves its position where the block stops.
    pub(crate) fn execute_part(&mut self, block: &[Stmt], position: impl FnOnce() -> Position) -> Eval<Flow> {
        let flow = self.execute_block(block);
        self.leaving(flow, position)
    }

    /// Leaves the position of a construct in which a body stops.
    pub(crate) fn leaving<T>(&mut self, result: Eval<T>, position: impl FnOnce() -> Position) -> Eval<T> {
        if matches!(result, Err(Interrupt::Yield)) {
            self.suspension.left.push(position());
        }
        result
    }

    /// What a `yield` gave before its statement stopped; an exception that was thrown at it is raised.
    pub(crate) fn next_answer(&mut self) -> Eval<Option<Value>> {
        if let Some(answer) = self.suspension.replay.answers.get(self.suspension.replay.replayed).cloned() {
            self.suspension.replay.replayed += 1;
            return Ok(Some(answer));
        }
        match self.suspension.replay.thrown.take() {
            Some(exception) => {
                self.exceptions.raised = Raised { exception: Some(exception), ..Raised::default() };
                Err(Interrupt::Raise)
            }
            None => Ok(None),
        }
    }

    /// What a `yield` gives whose statement did not stop.
    pub(crate) fn note_answer(&mut self, answer: &Value) {
        if self.frames.last().is_some_and(|frame| frame.stepping.is_some()) {
            self.suspension.replay.answers.push(answer.clone());
            self.suspension.replay.replayed = self.suspension.replay.answers.len();
        }
    }

    pub(crate) fn take_delegate(&mut self) -> Option<Value> {
        self.suspension.replay.delegate.take()
    }

    /// Whether the running body may stop here: on its one way, in an iteration that stands for itself.
    pub(crate) fn may_suspend(&self) -> bool {
        let Some(frame) = self.frames.last() else { return false };
        frame.stepping.is_some_and(|stepping| {
            !stepping.is_eager
                && stepping.arms == self.suspension.arms
                && stepping.abstract_loops == self.loops.abstract_loops
                && self.pending.len() == frame.pending_base
        })
    }

    /// Stops the running body.
    pub(crate) fn suspend(&mut self, yielded: Value, source: Option<Value>) -> Interrupt {
        let answers = std::mem::take(&mut self.suspension.replay.answers);
        self.suspension.yielded = Some(yielded);
        self.suspension.left.clear();
        self.suspension.left.push(match source {
            Some(source) => Position::From { answers, source },
            None => Position::Yield(answers),
        });
        Interrupt::Yield
    }

    /// The running body goes on to its end from here.
    pub(crate) fn run_eagerly(&mut self) {
        if let Some(stepping) = self.frames.last_mut().and_then(|frame| frame.stepping.as_mut()) {
            stepping.is_eager = true;
        }
    }

    /// A loop ends whose later iterations are not executed: how often it yields is not known.
    pub(crate) fn cut_short(&mut self, yields: usize) {
        if let Some(frame) = self.frames.last_mut() {
            frame.yields_repeat |= frame.yields.len() > yields;
        }
    }

    pub(crate) fn yields_so_far(&self) -> usize {
        self.frames.last().map_or(0, |frame| frame.yields.len())
    }

    /// Runs an iteration that stands for many; returns how many objects there were when the one around it began.
    pub(crate) fn enter_abstract(&mut self) -> usize {
        self.loops.abstract_loops += 1;
        self.executions.begin_many();
        std::mem::replace(&mut self.suspension.round, self.heap.len())
    }

    pub(crate) fn leave_abstract(&mut self, round: usize) {
        self.loops.abstract_loops -= 1;
        self.executions.end_many();
        self.suspension.round = round;
    }
}

/// Whether two bodies stopped at the same place in the same state.
pub(crate) fn same_positions(one: &[Position], other: &[Position]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same_position(one, other))
}

fn same_position(one: &Position, other: &Position) -> bool {
    let same_values = |one: &[Value], other: &[Value]| {
        one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one.same(other))
    };
    match (one, other) {
        (Position::Statement(one), Position::Statement(other)) | (Position::Branch(one), Position::Branch(other)) => {
            one == other
        }
        (Position::Items { items, next, cursor }, Position::Items { items: other, next: at, cursor: other_cursor }) => {
            next == at && cursor == other_cursor && (Rc::ptr_eq(items, other) || same_values(items, other))
        }
        (
            Position::Counter { start, step, count, index },
            Position::Counter { start: other_start, step: other_step, count: other_count, index: other_index },
        ) => (start, step, count, index) == (other_start, other_step, other_count, other_index),
        (Position::Source { source, .. }, Position::Source { source: other, .. }) => source.same(other),
        (Position::Round, Position::Round) | (Position::Orelse, Position::Orelse) => true,
        (Position::Try(TryPart::Body), Position::Try(TryPart::Body))
        | (Position::Try(TryPart::Orelse), Position::Try(TryPart::Orelse)) => true,
        (Position::Try(TryPart::Handler { index, .. }), Position::Try(TryPart::Handler { index: other, .. })) => {
            index == other
        }
        (Position::With(WithPart::Managed { exit }), Position::With(WithPart::Managed { exit: other })) => {
            exit.same(other)
        }
        (Position::With(_), Position::With(_)) => std::mem::discriminant(one) == std::mem::discriminant(other),
        (Position::Yield(one), Position::Yield(other)) => same_values(one, other),
        (Position::From { answers, source }, Position::From { answers: other, source: other_source }) => {
            same_values(answers, other) && source.same(other_source)
        }
        _ => false,
    }
}

/// The values that positions hold.
pub(crate) fn values_of(positions: &[Position]) -> Vec<&Value> {
    let mut values = Vec::new();
    for position in positions {
        match position {
            Position::Items { items, .. } => values.extend(items.iter()),
            Position::Source { source, .. } => values.push(source),
            Position::Yield(answers) => values.extend(answers),
            Position::From { answers, source } => values.extend(answers.iter().chain([source])),
            Position::Try(TryPart::Handler { exception, .. }) => values.extend(exception),
            Position::Try(TryPart::Finally { flow, raised }) => {
                values.extend(&raised.exception);
                if let Flow::Return(value) = flow {
                    values.push(value);
                }
            }
            Position::With(WithPart::Managed { exit }) => values.push(exit),
            _ => {}
        }
    }
    values
}

/// The objects that positions name.
pub(crate) fn objects_of(positions: &[Position]) -> impl Iterator<Item = ObjectId> {
    positions.iter().filter_map(|position| match position {
        Position::Items { cursor: Some((cursor, _)), .. } => Some(*cursor),
        _ => None,
    })
}
