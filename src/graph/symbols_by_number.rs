//! Symbols of statements, expressions, variables and operations, by their numbers.

use crate::facts::Symbol;

/// Symbols of things that are numbered. What is not touched takes no memory.
#[derive(Debug)]
pub struct SymbolsByNumber(Vec<u32>);

impl SymbolsByNumber {
    /// Of so many things, none of which has a symbol yet.
    pub fn new(count: usize) -> SymbolsByNumber {
        SymbolsByNumber(vec![0; count])
    }

    /// The symbol of a thing that has one.
    pub fn get(&self, number: usize) -> Option<Symbol> {
        self.0.get(number)?.checked_sub(1).map(Symbol)
    }

    /// Notes a thing's symbol.
    pub fn insert(&mut self, number: usize, symbol: Symbol) {
        if self.0.len() <= number {
            self.0.resize(number + 1, 0);
        }
        self.0[number] = symbol.0 + 1;
    }
}
