//! From a path that was followed to its signature.

use std::rc::Rc;

use crate::corpus::Span;
use crate::interp::assumption::{Assumption, AssumptionKind};
use crate::interp::inference::naming::Naming;
use crate::interp::inference::paths::Ending;
use crate::interp::inference::requirements::{conjuncts, needed, tidy};
use crate::interp::inference::signature::{Alternative, InferredParameter, Pattern, Problem};
use crate::interp::machine::Interpreter;
use crate::interp::value::{Iteration, Value};
use crate::python::name::Name;
use crate::shape::{Constraint, Dim, Element, Shape, Var};

/// How deep tuples of arguments and results are looked into.
const DEEPEST: usize = 4;
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
    Tensor(Shape),
    Integer(Dim),
    Tuple(Vec<Form>),
    List(Box<Form>),
    Other(String),
}

impl Interpreter<'_> {
    /// The signature of the path that was followed. `first_fact` is the number of facts before it began.
    pub(super) fn generalise(&mut self, arguments: &Arguments, result: &Value, first_fact: usize) -> Ending {
        let Some(run) = self.inference.take() else { return Ending::Raises };
        let inputs: Vec<Form> = arguments.values.iter().map(|value| self.form(value, 0)).collect();
        let output = self.form(result, 0);
        let mut naming = self.naming(&run.names, arguments, &inputs);
        let parameters: Vec<Pattern> = inputs.iter().map(|form| pattern(form, &mut naming)).collect();
        let mut facts = self.equalities_of_numbers(&run.names, &naming);
        for fact in self.solver.facts().iter().skip(first_fact).chain(&run.unproven) {
            facts.extend(conjuncts(&self.solver.resolve_constraint(fact)));
        }
        let conditions: Vec<Constraint> = run
            .choices
            .made
            .iter()
            .filter_map(|choice| choice.constraint.as_ref())
            .flat_map(|constraint| conjuncts(&self.solver.resolve_constraint(constraint)))
            .collect();
        facts.retain(|fact| !conditions.contains(fact));
        let facts = needed(facts.iter().map(tidy).collect());
        if facts.contains(&Constraint::False) {
            return Ending::Raises;
        }
        let names: Vec<Var> = run.names.iter().map(|(variable, _)| *variable).collect();
        let is_given = |fact: &Constraint, naming: &Naming| {
            let variables = fact.variables();
            variables.iter().all(|variable| naming.has_named(*variable) || names.contains(variable))
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
        let result = pattern(&output, &mut naming);
        let mut assumptions = self.assumptions_of_signature(arguments);
        for fact in hidden {
            let text = format!("`{}` holds, which only a run can tell", naming.constraint(&fact));
            let subject = String::new();
            let evidence = "it depends on values that are not known".to_owned();
            let kind = AssumptionKind::NoException;
            assumptions.push(Assumption { kind, subject, text, evidence, span: arguments.place });
        }
        let not_understood =
            self.entry_not_understood.iter().map(|(text, span)| Problem { text: text.clone(), span: Some(*span) });
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
        Ending::Returns(Box::new(alternative))
    }

    /// What a value is under everything that the path found out.
    fn form(&mut self, value: &Value, depth: usize) -> Form {
        let other = |text: &str| Form::Other(text.to_owned());
        if depth > DEEPEST {
            return other("unknown");
        }
        match self.read(value) {
            Value::Tensor(tensor) => Form::Tensor(self.solver.resolve_shape(&tensor.shape)),
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
                _ => other("iterator"),
            },
            Value::Symbolic(id) => {
                // The parts of a parameter that the program read.
                let item = |this: &Self, index: usize| {
                    this.heap.attribute(id, Name::new(&format!("[{index}]"))).cloned()
                };
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
        let program = names
            .iter()
            .filter_map(|(variable, name)| Some((self.solver.resolve(Dim::var(*variable)).as_var()?, name.to_string())));
        let named: Vec<(Var, String)> = integers.chain(program).collect();
        Naming::new(named, reserved)
    }

    /// What the program's numbers must be where operations decide it: `heads == 8`.
    fn equalities_of_numbers(&self, names: &[(Var, Name)], _: &Naming) -> Vec<Constraint> {
        let mut equalities = Vec::new();
        for (variable, name) in names {
            // A number that was given has its own name; a size that the program reads has the name it is stored under.
            if variable.name() != name.as_str() {
                continue;
            }
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
            let says_type = assumption.text.ends_with("is a float tensor") || assumption.text.ends_with("is an integer");
            let is_guess = assumption.evidence == "it is used in arithmetic";
            let subject = assumption.subject.split(['[', '.']).next().unwrap_or("");
            let is_parameter = arguments.parameters.iter().any(|parameter| parameter.name == subject);
            says_type && (is_parameter || assumption.text.ends_with("integer")) && !is_guess
        };
        let mut assumptions: Vec<Assumption> = self
            .entry_assumptions
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

/// A form with the names that readers see.
fn pattern(form: &Form, naming: &mut Naming) -> Pattern {
    match form {
        Form::Tensor(shape) if shape.elements().iter().any(|element| matches!(element, Element::Dim(dim) if dim.is_opaque())) => {
            // A number beyond all expressions has no name.
            let known = shape.map_dims(|dim| if dim.is_opaque() { Dim::var(Var::fresh(crate::shape::VarInfo::free("n"))) } else { dim });
            Pattern::Tensor(naming.tensor(&known))
        }
        Form::Tensor(shape) => Pattern::Tensor(naming.tensor(shape)),
        Form::Integer(dim) => Pattern::Integer(naming.dim(*dim).to_string()),
        Form::Tuple(items) => Pattern::Tuple(items.iter().map(|item| pattern(item, naming)).collect()),
        Form::List(element) => Pattern::List(Box::new(pattern(element, naming))),
        Form::Other(text) => Pattern::Other(text.clone()),
    }
}
