//! What the verdict of an entry says of its inputs: the shapes that its operations gave its parameters.
//!
//! A parameter without annotation begins as anything, and each operation that it meets takes from it what does not fit. What is left is as much a
//! part of the promise as the conditions are.

use crate::budget::costly_calls::EntryKind;
use crate::calls::call::CallArguments;
use crate::inference::generalise::shape_vars;
use crate::inference::requirements::{conjuncts, needed};
use crate::judge::alarms::in_words;
use crate::state::interpreter::Interpreter;
use crate::values::value::{Literal, Value};
use harp_limits::light_tick;
use harp_python::ir::{Function, ParameterKind};
use harp_python::name::Name;
use harp_shape::{Constraint, Dim, Element, Shape, ShapeVar, Var};
use harp_trace::StatedInput;
use rustc_hash::FxHashSet;

/// How deep tuples and objects are looked into.
const DEEPEST: usize = 3;
/// Arguments that are looked at.
const WIDEST: usize = 32;
/// Parts of them that are stated.
const MOST_PARTS: usize = 64;

/// A part of an argument of which a verdict speaks.
enum Part {
    Shape(Shape),
    Number(Dim),
}

/// The sizes and shapes of an entry's inputs.
#[derive(Default)]
struct Known {
    sizes: FxHashSet<Var>,
    shapes: FxHashSet<ShapeVar>,
}

impl Known {
    fn add(&mut self, part: &Part) {
        match part {
            Part::Number(number) => self.sizes.extend(number.vars()),
            Part::Shape(shape) => {
                self.shapes.extend(shape.shape_vars());
                for element in shape.elements() {
                    if let Element::Dim(dim) = element {
                        self.sizes.extend(dim.vars());
                    }
                }
            }
        }
    }

    fn has_shape(&self, shape: &Shape) -> bool {
        shape.elements().iter().all(|element| match element {
            Element::Dim(dim) => dim.vars().iter().all(|variable| self.sizes.contains(variable)),
            Element::Rest(variable) => self.shapes.contains(variable),
            Element::Ragged => true,
        })
    }

    fn has_all_of(&self, fact: &Constraint) -> bool {
        fact.variables().iter().all(|variable| self.sizes.contains(variable))
            && shape_vars(fact).iter().all(|variable| self.shapes.contains(variable))
    }
}

impl Interpreter<'_> {
    /// Keeps what a function of the running entry is called with from outside, until what became of it is stated.
    pub(crate) fn keep_inputs(&mut self, function: &Function, arguments: &CallArguments, has_receiver: bool) {
        let is_fixed = |kind: ParameterKind| !matches!(kind, ParameterKind::Variadic | ParameterKind::VariadicKeyword);
        let by_place = function.parameters.iter().filter(|parameter| is_fixed(parameter.kind));
        let by_place = by_place.filter(|parameter| parameter.kind != ParameterKind::KeywordOnly);
        let positional = by_place.zip(&arguments.positional).skip(usize::from(has_receiver));
        self.entry.arguments.extend(positional.map(|(parameter, value)| (parameter.name, value.clone())));
        self.entry.arguments.extend(arguments.keywords.iter().cloned());
        self.entry.arguments.truncate(WIDEST);
    }

    /// States what the arguments of the running entry were taken for, while that is still known.
    pub(crate) fn state_inputs(&mut self) {
        let arguments = std::mem::take(&mut self.entry.arguments);
        // What is said of one entry is one text.
        let _names = harp_shape::naming::apart();
        let parts = self.parts_of(&arguments);
        let mut known = Known::default();
        for (name, part) in parts {
            let form = match &part {
                Part::Shape(shape) => shape.to_string(),
                Part::Number(number) => number.to_string(),
            };
            known.add(&part);
            if form != name {
                self.entry.inputs.push(StatedInput { name, form });
            }
        }
        self.state_conditions(&known);
    }

    fn parts_of(&self, arguments: &[(Name, Value)]) -> Vec<(String, Part)> {
        let mut parts = Vec::new();
        for (name, value) in arguments {
            self.add_parts(name.to_string(), value, 0, &mut parts);
        }
        parts
    }

    /// Whether a requirement speaks of sizes that the running entry's inputs have, and of nothing else.
    pub(crate) fn is_of_inputs(&self, constraint: &Constraint) -> bool {
        let mut known = Known::default();
        self.parts_of(&self.entry.arguments).iter().for_each(|(_, part)| known.add(part));
        known.has_all_of(&self.solver.resolve_constraint(constraint))
    }

    /// The tensors and numbers in an argument, each with the words that lead to it. A value that the program gives is said by the assumption that
    /// it keeps its default.
    fn add_parts(&self, path: String, value: &Value, depth: usize, parts: &mut Vec<(String, Part)>) {
        light_tick();
        if parts.len() >= MOST_PARTS || depth > DEEPEST {
            return;
        }
        let read = self.read(value);
        match (&read, value) {
            (Value::Tensor(tensor), _) => parts.push((path, Part::Shape(self.solver.resolve_shape(&tensor.shape)))),
            (Value::Int(dim), _) if dim.as_const().is_none() => {
                parts.push((path, Part::Number(self.solver.resolve(*dim))));
            }
            (Value::Tuple(items), _) => {
                for (index, item) in items.iter().enumerate() {
                    self.add_parts(format!("{path}[{index}]"), item, depth + 1, parts);
                }
            }
            (Value::Symbolic(_), Value::Symbolic(id)) => {
                if let Some(shape) = self.tables.shapes_of_values.get(id).cloned() {
                    parts.push((path.clone(), Part::Shape(self.solver.resolve_shape(&shape))));
                }
                let attributes = self.heap.object(*id).attributes.iter();
                let attributes: Vec<(Name, Value)> = attributes.map(|(name, value)| (name, value.clone())).collect();
                for (name, value) in attributes {
                    let text = name.as_str();
                    if text.starts_with('[') {
                        self.add_parts(format!("{path}{text}"), &value, depth + 1, parts);
                    } else if text.starts_with(|letter: char| letter.is_alphabetic() || letter == '_') {
                        self.add_parts(format!("{path}.{text}"), &value, depth + 1, parts);
                    }
                }
            }
            _ => {}
        }
    }

    /// States what else was taken to hold of the sizes that the inputs have: what the path demands, and requirements that callers decide.
    fn state_conditions(&mut self, known: &Known) {
        let facts = self.solver.required_since(self.entry.first_fact);
        let facts = facts.iter().flat_map(|fact| conjuncts(&self.solver.resolve_constraint(fact)));
        let facts: Vec<Constraint> = facts.map(|fact| fact.tidy()).filter(|fact| known.has_all_of(fact)).collect();
        for fact in needed(facts) {
            self.provided(fact.to_string());
        }
        for operands in self.open_broadcasts(known) {
            let [a, b] = &operands;
            self.provided(format!("{a} and {b} broadcast"));
        }
    }

    /// States that what the program rejects is not given: the ways that end in an exception of its own.
    pub(crate) fn state_guards(&mut self, raising: &[Vec<Literal>]) {
        if raising.is_empty() || !self.states_conditions() || self.exceptions.caught > 0 {
            return;
        }
        for literals in raising {
            let way = literals.iter().map(|literal| self.condition(literal)).collect::<Vec<_>>();
            let rejected = match (&literals[..], &way[..]) {
                ([literal], _) => self.condition(&Literal { taken: !literal.taken, ..*literal }),
                (_, way) if way.iter().any(String::is_empty) => continue,
                (_, way) => format!("not ({})", way.join(" and ")),
            };
            if !rejected.is_empty() {
                self.provided_on_this_way(&rejected);
            }
        }
    }

    /// Whether what is required is a part of the running entry's verdict: whoever calls it may know.
    pub(crate) fn states_conditions(&self) -> bool {
        self.entry.kind == EntryKind::Symbolic && self.inference.is_none()
    }

    /// States what must hold where the path's conditions do.
    pub(crate) fn provided_on_this_way(&mut self, needed: &str) {
        self.provided(self.on_this_way(needed));
    }

    /// States a requirement that the forms of the inputs at the end do not tell: one of some ways alone.
    pub(crate) fn provided_where_it_matters(&mut self, needed: &Constraint) {
        if !self.path_conditions().is_empty()
            && let Some(needed) = in_words(needed)
        {
            self.provided_on_this_way(&needed);
        }
    }

    /// What is needed, with the conditions of the path.
    pub(crate) fn on_this_way(&self, needed: &str) -> String {
        let ways = self.path_conditions().join(" and ");
        if ways.is_empty() { needed.to_owned() } else { format!("{needed} where {ways}") }
    }

    /// Shapes of inputs that element-wise operations meet, of which one is not the end of the other.
    fn open_broadcasts(&self, known: &Known) -> Vec<[Shape; 2]> {
        let mut open: Vec<[Shape; 2]> = Vec::new();
        for fact in self.solver.facts().iter().skip(self.entry.first_fact) {
            let Constraint::Broadcast { operands, .. } = self.solver.resolve_constraint(fact) else { continue };
            let [a, b] = &operands;
            let goes_anyway = a.elements().ends_with(b.elements()) || b.elements().ends_with(a.elements());
            if !goes_anyway && known.has_shape(a) && known.has_shape(b) && !open.contains(&operands) {
                open.push(operands);
            }
        }
        open
    }
}
