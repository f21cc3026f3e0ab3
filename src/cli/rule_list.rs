//! `harp rules`: which rules there are, and their pages.

use std::io::{self, Write};

use serde_json::{Value, json};

use harp_report::columns::{self, padded};
use harp_report::text::Color;
use harp_report::{RuleDescription, UserError, json, terminal_escape};

use super::explain;
use super::options::{ColorChoice, ListFormat, RulesOptions};
use super::output::{self, Destination};
use super::pipeline::Rules;
use super::project_folders::Projects;
use crate::{Outcome, rule_findings};

/// Lists the rules, or prints one rule's page.
pub(super) fn run(options: &RulesOptions, color: ColorChoice) -> Result<Outcome, UserError> {
    let functors = rule_findings::functors();
    let loaded = Rules::load(&Projects::of(&options.pack).all_named_by_user(&options.pack), &functors);
    output::show_errors(&loaded.errors, color);
    output::show_errors(&loaded.warnings, color);
    let known = loaded.descriptions();
    let shown = match &options.rule {
        Some(wanted) => vec![find(wanted, &known)?],
        None => known.iter().collect(),
    };
    Destination::StandardOutput.write(Color::Never, |out| match options.format {
        ListFormat::Json => json_list(&shown, out),
        ListFormat::Text if options.rule.is_some() => shown.iter().try_for_each(|rule| page(rule, out)),
        ListFormat::Text => list(&shown, out),
    })?;
    Ok(if loaded.errors.is_empty() { Outcome::Clean } else { Outcome::Failed })
}

fn find<'r>(wanted: &str, rules: &'r [RuleDescription]) -> Result<&'r RuleDescription, UserError> {
    let unknown = || explain::unknown_rule(wanted, rules.iter().map(|rule| rule.id.as_str()));
    rules.iter().find(|rule| rule.id == wanted).ok_or_else(unknown)
}

/// A line for each rule: id, severity, tags, title.
fn list(rules: &[&RuleDescription], out: &mut dyn Write) -> io::Result<()> {
    let rows: Vec<[String; 4]> = rules.iter().map(|rule| row(rule)).collect();
    let width = |column: usize| rows.iter().map(|row| columns::width(&row[column])).max().unwrap_or(0);
    let (id_width, tags_width) = (width(0), width(2));
    rows.iter().try_for_each(|[id, severity, tags, title]| {
        let line = format!("{}  {severity:7}  {}  {title}", padded(id, id_width), padded(tags, tags_width));
        writeln!(out, "{}", line.trim_end())
    })
}

fn row(rule: &RuleDescription) -> [String; 4] {
    let severity = rule.severity.as_str().to_owned();
    [terminal_escape::line(&rule.id), severity, terminal_escape::line(&kind(rule)), terminal_escape::line(&rule.title)]
}

/// The tags, and whether somebody has to ask for it.
fn kind(rule: &RuleDescription) -> String {
    let on_request = rule.kind.is_on_request.then_some("on request");
    rule.kind.tags.iter().map(String::as_str).chain(on_request).collect::<Vec<_>>().join(", ")
}

/// The rule's page; where it has none, what its declaration says. Pages are not trusted any more than other files.
fn page(rule: &RuleDescription, out: &mut dyn Write) -> io::Result<()> {
    if rule.page.is_empty() {
        return writeln!(out, "# {}\n\n{}", terminal_escape::line(&rule.id), terminal_escape::line(&rule.title));
    }
    rule.page.lines().try_for_each(|line| writeln!(out, "{}", terminal_escape::source_line(line)))
}

fn json_list(rules: &[&RuleDescription], out: &mut dyn Write) -> io::Result<()> {
    let rules: Vec<Value> = rules
        .iter()
        .map(|rule| {
            json!({
                "id": rule.id,
                "severity": rule.severity.as_str(),
                "tags": rule.kind.tags,
                "on_request": rule.kind.is_on_request,
                "title": rule.title,
                "page": rule.page,
            })
        })
        .collect();
    let document = json!({
        "version": 1,
        "tool": { "name": "harp", "version": env!("CARGO_PKG_VERSION") },
        "rules": rules,
    });
    json::write(&document, out)
}
