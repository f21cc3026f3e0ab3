//! The report of an audit: a few findings of a rule that stand for all of them.

use harp_corpus::Digest;

use super::{Finding, Repository, texts};

/// So many are kept of each rule.
pub const MOST: usize = 3;

/// A finding that is shown beside its rule.
#[derive(Clone, Debug)]
pub struct Example {
    /// The number of its repository.
    pub repository: usize,
    pub name: String,
    pub place: String,
    pub message: String,
    pub code: String,
}

/// The examples of a rule, at most one of each repository. Which repositories have one depends on digests: it is as if by chance, so that the examples
/// are spread over all of them, and the same in each run and each order.
#[derive(Clone, Debug, Default)]
pub struct Examples(Vec<(Digest, Example)>);

impl Examples {
    /// Offers a finding of a repository of which none was offered yet.
    pub fn offer(&mut self, number: usize, repository: &Repository<'_>, finding: &Finding<'_>) {
        let digest = Digest::of(&(repository.name, finding.rule, finding.fingerprint));
        if self.0.len() == MOST && self.0.last().is_some_and(|(last, _)| *last < digest) {
            return;
        }
        let example = Example {
            repository: number,
            name: texts::name(repository.name),
            place: texts::place(finding),
            message: texts::message(finding),
            code: texts::code(finding),
        };
        let place = self.0.partition_point(|(known, _)| *known < digest);
        self.0.insert(place, (digest, example));
        self.0.truncate(MOST);
    }

    /// Those that were chosen.
    pub fn iter(&self) -> impl Iterator<Item = &Example> {
        self.0.iter().map(|(_, example)| example)
    }
}
