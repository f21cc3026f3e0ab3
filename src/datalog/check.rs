//! Clauses to checked rules: types agree, every variable is bound, none is written once only.

use rustc_hash::{FxHashMap, FxHashSet};

use super::closed_words::AskedText;
use super::functors::{Base, Builtin, FunctorSignature};
use super::lower::{Constant, Constants, Lowering, Role, base_type, wrong_arity};
use super::query::clause_types;
use super::rule::{FunctorId, Literal, LiteralKind, Rule, Term, TypeId, Variable, VariableId};
use super::scope::Scopes;
use super::source::{Place, Problem};
use super::syntax::{Atom, Clause, Comparison, Expression, Name};
use crate::did_you_mean::nearest;
use crate::disjunctions::{Aggregates, Signed, conjunctions, names_in_body, names_in_expression};

/// The rules of all files, and the constants in them.
#[derive(Default)]
pub(super) struct Checked {
    pub rules: Vec<Rule>,
    pub constants: Constants,
    pub problems: Vec<Problem>,
    pub texts: Vec<AskedText>,
    /// Literals and arguments so far.
    size: usize,
}

/// A program may have this many literals and arguments after alternatives and heads are multiplied out.
const LARGEST_PROGRAM: usize = 500_000;
/// After this many problems no more rules are looked at.
const MOST_PROBLEMS: usize = 200;

pub(super) fn check(scopes: &Scopes, custom: &[FunctorSignature]) -> Checked {
    let mut checked = Checked::default();
    for (unit, content) in scopes.units.iter().enumerate() {
        for name in &content.file.functors {
            if !custom.iter().any(|signature| signature.name == name.text) {
                let problem =
                    Problem::error(name.place, format!("there is no functor `{}`", name.text), "not supplied");
                checked.problems.push(problem);
            }
        }
        for clause in &content.file.clauses {
            if checked.problems.len() >= MOST_PROBLEMS {
                return checked;
            }
            check_clause(scopes, unit, custom, clause, &mut checked);
        }
    }
    checked
}

fn check_clause(scopes: &Scopes, unit: usize, custom: &[FunctorSignature], clause: &Clause, checked: &mut Checked) {
    let bodies = match &clause.body {
        None => vec![Vec::new()],
        Some(body) => match conjunctions(body) {
            Some(bodies) => bodies,
            None => {
                let problem =
                    Problem::error(clause.place, "the alternatives of this rule multiply to too many", "too many")
                        .hint("give a group of alternatives a relation of its own");
                checked.problems.push(problem);
                return;
            }
        },
    };
    let literals: usize = bodies.iter().map(|body| body.len() + 1).sum();
    let arguments: usize = clause.heads.iter().map(|head| head.arguments.len() + 1).sum();
    checked.size += literals * clause.heads.len() + arguments * bodies.len();
    if checked.size > LARGEST_PROGRAM {
        let problem = Problem::error(clause.place, "the rules are too many", "one too many");
        checked.problems.extend((checked.size < usize::MAX / 2).then_some(problem));
        checked.size = usize::MAX / 2;
        return;
    }
    let before = checked.problems.len();
    for head in &clause.heads {
        for body in &bodies {
            check_rule(scopes, unit, custom, clause, head, body, checked);
        }
    }
    if checked.problems.len() == before {
        unused_variables(clause, &mut checked.problems);
    }
}

fn check_rule(
    scopes: &Scopes,
    unit: usize,
    custom: &[FunctorSignature],
    clause: &Clause,
    head: &Atom,
    parts: &[Signed],
    checked: &mut Checked,
) {
    let Some(relation) = scopes.find_relation(unit, &head.name.text) else {
        checked.problems.push(undeclared_head(scopes, unit, custom, clause, head));
        return;
    };
    let info = &scopes.relations[relation.index()];
    if !scopes.owns(unit, relation) {
        let problem = Problem::error(
            head.name.place,
            format!("`{}` is declared elsewhere", head.name.text),
            "no rules for it here",
        )
        .note(info.place, "declared here")
        .hint("a relation's rules stand in the file that declares it; declare one of another name");
        checked.problems.push(problem);
        return;
    }
    if info.columns.len() != head.arguments.len() {
        checked.problems.push(wrong_arity(head, info.columns.len(), info.place, "column"));
        return;
    }
    let before = checked.problems.len();
    let mut lowering = Lowering::new(scopes, unit, custom, &mut checked.constants, &mut checked.problems);
    lowering.share(outer_names(clause));
    let mut body = Vec::new();
    lowering.literals(parts, &mut body);
    let mut arguments = Vec::new();
    for (index, (argument, column)) in head.arguments.iter().zip(&info.columns).enumerate() {
        let term = lowering.head_argument(argument, column.type_id, &mut body);
        if let Expression::Text(text, place) = argument {
            lowering.texts.in_column((relation, index), text, *place);
        }
        arguments.push(term);
    }
    let types = resolve_types(&mut lowering);
    let Lowering { mut variables, places, texts, .. } = lowering;
    if checked.problems.len() > before {
        return;
    }
    for (variable, type_id) in variables.iter_mut().zip(&types) {
        variable.base = type_id.map_or(Base::Symbol, |type_id| scopes.base(type_id));
    }
    let unbound = unbound_variables(&arguments, &body, variables.len());
    for variable in unbound.into_iter().filter(|variable| !variables[*variable].name.is_empty()) {
        let name = &variables[variable].name;
        let others = variables.iter().map(|other| other.name.as_str()).filter(|other| !other.is_empty());
        let hint = match nearest(name, others) {
            Some(near) if name.len() > 2 => format!("did you mean `{near}`?"),
            _ => format!("`{name}` must occur in a positive literal, or equal an expression of bound variables"),
        };
        let problem =
            Problem::error(places[variable], format!("the variable `{name}` is not bound"), "has no value").hint(hint);
        checked.problems.push(problem);
    }
    if checked.problems.len() > before {
        return;
    }
    let context = Context { variables: &variables, constants: &checked.constants, custom };
    compare_bases(&mut body, &context, &mut checked.problems);
    checked.texts.extend(texts.check(scopes, &mut checked.problems));
    if checked.problems.len() == before {
        checked.rules.push(Rule {
            head: relation,
            arguments,
            body,
            variables,
            place: clause.place,
            head_place: head.place,
        });
    }
}

/// A rule for a relation that nobody declares, with the declaration that its body asks for.
fn undeclared_head(scopes: &Scopes, unit: usize, custom: &[FunctorSignature], clause: &Clause, head: &Atom) -> Problem {
    let name = &head.name;
    let problem =
        Problem::error(name.place, format!("the rule is for `{}`, which is not declared", name.text), "not declared");
    if Builtin::find(&name.text).is_some() || custom.iter().any(|signature| signature.name == name.text) {
        return problem.hint(format!("`{}` is the name of a functor; choose another one", name.text));
    }
    let types = clause_types(scopes, unit, custom, clause, head).into_iter().next().unwrap_or_default();
    let columns = head.arguments.iter().zip(types).enumerate().map(|(number, (argument, type_id))| {
        let type_name = scopes.type_name(type_id);
        match argument {
            Expression::Variable(column) => format!("{}: {type_name}", column.text),
            _ => format!("column{}: {type_name}", number + 1),
        }
    });
    let declaration = format!("declare it: `.decl {}({})`", name.text, columns.collect::<Vec<_>>().join(", "));
    let own = scopes.relations.iter().filter(|info| info.place.source == name.place.source);
    match nearest(&name.text, own.map(|info| info.name.as_str())) {
        Some(near) => problem.hint(format!("did you mean `{near}`? Otherwise {declaration}")),
        None => problem.hint(declaration),
    }
}

/// Names of a clause outside of its aggregates.
pub(super) fn outer_names(clause: &Clause) -> FxHashSet<String> {
    let mut names = FxHashSet::default();
    for head in &clause.heads {
        for argument in &head.arguments {
            names_in_expression(argument, Aggregates::Skipped, &mut |name| {
                names.insert(name.text.clone());
            });
        }
    }
    if let Some(body) = &clause.body {
        names_in_body(body, Aggregates::Skipped, &mut |name| {
            names.insert(name.text.clone());
        });
    }
    names
}

fn with_article(type_name: &str) -> String {
    let article = if type_name.starts_with(['A', 'E', 'I', 'O', 'a', 'e', 'i', 'o']) { "an" } else { "a" };
    format!("{article} `{type_name}`")
}

/// The narrowest type that the positive literals and equalities give to each variable.
pub(super) fn resolve_types(lowering: &mut Lowering) -> Vec<Option<TypeId>> {
    let scopes = lowering.scopes;
    let mut types: Vec<Option<(TypeId, Place)>> = vec![None; lowering.variables.len()];
    let clash = |variable: VariableId, left: (TypeId, Place), right: (TypeId, Place), variables: &[Variable]| {
        let name = match variables[variable].name.as_str() {
            "" => "the expression".to_owned(),
            name => format!("`{name}`"),
        };
        let (left_name, right_name) = (scopes.type_name(left.0), scopes.type_name(right.0));
        let (left_name, right_name) = (with_article(left_name), with_article(right_name));
        let message = format!("{name} is {left_name} and cannot be {right_name}");
        Problem::error(right.1, message, format!("{right_name} here")).note(left.1, format!("{left_name} here"))
    };
    for occurrence in lowering.occurrences.iter().filter(|occurrence| occurrence.role == Role::Given) {
        let here = (occurrence.type_id, occurrence.place);
        let known = types[occurrence.variable];
        types[occurrence.variable] = match known {
            None => Some(here),
            Some(known) => match scopes.narrower(known.0, here.0) {
                Some(narrow) if narrow == known.0 => Some(known),
                Some(_) => Some(here),
                None => {
                    lowering.problems.push(clash(occurrence.variable, known, here, &lowering.variables));
                    Some(known)
                }
            },
        };
    }
    // Types travel along equalities; each pass settles at least one variable.
    for _ in 0..=lowering.variables.len() {
        let mut changed = false;
        for (variable, other) in &lowering.equalities {
            let place = lowering.places[*variable];
            match other {
                Err(type_id) => {
                    changed |= types[*variable].is_none();
                    types[*variable].get_or_insert((*type_id, place));
                }
                Ok(other) => {
                    let (left, right) = (types[*variable], types[*other]);
                    changed |= left.is_some() != right.is_some();
                    types[*variable] = left.or(right);
                    types[*other] = right.or(left);
                }
            }
        }
        if !changed {
            break;
        }
    }
    for occurrence in lowering.occurrences.iter().filter(|occurrence| occurrence.role != Role::Given) {
        let Some(known) = types[occurrence.variable] else { continue };
        let fits = match occurrence.role {
            // Base types ask for a value of that base only.
            _ if occurrence.type_id == base_type(scopes.base(occurrence.type_id)) => {
                scopes.base(known.0) == scopes.base(occurrence.type_id)
            }
            Role::Taken if lowering.variables[occurrence.variable].name.is_empty() => {
                scopes.narrower(known.0, occurrence.type_id).is_some()
            }
            Role::Taken => scopes.is_subtype(known.0, occurrence.type_id),
            _ => scopes.narrower(known.0, occurrence.type_id).is_some(),
        };
        if !fits {
            let here = (occurrence.type_id, occurrence.place);
            let mut problem = clash(occurrence.variable, known, here, &lowering.variables);
            if scopes.narrower(known.0, here.0).is_some() {
                let name = &lowering.variables[occurrence.variable].name;
                problem =
                    problem.hint(format!("where it surely is one, write `as({name}, {})`", scopes.type_name(here.0)));
            }
            lowering.problems.push(problem);
        }
    }
    types.into_iter().map(|known| known.map(|(type_id, _)| type_id)).collect()
}

struct Context<'a> {
    variables: &'a [Variable],
    constants: &'a Constants,
    custom: &'a [FunctorSignature],
}

impl Context<'_> {
    fn base(&self, term: &Term) -> Base {
        match term {
            Term::Variable(variable) => self.variables[*variable].base,
            Term::Constant(constant) => match self.constants.list[*constant] {
                Constant::Symbol(_) => Base::Symbol,
                Constant::Number(_) => Base::Number,
            },
            Term::Wildcard => Base::Symbol,
            Term::Call(functor, _) => match functor {
                FunctorId::Builtin(builtin) => builtin.result(),
                FunctorId::Custom(index) => self.custom[*index].result.unwrap_or(Base::Symbol),
            },
        }
    }
}

/// Settles what comparisons compare.
fn compare_bases(body: &mut [Literal], context: &Context, problems: &mut Vec<Problem>) {
    for literal in body {
        let place = literal.place;
        match &mut literal.kind {
            LiteralKind::Compare { base, left, right, .. } => {
                let (left, right) = (context.base(left), context.base(right));
                *base = left;
                if left != right {
                    let message = format!("a {} is compared with a {}", left.name(), right.name());
                    problems.push(Problem::error(place, message, "never equal"));
                }
            }
            LiteralKind::Aggregate(aggregate) => {
                aggregate.groups.iter_mut().for_each(|group| compare_bases(&mut group.body, context, problems));
            }
            _ => {}
        }
    }
}

/// Variables without a value, those of aggregates included.
fn unbound_variables(arguments: &[Term], body: &[Literal], count: usize) -> Vec<VariableId> {
    let mut bound = vec![false; count];
    bind(body, &mut bound);
    let mut unbound = Vec::new();
    let mut see = |variable: VariableId, bound: &[bool]| {
        if !bound[variable] && !unbound.contains(&variable) {
            unbound.push(variable);
        }
    };
    arguments.iter().for_each(|argument| argument.variables(&mut |variable| see(variable, &bound)));
    let mut waiting: Vec<(&[Literal], Option<&Term>, Vec<bool>)> = vec![(body, None, bound.clone())];
    while let Some((body, target, bound)) = waiting.pop() {
        if let Some(target) = target {
            target.variables(&mut |variable| see(variable, &bound));
        }
        for literal in body {
            literal.variables(&mut |variable| see(variable, &bound));
            if let LiteralKind::Aggregate(aggregate) = &literal.kind {
                for group in &aggregate.groups {
                    let mut inner = bound.clone();
                    bind(&group.body, &mut inner);
                    waiting.push((&group.body, group.target.as_ref(), inner));
                }
            }
        }
    }
    unbound
}

/// Marks what the literals of a body bind, until nothing is added.
fn bind(body: &[Literal], bound: &mut [bool]) {
    loop {
        let mut changed = false;
        let mut set = |variable: VariableId, bound: &mut [bool]| {
            changed |= !bound[variable];
            bound[variable] = true;
        };
        for literal in body {
            match &literal.kind {
                LiteralKind::Atom(atom) => {
                    atom.arguments.iter().for_each(|argument| argument.variables(&mut |variable| set(variable, bound)));
                }
                LiteralKind::Compare { operator: Comparison::Equal, left, right, .. } => {
                    for (target, value) in [(left, right), (right, left)] {
                        if let Term::Variable(variable) = target
                            && all_bound(value, bound)
                        {
                            set(*variable, bound);
                        }
                    }
                }
                LiteralKind::Aggregate(aggregate) if aggregate.outer.iter().all(|variable| bound[*variable]) => {
                    set(aggregate.result, bound);
                }
                _ => {}
            }
        }
        if !changed {
            return;
        }
    }
}

pub(super) fn all_bound(term: &Term, bound: &[bool]) -> bool {
    let mut all = true;
    term.variables(&mut |variable| all &= bound[variable]);
    all
}

/// A name that is written once is most likely misspelt.
fn unused_variables(clause: &Clause, problems: &mut Vec<Problem>) {
    let mut seen: Vec<(&str, Place)> = Vec::new();
    let mut counts: FxHashMap<&str, usize> = FxHashMap::default();
    let names = all_names(clause);
    for name in &names {
        let count = counts.entry(&name.text).or_insert(0);
        *count += 1;
        if *count == 1 {
            seen.push((&name.text, name.place));
        }
    }
    for (name, place) in &seen {
        if counts.get(name) != Some(&1) || name.starts_with('_') {
            continue;
        }
        let near = nearest(name, seen.iter().map(|(other, _)| *other)).filter(|_| name.len() > 2);
        let hint = match near {
            Some(near) => format!("did you mean `{near}`? If its value does not matter, write `_`"),
            None => "where its value does not matter, write `_`".to_owned(),
        };
        problems
            .push(Problem::error(*place, format!("the variable `{name}` is not used"), "occurs only here").hint(hint));
    }
}

fn all_names(clause: &Clause) -> Vec<&Name> {
    let mut names = Vec::new();
    for head in &clause.heads {
        for argument in &head.arguments {
            names_in_expression(argument, Aggregates::Entered, &mut |name| names.push(name));
        }
    }
    if let Some(body) = &clause.body {
        names_in_body(body, Aggregates::Entered, &mut |name| names.push(name));
    }
    names
}
