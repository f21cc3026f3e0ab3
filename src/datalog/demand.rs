//! Input rows that are made when a rule needs them.
//!
//! A database need not hold the rows of every input relation. Before a rule runs, what its other literals say of a column tells which
//! rows can join; a [`Supplier`] makes these, and no others. Every match of a rule's positive atoms has its rows then, which is all that
//! evaluation and the search for assumptions look at.

use rustc_hash::FxHashSet;

use super::evaluate::State;
use super::functors::Builtin;
use super::program::Program;
use super::relation::Relation;
use super::rule::{FunctorId, Literal, LiteralKind, RelationAtom, RelationId, Rule, Term, VariableId, uses};
use super::values::{Cell, Values};

/// Makes rows that a database leaves out.
pub trait Supplier {
    /// The columns by whose values rows of an input relation can be asked for. `None` where the database holds all its rows.
    fn columns(&self, relation: &str) -> Option<&'static [usize]>;

    /// Whether the different texts of one of these columns can be had without the rows, and are far fewer.
    fn has_texts(&self, _relation: &str, _column: usize) -> bool {
        false
    }

    /// These texts. Rules ask for rows with some of them then.
    fn texts(&mut self, _relation: &str, _column: usize, _values: &mut Values) -> Option<Vec<Cell>> {
        None
    }

    /// Hands the rows of a relation to `add`, each with the assumptions that it needs in ascending order: those that have one of the cells in
    /// the column, or all of them. Rows may come twice.
    fn supply(
        &mut self,
        relation: &str,
        only: Option<(usize, &[Cell])>,
        values: &mut Values,
        add: &mut dyn FnMut(&[Cell], &[u32]),
    );
}

/// What is still to be had of each relation.
pub(super) struct Demand<'s> {
    supplier: Option<&'s mut dyn Supplier>,
    /// By relation; `None` where all rows are there.
    supplied: Vec<Option<Supplied>>,
    /// For each rule, whether it reads such a relation.
    concerns: Vec<bool>,
}

/// What was given of a relation so far.
#[derive(Debug)]
pub(super) struct Supplied {
    columns: &'static [usize],
    /// The cells that were asked for, by the place of their column in `columns`.
    given: Vec<FxHashSet<u32>>,
}

impl Supplied {
    /// Whether all rows are there that have these cells, which are told by column.
    pub fn has_all(&self, cell: impl Fn(usize) -> Option<u32>) -> bool {
        let asked = self.columns.iter().zip(&self.given);
        asked.into_iter().any(|(column, given)| cell(*column).is_some_and(|cell| given.contains(&cell)))
    }
}

/// A positive atom whose rows are there.
struct Known<'r> {
    atom: &'r RelationAtom,
    rows: Rows,
    /// Whether its rows are held against the patterns of the body.
    is_matched: bool,
}

enum Rows {
    Range(std::ops::Range<usize>),
    List(Vec<u32>),
}

impl Rows {
    fn len(&self) -> usize {
        match self {
            Rows::Range(range) => range.len(),
            Rows::List(list) => list.len(),
        }
    }

    fn iter(&self) -> Box<dyn Iterator<Item = usize> + '_> {
        match self {
            Rows::Range(range) => Box::new(range.clone()),
            Rows::List(list) => Box::new(list.iter().map(|row| *row as usize)),
        }
    }
}

impl Known<'_> {
    /// Leaves those of its rows that are so.
    fn leave(&mut self, mut is_so: impl FnMut(usize) -> bool) {
        self.rows = Rows::List(self.rows.iter().filter(|row| is_so(*row)).map(|row| row as u32).collect());
    }
}

/// An atom whose rows have to be asked for.
struct Waiting<'r> {
    atom: &'r RelationAtom,
    is_positive: bool,
}

/// Where the cells come from by which an atom's rows are asked for.
#[derive(Clone, Copy)]
enum Origin {
    Constant(Cell),
    /// A column of one of the known atoms.
    Column(usize, usize),
}

impl<'s> Demand<'s> {
    pub fn new(program: &Program, supplier: Option<&'s mut dyn Supplier>) -> Demand<'s> {
        let columns = |name: &str| supplier.as_ref().and_then(|supplier| supplier.columns(name));
        let open = |columns: &'static [usize]| Supplied { columns, given: vec![FxHashSet::default(); columns.len()] };
        let infos = program.relations.iter();
        let supplied: Vec<Option<Supplied>> =
            infos.map(|info| if info.input { columns(&info.name).map(open) } else { None }).collect();
        let reads_open = |rule: &Rule| {
            let mut reads = false;
            uses(&rule.body, &mut |relation, _, _| reads |= supplied[relation.index()].is_some());
            reads
        };
        let concerns = program.rules.iter().map(reads_open).collect();
        Demand { supplier, supplied, concerns }
    }

    /// Whether rows are made on request.
    pub fn is_supplied(&self) -> bool {
        self.supplier.is_some()
    }

    /// What was asked for of each relation, by its number; `None` where all rows are there.
    pub fn into_supplied(self) -> Vec<Option<Supplied>> {
        self.supplied
    }

    /// What was asked for of a relation; `None` where all rows are there.
    pub fn supplied(&self, relation: RelationId) -> Option<&Supplied> {
        self.supplied[relation.index()].as_ref()
    }

    /// Has the rows made that have these cells, which are told by column, where they can be asked for by one of them. Whether they can.
    pub fn ask_like(
        &mut self,
        program: &Program,
        relation: RelationId,
        cell: impl Fn(usize) -> Option<u32>,
        state: &mut State,
    ) -> bool {
        let Some(supplied) = &self.supplied[relation.index()] else { return true };
        let Some((column, cell)) = supplied.columns.iter().find_map(|column| Some((*column, cell(*column)?))) else {
            return false;
        };
        self.ask(program, relation, column, &[Cell(cell)], state);
        true
    }

    fn is_open(&self, relation: RelationId) -> bool {
        self.supplied[relation.index()].is_some()
    }

    /// Has the rows made that the rule can use; `delta` is the literal whose new rows drive it.
    pub fn meet(&mut self, program: &Program, rule: usize, delta: Option<usize>, state: &mut State) {
        if !self.concerns[rule] {
            return;
        }
        let body = &program.rules[rule].body;
        let (mut known, mut waiting, mut whole) = (Vec::new(), Vec::new(), Vec::new());
        for (number, literal) in body.iter().enumerate() {
            match &literal.kind {
                LiteralKind::Atom(atom) if self.is_open(atom.relation) => {
                    waiting.push(Waiting { atom, is_positive: true });
                }
                LiteralKind::Absent(atom) if self.is_open(atom.relation) => {
                    waiting.push(Waiting { atom, is_positive: false });
                }
                LiteralKind::Atom(atom) => {
                    let new = &state.relations[atom.relation.index()].delta;
                    let rows = if delta == Some(number) { new.clone() } else { 0..new.end };
                    if rows.is_empty() {
                        return;
                    }
                    known.push(Known { atom, rows: Rows::Range(rows), is_matched: false });
                }
                LiteralKind::Aggregate(_) => {
                    uses(std::slice::from_ref(literal), &mut |relation, _, _| whole.push(relation));
                }
                _ => {}
            }
        }
        whole.into_iter().for_each(|relation| self.ask_all(program, relation, state));
        if waiting.is_empty() {
            return;
        }
        known.iter_mut().for_each(|known| leave_equal(known, state));
        while let Some((next, by)) = self.cheapest(&known, &waiting, &state.cells) {
            if known.iter().any(|known| known.rows.len() == 0) {
                return;
            }
            if let Some((column, Origin::Column(number, _))) = by
                && known[number].rows.len() >= self.fewest_matched(program, waiting[next].atom.relation, column)
                && leave_matching(&mut known, body, state)
            {
                continue;
            }
            // Many cells are asked for where a pattern of the body tells of few.
            let is_broad = by.is_some_and(
                |(_, origin)| matches!(origin, Origin::Column(number, _) if known[number].rows.len() >= FEWEST_MATCHED),
            );
            if is_broad && let Some((told, rows)) = self.first_matching(program, &waiting, body, state) {
                let Waiting { atom, .. } = waiting.swap_remove(told);
                known.push(Known { atom, rows: Rows::List(rows), is_matched: true });
                continue;
            }
            let Waiting { atom, is_positive } = waiting.swap_remove(next);
            let rows = match by {
                Some((column, origin)) => {
                    if let Origin::Column(number, _) = origin {
                        narrow(&mut known, number, &state.relations);
                    }
                    let cells = cells_of(origin, &known, &state.relations);
                    self.ask(program, atom.relation, column, &cells, state);
                    if !is_positive {
                        continue;
                    }
                    Rows::List(rows_with(&mut state.relations[atom.relation.index()], column, &cells))
                }
                None => match self.ask_matching(program, atom, body, state) {
                    Some(rows) => Rows::List(rows),
                    None => {
                        self.ask_all(program, atom.relation, state);
                        Rows::Range(0..state.relations[atom.relation.index()].len)
                    }
                },
            };
            if is_positive && rows.len() == 0 {
                return;
            }
            if is_positive {
                let mut new = Known { atom, rows, is_matched: false };
                leave_equal(&mut new, state);
                known.push(new);
            }
        }
    }

    /// From so many rows on, the patterns of a body are looked at before cells are asked for.
    fn fewest_matched(&self, program: &Program, relation: RelationId, column: usize) -> usize {
        let name = &program.relations[relation.index()].name;
        let is_grouped = self.supplier.as_ref().is_some_and(|supplier| supplier.has_texts(name, column));
        if is_grouped { FEWEST_MATCHED_TEXTS } else { FEWEST_MATCHED }
    }

    /// The waiting atom that the fewest cells are needed for, with its column and where the cells come from. Without these, nothing bounds
    /// what is left.
    fn cheapest(
        &self,
        known: &[Known<'_>],
        waiting: &[Waiting<'_>],
        cells: &[Cell],
    ) -> Option<(usize, Option<(usize, Origin)>)> {
        let mut best: Option<(usize, usize, usize, Origin)> = None;
        for (number, Waiting { atom, .. }) in waiting.iter().enumerate() {
            let columns = self.supplied[atom.relation.index()].as_ref().map_or(&[][..], |supplied| supplied.columns);
            for column in columns {
                let found = match atom.arguments.get(*column) {
                    Some(Term::Constant(constant)) => Some((1, Origin::Constant(cells[*constant]))),
                    Some(Term::Variable(variable)) => narrowest(known, *variable),
                    _ => None,
                };
                let Some((cost, origin)) = found else { continue };
                if best.is_none_or(|(least, ..)| cost < least) {
                    best = Some((cost, number, *column, origin));
                }
            }
        }
        if let Some((_, number, column, origin)) = best {
            return Some((number, Some((column, origin))));
        }
        let positive = waiting.iter().position(|atom| atom.is_positive);
        positive.or(waiting.len().checked_sub(1)).map(|number| (number, None))
    }

    /// The first waiting atom whose rows patterns tell of, by its number, with these rows.
    fn first_matching(
        &mut self,
        program: &Program,
        waiting: &[Waiting<'_>],
        body: &[Literal],
        state: &mut State,
    ) -> Option<(usize, Vec<u32>)> {
        let mut positive = waiting.iter().enumerate().filter(|(_, it)| it.is_positive);
        positive.find_map(|(number, it)| Some((number, self.ask_matching(program, it.atom, body, state)?)))
    }

    /// Has the rows made that have, in one of their columns, a text that a pattern of the body lets through; gives these rows. `None` where no pattern tells.
    fn ask_matching(
        &mut self,
        program: &Program,
        atom: &RelationAtom,
        body: &[Literal],
        state: &mut State,
    ) -> Option<Vec<u32>> {
        let columns = self.supplied[atom.relation.index()].as_ref()?.columns;
        let name = &program.relations[atom.relation.index()].name;
        for column in columns.iter().copied() {
            let Some(Term::Variable(variable)) = atom.arguments.get(column) else { continue };
            let patterns: Vec<(usize, bool)> = body
                .iter()
                .filter_map(pattern_of)
                .filter(|(_, of, _)| of == variable)
                .map(|(pattern, _, expected)| (pattern, expected))
                .collect();
            if patterns.is_empty() {
                continue;
            }
            let Some(mut texts) = self.supplier.as_mut()?.texts(name, column, &mut state.values) else { continue };
            let State { values, patterns: compiled, cells, .. } = &mut *state;
            texts.retain(|text| {
                patterns.iter().all(|(pattern, expected)| compiled.matches(cells[*pattern], *text, values) == *expected)
            });
            self.ask(program, atom.relation, column, &texts, state);
            return Some(rows_with(&mut state.relations[atom.relation.index()], column, &texts));
        }
        None
    }

    /// Has the rows made that have one of the cells in a column.
    fn ask(&mut self, program: &Program, relation: RelationId, column: usize, cells: &[Cell], state: &mut State) {
        let (Some(supplier), Some(supplied)) = (&mut self.supplier, &mut self.supplied[relation.index()]) else {
            return;
        };
        let Some(place) = supplied.columns.iter().position(|known| *known == column) else { return };
        let given = &mut supplied.given[place];
        let mut new = cells.to_vec();
        new.retain(|cell| !given.contains(&cell.0));
        if !new.is_empty() {
            // Noted only then: where a ceiling ends this, the cells are asked for once more.
            take(&mut **supplier, program, relation, Some((column, &new)), state);
            given.extend(new.iter().map(|cell| cell.0));
        }
    }

    fn ask_all(&mut self, program: &Program, relation: RelationId, state: &mut State) {
        if let Some(supplier) = &mut self.supplier
            && self.supplied[relation.index()].is_some()
        {
            take(&mut **supplier, program, relation, None, state);
            self.supplied[relation.index()] = None;
        }
    }
}

/// Adds what a supplier makes to a relation. Rules that ran before had no use for it.
fn take(
    supplier: &mut dyn Supplier,
    program: &Program,
    relation: RelationId,
    only: Option<(usize, &[Cell])>,
    state: &mut State,
) {
    let name = &program.relations[relation.index()].name;
    let State { relations, values, .. } = state;
    let relation = &mut relations[relation.index()];
    values.allow_all();
    let mut cells: Vec<u32> = Vec::with_capacity(relation.arity);
    supplier.supply(name, only, values, &mut |row, assumptions| {
        if row.len() == relation.arity {
            cells.clear();
            cells.extend(row.iter().map(|cell| cell.0));
            relation.add_fact(&cells, assumptions);
        }
    });
    relation.delta = 0..relation.len;
    relation.update_indexes(relation.len);
}

/// The different cells that an origin has, in the order of the rows.
fn cells_of(origin: Origin, known: &[Known<'_>], relations: &[Relation]) -> Vec<Cell> {
    let (number, column) = match origin {
        Origin::Constant(cell) => return vec![cell],
        Origin::Column(number, column) => (number, column),
    };
    let Known { atom, rows, .. } = &known[number];
    let relation = &relations[atom.relation.index()];
    let mut seen = FxHashSet::default();
    let cells = rows.iter().map(|row| relation.row(row)[column]);
    cells.filter(|cell| seen.insert(*cell)).map(Cell).collect()
}

/// Leaves of a known atom's rows those that have its constants.
fn leave_equal(known: &mut Known<'_>, state: &State) {
    let relation = &state.relations[known.atom.relation.index()];
    let constant = |(column, term): (usize, &Term)| match term {
        Term::Constant(constant) => Some((column, state.cells[*constant].0)),
        _ => None,
    };
    let constants: Vec<(usize, u32)> = known.atom.arguments.iter().enumerate().filter_map(constant).collect();
    if !constants.is_empty() {
        let has_all = |row: &[u32]| constants.iter().all(|(column, cell)| row[*column] == *cell);
        known.leave(|row| has_all(relation.row(row)));
    }
}

/// Where an atom has fewer rows, it takes longer to compile a pattern than to make what is asked for by all of them.
const FEWEST_MATCHED: usize = 512;
/// The same where each of the cells stands for many rows.
const FEWEST_MATCHED_TEXTS: usize = 8;

/// Leaves of the known atoms' rows those whose texts match the patterns of the body. Whether there were such as had not been looked at.
fn leave_matching(known: &mut [Known<'_>], body: &[Literal], state: &mut State) -> bool {
    let State { relations, values, patterns, cells, .. } = state;
    let mut is_any = false;
    for known in known.iter_mut().filter(|known| !known.is_matched) {
        known.is_matched = true;
        for literal in body {
            let Some((pattern, variable, expected)) = pattern_of(literal) else { continue };
            let is_variable = |term: &Term| *term == Term::Variable(variable);
            let Some(column) = known.atom.arguments.iter().position(is_variable) else { continue };
            let relation = &relations[known.atom.relation.index()];
            known.leave(|row| {
                let text = Cell(relation.row(row)[column]);
                patterns.matches(cells[pattern], text, values) == expected
            });
            is_any = true;
        }
    }
    is_any
}

/// The number of the constant whose pattern a variable's value is to match, or not to match.
fn pattern_of(literal: &Literal) -> Option<(usize, VariableId, bool)> {
    let LiteralKind::Test { functor: FunctorId::Builtin(Builtin::Match), arguments, expected } = &literal.kind else {
        return None;
    };
    match arguments[..] {
        [Term::Constant(pattern), Term::Variable(variable)] => Some((pattern, variable, *expected)),
        _ => None,
    }
}

/// Of an atom whose rows are compared with another's, the other may have so many times as many.
const MOST_COMPARED: usize = 8;

/// Leaves of a known atom's rows those that share their variables' values with rows of each other known atom: no others are part of a match.
fn narrow(known: &mut [Known<'_>], number: usize, relations: &[Relation]) {
    let Known { atom, rows, .. } = &known[number];
    let mut kept: Option<Vec<u32>> = None;
    for (other, Known { atom: other_atom, rows: other_rows, .. }) in known.iter().enumerate() {
        let count = kept.as_ref().map_or(rows.len(), Vec::len);
        if other == number || other_rows.len() > count.saturating_mul(MOST_COMPARED) {
            continue;
        }
        let other_relation = &relations[other_atom.relation.index()];
        for (column, other_column) in shared(atom, other_atom) {
            let values: FxHashSet<u32> = other_rows.iter().map(|row| other_relation.row(row)[other_column]).collect();
            let relation = &relations[atom.relation.index()];
            let has_value = |row: &u32| values.contains(&relation.row(*row as usize)[column]);
            match &mut kept {
                Some(kept) => kept.retain(has_value),
                None => kept = Some(rows.iter().map(|row| row as u32).filter(has_value).collect()),
            }
        }
    }
    if let Some(kept) = kept {
        known[number].rows = Rows::List(kept);
    }
}

/// The columns in which two atoms have the same variable.
fn shared<'a>(one: &'a RelationAtom, other: &'a RelationAtom) -> impl Iterator<Item = (usize, usize)> + 'a {
    one.arguments
        .iter()
        .enumerate()
        .filter(|(_, term)| matches!(term, Term::Variable(_)))
        .filter_map(|(column, term)| Some((column, other.arguments.iter().position(|other| other == term)?)))
}

/// The rows with one of the cells in a column.
fn rows_with(relation: &mut Relation, column: usize, cells: &[Cell]) -> Vec<u32> {
    let index = relation.index_on(&[column], relation.len);
    let index = &relation.indexes[index];
    let mut rows = Vec::new();
    for cell in cells {
        let Some(group) = index.lookup(&relation.data, relation.arity, &[cell.0]) else { continue };
        rows.extend_from_slice(group.together);
        rows.extend(std::iter::successors(group.newest, |row| index.older(*row)));
    }
    rows
}

/// The known atom with the fewest rows that binds a variable: how many they are, and the column.
fn narrowest(known: &[Known<'_>], variable: VariableId) -> Option<(usize, Origin)> {
    let column = |atom: &RelationAtom| atom.arguments.iter().position(|term| *term == Term::Variable(variable));
    let binding = known.iter().enumerate().filter_map(|(number, it)| Some((it.rows.len(), number, column(it.atom)?)));
    binding.min().map(|(rows, number, column)| (rows, Origin::Column(number, column)))
}
