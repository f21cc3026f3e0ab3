//! The functions of the shape notation that address a shape by axis: `drop(s, dim)`, `replace(s, dim, n)`, `insert`,
//! `permute`, `swap`, `move`.

use super::scope::Scope;
use super::{Actual, Edit, PatternAxes, PatternDim, PatternPart, PatternShape};
use crate::unify::fresh_dim;
use crate::{Axes, Axis, AxisError, Dim, Element, Shape, Solver, axis_of, distinct_axes};

/// The axes that an argument names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NamedAxes {
    All,
    These(Vec<i64>),
    /// Not known which; so many, where that is known.
    Unknown(Option<usize>),
}

/// A shape taken apart.
pub(super) enum Opened {
    /// It does not have the axes, which is noted.
    Wrong,
    /// It has no dimensions, or it is not known where they are.
    Closed,
    At(Axes, Vec<Axis>),
}

/// More axes than this are not inserted.
const MOST_INSERTED: usize = 64;

impl Scope<'_> {
    pub(super) fn axes(&mut self, axes: &PatternAxes, solver: &mut Solver) -> NamedAxes {
        match axes {
            PatternAxes::All => NamedAxes::All,
            PatternAxes::One(PatternDim::Name(name)) => match self.actual(name) {
                Actual::Unknown => match self.lookup(name) {
                    Some(dim) => named(&Actual::Integer(dim), solver),
                    None => NamedAxes::Unknown(None),
                },
                actual => named(&actual, solver),
            },
            PatternAxes::One(dim) => match self.dim(dim, solver) {
                Some(dim) => named(&Actual::Integer(dim), solver),
                None => NamedAxes::Unknown(Some(1)),
            },
            PatternAxes::Several(dims) => {
                let mut number = |dim: &PatternDim| {
                    let number = self.dim(dim, solver)?;
                    solver.resolve(number).as_const()
                };
                let known: Option<Vec<i64>> = dims.iter().map(&mut number).collect();
                known.map_or(NamedAxes::Unknown(Some(dims.len())), NamedAxes::These)
            }
            PatternAxes::If(condition, yes, no) => match self.truth(condition, solver) {
                Some(true) => self.axes(yes, solver),
                Some(false) => self.axes(no, solver),
                None => {
                    let (yes, no) = (self.axes(yes, solver), self.axes(no, solver));
                    if yes == no { yes } else { NamedAxes::Unknown(None) }
                }
            },
        }
    }

    /// The shape that an edit gives; `None` where it is not known, or where an axis is wrong, which is noted.
    pub(super) fn edit(&mut self, edit: &Edit, solver: &mut Solver) -> Option<Shape> {
        match edit {
            Edit::Drop(_, axes) if self.axes(axes, solver) == NamedAxes::All => Some(Shape::scalar()),
            Edit::Drop(base, axes) => {
                let (shape, named) = (self.base(base, solver)?, self.axes(axes, solver));
                self.drop_axes(base, axes, &shape, &named, solver)
            }
            Edit::Replace(base, axes, size) => {
                let (shape, named) = (self.base(base, solver)?, self.axes(axes, solver));
                let size = self.dim_or_fresh(size, solver)?;
                self.replace_axes(base, axes, &shape, &named, size, solver)
            }
            Edit::Insert(base, axes, size) => {
                let (shape, named) = (self.base(base, solver)?, self.axes(axes, solver));
                let size = self.dim_or_fresh(size, solver)?;
                self.insert_axes(base, axes, &shape, &named, size, solver)
            }
            Edit::Permute(base, axes) => {
                let (shape, named) = (self.base(base, solver)?, self.axes(axes, solver));
                self.permute_axes(base, axes, &shape, &named, solver)
            }
            Edit::Swap(base, one, other) => {
                let shape = self.base(base, solver)?;
                let ends = [(one, self.axes(one, solver)), (other, self.axes(other, solver))];
                self.swap_axes(base, &shape, ends, solver)
            }
            Edit::Move(base, source, destination) => {
                let shape = self.base(base, solver)?;
                let ends = [(source, self.axes(source, solver)), (destination, self.axes(destination, solver))];
                self.move_axes(base, &shape, ends)
            }
        }
    }

    fn base(&mut self, base: &PatternShape, solver: &mut Solver) -> Option<Shape> {
        let shape = self.shape(base, solver)?;
        Some(solver.resolve_shape(&shape))
    }

    /// Notes what is wrong with axes.
    fn wrong<T>(&mut self, error: &AxisError, axes: &PatternAxes, base: &PatternShape, shape: &Shape) -> Option<T> {
        let subject = self.subject(base, shape);
        self.wrong_arguments.push(error.describe(&reader_s_name(axes), &subject));
        None
    }

    /// `` `input` [2, 3] ``, as operands are written in messages.
    pub(super) fn subject(&self, base: &PatternShape, shape: &Shape) -> String {
        format!("{} {shape}", self.operand(base))
    }

    /// `` `input` ``, where a shape is the whole of that parameter's tensor; else the pattern.
    pub(super) fn operand(&self, base: &PatternShape) -> String {
        let owner = match base.parts.as_slice() {
            [PatternPart::Name(name)] => self.owners.get(name),
            _ => None,
        };
        owner.cloned().unwrap_or_else(|| format!("`{base}`"))
    }

    /// The error of naming axes of a scalar, where scalars have none.
    pub(super) fn axis_of_scalar(&self, axes: &[i64], rank: usize) -> Result<(), AxisError> {
        if self.scalars_have_axis { Ok(()) } else { crate::axis_of_scalar(axes, rank) }
    }

    /// Takes a shape apart at axes; notes what is wrong with them.
    pub(super) fn open(
        &mut self,
        base: &PatternShape,
        axes: &PatternAxes,
        shape: &Shape,
        numbers: &[i64],
        solver: &mut Solver,
    ) -> Opened {
        let scalar = solver.resolve_shape(shape).rank().map_or(Ok(()), |rank| self.axis_of_scalar(numbers, rank));
        match scalar.and_then(|()| solver.open_axes(shape, numbers)) {
            Ok(Some((opened, places))) => Opened::At(opened, places),
            Ok(None) => Opened::Closed,
            Err(error) => {
                self.wrong::<()>(&error, axes, base, shape);
                Opened::Wrong
            }
        }
    }

    fn drop_axes(
        &mut self,
        base: &PatternShape,
        axes: &PatternAxes,
        shape: &Shape,
        named: &NamedAxes,
        solver: &mut Solver,
    ) -> Option<Shape> {
        match named {
            NamedAxes::All => Some(Shape::scalar()),
            NamedAxes::These(numbers) => match self.open(base, axes, shape, numbers, solver) {
                Opened::At(opened, places) => Some(opened.without(&places)),
                Opened::Closed => scalar(shape),
                Opened::Wrong => None,
            },
            NamedAxes::Unknown(dropped) => {
                let rank = shape.rank()?;
                Some(fresh_shape(if rank == 0 { 0 } else { rank.checked_sub((*dropped)?)? }))
            }
        }
    }

    fn replace_axes(
        &mut self,
        base: &PatternShape,
        axes: &PatternAxes,
        shape: &Shape,
        named: &NamedAxes,
        size: Dim,
        solver: &mut Solver,
    ) -> Option<Shape> {
        match named {
            NamedAxes::All => Some(Shape::known(vec![size; shape.rank()?])),
            NamedAxes::These(numbers) => match self.open(base, axes, shape, numbers, solver) {
                Opened::At(mut opened, places) => {
                    places.iter().for_each(|place| opened.set(*place, size));
                    Some(opened.shape())
                }
                Opened::Closed => scalar(shape),
                Opened::Wrong => None,
            },
            NamedAxes::Unknown(_) => Some(fresh_shape(shape.rank()?)),
        }
    }

    fn insert_axes(
        &mut self,
        base: &PatternShape,
        axes: &PatternAxes,
        shape: &Shape,
        named: &NamedAxes,
        size: Dim,
        solver: &mut Solver,
    ) -> Option<Shape> {
        let numbers = match named {
            NamedAxes::All => return None,
            NamedAxes::These(numbers) => numbers,
            NamedAxes::Unknown(count) => return Some(fresh_shape(shape.rank()?.checked_add((*count)?)?)),
        };
        if numbers.len() > MOST_INSERTED {
            return None;
        }
        if let Some(rank) = shape.rank() {
            let places = match distinct_axes(numbers, rank + numbers.len()) {
                Ok(places) => places,
                Err(AxisError::OutOfRange { axis, .. }) if numbers.len() == 1 => {
                    return self.wrong(&AxisError::NoPlace { axis, rank }, axes, base, shape);
                }
                Err(error) => return self.wrong(&error, axes, base, shape),
            };
            let mut others = shape.elements().iter().copied();
            let element = |place: usize| if places.contains(&place) { Some(Element::Dim(size)) } else { others.next() };
            return Some(Shape::new((0..rank + numbers.len()).map_while(element).collect()));
        }
        let [number] = numbers.as_slice() else { return None };
        let distance = |number: i64| usize::try_from(number).ok().filter(|distance| *distance <= MOST_INSERTED);
        let (front, back) = if *number < 0 { (0, distance(-1 - number)?) } else { (distance(*number)?, 0) };
        let (mut front, rest, mut back) = solver.split(shape, front, back)?;
        if *number < 0 {
            back.insert(0, size)
        } else {
            front.push(size)
        }
        Some(Axes { front, rest: Some(rest), back }.shape())
    }

    fn permute_axes(
        &mut self,
        base: &PatternShape,
        axes: &PatternAxes,
        shape: &Shape,
        named: &NamedAxes,
        solver: &mut Solver,
    ) -> Option<Shape> {
        let numbers = match named {
            // NumPy's `transpose` without axes.
            NamedAxes::All => {
                let mut elements = shape.elements().to_vec();
                elements.reverse();
                return shape.rank().map(|_| Shape::new(elements));
            }
            NamedAxes::These(numbers) => numbers,
            NamedAxes::Unknown(_) => return Some(fresh_shape(shape.rank()?)),
        };
        let Some(known) = solver.with_rank(shape, numbers.len()) else {
            if shape.rank().is_some() || shape.minimum_rank() > numbers.len() {
                let subject = self.subject(base, shape);
                self.wrong_arguments.push(format!(
                    "`{axes}` must name each dimension once: it is {numbers:?}, but {subject} has another number of dimensions"
                ));
            }
            return None;
        };
        match distinct_axes(numbers, known.len()) {
            Ok(order) => {
                Some(Shape::known(order.iter().filter_map(|axis| known.get(*axis).copied()).collect::<Vec<_>>()))
            }
            Err(error) => {
                let shape = Shape::known(known);
                self.wrong(&error, axes, base, &shape)
            }
        }
    }

    fn swap_axes(
        &mut self,
        base: &PatternShape,
        shape: &Shape,
        [(one, named_one), (other, named_other)]: [(&PatternAxes, NamedAxes); 2],
        solver: &mut Solver,
    ) -> Option<Shape> {
        let number = |named: &NamedAxes| match named {
            NamedAxes::These(numbers) => <[i64; 1]>::try_from(numbers.as_slice()).ok().map(|[number]| number),
            _ => None,
        };
        let (Some(first), Some(second)) = (number(&named_one), number(&named_other)) else {
            return Some(fresh_shape(shape.rank()?));
        };
        if let Some(mut dims) = shape.dims() {
            let mut place = |axes: &PatternAxes, number: i64| match self
                .axis_of_scalar(&[number], dims.len())
                .and_then(|()| axis_of(number, dims.len()))
            {
                Ok(place) => Some(place),
                Err(error) => self.wrong(&error, axes, base, shape),
            };
            let (first, second) = (place(one, first)?, place(other, second)?);
            if !dims.is_empty() {
                dims.swap(first, second);
            }
            return Some(Shape::known(dims));
        }
        if first == second {
            return Some(shape.clone());
        }
        let Opened::At(mut opened, places) = self.open(base, one, shape, &[first, second], solver) else { return None };
        let [first, second] = *places.as_slice() else { return None };
        let sizes = (opened.get(first), opened.get(second));
        opened.set(first, sizes.1);
        opened.set(second, sizes.0);
        Some(opened.shape())
    }

    fn move_axes(
        &mut self,
        base: &PatternShape,
        shape: &Shape,
        [(source, from), (destination, to)]: [(&PatternAxes, NamedAxes); 2],
    ) -> Option<Shape> {
        let rank = shape.rank()?;
        let (NamedAxes::These(from), NamedAxes::These(to)) = (from, to) else { return Some(fresh_shape(rank)) };
        if from.len() != to.len() {
            let message = format!("`{source}` names {} dimensions, but `{destination}` names {}", from.len(), to.len());
            self.wrong_arguments.push(message);
            return None;
        }
        let mut places = |axes: &PatternAxes, numbers: &[i64]| match self
            .axis_of_scalar(numbers, rank)
            .and_then(|()| distinct_axes(numbers, rank))
        {
            Ok(places) => Some(places),
            Err(error) => self.wrong(&error, axes, base, shape),
        };
        let (from, to) = (places(source, &from)?, places(destination, &to)?);
        let elements = shape.elements();
        let mut remaining = (0..rank).filter(|axis| !from.contains(axis));
        let moved = |place: usize| {
            let axis = to.iter().position(|target| *target == place).and_then(|position| from.get(position).copied());
            elements.get(axis.or_else(|| remaining.next())?).copied()
        };
        Some(Shape::new((0..rank).filter_map(moved).collect()))
    }
}

/// How axes are called in a message: by the parameter, where one is chosen under some condition.
fn reader_s_name(axes: &PatternAxes) -> String {
    match axes {
        PatternAxes::If(_, yes, no) => match (&**yes, &**no) {
            (axes, PatternAxes::All) | (PatternAxes::All, axes) => reader_s_name(axes),
            _ => axes.to_string(),
        },
        _ => axes.to_string(),
    }
}

fn named(actual: &Actual, solver: &Solver) -> NamedAxes {
    let number = |actual: &Actual| match actual {
        Actual::Integer(dim) => solver.resolve(*dim).as_const(),
        _ => None,
    };
    match actual {
        Actual::None => NamedAxes::All,
        Actual::Integer(_) => number(actual).map_or(NamedAxes::Unknown(Some(1)), |axis| NamedAxes::These(vec![axis])),
        Actual::Items(_) => {
            let items = actual.items().unwrap_or_default();
            let numbers: Option<Vec<i64>> = items.iter().map(number).collect();
            let are_integers = items.iter().all(|item| matches!(item, Actual::Integer(_)));
            numbers.map_or(NamedAxes::Unknown(are_integers.then_some(items.len())), NamedAxes::These)
        }
        _ => NamedAxes::Unknown(None),
    }
}

/// A shape without dimensions stays as it is, whatever is done to its one axis in name.
fn scalar(shape: &Shape) -> Option<Shape> {
    (shape.rank() == Some(0)).then(Shape::scalar)
}

/// A shape of which only the rank is known.
fn fresh_shape(rank: usize) -> Shape {
    Shape::known((0..rank).map(|_| fresh_dim("size")).collect::<Vec<_>>())
}
