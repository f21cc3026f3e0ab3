//! Names of the shape notation with their values, and the evaluation of patterns under them.

use std::cell::RefCell;
use std::collections::BTreeMap;

use super::edits::Opened;
use super::windows::Fit;
use super::{Actual, Domain, Fold, Loop, PatternAxes, PatternDim, PatternElement, PatternPart, PatternShape};
use crate::unify::fresh_dim;
use crate::{Dim, Element, Outcome, Shape, Solver};

/// What the names of patterns stand for.
pub struct Scope<'a> {
    /// The numbers that names stand for, beside parameters.
    pub dims: BTreeMap<String, Dim>,
    /// The shapes that names stand for, beside parameters.
    pub shapes: BTreeMap<String, Shape>,
    /// The arguments of parameters, which go before `dims` and `shapes`.
    parameters: &'a dyn Fn(&str) -> Actual,
    /// The variables of the loops that are being run, innermost last; they go before everything else.
    loops: Vec<(String, Actual)>,
    /// How the tensor is called whose whole shape a name stands for.
    pub(super) owners: BTreeMap<String, String>,
    /// Broadcasts that did not simply hold.
    pub(super) broadcasts: Vec<Broadcast>,
    /// What is wrong with arguments by themselves, such as the axes that they name.
    pub(super) wrong_arguments: Vec<String>,
    /// Windows that must fit into what they slide over.
    pub(super) fits: Vec<Fit>,
    /// The shapes that parameters hold with sizes left open: `[None, 4]`.
    open_shapes: RefCell<BTreeMap<String, Shape>>,
    /// Whether a shape without dimensions has an axis 0.
    pub(super) scalars_have_axis: bool,
    /// Whether a size that has no value is any size, so that the rank of a result is known without it.
    pub(super) takes_any_size: bool,
    rounds_left: usize,
}

/// A broadcast that did not simply hold.
pub(super) struct Broadcast {
    /// The operands, each with the name that messages use.
    pub operands: Vec<(String, Shape)>,
    pub outcome: Outcome,
}

/// A loop does not run more often, and all loops together.
const MOST_ROUNDS: i64 = 4096;
const MOST_ROUNDS_IN_ALL: usize = 65_536;

impl<'a> Scope<'a> {
    /// A scope in which the names of parameters alone have values; `Actual::Unknown` stands for a name that is none.
    pub fn new(parameters: &'a dyn Fn(&str) -> Actual) -> Scope<'a> {
        Scope {
            dims: BTreeMap::new(),
            shapes: BTreeMap::new(),
            parameters,
            loops: Vec::new(),
            owners: BTreeMap::new(),
            broadcasts: Vec::new(),
            wrong_arguments: Vec::new(),
            fits: Vec::new(),
            open_shapes: RefCell::default(),
            scalars_have_axis: true,
            takes_any_size: false,
            rounds_left: MOST_ROUNDS_IN_ALL,
        }
    }

    /// The number that a name stands for.
    pub fn lookup(&self, name: &str) -> Option<Dim> {
        self.actual(name).as_dim().or_else(|| self.dims.get(name).copied())
    }

    /// The argument of a parameter, or the value of a loop's variable.
    pub(super) fn actual(&self, name: &str) -> Actual {
        let looped = self.loops.iter().rev().find(|(variable, _)| variable == name);
        looped.map_or_else(|| (self.parameters)(name), |(_, actual)| actual.clone())
    }

    /// The shape that a name stands for: that of a loop's tensor, the integers that a parameter holds, or what was bound.
    pub(super) fn lookup_shape(&self, name: &str) -> Option<Shape> {
        if let Some((_, actual)) = self.loops.iter().rev().find(|(variable, _)| variable == name) {
            return actual.as_shape();
        }
        let bound = self.shapes.get(name).cloned();
        bound.or_else(|| self.held_shape(name))
    }

    /// The shape whose sizes a parameter holds. `None` among them is any size, the same one throughout a call.
    fn held_shape(&self, name: &str) -> Option<Shape> {
        let held = (self.parameters)(name);
        let items = held.items()?;
        if let Some(dims) = held.dims() {
            return Some(Shape::known(dims));
        }
        if let Some(known) = self.open_shapes.borrow().get(name) {
            return Some(known.clone());
        }
        let size = |item: &Actual| if *item == Actual::None { Some(fresh_dim("size")) } else { item.as_dim() };
        let shape = Shape::known(items.iter().map(size).collect::<Option<Vec<Dim>>>()?);
        self.open_shapes.borrow_mut().insert(name.to_owned(), shape.clone());
        Some(shape)
    }

    /// The values that a loop's variable takes; `None` where they are not known.
    pub(super) fn rounds(&mut self, over: &Domain, solver: &mut Solver) -> Option<Vec<Actual>> {
        match over {
            Domain::Range(count) => {
                let count = self.dim(count, solver)?;
                let count = solver.resolve(count).as_const().filter(|count| *count <= MOST_ROUNDS)?;
                Some((0..count).map(|round| Actual::Integer(Dim::constant(round))).collect())
            }
            Domain::Items(parameter) => self.actual(parameter).items().map(<[Actual]>::to_vec),
        }
    }

    /// Evaluates the body once a round; `None` where the rounds or one of the results are not known.
    pub(super) fn run<T>(
        &mut self,
        over: &Loop,
        solver: &mut Solver,
        mut body: impl FnMut(&mut Self, &mut Solver) -> Option<T>,
    ) -> Option<Vec<T>> {
        let rounds = self.rounds(&over.over, solver)?;
        self.rounds_left = self.rounds_left.checked_sub(rounds.len())?;
        let mut results = Vec::with_capacity(rounds.len());
        for (index, round) in rounds.into_iter().enumerate() {
            if let Domain::Items(parameter) = &over.over {
                self.owners.insert(over.variable.clone(), format!("`{parameter}[{index}]`"));
            }
            self.loops.push((over.variable.clone(), round));
            let result = body(self, solver);
            self.loops.pop();
            results.push(result?);
        }
        Some(results)
    }

    /// A size; any, where it has no value and [`Scope::takes_any_size`].
    pub(super) fn dim_or_fresh(&mut self, dim: &PatternDim, solver: &mut Solver) -> Option<Dim> {
        let value = self.dim(dim, solver);
        if value.is_none() && self.takes_any_size { Some(fresh_dim("size")) } else { value }
    }

    /// The value of a number; `None` where a name has none, or a shape has no such dimension.
    pub fn dim(&mut self, dim: &PatternDim, solver: &mut Solver) -> Option<Dim> {
        Some(match dim {
            PatternDim::Constant(value) => Dim::constant(*value),
            PatternDim::Name(name) => self.lookup(name)?,
            PatternDim::Any => return None,
            PatternDim::Negate(inner) => -self.dim(inner, solver)?,
            PatternDim::Binary(operator, left, right) => {
                let (left, right) = (self.dim(left, solver)?, self.dim(right, solver)?);
                operator.apply(left, right)
            }
            PatternDim::Minimum(dims) => self.fold(dims, Dim::min, solver)?,
            PatternDim::Maximum(dims) => self.fold(dims, Dim::max, solver)?,
            PatternDim::CeilDivide(value, divisor) => self.dim(value, solver)?.ceil_div(self.dim(divisor, solver)?),
            PatternDim::Rank(shape) => {
                let shape = self.shape(shape, solver)?;
                solver.resolve_shape(&shape).rank_dim()
            }
            PatternDim::Product(shape) => {
                let shape = self.shape(shape, solver)?;
                solver.resolve_shape(&shape).prod()
            }
            PatternDim::Index(shape, index) => {
                let number = self.dim(index, solver)?;
                let number = solver.resolve(number).as_const()?;
                self.dimension(shape, index, number, solver)?
            }
            PatternDim::Length(parameter) => {
                let length = self.actual(parameter).items()?.len();
                Dim::constant(i64::try_from(length).ok()?)
            }
            PatternDim::Fold(fold, body, over) => {
                let values = self.run(over, solver, |scope, solver| scope.dim(body, solver))?.into_iter();
                match fold {
                    Fold::Sum => values.fold(Dim::ZERO, |sum, value| sum + value),
                    Fold::Minimum => values.reduce(Dim::min)?,
                    Fold::Maximum => values.reduce(Dim::max)?,
                }
            }
            PatternDim::If(condition, yes, no) => match self.truth(condition, solver) {
                Some(true) => self.dim(yes, solver)?,
                Some(false) => self.dim(no, solver)?,
                None => {
                    let (yes, no) = (self.dim(yes, solver)?, self.dim(no, solver)?);
                    (yes == no).then_some(yes)?
                }
            },
            PatternDim::Pick(pick) => self.picked(pick, solver).as_dim()?,
            PatternDim::Window(window) => self.window(window, solver)?,
        })
    }

    /// Dimension `number` of the shape that a name stands for; notes where there is none.
    fn dimension(&mut self, name: &str, index: &PatternDim, number: i64, solver: &mut Solver) -> Option<Dim> {
        let shape = solver.resolve_shape(&self.lookup_shape(name)?);
        let base = PatternShape { parts: vec![PatternPart::Name(name.to_owned())] };
        let axes = PatternAxes::One(index.clone());
        match self.open(&base, &axes, &shape, &[number], solver) {
            Opened::At(opened, places) => places.first().map(|place| opened.get(*place)),
            Opened::Closed | Opened::Wrong => None,
        }
    }

    fn fold(&mut self, dims: &[PatternDim], combine: fn(Dim, Dim) -> Dim, solver: &mut Solver) -> Option<Dim> {
        let mut folded = None;
        for dim in dims {
            let value = self.dim(dim, solver)?;
            folded = Some(folded.map_or(value, |folded| combine(folded, value)));
        }
        folded
    }

    /// The shape that a pattern describes; `None` where a name has no value, or shapes cannot be broadcast.
    pub fn shape(&mut self, shape: &PatternShape, solver: &mut Solver) -> Option<Shape> {
        let mut elements = Vec::new();
        for part in &shape.parts {
            match part {
                PatternPart::Dims(dims) => {
                    for element in dims {
                        elements.push(match element {
                            PatternElement::Dim(dim) => Element::Dim(self.dim_or_fresh(dim, solver)?),
                            PatternElement::Ragged => Element::Ragged,
                        });
                    }
                }
                other => elements.extend(self.part(other, solver)?.elements()),
            }
        }
        Some(Shape::new(elements))
    }

    /// The shape of a part that is no list of dimensions.
    pub(super) fn part(&mut self, part: &PatternPart, solver: &mut Solver) -> Option<Shape> {
        match part {
            PatternPart::Dims(_) => self.shape(&PatternShape { parts: vec![part.clone()] }, solver),
            PatternPart::Name(name) => self.lookup_shape(name),
            PatternPart::Slice { shape, from, to } => {
                let bound = |scope: &mut Self, bound: &Option<PatternDim>, solver: &mut Solver| match bound {
                    Some(bound) => {
                        let bound = scope.dim(bound, solver)?;
                        solver.resolve(bound).as_const().map(Some)
                    }
                    None => Some(None),
                };
                let (from, to) = (bound(self, from, solver)?, bound(self, to, solver)?);
                let shape = self.lookup_shape(shape)?;
                slice(solver, &shape, from.unwrap_or(0), to)
            }
            PatternPart::Broadcast(shapes) => {
                let operand = |shape: &PatternShape| {
                    let found = self.shape(shape, solver)?;
                    Some((self.operand(shape), found))
                };
                let operands = shapes.iter().map(operand).collect::<Option<_>>()?;
                self.broadcast(operands, solver)
            }
            PatternPart::BroadcastAll(shape, over) => {
                let operand = |scope: &mut Self, solver: &mut Solver| {
                    let found = scope.shape(shape, solver)?;
                    Some((scope.operand(shape), found))
                };
                let operands = self.run(over, solver, operand)?;
                self.broadcast(operands, solver)
            }
            PatternPart::Edit(edit) => self.edit(edit, solver),
        }
    }

    fn broadcast(&mut self, operands: Vec<(String, Shape)>, solver: &mut Solver) -> Option<Shape> {
        let mut result = operands.first()?.1.clone();
        let mut outcome = Outcome::Holds;
        for (_, shape) in operands.get(1..)? {
            let (next, part) = solver.broadcast(&result, shape);
            outcome = outcome.and(part);
            let Some(next) = next else {
                self.broadcasts.push(Broadcast { operands, outcome });
                return None;
            };
            result = next;
        }
        if outcome != Outcome::Holds {
            self.broadcasts.push(Broadcast { operands, outcome });
        }
        Some(result)
    }
}

/// Python's slice of a shape. Of an unknown rank, the part that counts from one end.
fn slice(solver: &mut Solver, shape: &Shape, from: i64, to: Option<i64>) -> Option<Shape> {
    let resolved = solver.resolve_shape(shape);
    if let Some(rank) = resolved.rank() {
        let rank = i64::try_from(rank).ok()?;
        let position = |bound: i64| (if bound < 0 { bound.saturating_add(rank) } else { bound }).clamp(0, rank);
        let (from, to) = (position(from), position(to.unwrap_or(rank)));
        let range = usize::try_from(from).ok()?..usize::try_from(to.max(from)).ok()?;
        return Some(Shape::new(resolved.elements().get(range)?.to_vec()));
    }
    let size = |bound: i64| usize::try_from(bound.unsigned_abs()).ok().filter(|size| *size <= 64);
    match (from >= 0, to) {
        (true, None) => Some(solver.split(&resolved, size(from)?, 0)?.1),
        (true, Some(to)) if to < 0 => Some(solver.split(&resolved, size(from)?, size(to)?)?.1),
        (true, Some(to)) => {
            let front = solver.split(&resolved, size(to)?, 0)?.0;
            Some(Shape::known(front.get(size(from)?..).unwrap_or_default().to_vec()))
        }
        (false, None) => Some(Shape::known(solver.split(&resolved, 0, size(from)?)?.2)),
        (false, Some(to)) if to < 0 => {
            let back = solver.split(&resolved, 0, size(from)?)?.2;
            let kept = back.len().saturating_sub(size(to)?);
            Some(Shape::known(back.get(..kept)?.to_vec()))
        }
        (false, Some(_)) => None,
    }
}
