//! Which findings are shown: suppression comments in the source, and what the configuration silences or re-grades.

use std::collections::BTreeMap;

use harp_corpus::{FileId, Span};

use crate::finding::{Finding, Label, Severity};
use crate::fingerprint;
use crate::sources::Sources;
use crate::summary::Summary;

/// The rule of the findings that say where a file is not Python.
pub const SYNTAX_RULE: &str = "syntax-error";

/// A user's choice among the findings. A rule is named by its id (`shape/mismatch`) or its pack (`shape`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    /// The rules whose findings are reported, where it is not all.
    pub select: Option<Vec<String>>,
    /// Rules whose findings are dropped.
    pub ignore: Vec<String>,
    /// Severities in place of the rules' own; the more specific name wins.
    pub severity: BTreeMap<String, Severity>,
    /// What is less severe is dropped.
    pub least: Severity,
    /// Whether what rests on an assumption or a condition is dropped.
    pub certain_only: bool,
}

impl Default for Selection {
    fn default() -> Selection {
        Selection {
            select: None,
            ignore: Vec::new(),
            severity: BTreeMap::new(),
            least: Severity::Note,
            certain_only: false,
        }
    }
}

/// Brings findings into their final form: silenced ones are dropped and counted, severities set, the rest sorted by place, each
/// kept once, and named by a fingerprint.
pub fn finish(findings: &mut Vec<Finding>, summary: &mut Summary, selection: &Selection, sources: &dyn Sources) {
    sort(findings, sources);
    let mut comments = Comments::default();
    findings.retain(|finding| selection.asks_for(finding));
    let before = findings.len();
    findings.retain(|finding| silence(finding, &mut comments, selection, sources).is_none());
    summary.suppressed += before - findings.len();
    for finding in findings.iter_mut() {
        let mut places = std::iter::once(&finding.primary).chain(finding.labels.iter().filter(|label| is_call(label)));
        if finding.severity == Severity::Error
            && places.any(|label| sources.shows_error(label.span.file, label.span.start))
        {
            finding.severity = Severity::Note;
            finding
                .notes
                .push("the notebook keeps an error as the output of this cell, so its author knows".to_owned());
        }
        if let Some(severity) = selection.severity_of(&finding.rule) {
            finding.severity = severity;
        }
    }
    findings.retain(|finding| finding.severity <= selection.least);
    summary.sort();
    fingerprint::assign(findings, sources);
}

/// Whether a label stands where something happens: a call on the way there. Others say where operands are from.
fn is_call(label: &Label) -> bool {
    label.text.ends_with("reached by this call")
}

/// What keeps a finding out of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Silence {
    /// `# harp: ignore` on its line.
    LineComment,
    /// `# harp: ignore-file`.
    FileComment,
    /// `ignore` in the configuration.
    Configuration,
}

/// What silences a finding, if anything does.
pub fn silenced_by(finding: &Finding, selection: &Selection, sources: &dyn Sources) -> Option<Silence> {
    silence(finding, &mut Comments::default(), selection, sources)
}

fn silence(
    finding: &Finding,
    comments: &mut Comments,
    selection: &Selection,
    sources: &dyn Sources,
) -> Option<Silence> {
    let span = finding.primary.span;
    if comments.of_file(span.file, sources).iter().any(|directive| directive.silences(&finding.rule)) {
        Some(Silence::FileComment)
    } else if selection.ignore.iter().any(|name| names(name, &finding.rule)) {
        Some(Silence::Configuration)
    } else if comments.of_lines(span, sources).iter().any(|directive| directive.silences(&finding.rule)) {
        Some(Silence::LineComment)
    } else {
        None
    }
}

impl Selection {
    /// Whether somebody who chose like that wants to see a finding, whatever its severity. That a file is no Python is always said.
    fn asks_for(&self, finding: &Finding) -> bool {
        let is_selected = |select: &Vec<String>| select.iter().any(|name| names(name, &finding.rule));
        let is_asked = self.select.as_ref().is_none_or(is_selected) && (!self.certain_only || finding.certain());
        is_asked || finding.rule == SYNTAX_RULE
    }

    fn severity_of(&self, rule: &str) -> Option<Severity> {
        let matching = self.severity.iter().filter(|(name, _)| names(name, rule));
        matching.max_by_key(|(name, _)| name.len()).map(|(_, severity)| *severity)
    }
}

/// Whether `name`, a rule's id, a pack's, or the beginning of ids with a star, means the rule.
fn names(name: &str, rule: &str) -> bool {
    if let Some(start) = name.strip_suffix('*') {
        return rule.starts_with(start);
    }
    rule == name || rule.strip_prefix(name).is_some_and(|rest| rest.starts_with('/'))
}

fn sort(findings: &mut Vec<Finding>, sources: &dyn Sources) {
    findings.sort_by(|a, b| {
        let key = |finding: &Finding| (finding.primary.span.start, finding.primary.span.end, finding.severity);
        let name = |finding: &Finding| sources.name(finding.primary.span.file).to_owned();
        let file = name(a).cmp(&name(b)).then_with(|| a.primary.span.file.cmp(&b.primary.span.file));
        file.then_with(|| key(a).cmp(&key(b))).then_with(|| (&a.rule, &a.message).cmp(&(&b.rule, &b.message)))
    });
    findings.dedup_by(|later, earlier| {
        (&later.rule, &later.message, &later.primary) == (&earlier.rule, &earlier.message, &earlier.primary)
            && later.condition == earlier.condition
    });
}

/// A suppression comment.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Directive {
    scope: Scope,
    /// The rules or packs named; empty means all.
    rules: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    Line,
    File,
}

impl Directive {
    fn silences(&self, rule: &str) -> bool {
        self.rules.is_empty() || self.rules.iter().any(|name| names(name, rule))
    }

    /// Reads `# harp: ignore`, `# harp: ignore[rule, pack]` or `# harp: ignore-file` out of a line.
    fn parse(line: &str) -> Option<Directive> {
        line.match_indices('#').find_map(|(hash, _)| Directive::parse_comment(&line[hash + 1..]))
    }

    fn parse_comment(comment: &str) -> Option<Directive> {
        let rest = comment.trim_start().strip_prefix("harp:")?.trim_start().strip_prefix("ignore")?;
        let (scope, rest) = match rest.strip_prefix("-file") {
            Some(rest) => (Scope::File, rest),
            None => (Scope::Line, rest),
        };
        if rest.starts_with(|next: char| next.is_alphanumeric() || next == '-' || next == '_') {
            return None;
        }
        let rules = match rest.trim_start().strip_prefix('[') {
            Some(list) => {
                let list = list.split_once(']')?.0;
                let rules: Vec<String> =
                    list.split(',').map(|rule| rule.trim().to_owned()).filter(|rule| !rule.is_empty()).collect();
                if rules.is_empty() {
                    return None;
                }
                rules
            }
            None => Vec::new(),
        };
        Some(Directive { scope, rules })
    }
}

/// The comments that speak of the whole file: alone on their line.
fn file_directives(text: &str) -> Vec<Directive> {
    if !text.contains("harp:") {
        return Vec::new();
    }
    let comments = text.split(['\n', '\r']).map(str::trim_start).filter(|line| line.starts_with('#'));
    comments.filter_map(Directive::parse).filter(|directive| directive.scope == Scope::File).collect()
}

/// The suppression comments that were read: thousands of findings may lie in one file, or on one line.
#[derive(Default)]
struct Comments {
    files: BTreeMap<FileId, Vec<Directive>>,
    /// By file and where the line starts.
    lines: BTreeMap<(FileId, usize), Option<Directive>>,
}

impl Comments {
    /// Those that speak of the whole file.
    fn of_file(&mut self, file: FileId, sources: &dyn Sources) -> &[Directive] {
        self.files.entry(file).or_insert_with(|| file_directives(sources.text(file)))
    }

    /// Those on the first and the last line of a range.
    fn of_lines(&mut self, span: Span, sources: &dyn Sources) -> Vec<Directive> {
        let ends = [span.start, span.end.max(span.start)];
        ends.into_iter().filter_map(|offset| self.of_line(span.file, offset, sources)).collect()
    }

    fn of_line(&mut self, file: FileId, offset: u32, sources: &dyn Sources) -> Option<Directive> {
        let line = sources.line(file, offset as usize);
        let read = || Directive::parse(&sources.text(file)[line.clone()]).filter(|it| it.scope == Scope::Line);
        self.lines.entry((file, line.start)).or_insert_with(read).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Label;
    use crate::sources::MemorySources;

    fn finding(rule: &str, file: FileId, start: u32, end: u32) -> Finding {
        Finding::new(rule, Severity::Error, "message", Label::new(Span::new(file, start, end), ""))
    }

    fn shown(text: &str, rule: &str, start: u32, end: u32, selection: &Selection) -> (usize, usize) {
        let mut sources = MemorySources::new();
        let file = sources.add("a.py", text);
        let mut findings = vec![finding(rule, file, start, end)];
        let mut summary = Summary::default();
        finish(&mut findings, &mut summary, selection, &sources);
        (findings.len(), summary.suppressed)
    }

    #[test]
    fn comments_silence_their_line_only() {
        let none = Selection::default();
        assert_eq!(shown("f(x)  # harp: ignore\n", "shape/mismatch", 0, 4, &none), (0, 1));
        assert_eq!(shown("f(x)  # harp: ignore[shape/mismatch, other]\n", "shape/mismatch", 0, 4, &none), (0, 1));
        assert_eq!(shown("f(x)  # noqa # harp:ignore[shape]\n", "shape/mismatch", 0, 4, &none), (0, 1));
        assert_eq!(shown("f(\n  x)  # harp: ignore\n", "shape/mismatch", 0, 7, &none), (0, 1));
        assert_eq!(shown("f(x)  # harp: ignore[shap]\n", "shape/mismatch", 0, 4, &none), (1, 0));
        assert_eq!(shown("f(x)  # harp: ignored\n", "shape/mismatch", 0, 4, &none), (1, 0));
        assert_eq!(shown("# harp: ignore\nf(x)\n", "shape/mismatch", 15, 19, &none), (1, 0));
    }

    #[test]
    fn a_comment_of_its_own_silences_the_file() {
        let none = Selection::default();
        assert_eq!(shown("f(x)\n# harp: ignore-file\n", "shape/mismatch", 0, 4, &none), (0, 1));
        assert_eq!(shown("f(x)\n# harp: ignore-file[hoist]\n", "shape/mismatch", 0, 4, &none), (1, 0));
        assert_eq!(shown("f(x)  # harp: ignore-file\n", "shape/mismatch", 0, 4, &none), (1, 0));
    }

    #[test]
    fn the_configuration_silences_rules_and_packs() {
        let ignore = |name: &str| Selection { ignore: vec![name.to_owned()], ..Selection::default() };
        assert_eq!(shown("f(x)\n", "shape/mismatch", 0, 4, &ignore("shape")), (0, 1));
        assert_eq!(shown("f(x)\n", "shape/mismatch", 0, 4, &ignore("shape/mismatch")), (0, 1));
        assert_eq!(shown("f(x)\n", "shape/mismatch", 0, 4, &ignore("shape/other")), (1, 0));
    }

    #[test]
    fn the_more_specific_severity_wins() {
        let severity = [("shape".to_owned(), Severity::Note), ("shape/mismatch".to_owned(), Severity::Warning)];
        let selection = Selection { severity: severity.into(), ..Selection::default() };
        assert_eq!(selection.severity_of("shape/mismatch"), Some(Severity::Warning));
        assert_eq!(selection.severity_of("shape/other"), Some(Severity::Note));
        assert_eq!(selection.severity_of("hoist/x"), None);
    }

    #[test]
    fn findings_are_sorted_and_kept_once() {
        let mut sources = MemorySources::new();
        let second = sources.add("b.py", "f(x)\n");
        let first = sources.add("a.py", "f(x)\ng(x)\n");
        let mut findings = vec![
            finding("r", second, 0, 1),
            finding("r", first, 5, 6),
            finding("r", first, 0, 1),
            finding("r", second, 0, 1),
        ];
        finish(&mut findings, &mut Summary::default(), &Selection::default(), &sources);
        let places: Vec<_> = findings.iter().map(|it| (it.primary.span.file, it.primary.span.start)).collect();
        assert_eq!(places, [(first, 0), (first, 5), (second, 0)]);
    }
}
