//! Matches a pattern of the shape notation with the actual shape of an argument.

use super::edits::{NamedAxes, Opened};
use super::names::Role;
use super::scope::Scope;
use super::{Actual, Edit, Pattern, PatternAxes, PatternDim, PatternElement, PatternPart, PatternShape};
use crate::unify::fresh_dim;
use crate::{Constraint, Dim, Outcome, Shape, Solver, Var, VarKind};

/// What a match found out, for the report. Tensors are known by their place in `tensors`.
pub(super) struct Matcher<'a, 'b> {
    pub scope: &'b mut Scope<'a>,
    pub solver: &'b mut Solver,
    /// The tensors that were matched, each with the name that messages use.
    pub tensors: Vec<(String, Shape)>,
    /// Where a name got its value: the number of the tensor.
    pub origins: Vec<(String, usize)>,
    /// Dimensions that are compared once all names have had a chance to get a value.
    pub waiting: Vec<Waiting>,
    /// Parts of shapes that are compared then.
    pub waiting_parts: Vec<(usize, PatternPart, Shape)>,
    pub clashes: Vec<Clash>,
    /// The variables made for names that no dimension gives a value.
    pub own: Vec<Var>,
}

/// A dimension that must equal an expression.
pub(super) struct Waiting {
    pub argument: usize,
    pub expected: PatternDim,
    pub actual: Dim,
}

pub(super) struct Clash {
    pub argument: usize,
    pub kind: ClashKind,
    pub constraint: Constraint,
    pub outcome: Outcome,
}

pub(super) enum ClashKind {
    /// Too few or too many dimensions.
    Rank { wanted: usize, is_exact: bool },
    /// A shape variable has another shape elsewhere.
    Shape { name: Option<String>, actual: Shape, expected: Shape },
    /// A dimension has another value than expected.
    Dim { expected: PatternDim, actual: Dim, value: Dim },
    /// The whole shape is another than that of a tensor before.
    Same { earlier: usize },
    /// The shape differs from that of a tensor before, not only at some axes.
    Except { earlier: usize, axes: String },
}

impl<'a, 'b> Matcher<'a, 'b> {
    pub fn new(scope: &'b mut Scope<'a>, solver: &'b mut Solver) -> Self {
        Matcher {
            scope,
            solver,
            tensors: Vec::new(),
            origins: Vec::new(),
            waiting: Vec::new(),
            waiting_parts: Vec::new(),
            clashes: Vec::new(),
            own: Vec::new(),
        }
    }

    /// Matches the argument of a parameter that needs one: what is not known is a tensor all the same, and so is what NumPy makes
    /// an array of.
    pub fn match_required(&mut self, name: &str, pattern: &Pattern, actual: &Actual) {
        match (pattern, actual) {
            (Pattern::Shape(_), Actual::Unknown | Actual::Items(_)) => {
                let variable = name.trim_matches('`');
                let is_name = variable.chars().all(|c| c.is_alphanumeric() || c == '_');
                let shape = Shape::unknown(if is_name { variable } else { "s" });
                self.match_argument(name, pattern, &Actual::Shape(shape));
            }
            _ => self.match_argument(name, pattern, actual),
        }
    }

    /// Matches an argument with what a signature says of it. What is no tensor, or of another kind, is not matched.
    pub fn match_argument(&mut self, name: &str, pattern: &Pattern, actual: &Actual) {
        match pattern {
            Pattern::Nothing | Pattern::None => {}
            Pattern::Shape(pattern) => {
                if let Some(shape) = actual.as_shape() {
                    self.tensors.push((name.to_owned(), shape.clone()));
                    self.match_shape(self.tensors.len() - 1, pattern, &shape);
                }
            }
            Pattern::Tuple(patterns) => {
                let items = actual.items().filter(|items| items.len() == patterns.len()).unwrap_or_default();
                for (index, (pattern, item)) in patterns.iter().zip(items).enumerate() {
                    self.match_argument(&item_name(name, index), pattern, item);
                }
            }
            Pattern::List(_, pattern, _) => self.match_items(name, pattern, actual),
            Pattern::If(condition, yes, no) => match self.scope.truth(condition, self.solver) {
                Some(true) => self.match_argument(name, yes, actual),
                Some(false) => self.match_argument(name, no, actual),
                None if yes == no => self.match_argument(name, yes, actual),
                None => {}
            },
        }
    }

    /// Matches each item of a sequence.
    pub fn match_items(&mut self, name: &str, pattern: &Pattern, actual: &Actual) {
        for (index, item) in actual.items().unwrap_or_default().iter().enumerate() {
            self.match_required(&item_name(name, index), pattern, item);
        }
    }

    /// Matches an argument, gives values to names that have none, and notes what clashes.
    fn match_shape(&mut self, argument: usize, pattern: &PatternShape, actual: &Shape) {
        let opens: Vec<usize> = positions_of_open_parts(pattern);
        match opens.as_slice() {
            [] => {
                let dims = dims_of(&pattern.parts);
                match self.solver.dims_of_rank(actual, dims.len()) {
                    Some(actual) => self.match_dims(argument, &dims, &actual),
                    None => self.rank_clash(argument, actual, dims.len(), true),
                }
            }
            [open] => {
                let (front, back) = pattern.parts.split_at(*open);
                let Some((open, back)) = back.split_first() else {
                    return;
                };
                self.match_open(argument, (&dims_of(front), open, &dims_of(back)), actual);
            }
            _ => self.match_several(argument, pattern, actual),
        }
    }

    fn match_open(
        &mut self,
        argument: usize,
        (front, open, back): (&[PatternElement], &PatternPart, &[PatternElement]),
        actual: &Shape,
    ) {
        let Some((first, middle, last)) = self.solver.split(actual, front.len(), back.len()) else {
            return self.rank_clash(argument, actual, front.len() + back.len(), false);
        };
        self.match_dims(argument, front, &first);
        self.match_dims(argument, back, &last);
        if let PatternPart::Edit(edit) = open
            && let Edit::Replace(base, axes, size) = &**edit
            && let [PatternPart::Name(name)] = base.parts.as_slice()
        {
            return self.match_replaced(argument, name, (base, axes, size), middle);
        }
        let name = match open {
            PatternPart::Name(name) => Some(name.clone()),
            _ => None,
        };
        match (self.scope.part(open, self.solver), name) {
            (Some(expected), name) => self.match_part(argument, name, middle, expected),
            (None, Some(name)) => {
                if front.is_empty() && back.is_empty() {
                    self.scope.owners.insert(name.clone(), self.operand(argument));
                }
                self.bind_shape(argument, &name, middle);
            }
            (None, None) => self.waiting_parts.push((argument, open.clone(), middle)),
        }
    }

    /// How the tensor is called in a message.
    fn operand(&self, argument: usize) -> String {
        self.tensors.get(argument).map_or_else(String::new, |(name, _)| name.clone())
    }

    fn match_part(&mut self, argument: usize, name: Option<String>, actual: Shape, expected: Shape) {
        let outcome = self.solver.unify(&expected, &actual);
        if outcome != Outcome::Holds {
            let constraint = Constraint::SameShape(actual.clone(), expected.clone());
            let earlier = name.as_ref().filter(|name| self.scope.owners.contains_key(*name));
            let earlier = earlier.and_then(|name| self.origin(name));
            let is_whole = self.tensors.get(argument).is_some_and(|(_, shape)| *shape == actual);
            let kind = match earlier {
                Some(earlier) if is_whole && earlier != argument => ClashKind::Same { earlier },
                _ => ClashKind::Shape { name, actual, expected },
            };
            self.clashes.push(Clash { argument, kind, constraint, outcome });
        }
    }

    fn origin(&self, name: &str) -> Option<usize> {
        self.origins.iter().find(|(known, _)| known == name).map(|(_, argument)| *argument)
    }

    /// `replace(s, dim, n)`: the first such shape is `s` itself, later ones are as `s` except at the axes; `n` is the size there.
    fn match_replaced(
        &mut self,
        argument: usize,
        name: &str,
        (base, axes, size): (&PatternShape, &PatternAxes, &PatternDim),
        actual: Shape,
    ) {
        let bound = self.scope.lookup_shape(name);
        let is_first = bound.is_none();
        if is_first {
            self.scope.owners.insert(name.to_owned(), self.operand(argument));
            self.bind_shape(argument, name, actual.clone());
        }
        let NamedAxes::These(numbers) = self.scope.axes(axes, self.solver) else { return };
        let subject = self.scope.owners.insert(name.to_owned(), self.operand(argument));
        let opened = self.scope.open(base, axes, &actual, &numbers, self.solver);
        self.scope.owners.extend(subject.map(|owner| (name.to_owned(), owner)));
        let Opened::At(opened, places) = opened else { return };
        if *size != PatternDim::Any {
            for place in &places {
                self.match_dims(argument, &[PatternElement::Dim(size.clone())], &[opened.get(*place)]);
            }
        }
        let Some(bound) = bound.filter(|_| !is_first) else { return };
        let Opened::At(other, other_places) = self.scope.open(base, axes, &bound, &numbers, self.solver) else {
            return;
        };
        let (own, other) = (opened.without(&places), other.without(&other_places));
        let outcome = self.solver.unify(&other, &own);
        if outcome != Outcome::Holds {
            let constraint = Constraint::SameShape(own.clone(), other.clone());
            let kind = match self.origin(name) {
                Some(earlier) => ClashKind::Except { earlier, axes: axes.to_string() },
                None => ClashKind::Shape { name: Some(name.to_owned()), actual: own, expected: other },
            };
            self.clashes.push(Clash { argument, kind, constraint, outcome });
        }
    }

    /// Several shape variables: those without a value get fresh ones, and the whole is unified.
    fn match_several(&mut self, argument: usize, pattern: &PatternShape, actual: &Shape) {
        for part in &pattern.parts {
            match part {
                PatternPart::Name(name) if self.scope.lookup_shape(name).is_none() => {
                    self.bind_shape(argument, name, Shape::unknown(name));
                }
                PatternPart::Dims(elements) => {
                    for element in elements {
                        if let PatternElement::Dim(dim) = element {
                            self.give_values(argument, dim);
                        }
                    }
                }
                _ => {}
            }
        }
        if let Some(expected) = self.scope.shape(pattern, self.solver) {
            self.match_part(argument, None, actual.clone(), expected);
        }
    }

    fn bind_shape(&mut self, argument: usize, name: &str, shape: Shape) {
        self.scope.shapes.insert(name.to_owned(), shape);
        self.origins.push((name.to_owned(), argument));
    }

    fn match_dims(&mut self, argument: usize, patterns: &[PatternElement], actual: &[Dim]) {
        for (pattern, actual) in patterns.iter().zip(actual) {
            match pattern {
                PatternElement::Ragged | PatternElement::Dim(PatternDim::Any) => {}
                PatternElement::Dim(PatternDim::Name(name)) if self.scope.lookup(name).is_none() => {
                    self.scope.dims.insert(name.clone(), *actual);
                    self.origins.push((name.clone(), argument));
                }
                PatternElement::Dim(expected) => {
                    self.waiting.push(Waiting { argument, expected: expected.clone(), actual: *actual });
                }
            }
        }
    }

    /// Compares what had to wait, in order.
    pub fn match_waiting(&mut self) {
        for (argument, part, actual) in std::mem::take(&mut self.waiting_parts) {
            if let Some(expected) = self.scope.part(&part, self.solver) {
                self.match_part(argument, None, actual, expected);
            }
        }
        for Waiting { argument, expected, actual } in std::mem::take(&mut self.waiting) {
            self.give_values(argument, &expected);
            let Some(value) = self.scope.dim(&expected, self.solver) else {
                continue;
            };
            let constraint = Constraint::Equal(actual, value);
            let is_about_program = self.rests_on_program(actual) || self.rests_on_program(value);
            let outcome = self.solver.require(&constraint);
            if outcome == Outcome::Holds || outcome == Outcome::Assumed && !is_about_program {
                continue;
            }
            let kind = ClashKind::Dim { expected, actual, value };
            self.clashes.push(Clash { argument, kind, constraint, outcome });
        }
    }

    /// Whether a number rests on a free variable of the program. Binding one of the pattern's own assumes nothing of it.
    fn rests_on_program(&self, dim: Dim) -> bool {
        let is_outer = |var: &Var| var.kind() == VarKind::Free && !self.own.contains(var);
        self.solver.resolve(dim).vars().iter().any(is_outer)
    }

    /// Gives fresh free variables to the names of an expression that have no value.
    fn give_values(&mut self, argument: usize, dim: &PatternDim) {
        let mut missing = Vec::new();
        dim.for_each_name(&mut |name, role| missing.extend((role == Role::Dim).then(|| name.to_owned())));
        for name in missing {
            let is_known = self.scope.lookup(&name).is_some() || self.scope.shapes.contains_key(&name);
            if !is_known {
                let fresh = fresh_dim(&name);
                self.own.extend(fresh.as_var());
                self.scope.dims.insert(name.clone(), fresh);
                self.origins.push((name, argument));
            }
        }
    }

    fn rank_clash(&mut self, argument: usize, actual: &Shape, wanted: usize, is_exact: bool) {
        let actual = self.solver.resolve_shape(actual);
        let constraint = if is_exact {
            Constraint::Rank(actual, wanted)
        } else {
            let wanted = i64::try_from(wanted).unwrap_or(i64::MAX);
            Constraint::LessEqual(Dim::constant(wanted), actual.rank_dim())
        };
        let outcome = self.solver.require(&constraint);
        if outcome != Outcome::Holds {
            self.clashes.push(Clash { argument, kind: ClashKind::Rank { wanted, is_exact }, constraint, outcome });
        }
    }
}

/// `` `tensors[1]` `` for item 1 of `` `tensors` ``.
fn item_name(name: &str, index: usize) -> String {
    match name.strip_suffix('`') {
        Some(name) => format!("{name}[{index}]`"),
        None => format!("item {index} of {name}"),
    }
}

/// The parts whose rank the pattern alone does not tell.
fn positions_of_open_parts(pattern: &PatternShape) -> Vec<usize> {
    let is_open = |part: &PatternPart| !matches!(part, PatternPart::Dims(_));
    (0..pattern.parts.len()).filter(|index| pattern.parts.get(*index).is_some_and(is_open)).collect()
}

fn dims_of(parts: &[PatternPart]) -> Vec<PatternElement> {
    let dims = parts.iter().filter_map(|part| match part {
        PatternPart::Dims(elements) => Some(elements.iter().cloned()),
        _ => None,
    });
    dims.flatten().collect()
}
