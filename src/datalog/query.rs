//! Queries: a body, or rules whose heads need no declaration, over a schema and rule files whose relations it may name.

use std::collections::BTreeSet;

use super::check::{outer_names, resolve_types};
use super::closed_words::ClosedWords;
use super::functors::{FunctorSignature, Functors};
use super::lexer::Token;
use super::lower::{Constants, Lowering};
use super::metadata::Documentation;
use super::parser::{Parsed, Parser};
use super::program::Program;
use super::rule::{Column, RelationId, RelationInfo, Rule, Term, TypeId, uses};
use super::scope::{MOST_COLUMNS, SYMBOL, Scopes, among};
use super::source::{Diagnostic, Place, Problem, Source, SourceId};
use super::syntax::{Atom, Body, Clause, Expression, File, Name};
use crate::disjunctions::{Aggregates, conjunctions, names_in_body};

/// The name of the relation that a body's answers make up. No rule can be written for it.
pub(super) const ANSWER: &str = "the query";

/// A question over the relations of a program.
#[derive(Clone, Debug)]
pub struct Query {
    /// The question as it was typed, and what messages call it.
    pub source: Source,
    /// The relations of rule files that it may name; those of the schema it sees anyway.
    pub names: Vec<VisibleName>,
}

/// A name for a relation that a rule file declares. It may have parts: `acme/host-copy.in_loop`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VisibleName {
    /// As the query may write it.
    pub name: String,
    /// The name of the source that declares it.
    pub source: String,
    /// As the source calls it.
    pub relation: String,
}

impl<'f> Program<'f> {
    /// Compiles a query together with the rules that it depends on; the other rules are checked and left out. The relation holds
    /// the answers. Of a query of several rules, it is the head of the last one.
    pub fn compile_query(
        schema: &[Source],
        rules: &[Source],
        query: &Query,
        functors: &'f dyn Functors,
    ) -> Result<(Program<'f>, RelationId), Vec<Diagnostic>> {
        let signatures = functors.signatures();
        let sources = schema.iter().chain(rules);
        let mut resolver = |from: &str, path: &str| among(sources.clone(), from, path);
        let mut scopes = Scopes::load_with(schema, rules, Some(query), &mut resolver);
        let unit = schema.len() + rules.len();
        declare_heads(&mut scopes, unit, &signatures);
        let asked = scopes.units[unit].file.clauses.last().and_then(|clause| clause.heads.first());
        let asked = asked.and_then(|head| scopes.find_relation(unit, &head.name.text));
        let program = Program::check_and_order(scopes, functors, asked)?;
        match asked {
            Some(asked) => Ok((program, asked)),
            // Without an answer there was a problem.
            None => Err(program.warnings),
        }
    }
}

/// Reads a query: a body where it has neither `:-` nor directives, else a rule file.
pub(super) fn parse_query(source: SourceId, query: &Query) -> (File, Vec<Problem>) {
    let mut parser = Parser::new(source, &query.source.text);
    let end = Place { source, start: 0, end: 0 };
    if parser.peek().is_none() && parser.problems.is_empty() {
        return (File::default(), vec![asks_nothing(end, "the query is empty")]);
    }
    parser.join_names(|name| {
        let pack = |name: &str| name.split('/').next().map(str::to_owned);
        query.names.iter().any(|known| known.name.contains('/') && pack(&known.name) == pack(name))
    });
    if parser.tokens.iter().any(|(token, ..)| matches!(token, Token::If | Token::Directive)) {
        let (file, mut problems) = parser.file();
        if file.clauses.is_empty() && problems.is_empty() {
            problems.push(asks_nothing(end, "the query has no rules"));
        }
        return (file, problems);
    }
    let mut file = File::default();
    match body_clause(&mut parser) {
        Ok(clause) => file.clauses.push(clause),
        Err(problem) if parser.problems.is_empty() => parser.problems.push(*problem),
        // What the lexer could not read explains what the parser missed.
        Err(_) => {}
    }
    (file, parser.problems)
}

fn asks_nothing(place: Place, message: &str) -> Problem {
    Problem::error(place, message, "nothing is asked").hint("for example `inside(s, l), call(e, s, api)`")
}

/// `the query(x, y) :- body`, with the named variables of the body.
fn body_clause(parser: &mut Parser) -> Parsed<Clause> {
    let start = parser.here();
    let body = parser.body()?;
    parser.eat(Token::Dot);
    let place = start.to(parser.previous());
    if parser.peek().is_some() {
        return Err(parser.unexpected("expected `,`, `;` or the end of the query"));
    }
    Ok(Clause { heads: vec![answer(&body, place)], body: Some(body), place })
}

fn answer(body: &Body, place: Place) -> Atom {
    let mut arguments: Vec<Expression> = Vec::new();
    let mut seen = BTreeSet::new();
    names_in_body(body, Aggregates::Skipped, &mut |name| {
        if !name.text.starts_with('_') && seen.insert(name.text.clone()) {
            arguments.push(Expression::Variable(name.clone()));
        }
    });
    Atom { name: Name { text: ANSWER.to_owned(), place }, arguments, place }
}

/// Declares the heads that nobody declared, with the types that their bodies give. A rule waits until what it uses has types, so of a
/// recursion the rules that end it tell the types.
fn declare_heads(scopes: &mut Scopes, unit: usize, custom: &[FunctorSignature]) {
    let clauses = scopes.units[unit].file.clauses.clone();
    loop {
        let mut waiting: Vec<&Atom> = Vec::new();
        for head in clauses.iter().flat_map(|clause| &clause.heads) {
            let is_new = !waiting.iter().any(|other| other.name.text == head.name.text);
            if is_new && scopes.find_relation(unit, &head.name.text).is_none() {
                waiting.push(head);
            }
        }
        let names: BTreeSet<&str> = waiting.iter().map(|head| head.name.text.as_str()).collect();
        let types_of = |without: &BTreeSet<&str>| {
            waiting.iter().find_map(|head| Some((*head, head_types(scopes, unit, custom, &clauses, head, without)?)))
        };
        // Where every rule waits for another, the other literals tell the types, so that the mistake is told and not its consequence.
        let told = waiting.iter().any(|head| {
            let own = |clause: &&Clause| clause.heads.iter().any(|own| own.name.text == head.name.text);
            clauses
                .iter()
                .filter(own)
                .any(|clause| clause.body.as_ref().is_some_and(|body| has_other_atom(body, &names)))
        });
        let found = types_of(&names).or_else(|| if told { types_of(&BTreeSet::new()) } else { None });
        let Some((head, types)) = found else { return };
        declare(scopes, unit, head, &types);
    }
}

/// The types of a head's columns, by all rules for it that use none of the names that wait.
fn head_types(
    scopes: &Scopes,
    unit: usize,
    custom: &[FunctorSignature],
    clauses: &[Clause],
    head: &Atom,
    waiting: &BTreeSet<&str>,
) -> Option<Vec<TypeId>> {
    let mut types: Option<Vec<TypeId>> = None;
    for clause in clauses {
        if clause.body.as_ref().is_some_and(|body| uses_any(body, waiting)) {
            continue;
        }
        for own in clause.heads.iter().filter(|own| own.name.text == head.name.text) {
            for found in clause_types(scopes, unit, custom, clause, own) {
                types = Some(match types {
                    Some(known) if known.len() == found.len() => {
                        known.iter().zip(found).map(|(left, right)| scopes.wider(*left, right)).collect()
                    }
                    Some(known) => known,
                    None => found,
                });
            }
        }
    }
    types
}

/// The types that each alternative of a clause gives to the columns of a head.
pub(super) fn clause_types(
    scopes: &Scopes,
    unit: usize,
    custom: &[FunctorSignature],
    clause: &Clause,
    head: &Atom,
) -> Vec<Vec<TypeId>> {
    let bodies = match &clause.body {
        None => vec![Vec::new()],
        Some(body) => conjunctions(body).unwrap_or_default(),
    };
    let types = bodies.iter().map(|parts| {
        // What is wrong here is found again, and told, when the rule is checked.
        let (mut constants, mut problems) = (Constants::default(), Vec::new());
        let mut lowering = Lowering::new(scopes, unit, custom, &mut constants, &mut problems);
        lowering.share(outer_names(clause));
        let mut literals = Vec::new();
        lowering.literals(parts, &mut literals);
        let terms: Vec<_> =
            head.arguments.iter().map(|argument| lowering.expression(argument, None, &mut literals)).collect();
        let variables = resolve_types(&mut lowering);
        let type_of = |(term, known): (Term, Option<TypeId>)| match (term, known) {
            (_, Some(type_id)) => type_id,
            (Term::Variable(variable), None) => variables[variable].unwrap_or(SYMBOL),
            _ => SYMBOL,
        };
        terms.into_iter().map(type_of).collect()
    });
    types.collect()
}

/// Whether rows of a relation that does not wait are asked for.
fn has_other_atom(body: &Body, names: &BTreeSet<&str>) -> bool {
    match body {
        Body::All(parts) | Body::Any(parts) => parts.iter().any(|part| has_other_atom(part, names)),
        Body::Atom(atom) => !names.contains(atom.name.text.as_str()),
        Body::Not(_) | Body::Compare(..) | Body::Truth(_) => false,
    }
}

fn uses_any(body: &Body, names: &BTreeSet<&str>) -> bool {
    match body {
        Body::All(parts) | Body::Any(parts) => parts.iter().any(|part| uses_any(part, names)),
        Body::Not(part) => uses_any(part, names),
        Body::Atom(atom) => {
            names.contains(atom.name.text.as_str()) || atom.arguments.iter().any(|it| aggregates_over(it, names))
        }
        Body::Compare(_, left, right, _) => aggregates_over(left, names) || aggregates_over(right, names),
        Body::Truth(_) => false,
    }
}

fn aggregates_over(expression: &Expression, names: &BTreeSet<&str>) -> bool {
    match expression {
        Expression::Aggregate(aggregate) => uses_any(&aggregate.body, names),
        Expression::Call(_, arguments, _) => arguments.iter().any(|argument| aggregates_over(argument, names)),
        Expression::Cast(inner, ..) => aggregates_over(inner, names),
        _ => false,
    }
}

fn declare(scopes: &mut Scopes, unit: usize, head: &Atom, types: &[TypeId]) {
    if types.len() > MOST_COLUMNS {
        let message = format!("the answers have more than {MOST_COLUMNS} columns");
        let problem = Problem::error(head.place, message, "too many").hint("write `_` for values that do not matter");
        scopes.problems.push(problem);
    }
    let mut columns: Vec<Column> = Vec::new();
    for (number, (argument, type_id)) in head.arguments.iter().zip(types).enumerate() {
        let name = match argument {
            Expression::Variable(name) if columns.iter().all(|other| other.name != name.text) => name.text.clone(),
            _ => format!("column {}", number + 1),
        };
        let type_name = scopes.type_name(*type_id).to_owned();
        let (base, words) = (scopes.base(*type_id), ClosedWords::default());
        columns.push(Column { name, type_id: *type_id, type_name, base, words });
    }
    let name = head.name.text.clone();
    let documentation = Documentation::default();
    let info = RelationInfo { name: name.clone(), columns, documentation, input: false, place: head.name.place };
    scopes.declare(unit, name, info);
}

/// The rules that the rows of some relations come from.
pub(super) fn needed_for(relations: &[RelationId], rules: Vec<Rule>) -> Vec<Rule> {
    let mut needed: BTreeSet<RelationId> = relations.iter().copied().collect();
    loop {
        let before = needed.len();
        for rule in &rules {
            if needed.contains(&rule.head) {
                uses(&rule.body, &mut |used, _, _| {
                    needed.insert(used);
                });
            }
        }
        if needed.len() == before {
            return rules.into_iter().filter(|rule| needed.contains(&rule.head)).collect();
        }
    }
}
