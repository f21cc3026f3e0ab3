//! Compares two reports, for what a change made of findings: those that it introduced, those that it made worse, and
//! those that are gone.
//!
//! A finding is known again by its rule and, in this order: by its line, where the change left the line alone; by the text of its line in a
//! file of this path; by its code, in the same file and then anywhere, so that moved code is not new; and by its message, where its line was
//! replaced; where a file is no Python, by what is wrong with it. A rule named `possible` speaks of what other rules of its pack say without a condition: what may fail before and fails now is
//! made worse, and not new.

use crate::baseline::{Known, known};
use crate::changed_lines::{ChangedLines, LinePlace};
use crate::finding::Finding;
use crate::pairing::Pairing;
use crate::sources::Sources;
use crate::suppressions::SYNTAX_RULE;

/// The findings of one side, in their final form, and the text that they point into.
#[derive(Clone, Copy)]
pub struct Side<'a> {
    /// In the order of a report.
    pub findings: &'a [Finding],
    /// The text of the side.
    pub sources: &'a dyn Sources,
}

/// What a change made of a finding of its new side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It was not there.
    Introduced,
    /// It was there, with this number on the old side, as something less severe or under a condition.
    Worse(usize),
    /// It was there, with this number on the old side.
    Unchanged(usize),
}

impl Standing {
    /// Whether somebody who reviews the change is told of it.
    pub fn is_told(self) -> bool {
        !matches!(self, Standing::Unchanged(_))
    }
}

/// What a change made of all findings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Of each finding of the new side.
    pub standings: Vec<Standing>,
    /// The numbers of the findings of the old side that are gone.
    pub fixed: Vec<usize>,
}

/// How many findings a change introduced, fixed and made worse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Those that were not there.
    pub introduced: usize,
    /// Those that are gone.
    pub fixed: usize,
    /// Those that are more severe.
    pub worse: usize,
    /// The others.
    pub unchanged: usize,
}

impl Comparison {
    /// How many there are of each kind.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts { fixed: self.fixed.len(), ..Counts::default() };
        for standing in &self.standings {
            *match standing {
                Standing::Introduced => &mut counts.introduced,
                Standing::Worse(_) => &mut counts.worse,
                Standing::Unchanged(_) => &mut counts.unchanged,
            } += 1;
        }
        counts
    }
}

impl std::fmt::Display for Counts {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Counts { introduced, fixed, worse, .. } = self;
        write!(formatter, "{introduced} introduced, {fixed} fixed, {worse} made worse")
    }
}

/// Everything that an output of a review shows.
pub struct Review<'a> {
    /// The side before the change.
    pub old: Side<'a>,
    /// The side after it: all its findings, with what it covered.
    pub new: &'a crate::Report<'a>,
    /// What became of the findings.
    pub comparison: &'a Comparison,
    /// The lines that the change touches.
    pub lines: &'a ChangedLines,
    /// What is compared, such as `main..HEAD`.
    pub title: &'a str,
    /// The commits of the two sides, by their ids, where they are commits.
    pub commits: [Option<&'a str>; 2],
    /// What a reader should know of the comparison.
    pub notes: &'a [String],
}

impl<'a> Review<'a> {
    /// The findings of the new side that are told, each with what it was before where it was made worse.
    pub fn told(&self) -> impl Iterator<Item = (&'a Finding, Option<&'a Finding>)> + '_ {
        let standings = self.new.findings.iter().zip(&self.comparison.standings);
        standings.filter_map(|(finding, standing)| match standing {
            Standing::Introduced => Some((finding, None)),
            Standing::Worse(old) => Some((finding, self.old.findings.get(*old))),
            Standing::Unchanged(_) => None,
        })
    }

    /// The findings of the old side that are gone.
    pub fn fixed(&self) -> impl Iterator<Item = &'a Finding> + '_ {
        self.comparison.fixed.iter().filter_map(|index| self.old.findings.get(*index))
    }

    /// `2 introduced, 1 fixed, 0 made worse (main..HEAD)`
    pub fn headline(&self) -> String {
        format!("{} ({})", self.comparison.counts(), self.title)
    }
}

/// A finding, and what it is known again by.
struct Keys {
    known: Known,
    /// The line on the new side, and the cell there; `None` of an old line that is gone.
    place: Option<(LinePlace, Option<u32>)>,
    /// The run of changed lines that it lies in.
    block: Option<(usize, usize)>,
    /// The pack, and whether the rule is that of what is possible in it.
    pack: String,
    is_possible: bool,
}

/// Compares the findings of both sides of a change.
pub fn compare(old: Side<'_>, new: Side<'_>, lines: &ChangedLines) -> Comparison {
    let old_keys: Vec<Keys> = old.findings.iter().map(|finding| Keys::of_old(finding, old.sources, lines)).collect();
    let new_keys: Vec<Keys> = new.findings.iter().map(|finding| Keys::of_new(finding, new.sources, lines)).collect();
    let pairing = pair(&old_keys, &new_keys);
    let standing = |(new, paired): (&Finding, &Option<usize>)| match paired {
        None => Standing::Introduced,
        Some(index) if old.findings.get(*index).is_some_and(|old| is_worse(old, new)) => Standing::Worse(*index),
        Some(index) => Standing::Unchanged(*index),
    };
    Comparison {
        standings: new.findings.iter().zip(&pairing.old_of_new).map(standing).collect(),
        fixed: (0..old.findings.len()).filter(|index| !pairing.is_there[*index]).collect(),
    }
}

fn pair(old: &[Keys], new: &[Keys]) -> Pairing {
    let mut pairing = Pairing::new(old.len(), new.len());
    pairing.by(|index| old[index].in_place_as_told(), |index| new[index].in_place_as_told());
    pairing.by(|index| old[index].in_place(), |index| new[index].in_place());
    let same = |of: fn(&Keys) -> (&str, &str, &str)| {
        move |keys: &'_ [Keys], index: usize| {
            let (one, two, three) = of(&keys[index]);
            Some([one.to_owned(), two.to_owned(), three.to_owned()])
        }
    };
    for key in [same(Keys::line), same(Keys::code_and_path), same(Keys::code)] {
        pairing.by(|index| key(old, index), |index| key(new, index));
    }
    pairing.by(|index| old[index].in_block(), |index| new[index].in_block());
    pairing.by(|index| old[index].not_python(), |index| new[index].not_python());
    // What was possible is certain, or the other way round.
    for is_possible in [true, false] {
        for key in [Keys::place_of_pack, Keys::code_of_pack] {
            let of = |keys: &Keys, wanted: bool| (keys.is_possible == wanted).then(|| key(keys)).flatten();
            pairing.by(|index| of(&old[index], is_possible), |index| of(&new[index], !is_possible));
        }
    }
    pairing
}

impl Keys {
    fn of_old(finding: &Finding, sources: &dyn Sources, lines: &ChangedLines) -> Keys {
        let span = finding.primary.span;
        let (name, position) = (sources.name(span.file), sources.position(span.file, span.start));
        // The lines of a notebook's file are not those of its cells.
        let place = match position.cell {
            Some(_) if lines.touches_old(name) => None,
            Some(_) => Some(LinePlace { file: name.to_owned(), line: position.line }),
            None => lines.moved(name, position.line),
        };
        let block = lines.block_of_old(name, position.line).filter(|_| position.cell.is_none());
        Keys::new(finding, sources, place.map(|place| (place, position.cell)), block)
    }

    fn of_new(finding: &Finding, sources: &dyn Sources, lines: &ChangedLines) -> Keys {
        let span = finding.primary.span;
        let (name, position) = (sources.name(span.file), sources.position(span.file, span.start));
        let place = LinePlace { file: name.to_owned(), line: position.line };
        let block = lines.block_of_new(name, position.line).filter(|_| position.cell.is_none());
        Keys::new(finding, sources, Some((place, position.cell)), block)
    }

    fn new(
        finding: &Finding,
        sources: &dyn Sources,
        place: Option<(LinePlace, Option<u32>)>,
        block: Option<(usize, usize)>,
    ) -> Keys {
        let (pack, rule) = finding.rule.split_once('/').unwrap_or((&finding.rule, ""));
        Keys { known: known(finding, sources), place, block, pack: pack.to_owned(), is_possible: rule == "possible" }
    }

    fn in_place_as_told(&self) -> Option<impl Ord + use<>> {
        Some((self.place.clone()?, self.known.rule.clone(), self.known.code.clone(), self.known.message.clone()))
    }

    fn in_place(&self) -> Option<impl Ord + use<>> {
        Some((self.place.clone()?, self.known.rule.clone(), self.known.code.clone()))
    }

    fn line(&self) -> (&str, &str, &str) {
        (&self.known.rule, &self.known.fingerprint, "")
    }

    fn code_and_path(&self) -> (&str, &str, &str) {
        (&self.known.rule, &self.known.code, &self.known.path)
    }

    fn code(&self) -> (&str, &str, &str) {
        (&self.known.rule, &self.known.code, "")
    }

    fn in_block(&self) -> Option<impl Ord + use<>> {
        Some((self.block?, self.known.rule.clone(), self.known.message.clone()))
    }

    /// Where a text is no Python, an edit moves what the parser says of it.
    fn not_python(&self) -> Option<impl Ord + use<>> {
        (self.known.rule == SYNTAX_RULE).then(|| (self.known.path.clone(), self.known.message.clone()))
    }

    fn place_of_pack(&self) -> Option<[String; 3]> {
        let (place, cell) = self.place.as_ref()?;
        let line = format!("{}:{}:{}", place.file, cell.unwrap_or_default(), place.line);
        Some([self.pack.clone(), self.known.code.clone(), line])
    }

    fn code_of_pack(&self) -> Option<[String; 3]> {
        Some([self.pack.clone(), self.known.code.clone(), String::new()])
    }
}

/// Whether it fails more surely than before.
fn is_worse(old: &Finding, new: &Finding) -> bool {
    let loses_condition = old.condition.is_some() && new.condition.is_none();
    new.severity < old.severity || new.severity == old.severity && loses_condition
}

#[cfg(test)]
#[path = "comparison_tests.rs"]
mod tests;
