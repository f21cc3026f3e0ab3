//! Texts that rules compare with columns of closed words. Some columns have a closed list of words: a text that is none
//! of them joins nothing, so that the rule is most likely misspelt. What texts of other types are, a caller may know.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::patterns::compile_pattern;
use super::program::Program;
use super::rule::{RelationId, TypeId, VariableId};
use super::scope::Scopes;
use super::source::{Place, Problem};
use crate::did_you_mean::nearest;

/// At the end of a word of a list: any text with that beginning.
const ANY_ENDING: char = '…';
/// Longer lists are not told in a hint.
const MOST_TOLD: usize = 12;

/// The words of a column; none where any text may stand in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ClosedWords {
    pub list: Vec<String>,
}

impl ClosedWords {
    fn has(&self, text: &str) -> bool {
        self.list.iter().any(|word| match word.strip_suffix(ANY_ENDING) {
            Some(beginning) => text.starts_with(beginning),
            None => word == text,
        })
    }

    /// Whether a pattern may fit a word. One that is broken is told elsewhere.
    fn fits(&self, pattern: &str) -> bool {
        let open = self.list.iter().any(|word| word.ends_with(ANY_ENDING));
        open || compile_pattern(pattern).map_or(true, |pattern| self.list.iter().any(|word| pattern.is_match(word)))
    }

    fn told(&self) -> String {
        let words: Vec<String> = self.list.iter().take(MOST_TOLD).map(|word| format!("`{word}`")).collect();
        let more = if self.list.len() > MOST_TOLD { ", …" } else { "" };
        format!("its words are {}{more}", words.join(", "))
    }
}

/// How a rule asks for a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) enum Asked {
    Equal,
    /// By `match`.
    Pattern,
}

/// A text that stands in a column, or is compared with what does.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct AskedText {
    pub text: String,
    pub asked: Asked,
    pub place: Place,
    pub type_id: TypeId,
}

/// Messages have so many characters of a text.
const LONGEST_SHOWN: usize = 60;

fn shown(text: &str) -> String {
    match text.char_indices().nth(LONGEST_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A column of a relation.
type ColumnOf = (RelationId, usize);

/// The texts of a rule while it is lowered.
#[derive(Debug, Default)]
pub(super) struct Texts {
    /// In arguments of relations.
    in_columns: Vec<(ColumnOf, String, Place)>,
    /// Compared with variables.
    of_variables: Vec<(VariableId, Asked, String, Place)>,
    /// Where variables get their values.
    columns: Vec<(VariableId, ColumnOf)>,
}

impl Texts {
    pub fn in_column(&mut self, column: ColumnOf, text: &str, place: Place) {
        self.in_columns.push((column, text.to_owned(), place));
    }

    pub fn of_variable(&mut self, variable: VariableId, asked: Asked, text: &str, place: Place) {
        self.of_variables.push((variable, asked, text.to_owned(), place));
    }

    /// A positive literal gives the variable its value.
    pub fn given(&mut self, variable: VariableId, column: ColumnOf) {
        self.columns.push((variable, column));
    }

    /// Tells the texts that join nothing, and gives all of them.
    pub fn check(self, scopes: &Scopes, problems: &mut Vec<Problem>) -> Vec<AskedText> {
        let Texts { in_columns, of_variables, columns } = self;
        let of_columns = in_columns.into_iter().map(|(column, text, place)| (column, Asked::Equal, text, place));
        let of_variables = of_variables.into_iter().flat_map(|(variable, asked, text, place)| {
            let of_variable = columns.iter().filter(move |(given, _)| *given == variable);
            of_variable.map(move |(_, column)| (*column, asked, text.clone(), place))
        });
        let mut texts = Vec::new();
        for ((relation, index), asked, text, place) in of_columns.chain(of_variables) {
            let info = &scopes.relations[relation.index()];
            let column = &info.columns[index];
            let words = &column.words;
            let joins = match asked {
                _ if words.list.is_empty() => true,
                Asked::Equal => words.has(&text),
                Asked::Pattern => words.fits(&text),
            };
            if !joins {
                let message = match asked {
                    Asked::Equal => {
                        format!("`{}` is not a word of the column `{}` of `{}`", shown(&text), column.name, info.name)
                    }
                    Asked::Pattern => format!("no word of the column `{}` of `{}` fits", column.name, info.name),
                };
                let hint = match nearest(&text, words.list.iter().map(String::as_str)) {
                    Some(near) if asked == Asked::Equal => format!("did you mean `{near}`?"),
                    _ => words.told(),
                };
                let problem = Problem::error(place, message, "joins nothing").hint(hint);
                problems.push(problem.note(info.place, "declared here"));
            }
            texts.push(AskedText { text, asked, place, type_id: column.type_id });
        }
        texts
    }
}

/// A text of a rule that stands in a column, or is compared with what does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComparedText {
    /// The name of the source.
    pub source: String,
    /// Bytes in the source's text.
    pub range: Range<usize>,
    /// Without quotes and escapes.
    pub text: String,
    /// Whether it is a regular expression.
    pub is_pattern: bool,
}

impl Program<'_> {
    /// The texts that rules compare with columns of a type of the schema, by their places. What a caller knows of such values may tell it
    /// that one of them joins nothing.
    pub fn compared_with(&self, type_name: &str) -> Vec<ComparedText> {
        let of_type = |text: &&AskedText| self.lineage(text.type_id).iter().any(|name| name == type_name);
        let mut texts: Vec<&AskedText> = self.texts.iter().filter(of_type).collect();
        // A rule with alternatives is several.
        texts.sort_by_key(|text| (text.place, text.asked));
        texts.dedup_by_key(|text| (text.place, text.asked));
        let compared = |text: &AskedText| ComparedText {
            source: self.sources.get(text.place.source).name.clone(),
            range: text.place.range(),
            text: text.text.clone(),
            is_pattern: text.asked == Asked::Pattern,
        };
        texts.into_iter().map(compared).collect()
    }
}
