//! `harp test`: compares what was expected with what Harp said.

use std::collections::BTreeMap;

use harp_corpus::Span;
use harp_report::{Assumption, EntryVerdict, Finding, REVEAL_RULE, Severity, Verdict};

use super::cases::Case;
use super::expectations::{Expectation, What};
use super::signatures::Inferred;
use super::{Analysed, Failure, PageResult};

/// Adds what is missing and what nobody expected to the page's failures. `stated` has the statements of each file of the case;
/// `counts` says whether a finding must be stated.
pub fn check(
    case: &Case,
    stated: &[Vec<Expectation>],
    analysed: &Analysed,
    counts: &dyn Fn(&Finding) -> bool,
    page: &mut PageResult,
) {
    let mut said = Said::new(analysed, counts);
    let mut differences: BTreeMap<usize, Failure> = BTreeMap::new();
    for (file, stated) in case.files.iter().zip(stated) {
        for expectation in stated {
            let place = (file.name.clone(), expectation.line);
            if let Some(instead) = said.check(&place, &expectation.what, page) {
                let difference = differences.entry(file.line + expectation.line - 1).or_default();
                difference.expected.push(expectation.stated.clone());
                for found in instead {
                    if !difference.found.contains(&found) {
                        difference.found.push(found);
                    }
                }
            }
        }
    }
    silenced_within(case, stated, analysed, page);
    for (finding, (name, line)) in said.to_show() {
        let file = case.files.iter().find(|file| file.name == name);
        let first = file.map_or(case.files[0].line, |file| file.line);
        differences.entry(first + line - 1).or_default().found.push(describe(finding));
    }
    for (line, mut failure) in differences {
        failure.line = line;
        if failure.found.is_empty() {
            failure.found.push("nothing".to_owned());
        }
        page.failures.push(failure);
    }
}

/// Tells of requirements in sources of the pack that a filter silences and nobody states: who wrote them would not see that they say nothing.
fn silenced_within(case: &Case, stated: &[Vec<Expectation>], analysed: &Analysed, page: &mut PageResult) {
    for alarm in analysed.summary.silenced.iter().filter(|alarm| alarm.is_inside) {
        let (name, line) = place(analysed, alarm.span);
        let Some((file, stated)) = case.files.iter().zip(stated).find(|(file, _)| file.name == name) else { continue };
        let is_it = |what: &What| matches!(what, What::Silenced(filter) if *filter == *alarm.filter);
        if stated.iter().any(|it| it.line == line && is_it(&it.what)) {
            continue;
        }
        let line = file.line + line - 1;
        page.warnings.insert(format!(
            "line {line}: the filter `{}` silences what a source requires: {}",
            alarm.filter, alarm.what
        ));
    }
}

/// A file and a line of it.
type Place = (String, usize);

/// What Harp said, by place.
struct Said<'a> {
    analysed: &'a Analysed,
    counts: &'a dyn Fn(&Finding) -> bool,
    findings: BTreeMap<Place, Vec<One<'a>>>,
    /// Inferred when a statement asks for them.
    signatures: Option<Inferred>,
}

/// A finding.
struct One<'a> {
    finding: &'a Finding,
    /// A statement expects it.
    expected: bool,
    /// It stands where a statement does not hold.
    shown: bool,
}

impl<'a> Said<'a> {
    fn new(analysed: &'a Analysed, counts: &'a dyn Fn(&Finding) -> bool) -> Said<'a> {
        let mut findings: BTreeMap<Place, Vec<One>> = BTreeMap::new();
        for finding in &analysed.findings {
            let place = place(analysed, finding.primary.span);
            findings.entry(place).or_default().push(One { finding, expected: false, shown: false });
        }
        Said { analysed, counts, findings, signatures: None }
    }

    /// Where a statement does not hold, what there is instead; findings are shown besides.
    fn check(&mut self, place: &Place, what: &What, page: &mut PageResult) -> Option<Vec<String>> {
        let holds = match what {
            What::Finding { severity, rule, text } => {
                let fits = |finding: &Finding| {
                    severity.is_none_or(|severity| finding.severity == severity)
                        && rule.as_ref().is_none_or(|rule| finding.rule == *rule)
                        && text.as_ref().is_none_or(|text| text_of(finding).contains(text.as_str()))
                };
                let taken = self.take(place, fits);
                page.found.extend(taken.map(|finding| finding.rule.clone()));
                taken.is_some()
            }
            What::Revealed(text) => {
                let fits = |finding: &Finding| finding.rule == REVEAL_RULE && finding.message.contains(text.as_str());
                self.take(place, fits).is_some()
            }
            What::Assumes(text) => return self.assumes(place, text),
            What::Saves(text) => return self.saves(place, text),
            What::Verdict(text) => return self.verdict(place, text),
            What::Silenced(filter) => return self.silenced(place, filter),
            What::Signature(text) => {
                let analysed = self.analysed;
                let signatures = self.signatures.get_or_insert_with(|| Inferred::new(&analysed.subject));
                let found = signatures.missing(&place.0, place.1, text)?;
                return Some(or_else(found, "no signature"));
            }
            What::Nothing => {
                page.has_ok = true;
                let counts = self.counts;
                self.none(place, counts)
            }
            What::Silent(rule) => {
                page.silent.insert(rule.clone());
                self.none(place, &|finding: &Finding| finding.rule == *rule)
            }
        };
        (!holds).then(Vec::new)
    }

    /// The first finding that fits and was not expected yet. Where there is none, the others are to be shown.
    fn take(&mut self, place: &Place, fits: impl Fn(&Finding) -> bool) -> Option<&'a Finding> {
        let findings = self.findings.get_mut(place)?;
        match findings.iter_mut().find(|said| !said.expected && fits(said.finding)) {
            Some(said) => {
                said.expected = true;
                Some(said.finding)
            }
            None => {
                findings.iter_mut().for_each(|said| said.shown = true);
                None
            }
        }
    }

    /// Whether no finding is as it must not be. Such findings are to be shown.
    fn none(&mut self, place: &Place, unwanted: &dyn Fn(&Finding) -> bool) -> bool {
        let mut none = true;
        for said in self.findings.get_mut(place).into_iter().flatten().filter(|said| unwanted(said.finding)) {
            said.shown = true;
            // One that a statement of the same line expects is shown all the same: both cannot hold.
            said.expected = false;
            none = false;
        }
        none
    }

    fn assumes(&self, place: &Place, text: &str) -> Option<Vec<String>> {
        let findings = self.findings.get(place).into_iter().flatten().flat_map(|said| &said.finding.assumptions);
        let entries = self.entries(place).flat_map(|entry| &entry.assumptions);
        let assumptions: Vec<&Assumption> = findings.chain(entries).collect();
        let fits = |it: &&Assumption| [&it.text, &it.subject, &it.kind].iter().any(|part| part.contains(text));
        if assumptions.iter().any(fits) {
            return None;
        }
        let found = assumptions.iter().map(|assumption| format!("assumes: {}", assumption.text));
        Some(or_else(found.collect(), "no assumption"))
    }

    fn saves(&self, place: &Place, text: &str) -> Option<Vec<String>> {
        let findings = self.findings.get(place).into_iter().flatten();
        let told: Vec<String> = findings.filter_map(|said| Some(said.finding.saving.as_ref()?.sentence())).collect();
        if told.iter().any(|sentence| sentence.contains(text)) {
            return None;
        }
        Some(or_else(told.iter().map(|sentence| format!("saves: {sentence}")).collect(), "no saving"))
    }

    fn verdict(&self, place: &Place, text: &str) -> Option<Vec<String>> {
        let verdicts: Vec<String> = self.entries(place).map(|entry| verdict(&entry.verdict)).collect();
        let holds = verdicts.iter().any(|verdict| verdict.starts_with(text));
        let found = verdicts.iter().map(|verdict| format!("verdict: {verdict}"));
        (!holds).then(|| or_else(found.collect(), "no entry"))
    }

    fn silenced(&self, place: &Place, filter: &str) -> Option<Vec<String>> {
        let alarms = self.analysed.summary.silenced.iter();
        let here = alarms.filter(|alarm| self::place(self.analysed, alarm.span) == *place);
        let filters: Vec<&str> = here.map(|alarm| alarm.filter).collect();
        let found = || filters.iter().map(|filter| format!("silenced: {filter}")).collect();
        (!filters.contains(&filter)).then(|| or_else(found(), "nothing is silenced"))
    }

    fn entries(&self, place: &Place) -> impl Iterator<Item = &'a EntryVerdict> {
        let analysed = self.analysed;
        let place = place.clone();
        analysed.summary.entries.iter().filter(move |entry| self::place(analysed, entry.span) == place)
    }

    /// The findings at places where a statement does not hold, and errors and warnings that nobody expected.
    fn to_show(&self) -> Vec<(&'a Finding, Place)> {
        let mut shown = Vec::new();
        for (place, findings) in &self.findings {
            for said in findings.iter().filter(|said| !said.expected) {
                let unexpected = said.finding.severity != Severity::Note && (self.counts)(said.finding);
                if said.shown || unexpected {
                    shown.push((said.finding, place.clone()));
                }
            }
        }
        shown
    }
}

fn or_else(found: Vec<String>, none: &str) -> Vec<String> {
    if found.is_empty() { vec![none.to_owned()] } else { found }
}

pub fn place(analysed: &Analysed, span: Span) -> Place {
    let file = analysed.subject.corpus.file(span.file);
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
        Verdict::NoErrorWhen(condition) => format!("no error possible when {condition}"),
        Verdict::NoErrorBeside { calls, condition } => {
            let when = condition.as_ref().map(|condition| format!(" when {condition}")).unwrap_or_default();
            format!("no error possible{when} beside what was not followed: {}", calls.join("; "))
        }
        Verdict::Error => "error".to_owned(),
        Verdict::ErrorWhen(condition) => format!("error when {condition}"),
        Verdict::DontKnow(reasons) => format!("don't know: {}", reasons.join("; ")),
    }
}

fn describe(finding: &Finding) -> String {
    let condition = finding.condition.as_ref().map_or(String::new(), |condition| format!(" (fails when {condition})"));
    format!("{}: [{}] \"{}\"{condition}", finding.severity, finding.rule, finding.message)
}
