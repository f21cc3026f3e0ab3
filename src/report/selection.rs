//! Which findings a report keeps as its user selects them: rules by name, for all files or for some, and their
//! severities.

use std::collections::BTreeMap;
use std::path::Path;

use harp_corpus::PathPattern;

use crate::finding::{Finding, Kind, Severity};
use crate::suppressions::SYNTAX_RULE;

/// A user's choice among the findings. A rule is named by its id (`shape/mismatch`), its pack (`shape`), how ids begin (`perf/loop-*`), or a tag of it
/// (`memory`). One on request is named by its id, its beginning, or a tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    /// The rules whose findings are reported, where it is not all.
    pub select: Option<Vec<String>>,
    /// Rules on request whose findings are reported as well, where `select` names none.
    pub extend_select: Vec<String>,
    /// Whether somebody else than who asked for the run chose `select`, so that what it leaves out counts as silenced.
    pub is_select_configured: bool,
    /// Rules whose findings are dropped.
    pub ignore: Vec<String>,
    /// Rules whose findings are dropped in some files.
    pub per_file_ignores: Vec<PerFileIgnore>,
    /// Severities in place of the rules' own; the more specific name wins.
    pub severity: BTreeMap<String, Grade>,
    /// What is less severe is dropped.
    pub least: Severity,
    /// Whether what rests on an assumption or a condition is dropped.
    pub certain_only: bool,
}

/// Rules whose findings are dropped in the files that a pattern fits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PerFileIgnore {
    /// The files.
    pub files: PathPattern,
    /// The rules.
    pub rules: Vec<String>,
}

/// What a user makes of a rule's findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grade {
    /// They have this severity.
    Severity(Severity),
    /// They are dropped.
    Off,
}

impl Default for Selection {
    fn default() -> Selection {
        Selection {
            select: None,
            extend_select: Vec::new(),
            is_select_configured: false,
            ignore: Vec::new(),
            per_file_ignores: Vec::new(),
            severity: BTreeMap::new(),
            least: Severity::Note,
            certain_only: false,
        }
    }
}

impl Selection {
    /// The same for a project that lies at `to` in place of `from`.
    #[must_use]
    pub fn moved(mut self, from: &Path, to: &Path) -> Selection {
        for ignore in &mut self.per_file_ignores {
            ignore.files = ignore.files.moved(from, to);
        }
        self
    }

    /// Whether all findings of a rule are reported, but for those that are dropped in some files or by comments.
    pub fn asks_for_all_of(&self, rule: &str) -> bool {
        self.selects(rule, &Kind::default())
            && !self.ignores(rule, &Kind::default())
            && !self.certain_only
            && self.least == Severity::Note
    }

    /// Whether the choice names a rule of this kind, for all files or some.
    pub fn asks_for_rule(&self, rule: &str, kind: &Kind) -> bool {
        self.selects(rule, kind) && !self.ignores(rule, kind)
    }

    /// Whether somebody who chose like that wants to see a finding, whatever its severity. That a file is no Python is always said.
    pub(crate) fn asks_for(&self, finding: &Finding) -> bool {
        let is_asked = self.selects(&finding.rule, &finding.kind) && (!self.certain_only || finding.certain());
        is_asked || finding.rule == SYNTAX_RULE
    }

    /// Whether the configuration leaves out by its `select` what somebody who ran Harp without it would see.
    pub(crate) fn leaves_out(&self, finding: &Finding) -> bool {
        let is_left_out =
            self.is_select_configured && !self.selects(&finding.rule, &finding.kind) && finding.rule != SYNTAX_RULE;
        is_left_out && (!self.certain_only || finding.certain())
    }

    fn selects(&self, rule: &str, kind: &Kind) -> bool {
        let selects = |name: &String| match kind.is_on_request {
            true => !is_pack(name, rule) && means(name, rule, kind),
            false => means(name, rule, kind),
        };
        match &self.select {
            Some(select) => select.iter().any(selects),
            None => !kind.is_on_request || self.extend_select.iter().any(selects),
        }
    }

    /// The severity that the user gives a rule, where the user gives one.
    pub(crate) fn severity_of(&self, rule: &str, kind: &Kind) -> Option<Severity> {
        match self.grade_of(rule, kind)? {
            Grade::Severity(severity) => Some(severity),
            Grade::Off => None,
        }
    }

    /// Whether a rule's findings are dropped in all files.
    pub(crate) fn ignores(&self, rule: &str, kind: &Kind) -> bool {
        self.ignore.iter().any(|name| means(name, rule, kind)) || self.grade_of(rule, kind) == Some(Grade::Off)
    }

    /// The names of rules whose findings are dropped in a file, beside those that are dropped in all.
    pub(crate) fn ignored_in(&self, file: &Path) -> Vec<&str> {
        let fitting = self.per_file_ignores.iter().filter(|ignore| ignore.files.fits(file));
        fitting.flat_map(|ignore| &ignore.rules).map(String::as_str).collect()
    }

    /// Of a name of the rule's id and one of a tag, the former.
    fn grade_of(&self, rule: &str, kind: &Kind) -> Option<Grade> {
        let matching = self.severity.iter().filter(|(name, _)| means(name, rule, kind));
        matching.max_by_key(|(name, _)| (names(name, rule), name.len())).map(|(_, grade)| *grade)
    }
}

/// Whether `name` is the rule's pack's.
fn is_pack(name: &str, rule: &str) -> bool {
    rule.split_once('/').is_some_and(|(pack, _)| pack == name)
}

/// Whether `name` means the rule, also as one of its tags.
pub(crate) fn means(name: &str, rule: &str, kind: &Kind) -> bool {
    names(name, rule) || kind.tags.iter().any(|tag| tag == name)
}

/// Whether `name`, a rule's id, a pack's, or the beginning of ids with a star, means the rule.
pub(crate) fn names(name: &str, rule: &str) -> bool {
    if let Some(start) = name.strip_suffix('*') {
        return rule.starts_with(start);
    }
    rule == name || rule.strip_prefix(name).is_some_and(|rest| rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_more_specific_severity_wins() {
        let severity = [("shape", Grade::Off), ("shape/mismatch", Grade::Severity(Severity::Warning))];
        let severity = severity.map(|(name, grade)| (name.to_owned(), grade)).into();
        let selection = Selection { severity, ..Selection::default() };
        assert_eq!(selection.severity_of("shape/mismatch", &Kind::default()), Some(Severity::Warning));
        let ignores = |rule| selection.ignores(rule, &Kind::default());
        assert!(!ignores("shape/mismatch") && ignores("shape/other"));
        assert_eq!(selection.severity_of("hoist/x", &Kind::default()), None);
    }

    fn kind(tags: &[&str], is_on_request: bool) -> Kind {
        Kind { tags: tags.iter().map(|tag| (*tag).to_owned()).collect(), is_on_request }
    }

    #[test]
    fn what_is_on_request_is_selected_by_its_id_or_a_tag() {
        let (info, plain) = (kind(&["performance", "info"], true), kind(&["performance"], false));
        let with = |select: Option<&[&str]>, extend: &[&str]| {
            let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<String>>();
            let selection =
                Selection { select: select.map(owned), extend_select: owned(extend), ..Selection::default() };
            (selection.selects("perf/bias", &info), selection.selects("perf/sorted", &plain))
        };
        assert_eq!(with(None, &[]), (false, true));
        for name in ["info", "performance", "perf/bias", "perf/b*"] {
            assert_eq!(with(None, &[name]), (true, true), "{name}");
        }
        assert_eq!(with(None, &["perf"]), (false, true));
        assert_eq!(with(Some(&["perf"]), &[]), (false, true));
        assert_eq!(with(Some(&["info"]), &[]), (true, false));
        assert_eq!(with(Some(&["performance"]), &[]), (true, true));
        assert_eq!(with(Some(&["shape"]), &[]), (false, false));
    }

    #[test]
    fn tags_name_rules_for_all_that_is_chosen() {
        let memory = kind(&["memory"], false);
        let severity = [("memory", Grade::Off), ("perf", Grade::Severity(Severity::Note))];
        let severity = severity.map(|(name, grade)| (name.to_owned(), grade)).into();
        let graded = Selection { severity, ..Selection::default() };
        // The rule's own name is the more specific one.
        assert_eq!(graded.severity_of("perf/kept", &memory), Some(Severity::Note));
        assert!(graded.ignores("torch/kept", &memory) && !graded.ignores("torch/kept", &Kind::default()));
        let ignoring = Selection { ignore: vec!["memory".to_owned()], ..Selection::default() };
        assert!(ignoring.ignores("perf/kept", &memory) && !ignoring.ignores("perf/kept", &Kind::default()));
    }

    #[test]
    fn rules_are_ignored_in_the_files_of_a_pattern() {
        let files = PathPattern::new(Path::new("/project"), "tests/**").expect("a pattern");
        let per_file_ignores = vec![PerFileIgnore { files, rules: vec!["shape".to_owned()] }];
        let selection = Selection { per_file_ignores, ..Selection::default() };
        assert_eq!(selection.ignored_in(Path::new("/project/tests/a.py")), ["shape"]);
        assert!(selection.ignored_in(Path::new("/project/a.py")).is_empty());
        let moved = selection.moved(Path::new("/project"), Path::new("/copy"));
        assert_eq!(moved.ignored_in(Path::new("/copy/tests/a.py")), ["shape"]);
    }
}
