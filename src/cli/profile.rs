//! `--profile`: what an analysis cost, the time of its phases and of each rule.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use harp_datalog::RuleProfile;
use harp_report::terminal_escape;
use harp_report::text::Color;

use super::output;
use crate::text_table::{Side, Table};

/// Times and counts of one run. They differ from run to run and are no part of a report.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    /// In the order in which they ran.
    pub phases: Vec<(&'static str, Duration)>,
    /// In the order of the sources.
    pub rules: Vec<RuleProfile>,
}

impl Profile {
    /// Runs a phase and notes how long it took.
    pub fn measure<T>(&mut self, phase: &'static str, run: impl FnOnce() -> T) -> T {
        let started = Instant::now();
        let result = run();
        self.phases.push((phase, started.elapsed()));
        result
    }

    /// Adds what another analysis of the run cost.
    pub fn extend(&mut self, other: Profile) {
        for (phase, time) in other.phases {
            match self.phases.iter_mut().find(|(known, _)| *known == phase) {
                Some((_, known)) => *known += time,
                None => self.phases.push((phase, time)),
            }
        }
        for rule in other.rules {
            match self.rules.iter_mut().find(|known| known.rule == rule.rule) {
                Some(known) => {
                    known.time += rule.time;
                    known.rows += rule.rows;
                    known.steps += rule.steps;
                    known.runs += rule.runs;
                }
                None => self.rules.push(rule),
            }
        }
    }

    /// Writes the tables to the standard error, as far as anyone listens there.
    pub fn show(&self) {
        let _ = self.text(&mut output::standard_error(Color::Never));
    }

    /// The rules, the slowest first, then the phases.
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let number = |name: &str| (name.to_owned(), Side::Right);
        let columns = vec![number("time"), number("rows"), number("looked at"), number("runs"), number("stratum")];
        let mut table = Table::new([columns, vec![("rule".to_owned(), Side::Left)]].concat());
        for rule in self.by_time() {
            table.add(vec![
                milliseconds(rule.time),
                rule.rows.to_string(),
                rule.steps.to_string(),
                rule.runs.to_string(),
                rule.stratum.to_string(),
                terminal_escape::line(&rule.rule),
            ]);
        }
        table.write(out, |_, _| Ok(()))?;
        let total: Duration = self.rules.iter().map(|rule| rule.time).sum();
        let (rules, strata) = (self.rules.len(), self.strata());
        writeln!(out, "{rules} rules in {strata} strata took {} in total\n", milliseconds(total))?;
        let mut phases = Table::new(vec![number("time"), ("phase".to_owned(), Side::Left)]);
        for (phase, time) in &self.phases {
            phases.add(vec![milliseconds(*time), (*phase).to_owned()]);
        }
        phases.write(out, |_, _| Ok(()))
    }

    /// The same for programs.
    pub fn json(&self) -> Json {
        let seconds = |time: Duration| json!(time.as_secs_f64());
        let rules = self.by_time().into_iter().map(|rule| {
            json!({
                "rule": rule.rule, "seconds": seconds(rule.time), "rows": rule.rows, "rows_looked_at": rule.steps,
                "runs": rule.runs, "stratum": rule.stratum,
            })
        });
        let phases = self.phases.iter().map(|(phase, time)| json!({"phase": phase, "seconds": seconds(*time)}));
        json!({
            "rules": rules.collect::<Vec<_>>(), "strata": self.strata(), "phases": phases.collect::<Vec<_>>(),
        })
    }

    fn by_time(&self) -> Vec<&RuleProfile> {
        let mut rules: Vec<&RuleProfile> = self.rules.iter().collect();
        rules.sort_by(|left, right| right.time.cmp(&left.time).then_with(|| left.rule.cmp(&right.rule)));
        rules
    }

    fn strata(&self) -> usize {
        self.rules.iter().map(|rule| rule.stratum).max().unwrap_or(0)
    }
}

fn milliseconds(time: Duration) -> String {
    format!("{:.3} ms", time.as_secs_f64() * 1000.0)
}
