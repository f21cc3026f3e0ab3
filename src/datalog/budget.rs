//! What the evaluation of rules may use. Everything that rules can make grow is counted in a way that does not depend
//! on the machine, so that a program that is cut is cut at the same place everywhere.

use std::time::Duration;

use harp_limits::Ceiling;

use super::evaluate::RuleProfile;

/// What the evaluation of each rule, and of all rules together, may use. A rule that goes beyond is stopped with a warning; the
/// others go on.
#[derive(Clone, Debug)]
pub struct Limits {
    /// New rows of one rule.
    pub rows_per_rule: usize,
    /// New rows of one rule for a relation with `@id`; every one becomes a message.
    pub findings_per_rule: usize,
    /// Steps of one rule: rows looked at, calls of functors by their work, and a hundred for each time that the rule runs.
    pub steps_per_rule: u64,
    /// Steps of all rules.
    pub steps: u64,
    /// Bytes of the rows of one rule, estimated.
    pub bytes_per_rule: usize,
    /// Bytes of the rows of all rules, estimated.
    pub bytes: usize,
    /// Bytes of text and numbers that one rule makes by functors.
    pub made_per_rule: usize,
    /// Bytes of text and numbers that all rules make by functors.
    pub made: usize,
    /// The clock makes results depend on the machine: nobody sets it but who measures.
    pub time_per_rule: Option<Duration>,
    /// Rounds of one recursion.
    pub rounds: usize,
    /// Keep how each row was first derived; proofs need it.
    pub provenance: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            rows_per_rule: 2_000_000,
            findings_per_rule: 50_000,
            steps_per_rule: 100_000_000,
            steps: 1_000_000_000,
            bytes_per_rule: 100 << 20,
            bytes: 300 << 20,
            made_per_rule: 16 << 20,
            made: 64 << 20,
            time_per_rule: None,
            rounds: 1_000_000,
            provenance: true,
        }
    }
}

impl Limits {
    /// No bounds at all, for measurements.
    pub fn unbounded() -> Self {
        Limits {
            rows_per_rule: usize::MAX,
            findings_per_rule: usize::MAX,
            steps_per_rule: u64::MAX,
            steps: u64::MAX,
            bytes_per_rule: usize::MAX,
            bytes: usize::MAX,
            made_per_rule: usize::MAX,
            made: usize::MAX,
            time_per_rule: None,
            rounds: usize::MAX,
            provenance: true,
        }
    }
}

/// What a run of a rule costs beside the rows it looks at.
pub(super) const STEPS_OF_A_RUN: u64 = 100;

/// Why a rule was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Breach {
    /// It found enough rows, or whoever takes them wants no more.
    Rows,
    Bytes,
    Steps,
    Made,
    Time,
    Rounds,
    AllSteps,
    AllBytes,
    AllMade,
    /// The process has no more memory or time for it.
    Ceiling(Ceiling),
    /// Harp failed.
    Defect,
}

impl Breach {
    /// Whether all rules together went beyond a bound.
    pub fn is_of_all(self) -> bool {
        matches!(self, Breach::AllSteps | Breach::AllBytes | Breach::AllMade)
    }

    pub fn reason(self, limits: &Limits, is_finding: bool) -> String {
        let megabytes = |bytes: usize| bytes >> 20;
        match self {
            Breach::Rows => {
                let most = if is_finding { limits.findings_per_rule } else { usize::MAX }.min(limits.rows_per_rule);
                format!("it has more than {most} rows")
            }
            Breach::Bytes => format!("its rows take more than {} MiB", megabytes(limits.bytes_per_rule)),
            Breach::Steps => format!("it took more than {} steps", limits.steps_per_rule),
            Breach::Made => "it makes too much text or too many large numbers".to_owned(),
            Breach::Time => format!("it took longer than {:?}", limits.time_per_rule.unwrap_or_default()),
            Breach::Rounds => format!("the recursion did not end within {} rounds", limits.rounds),
            Breach::AllSteps => format!("all rules together took more than {} steps", limits.steps),
            Breach::AllBytes => format!("the rows of all rules take more than {} MiB", megabytes(limits.bytes)),
            Breach::AllMade => "all rules together make too much text or too many large numbers".to_owned(),
            Breach::Ceiling(ceiling) => format!("{} ran out", ceiling.name()),
            Breach::Defect => "a defect in Harp".to_owned(),
        }
    }
}

/// What has been used.
#[derive(Clone, Debug, Default)]
pub(super) struct Used {
    pub steps: u64,
    bytes: usize,
    made: usize,
    bytes_of_rule: Vec<usize>,
    made_of_rule: Vec<usize>,
}

/// A bound on something, and which of the budgets it comes from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound<T> {
    pub left: T,
    pub breach: Breach,
}

fn smaller<T: Ord>(left: Bound<T>, right: Bound<T>) -> Bound<T> {
    if right.left < left.left { right } else { left }
}

impl Used {
    pub fn new(rules: usize) -> Self {
        Used { bytes_of_rule: vec![0; rules], made_of_rule: vec![0; rules], ..Used::default() }
    }

    pub fn steps_left(&self, limits: &Limits, spent: &RuleProfile) -> Bound<u64> {
        let own = Bound { left: limits.steps_per_rule.saturating_sub(spent.steps), breach: Breach::Steps };
        smaller(own, Bound { left: limits.steps.saturating_sub(self.steps), breach: Breach::AllSteps })
    }

    /// How many more rows of so many bytes a rule may have.
    pub fn rows_left(
        &self,
        limits: &Limits,
        rule: usize,
        spent: &RuleProfile,
        bytes_of_row: usize,
        is_finding: bool,
    ) -> Bound<usize> {
        let most = if is_finding { limits.findings_per_rule } else { usize::MAX }.min(limits.rows_per_rule);
        let rows = Bound { left: most.saturating_sub(spent.rows), breach: Breach::Rows };
        let own = limits.bytes_per_rule.saturating_sub(self.bytes_of_rule[rule]) / bytes_of_row;
        let all = limits.bytes.saturating_sub(self.bytes) / bytes_of_row;
        let bytes = smaller(Bound { left: own, breach: Breach::Bytes }, Bound { left: all, breach: Breach::AllBytes });
        smaller(rows, bytes)
    }

    pub fn made_left(&self, limits: &Limits, rule: usize) -> Bound<usize> {
        let own = limits.made_per_rule.saturating_sub(self.made_of_rule[rule]);
        let all = limits.made.saturating_sub(self.made);
        smaller(Bound { left: own, breach: Breach::Made }, Bound { left: all, breach: Breach::AllMade })
    }

    pub fn add(&mut self, rule: usize, steps: u64, bytes: usize, made: usize) {
        self.steps = self.steps.saturating_add(steps);
        self.bytes = self.bytes.saturating_add(bytes);
        self.made = self.made.saturating_add(made);
        self.bytes_of_rule[rule] = self.bytes_of_rule[rule].saturating_add(bytes);
        self.made_of_rule[rule] = self.made_of_rule[rule].saturating_add(made);
    }
}

/// About how many bytes a row takes: its cells, its place in the set, its derivation, and an index.
pub(super) fn bytes_of_row(arity: usize, premises: usize) -> usize {
    4 * arity + 20 + 4 * (premises + 1) + 12
}
