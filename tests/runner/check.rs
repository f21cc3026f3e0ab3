//! Compares what was expected with what Harp said.

use std::collections::BTreeMap;

use harp::cli::pipeline::Analysis;
use harp::corpus::Span;
use harp::report::{Assumption, Finding, REVEAL_RULE, Severity, Verdict};

use super::Failure;
use super::cases::Case;
use super::expectations::{self, Expectation, What};
use super::signatures::Inferred;

/// Adds to `failures` what is missing and what nobody expected.
pub fn check(case: &Case, analysis: &Analysis, failures: &mut Vec<Failure>) {
    let mut said = Said::new(analysis);
    let mut inferred = None;
    for file in &case.files {
        for expectation in expectations::parse(&file.text, file.line, failures) {
            if let What::Signature(stated) = &expectation.what {
                let inferred = inferred.get_or_insert_with(|| Inferred::new(case));
                if let Some(message) = inferred.missing(&file.name, expectation.line, stated) {
                    failures.push(Failure::new(file.line + expectation.stands_on - 1, message));
                }
                continue;
            }
            if let Some(message) = said.missing(&file.name, &expectation) {
                failures.push(Failure::new(file.line + expectation.stands_on - 1, message));
            }
        }
    }
    for (finding, (name, line)) in said.unexpected() {
        let file = case.files.iter().find(|file| file.name == name);
        let first = file.map_or(case.files[0].line, |file| file.line);
        failures.push(Failure::new(first + line - 1, format!("unexpected {}", describe(finding))));
    }
}

/// What Harp said, by file and line.
struct Said<'a> {
    analysis: &'a Analysis,
    findings: BTreeMap<(String, usize), Vec<&'a Finding>>,
    /// By index into a line's findings, which ones were expected.
    matched: BTreeMap<(String, usize), Vec<bool>>,
}

impl<'a> Said<'a> {
    fn new(analysis: &'a Analysis) -> Said<'a> {
        let mut findings: BTreeMap<(String, usize), Vec<&Finding>> = BTreeMap::new();
        for finding in &analysis.findings {
            findings.entry(place(analysis, finding.primary.span)).or_default().push(finding);
        }
        let matched = findings.iter().map(|(place, findings)| (place.clone(), vec![false; findings.len()])).collect();
        Said { analysis, findings, matched }
    }

    /// What to say where the expectation is not met.
    fn missing(&mut self, file: &str, expectation: &Expectation) -> Option<String> {
        let place = (file.to_owned(), expectation.line);
        match &expectation.what {
            What::Finding { severity, rule, text } => {
                let fits = |finding: &Finding| {
                    finding.severity == *severity
                        && rule.as_ref().is_none_or(|rule| finding.rule == *rule)
                        && text.as_ref().is_none_or(|text| text_of(finding).contains(text.as_str()))
                };
                self.take(&place, fits)
            }
            What::Revealed(text) => {
                self.take(&place, |finding| finding.rule == REVEAL_RULE && finding.message.contains(text.as_str()))
            }
            What::Assumes(text) => self.assumes(&place, text),
            What::Verdict(text) => self.verdict(&place, text),
            What::Signature(_) => None,
            What::Nothing => {
                let findings = self.findings.get(&place)?;
                Some(format!("expected nothing, found {}", describe_all(findings)))
            }
        }
        .map(|found| format!("expected {:?}, {found}", expectation.what))
    }

    /// Marks the first finding that fits and was not expected yet; what is there instead, where there is none.
    fn take(&mut self, place: &(String, usize), fits: impl Fn(&Finding) -> bool) -> Option<String> {
        let findings = self.findings.get(place).map_or(&[][..], Vec::as_slice);
        let matched = self.matched.entry(place.clone()).or_default();
        let fitting = (0..findings.len()).find(|index| !matched[*index] && fits(findings[*index]));
        match fitting {
            Some(index) => {
                matched[index] = true;
                None
            }
            None => Some(format!("found {}", describe_all(findings))),
        }
    }

    fn assumes(&self, place: &(String, usize), text: &str) -> Option<String> {
        let findings = self.findings.get(place).into_iter().flatten().flat_map(|finding| &finding.assumptions);
        let entries = self.entries(place).flat_map(|entry| &entry.assumptions);
        let assumptions: Vec<&Assumption> = findings.chain(entries).collect();
        let fits = |it: &&Assumption| [&it.text, &it.subject, &it.kind].iter().any(|part| part.contains(text));
        if assumptions.iter().any(fits) {
            return None;
        }
        let found: Vec<&str> = assumptions.iter().map(|assumption| assumption.text.as_str()).collect();
        Some(format!("found the assumptions {found:?}"))
    }

    fn verdict(&self, place: &(String, usize), text: &str) -> Option<String> {
        let verdicts: Vec<String> = self.entries(place).map(|entry| verdict(&entry.verdict)).collect();
        let met = verdicts.iter().any(|verdict| verdict.starts_with(text));
        (!met).then(|| format!("found the verdicts {verdicts:?}"))
    }

    fn entries(&self, place: &(String, usize)) -> impl Iterator<Item = &'a harp::report::EntryVerdict> {
        let analysis = self.analysis;
        let place = place.clone();
        analysis.summary.entries.iter().filter(move |entry| self::place(analysis, entry.span) == place)
    }

    /// Errors and warnings that nobody expected.
    fn unexpected(&self) -> Vec<(&'a Finding, (String, usize))> {
        let mut unexpected = Vec::new();
        for (place, findings) in &self.findings {
            let matched = &self.matched[place];
            let rest = findings
                .iter()
                .zip(matched)
                .filter(|(finding, matched)| !**matched && finding.severity != Severity::Note);
            unexpected.extend(rest.map(|(finding, _)| (*finding, place.clone())));
        }
        unexpected
    }
}

fn place(analysis: &Analysis, span: Span) -> (String, usize) {
    let file = analysis.corpus.file(span.file);
    let name = file.map_or(String::new(), |file| file.display_path.clone());
    let line = file.map_or(1, |file| file.line_column(span.start).line);
    (name, line as usize)
}

/// The message with all that a reader sees of a finding besides.
fn text_of(finding: &Finding) -> String {
    let labels = finding.labels.iter().map(|label| label.text.as_str());
    let condition = finding.condition.iter().map(|condition| format!("fails when {condition}"));
    let counterexample = finding.counterexample.iter().map(|example| format!("for example {example}"));
    let mut parts = vec![finding.message.clone(), finding.primary.text.clone()];
    parts.extend(labels.map(str::to_owned).chain(condition).chain(counterexample));
    parts.extend(finding.notes.iter().chain(&finding.help).chain(&finding.suggestion).cloned());
    parts.join("\n")
}

fn verdict(verdict: &Verdict) -> String {
    match verdict {
        Verdict::NoErrorPossible => "no error possible".to_owned(),
        Verdict::Error => "error".to_owned(),
        Verdict::ErrorWhen(condition) => format!("error when {condition}"),
        Verdict::DontKnow(reasons) => format!("don't know: {}", reasons.join("; ")),
    }
}

fn describe(finding: &Finding) -> String {
    let condition = finding.condition.as_ref().map_or(String::new(), |condition| format!(" (fails when {condition})"));
    format!("{}: [{}] \"{}\"{condition}", finding.severity, finding.rule, finding.message)
}

fn describe_all(findings: &[&Finding]) -> String {
    if findings.is_empty() {
        return "nothing".to_owned();
    }
    findings.iter().map(|finding| describe(finding)).collect::<Vec<_>>().join(" and ")
}
