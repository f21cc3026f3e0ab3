//! Infers a signature from a path that was followed.

use std::rc::Rc;

use crate::inference::naming::{Broadcast, Naming};
use crate::inference::path_choices::Choice;
use crate::inference::paths::Ending;
use crate::inference::requirements::{conjuncts, needed};
use crate::state::interpreter::Interpreter;
use crate::values::value::{Iteration, Value};
use harp_corpus::Span;
use harp_limits::light_tick;
use harp_python::name::Name;
use harp_shape::{Constraint, DType, Dim, Element, Outcome, Shape, ShapeVar, Var};
use harp_trace::assumption::{Assumption, AssumptionKind, words};
use harp_trace::inferred_signature::{Alternative, InferredParameter, Pattern, Problem};

/// How deep tuples of arguments and results are looked into.
const DEEPEST: usize = 4;
/// How often what became known is used to know more.
const ROUNDS: usize = 8;
/// Items of a tuple that are looked at.
const WIDEST: usize = 32;

/// The arguments of a symbolic call, in the order of the parameters.
pub(super) struct Arguments {
    pub parameters: Vec<InferredParameter>,
    pub values: Vec<Value>,
    /// The function's name in its definition.
    pub place: Span,
}

/// What a value is, before variables have their names.
#[derive(Clone)]
enum Form {
    Tensor(Shape, DType),
    Integer(Dim),
    Tuple(Vec<Form>),
    List(Box<Form>),
    Other(String),
}

impl Interpreter<'_> {
    /// The signature of the path that was followed. `first_fact` is the number of facts before it began.
    pub(super) fn generalise(&mut self, arguments: &Arguments, result: &Value, first_fact: usize) -> Ending {
        if let Err(clash) = self.settle_broadcasts(arguments.place) {
            return Ending::Clashes(clash);
        }
        let Some(run) = self.inference.take() else { return Ending::Raises };
        let inputs: Vec<Form> = arguments.values.iter().map(|value| self.form(value, 0)).collect();
        let output = self.form(result, 0);
        let mut naming = self.naming(&run.names, arguments, &inputs);
        let parameters: Vec<Pattern> = inputs.iter().map(|form| pattern(form, &mut naming)).collect();
        let (broadcasts, mut facts) = self.broadcasts(&naming);
        naming.set_broadcasts(broadcasts);
        facts.extend(self.equalities_of_numbers(&run.names));
        for fact in self.solver.facts().iter().skip(first_fact).chain(&run.unproven) {
            let fact = self.solver.resolve_constraint(fact);
            facts.extend(conjuncts(&fact).into_iter().filter(|part| !matches!(part, Constraint::Broadcast { .. })));
        }
        facts.retain(|fact| !fact.variables().iter().any(|variable| run.counters.contains(variable)));
        let conditions: Vec<Vec<Constraint>> =
            run.choices.made.iter().map(|choice| self.parts_of_condition(choice)).collect();
        facts.retain(|fact| !conditions.iter().flatten().any(|condition| condition == fact));
        let facts = needed(facts.iter().map(Constraint::tidy).collect());
        if facts.contains(&Constraint::False) {
            return Ending::Raises;
        }
        let is_given = |fact: &Constraint, naming: &Naming| {
            fact.variables().iter().all(|variable| naming.has_named(*variable) || is_number(*variable, &run.names))
                && shape_vars(fact).iter().all(|variable| naming.has_named_shape(*variable))
        };
        let (given, hidden): (Vec<Constraint>, Vec<Constraint>) =
            facts.into_iter().partition(|fact| is_given(fact, &naming));
        let mut requirements: Vec<String> = Vec::new();
        for fact in &given {
            let text = naming.constraint(fact).to_string();
            if !requirements.contains(&text) {
                requirements.push(text);
            }
        }
        // What the choices say, should the other ways be rejected.
        let choices = run.choices.made.iter().zip(&conditions);
        let choices = choices.map(|(choice, parts)| {
            choice.constraint.as_ref()?;
            let needed = needed(parts.iter().map(Constraint::tidy).collect());
            needed
                .iter()
                .all(|part| is_given(part, &naming))
                .then(|| needed.iter().map(|part| naming.constraint(part).to_string()).collect())
        });
        let choices: Vec<Option<Vec<String>>> = choices.collect();
        let result = pattern(&output, &mut naming);
        let mut assumptions = self.assumptions_of_signature(arguments);
        for fact in hidden {
            let text = words::no_exception_fact(naming.constraint(&fact));
            let evidence = "it depends on values that are not known".to_owned();
            let (kind, subject) = (AssumptionKind::NoException, String::new());
            assumptions.push(Assumption { kind, subject, text, evidence, span: arguments.place });
        }
        let not_understood =
            self.entry.not_understood.iter().map(|(text, span)| Problem { text: text.clone(), span: Some(*span) });
        let not_understood = not_understood.collect();
        let alternative = Alternative {
            conditions: Vec::new(),
            parameters,
            result,
            requirements,
            assumptions,
            not_understood,
            clash: None,
        };
        self.inference = Some(run);
        Ending::Returns(Box::new(alternative), choices)
    }

    /// The parts of what a choice assumed, under everything that is known at the end of the path.
    fn parts_of_condition(&self, choice: &Choice) -> Vec<Constraint> {
        let constraint = choice.constraint.iter();
        constraint.flat_map(|constraint| conjuncts(&self.solver.resolve_constraint(constraint))).collect()
    }

    /// Works out broadcasts whose operands became known after them.
    fn settle_broadcasts(&mut self, place: Span) -> Result<(), Problem> {
        for _ in 0..ROUNDS {
            let mut is_settled = true;
            for fact in self.solver.facts().to_vec() {
                let Constraint::Broadcast { result, operands: [a, b] } = self.solver.resolve_constraint(&fact) else {
                    continue;
                };
                let (shape, outcome) = self.solver.broadcast(&a, &b);
                let clashes = |outcome: &Outcome| *outcome == Outcome::Violated;
                let known = shape.unwrap_or_else(|| result.clone());
                if clashes(&outcome) || clashes(&self.solver.unify(&known, &result)) {
                    let text = format!("{a} and {b} do not broadcast to {result}");
                    return Err(Problem { text, span: Some(place) });
                }
                is_settled &= self.solver.resolve_shape(&result) == result;
            }
            if is_settled {
                break;
            }
        }
        Ok(())
    }

    /// The results of broadcasting that are nothing else, and what the others must be.
    fn broadcasts(&self, naming: &Naming) -> (Vec<Broadcast>, Vec<Constraint>) {
        let (mut broadcasts, mut requirements) = (Vec::new(), Vec::new());
        for fact in self.solver.facts() {
            let Constraint::Broadcast { result, operands } = self.solver.resolve_constraint(fact) else { continue };
            if operands.contains(&result) {
                continue;
            }
            let is_fresh = result.elements().iter().rev().enumerate().all(|(back, element)| {
                let is_kept = operands.iter().any(|operand| operand.elements().iter().rev().nth(back) == Some(element));
                let is_new = match element {
                    Element::Dim(dim) => dim.as_var().is_some_and(|variable| !naming.has_named(variable)),
                    Element::Rest(variable) => !naming.has_named_shape(*variable),
                    Element::Ragged => false,
                };
                is_kept || is_new
            });
            if is_fresh {
                broadcasts.push(Broadcast { result, operands });
            } else {
                requirements.push(Constraint::Broadcast { result, operands });
            }
        }
        (broadcasts, requirements)
    }

    /// What a value is under everything that the path found out.
    fn form(&mut self, value: &Value, depth: usize) -> Form {
        light_tick();
        let other = |text: &str| Form::Other(text.to_owned());
        if depth > DEEPEST {
            return other("unknown");
        }
        match self.read(value) {
            Value::Tensor(tensor) => Form::Tensor(self.solver.resolve_shape(&tensor.shape), tensor.dtype),
            Value::Int(dim) => Form::Integer(self.solver.resolve(dim)),
            Value::Tuple(items) if items.len() <= WIDEST => {
                Form::Tuple(items.iter().map(|item| self.form(item, depth + 1)).collect())
            }
            Value::List(id) => match self.heap.list(id).cloned() {
                Some(data) if data.rest.is_none() && data.items.len() <= WIDEST => {
                    Form::Tuple(data.items.iter().map(|item| self.form(item, depth + 1)).collect())
                }
                Some(data) => match &data.rest {
                    Some(rest) => Form::List(Box::new(self.form(rest, depth + 1))),
                    None => other("list"),
                },
                None => other("list"),
            },
            Value::Iterator(iteration) => match &*iteration {
                Iteration::Items(items) if items.len() <= WIDEST => {
                    Form::Tuple(items.iter().map(|item| self.form(item, depth + 1)).collect())
                }
                Iteration::View { dict, part } => match self.shown(*dict, *part) {
                    Some(items) if items.len() <= WIDEST => {
                        Form::Tuple(items.iter().map(|item| self.form(item, depth + 1)).collect())
                    }
                    _ => other("iterator"),
                },
                _ => other("iterator"),
            },
            Value::Symbolic(id) => {
                // The parts of a parameter that the program read.
                let item =
                    |this: &Self, index: usize| this.heap.attribute(id, Name::new(&format!("[{index}]"))).cloned();
                let items: Vec<Value> = (0..WIDEST).map_while(|index| item(self, index)).collect();
                if items.is_empty() {
                    return match self.heap.symbolic(id) {
                        Some(data) if data.is_result => Form::Other(format!("unknown: {}", data.description)),
                        _ => other("anything"),
                    };
                }
                Form::Tuple(items.iter().map(|item| self.form(item, depth + 1)).collect())
            }
            Value::Unknown(reason) => Form::Other(format!("unknown: {reason}")),
            Value::Alternatives(alternatives) => {
                let alternatives = Rc::clone(&alternatives);
                let described: Vec<String> =
                    alternatives.iter().map(|(_, value)| value.describe()).take(WIDEST).collect();
                Form::Other(described.join(" or "))
            }
            value => Form::Other(value.describe()),
        }
    }

    /// The names of the signature: integers among the parameters and settings first, then what the program calls its sizes.
    fn naming(&self, names: &[(Var, Name)], arguments: &Arguments, inputs: &[Form]) -> Naming {
        let is_integer = |form: &Form| matches!(form, Form::Integer(_));
        let reserved: Vec<String> = arguments
            .parameters
            .iter()
            .zip(inputs)
            .filter(|(_, form)| !is_integer(form))
            .map(|(parameter, _)| parameter.name.clone())
            .collect();
        let integers = arguments.parameters.iter().zip(inputs).filter_map(|(parameter, form)| match form {
            Form::Integer(dim) => Some((dim.as_var()?, parameter.name.clone())),
            _ => None,
        });
        let program = names.iter().filter_map(|(variable, name)| {
            Some((self.solver.resolve(Dim::var(*variable)).as_var()?, name.to_string()))
        });
        let named: Vec<(Var, String)> = integers.chain(program).collect();
        Naming::new(named, reserved)
    }

    /// What the program's numbers must be where operations decide it: `heads == 8`.
    fn equalities_of_numbers(&self, names: &[(Var, Name)]) -> Vec<Constraint> {
        let mut equalities = Vec::new();
        for (variable, _) in names.iter().filter(|(variable, _)| is_number(*variable, names)) {
            let dim = Dim::var(*variable);
            let resolved = self.solver.resolve(dim);
            if resolved != dim {
                equalities.push(Constraint::Equal(dim, resolved));
            }
        }
        equalities
    }

    /// What the running entry took for granted, without what the signature says itself: that its parameters are tensors and numbers.
    fn assumptions_of_signature(&self, arguments: &Arguments) -> Vec<Assumption> {
        let is_said = |assumption: &Assumption| {
            let says_type =
                assumption.text.ends_with("is a float tensor") || assumption.text.ends_with("is an integer");
            let is_guess = assumption.evidence.ends_with("a sequence may stand too")
                || (assumption.evidence == "it is used in arithmetic" && !assumption.text.ends_with("integer"));
            let subject = assumption.subject.split(['[', '.']).next().unwrap_or("");
            let is_parameter = arguments.parameters.iter().any(|parameter| parameter.name == subject);
            says_type && (is_parameter || assumption.text.ends_with("integer")) && !is_guess
        };
        let mut assumptions: Vec<Assumption> = self
            .entry
            .assumptions
            .iter()
            .filter_map(|id| self.trace.assumptions.get(id))
            .filter(|assumption| !is_said(assumption))
            .cloned()
            .collect();
        assumptions.sort_by(|a, b| (a.span, &a.text).cmp(&(b.span, &b.text)));
        assumptions.dedup_by(|a, b| a.text == b.text);
        assumptions
    }
}

/// The shape variables in a constraint.
pub(crate) fn shape_vars(constraint: &Constraint) -> Vec<ShapeVar> {
    let (mut from_dims, mut from_shapes) = (Vec::new(), Vec::new());
    constraint.map(
        &mut |dim| {
            from_dims.extend(dim.shape_vars());
            dim
        },
        &mut |shape| {
            from_shapes.extend(shape.shape_vars());
            shape.clone()
        },
    );
    from_dims.append(&mut from_shapes);
    from_dims
}

/// Whether a variable is a number that the function or its class is given, and not a size that the program gave a name: a number has its
/// own.
fn is_number(variable: Var, names: &[(Var, Name)]) -> bool {
    names.iter().any(|(known, name)| *known == variable && variable.name() == name.as_str())
}

/// A form with the names that readers see.
fn pattern(form: &Form, naming: &mut Naming) -> Pattern {
    match form {
        Form::Tensor(shape, dtype)
            if shape.elements().iter().any(|element| matches!(element, Element::Dim(dim) if dim.is_opaque())) =>
        {
            // A number beyond all expressions has no name.
            let known = shape.map_dims(|dim| {
                if dim.is_opaque() { Dim::var(Var::fresh(harp_shape::VarInfo::free("n"))) } else { dim }
            });
            Pattern::Tensor(naming.tensor(&known, *dtype))
        }
        Form::Tensor(shape, dtype) => Pattern::Tensor(naming.tensor(shape, *dtype)),
        Form::Integer(dim) => Pattern::Integer(naming.dim(*dim).to_string()),
        Form::Tuple(items) => Pattern::Tuple(items.iter().map(|item| pattern(item, naming)).collect()),
        Form::List(element) => Pattern::List(Box::new(pattern(element, naming))),
        Form::Other(text) => Pattern::Other(text.clone()),
    }
}
