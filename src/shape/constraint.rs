//! Constraints between dimensions and shapes, and what the solver says of them.

use std::cell::Cell;
use std::fmt;

use super::dim::Dim;
use super::shapes::Shape;
use super::variable::{ShapeVar, Var};

/// A statement about numbers and shapes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Constraint {
    /// Holds always.
    True,
    /// Holds never.
    False,
    /// `a == b`
    Equal(Dim, Dim),
    /// `a != b`
    NotEqual(Dim, Dim),
    /// `a < b`
    Less(Dim, Dim),
    /// `a <= b`
    LessEqual(Dim, Dim),
    /// `value % divisor == 0`
    Divides {
        /// What it is divided by.
        divisor: Dim,
        /// What is divided.
        value: Dim,
    },
    /// Equal, or one of them is 1.
    Broadcastable(Dim, Dim),
    /// As many dimensions, of equal sizes.
    SameShape(Shape, Shape),
    /// `result` is the shape of an element-wise operation on tensors of the other two shapes.
    Broadcast {
        /// The shape that broadcasting gives.
        result: Shape,
        /// The shapes that are broadcast.
        operands: [Shape; 2],
    },
    /// The shape has so many dimensions.
    Rank(Shape, usize),
    /// All of them hold; of none, it is true.
    And(Vec<Constraint>),
    /// One of them holds; of none, it is false.
    Or(Vec<Constraint>),
    /// It does not hold.
    Not(Box<Constraint>),
}

/// An unknown that a constraint is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaf {
    /// A size, or another number.
    Size(Var),
    /// A number of dimensions or of elements.
    Shape(ShapeVar),
}

impl Leaf {
    /// The unknowns of a constraint, each once.
    pub fn of(constraint: &Constraint) -> Vec<Leaf> {
        let mut leaves: Vec<Leaf> = constraint.variables().into_iter().map(Leaf::Size).collect();
        let (mut of_sizes, mut shapes) = (Vec::new(), Vec::new());
        constraint
            .for_each(&mut |dim| of_sizes.extend(dim.shape_vars()), &mut |shape| shapes.extend(shape.shape_vars()));
        for shape in of_sizes.into_iter().chain(shapes) {
            if !leaves.contains(&Leaf::Shape(shape)) {
                leaves.push(Leaf::Shape(shape));
            }
        }
        leaves
    }
}

/// What is certain of a constraint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// True for every legal value.
    Holds,
    /// False for every legal value; for settings, false at their defaults.
    Violated,
    /// True for some values (for settings: at their defaults) and false for others.
    Possible(Counterexample),
    /// Neither proved nor refuted: no reason for an alarm.
    Unknown,
}

/// What became of a requirement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It holds by what is known; nothing was learned.
    Holds,
    /// Free variables were bound, or a fact was recorded, so that it holds from now on.
    Assumed,
    /// It is certainly broken: see [`Verdict::Violated`].
    Violated,
    /// It is broken for some values: see [`Verdict::Possible`].
    Possible(Counterexample),
    /// Neither proved nor refuted: no reason for an alarm.
    Unknown,
}

/// Values for which a constraint fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterexample {
    /// A value for each variable that matters.
    pub assignment: Vec<(Var, i64)>,
    /// When the constraint fails, such as `nhid != ninp`.
    pub condition: Constraint,
    /// The constraint holds where every setting has its default.
    pub is_default_fine: bool,
    /// The constraint fails for all sizes that are not extremes, such as `u*(256//u) == 256//u`, which 1 alone fulfils.
    pub fails_usually: bool,
}

impl Outcome {
    /// The outcome of requiring both.
    pub fn and(self, other: Outcome) -> Outcome {
        let severity = |outcome: &Outcome| match outcome {
            Outcome::Holds => 0,
            Outcome::Assumed => 1,
            Outcome::Unknown => 2,
            Outcome::Possible(_) => 3,
            Outcome::Violated => 4,
        };
        if severity(&other) > severity(&self) { other } else { self }
    }
}

impl From<Verdict> for Outcome {
    fn from(verdict: Verdict) -> Outcome {
        match verdict {
            Verdict::Holds => Outcome::Holds,
            Verdict::Violated => Outcome::Violated,
            Verdict::Possible(counterexample) => Outcome::Possible(counterexample),
            Verdict::Unknown => Outcome::Unknown,
        }
    }
}

impl Constraint {
    /// The opposite, with negations pushed inwards.
    pub fn negated(&self) -> Constraint {
        match self {
            Constraint::True => Constraint::False,
            Constraint::False => Constraint::True,
            Constraint::Equal(a, b) => Constraint::NotEqual(*a, *b),
            Constraint::NotEqual(a, b) => Constraint::Equal(*a, *b),
            Constraint::Less(a, b) => Constraint::LessEqual(*b, *a),
            Constraint::LessEqual(a, b) => Constraint::Less(*b, *a),
            Constraint::Divides { divisor, value } => Constraint::NotEqual(value.modulo(*divisor), Dim::ZERO),
            Constraint::Broadcastable(a, b) => Constraint::And(vec![
                Constraint::NotEqual(*a, *b),
                Constraint::NotEqual(*a, Dim::ONE),
                Constraint::NotEqual(*b, Dim::ONE),
            ]),
            Constraint::SameShape(..) | Constraint::Broadcast { .. } | Constraint::Rank(..) => {
                Constraint::Not(Box::new(self.clone()))
            }
            Constraint::And(parts) => Constraint::Or(parts.iter().map(Constraint::negated).collect()),
            Constraint::Or(parts) => Constraint::And(parts.iter().map(Constraint::negated).collect()),
            Constraint::Not(inner) => (**inner).clone(),
        }
    }

    /// Whether it speaks of whole shapes, so that its opposite has no other form.
    pub fn is_about_shapes(&self) -> bool {
        matches!(self, Constraint::SameShape(..) | Constraint::Broadcast { .. } | Constraint::Rank(..))
    }

    /// The variables in it, each once, in the order of their first occurrence.
    pub fn variables(&self) -> Vec<Var> {
        let mut variables = Vec::new();
        let mut collect = |dim: Dim| {
            dim.for_each_var(|variable| {
                if !variables.contains(&variable) {
                    variables.push(variable);
                }
            });
        };
        let mut shapes = Vec::new();
        self.for_each(&mut |dim| collect(dim), &mut |shape| shapes.push(shape));
        for shape in shapes {
            for element in shape.elements() {
                if let super::shapes::Element::Dim(dim) = element {
                    collect(*dim);
                }
            }
        }
        variables
    }

    /// Whether it holds for these values; `None` where a value is missing or a shape's rank is unknown.
    pub fn evaluate(&self, value: &mut dyn FnMut(Var) -> Option<i64>) -> Option<bool> {
        super::formula::Formula::of(self).evaluate(value)
    }

    /// Whether any variable in it is of a kind.
    pub fn mentions(&self, is_it: impl Fn(Var) -> bool) -> bool {
        let found = Cell::new(false);
        let look = |dim: Dim| dim.for_each_var(|var| found.set(found.get() || is_it(var)));
        self.for_each(&mut |dim| look(dim), &mut |shape| {
            for element in shape.elements() {
                if let super::shapes::Element::Dim(dim) = element {
                    look(*dim);
                }
            }
        });
        found.get()
    }

    /// Looks at all its dimensions and shapes, in order.
    pub fn for_each<'a>(&'a self, dims: &mut dyn FnMut(Dim), shapes: &mut dyn FnMut(&'a Shape)) {
        match self {
            Constraint::True | Constraint::False => {}
            Constraint::Equal(a, b)
            | Constraint::NotEqual(a, b)
            | Constraint::Less(a, b)
            | Constraint::LessEqual(a, b)
            | Constraint::Divides { divisor: a, value: b }
            | Constraint::Broadcastable(a, b) => [*a, *b].into_iter().for_each(dims),
            Constraint::SameShape(a, b) => [a, b].into_iter().for_each(shapes),
            Constraint::Broadcast { result, operands: [a, b] } => [result, a, b].into_iter().for_each(shapes),
            Constraint::Rank(shape, _) => shapes(shape),
            Constraint::And(parts) | Constraint::Or(parts) => {
                parts.iter().for_each(|part| part.for_each(dims, shapes));
            }
            Constraint::Not(inner) => inner.for_each(dims, shapes),
        }
    }

    /// The same constraint with dimensions and shapes replaced.
    pub fn map(&self, dims: &mut dyn FnMut(Dim) -> Dim, shapes: &mut dyn FnMut(&Shape) -> Shape) -> Constraint {
        match self {
            Constraint::True => Constraint::True,
            Constraint::False => Constraint::False,
            Constraint::Equal(a, b) => Constraint::Equal(dims(*a), dims(*b)),
            Constraint::NotEqual(a, b) => Constraint::NotEqual(dims(*a), dims(*b)),
            Constraint::Less(a, b) => Constraint::Less(dims(*a), dims(*b)),
            Constraint::LessEqual(a, b) => Constraint::LessEqual(dims(*a), dims(*b)),
            Constraint::Divides { divisor, value } => {
                Constraint::Divides { divisor: dims(*divisor), value: dims(*value) }
            }
            Constraint::Broadcastable(a, b) => Constraint::Broadcastable(dims(*a), dims(*b)),
            Constraint::SameShape(a, b) => Constraint::SameShape(shapes(a), shapes(b)),
            Constraint::Broadcast { result, operands: [a, b] } => {
                Constraint::Broadcast { result: shapes(result), operands: [shapes(a), shapes(b)] }
            }
            Constraint::Rank(shape, rank) => Constraint::Rank(shapes(shape), *rank),
            Constraint::And(parts) => Constraint::And(parts.iter().map(|part| part.map(dims, shapes)).collect()),
            Constraint::Or(parts) => Constraint::Or(parts.iter().map(|part| part.map(dims, shapes)).collect()),
            Constraint::Not(inner) => Constraint::Not(Box::new(inner.map(dims, shapes))),
        }
    }
}

impl fmt::Display for Constraint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Constraint::True => formatter.write_str("True"),
            Constraint::False => formatter.write_str("False"),
            Constraint::Equal(a, b) => write!(formatter, "{a} == {b}"),
            Constraint::NotEqual(a, b) => write!(formatter, "{a} != {b}"),
            Constraint::Less(a, b) => write!(formatter, "{a} < {b}"),
            Constraint::LessEqual(a, b) => write!(formatter, "{a} <= {b}"),
            Constraint::Divides { divisor, value } => write!(formatter, "{} == 0", remainder_text(*value, *divisor)),
            Constraint::Broadcastable(a, b) => write_broadcastable(formatter, *a, *b),
            Constraint::SameShape(a, b) => write!(formatter, "{a} == {b}"),
            Constraint::Broadcast { result, operands: [a, b] } => write!(formatter, "broadcast({a}, {b}) == {result}"),
            Constraint::Rank(shape, rank) => write!(formatter, "rank({shape}) == {rank}"),
            Constraint::And(parts) => write_joined(formatter, parts, " and ", "True"),
            Constraint::Or(parts) => write_joined(formatter, parts, " or ", "False"),
            Constraint::Not(inner) => match &**inner {
                Constraint::SameShape(a, b) => write!(formatter, "{a} != {b}"),
                Constraint::Rank(shape, rank) => write!(formatter, "rank({shape}) != {rank}"),
                inner => write!(formatter, "not ({inner})"),
            },
        }
    }
}

/// `value % divisor` as written, also where it is a known number.
fn remainder_text(value: Dim, divisor: Dim) -> String {
    let operand = |dim: Dim| {
        let is_simple = dim.as_var().is_some() || dim.as_const().is_some_and(|value| value >= 0);
        if is_simple { dim.to_string() } else { format!("({dim})") }
    };
    format!("{} % {}", operand(value), operand(divisor))
}

fn write_broadcastable(formatter: &mut fmt::Formatter<'_>, a: Dim, b: Dim) -> fmt::Result {
    write!(formatter, "{a} == {b}")?;
    for dim in [a, b] {
        if dim.as_const().is_none() {
            write!(formatter, " or {dim} == 1")?;
        }
    }
    Ok(())
}

fn write_joined(formatter: &mut fmt::Formatter<'_>, parts: &[Constraint], joint: &str, empty: &str) -> fmt::Result {
    if parts.is_empty() {
        return formatter.write_str(empty);
    }
    for (index, part) in parts.iter().enumerate() {
        formatter.write_str(if index > 0 { joint } else { "" })?;
        let is_compound = matches!(part, Constraint::And(_) | Constraint::Or(_) | Constraint::Broadcastable(..));
        if is_compound && parts.len() > 1 { write!(formatter, "({part})")? } else { write!(formatter, "{part}")? }
    }
    Ok(())
}
