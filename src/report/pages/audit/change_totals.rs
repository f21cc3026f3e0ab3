//! The report of an audit: what is counted of what changed since an earlier one.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::totals::SeverityCounts;
use super::{Changed, ROWS_OF_PAGE, texts};

/// How many changes there are of each kind.
pub type Counts = [u32; 4];

/// All changes of an audit.
#[derive(Clone, Debug)]
pub struct ChangeTotals {
    pub kinds: [KindTotals; 4],
    pub repositories: Vec<RepositoryChanges>,
    rules: BTreeMap<String, Counts>,
    /// The repository of the last change, as it is called.
    last: String,
}

/// The findings of which the same became.
#[derive(Clone, Copy, Debug)]
pub struct KindTotals {
    pub word: &'static str,
    pub meaning: &'static str,
    pub repositories: u64,
    pub severities: SeverityCounts,
}

/// What changed in a repository. Its number is the place in the order in which repositories came.
#[derive(Clone, Debug)]
pub struct RepositoryChanges {
    pub name: String,
    pub counts: Counts,
    /// How many changes of each kind all repositories before it have.
    before: Counts,
}

impl RepositoryChanges {
    /// The page of the list of a kind with its first change, from 1.
    pub fn page(&self, kind: usize) -> u64 {
        u64::from(self.before[kind]) / ROWS_OF_PAGE + 1
    }
}

impl ChangeTotals {
    /// Nothing yet.
    pub fn new(words: [(&'static str, &'static str); 4]) -> ChangeTotals {
        let kind =
            |(word, meaning)| KindTotals { word, meaning, repositories: 0, severities: SeverityCounts::default() };
        ChangeTotals { kinds: words.map(kind), repositories: Vec::new(), rules: BTreeMap::new(), last: String::new() }
    }

    /// The number of the kind with this word.
    pub fn kind(&self, word: &str) -> usize {
        self.kinds.iter().position(|kind| kind.word == word).unwrap_or(self.kinds.len() - 1)
    }

    /// Counts a change.
    pub fn add(&mut self, change: &Changed<'_>) {
        let kind = self.kind(change.change);
        if self.repositories.is_empty() || self.last != change.repository {
            change.repository.clone_into(&mut self.last);
            let before = self.kinds.map(|kind| u32::try_from(kind.severities.all()).unwrap_or(u32::MAX));
            let name = texts::name(change.repository);
            self.repositories.push(RepositoryChanges { name, counts: Counts::default(), before });
        }
        if let Some(repository) = self.repositories.last_mut() {
            self.kinds[kind].repositories += u64::from(repository.counts[kind] == 0);
            repository.counts[kind] += 1;
        }
        self.kinds[kind].severities.add(change.finding.severity);
        match self.rules.get_mut(change.finding.rule) {
            Some(counts) => counts[kind] += 1,
            None => {
                let mut counts = Counts::default();
                counts[kind] += 1;
                self.rules.insert(change.finding.rule.to_owned(), counts);
            }
        }
    }

    /// The rules, those with the most changes of the first kind first, then of the next one.
    pub fn rules(&self) -> Vec<(&str, &Counts)> {
        let mut rules: Vec<(&str, &Counts)> = self.rules.iter().map(|(rule, counts)| (rule.as_str(), counts)).collect();
        rules.sort_by_key(|(rule, counts)| (Reverse(**counts), *rule));
        rules
    }

    /// The numbers of the repositories in the same order.
    pub fn by_changes(&self) -> Vec<usize> {
        let mut numbers: Vec<usize> = (0..self.repositories.len()).collect();
        numbers.sort_by_key(|number| Reverse(self.repositories[*number].counts));
        numbers
    }
}
