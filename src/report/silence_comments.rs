//! `# harp: ignore` and its like: which findings a comment silences, and which comments silence nothing.
//!
//! A comment behind code speaks of the statement around it, on whichever of its lines it stands; one that is alone on its line of the statement
//! below it. `ignore-block` speaks of all that the statement opens, `ignore-file` of the file.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Bound, Range};

use harp_corpus::{FileId, Span};

use crate::finding::{Finding, Label, Severity};
use crate::logical_lines::{Comment, LogicalLines};
use crate::selection::names;
use crate::sources::Sources;
use crate::summary::{Notice, Summary};
use crate::suppressions::Checked;
use crate::user_error::closest;

/// The rule of the findings that say that a comment silences nothing.
pub const UNUSED_SILENCE_RULE: &str = "ignore/unused";
/// The rule of the findings that say that a comment names a rule that there is not.
pub const UNKNOWN_SILENCE_RULE: &str = "ignore/unknown";

/// A comment names so many rules at most.
const MOST_NAMES: usize = 100;
/// So much is said of the comments of a file.
const MOST_OF_FILE: usize = 100;
/// So much is said of the comments of all files.
const MOST_OF_RUN: usize = 1000;
/// So many characters of a name that is none are quoted.
const LONGEST_QUOTED: usize = 80;

/// How far a comment reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    Statement,
    Block,
    File,
}

/// A name of a rule or pack in a comment, with its place in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
struct NamedIn {
    name: String,
    range: Range<usize>,
}

/// A suppression comment.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Directive {
    scope: Scope,
    /// The rules or packs named; empty means all.
    rules: Vec<NamedIn>,
    /// The name behind the last that counts, where there are too many, and how many there are from there on.
    beyond: Option<(Range<usize>, usize)>,
    /// The logical lines that it speaks of; of a file, none are named.
    lines: Range<usize>,
    /// The words from `harp:` on.
    range: Range<usize>,
    /// What stands behind them, up to the words of another tool.
    reason: Box<str>,
    is_used: bool,
}

impl Directive {
    fn silences(&self, rule: &str) -> bool {
        self.rules.is_empty() || self.rules.iter().any(|named| names(&named.name, rule))
    }

    /// Reads `# harp: ignore`, `# harp: ignore[rule, pack] reason`, `ignore-block` or `ignore-file` out of a comment.
    fn parse(text: &str, comment: &Comment, lines: &LogicalLines) -> Option<Directive> {
        let words = &text[comment.range.clone()];
        // Other tools' words may stand before.
        let read = |(hash, _)| Some((hash, parse_words(&words[hash + 1..])?));
        let (hash, Words { scope, rules, beyond, end }) = words.match_indices('#').find_map(read)?;
        let place = |range: Range<usize>| {
            let before = comment.range.start + hash + 1;
            range.start + before..range.end + before
        };
        let beyond = beyond.map(|(first, count)| (place(first), count));
        let rules = rules.into_iter().map(|named| NamedIn { range: place(named.range), ..named }).collect();
        let of_statement = match (scope, comment.is_alone) {
            (Scope::File, false) => return None,
            (Scope::File, true) => None,
            (_, true) => {
                let around = lines.around(comment.range.start);
                // Within brackets a comment on a line of its own is one of the statement around it.
                Some(around.or_else(|| lines.behind(comment.range.end))?)
            }
            (_, false) => Some(lines.around(comment.range.start).or_else(|| before(lines, comment.range.start))?),
        };
        let of_lines = match (scope, of_statement) {
            (Scope::Block, Some(header)) => lines.block(header),
            (_, Some(line)) => line..line + 1,
            (_, None) => 0..0,
        };
        let range = comment.range.start + hash..comment.range.start + hash + 1 + end;
        let behind = words[hash + 1 + end..].split("# ").next().unwrap_or_default();
        let reason = behind.trim().trim_start_matches([':', ',', '-', '–', '—']).trim_start().into();
        Some(Directive { scope, rules, beyond, lines: of_lines, range, reason, is_used: false })
    }
}

/// The logical line that ends before a byte.
fn before(lines: &LogicalLines, at: usize) -> Option<usize> {
    lines.lines.partition_point(|line| line.range.end <= at).checked_sub(1)
}

/// What a comment says.
struct Words {
    scope: Scope,
    /// With places within the comment.
    rules: Vec<NamedIn>,
    /// The first name that is one too many, and how many there are from there on.
    beyond: Option<(Range<usize>, usize)>,
    /// Where the words end that Harp reads.
    end: usize,
}

fn parse_words(comment: &str) -> Option<Words> {
    let at = |rest: &str| comment.len() - rest.len();
    let rest = comment.trim_start().strip_prefix("harp:")?.trim_start().strip_prefix("ignore")?;
    let (scope, rest) = match (rest.strip_prefix("-file"), rest.strip_prefix("-block")) {
        (Some(rest), _) => (Scope::File, rest),
        (_, Some(rest)) => (Scope::Block, rest),
        _ => (Scope::Statement, rest),
    };
    if rest.starts_with(|next: char| next.is_alphanumeric() || next == '-' || next == '_') {
        return None;
    }
    let Some(list) = rest.trim_start().strip_prefix('[') else {
        return Some(Words { scope, rules: Vec::new(), beyond: None, end: at(rest) });
    };
    let (list, after) = list.split_once(']')?;
    let (mut rules, mut beyond) = (Vec::new(), None::<(Range<usize>, usize)>);
    let mut start = at(after) - 1 - list.len();
    for part in list.split(',') {
        let name = part.trim();
        if !name.is_empty() {
            let from = start + (part.len() - part.trim_start().len());
            let range = from..from + name.len();
            match &mut beyond {
                Some((_, count)) => *count += 1,
                None if rules.len() == MOST_NAMES => beyond = Some((range, 1)),
                None => rules.push(NamedIn { name: name.to_owned(), range }),
            }
        }
        start += part.len() + 1;
    }
    (!rules.is_empty()).then(|| Words { scope, rules, beyond, end: at(after) })
}

/// Behind the last rule that a comment of this statement alone names, where there is one that names rules.
pub(crate) fn named_rules_of(text: &str, lines: &LogicalLines, line: usize) -> Option<usize> {
    let directives = lines.comments.iter().filter_map(|comment| Directive::parse(text, comment, lines));
    let mut of_statement = directives.filter(|it| it.scope == Scope::Statement && it.lines.contains(&line));
    of_statement.find_map(|directive| Some(directive.rules.last()?.range.end))
}

/// The suppression comments of a file.
#[derive(Default)]
struct OfFile {
    lines: LogicalLines,
    directives: Vec<Directive>,
    /// By logical line, those that speak of it.
    by_line: BTreeMap<usize, Vec<usize>>,
}

impl OfFile {
    fn read(text: &str) -> OfFile {
        // Nearly all files have none.
        if !text.contains("harp:") {
            return OfFile::default();
        }
        let lines = LogicalLines::of(text);
        let directives: Vec<Directive> =
            lines.comments.iter().filter_map(|comment| Directive::parse(text, comment, &lines)).collect();
        let mut by_line: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (index, directive) in directives.iter().enumerate() {
            for line in directive.lines.clone() {
                by_line.entry(line).or_default().push(index);
            }
        }
        OfFile { lines, directives, by_line }
    }

    /// The comments that silence a rule in the file.
    fn of_file(&self, rule: &str) -> Vec<usize> {
        let silences = |index: &usize| {
            let directive = &self.directives[*index];
            directive.scope == Scope::File && directive.silences(rule)
        };
        (0..self.directives.len()).filter(silences).collect()
    }

    /// Those that silence it in one of the statements in which a range begins and ends.
    fn of_lines(&self, span: Span, rule: &str) -> Vec<usize> {
        let (start, end) = (span.start as usize, (span.end as usize).saturating_sub(1).max(span.start as usize));
        let lines = [start, end].into_iter().filter_map(|at| self.lines.around(at));
        let all = lines.filter_map(|line| self.by_line.get(&line)).flatten();
        all.copied().filter(|index| self.directives[*index].silences(rule)).collect()
    }

    /// Marks comments as of use, and says whether there are some.
    fn used(&mut self, indices: &[usize]) -> bool {
        indices.iter().for_each(|index| self.directives[*index].is_used = true);
        !indices.is_empty()
    }
}

/// The suppression comments that were read: thousands of findings may lie in one file.
#[derive(Default)]
pub(crate) struct Comments {
    files: BTreeMap<FileId, OfFile>,
}

impl Comments {
    fn file(&mut self, file: FileId, sources: &dyn Sources) -> &mut OfFile {
        self.files.entry(file).or_insert_with(|| OfFile::read(sources.text(file)))
    }

    /// Whether a comment silences a rule in the whole file.
    pub(crate) fn silence_file(&mut self, file: FileId, rule: &str, sources: &dyn Sources) -> bool {
        let file = self.file(file, sources);
        file.used(&file.of_file(rule))
    }

    /// Whether a comment on or above a statement silences a rule there.
    pub(crate) fn silence_statement(&mut self, span: Span, rule: &str, sources: &dyn Sources) -> bool {
        let file = self.file(span.file, sources);
        file.used(&file.of_lines(span, rule))
    }

    /// Why comments silence a rule somewhere, where one of them says it.
    pub(crate) fn reason(&mut self, span: Span, rule: &str, sources: &dyn Sources) -> Option<String> {
        let file = self.file(span.file, sources);
        let silencing = file.of_lines(span, rule).into_iter().chain(file.of_file(rule));
        let mut reasons = silencing.map(|index| &file.directives[index].reason);
        reasons.find(|reason| !reason.is_empty()).map(|reason| reason.to_string())
    }

    /// Findings about the comments of files that silence nothing, or name rules that are not among the known ones, as far as they are wanted.
    pub(crate) fn complaints(
        mut self,
        checked: &Checked<'_>,
        is_wanted: &mut dyn FnMut(&Finding) -> bool,
        sources: &dyn Sources,
    ) -> Complaints {
        let mut complaints = Complaints::default();
        for &file in checked.files {
            let span = |range: &Range<usize>| Span::new(file, range.start as u32, range.end as u32);
            let of_file = complaints.told.len();
            let mut add = |finding: Finding, help: &dyn Fn() -> Option<String>| {
                if is_wanted(&finding) {
                    complaints.add(finding, help, of_file);
                }
            };
            for directive in &self.file(file, sources).directives {
                let mut is_unknown = false;
                if let Some((beyond, count)) = &directive.beyond {
                    is_unknown = true;
                    let message =
                        format!("a comment names at most {MOST_NAMES} rules; the {count} from here on do not count");
                    let label = Label::new(span(beyond), "");
                    let help = || Some("name their packs, or leave the list out to suppress all rules".to_owned());
                    add(Finding::new(UNKNOWN_SILENCE_RULE, Severity::Warning, message, label), &help);
                }
                let Some(rules) = checked.rules else { continue };
                for named in directive.rules.iter().filter(|named| !is_known(&named.name, rules)) {
                    is_unknown = true;
                    let message = format!("there is no rule or pack `{}`", quoted(&named.name));
                    let label = Label::new(span(&named.range), "");
                    let help = || {
                        let meant = closest(&named.name, rules.iter().map(String::as_str));
                        meant.map(|meant| format!("did you mean `{meant}`?"))
                    };
                    add(Finding::new(UNKNOWN_SILENCE_RULE, Severity::Warning, message, label), &help);
                }
                let is_untold = directive.rules.iter().any(|named| checked.untold.contains(&named.name));
                if !directive.is_used && !is_unknown && !is_untold {
                    let label = Label::new(span(&directive.range), "");
                    let message = "this comment suppresses nothing";
                    add(Finding::new(UNUSED_SILENCE_RULE, Severity::Note, message, label), &|| None);
                }
            }
        }
        complaints
    }
}

/// What is said of comments.
#[derive(Default)]
pub(crate) struct Complaints {
    /// As many as a run says.
    pub told: Vec<Finding>,
    /// How many more there are.
    pub further: usize,
}

impl Complaints {
    /// Adds a finding, of a file whose first one is the `of_file`th, unless there are as many as there may be. What helps is looked for then alone.
    fn add(&mut self, mut finding: Finding, help: &dyn Fn() -> Option<String>, of_file: usize) {
        if self.told.len() >= MOST_OF_RUN || self.told.len() - of_file >= MOST_OF_FILE {
            self.further += 1;
            return;
        }
        finding.help = help();
        self.told.push(finding);
    }
}

/// Says how many are not told.
pub(crate) fn notice(further: usize) -> Option<Notice> {
    let (remarks, are) = if further == 1 { ("remark", "is") } else { ("remarks", "are") };
    let text = format!(
        "{further} further {remarks} about comments that suppress {are} not listed: a file has {MOST_OF_FILE} of them at most, a run {MOST_OF_RUN}"
    );
    (further > 0).then_some(Notice { text, file: None })
}

/// Leaves out what is too much of several runs together, and tells it for all of them.
pub(crate) fn bound_together(findings: &mut Vec<Finding>, summary: &mut Summary) {
    let mut count = 0;
    findings.retain(|finding| {
        count += usize::from(matches!(&*finding.rule, UNUSED_SILENCE_RULE | UNKNOWN_SILENCE_RULE));
        count <= MOST_OF_RUN || !matches!(&*finding.rule, UNUSED_SILENCE_RULE | UNKNOWN_SILENCE_RULE)
    });
    summary.further_remarks += count.saturating_sub(MOST_OF_RUN);
    summary.notices.extend(notice(summary.further_remarks));
}

/// Whether a name stands for a rule or pack, or for the beginning of some.
fn is_known(name: &str, rules: &BTreeSet<String>) -> bool {
    match name.strip_suffix('*') {
        Some(start) => {
            let mut from = rules.range::<str, _>((Bound::Included(start), Bound::Unbounded));
            from.next().is_some_and(|rule| rule.starts_with(start))
        }
        None => rules.contains(name),
    }
}

/// The beginning of a text that may be as long as a file.
fn quoted(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(LONGEST_QUOTED) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}
