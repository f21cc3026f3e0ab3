//! `@saves` and `@floor`: which work a rule's rewrite removes. What that amounts to is for the caller to compute.

use serde::{Deserialize, Serialize};

/// Something that work is measured in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Quantity {
    /// Calls of libraries.
    Calls,
    /// Bytes that are written.
    Bytes,
    /// Floating-point operations.
    Flops,
    /// Waits of the host for an accelerator.
    Syncs,
}

impl Quantity {
    /// All of them, in the order in which they are told.
    pub const ALL: [Quantity; 4] = [Quantity::Calls, Quantity::Bytes, Quantity::Flops, Quantity::Syncs];

    /// The word of metadata and of reports.
    pub fn name(self) -> &'static str {
        match self {
            Quantity::Calls => "calls",
            Quantity::Bytes => "bytes",
            Quantity::Flops => "flops",
            Quantity::Syncs => "syncs",
        }
    }

    pub(super) fn parse(word: &str) -> Option<Quantity> {
        Quantity::ALL.into_iter().find(|quantity| quantity.name() == word)
    }
}

/// Which executions of a place are removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Removed {
    /// `each`: every one.
    Each,
    /// `repeats in l`: of those in a run of the loop all but one.
    Repeats,
    /// `growth in l`: what is handled again of what earlier iterations of the loop have handled, which grows with their number.
    Growth,
}

/// `@saves`: work that the rewrite of a finding removes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavesTemplate {
    /// The column that holds the place whose work it is.
    pub place: usize,
    /// Which of its executions.
    pub removed: Removed,
    /// The column of the loop, where one is named.
    pub in_loop: Option<usize>,
    /// What is saved, where the rule lists it: all of it else. A column has the number for one execution, where the rule names one.
    pub only: Option<Vec<(Quantity, Option<usize>)>>,
}

/// The text behind the column of `@saves`, in its parts: which executions, the name of the loop's column, and the words of what is saved.
pub(super) type SavesText<'t> = (Removed, Option<&'t str>, Option<Vec<Listed<'t>>>);

/// Reads `each`, `each in l`, `repeats in l`, `growth in l: bytes`, `each: calls, flops = column`; what is wrong as a sentence.
pub(super) fn saves_text(text: &str) -> Result<SavesText<'_>, String> {
    let (which, only) = match text.split_once(':') {
        Some((which, words)) => (which, Some(quantities(words)?)),
        None => (text, None),
    };
    let words: Vec<&str> = which.split_whitespace().collect();
    let (removed, in_loop) = match words[..] {
        ["each"] => (Removed::Each, None),
        ["each", "in", column] => (Removed::Each, Some(column)),
        ["repeats", "in", column] => (Removed::Repeats, Some(column)),
        ["growth", "in", column] => (Removed::Growth, Some(column)),
        _ => return Err(format!("`{}` does not say which executions are saved", which.trim())),
    };
    Ok((removed, in_loop, only))
}

/// A quantity, with the column that has its number, where one is named.
type Listed<'t> = (Quantity, Option<&'t str>);

fn quantities(words: &str) -> Result<Vec<Listed<'_>>, String> {
    words.split(',').map(quantity).collect()
}

fn quantity(part: &str) -> Result<Listed<'_>, String> {
    let (word, column) = match part.split_once('=') {
        Some((word, column)) => (word.trim(), Some(column.trim())),
        None => (part.trim(), None),
    };
    let quantity = Quantity::parse(word).ok_or_else(|| format!("`{word}` is not a quantity"))?;
    Ok((quantity, column))
}

/// Reads `calls 10, bytes 4096`: the least that is told of each.
pub(super) fn floor_text(text: &str) -> Result<Vec<(Quantity, i64)>, String> {
    let one = |part: &str| {
        let words: Vec<&str> = part.split_whitespace().collect();
        let [word, number] = words[..] else {
            return Err(format!("`{}` is not a quantity and a number", part.trim()));
        };
        let quantity = Quantity::parse(word).ok_or_else(|| format!("`{word}` is not a quantity"))?;
        let least = number.replace('_', "").parse().map_err(|_| format!("`{number}` is not a number"))?;
        Ok((quantity, least))
    };
    text.split(',').map(one).collect()
}
