//! Several reports as one: files are numbered anew, findings sorted together, and what the runs covered added up.

use std::collections::BTreeMap;
use std::path::PathBuf;

use harp_corpus::{Corpus, FileId, Span};

use crate::coverage::Coverage;
use crate::finding::{Finding, RuleDescription};
use crate::fingerprint;
use crate::places::{in_finding, in_summary};
use crate::silence_comments::{bound_together, notice};
use crate::summary::{Fixes, Summary};
use crate::suppressions::sort;

/// Reports that were joined.
#[derive(Debug, Default)]
pub struct Joined {
    /// In their final order once [`Joined::finish`] was called.
    pub findings: Vec<Finding>,
    /// What all runs covered.
    pub summary: Summary,
    /// What was followed of each file, where somebody asked.
    pub coverage: Option<Coverage>,
    /// The files that findings and summaries speak of.
    pub sources: Corpus,
    /// Each rule once.
    pub rules: Vec<RuleDescription>,
    numbers: BTreeMap<PathBuf, Vec<FileId>>,
}

/// A report that is joined with others.
pub struct Part<'a> {
    /// What is reported.
    pub findings: Vec<Finding>,
    /// What the run covered.
    pub summary: Summary,
    /// What was followed of each file, where somebody asked.
    pub coverage: Option<Coverage>,
    /// The files that they speak of.
    pub sources: &'a Corpus,
    /// What is known of the rules.
    pub rules: Vec<RuleDescription>,
}

impl Joined {
    /// Adds a report.
    pub fn add(&mut self, part: Part<'_>) {
        let Part { mut findings, mut summary, coverage, sources, rules } = part;
        let mut known = BTreeMap::new();
        let mut renumber = |span: &mut Span| {
            span.file = *known.entry(span.file).or_insert_with(|| self.number(span.file, sources));
        };
        findings.iter_mut().for_each(|finding| in_finding(finding, &mut renumber));
        in_summary(&mut summary, &mut renumber);
        let coverage = coverage.map(|mut coverage| {
            in_coverage(&mut coverage, &mut renumber);
            coverage
        });
        self.findings.extend(findings);
        // It is told of all together.
        let of_part = notice(summary.further_remarks);
        summary.notices.retain(|notice| Some(notice) != of_part.as_ref());
        add_summary(&mut self.summary, summary);
        if let Some(coverage) = coverage {
            self.coverage.get_or_insert_default().files.extend(coverage.files);
        }
        self.rules.extend(rules);
    }

    /// Brings all into its final form, once everything was added.
    pub fn finish(&mut self) {
        sort(&mut self.findings, &self.sources);
        bound_together(&mut self.findings, &mut self.summary);
        fingerprint::assign(&mut self.findings, &self.sources);
        sort(&mut self.summary.in_source, &self.sources);
        fingerprint::assign(&mut self.summary.in_source, &self.sources);
        self.summary.sort();
        self.summary.skipped.dedup();
        if let Some(coverage) = &mut self.coverage {
            let sources = &self.sources;
            coverage.files.sort_by_key(|file| sources.file(file.file).map(|file| file.display_path.clone()));
        }
        self.rules.sort();
        self.rules.dedup_by(|later, earlier| later.id == earlier.id);
    }

    /// The number of a file here. A file that two reports read alike is one.
    fn number(&mut self, file: FileId, sources: &Corpus) -> FileId {
        let Some(file) = sources.file(file) else { return FileId(u32::MAX) };
        let of_path = self.numbers.entry(file.path.clone()).or_default();
        let is_same = |number: &&FileId| self.sources.file(**number).is_some_and(|other| other.text == file.text);
        if let Some(number) = of_path.iter().find(is_same) {
            return *number;
        }
        let number = FileId(u32::try_from(self.sources.files.len()).unwrap_or(u32::MAX));
        of_path.push(number);
        let mut file = file.clone();
        file.id = number;
        self.sources.files.push(file);
        number
    }
}

fn in_coverage(coverage: &mut Coverage, change: &mut dyn FnMut(&mut Span)) {
    for file in &mut coverage.files {
        let mut whole = Span::new(file.file, 0, 0);
        change(&mut whole);
        file.file = whole.file;
        file.gaps.iter_mut().for_each(|gap| change(&mut gap.span));
    }
}

/// Adds what another run covered. Each list is taken apart by name, so that a new one is not forgotten.
fn add_summary(all: &mut Summary, other: Summary) {
    let Summary {
        files,
        lines,
        imported,
        entries,
        not_understood,
        complexities,
        silenced,
        is_silenced_cut,
        rewrites,
        fixes,
        skipped,
        notices,
        further_remarks,
        budgets,
        incomplete_rules,
        suppressed,
        in_source,
        in_baseline,
        gone_from_baseline,
        answered,
        unused_answers,
        hints,
    } = other;
    all.files += files;
    all.lines += lines;
    all.imported += imported;
    all.entries.extend(entries);
    for unknown in not_understood {
        match all.not_understood.iter_mut().find(|known| known.what == unknown.what) {
            Some(known) => known.count += unknown.count,
            None => all.not_understood.push(unknown),
        }
    }
    for complexity in complexities {
        match all.complexities.iter_mut().find(|known| known.kind == complexity.kind) {
            Some(known) => {
                if known.not_followed == 0 && complexity.not_followed > 0 {
                    known.example = complexity.example;
                }
                known.places += complexity.places;
                known.not_followed += complexity.not_followed;
            }
            None => all.complexities.push(complexity),
        }
    }
    all.silenced.extend(silenced);
    all.is_silenced_cut |= is_silenced_cut;
    all.rewrites.checked += rewrites.checked;
    all.rewrites.unchecked += rewrites.unchecked;
    all.rewrites.withheld.extend(rewrites.withheld);
    if let Some(fixes) = fixes {
        add_fixes(all.fixes.get_or_insert_default(), fixes);
    }
    all.skipped.extend(skipped);
    all.notices.extend(notices);
    all.further_remarks += further_remarks;
    all.budgets.extend(budgets);
    all.incomplete_rules.extend(incomplete_rules);
    all.suppressed += suppressed;
    all.in_source.extend(in_source);
    all.in_baseline += in_baseline;
    all.gone_from_baseline += gone_from_baseline;
    all.answered.extend(answered);
    all.unused_answers.extend(unused_answers);
    for (hint, helped) in hints {
        *all.hints.entry(hint).or_default() += helped;
    }
}

fn add_fixes(all: &mut Fixes, other: Fixes) {
    let Fixes { made, files, refused, left, unsafe_left } = other;
    all.made += made;
    all.files += files;
    all.refused.extend(refused);
    all.left += left;
    all.unsafe_left += unsafe_left;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Label, Severity};
    use crate::silence_comments::UNUSED_SILENCE_RULE;

    fn part<'a>(sources: &'a Corpus, rule: &str) -> Part<'a> {
        let span = Span::new(FileId(0), 0, 1);
        let mut finding = Finding::new(rule, Severity::Error, "message", Label::new(span, ""));
        finding.labels.push(Label::new(span, "label"));
        let summary = Summary { files: 1, lines: 2, ..Summary::default() };
        Part { findings: vec![finding], summary, coverage: None, sources, rules: Vec::new() }
    }

    #[test]
    fn findings_point_to_their_files_and_are_sorted() {
        let (first, second) = (Corpus::single("b.py", "x = 1\n"), Corpus::single("a.py", "y = 2\n"));
        let mut joined = Joined::default();
        joined.add(part(&first, "r"));
        joined.add(part(&second, "r"));
        joined.add(part(&first, "s"));
        joined.finish();
        let name = |span: Span| joined.sources.file(span.file).map(|file| file.display_path.as_str());
        let places: Vec<_> = joined.findings.iter().map(|it| (name(it.primary.span), it.rule.as_str())).collect();
        assert_eq!(places, [(Some("a.py"), "r"), (Some("b.py"), "r"), (Some("b.py"), "s")]);
        assert!(joined.findings.iter().all(|it| it.labels[0].span == it.primary.span));
        assert_eq!((joined.summary.files, joined.sources.files.len()), (3, 2));
    }

    #[test]
    fn remarks_on_comments_are_bounded_together() {
        let mut joined = Joined::default();
        let files: Vec<Corpus> = (0..11).map(|it| Corpus::single(&format!("{it}.py"), "x = 1\n")).collect();
        for file in &files {
            let mut part = part(file, UNUSED_SILENCE_RULE);
            let first = part.findings[0].clone();
            part.findings = (0..100).map(|it| Finding { message: it.to_string(), ..first.clone() }).collect();
            part.summary.further_remarks = 7;
            part.summary.notices.extend(notice(7));
            joined.add(part);
        }
        joined.finish();
        let texts: Vec<&str> = joined.summary.notices.iter().map(|notice| notice.text.as_str()).collect();
        assert_eq!(joined.findings.len(), 1000);
        assert!(texts.len() == 1 && texts[0].starts_with("177 further remarks"), "{texts:?}");
    }

    #[test]
    fn what_two_reports_say_alike_is_said_once() {
        let file = Corpus::single("a.py", "x = 1\n");
        let mut joined = Joined::default();
        joined.add(part(&file, "r"));
        joined.add(part(&file, "r"));
        joined.finish();
        assert_eq!(joined.findings.len(), 1);
    }
}
