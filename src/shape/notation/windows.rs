//! The functions of the shape notation for windows that slide over an axis, of convolutions and pools: `pick(strides,
//! 0, 2)`, `window(n, k, s, d, padding)`.

use super::apply::name_of;
use super::scope::Scope;
use super::{Actual, Input, Padding, Pattern, PatternDim, PatternElement, PatternPart, PatternShape, Pick, Window};
use crate::{Constraint, Dim, Outcome, Shape, Solver, Verdict};

/// A window that must fit into what it slides over.
#[derive(PartialEq)]
pub(super) struct Fit {
    /// How far the window reaches.
    size: Dim,
    is_dilated: bool,
    /// What it slides over: what the signature calls it, and the size with padding.
    length: PatternDim,
    padded: Dim,
    is_padded: bool,
}

/// How far data is padded along an axis.
enum Padded {
    /// So that the length is that of the data, divided by the stride.
    Same,
    /// Not at all.
    Valid,
    /// By so many elements in front and behind.
    By(Dim, Dim),
}

/// Words for padding, in lower case, under which a window with a stride of 1 leaves the length as it is.
const KEEPS_LENGTH: [&str; 6] = ["same", "same_lower", "causal", "circular", "reflect", "replicate"];

impl Scope<'_> {
    /// What a parameter says of one of several axes.
    pub(super) fn picked(&mut self, pick: &Pick, solver: &mut Solver) -> Actual {
        let items = match self.actual(&pick.parameter) {
            Actual::Items(items) => items,
            one => return one,
        };
        let mut number = |scope: &mut Self, dim: &PatternDim| {
            let dim = scope.dim(dim, solver)?;
            usize::try_from(solver.resolve(dim).as_const()?).ok()
        };
        let Some((index, count)) = number(self, &pick.index).zip(number(self, &pick.count)) else {
            return Actual::Unknown;
        };
        let place = match items.len() {
            1 => Some(0),
            length if length == count => Some(index),
            length if length == count.saturating_add(2) => match &pick.first {
                Some(first) => number(self, first).map(|first| first.saturating_add(index)),
                None => Some(index.saturating_add(1)),
            },
            length => {
                let forms = if count == 1 { " or ".to_owned() } else { format!(", {count} or ") };
                let several = count.saturating_add(2);
                self.wrong_arguments.push(format!(
                    "`{}` must be one value, or a list of 1{forms}{several}, got {length}",
                    pick.parameter
                ));
                None
            }
        };
        place.and_then(|place| items.get(place).cloned()).unwrap_or(Actual::Unknown)
    }

    /// The value of a number that may be an argument; `None` of Python stands for itself.
    fn value(&mut self, dim: &PatternDim, solver: &mut Solver) -> Actual {
        match dim {
            PatternDim::Pick(pick) => self.picked(pick, solver),
            PatternDim::Name(name) => match self.actual(name) {
                Actual::Unknown => self.lookup(name).map_or(Actual::Unknown, Actual::Integer),
                actual => actual,
            },
            dim => self.dim(dim, solver).map_or(Actual::Unknown, Actual::Integer),
        }
    }

    fn padding(&mut self, padding: &Padding, solver: &mut Solver) -> Option<Padded> {
        let actual = match padding {
            Padding::Text(text) => Actual::Text(text.as_str().into()),
            Padding::Of(dim) => self.value(dim, solver),
        };
        match &actual {
            Actual::Text(text) => match text.to_ascii_lowercase().as_str() {
                "valid" => Some(Padded::Valid),
                text => KEEPS_LENGTH.contains(&text).then_some(Padded::Same),
            },
            Actual::Items(ends) => match ends.as_slice() {
                [both] => both.as_dim().map(|both| Padded::By(both, both)),
                [front, back] => Some(Padded::By(front.as_dim()?, back.as_dim()?)),
                _ => None,
            },
            one => one.as_dim().map(|both| Padded::By(both, both)),
        }
    }

    /// The number of places that a window has on an axis, or, transposed, the length of an axis on which it has so many places.
    pub(super) fn window(&mut self, window: &Window, solver: &mut Solver) -> Option<Dim> {
        let length = self.dim(&window.length, solver)?;
        let stride = self.step(&window.stride, "stride", solver)?;
        let padding = self.padding(&window.padding, solver)?;
        if window.is_transposed {
            return self.transposed(window, length, stride, &padding, solver);
        }
        let padded = match padding {
            Padded::Same => return Some(length.ceil_div(stride)),
            Padded::Valid => length,
            Padded::By(front, back) => length + front + back,
        };
        let size = self.window_size(window, solver)?;
        let places = (padded - size).floor_div(stride) + Dim::ONE;
        if window.extra.is_some() {
            let fits = solver.judge(&Constraint::LessEqual(size, padded));
            return Some(if fits == Verdict::Holds { places } else { places.max(Dim::ZERO) });
        }
        let is_dilated = self.dim(&window.dilation, solver) != Some(Dim::ONE);
        let fit = Fit { size, is_dilated, length: window.length.clone(), padded, is_padded: padded != length };
        if !self.fits.contains(&fit) {
            self.fits.push(fit);
        }
        Some(places)
    }

    fn transposed(
        &mut self,
        window: &Window,
        length: Dim,
        stride: Dim,
        padding: &Padded,
        solver: &mut Solver,
    ) -> Option<Dim> {
        let extra = match &window.extra {
            None => None,
            Some(extra) => match self.value(extra, solver) {
                Actual::None => None,
                actual => Some(actual.as_dim()?),
            },
        };
        let before_last = (length - Dim::ONE) * stride;
        if let (Padded::Same, None) = (padding, extra) {
            return Some(length * stride);
        }
        let size = self.window_size(window, solver)?;
        Some(match (padding, extra) {
            (Padded::Same, extra) => before_last + size.modulo(Dim::constant(2)) + extra.unwrap_or(Dim::ZERO),
            (Padded::Valid, None) => before_last + size.max(stride),
            (Padded::Valid, Some(extra)) => before_last + size + extra,
            (Padded::By(front, back), extra) => before_last + size - *front - *back + extra.unwrap_or(Dim::ZERO),
        })
    }

    /// How far a window reaches.
    fn window_size(&mut self, window: &Window, solver: &mut Solver) -> Option<Dim> {
        let dilation = self.step(&window.dilation, "dilation", solver)?;
        let size = self.step(&window.size, "size", solver)?;
        Some(dilation * (size - Dim::ONE) + Dim::ONE)
    }

    /// A number of a window, which must be positive.
    fn step(&mut self, dim: &PatternDim, what: &str, solver: &mut Solver) -> Option<Dim> {
        let value = self.dim(dim, solver)?;
        match solver.resolve(value).as_const() {
            Some(wrong) if wrong < 1 => {
                let name = match dim {
                    PatternDim::Name(name) => format!("`{name}`"),
                    PatternDim::Pick(pick) => format!("`{}`", pick.parameter),
                    _ => format!("the {what} of a window"),
                };
                self.wrong_arguments.push(format!("{name} must be positive, got {wrong}"));
                None
            }
            _ => Some(value),
        }
    }

    /// Requires that windows fit where they must.
    pub(super) fn require_fits(
        &mut self,
        tensors: (&[Input], &[Actual]),
        solver: &mut Solver,
        outcomes: &mut Vec<(String, Constraint, Outcome)>,
    ) {
        for fit in std::mem::take(&mut self.fits) {
            let constraint = Constraint::LessEqual(fit.size, fit.padded);
            let outcome = solver.require(&constraint);
            if outcome != Outcome::Holds {
                let dilation = if fit.is_dilated { " with dilation" } else { "" };
                let padding = if fit.is_padded { "padded " } else { "" };
                let (size, padded) = (solver.resolve(fit.size), solver.resolve(fit.padded));
                let measured = self.measured(&fit.length, tensors, solver);
                let message = format!(
                    "the window (size {size}{dilation}) is larger than the {padding}size {padded} of {measured}"
                );
                outcomes.push((message, constraint, outcome));
            }
        }
    }

    /// What a window slides over, for a message: "dimension 1 of `input` [1, 4, 4, 3]".
    fn measured(&mut self, length: &PatternDim, tensors: (&[Input], &[Actual]), solver: &mut Solver) -> String {
        match length {
            PatternDim::Name(name) => {
                let inputs = tensors.0.iter().zip(tensors.1).enumerate();
                let mut found = inputs.filter_map(|(index, (input, actual))| {
                    let shape = solver.resolve_shape(&actual.as_shape()?);
                    let axis = self.axis_of(name, &input.pattern, &shape, solver)?;
                    Some(format!("dimension {axis} of {} {shape}", name_of(index, input)))
                });
                found.next().unwrap_or_else(|| format!("`{name}`"))
            }
            PatternDim::Index(shape, index) => {
                let base = PatternShape { parts: vec![PatternPart::Name(shape.clone())] };
                let found = self.lookup_shape(shape).unwrap_or_else(Shape::scalar);
                let subject = self.subject(&base, &solver.resolve_shape(&found));
                let index = self.dim(index, solver).map_or_else(|| index.to_string(), |index| index.to_string());
                format!("dimension {index} of {subject}")
            }
            length => format!("`{length}`"),
        }
    }

    /// Where a name stands among the dimensions of a tensor; from the end where its rank is not known.
    fn axis_of(&mut self, name: &str, pattern: &Pattern, shape: &Shape, solver: &mut Solver) -> Option<i64> {
        let parts = match pattern {
            Pattern::Shape(pattern) => &pattern.parts,
            Pattern::If(condition, yes, no) => {
                let chosen = if self.truth(condition, solver)? { yes } else { no };
                return self.axis_of(name, chosen, shape, solver);
            }
            _ => return None,
        };
        let (mut from_front, mut behind_open) = (0_usize, false);
        for (index, part) in parts.iter().enumerate() {
            let PatternPart::Dims(elements) = part else {
                behind_open = true;
                continue;
            };
            let is_name = |element: &PatternElement| matches!(element, PatternElement::Dim(PatternDim::Name(known)) if known == name);
            let Some(place) = elements.iter().position(is_name) else {
                from_front += elements.len();
                continue;
            };
            if !behind_open {
                return i64::try_from(from_front + place).ok();
            }
            let mut behind = elements.len() - place;
            for part in parts.get(index + 1..).unwrap_or_default() {
                let PatternPart::Dims(elements) = part else { return None };
                behind += elements.len();
            }
            let rank = shape.rank().unwrap_or(0);
            return Some(i64::try_from(rank).ok()? - i64::try_from(behind).ok()?);
        }
        None
    }
}
