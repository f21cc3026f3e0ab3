//! Which rules a command reports, of those that there are and that the configuration chooses.

use clap::{Args, ValueEnum};
use harp_report::{Selection, Severity};

use crate::config::rules::NamedRule;

/// The severities that can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LeastSeverity {
    /// Errors alone
    Error,
    /// Errors and warnings
    Warning,
    /// Everything
    Note,
}

/// Which rules are reported. They are named by their id (shape/mismatch), their pack (shape), or how they begin ('perf/loop-*').
#[derive(Clone, Debug, Default, Args)]
pub struct RuleChoice {
    /// Report only these rules, packs or tags, instead of those that the configuration selects
    #[arg(long, help_heading = "Rule selection", value_name = "RULES", value_delimiter = ',')]
    pub select: Vec<String>,
    /// Report these rules as well, such as those on request
    #[arg(long, help_heading = "Rule selection", value_name = "RULES", value_delimiter = ',')]
    pub extend_select: Vec<String>,
    /// Do not report these rules either
    #[arg(long, help_heading = "Rule selection", value_name = "RULES", value_delimiter = ',')]
    pub ignore: Vec<String>,
    /// The least severity to report
    #[arg(long, help_heading = "Rule selection", value_enum, value_name = "SEVERITY")]
    pub min_severity: Option<LeastSeverity>,
    /// Report only findings without assumptions and conditions
    #[arg(long, help_heading = "Rule selection")]
    pub certain_only: bool,
}

impl RuleChoice {
    /// Adds what the command line says to the choice of the configuration.
    pub fn refine(&self, selection: &mut Selection) {
        if !self.select.is_empty() {
            selection.select = Some(self.select.clone());
            selection.is_select_configured = false;
        }
        let extended = selection.select.as_mut().unwrap_or(&mut selection.extend_select);
        extended.extend(self.extend_select.iter().cloned());
        selection.ignore.extend(self.ignore.iter().cloned());
        selection.least = self.min_severity.map_or(selection.least, |least| match least {
            LeastSeverity::Error => Severity::Error,
            LeastSeverity::Warning => Severity::Warning,
            LeastSeverity::Note => Severity::Note,
        });
        selection.certain_only |= self.certain_only;
    }

    /// The rules that it names.
    pub fn named_rules(&self) -> Vec<NamedRule> {
        let lists = [("--select", &self.select), ("--extend-select", &self.extend_select), ("--ignore", &self.ignore)];
        let named = |(option, names): (&str, &Vec<String>)| {
            names.iter().map(|name| NamedRule::on_command_line(option, name)).collect::<Vec<_>>()
        };
        lists.into_iter().flat_map(named).collect()
    }
}
