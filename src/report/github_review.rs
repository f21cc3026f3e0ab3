//! The report of a review as GitHub takes it: the body of
//! <https://docs.github.com/rest/pulls/reviews#create-a-review-for-a-pull-request>.
//!
//! GitHub refuses a whole review where one comment is on a line that the pull request's diff does not show. Findings elsewhere, and those of
//! notebooks, whose lines are not those of their files, stand in the review's own text.

use std::io::{self, Write};
use std::ops::Range;

use harp_corpus::{FileId, Span};
use serde::Serialize;

use crate::comparison::Review;
use crate::finding::{Edit, Finding};
use crate::sources::Sources;
use crate::suggested_lines::{self, SuggestedLines};
use crate::{json, markdown};

/// More comments make a review that nobody reads; the others stand in its text.
const MOST_COMMENTS: usize = 50;

#[derive(Serialize)]
struct Document<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    commit_id: Option<&'a str>,
    event: &'static str,
    body: String,
    comments: Vec<Comment<'a>>,
}

#[derive(Serialize)]
struct Comment<'a> {
    path: &'a str,
    /// The last line.
    line: u32,
    side: &'static str,
    /// The first one, where there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    start_line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_side: Option<&'static str>,
    body: String,
}

/// Writes the review as JSON.
pub fn render(review: &Review<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut comments = Vec::new();
    let mut elsewhere = Vec::new();
    for (finding, before) in review.told() {
        match comment(finding, before, review).filter(|_| comments.len() < MOST_COMMENTS) {
            Some(comment) => comments.push(comment),
            None => elsewhere.push((finding, before)),
        }
    }
    let body = markdown::comment(review, &elsewhere);
    let document = Document { commit_id: review.commits[1], event: "COMMENT", body, comments };
    json::write(&document, out)
}

/// The comment on a finding; `None` where the change shows none of its lines. It stands at a line that the change adds, where the finding names
/// one: its own, that of an edit, or that of something that led there, such as a constructor. Else it stands at one that is shown around.
fn comment<'a>(finding: &Finding, before: Option<&Finding>, review: &Review<'a>) -> Option<Comment<'a>> {
    let sources = review.new.sources;
    let anchors = anchors(finding, sources);
    let shown: Vec<&Anchor> = anchors
        .iter()
        .filter(|anchor| !anchor.lines.is_empty() && review.lines.shows(sources.name(anchor.file), &anchor.lines))
        .collect();
    let is_added = |anchor: &&&Anchor| {
        let name = sources.name(anchor.file);
        anchor.lines.clone().any(|line| review.lines.block_of_new(name, line).is_some())
    };
    let anchor = shown.iter().find(is_added).or(shown.first())?;
    let mut body = markdown::body(finding, before, sources, anchor.text.as_deref());
    if let Some(code) = &anchor.suggestion {
        body.push_str(&format!("\n{}", markdown::fence("suggestion", code)));
    }
    let last = anchor.lines.end - 1;
    let several = (anchor.lines.start < last).then_some(anchor.lines.start);
    let start_side = several.map(|_| "RIGHT");
    Some(Comment { path: sources.name(anchor.file), line: last, side: "RIGHT", start_line: several, start_side, body })
}

/// Lines at which a comment on a finding can stand.
struct Anchor {
    file: FileId,
    lines: Range<u32>,
    /// What takes their place.
    suggestion: Option<String>,
    /// What is there, where the finding is elsewhere.
    text: Option<String>,
}

/// The lines of a finding: those of its edit, its own, those of what its help says to write, and those of its labels.
fn anchors(finding: &Finding, sources: &dyn Sources) -> Vec<Anchor> {
    let own = finding.primary.span;
    let lines_at = |span: Span| (span.file == own.file).then(|| lines_of(own, sources)).flatten();
    let mut anchors = Vec::new();
    let mut add_edited = |edits: &[Edit], is_own: bool| {
        let edited = Finding { edits: edits.to_vec(), ..finding.clone() };
        let (Some(first), Some(suggested)) = (edits.first(), suggested_lines::of(&edited, sources)) else { return };
        let SuggestedLines { lines, text } = suggested;
        let is_at_finding = lines_at(first.span).is_some_and(|own| own.start < lines.end && lines.start < own.end);
        let label =
            finding.labels.iter().find(|label| label.span.file == first.span.file && holds(label.span, first.span));
        let text_of_place = label.filter(|_| !is_own && !is_at_finding).map(|label| label.text.clone());
        anchors.push(Anchor { file: first.span.file, lines, suggestion: Some(text), text: text_of_place });
    };
    add_edited(&finding.edits, true);
    add_edited(finding.remedy.as_slice(), false);
    let others = finding.labels.iter().chain(&finding.origins).map(|label| (label.span, Some(&label.text)));
    let places = std::iter::once((own, None)).chain(others);
    anchors.extend(places.filter_map(|(span, text)| {
        let lines = lines_of(span, sources)?;
        Some(Anchor { file: span.file, lines, suggestion: None, text: text.cloned() })
    }));
    anchors
}

fn holds(outer: Span, inner: Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// The lines of a place; of many the first, which is where it begins. `None` in a notebook.
fn lines_of(span: Span, sources: &dyn Sources) -> Option<Range<u32>> {
    const MOST_LINES: u32 = 20;
    let [start, end] = [span.start, span.end.max(span.start)].map(|offset| sources.position(span.file, offset));
    let last = if end.line.saturating_sub(start.line) < MOST_LINES { end.line.max(start.line) } else { start.line };
    // A range that ends before the first character of a line does not touch it.
    let last = if last > start.line && end.column == 1 { last - 1 } else { last };
    start.cell.is_none().then_some(start.line..last + 1)
}
