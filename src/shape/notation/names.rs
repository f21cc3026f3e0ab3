//! The names that patterns of the shape notation mention, and what they stand for.

use super::{
    Condition, Domain, Edit, Loop, Padding, Passing, Pattern, PatternAxes, PatternDim, PatternElement, PatternPart,
    PatternShape, Signature,
};

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A number; the axes that a parameter holds too.
    Dim,
    /// A shape, or a part of one.
    Shape,
    /// A parameter that is asked for more than a number: whether it is `None`, how many items it has.
    Parameter,
}

impl Signature {
    /// The names that the results or the condition use although no input binds them and `is_parameter` does not know them;
    /// sorted. What only an input binds that may be left out ([`Passing::Optional`]) is bound: the result is unknown without it.
    pub fn unbound(&self, is_parameter: impl Fn(&str) -> bool) -> Vec<String> {
        let mut bound = Vec::new();
        for input in &self.inputs {
            input.pattern.for_each_name(&mut |name, _| bound.push(name.to_owned()));
        }
        let mut unbound = Vec::new();
        let mut visit = |name: &str, role: Role| {
            if !is_parameter(name) && (role == Role::Parameter || !bound.iter().any(|known| known == name)) {
                unbound.push(name.to_owned());
            }
        };
        self.outputs.for_each_name(&mut visit);
        if let Some(condition) = &self.condition {
            condition.for_each_name(&mut visit);
        }
        for input in &self.inputs {
            let mut visit_parameters = |name: &str, role: Role| match role {
                Role::Parameter => visit(name, role),
                Role::Dim | Role::Shape => {}
            };
            input.pattern.for_each_name(&mut visit_parameters);
        }
        unbound.sort();
        unbound.dedup();
        unbound
    }

    /// Whether the parameter of this name takes any number of arguments.
    pub fn is_variadic(&self, name: &str) -> bool {
        let mut inputs = self.inputs.iter();
        inputs.any(|input| input.name.as_deref() == Some(name) && input.passing == Passing::Variadic)
    }
}

/// Visits names outside the loops that bind them.
struct Visitor<'v> {
    visit: &'v mut dyn FnMut(&str, Role),
    bound: Vec<String>,
}

impl Pattern {
    /// Every name in it that no loop binds, with what it stands for.
    pub fn for_each_name(&self, visit: &mut dyn FnMut(&str, Role)) {
        Visitor { visit, bound: Vec::new() }.pattern(self);
    }
}

impl PatternShape {
    /// Every name in it that no loop binds, with what it stands for.
    pub fn for_each_name(&self, visit: &mut dyn FnMut(&str, Role)) {
        Visitor { visit, bound: Vec::new() }.shape(self);
    }
}

impl PatternDim {
    /// Every name in it that no loop binds, with what it stands for.
    pub fn for_each_name(&self, visit: &mut dyn FnMut(&str, Role)) {
        Visitor { visit, bound: Vec::new() }.dim(self);
    }
}

impl Condition {
    /// Every name in it that no loop binds, with what it stands for.
    pub fn for_each_name(&self, visit: &mut dyn FnMut(&str, Role)) {
        Visitor { visit, bound: Vec::new() }.condition(self);
    }
}

impl Visitor<'_> {
    fn name(&mut self, name: &str, role: Role) {
        if !self.bound.iter().any(|bound| bound == name) {
            (self.visit)(name, role);
        }
    }

    fn pattern(&mut self, pattern: &Pattern) {
        match pattern {
            Pattern::Nothing | Pattern::None => {}
            Pattern::Shape(shape) => self.shape(shape),
            Pattern::Tuple(patterns) => patterns.iter().for_each(|pattern| self.pattern(pattern)),
            Pattern::List(_, item, None) => self.pattern(item),
            Pattern::List(_, item, Some(over)) => self.in_loop(over, |visitor| visitor.pattern(item)),
            Pattern::If(condition, yes, no) => {
                self.condition(condition);
                self.pattern(yes);
                self.pattern(no);
            }
        }
    }

    fn in_loop(&mut self, over: &Loop, body: impl FnOnce(&mut Self)) {
        match &over.over {
            Domain::Range(count) => self.dim(count),
            Domain::Items(parameter) => self.name(parameter, Role::Parameter),
        }
        self.bound.push(over.variable.clone());
        body(self);
        self.bound.pop();
    }

    fn shape(&mut self, shape: &PatternShape) {
        shape.parts.iter().for_each(|part| self.part(part));
    }

    fn part(&mut self, part: &PatternPart) {
        match part {
            PatternPart::Name(name) => self.name(name, Role::Shape),
            PatternPart::Dims(elements) => {
                for element in elements {
                    if let PatternElement::Dim(dim) = element {
                        self.dim(dim);
                    }
                }
            }
            PatternPart::Slice { shape, from, to } => {
                self.name(shape, Role::Shape);
                from.iter().chain(to).for_each(|dim| self.dim(dim));
            }
            PatternPart::Broadcast(shapes) => shapes.iter().for_each(|shape| self.shape(shape)),
            PatternPart::BroadcastAll(shape, over) => self.in_loop(over, |visitor| visitor.shape(shape)),
            PatternPart::Edit(edit) => match &**edit {
                Edit::Drop(shape, axes) | Edit::Permute(shape, axes) => {
                    self.shape(shape);
                    self.axes(axes);
                }
                Edit::Replace(shape, axes, size) | Edit::Insert(shape, axes, size) => {
                    self.shape(shape);
                    self.axes(axes);
                    self.dim(size);
                }
                Edit::Swap(shape, one, other) | Edit::Move(shape, one, other) => {
                    self.shape(shape);
                    self.axes(one);
                    self.axes(other);
                }
            },
        }
    }

    fn axes(&mut self, axes: &PatternAxes) {
        match axes {
            PatternAxes::All => {}
            PatternAxes::One(dim) => self.dim(dim),
            PatternAxes::Several(dims) => dims.iter().for_each(|dim| self.dim(dim)),
            PatternAxes::If(condition, yes, no) => {
                self.condition(condition);
                self.axes(yes);
                self.axes(no);
            }
        }
    }

    fn dim(&mut self, dim: &PatternDim) {
        match dim {
            PatternDim::Constant(_) | PatternDim::Any => {}
            PatternDim::Name(name) => self.name(name, Role::Dim),
            PatternDim::Negate(inner) => self.dim(inner),
            PatternDim::Binary(_, left, right) | PatternDim::CeilDivide(left, right) => {
                self.dim(left);
                self.dim(right);
            }
            PatternDim::Minimum(dims) | PatternDim::Maximum(dims) => dims.iter().for_each(|dim| self.dim(dim)),
            PatternDim::Rank(shape) | PatternDim::Product(shape) => self.shape(shape),
            PatternDim::Index(shape, index) => {
                self.name(shape, Role::Shape);
                self.dim(index);
            }
            PatternDim::Length(parameter) => self.name(parameter, Role::Parameter),
            PatternDim::Fold(_, body, over) => self.in_loop(over, |visitor| visitor.dim(body)),
            PatternDim::If(condition, yes, no) => {
                self.condition(condition);
                self.dim(yes);
                self.dim(no);
            }
            PatternDim::Pick(pick) => {
                self.name(&pick.parameter, Role::Parameter);
                [&pick.index, &pick.count].into_iter().chain(&pick.first).for_each(|dim| self.dim(dim));
            }
            PatternDim::Window(window) => {
                let numbers = [&window.length, &window.size, &window.stride, &window.dilation];
                numbers.into_iter().chain(&window.extra).for_each(|dim| self.dim(dim));
                if let Padding::Of(padding) = &window.padding {
                    self.dim(padding);
                }
            }
        }
    }

    fn condition(&mut self, condition: &Condition) {
        match condition {
            Condition::Compare(_, left, right) => {
                self.dim(left);
                self.dim(right);
            }
            Condition::And(parts) | Condition::Or(parts) => parts.iter().for_each(|part| self.condition(part)),
            Condition::Not(inner) => self.condition(inner),
            Condition::Flag(parameter) | Condition::Is { parameter, .. } => self.name(parameter, Role::Parameter),
            Condition::HasAxis(shape, axes) => {
                self.shape(shape);
                self.axes(axes);
            }
        }
    }
}
