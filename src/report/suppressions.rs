//! Which findings a report shows: suppression comments in the source, and what the configuration silences or re-grades.

use std::collections::{BTreeMap, BTreeSet};

use harp_corpus::FileId;

use crate::finding::{Finding, Label, Severity};
use crate::fingerprint;
use crate::selection::{Selection, means};
use crate::silence_comments::{Comments, notice};
use crate::sources::Sources;
use crate::summary::Summary;

/// The rule of the findings that say where a file is not Python.
pub const SYNTAX_RULE: &str = "syntax-error";

/// What was checked: suppression comments speak of it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Checked<'a> {
    /// The files whose comments are looked at.
    pub files: &'a [FileId],
    /// The ids of all rules and the names of their packs, where they are known.
    pub rules: Option<&'a BTreeSet<String>>,
    /// The ids of rules that were not asked: what silences them is of use to who asks.
    pub untold: &'a [String],
}

/// Brings findings into their final form: silenced ones are dropped and counted, severities set, the rest sorted by place, each
/// kept once, and named by a fingerprint.
pub fn finish(
    findings: &mut Vec<Finding>,
    summary: &mut Summary,
    selection: &Selection,
    checked: &Checked<'_>,
    sources: &dyn Sources,
) {
    sort(findings, sources);
    let mut silences = Silences::new(selection, sources);
    findings.retain(|finding| {
        // A comment is of use also where nobody asks for what it silences.
        let silence = silences.of(finding);
        let is_asked = selection.asks_for(finding);
        let is_silenced = is_asked && silence.is_some() || selection.leaves_out(finding);
        summary.suppressed += usize::from(is_silenced);
        if is_asked && matches!(silence, Some(Silence::LineComment | Silence::FileComment)) {
            summary.in_source.push(finding.clone());
        }
        is_asked && silence.is_none()
    });
    let comments = std::mem::take(&mut silences.comments);
    let mut is_asked = |finding: &Finding| selection.asks_for(finding) && !silences.is_ignored(finding);
    let complaints = comments.complaints(checked, &mut is_asked, sources);
    summary.further_remarks = complaints.further;
    summary.notices.extend(notice(complaints.further));
    findings.extend(complaints.told);
    sort(findings, sources);
    for finding in findings.iter_mut().chain(&mut summary.in_source) {
        let mut places = std::iter::once(&finding.primary).chain(finding.labels.iter().filter(|label| is_call(label)));
        if finding.severity == Severity::Error
            && places.any(|label| sources.shows_error(label.span.file, label.span.start))
        {
            finding.severity = Severity::Note;
            finding
                .notes
                .push("the notebook keeps an error as the output of this cell, so its author knows".to_owned());
        }
        if let Some(severity) = selection.severity_of(&finding.rule, &finding.kind) {
            finding.severity = severity;
        }
    }
    findings.retain(|finding| finding.severity <= selection.least);
    summary.in_source.retain(|finding| finding.severity <= selection.least);
    summary.sort();
    fingerprint::assign(findings, sources);
    fingerprint::assign(&mut summary.in_source, sources);
}

/// What stands at a call on the way to a finding.
pub const CALLED_FROM: &str = "called from here";

/// Whether a label stands where something happens: a call on the way there. Others say where operands are from.
fn is_call(label: &Label) -> bool {
    label.text == CALLED_FROM
}

/// What keeps a finding out of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Silence {
    /// `# harp: ignore` on a line of its statement or above it, or `ignore-block` around it.
    LineComment,
    /// `# harp: ignore-file`.
    FileComment,
    /// `select`, `ignore`, `per-file-ignores` or `off` in the configuration.
    Configuration,
}

/// What silences a finding, if anything does.
pub fn silenced_by(finding: &Finding, selection: &Selection, sources: &dyn Sources) -> Option<Silence> {
    let unselected = || selection.leaves_out(finding).then_some(Silence::Configuration);
    Silences::new(selection, sources).of(finding).or_else(unselected)
}

/// What silences findings, with what was read for it.
struct Silences<'a> {
    selection: &'a Selection,
    sources: &'a dyn Sources,
    comments: Comments,
    /// By file, the names of rules that are ignored in it: a file with one finding mostly has several.
    ignored_in: BTreeMap<FileId, Vec<&'a str>>,
}

impl<'a> Silences<'a> {
    fn new(selection: &'a Selection, sources: &'a dyn Sources) -> Silences<'a> {
        Silences { selection, sources, comments: Comments::default(), ignored_in: BTreeMap::new() }
    }

    fn of(&mut self, finding: &Finding) -> Option<Silence> {
        let span = finding.primary.span;
        let in_file = self.comments.silence_file(span.file, &finding.rule, self.sources);
        let in_statement = self.comments.silence_statement(span, &finding.rule, self.sources);
        if in_file {
            Some(Silence::FileComment)
        } else if self.is_ignored(finding) {
            Some(Silence::Configuration)
        } else if in_statement {
            Some(Silence::LineComment)
        } else {
            None
        }
    }

    /// Whether the user's choice ignores the rule where the finding is.
    fn is_ignored(&mut self, finding: &Finding) -> bool {
        if self.selection.ignores(&finding.rule, &finding.kind) {
            return true;
        }
        let (selection, sources, file) = (self.selection, self.sources, finding.primary.span.file);
        let ignored = self.ignored_in.entry(file).or_insert_with(|| selection.ignored_in(sources.path(file)));
        ignored.iter().any(|name| means(name, &finding.rule, &finding.kind))
    }
}

/// Sorts findings by place, and keeps each once.
pub(crate) fn sort(findings: &mut Vec<Finding>, sources: &dyn Sources) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Label;
    use crate::sources::MemorySources;
    use harp_corpus::Span;

    fn finding(rule: &str, file: FileId, start: u32, end: u32) -> Finding {
        Finding::new(rule, Severity::Error, "message", Label::new(Span::new(file, start, end), ""))
    }

    fn shown(text: &str, rule: &str, start: u32, end: u32, selection: &Selection) -> (usize, usize) {
        let mut sources = MemorySources::new();
        let file = sources.add("a.py", text);
        let mut findings = vec![finding(rule, file, start, end)];
        let mut summary = Summary::default();
        let files: Vec<FileId> = Vec::new();
        finish(&mut findings, &mut summary, selection, &Checked { files: &files, rules: None, untold: &[] }, &sources);
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
        assert_eq!(shown("f(\n  x,  # harp: ignore\n  y)\n", "shape/mismatch", 0, 2, &none), (0, 1));
        assert_eq!(shown("f(\n  # harp: ignore\n  y)\n", "shape/mismatch", 0, 2, &none), (0, 1));
        assert_eq!(shown("f(x)  # harp: ignore[shape/mismatch] it is meant\n", "shape/mismatch", 0, 4, &none), (0, 1));
        assert_eq!(shown("# harp: ignore\n# why\n\nf(x)\n", "shape/mismatch", 22, 26, &none), (0, 1));
        assert_eq!(shown("# harp: ignore\ng(x)\nf(x)\n", "shape/mismatch", 20, 24, &none), (1, 0));
        assert_eq!(shown("s = '# harp: ignore'; f(x)\n", "shape/mismatch", 22, 26, &none), (1, 0));
    }

    #[test]
    fn the_reason_of_a_comment_is_what_stands_behind_it() {
        let reason = |text: &str, start: u32, end: u32| {
            let mut sources = MemorySources::new();
            let file = sources.add("a.py", text);
            Comments::default().reason(Span::new(file, start, end), "shape/mismatch", &sources)
        };
        let all = [
            ("f(x)  # harp: ignore[shape] the weights are tied\n", Some("the weights are tied")),
            ("f(x)  # harp: ignore: it is meant  # noqa: E501\n", Some("it is meant")),
            (
                "f(x)  # harp: ignore[shape/mismatch]\n# harp: ignore-file[shape] generated — by hand\n",
                Some("generated — by hand"),
            ),
            ("f(x)  # harp: ignore, see issue #12 for more\n", Some("see issue #12 for more")),
            ("f(x)  # harp: ignore[perf] slow\n", None),
            ("f(x)  # harp: ignore\n", None),
        ];
        for (text, expected) in all {
            assert_eq!(reason(text, 0, 4).as_deref(), expected, "{text}");
        }
        let block = "# harp: ignore-block[shape] old code\ndef g(x):\n    f(x)\n";
        assert_eq!(reason(block, 51, 55).as_deref(), Some("old code"));
    }

    #[test]
    fn comments_silence_blocks() {
        let none = Selection::default();
        let text = "# harp: ignore-block[shape]\ndef g(x):\n    f(x)\nf(x)\n";
        assert_eq!(shown(text, "shape/mismatch", 42, 46, &none), (0, 1));
        assert_eq!(shown(text, "shape/mismatch", 47, 51, &none), (1, 0));
        let text = "def g(x):  # harp: ignore-block\n    f(x)\n";
        assert_eq!(shown(text, "shape/mismatch", 36, 40, &none), (0, 1));
    }

    /// The complaints about a file in which `rule` is found at the only `f(x)`.
    fn complaints(text: &str, rule: &str) -> Vec<String> {
        complaints_and_notices(text, rule).0
    }

    /// The same with the notices of the run.
    fn complaints_and_notices(text: &str, rule: &str) -> (Vec<String>, Vec<String>) {
        let mut sources = MemorySources::new();
        let file = sources.add("a.py", text);
        let start = text.find("f(x)").expect("the call") as u32;
        let mut findings = vec![finding(rule, file, start, start + 4)];
        let rules = ["shape", "shape/mismatch", "perf"].map(str::to_owned).into();
        let checked = Checked { files: &[file], rules: Some(&rules), untold: &[] };
        let mut summary = Summary::default();
        finish(&mut findings, &mut summary, &Selection::default(), &checked, &sources);
        let told = findings.iter().filter(|it| it.rule.starts_with("ignore/"));
        let told = told.map(|it| {
            let span = it.primary.span;
            let help = it.help.as_deref().unwrap_or_default();
            format!("{}: {}: {} {help}", it.rule, &text[span.start as usize..span.end as usize], it.message)
        });
        (told.collect(), summary.notices.into_iter().map(|notice| notice.text).collect())
    }

    #[test]
    fn comments_that_silence_nothing_or_name_nothing_are_told() {
        assert_eq!(complaints("f(x)  # harp: ignore[shape] why\n", "shape/mismatch"), Vec::<String>::new());
        assert_eq!(
            complaints("f(x)\ny = 1  # harp: ignore[perf] why\n", "shape/mismatch"),
            ["ignore/unused: # harp: ignore[perf]: this comment suppresses nothing "]
        );
        assert_eq!(
            complaints("f(x)  # harp: ignore[shape/mismatch, shap/mismatch]\n", "shape/mismatch"),
            ["ignore/unknown: shap/mismatch: there is no rule or pack `shap/mismatch` did you mean `shape/mismatch`?"]
        );
        assert_eq!(
            complaints("# harp: ignore-file\ng()\nf(x)  # harp: ignore\n", "shape/mismatch"),
            Vec::<String>::new()
        );
    }

    #[test]
    fn a_comment_names_so_many_rules_and_no_more() {
        let list = |count: usize, name: &str| vec![name; count].join(",");
        let text = format!("f(x)  # harp: ignore[{},shape/mismatch]\n", list(99, "perf"));
        assert_eq!(complaints(&text, "shape/mismatch"), Vec::<String>::new());
        let text = format!("f(x)  # harp: ignore[{},shape/mismatch,{}]\n", list(100, "perf"), list(50_000, "a"));
        assert_eq!(
            complaints(&text, "shape/mismatch"),
            ["ignore/unknown: shape/mismatch: a comment names at most 100 rules; the 50001 from here on do not count \
              name their packs, or leave the list out to suppress all rules"]
        );
        let (told, notices) =
            complaints_and_notices(&format!("f(x)  # harp: ignore[{}]\n", list(50_000, "a")), "shape/mismatch");
        assert_eq!(told.len(), 100);
        assert!(told[99].contains("the 49900 from here on do not count"), "{told:?}");
        assert_eq!(
            notices,
            ["1 further remark about comments that suppress is not listed: a file has 100 of them at most, a run 1000"]
        );
        let [told] = &complaints(&format!("f(x)  # harp: ignore[{}]\n", "a".repeat(90_000)), "shape/mismatch")[..]
        else {
            panic!("one name is told once")
        };
        assert!(told.ends_with(&format!("no rule or pack `{}…` ", "a".repeat(80))), "the name is cut");
    }

    #[test]
    fn a_run_remarks_so_often_on_comments_and_no_more() {
        let mut sources = MemorySources::new();
        let files: Vec<FileId> =
            (0..12).map(|it| sources.add(format!("{it}.py"), "x = 1  # harp: ignore[a,b]\n".repeat(60))).collect();
        let rules = BTreeSet::from(["shape".to_owned()]);
        let checked = Checked { files: &files, rules: Some(&rules), untold: &[] };
        let (mut findings, mut summary) = (Vec::new(), Summary::default());
        finish(&mut findings, &mut summary, &Selection::default(), &checked, &sources);
        assert_eq!(findings.len(), 1000);
        let of_file = |file: FileId| findings.iter().filter(|it| it.primary.span.file == file).count();
        assert_eq!((of_file(files[0]), of_file(files[9]), of_file(files[10])), (100, 100, 0));
        assert!(summary.notices[0].text.starts_with("440 further remarks about comments"), "{:?}", summary.notices);
        // What nobody asks for is not counted either.
        let ignore = Selection { ignore: vec!["ignore".to_owned()], ..Selection::default() };
        let (mut findings, mut summary) = (Vec::new(), Summary::default());
        finish(&mut findings, &mut summary, &ignore, &checked, &sources);
        assert!(findings.is_empty() && summary.notices.is_empty());
    }

    #[test]
    fn what_the_configuration_does_not_select_is_counted() {
        let select = |is_select_configured| Selection {
            select: Some(vec!["perf".to_owned()]),
            is_select_configured,
            ..Selection::default()
        };
        assert_eq!(shown("f(x)\n", "shape/mismatch", 0, 4, &select(true)), (0, 1));
        assert_eq!(shown("f(x)  # harp: ignore\n", "shape/mismatch", 0, 4, &select(true)), (0, 1));
        assert_eq!(shown("f(x)\n", "shape/mismatch", 0, 4, &select(false)), (0, 0));
        assert_eq!(shown("f(x)\n", "perf/loop", 0, 4, &select(true)), (1, 0));
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
        finish(&mut findings, &mut Summary::default(), &Selection::default(), &Checked::default(), &sources);
        let places: Vec<_> = findings.iter().map(|it| (it.primary.span.file, it.primary.span.start)).collect();
        assert_eq!(places, [(first, 0), (first, 5), (second, 0)]);
    }
}
