//! A second evaluator, as simple as can be: it tries every row for every literal until nothing is added. Random programs for
//! it and for the engine come from a list of choices, so that failures shrink.

use std::collections::BTreeSet;
use std::fmt::Write;

/// Numbers chosen by the test's generator; 0 when they run out.
pub(super) struct Choices {
    bytes: Vec<u8>,
    at: usize,
}

impl Choices {
    pub fn new(bytes: Vec<u8>) -> Self {
        Choices { bytes, at: 0 }
    }

    pub fn pick(&mut self, below: usize) -> usize {
        self.at += 1;
        self.bytes.get(self.at - 1).map_or(0, |byte| *byte as usize % below)
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Term {
    Variable(usize),
    Constant(i64),
    Wildcard,
}

#[derive(Clone, Debug)]
pub(super) struct Atom {
    pub relation: usize,
    pub terms: Vec<Term>,
}

#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub head: Atom,
    pub positive: Vec<Atom>,
    pub negative: Vec<Atom>,
    /// `left < right`, or `left != right`.
    pub comparison: Option<(Term, bool, Term)>,
    /// More rows than this fit the atoms, counted together; or exactly as many.
    pub count: Option<(Vec<Atom>, bool, usize)>,
}

/// Relations 0 to 2 are given: `e0(a, b)`, `e1(a)`, and the open `e2(a, b)`. The others are derived, two to a level.
#[derive(Clone, Debug)]
pub(super) struct RandomProgram {
    pub rules: Vec<Rule>,
}

pub(super) const GIVEN: [usize; 3] = [2, 1, 2];
pub(super) const ARITIES: [usize; 9] = [2, 1, 2, 2, 1, 2, 1, 3, 0];
pub(super) const OPEN: usize = 2;
const VALUES: usize = 5;

pub(super) type Rows = Vec<BTreeSet<Vec<i64>>>;

fn level(relation: usize) -> usize {
    if relation < GIVEN.len() { 0 } else { (relation - GIVEN.len()) / 2 + 1 }
}

/// What rules may negate.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Negation {
    /// Anything of a lower level.
    Lower,
    /// `e1` and the open `e2` only.
    Given,
}

impl RandomProgram {
    pub fn new(choices: &mut Choices, negation: Negation) -> Self {
        let derived = ARITIES.len() - GIVEN.len();
        let mut rules = Vec::new();
        // Each relation has a rule over given ones, so that few are empty.
        for relation in 0..derived {
            rules.push(rule(choices, negation, GIVEN.len() + relation, true));
        }
        for _ in 0..2 + choices.pick(8) {
            let head = GIVEN.len() + choices.pick(derived);
            rules.push(rule(choices, negation, head, false));
        }
        RandomProgram { rules }
    }

    /// The program as the engine reads it.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (relation, arity) in ARITIES.iter().enumerate() {
            let columns: Vec<String> = (0..*arity).map(|column| format!("c{column}: number")).collect();
            if relation == OPEN {
                text.push_str("/// @open\n");
            }
            let _ = writeln!(text, ".decl {}({})", name(relation), columns.join(", "));
            if relation < GIVEN.len() {
                let _ = writeln!(text, ".input {}", name(relation));
            }
        }
        for rule in &self.rules {
            let mut body: Vec<String> = rule.positive.iter().map(atom_text).collect();
            body.extend(rule.negative.iter().map(|atom| format!("!{}", atom_text(atom))));
            if let Some((left, less, right)) = rule.comparison {
                let sign = if less { "<" } else { "!=" };
                body.push(format!("{} {sign} {}", term_text(left), term_text(right)));
            }
            if let Some((atoms, more, number)) = &rule.count {
                let sign = if *more { ">" } else { "=" };
                let group: Vec<String> = atoms.iter().map(atom_text).collect();
                body.push(format!("count : {{ {} }} {sign} {number}", group.join("; ")));
            }
            let _ = writeln!(text, "{} :- {}.", atom_text(&rule.head), body.join(", "));
        }
        text
    }

    /// Whether some rule negates a derived relation over an open one, or over one with assumptions.
    pub fn negates_derived(&self) -> bool {
        self.rules.iter().any(|rule| {
            rule.negative.iter().any(|atom| atom.relation >= GIVEN.len() && self.reaches(atom.relation, OPEN))
        })
    }

    /// Whether some rule uses its own relation, directly or through others.
    pub fn is_recursive(&self) -> bool {
        self.rules.iter().any(|rule| rule.positive.iter().any(|atom| self.reaches(atom.relation, rule.head.relation)))
    }

    pub fn aggregates(&self) -> bool {
        self.rules.iter().any(|rule| rule.count.as_ref().is_some_and(|(atoms, ..)| atoms[0].relation >= GIVEN.len()))
    }

    /// Whether the rows of one relation are made from those of another, or are the same.
    fn reaches(&self, from: usize, to: usize) -> bool {
        let mut reached = vec![from];
        let mut next = 0;
        while let Some(relation) = reached.get(next).copied() {
            for rule in self.rules.iter().filter(|rule| rule.head.relation == relation) {
                for atom in rule.positive.iter().chain(&rule.negative) {
                    if !reached.contains(&atom.relation) {
                        reached.push(atom.relation);
                    }
                }
            }
            next += 1;
        }
        reached.contains(&to)
    }

    pub fn evaluate(&self, facts: &Rows) -> Rows {
        let mut rows = facts.clone();
        rows.resize(ARITIES.len(), BTreeSet::new());
        for stratum in 1..=level(ARITIES.len() - 1) {
            loop {
                let mut new = Vec::new();
                for rule in self.rules.iter().filter(|rule| level(rule.head.relation) == stratum) {
                    matches(rule, 0, &mut [None; 4], &rows, &mut |values| {
                        let row = rule.head.terms.iter().map(|term| value(*term, values).unwrap_or(0));
                        new.push((rule.head.relation, row.collect::<Vec<i64>>()));
                    });
                }
                let before: usize = rows.iter().map(BTreeSet::len).sum();
                new.into_iter().for_each(|(relation, row)| {
                    rows[relation].insert(row);
                });
                if rows.iter().map(BTreeSet::len).sum::<usize>() == before {
                    break;
                }
            }
        }
        rows
    }
}

fn matches(
    rule: &Rule,
    at: usize,
    values: &mut [Option<i64>; 4],
    rows: &Rows,
    each: &mut impl FnMut(&[Option<i64>; 4]),
) {
    let Some(atom) = rule.positive.get(at) else {
        let negated = rule.negative.iter().any(|atom| rows[atom.relation].iter().any(|row| fits(atom, row, values)));
        let compares = rule.comparison.is_none_or(|(left, less, right)| {
            let (left, right) = (value(left, values), value(right, values));
            if less { left < right } else { left != right }
        });
        let counts = rule.count.as_ref().is_none_or(|(atoms, more, number)| {
            let fitting = |atom: &Atom| rows[atom.relation].iter().filter(|row| fits(atom, row, values)).count();
            let count: usize = atoms.iter().map(fitting).sum();
            if *more { count > *number } else { count == *number }
        });
        if !negated && compares && counts {
            each(values);
        }
        return;
    };
    for row in &rows[atom.relation] {
        let before = *values;
        let mut fits = true;
        for (term, cell) in atom.terms.iter().zip(row) {
            match term {
                Term::Variable(variable) => match values[*variable] {
                    Some(known) => fits &= known == *cell,
                    None => values[*variable] = Some(*cell),
                },
                Term::Constant(constant) => fits &= constant == cell,
                Term::Wildcard => {}
            }
        }
        if fits {
            matches(rule, at + 1, values, rows, each);
        }
        *values = before;
    }
}

fn fits(atom: &Atom, row: &[i64], values: &[Option<i64>; 4]) -> bool {
    atom.terms.iter().zip(row).all(|(term, cell)| *term == Term::Wildcard || value(*term, values) == Some(*cell))
}

fn value(term: Term, values: &[Option<i64>; 4]) -> Option<i64> {
    match term {
        Term::Variable(variable) => values[variable],
        Term::Constant(constant) => Some(constant),
        Term::Wildcard => None,
    }
}

fn rule(choices: &mut Choices, negation: Negation, head: usize, base: bool) -> Rule {
    let mut bound = Vec::new();
    let mut positive = Vec::new();
    let count = if base { 1 } else { 1 + choices.pick(3) };
    for _ in 0..count {
        let least = if choices.pick(2) == 0 { level(head) } else { 0 };
        let candidates: Vec<usize> = match base {
            true => vec![0, 2, 0, 1],
            false => (0..ARITIES.len()).filter(|one| (least..=level(head)).contains(&level(*one))).collect(),
        };
        let relation = candidates[choices.pick(candidates.len())];
        let mut terms = Vec::new();
        for _ in 0..ARITIES[relation] {
            terms.push(match choices.pick(8) {
                0 => Term::Wildcard,
                1 => Term::Constant(choices.pick(VALUES) as i64),
                other => {
                    bound.push(other % 4);
                    Term::Variable(other % 4)
                }
            });
        }
        positive.push(Atom { relation, terms });
    }
    let known = |choices: &mut Choices| match bound.len() {
        0 => Term::Constant(choices.pick(VALUES) as i64),
        count if choices.pick(6) > 0 => Term::Variable(bound[choices.pick(count)]),
        _ => Term::Constant(choices.pick(VALUES) as i64),
    };
    let asked = |choices: &mut Choices| {
        let candidates: Vec<usize> = match negation {
            Negation::Lower => (0..ARITIES.len()).filter(|relation| level(*relation) < level(head)).collect(),
            Negation::Given => vec![1, OPEN],
        };
        let relation = candidates[choices.pick(candidates.len())];
        let terms = (0..ARITIES[relation])
            .map(|_| if choices.pick(5) == 0 { Term::Wildcard } else { known(choices) })
            .collect();
        Atom { relation, terms }
    };
    let count = if base { choices.pick(2) } else { choices.pick(3) };
    let negative = (0..count).map(|_| asked(choices)).collect();
    let count = (choices.pick(4) == 0).then(|| {
        let atoms = (0..1 + choices.pick(2)).map(|_| asked(choices)).collect();
        (atoms, choices.pick(2) == 0, choices.pick(3))
    });
    let comparison = (choices.pick(4) == 0).then(|| (known(choices), choices.pick(2) == 0, known(choices)));
    let terms = (0..ARITIES[head]).map(|_| known(choices)).collect();
    Rule { head: Atom { relation: head, terms }, positive, negative, comparison, count }
}

/// Random rows for the given relations, with the assumptions that each rests on.
pub(super) fn facts(choices: &mut Choices, negation: Negation, assumptions: u32) -> Vec<(usize, Vec<i64>, Vec<u32>)> {
    let mut facts = Vec::new();
    for _ in 0..5 + choices.pick(15) {
        let relation = choices.pick(GIVEN.len());
        let row = (0..GIVEN[relation]).map(|_| choices.pick(VALUES) as i64).collect();
        // What `Negation::Given` may negate is certain.
        let count = if relation == 0 || negation == Negation::Lower { choices.pick(3) } else { 0 };
        let ids = (0..count).map(|_| choices.pick(assumptions as usize) as u32).collect();
        facts.push((relation, row, ids));
    }
    facts
}

pub(super) fn name(relation: usize) -> String {
    if relation < GIVEN.len() { format!("e{relation}") } else { format!("p{}", relation - GIVEN.len()) }
}

fn atom_text(atom: &Atom) -> String {
    let terms: Vec<String> = atom.terms.iter().map(|term| term_text(*term)).collect();
    format!("{}({})", name(atom.relation), terms.join(", "))
}

fn term_text(term: Term) -> String {
    match term {
        Term::Variable(variable) => format!("_v{variable}"),
        Term::Constant(constant) => constant.to_string(),
        Term::Wildcard => "_".to_owned(),
    }
}
