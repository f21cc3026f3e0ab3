//! Findings for people: rustc's manner, colour only where asked for.

use std::borrow::Cow;
use std::io::{self, Write};
use std::ops::Range;

use annotate_snippets::{Annotation, AnnotationKind, Element, Group, Level, Renderer, Snippet};

use harp_corpus::{FileId, Span};

use super::excerpt::excerpt_by;
use super::finding::{Applicability, Assumption, Edit, Finding, Label, Severity};
use super::fingerprint::Prefixes;
use super::sources::Sources;
use super::summary_text;
use super::word_wrap::wrapped;
use crate::{Report, columns, path_steps, terminal_escape};

/// How text is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextOptions {
    /// Whether terminal sequences are written.
    pub color: Color,
    /// How much the summary lists.
    pub detail: Detail,
    /// The columns of the terminal, where sentences are broken to fit it.
    pub width: Option<usize>,
    /// Whether findings say what their rewrites save.
    pub shows_savings: bool,
}

/// Whether terminal sequences are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Color {
    /// Plain text, for files and pipes.
    #[default]
    Never,
    /// For terminals.
    Always,
}

/// How much the summary lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// Findings alone.
    Quiet,
    /// One line, and what a user has to know.
    #[default]
    Brief,
    /// Everything.
    Full,
}

/// Writes all findings and the summary.
pub fn render(report: &Report<'_>, options: TextOptions, out: &mut dyn Write) -> io::Result<()> {
    let prefixes = Prefixes::new(report.findings);
    for finding in report.findings {
        out.write_all(render_finding(finding, report.sources, options).as_bytes())?;
        let path = path_steps::text(finding, report.sources);
        if !path.is_empty() {
            write!(out, "\n{}", path.trim_end())?;
        }
        if options.detail == Detail::Full && !finding.fingerprint.is_empty() {
            write!(out, "\nfingerprint: {}", prefixes.of(finding))?;
        }
        out.write_all(b"\n\n")?;
    }
    summary_text::render(report, options.detail, out)
}

/// The last line of a report: how much was not analysed, and what helps most against it.
pub fn not_analysed(report: &Report<'_>, detail: Detail, out: &mut dyn Write) -> io::Result<()> {
    match detail {
        Detail::Quiet => Ok(()),
        _ => summary_text::not_analysed(report, out),
    }
}

/// The summary alone.
pub fn summary(report: &Report<'_>, detail: Detail, out: &mut dyn Write) -> io::Result<()> {
    summary_text::render(report, detail, out)
}

/// One finding, without a line end behind it.
pub fn render_finding(finding: &Finding, sources: &dyn Sources, options: TextOptions) -> String {
    let level = level(finding.severity);
    let rule = terminal_escape::line(&finding.rule);
    // The renderer sets further lines below the first one, behind the severity and the rule.
    let before_title = columns::width(&format!("{}[{rule}]: ", finding.severity));
    let message = fitted(&terminal_escape::message(&finding.message), before_title, options.width);
    let title = level.primary_title(&*message).id(rule);
    let mut main = Group::with_title(title);
    let snippets = snippets_of(finding, sources);
    for snippet in &snippets {
        main = main.element(snippet.element());
    }
    for note in notes(finding).into_iter().chain(saves(finding, options.shows_savings)) {
        main = main.element(Level::NOTE.message(fitted(&note, BEFORE_NOTE, options.width)));
    }
    if let Some(help) = &finding.help {
        main = main.element(Level::HELP.message(fitted(&terminal_escape::message(help), BEFORE_NOTE, options.width)));
    }
    let suggestion = finding.suggestion.as_deref().map(source_text);
    let rewrite = rewrite_title(finding);
    let mut groups = vec![main];
    if let Some(suggestion) = &suggestion {
        let code = Snippet::<Annotation<'_>>::source(suggestion.as_str()).line_numbering(false).fold(false);
        groups.push(Group::with_title(Level::HELP.secondary_title(&*rewrite)).element(code));
    } else if let Some(edited) = edited_code(&finding.edits, sources) {
        let code = Snippet::<Annotation<'_>>::source(edited).line_numbering(false).fold(false);
        groups.push(Group::with_title(Level::HELP.secondary_title(&*rewrite)).element(code));
    }
    rendered(&groups, options.color)
}

/// The columns before a note, `     = note: ` below the numbers of four digits.
const BEFORE_NOTE: usize = 13;

/// The text in lines that fit behind so many columns.
fn fitted(text: &str, before: usize, width: Option<usize>) -> String {
    width.map_or_else(|| text.to_owned(), |width| wrapped(text, width.saturating_sub(before)))
}

/// The code of a finding with its labels, and nothing else of it.
pub(crate) fn render_code(finding: &Finding, sources: &dyn Sources, color: Color) -> String {
    let snippets = snippets_of(finding, sources);
    if snippets.is_empty() {
        return String::new();
    }
    let group = Group::with_level(level(finding.severity)).elements(snippets.iter().map(Part::element));
    rendered(&[group], color)
}

/// The code that takes the place of a finding's, harmless for a terminal.
pub(crate) fn rewritten_code(finding: &Finding, sources: &dyn Sources) -> Option<String> {
    let suggestion = finding.suggestion.as_deref().map(source_text);
    suggestion.or_else(|| edited_code(&finding.edits, sources))
}

/// What stands above the code, with why a program may not just write it.
pub(crate) fn rewrite_title(finding: &Finding) -> String {
    match finding.applicability.as_ref().and_then(Applicability::reason) {
        None => "write instead".to_owned(),
        Some(reason) => format!("write instead (unsafe: {})", terminal_escape::line(reason)),
    }
}

/// Everything that is shown to people with its source. The width of sources is fixed, so that output depends on input alone.
pub(super) fn rendered(groups: &[Group<'_>], color: Color) -> String {
    let renderer = match color {
        Color::Always => Renderer::styled(),
        Color::Never => Renderer::plain(),
    };
    let text = renderer.render(groups);
    text.split('\n').map(with_plain_arrow).collect::<Vec<_>>().join("\n")
}

/// The line without the `:::` that stands before the names of further files: a line that begins with `::` is a command to CI systems,
/// see [`super::guard`].
fn with_plain_arrow(line: &str) -> Cow<'_, str> {
    match line.split_once("::: ") {
        Some((before, path)) if before.replace(ARROW_COLOR, "").trim().is_empty() => {
            Cow::Owned(format!("{before}--> {path}"))
        }
        _ => Cow::Borrowed(line),
    }
}

/// What the renderer writes before an arrow where there are colours.
const ARROW_COLOR: &str = "\u{1b}[1m\u{1b}[94m";

/// `path:line:column`, with the cell of a notebook.
pub fn place(span: Span, sources: &dyn Sources) -> String {
    let position = sources.position(span.file, span.start);
    format!("{}:{}:{}", file_name(span.file, position.cell, sources), position.line, position.column)
}

/// The same for programs, with the whole path.
pub fn whole_place(span: Span, sources: &dyn Sources) -> String {
    let position = sources.position(span.file, span.start);
    let name = with_cell(terminal_escape::name(sources.name(span.file)), position.cell);
    format!("{name}:{}:{}", position.line, position.column)
}

/// "assumes that …" with why it is likely, for findings.
pub fn assumption_sentence(assumption: &Assumption) -> String {
    format!("assumes that {}", with_evidence(assumption))
}

/// The same with the class, the kind and the place of the assumption, for whoever looks closer.
pub fn assumption_in_full(assumption: &Assumption, sources: &dyn Sources) -> String {
    let class = assumption.class.map_or(String::new(), |class| format!("{class} "));
    let tag = format!("{class}{}", terminal_escape::line(&assumption.kind));
    format!("{} [{tag}{}]", assumption_sentence(assumption), placed(assumption, sources))
}

/// The assumption itself, with why it is likely, its kind and its place: what a comment that confirms or denies it needs.
pub(super) fn assumption_clause(assumption: &Assumption, sources: &dyn Sources) -> String {
    let kind = terminal_escape::line(&assumption.kind);
    format!("{} [{kind}{}]", with_evidence(assumption), placed(assumption, sources))
}

fn with_evidence(assumption: &Assumption) -> String {
    let text = terminal_escape::line(&assumption.text);
    match assumption.evidence.as_str() {
        "" => text,
        evidence => format!("{text}, since {}", terminal_escape::line(evidence)),
    }
}

/// `, train.py:4:11`, where the assumption has a place.
fn placed(assumption: &Assumption, sources: &dyn Sources) -> String {
    assumption.span.map_or(String::new(), |span| format!(", {}", place(span, sources)))
}

fn level(severity: Severity) -> Level<'static> {
    match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    }
}

fn file_name(file: FileId, cell: Option<u32>, sources: &dyn Sources) -> String {
    with_cell(terminal_escape::path(sources.name(file)), cell)
}

fn with_cell(name: String, cell: Option<u32>) -> String {
    match cell {
        Some(cell) => format!("{name}:cell {cell}"),
        None => name,
    }
}

/// More assumptions of a finding are not told in text.
const MOST_ASSUMPTIONS: usize = 3;

/// The lines below the snippets.
fn notes(finding: &Finding) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(condition) = &finding.condition {
        notes.push(format!("fails when {}", terminal_escape::message(condition)));
    }
    match finding.path_conditions.len() {
        0 => {}
        1 => notes.push("1 more condition leads there, which `harp explain` lists".to_owned()),
        more => notes.push(format!("{more} more conditions lead there, which `harp explain` lists")),
    }
    if let Some(counterexample) = &finding.counterexample {
        notes.push(format!("for example {}", terminal_escape::message(counterexample)));
    }
    notes.extend(finding.notes.iter().map(|note| terminal_escape::message(note).into_owned()));
    let (told, more) = finding.assumptions.split_at(finding.assumptions.len().min(MOST_ASSUMPTIONS));
    notes.extend(told.iter().map(assumption_sentence));
    match more.len() {
        0 => {}
        1 => notes.push("and 1 more assumption, which `harp explain` lists".to_owned()),
        more => notes.push(format!("and {more} more assumptions, which `harp explain` lists")),
    }
    notes
}

/// What the rewrite saves, and what else that takes for granted.
fn saves(finding: &Finding, are_shown: bool) -> Vec<String> {
    let Some(saving) = finding.saving.as_ref().filter(|_| are_shown) else { return Vec::new() };
    let sentence = saving.sentence();
    if sentence.is_empty() {
        return Vec::new();
    }
    let further = saving.assumptions.iter().filter(|it| !finding.assumptions.contains(it));
    let further = further.map(|it| format!("the numbers take for granted that {}", with_evidence(it)));
    std::iter::once(format!("saves {}", terminal_escape::message(&sentence))).chain(further).collect()
}

/// Labels of one file that are farther from each other are shown in parts of their own.
const FARTHEST_LINES: u32 = 2_000;

/// A part of one file (or of one cell) with its labels.
struct Part {
    path: String,
    first_line: usize,
    text: String,
    labels: Vec<(Range<usize>, AnnotationKind, String)>,
}

impl Part {
    fn element(&self) -> Element<'_> {
        let annotations = self.labels.iter().map(|(range, kind, text)| {
            let label = (!text.is_empty()).then_some(text.as_str());
            kind.span(range.clone()).label(label)
        });
        Snippet::source(self.text.as_str())
            .path(self.path.as_str())
            .line_start(self.first_line)
            .annotations(annotations)
            .into()
    }
}

fn snippets_of(finding: &Finding, sources: &dyn Sources) -> Vec<Part> {
    let mut labels: Vec<(&Label, AnnotationKind)> = vec![(&finding.primary, AnnotationKind::Primary)];
    labels.extend(finding.labels.iter().map(|label| (label, AnnotationKind::Context)));
    snippets(&labels, sources)
}

/// The labels by file, cell and neighbourhood; the first label's part first.
fn snippets(labels: &[(&Label, AnnotationKind)], sources: &dyn Sources) -> Vec<Part> {
    let mut parts: Vec<(Place, Vec<&(&Label, AnnotationKind)>)> = Vec::new();
    for label in labels {
        let place = Place::of(label.0.span, sources);
        match parts.iter_mut().find(|(other, _)| place.is_near(*other)) {
            Some((_, own)) => own.push(label),
            None => parts.push((place, vec![label])),
        }
    }
    let shown = parts.into_iter().filter(|(place, _)| !sources.name(place.file).is_empty());
    shown.map(|(place, own)| part(place, &own, sources)).collect()
}

fn part(Place { file, cell, .. }: Place, own: &[&(&Label, AnnotationKind)], sources: &dyn Sources) -> Part {
    let ranges: Vec<_> = own.iter().map(|(label, _)| range(label.span)).collect();
    let excerpt = excerpt_by(sources.text(file), &ranges, &|offset| sources.line(file, offset));
    let first_line = sources.position(file, u32::try_from(excerpt.start).unwrap_or(u32::MAX)).line;
    let texts = own.iter().map(|(label, kind)| (*kind, terminal_escape::line(&label.text)));
    let labels = excerpt.ranges.into_iter().zip(texts).map(|(range, (kind, text))| (range, kind, text)).collect();
    Part { path: file_name(file, cell, sources), first_line: first_line as usize, text: excerpt.text, labels }
}

/// Where a label is shown.
#[derive(Clone, Copy)]
struct Place {
    file: FileId,
    cell: Option<u32>,
    line: u32,
}

impl Place {
    fn of(span: Span, sources: &dyn Sources) -> Place {
        let position = sources.position(span.file, span.start);
        Place { file: span.file, cell: position.cell, line: position.line }
    }

    /// Whether both fit into one snippet, which costs time for every line in between.
    fn is_near(self, other: Place) -> bool {
        (self.file, self.cell) == (other.file, other.cell) && self.line.abs_diff(other.line) <= FARTHEST_LINES
    }
}

fn range(span: Span) -> Range<usize> {
    span.start as usize..span.end as usize
}

fn source_text(code: &str) -> String {
    code.split('\n')
        .map(|line| line.chars().map(terminal_escape::source_character).collect::<String>())
        .collect::<Vec<_>>()
        .join("\n")
}

/// The edits of one file as the code that comes out of them, line by line.
fn edited_code(edits: &[Edit], sources: &dyn Sources) -> Option<String> {
    let first = edits.first()?;
    let text = sources.text(first.span.file);
    let mut edits: Vec<&Edit> = edits.iter().filter(|edit| edit.span.file == first.span.file).collect();
    edits.sort();
    let start = edits.first()?.span.start as usize;
    let line_start = sources.line(first.span.file, start).start;
    let mut code = String::new();
    let mut offset = line_start;
    for edit in &edits {
        code.push_str(text.get(offset..edit.span.start as usize)?);
        code.push_str(&edit.replacement);
        offset = edit.span.end as usize;
    }
    let line_end = sources.line(first.span.file, offset).end;
    code.push_str(text.get(offset..line_end)?);
    Some(source_text(&code))
}
