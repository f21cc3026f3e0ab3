//! The rows that a caller supplies to rules.

use rustc_hash::FxHashMap;

use super::values::{Cell, Values};

/// Input rows with their symbols and numbers.
#[derive(Clone, Debug, Default)]
pub struct Database {
    values: Values,
    pub(super) relations: Vec<InputRows>,
    by_name: FxHashMap<String, usize>,
}

/// The rows given for one name.
#[derive(Clone, Debug)]
pub(super) struct InputRows {
    pub name: String,
    pub cells: Vec<Cell>,
    /// How many cells each row has.
    pub lengths: Vec<u32>,
    /// Rows that rest on assumptions, in ascending order.
    pub assumptions: Vec<(usize, Box<[u32]>)>,
}

impl Database {
    /// A database without rows.
    pub fn new() -> Self {
        Database::default()
    }

    /// The cell of a text; equal texts have the same cell.
    pub fn symbol(&mut self, text: &str) -> Cell {
        self.values.symbol(text)
    }

    /// The cell of a number.
    pub fn number(&mut self, value: i64) -> Cell {
        self.values.number(value)
    }

    /// Adds a row that holds if all of these assumptions do; for certain if there are none. The same row given again with
    /// others holds if either group does. The relation is named as in [`Program::relation`](crate::Program::relation); by its plain name,
    /// every input of that name has the row.
    pub fn insert(&mut self, relation: &str, row: &[Cell], assumptions: &[u32]) {
        let index = match self.by_name.get(relation) {
            Some(index) => *index,
            None => {
                let name = relation.to_owned();
                self.by_name.insert(name.clone(), self.relations.len());
                self.relations.push(InputRows {
                    name,
                    cells: Vec::new(),
                    lengths: Vec::new(),
                    assumptions: Vec::new(),
                });
                self.relations.len() - 1
            }
        };
        let rows = &mut self.relations[index];
        if !assumptions.is_empty() {
            let mut sorted = assumptions.to_vec();
            sorted.sort_unstable();
            sorted.dedup();
            rows.assumptions.push((rows.lengths.len(), sorted.into()));
        }
        rows.cells.extend_from_slice(row);
        rows.lengths.push(row.len() as u32);
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.relations.iter().map(|rows| rows.lengths.len()).sum()
    }

    /// Whether no relation has a row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The texts and numbers that cells stand for.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// The same, for whoever makes cells before rows.
    pub fn values_mut(&mut self) -> &mut Values {
        &mut self.values
    }

    pub(super) fn into_parts(self) -> (Values, Vec<InputRows>) {
        (self.values, self.relations)
    }
}
