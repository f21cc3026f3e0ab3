//! Lowers the syntax of a rule file to rules: names resolved, nested calls flattened, types gathered.

use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use super::closed_words::{Asked, Texts};
use super::functors::{Base, Builtin, FunctorSignature};
use super::patterns::check_pattern;
use super::rule::{
    AggregateLiteral, FunctorId, Group, Literal, LiteralKind, RelationAtom, Term, TypeId, Variable, VariableId,
};
use super::scope::{NUMBER, SYMBOL, Scopes};
use super::source::{Place, Problem};
use super::syntax::{Aggregate, AggregateKind, Atom, Body, Comparison, Expression, Name};
use crate::did_you_mean::nearest;
use crate::disjunctions::{Aggregates, Signed, conjunctions, names_in_body};
use crate::foreign_syntax_hints;

/// A rule may have this many variables, those of flattened expressions included.
const MOST_VARIABLES: usize = 1000;
/// The aggregates of a rule, nested ones included, may have this many alternatives.
const MOST_GROUPS: usize = 256;

/// A constant of a program.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) enum Constant {
    Symbol(String),
    Number(i64),
}

/// The constants of a program, each once.
#[derive(Debug, Default)]
pub(super) struct Constants {
    pub list: Vec<Constant>,
    numbers: FxHashMap<Constant, usize>,
}

impl Constants {
    pub fn add(&mut self, constant: Constant) -> usize {
        if let Some(number) = self.numbers.get(&constant) {
            return *number;
        }
        self.numbers.insert(constant.clone(), self.list.len());
        self.list.push(constant);
        self.list.len() - 1
    }
}

/// Why a variable has, or must have, a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A positive atom's column gives it.
    Given,
    /// A negated atom's column or a functor's argument needs it.
    Needed,
    /// The head's column takes it.
    Taken,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Occurrence {
    pub variable: VariableId,
    pub type_id: TypeId,
    pub role: Role,
    pub place: Place,
}

/// A term with its type where that is known without its variables.
pub(super) type Typed = (Term, Option<TypeId>);

/// One rule while it is lowered.
pub(super) struct Lowering<'a> {
    pub scopes: &'a Scopes,
    pub unit: usize,
    pub custom: &'a [FunctorSignature],
    pub constants: &'a mut Constants,
    pub problems: &'a mut Vec<Problem>,
    pub variables: Vec<Variable>,
    /// Where each variable first occurs.
    pub places: Vec<Place>,
    pub occurrences: Vec<Occurrence>,
    /// Variables that an expression of this type was assigned to or compared with.
    pub equalities: Vec<(VariableId, Result<VariableId, TypeId>)>,
    /// Texts in columns, or compared with what stands there.
    pub texts: Texts,
    /// Scopes of names: the rule's, then one for each aggregate around the present place.
    names: Vec<FxHashMap<String, VariableId>>,
    /// Names of the rule outside of aggregates, which aggregates share.
    shared: Vec<FxHashSet<String>>,
    /// Alternatives of aggregates so far.
    groups: usize,
}

impl<'a> Lowering<'a> {
    pub fn new(
        scopes: &'a Scopes,
        unit: usize,
        custom: &'a [FunctorSignature],
        constants: &'a mut Constants,
        problems: &'a mut Vec<Problem>,
    ) -> Self {
        Lowering {
            scopes,
            unit,
            custom,
            constants,
            problems,
            variables: Vec::new(),
            places: Vec::new(),
            occurrences: Vec::new(),
            equalities: Vec::new(),
            texts: Texts::default(),
            names: vec![FxHashMap::default()],
            shared: Vec::new(),
            groups: 0,
        }
    }

    pub fn share(&mut self, names: FxHashSet<String>) {
        self.shared = vec![names];
    }

    fn fresh(&mut self, base: Base, place: Place) -> VariableId {
        if self.variables.len() == MOST_VARIABLES {
            let message = format!("the rule has more than {MOST_VARIABLES} variables");
            self.problems.push(Problem::error(place, message, "one too many"));
        }
        // Beyond the bound the last one is reused; the rule is refused anyway.
        if self.variables.len() < MOST_VARIABLES {
            self.variables.push(Variable { name: String::new(), base });
            self.places.push(place);
        }
        self.variables.len() - 1
    }

    /// The variable of a name: the innermost aggregate's own, unless the name occurs around the aggregate.
    fn variable(&mut self, name: &Name) -> VariableId {
        let mut level = self.names.len() - 1;
        while level > 0 && self.shared.iter().take(level).any(|names| names.contains(&name.text)) {
            level -= 1;
        }
        if let Some(variable) = self.names[level].get(&name.text) {
            return *variable;
        }
        let variable = self.fresh(Base::Symbol, name.place);
        self.variables[variable].name = name.text.clone();
        self.names[level].insert(name.text.clone(), variable);
        variable
    }

    pub fn literals(&mut self, parts: &[Signed], body: &mut Vec<Literal>) {
        for signed in parts {
            self.literal(signed, body);
        }
    }

    fn literal(&mut self, signed: &Signed, body: &mut Vec<Literal>) {
        match signed.part {
            Body::Atom(atom) => self.atom(atom, signed.negated, body),
            Body::Compare(operator, left, right, place) => {
                let operator = if signed.negated { operator.negated() } else { *operator };
                let before = self.problems.len();
                let sides = [&**left, &**right];
                let left = self.expression(left, None, body);
                let right = self.expression(right, None, body);
                if matches!(operator, Comparison::Equal | Comparison::NotEqual) {
                    self.compared_text(&left.0, sides[1]);
                    self.compared_text(&right.0, sides[0]);
                }
                if self.problems.len() == before {
                    self.compare(operator, left, right, *place, body);
                }
            }
            Body::Truth(truth) => {
                if *truth == signed.negated {
                    let place = self.places.first().copied().or(body.first().map(|literal| literal.place));
                    let place =
                        place.unwrap_or(Place { source: super::source::SourceId(self.unit as u32), start: 0, end: 0 });
                    body.push(Literal { kind: LiteralKind::Never, place });
                }
            }
            // Multiplied out before.
            Body::All(_) | Body::Any(_) | Body::Not(_) => {}
        }
    }

    /// A variable beside a text in a comparison.
    fn compared_text(&mut self, term: &Term, other: &Expression) {
        if let (Term::Variable(variable), Expression::Text(text, place)) = (term, other) {
            self.texts.of_variable(*variable, Asked::Equal, text, *place);
        }
    }

    fn compare(&mut self, operator: Comparison, left: Typed, right: Typed, place: Place, body: &mut Vec<Literal>) {
        if operator == Comparison::Equal {
            match (&left, &right) {
                ((Term::Variable(left), None), (Term::Variable(right), None)) => {
                    self.equalities.push((*left, Ok(*right)))
                }
                ((Term::Variable(variable), None), (_, Some(type_id)))
                | ((_, Some(type_id)), (Term::Variable(variable), None)) => {
                    self.equalities.push((*variable, Err(*type_id)));
                }
                _ => {}
            }
        }
        for (term, _) in [&left, &right] {
            if *term == Term::Wildcard {
                let problem = Problem::error(place, "`_` has no value to compare", "compares `_`")
                    .hint("give the value a name where it is bound");
                self.problems.push(problem);
                return;
            }
        }
        let kind = LiteralKind::Compare { operator, base: Base::Symbol, left: left.0, right: right.0 };
        body.push(Literal { kind, place });
    }

    fn atom(&mut self, atom: &Atom, negated: bool, body: &mut Vec<Literal>) {
        let Some(relation) = self.scopes.find_relation(self.unit, &atom.name.text) else {
            return self.test(atom, negated, body);
        };
        let info = &self.scopes.relations[relation.index()];
        if info.columns.len() != atom.arguments.len() {
            let problem = wrong_arity(atom, info.columns.len(), info.place, "column");
            self.problems.push(problem);
            return;
        }
        let role = if negated { Role::Needed } else { Role::Given };
        let mut later = Vec::new();
        let mut arguments = Vec::new();
        for (index, (argument, column)) in atom.arguments.iter().zip(&info.columns).enumerate() {
            let term = self.argument(argument, column.type_id, role, &mut later);
            match (argument, &term) {
                (Expression::Text(text, place), _) => self.texts.in_column((relation, index), text, *place),
                (_, Term::Variable(variable)) if !negated => self.texts.given(*variable, (relation, index)),
                _ => {}
            }
            arguments.push(term);
        }
        let atom_literal = RelationAtom { relation, arguments };
        if negated {
            body.append(&mut later);
            body.push(Literal { kind: LiteralKind::Absent(atom_literal), place: atom.place });
        } else {
            body.push(Literal { kind: LiteralKind::Atom(atom_literal), place: atom.place });
            body.append(&mut later);
        }
    }

    /// An argument of a relation: a variable, a constant or a wildcard; anything else gets a variable that equals it.
    fn argument(&mut self, argument: &Expression, type_id: TypeId, role: Role, later: &mut Vec<Literal>) -> Term {
        let base = self.scopes.base(type_id);
        let place = argument.place();
        match self.expression(argument, Some(base), later) {
            (Term::Variable(variable), None) => {
                self.occurrences.push(Occurrence { variable, type_id, role, place });
                Term::Variable(variable)
            }
            (term @ (Term::Constant(_) | Term::Wildcard), _) => term,
            (term, known) => {
                let variable = self.fresh(base, place);
                self.occurrences.push(Occurrence { variable, type_id, role, place });
                let left = (Term::Variable(variable), None);
                self.compare(Comparison::Equal, left, (term, known), place, later);
                Term::Variable(variable)
            }
        }
    }

    /// An argument of a head.
    pub fn head_argument(&mut self, argument: &Expression, type_id: TypeId, body: &mut Vec<Literal>) -> Term {
        if let Expression::Wildcard(place) = argument {
            let problem = Problem::error(*place, "`_` has no value to put into the head", "which value?")
                .hint("give the value a name in the body");
            self.problems.push(problem);
            return Term::Wildcard;
        }
        self.argument(argument, type_id, Role::Taken, body)
    }

    /// A functor that is a test, such as `match("…", x)`.
    fn test(&mut self, atom: &Atom, negated: bool, body: &mut Vec<Literal>) {
        let name = &atom.name;
        let Some((functor, signature)) = self.find_functor(&name.text) else {
            let problem = self.scopes.unknown_relation(self.unit, name);
            let problem = match (&problem.hint, nearest(&name.text, self.functor_names())) {
                (None, Some(near)) => problem.hint(format!("did you mean the functor `{near}`?")),
                _ => problem,
            };
            self.problems.push(match foreign_syntax_hints::for_name_of_test(&name.text) {
                Some(hint) => {
                    Problem::error(name.place, format!("unknown functor `{}`", name.text), "not known").hint(hint)
                }
                None => problem,
            });
            return;
        };
        if signature.result.is_some() {
            let problem =
                Problem::error(atom.place, format!("`{}` is a value, not a literal", name.text), "compare it")
                    .hint(format!("write `x = {}(…)` or another comparison", name.text));
            self.problems.push(problem);
            return;
        }
        if let Some(arguments) = self.call_arguments(functor, &signature, name, &atom.arguments, atom.place, body) {
            self.check_pattern(functor, &atom.arguments);
            if let (FunctorId::Builtin(Builtin::Match), [Term::Constant(_), Term::Variable(variable)]) =
                (functor, &arguments[..])
                && let Some(Expression::Text(pattern, place)) = atom.arguments.first()
            {
                self.texts.of_variable(*variable, Asked::Pattern, pattern, *place);
            }
            let kind = LiteralKind::Test { functor, arguments, expected: !negated };
            body.push(Literal { kind, place: atom.place });
        }
    }

    fn check_pattern(&mut self, functor: FunctorId, arguments: &[Expression]) {
        if functor == FunctorId::Builtin(Builtin::Match)
            && let Some(Expression::Text(pattern, place)) = arguments.first()
            && let Err(reason) = check_pattern(pattern)
        {
            self.problems.push(Problem::error(*place, "this is not a regular expression", reason));
        }
    }

    fn find_functor(&self, name: &str) -> Option<(FunctorId, FunctorSignature)> {
        if let Some((builtin, signature)) = Builtin::find(name) {
            return Some((FunctorId::Builtin(builtin), signature));
        }
        let index = self.custom.iter().position(|signature| signature.name == name)?;
        Some((FunctorId::Custom(index), self.custom[index].clone()))
    }

    fn functor_names(&self) -> Vec<&'a str> {
        let custom: &'a [FunctorSignature] = self.custom;
        let mut names: Vec<&'a str> = Builtin::names().collect();
        names.extend(custom.iter().map(|signature| signature.name.as_str()));
        names
    }

    fn call_arguments(
        &mut self,
        functor: FunctorId,
        signature: &FunctorSignature,
        name: &Name,
        arguments: &[Expression],
        place: Place,
        body: &mut Vec<Literal>,
    ) -> Option<Vec<Term>> {
        let expected = signature.arguments.len();
        let variadic = matches!(functor, FunctorId::Builtin(builtin) if builtin.is_variadic());
        if arguments.len() != expected && !(variadic && arguments.len() > expected) {
            let atom = Atom { name: name.clone(), arguments: arguments.to_vec(), place };
            self.problems.push(wrong_arity(&atom, expected, place, "argument"));
            return None;
        }
        let mut terms = Vec::new();
        for (index, argument) in arguments.iter().enumerate() {
            let base = signature.arguments[index.min(expected - 1)];
            let (term, _) = self.expression(argument, Some(base), body);
            match term {
                Term::Wildcard => {
                    let message = format!("`_` has no value for `{}`", name.text);
                    self.problems.push(Problem::error(argument.place(), message, "which value?"));
                }
                Term::Variable(variable) => {
                    let type_id = base_type(base);
                    let place = argument.place();
                    self.occurrences.push(Occurrence { variable, type_id, role: Role::Needed, place });
                }
                _ => {}
            }
            terms.push(term);
        }
        Some(terms)
    }

    /// A value; `expected` is the base that its place asks for. Aggregates become literals of `body`.
    pub fn expression(&mut self, expression: &Expression, expected: Option<Base>, body: &mut Vec<Literal>) -> Typed {
        let (term, type_id) = self.value(expression, body);
        if let (Some(type_id), Some(expected)) = (type_id, expected)
            && self.scopes.base(type_id) != expected
        {
            let found = self.scopes.base(type_id).name();
            let message = format!("expected a {}, found a {found}", expected.name());
            self.problems.push(Problem::error(expression.place(), message, format!("a {found}")));
        }
        (term, type_id)
    }

    fn value(&mut self, expression: &Expression, body: &mut Vec<Literal>) -> Typed {
        match expression {
            Expression::Variable(name) => (Term::Variable(self.variable(name)), None),
            Expression::Wildcard(_) => (Term::Wildcard, None),
            Expression::Number(value, _) => {
                (Term::Constant(self.constants.add(Constant::Number(*value))), Some(NUMBER))
            }
            Expression::Text(text, _) => {
                (Term::Constant(self.constants.add(Constant::Symbol(text.clone()))), Some(SYMBOL))
            }
            Expression::Call(name, arguments, place) => self.call(name, arguments, *place, body),
            Expression::Cast(inner, type_name, place) => {
                let Some(type_id) = self.scopes.find_type(self.unit, &type_name.text) else {
                    let problem = self.scopes.unknown_type(self.unit, type_name);
                    self.problems.push(problem);
                    return (Term::Wildcard, None);
                };
                let base = self.scopes.base(type_id);
                let (term, _) = self.expression(inner, Some(base), body);
                if let Term::Variable(variable) = term {
                    let type_id = base_type(base);
                    self.occurrences.push(Occurrence { variable, type_id, role: Role::Needed, place: *place });
                }
                (term, Some(type_id))
            }
            Expression::Aggregate(aggregate) => self.aggregate(aggregate, body),
        }
    }

    fn call(&mut self, name: &Name, arguments: &[Expression], place: Place, body: &mut Vec<Literal>) -> Typed {
        let unknown = (Term::Wildcard, None);
        let Some((functor, signature)) = self.find_functor(&name.text) else {
            let hint = if self.scopes.find_relation(self.unit, &name.text).is_some() {
                Some(format!("`{}` is a relation; write it as a literal of its own", name.text))
            } else if let Some(reason) = foreign_syntax_hints::for_functor(&name.text) {
                Some(reason.to_owned())
            } else if let Some(hint) = foreign_syntax_hints::for_name_of_functor(&name.text) {
                Some(hint.to_owned())
            } else {
                nearest(&name.text, self.functor_names()).map(|near| format!("did you mean `{near}`?"))
            };
            let problem =
                Problem::error(name.place, format!("unknown functor `{}`", name.text), "not known").maybe_hint(hint);
            self.problems.push(problem);
            return unknown;
        };
        let Some(result) = signature.result else {
            let problem = Problem::error(place, format!("`{}` is a test, it has no value", name.text), "not a value")
                .hint("write it as a literal of its own");
            self.problems.push(problem);
            return unknown;
        };
        match self.call_arguments(functor, &signature, name, arguments, place, body) {
            Some(arguments) => (Term::Call(functor, arguments), Some(base_type(result))),
            None => unknown,
        }
    }

    fn aggregate(&mut self, aggregate: &Aggregate, body: &mut Vec<Literal>) -> Typed {
        let bodies = conjunctions(&aggregate.body).unwrap_or_default();
        self.groups += bodies.len();
        if bodies.is_empty() || self.groups > MOST_GROUPS {
            let message = "the alternatives of this aggregate multiply to too many";
            let problem = Problem::error(aggregate.place, message, "too many")
                .hint("give a group of alternatives a relation of its own");
            self.problems.push(problem);
            return (Term::Wildcard, None);
        }
        let known = self.variables.len();
        let mut locals = FxHashSet::default();
        let groups: Vec<Group> =
            bodies.iter().map(|parts| self.group(parts, aggregate.target.as_ref(), &mut locals)).collect();
        // Shared with the rule around: what is neither named here nor made for an expression here.
        let mut outer = Vec::new();
        let mut see = |variable: VariableId, variables: &[Variable]| {
            let made_here = variable >= known && variables[variable].name.is_empty();
            if !locals.contains(&variable) && !made_here && !outer.contains(&variable) {
                outer.push(variable);
            }
        };
        for group in &groups {
            for literal in &group.body {
                literal.variables(&mut |variable| see(variable, &self.variables));
            }
            if let Some(target) = &group.target {
                target.variables(&mut |variable| see(variable, &self.variables));
            }
        }
        let result = self.fresh(Base::Number, aggregate.place);
        self.equalities.push((result, Err(NUMBER)));
        let kind: AggregateKind = aggregate.kind;
        let kind = LiteralKind::Aggregate(AggregateLiteral { kind, groups, result, outer });
        body.push(Literal { kind, place: aggregate.place });
        (Term::Variable(result), Some(NUMBER))
    }

    /// One alternative of an aggregate; the variables that are its own join `locals`.
    fn group(&mut self, parts: &[Signed], target: Option<&Expression>, locals: &mut FxHashSet<VariableId>) -> Group {
        self.names.push(FxHashMap::default());
        let mut own = FxHashSet::default();
        for signed in parts {
            names_in_body(signed.part, Aggregates::Skipped, &mut |name| {
                own.insert(name.text.clone());
            });
        }
        self.shared.push(own);
        let mut body = Vec::new();
        self.literals(parts, &mut body);
        let target = target.map(|target| {
            let (term, _) = self.expression(target, Some(Base::Number), &mut body);
            if let Term::Variable(variable) = term {
                let place = target.place();
                self.occurrences.push(Occurrence { variable, type_id: NUMBER, role: Role::Needed, place });
            }
            term
        });
        self.shared.pop();
        locals.extend(self.names.pop().into_iter().flatten().map(|(_, variable)| variable));
        Group { body, target }
    }
}

pub(super) fn base_type(base: Base) -> TypeId {
    match base {
        Base::Symbol => SYMBOL,
        Base::Number => NUMBER,
    }
}

pub(super) fn wrong_arity(atom: &Atom, expected: usize, declared: Place, what: &str) -> Problem {
    let count = |number: usize| format!("{number} {what}{}", if number == 1 { "" } else { "s" });
    let message = format!("`{}` has {}, not {}", atom.name.text, count(expected), atom.arguments.len());
    let problem = Problem::error(atom.place, message, format!("{} given", atom.arguments.len()));
    if declared == atom.place { problem } else { problem.note(declared, "declared here") }
}
