//! The options of a command's report: which findings a run reports, how much is shown, and which of them fail the run.

use std::path::Path;

use clap::{Args, ValueEnum};

use harp_corpus::{PathPattern, check_pattern};
use harp_report::{Finding, PerFileIgnore, Selection, Severity, Summary, Verdict};

use crate::config::rules::NamedRule;
use crate::rule_choice::RuleChoice;

/// What ends a run with exit code 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// Findings that are errors
    Error,
    /// Errors and warnings
    #[default]
    Warning,
    /// These, and what could not be checked completely
    Unknown,
    /// Nothing
    Never,
}

/// Which findings are reported, and which of them fail a run. Rules are named by their id (shape/mismatch), their pack (shape), or how
/// they begin ('perf/loop-*').
#[derive(Clone, Debug, Default, Args)]
pub struct ReportOptions {
    /// Which rules are reported.
    #[command(flatten)]
    pub choice: RuleChoice,
    /// Do not report a rule in some files: a pattern as in a .gitignore, relative to the current directory, and the rule
    #[arg(long, help_heading = "Rule selection", value_name = "PATTERN:RULE", value_parser = per_file_ignores)]
    pub per_file_ignores: Vec<PatternsAndRules>,
    /// What makes the exit code 1
    #[arg(long, help_heading = "Exit code", value_enum, default_value_t = FailOn::Warning, value_name = "WHAT")]
    pub fail_on: FailOn,
    /// Same as --fail-on never: exit code 0 unless Harp could not run
    #[arg(long, help_heading = "Exit code", conflicts_with = "fail_on")]
    pub exit_zero: bool,
    /// Wrap text at this column; the default is the width of the terminal, if there is one
    #[arg(long, help_heading = "Output", value_name = "COLUMNS")]
    pub width: Option<u16>,
}

/// A rule that is not reported in some files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternAndRule {
    /// The files, as in a `.gitignore`.
    pub pattern: String,
    /// Its id, its pack, or how ids begin.
    pub rule: String,
}

/// What one option says: several, with commas between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternsAndRules(pub Vec<PatternAndRule>);

/// Reads `tests/**:shape/mismatch,{a,b}.py:perf`: a comma within braces is part of a pattern.
fn per_file_ignores(text: &str) -> Result<PatternsAndRules, String> {
    let mut depth = 0_usize;
    let between = |char: char| {
        match char {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        char == ',' && depth == 0
    };
    text.split(between).map(per_file_ignore).collect::<Result<_, _>>().map(PatternsAndRules)
}

/// Reads `tests/**:shape/mismatch`.
fn per_file_ignore(text: &str) -> Result<PatternAndRule, String> {
    let split = text.rsplit_once(':').filter(|(_, rule)| !rule.trim().is_empty());
    let (pattern, rule) = split.ok_or("write a pattern and a rule, such as 'tests/**:shape'")?;
    check_pattern(pattern)?;
    Ok(PatternAndRule { pattern: pattern.to_owned(), rule: rule.trim().to_owned() })
}

impl ReportOptions {
    /// Adds what the command line says to the choice of the configuration. Patterns are relative to `folder`, which is absolute and without links.
    pub fn refine(&self, selection: &mut Selection, folder: &Path) {
        self.choice.refine(selection);
        // What is no pattern was refused when it was read.
        let in_files = self.in_files().filter_map(|PatternAndRule { pattern, rule }| {
            Some(PerFileIgnore { files: PathPattern::new(folder, pattern).ok()?, rules: vec![rule.clone()] })
        });
        selection.per_file_ignores.extend(in_files);
    }

    fn in_files(&self) -> impl Iterator<Item = &PatternAndRule> {
        self.per_file_ignores.iter().flat_map(|PatternsAndRules(several)| several)
    }

    /// The rules that the command line names.
    pub fn named_rules(&self) -> Vec<NamedRule> {
        let in_files = self.in_files().map(|it| NamedRule::on_command_line("--per-file-ignores", &it.rule));
        self.choice.named_rules().into_iter().chain(in_files).collect()
    }

    /// Whether what was reported fails the run.
    pub fn fails(&self, findings: &[Finding], summary: &Summary) -> bool {
        let has = |least: Severity| findings.iter().any(|finding| finding.severity <= least);
        let is_unknown = || summary.entries.iter().any(|entry| matches!(entry.verdict, Verdict::DontKnow(_)));
        match self.fail_on {
            _ if self.exit_zero => false,
            FailOn::Never => false,
            FailOn::Error => has(Severity::Error),
            FailOn::Warning => has(Severity::Warning),
            FailOn::Unknown => {
                let is_incomplete = !summary.skipped.is_empty() || !summary.incomplete_rules.is_empty();
                has(Severity::Warning) || is_unknown() || is_incomplete
            }
        }
    }
}
